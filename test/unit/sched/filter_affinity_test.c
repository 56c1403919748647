#include "test.h"

#include "sched/world.h"

#define TERMS(terms)                                                                               \
    "\"affinity\":{\"nodeAffinity\":{\"requiredDuringSchedulingIgnoredDuringExecution\":{"         \
    "\"nodeSelectorTerms\":[" terms "]}}}"
#define EXPRESSION(key, op, values)                                                                \
    "{\"matchExpressions\":[{\"key\":\"" key "\",\"operator\":\"" op "\",\"values\":[" values "]}" \
    "]}"
#define FIELD(op, values)                                                                          \
    "{\"matchFields\":[{\"key\":\"metadata.name\",\"operator\":\"" op "\",\"values\":[" values     \
    "]}]}"

/* Node n1 has disktype=ssd, cores=16. Source: kube-scheduler's nodeaffinity rules. */
TEST(selectors_terms_and_operators)
{
    const struct {
        const char *spec;
        bool passes;
    } rows[] = {
        {"\"nodeSelector\":{\"disktype\":\"ssd\"}", true},
        {"\"nodeSelector\":{\"disktype\":\"hdd\"}", false},
        {"\"nodeSelector\":{\"disktype\":\"ssd\",\"zone\":\"a\"}", false},
        {TERMS(EXPRESSION("disktype", "In", "\"hdd\",\"ssd\"")), true},
        {TERMS(EXPRESSION("disktype", "In", "\"hdd\"")), false},
        {TERMS(EXPRESSION("disktype", "NotIn", "\"hdd\"")), true},
        {TERMS(EXPRESSION("disktype", "NotIn", "\"ssd\"")), false},
        {TERMS(EXPRESSION("absent", "NotIn", "\"x\"")), true},
        {TERMS(EXPRESSION("disktype", "Exists", "")), true},
        {TERMS(EXPRESSION("absent", "Exists", "")), false},
        {TERMS(EXPRESSION("absent", "DoesNotExist", "")), true},
        {TERMS(EXPRESSION("disktype", "DoesNotExist", "")), false},
        {TERMS(EXPRESSION("cores", "Gt", "\"15\"")), true},
        {TERMS(EXPRESSION("cores", "Gt", "\"16\"")), false},
        {TERMS(EXPRESSION("cores", "Lt", "\"17\"")), true},
        {TERMS(EXPRESSION("cores", "Lt", "\"16\"")), false},
        {TERMS(EXPRESSION("disktype", "Gt", "\"1\"")), false},
        {TERMS(EXPRESSION("cores", "Gt", "\"many\"")), false},
        {TERMS(EXPRESSION("cores", "Like", "\"1\"")), false},
        {TERMS("{}"), false},
        {TERMS(""), false},
        {TERMS(EXPRESSION("disktype", "In", "\"hdd\"") "," EXPRESSION("cores", "Exists", "")),
         true},
        {TERMS(FIELD("In", "\"n1\"")), true},
        {TERMS(FIELD("In", "\"n2\"")), false},
        {TERMS(FIELD("NotIn", "\"n2\"")), true},
        {TERMS(FIELD("NotIn", "\"n1\"")), false},
        {"\"nodeSelector\":{\"disktype\":\"ssd\"}," TERMS(EXPRESSION("cores", "Lt", "\"2\"")),
         false},
    };
    for (size_t i = 0; i < LAS_COUNT_OF(rows); i++) {
        struct world w;
        world_init(&w);
        world_node(&w, "n1", "\"disktype\":\"ssd\",\"cores\":\"16\"", "");
        const char *want =
            rows[i].passes
                ? "n1"
                : "0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.";
        const char *got = world_says_of(&w, pod_with_spec("a", rows[i].spec));
        if (strcmp(want, got) != 0)
            print_error("row %zu: %s\n", i, rows[i].spec);
        assert_string_equal(want, got);
        world_fini(&w);
    }
}

TEST_MAIN()
