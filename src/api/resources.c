/* Look-up in resource lists. */
#include "las/api/resources.h"

int64_t las_resources_scalar(const struct las_resources *resources, struct las_slice name)
{
    for (uint32_t i = 0; i < resources->scalar_count; i++)
        if (las_slice_eq(resources->scalars[i].name, name))
            return resources->scalars[i].value;
    return 0;
}
