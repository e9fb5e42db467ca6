/* catalogue_space.c - a space of a catalogue entry's kernels, without predictions */
#include "tests/mpi/tune/catalogue_space.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"

static void fail(const struct gcal_error *err)
{
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

void catalogue_space_open(struct catalogue_space *s, const char *folder,
                          const struct gcal_kernel_limits *limits, size_t n_tags,
                          const char *const *tags)
{
    struct gcal_error err = { 0 };

    *s = (struct catalogue_space){ .catalogue = gcal_catalogue_open(folder, &err) };
    if (!s->catalogue ||
        gcal_catalogue_generate(s->catalogue, n_tags, tags, GCAL_MATCH_SUPERSET, limits,
                                &s->kernels, &err) < 0)
        fail(&err);
    s->space.kernel = n_tags ? tags[0] : "";
    s->space.n_configs = s->kernels.n_kernels;
    s->space.configs = calloc(s->space.n_configs + 1, sizeof(*s->space.configs));
    for (size_t i = 0; i < s->space.n_configs; i++) {
        s->space.configs[i].kernel = s->kernels.kernels[i];
        s->space.configs[i].name = s->kernels.kernels[i]->name;
        s->space.configs[i].predicted_s = NAN;
    }
}

void catalogue_space_close(struct catalogue_space *s)
{
    free(s->space.configs);
    gcal_kernel_list_clear(&s->kernels);
    gcal_catalogue_close(s->catalogue);
}
