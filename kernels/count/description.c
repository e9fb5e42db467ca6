/* description.c - a description that callers own, so they free it without the module */
#include "kernels/count/count.h"

void gcal_count_description_clear(struct gcal_count_description *d)
{
    gcal_strings_clear(&d->kernels);
    gcal_strings_clear(&d->arguments);
    gcal_strings_clear(&d->sizes);
    *d = (struct gcal_count_description){ 0 };
}
