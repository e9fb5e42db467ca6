/* derived.c - derived generators: the same kernels with work removed
 *
 * A derived generator shares its origin's tree and source, and has further arguments:
 * 'keep' for the loads that stay (known only when a source is parsed), 'accumulators' for
 * the number of accumulators, 'barriers' for whether barriers stay with the accesses.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "kernels/model/feature.h"
#include "kernels/generate/private.h"

enum { MOST_ACCUMULATORS = 16 };

bool gcal_generator_wants_derived(const struct gcal_generator *g,
                                  enum gcal_kernel_form form)
{
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions");
    const struct gcal_yaml *forms = map ? gcal_yaml_find(map, "forms") : NULL;

    for (size_t i = 0; forms && i < forms->n_items; i++)
        if (strcmp(forms->items[i]->text, gcal_kernel_form_name(form)) == 0)
            return true;
    return false;
}

/* Makes room for 'n' arguments before the one with the size sweep; NULL on failure. */
static struct gcal_generator_arg *insert_arguments(struct gcal_generator *g, size_t n,
                                                   struct gcal_error *err)
{
    size_t at = g->n_arguments - g->arguments[g->n_arguments - 1].sweep;
    struct gcal_generator_arg *moved =
        reallocarray(g->arguments, g->n_arguments + n, sizeof(*moved));

    if (!moved) {
        gcal_error_memory(err);
        return NULL;
    }
    g->arguments = moved;
    memmove(&moved[at + n], &moved[at], (g->n_arguments - at) * sizeof(*moved));
    memset(&moved[at], 0, n * sizeof(*moved));
    g->n_arguments += n;
    return &moved[at];
}

static int set_keep(struct gcal_generator_arg *a, struct gcal_error *err)
{
    a->form = GCAL_GENERATOR_VALUES_LOADS;
    return gcal_strings_add(&a->defaults, "all", err);
}

static int set_accumulators(struct gcal_generator_arg *a, struct gcal_error *err)
{
    a->form = GCAL_GENERATOR_VALUES_RANGE;
    a->first = a->step = 1;
    a->last = MOST_ACCUMULATORS;
    return gcal_strings_add(&a->defaults, "1", err);
}

static int set_barriers(struct gcal_generator_arg *a, struct gcal_error *err)
{
    a->form = GCAL_GENERATOR_VALUES_LISTED;
    if (gcal_strings_add(&a->listed, "True", err) < 0 ||
        gcal_strings_add(&a->listed, "False", err) < 0)
        return -1;
    return gcal_strings_add(&a->defaults, "True", err);
}

/* Arguments that choose how much work stays. */
static int add_arguments(struct gcal_generator *g, struct gcal_error *err)
{
    static const struct {
        const char *name;
        int (*set)(struct gcal_generator_arg *a, struct gcal_error *err);
    } added[GCAL_KERNEL_N_FORMS][2] = {
        [GCAL_KERNEL_LOADS] = { { "keep", set_keep },
                                { "accumulators", set_accumulators } },
        [GCAL_KERNEL_MEMORY] = { { "accumulators", set_accumulators },
                                 { "barriers", set_barriers } },
    };
    struct gcal_generator_arg *place;

    if (!added[g->form][0].name)
        return 0;
    for (size_t i = 0; i < 2; i++)
        if (gcal_generator_find_arg(g, added[g->form][i].name))
            return gcal_yaml_error(gcal_yaml_find(g->root, "companions"), err,
                                   "companions: the form '%s' adds an argument '%s': "
                                   "rename yours",
                                   gcal_kernel_form_name(g->form),
                                   added[g->form][i].name);
    if (!(place = insert_arguments(g, 2, err)))
        return -1;
    for (size_t i = 0; i < 2; i++) {
        place[i].name = added[g->form][i].name;
        if (added[g->form][i].set(&place[i], err) < 0)
            return -1;
    }
    return 0;
}

static int add_tags(struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions");
    char *tag = gcal_buf_format("%s_%s", gcal_yaml_find(map, "tag")->text,
                                gcal_kernel_form_name(g->form));
    int rc;

    if (!tag)
        return gcal_error_memory(err);
    rc = gcal_strings_add(&g->tags, tag, err);
    free(tag);
    return rc < 0 ? -1 : gcal_strings_add(&g->tags, "work_removed", err);
}

struct gcal_generator *gcal_generator_derive(const struct gcal_generator *origin,
                                             enum gcal_kernel_form form,
                                             struct gcal_error *err)
{
    struct gcal_generator *g = calloc(1, sizeof(*g));

    if (!g) {
        gcal_error_memory(err);
        return NULL;
    }
    *g = (struct gcal_generator){ .root = origin->root,
                                  .source_name = origin->source_name,
                                  .source = origin->source,
                                  .tolerance = origin->tolerance,
                                  .short_run = origin->short_run,
                                  .unchecked = origin->unchecked,
                                  .form = form,
                                  .origin = origin,
                                  .found = calloc(1, sizeof(*g->found)) };
    g->name = gcal_buf_format("%s_%s", origin->name, gcal_kernel_form_name(form));
    if (!g->name || !g->found)
        gcal_error_memory(err);
    else if (add_tags(g, err) == 0 && gcal_generator_read_args(g, err) == 0 &&
             add_arguments(g, err) == 0)
        return g;
    gcal_generator_destroy(g);
    return NULL;
}
