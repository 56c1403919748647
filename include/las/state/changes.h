/* Which rows have changed lately: lets whoever keeps something by row bring it up to date without
 * looking at all of them. */
#ifndef LAS_STATE_CHANGES_H
#define LAS_STATE_CHANGES_H

#include <stdbool.h>
#include <stdint.h>

#define LAS_CHANGES_MAX 4096u /* remembered; who is further behind looks at everything */

struct las_changes {
    uint64_t count; /* all that were ever noted */
    uint32_t rows[LAS_CHANGES_MAX];
};

static inline void las_changes_note(struct las_changes *changes, uint32_t row)
{
    changes->rows[changes->count++ % LAS_CHANGES_MAX] = row;
}
/* True if every change since `seen` (a former count) is still remembered. */
static inline bool las_changes_cover(const struct las_changes *changes, uint64_t seen)
{
    return changes->count - seen <= LAS_CHANGES_MAX;
}
/* The row of change number `number` (seen <= number < count). */
static inline uint32_t las_changes_row(const struct las_changes *changes, uint64_t number)
{
    return changes->rows[number % LAS_CHANGES_MAX];
}

#endif
