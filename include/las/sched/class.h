/* Scores of classes: pods that ask for the same share their verdicts on nodes. Deployments make
 * hundreds of such pods, and between two of them few nodes change, so that a decision looks at
 * those nodes again and at no other.
 *
 * Exact, not approximate: a class is compared in every field that a filter or a score reads, each
 * change of a row is noted by its owner, and what time alone can change (a measurement gets stale)
 * ends the validity of the whole class. A pod with host ports is of no class. */
#ifndef LAS_SCHED_CLASS_H
#define LAS_SCHED_CLASS_H

#include "las/sched/filter.h"

#define LAS_CLASSES_MAX 32u /* the one that was not used for longest gives way */
#define LAS_SCORE_REFUSED (-1)

struct las_class {
    struct las_pod *pod;              /* a member; NULL: free */
    uint64_t used;                    /* counts uses, for giving way */
    uint64_t rows_seen, latency_seen; /* changes that are in the scores */
    uint64_t valid_until_ns;
    uint32_t column; /* of the target, as resolved */
    uint32_t count;  /* rows in scores */
    uint32_t cap;
    uint32_t passed; /* rows that are not refused */
    int32_t *scores; /* by row; LAS_SCORE_REFUSED */
};

struct las_class_cache {
    struct las_class classes[LAS_CLASSES_MAX];
    struct las_class single; /* of pods that are of no class */
    uint64_t uses;
    uint64_t scans; /* times that all rows were looked at */
};

void las_class_cache_fini(struct las_class_cache *cache);

/* Scores of all rows for this pod, up to date. *out is valid until the next call. LAS_E_NOMEM. */
LAS_MUST_USE enum las_status las_class_cache_score(struct las_class_cache *cache,
                                                   const struct las_prepared_pod *prepared,
                                                   const struct las_class **out);

#endif
