/* Matching of selectors, taints and tolerations. Source: kube-scheduler's component-helpers,
 * nodeaffinity.go and helpers.go, and the Toleration type's own rules. */
#include "las/api/selector.h"

static bool lists(const struct las_requirement *requirement, struct las_slice value)
{
    for (uint32_t i = 0; i < requirement->value_count; i++)
        if (las_slice_eq(requirement->values[i], value))
            return true;
    return false;
}

/* Go's ParseInt takes a plus sign too. */
static bool as_number(struct las_slice text, int64_t *out)
{
    if (text.len > 1 && text.ptr[0] == '+' && text.ptr[1] != '-')
        text = las_slice_n(text.ptr + 1, text.len - 1);
    return las_slice_int64(text, out) == LAS_OK;
}

bool las_requirement_matches(const struct las_requirement *requirement,
                             const struct las_pairs *labels)
{
    const struct las_pair *pair = las_pairs_find(labels, requirement->key);
    int64_t number;
    switch (requirement->op) {
    case LAS_OP_IN:
        return pair && lists(requirement, pair->value);
    case LAS_OP_NOT_IN:
        return !pair || !lists(requirement, pair->value);
    case LAS_OP_EXISTS:
        return pair;
    case LAS_OP_DOES_NOT_EXIST:
        return !pair;
    case LAS_OP_GT:
        return pair && as_number(pair->value, &number) && number > requirement->number;
    case LAS_OP_LT:
        return pair && as_number(pair->value, &number) && number < requirement->number;
    case LAS_OP_INVALID:
        break;
    }
    return false;
}

static bool field_matches(const struct las_requirement *field, struct las_slice node_name)
{
    if (!las_slice_is(field->key, "metadata.name") || field->value_count != 1)
        return false;
    bool equal = las_slice_eq(field->values[0], node_name);
    return field->op == LAS_OP_IN ? equal : field->op == LAS_OP_NOT_IN && !equal;
}

static bool term_matches(const struct las_node_term *term, const struct las_pairs *labels,
                         struct las_slice node_name)
{
    if (term->expression_count == 0 && term->field_count == 0)
        return false;
    for (uint32_t i = 0; i < term->expression_count; i++)
        if (!las_requirement_matches(&term->expressions[i], labels))
            return false;
    for (uint32_t i = 0; i < term->field_count; i++)
        if (!field_matches(&term->fields[i], node_name))
            return false;
    return true;
}

bool las_node_matches(const struct las_pairs *node_selector,
                      const struct las_node_affinity *affinity, const struct las_pairs *node_labels,
                      struct las_slice node_name)
{
    for (uint32_t i = 0; i < node_selector->count; i++) {
        const struct las_pair *pair = las_pairs_find(node_labels, node_selector->items[i].key);
        if (!pair || !las_slice_eq(pair->value, node_selector->items[i].value))
            return false;
    }
    if (!affinity->present)
        return true;
    for (uint32_t i = 0; i < affinity->term_count; i++)
        if (term_matches(&affinity->terms[i], node_labels, node_name))
            return true;
    return false;
}

bool las_toleration_tolerates(const struct las_toleration *toleration,
                              const struct las_taint *taint)
{
    if (toleration->never)
        return false;
    if (toleration->effect != LAS_EFFECT_ANY && toleration->effect != taint->effect)
        return false;
    if (toleration->key.len > 0 && !las_slice_eq(toleration->key, taint->key))
        return false;
    return toleration->exists || las_slice_eq(toleration->value, taint->value);
}

bool las_tolerations_tolerate(const struct las_toleration *tolerations, uint32_t count,
                              const struct las_taint *taint)
{
    for (uint32_t i = 0; i < count; i++)
        if (las_toleration_tolerates(&tolerations[i], taint))
            return true;
    return false;
}
