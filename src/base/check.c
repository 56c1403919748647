/* The end of a process whose own invariant is broken. */
#include "las/base/check.h"

#include <stdio.h>
#include <stdlib.h>

void las_check_failed(const char *file, int line, const char *condition)
{
    fprintf(stderr, "%s:%d: CHECK failed: %s\n", file, line, condition);
    fflush(stderr);
    abort();
}
