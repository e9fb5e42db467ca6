/* view.c - generators as seen from outside */
#include "kernels/generate/private.h"

size_t gcal_catalogue_size(const struct gcal_catalogue *catalogue)
{
    return catalogue->n_generators;
}

struct gcal_generator_view gcal_catalogue_view(const struct gcal_catalogue *catalogue,
                                               size_t i)
{
    const struct gcal_generator *g = catalogue->generators[i];

    return (struct gcal_generator_view){
        .name = g->name,
        .origin = g->origin ? g->origin->name : NULL,
        .form = g->form,
        .n_tags = g->tags.n,
        .tags = g->tags.items,
        .automatic = gcal_generator_is_automatic(g),
    };
}
