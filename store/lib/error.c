/* error.c - errors of the library */
#include "store/lib/private.h"

#include <string.h>

#include "calib/base/error.h"

_Static_assert(sizeof(((struct gpucal_error *)0)->text) ==
                   sizeof(((struct gcal_error *)0)->text),
               "both errors hold the same texts");

int gpucal_error_from(struct gpucal_error *err, const struct gcal_error *from)
{
    if (err) {
        err->code = from->code;
        memcpy(err->text, from->text, sizeof(err->text));
    }
    return -1;
}
