/* error.c - errors of the library */
#include "store/lib/private.h"

#include <string.h>

#include "calib/base/error.h"

_Static_assert(sizeof(((struct gpucal_error *)0)->text) ==
                   sizeof(((struct gcal_error *)0)->text),
               "both errors hold the same texts");

/* The numbers of enum gcal_error_reason are those of enum gpucal_code above its low byte. */
_Static_assert(GPUCAL_EMEMORY == (GCAL_EINPUT | GCAL_REASON_MEMORY << 8) &&
                   GPUCAL_EDEVICE == (GCAL_EINPUT | GCAL_REASON_DEVICE << 8) &&
                   GPUCAL_ESOURCE == (GCAL_EINPUT | GCAL_REASON_SOURCE << 8),
               "the enumerations are the same");

int gpucal_error_from(struct gpucal_error *err, const struct gcal_error *from)
{
    if (err) {
        err->code = gcal_error_detail(from);
        memcpy(err->text, from->text, sizeof(err->text));
    }
    return -1;
}
