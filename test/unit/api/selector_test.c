#include "test.h"

#include "las/api/selector.h"

#define S(text)                                                                                    \
    {                                                                                              \
        (text), sizeof(text) - 1                                                                   \
    }

static const struct las_pair label_items[] = {{S("cores"), S("16")},   {S("disktype"), S("ssd")},
                                              {S("empty"), S("")},     {S("plus"), S("+7")},
                                              {S("size"), S("large")}, {S("zone"), S("zone-a")}};
static const struct las_pairs labels = {label_items, LAS_COUNT_OF(label_items)};

static const struct las_slice ssd_hdd[] = {S("hdd"), S("ssd")};
static const struct las_slice hdd[] = {S("hdd")};
static const struct las_slice empty_text[] = {S("")};

TEST(each_operator_is_exact)
{
    static const struct {
        const char *name;
        struct las_requirement requirement;
        bool expected;
    } rows[] = {
        {"In, listed", {S("disktype"), LAS_OP_IN, ssd_hdd, 2, 0}, true},
        {"In, not listed", {S("disktype"), LAS_OP_IN, hdd, 1, 0}, false},
        {"In, absent", {S("none"), LAS_OP_IN, ssd_hdd, 2, 0}, false},
        {"In, absent is not empty", {S("none"), LAS_OP_IN, empty_text, 1, 0}, false},
        {"In, empty", {S("empty"), LAS_OP_IN, empty_text, 1, 0}, true},
        {"NotIn, listed", {S("disktype"), LAS_OP_NOT_IN, ssd_hdd, 2, 0}, false},
        {"NotIn, not listed", {S("disktype"), LAS_OP_NOT_IN, hdd, 1, 0}, true},
        {"NotIn, absent", {S("none"), LAS_OP_NOT_IN, hdd, 1, 0}, true},
        {"Exists", {S("empty"), LAS_OP_EXISTS, NULL, 0, 0}, true},
        {"Exists, absent", {S("none"), LAS_OP_EXISTS, NULL, 0, 0}, false},
        {"DoesNotExist", {S("empty"), LAS_OP_DOES_NOT_EXIST, NULL, 0, 0}, false},
        {"DoesNotExist, absent", {S("none"), LAS_OP_DOES_NOT_EXIST, NULL, 0, 0}, true},
        {"Gt", {S("cores"), LAS_OP_GT, NULL, 0, 15}, true},
        {"Gt, equal", {S("cores"), LAS_OP_GT, NULL, 0, 16}, false},
        {"Gt, no number", {S("size"), LAS_OP_GT, NULL, 0, 0}, false},
        {"Gt, empty", {S("empty"), LAS_OP_GT, NULL, 0, -1}, false},
        {"Gt, absent", {S("none"), LAS_OP_GT, NULL, 0, -1}, false},
        {"Gt, plus sign", {S("plus"), LAS_OP_GT, NULL, 0, 6}, true},
        {"Lt", {S("cores"), LAS_OP_LT, NULL, 0, 17}, true},
        {"Lt, equal", {S("cores"), LAS_OP_LT, NULL, 0, 16}, false},
        {"Lt, absent", {S("none"), LAS_OP_LT, NULL, 0, 100}, false},
        {"invalid", {S("cores"), LAS_OP_INVALID, NULL, 0, 0}, false},
        {"invalid, absent", {S("none"), LAS_OP_INVALID, NULL, 0, 0}, false},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++)
        if (las_requirement_matches(&rows[i].requirement, &labels) != rows[i].expected)
            fail_msg("not so: %s", rows[i].name);
}

static const struct las_requirement is_ssd = {S("disktype"), LAS_OP_IN, ssd_hdd, 2, 0};
static const struct las_requirement is_hdd = {S("disktype"), LAS_OP_IN, hdd, 1, 0};
static const struct las_slice this_name[] = {S("hft-01")};
static const struct las_slice two_names[] = {S("hft-01"), S("hft-02")};
static const struct las_requirement name_in = {S("metadata.name"), LAS_OP_IN, this_name, 1, 0};
static const struct las_requirement name_not_in = {S("metadata.name"), LAS_OP_NOT_IN, this_name, 1,
                                                   0};
static const struct las_requirement name_in_two = {S("metadata.name"), LAS_OP_IN, two_names, 2, 0};
static const struct las_requirement name_exists = {S("metadata.name"), LAS_OP_EXISTS, NULL, 0, 0};
static const struct las_requirement other_field = {S("spec.x"), LAS_OP_IN, this_name, 1, 0};

static bool matches(const struct las_node_term *terms, uint32_t count)
{
    struct las_node_affinity affinity = {.present = true, .terms = terms, .term_count = count};
    struct las_pairs none = {0};
    return las_node_matches(&none, &affinity, &labels, LAS_SLICE("hft-01"));
}

static bool term(const struct las_requirement *expression, const struct las_requirement *field)
{
    struct las_node_term one = {.expressions = expression,
                                .expression_count = expression != NULL,
                                .fields = field,
                                .field_count = field != NULL};
    return matches(&one, 1);
}

TEST(terms_are_ored_and_requirements_anded)
{
    const struct las_requirement both[] = {is_ssd, is_hdd}, same[] = {is_ssd, is_ssd};
    assert_true(term(&is_ssd, NULL));
    assert_false(term(&is_hdd, NULL));
    assert_false(matches(&(struct las_node_term){.expressions = both, .expression_count = 2}, 1));
    assert_true(matches(&(struct las_node_term){.expressions = same, .expression_count = 2}, 1));
    const struct las_node_term terms[] = {{.expressions = &is_hdd, .expression_count = 1},
                                          {.expressions = &is_ssd, .expression_count = 1}};
    assert_true(matches(terms, 2));
    assert_false(matches(terms, 1));
}

TEST(empty_terms_and_no_terms_match_nothing)
{
    const struct las_node_term empty[2] = {{0}};
    assert_false(matches(empty, 1));
    assert_false(matches(empty, 2));
    assert_false(matches(NULL, 0));
    struct las_pairs none = {0};
    struct las_node_affinity absent = {0};
    assert_true(las_node_matches(&none, &absent, &labels, LAS_SLICE("x")));
}

TEST(fields_know_the_name_alone)
{
    assert_true(term(NULL, &name_in));
    assert_false(term(NULL, &name_not_in));
    assert_false(term(NULL, &name_in_two));
    assert_false(term(NULL, &name_exists));
    assert_false(term(NULL, &other_field));
    assert_true(term(&is_ssd, &name_in));
    assert_false(term(&is_hdd, &name_in));
}

TEST(node_selector_and_affinity_must_both_hold)
{
    static const struct las_pair wanted[] = {{S("disktype"), S("ssd")}, {S("zone"), S("zone-a")}};
    static const struct las_pair other[] = {{S("disktype"), S("ssd")}, {S("zone"), S("zone-b")}};
    static const struct las_pair absent[] = {{S("none"), S("")}};
    struct las_node_affinity none = {0}, fails = {.present = true};
    assert_true(las_node_matches(&(struct las_pairs){wanted, 2}, &none, &labels, LAS_SLICE("n")));
    assert_false(las_node_matches(&(struct las_pairs){other, 2}, &none, &labels, LAS_SLICE("n")));
    assert_false(las_node_matches(&(struct las_pairs){absent, 1}, &none, &labels, LAS_SLICE("n")));
    assert_false(las_node_matches(&(struct las_pairs){wanted, 2}, &fails, &labels, LAS_SLICE("n")));
}

TEST(tolerations_match_as_upstream)
{
    static const struct las_taint taint = {S("dedicated"), S("trading"), LAS_EFFECT_NO_SCHEDULE};
    static const struct {
        const char *name;
        struct las_toleration toleration;
        bool expected;
    } rows[] = {
        {"equal", {S("dedicated"), S("trading"), false, false, LAS_EFFECT_NO_SCHEDULE}, true},
        {"other value", {S("dedicated"), S("x"), false, false, LAS_EFFECT_NO_SCHEDULE}, false},
        {"other key", {S("x"), S("trading"), false, false, LAS_EFFECT_NO_SCHEDULE}, false},
        {"any effect", {S("dedicated"), S("trading"), false, false, LAS_EFFECT_ANY}, true},
        {"other effect",
         {S("dedicated"), S("trading"), false, false, LAS_EFFECT_NO_EXECUTE},
         false},
        {"exists", {S("dedicated"), S(""), true, false, LAS_EFFECT_NO_SCHEDULE}, true},
        {"exists, other key", {S("x"), S(""), true, false, LAS_EFFECT_NO_SCHEDULE}, false},
        {"exists, any key", {S(""), S(""), true, false, LAS_EFFECT_ANY}, true},
        {"exists, any key, other effect",
         {S(""), S(""), true, false, LAS_EFFECT_NO_EXECUTE},
         false},
        {"unknown operator", {S("dedicated"), S("trading"), false, true, LAS_EFFECT_ANY}, false},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++)
        if (las_toleration_tolerates(&rows[i].toleration, &taint) != rows[i].expected)
            fail_msg("not so: %s", rows[i].name);
    const struct las_toleration two[] = {rows[1].toleration, rows[0].toleration};
    assert_true(las_tolerations_tolerate(two, 2, &taint));
    assert_false(las_tolerations_tolerate(two, 1, &taint));
    assert_false(las_tolerations_tolerate(NULL, 0, &taint));
}

TEST_MAIN()
