/* Node selectors, taints and tolerations: types and exact matching. Pure.
 * Source: kube-scheduler.md 1.5, 1.6 restated at each function. */
#ifndef LAS_API_SELECTOR_H
#define LAS_API_SELECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "las/api/object.h"

enum las_operator {
    LAS_OP_IN,
    LAS_OP_NOT_IN,
    LAS_OP_EXISTS,
    LAS_OP_DOES_NOT_EXIST,
    LAS_OP_GT,
    LAS_OP_LT,
    LAS_OP_INVALID /* unknown word or wrong number of values: the term never matches */
};

struct las_requirement {
    struct las_slice key;
    enum las_operator op;
    const struct las_slice *values;
    uint32_t value_count;
    int64_t number; /* of Gt and Lt */
};

/* All requirements hold. matchFields know metadata.name only. An empty term matches nothing. */
struct las_node_term {
    const struct las_requirement *expressions;
    uint32_t expression_count;
    const struct las_requirement *fields;
    uint32_t field_count;
};

/* requiredDuringSchedulingIgnoredDuringExecution: any term matches. present with zero terms matches
 * nothing. */
struct las_node_affinity {
    bool present;
    const struct las_node_term *terms;
    uint32_t term_count;
};

enum las_taint_effect {
    LAS_EFFECT_ANY,
    LAS_EFFECT_NO_SCHEDULE,
    LAS_EFFECT_PREFER_NO_SCHEDULE,
    LAS_EFFECT_NO_EXECUTE,
    LAS_EFFECT_OTHER
};

struct las_taint {
    struct las_slice key;
    struct las_slice value;
    enum las_taint_effect effect;
};

struct las_toleration {
    struct las_slice key; /* empty with Exists: any key */
    struct las_slice value;
    bool exists; /* operator Exists; else Equal (also when the operator is empty) */
    bool never;  /* operator unknown to us (Lt, Gt are off by default): tolerates nothing */
    enum las_taint_effect effect; /* LAS_EFFECT_ANY: every effect */
};

/* Does one requirement hold for these labels? In: key there and value listed. NotIn: key absent or
 * value not listed. Gt/Lt: label is an int64 and larger/smaller than the number. */
bool las_requirement_matches(const struct las_requirement *requirement,
                             const struct las_pairs *labels);
/* nodeSelector pairs all present AND required affinity. */
bool las_node_matches(const struct las_pairs *node_selector,
                      const struct las_node_affinity *affinity, const struct las_pairs *node_labels,
                      struct las_slice node_name);
bool las_toleration_tolerates(const struct las_toleration *toleration,
                              const struct las_taint *taint);
bool las_tolerations_tolerate(const struct las_toleration *tolerations, uint32_t count,
                              const struct las_taint *taint);

#endif
