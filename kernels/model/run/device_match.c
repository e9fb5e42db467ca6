/* device_match.c - devices by a pattern */
#include "kernels/model/run/device_match.h"

#include <fnmatch.h>
#include <stddef.h>

#include "kernels/model/run/device_info.h"

bool gcal_device_info_matches(const struct gcal_device_info *info, const char *pattern)
{
    const char *const texts[] = { info->name, info->uid, info->type, info->device_type };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (texts[i] && fnmatch(pattern, texts[i], FNM_CASEFOLD) == 0)
            return true;
    return false;
}
