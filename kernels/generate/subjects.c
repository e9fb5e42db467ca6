/* subjects.c - the subjects of measurement kernels, one row each */
#include "kernels/base/strings.h"
#include "kernels/generate/private.h"

/* Not automatic: kernels whose times show more than the costs of their features. */
const struct gcal_catalogue_subject gcal_catalogue_subjects[] = {
    { "flops", "arithmetic", true },
    { "gmem", "global memory", true },
    { "lmem", "local memory", true },
    { "mix", "global memory mixed with work on the chip", false },
    { "atomics", "atomics", true },
    { "launch", "synchronisation and launch", false },
    { "occupancy", "occupancy", false },
    { "latency", "latency", false },
    { "divergence", "divergence", false },
    { "transfer", "transfers between host and device", false },
    { "application", "applications", false },
    { NULL, "others", true },
};

const size_t gcal_catalogue_n_subjects =
    sizeof(gcal_catalogue_subjects) / sizeof(*gcal_catalogue_subjects);

size_t gcal_generator_subject(const struct gcal_generator *g)
{
    size_t i = 0;

    while (gcal_catalogue_subjects[i].tag &&
           !gcal_strings_contain(&g->tags, gcal_catalogue_subjects[i].tag))
        i++;
    return i;
}

bool gcal_generator_is_automatic(const struct gcal_generator *g)
{
    for (size_t i = 0; gcal_catalogue_subjects[i].tag; i++)
        if (!gcal_catalogue_subjects[i].automatic &&
            gcal_strings_contain(&g->tags, gcal_catalogue_subjects[i].tag))
            return false;
    return !g->origin;
}
