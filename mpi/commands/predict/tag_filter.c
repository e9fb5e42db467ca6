/* tag_filter.c - kernels of a file that tags select */
#include "mpi/commands/predict/tag_filter.h"

#include <string.h>

#include "mpi/commands/predict/kernel_names.h"

/* "n:1024,2048" */
static bool has_argument(const char *kernel, const char *tag, const char *colon)
{
    char name[64];
    const char *value;
    size_t length, name_length = (size_t)(colon - tag);

    if (name_length >= sizeof(name))
        return false;
    memcpy(name, tag, name_length);
    name[name_length] = '\0';
    if (!(value = gcal_kernel_name_argument(kernel, name, &length)))
        return false;
    for (const char *at = colon + 1;; at++) {
        size_t item = strcspn(at, ",");

        if (item == length && strncmp(at, value, length) == 0)
            return true;
        at += item;
        if (!*at)
            return false;
    }
}

static bool has_tag(const char *tag, size_t n_own, char *const *own)
{
    for (size_t i = 0; i < n_own; i++)
        if (strcmp(own[i], tag) == 0)
            return true;
    return false;
}

bool gcal_tag_filter_selects(size_t n_tags, const char *const *tags, const char *name,
                             size_t n_own, char *const *own)
{
    bool any_plain = false, has_one = false;

    for (size_t i = 0; i < n_tags; i++) {
        const char *colon = strchr(tags[i], ':');

        if (colon && !has_argument(name, tags[i], colon))
            return false;
        any_plain = any_plain || !colon;
        has_one = has_one || (!colon && has_tag(tags[i], n_own, own));
    }
    return has_one || !any_plain;
}
