/* error.c - errors of the library */
#include "store/lib/private.h"

#include <string.h>

#include "kernels/base/error.h"

_Static_assert(sizeof(((struct gpucal_error *)0)->text) ==
                   sizeof(((struct gcal_error *)0)->text),
               "both errors hold the same texts");

/* The numbers of enum gcal_error_reason are those of enum gpucal_code above its low byte. */
_Static_assert(GPUCAL_EMEMORY == (GCAL_EINPUT | GCAL_REASON_MEMORY << 8) &&
                   GPUCAL_EDEVICE == (GCAL_EINPUT | GCAL_REASON_DEVICE << 8) &&
                   GPUCAL_ESOURCE == (GCAL_EINPUT | GCAL_REASON_SOURCE << 8) &&
                   GPUCAL_ECANNOTRUN == (GCAL_EINPUT | GCAL_REASON_CANNOT_RUN << 8),
               "the enumerations are the same");

int gpucal_error_from(struct gpucal_error *err, const struct gcal_error *from)
{
    if (err) {
        *err = (struct gpucal_error){ .code = gcal_error_detail(from) };
        memcpy(err->text, from->text, sizeof(err->text));
    }
    return -1;
}

bool gpucal_are_given(struct gpucal_error *err, const char *function,
                      const void *const *pointers, size_t n)
{
    struct gcal_error e = { 0 };

    for (size_t i = 0; i < n; i++)
        if (!pointers[i]) {
            gcal_error_set(&e, GCAL_EINPUT,
                           "%s: a handle, text or array is NULL: check what the calls "
                           "before it returned",
                           function);
            gpucal_error_from(err, &e);
            return false;
        }
    return true;
}

bool gpucal_can_count(struct gpucal_error *err, const char *function, size_t count)
{
    struct gcal_error e = { 0 };

    if (count <= GPUCAL_MOST)
        return true;
    gcal_error_set(&e, GCAL_EINPUT, "%s: a count of %zu: at most %d", function, count,
                   GPUCAL_MOST);
    gpucal_error_from(err, &e);
    return false;
}

int gpucal_check_reserved(const uint64_t *reserved, size_t n, const char *what, size_t i,
                          struct gcal_error *err)
{
    for (size_t k = 0; k < n; k++)
        if (reserved[k])
            return gcal_error_set(err, GCAL_EINPUT,
                                  "%s %zu: 'reserved' is not 0: initialize the structure "
                                  "('= { 0 }')",
                                  what, i);
    return 0;
}
