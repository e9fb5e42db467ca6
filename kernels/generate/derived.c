/* derived.c - generators of an application's kernels with work removed
 *
 * A companion shares its origin's tree and source, and may have arguments more: which
 * loads are kept, known only when a source is parsed; in how many accumulators loads are
 * added up; whether barriers stay with all global accesses.
 */
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/generate/private.h"
#include "calib/model/tag.h"

static const char *const form_names[] = { [GCAL_GENERATOR_FORM_LOADS] = "loads",
                                          [GCAL_GENERATOR_FORM_ONCHIP] = "onchip",
                                          [GCAL_GENERATOR_FORM_MEMORY] = "memory" };

enum { MOST_ACCUMULATORS = 16 };

/* ---- reading ---- */

static bool is_form(const char *text)
{
    for (size_t i = GCAL_GENERATOR_FORM_LOADS; i < GCAL_GENERATOR_N_FORMS; i++)
        if (strcmp(text, form_names[i]) == 0)
            return true;
    return false;
}

int gcal_generator_check_derived(const struct gcal_generator *g, struct gcal_error *err)
{
    static const char *const keys[] = { "tag", "forms", NULL };
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions"), *tag, *forms;

    if (!map)
        return 0;
    if (gcal_yaml_check_keys(map, keys, err) < 0)
        return -1;
    tag = gcal_yaml_find(map, "tag");
    forms = gcal_yaml_find(map, "forms");
    if (!tag || !forms || forms->kind != GCAL_YAML_LIST)
        return gcal_yaml_error(
            map, err, "companions: expected {tag: word, forms: [loads, onchip, memory]}");
    if (!gcal_yaml_text(tag, "tag", err))
        return -1;
    if (!gcal_catalogue_is_name(tag->text))
        return gcal_yaml_error(tag, err, "tag: '%s' is not a name", tag->text);
    for (size_t i = 0; i < forms->n_items; i++) {
        const struct gcal_yaml *item = forms->items[i];

        if (!gcal_yaml_text(item, "forms", err))
            return -1;
        if (!is_form(item->text))
            return gcal_yaml_error(
                item, err, "forms: '%s' is none of loads, onchip and memory", item->text);
        for (size_t j = 0; j < i; j++)
            if (strcmp(item->text, forms->items[j]->text) == 0)
                return gcal_yaml_error(item, err, "forms: '%s' stands here twice",
                                       item->text);
    }
    return 0;
}

bool gcal_generator_wants_derived(const struct gcal_generator *g,
                                  enum gcal_generator_form form)
{
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions");
    const struct gcal_yaml *forms = map ? gcal_yaml_find(map, "forms") : NULL;

    for (size_t i = 0; forms && i < forms->n_items; i++)
        if (strcmp(forms->items[i]->text, form_names[form]) == 0)
            return true;
    return false;
}

/* Room for 'n' arguments in front of the ladder, or NULL. */
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
    return gcal_catalogue_texts_add(&a->defaults, "all", err);
}

static int set_accumulators(struct gcal_generator_arg *a, struct gcal_error *err)
{
    a->form = GCAL_GENERATOR_VALUES_RANGE;
    a->first = a->step = 1;
    a->last = MOST_ACCUMULATORS;
    return gcal_catalogue_texts_add(&a->defaults, "1", err);
}

static int set_barriers(struct gcal_generator_arg *a, struct gcal_error *err)
{
    a->form = GCAL_GENERATOR_VALUES_LISTED;
    if (gcal_catalogue_texts_add(&a->listed, "True", err) < 0 ||
        gcal_catalogue_texts_add(&a->listed, "False", err) < 0)
        return -1;
    return gcal_catalogue_texts_add(&a->defaults, "True", err);
}

/* What says how much of the work is left. */
static int add_arguments(struct gcal_generator *g, struct gcal_error *err)
{
    static const struct {
        const char *name;
        int (*set)(struct gcal_generator_arg *a, struct gcal_error *err);
    } own[GCAL_GENERATOR_N_FORMS][2] = {
        [GCAL_GENERATOR_FORM_LOADS] = { { "keep", set_keep },
                                        { "accumulators", set_accumulators } },
        [GCAL_GENERATOR_FORM_MEMORY] = { { "accumulators", set_accumulators },
                                         { "barriers", set_barriers } },
    };
    struct gcal_generator_arg *new;

    if (!own[g->form][0].name)
        return 0;
    for (size_t i = 0; i < 2; i++)
        if (gcal_generator_find_arg(g, own[g->form][i].name))
            return gcal_yaml_error(gcal_yaml_find(g->root, "companions"), err,
                                   "companions: the argument '%s' is that of the "
                                   "companion '%s'",
                                   own[g->form][i].name, form_names[g->form]);
    if (!(new = insert_arguments(g, 2, err)))
        return -1;
    for (size_t i = 0; i < 2; i++) {
        new[i].name = own[g->form][i].name;
        if (own[g->form][i].set(&new[i], err) < 0)
            return -1;
    }
    return 0;
}

static int add_tags(struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions");
    char *tag =
        gcal_buf_format("%s_%s", gcal_yaml_find(map, "tag")->text, form_names[g->form]);
    int rc;

    if (!tag)
        return gcal_error_memory(err);
    rc = gcal_catalogue_texts_add(&g->tags, tag, err);
    free(tag);
    return rc < 0 ? -1 : gcal_catalogue_texts_add(&g->tags, "work_removed", err);
}

struct gcal_generator *gcal_generator_derive(const struct gcal_generator *origin,
                                             enum gcal_generator_form form,
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
                                  .form = form,
                                  .origin = origin,
                                  .found = calloc(1, sizeof(*g->found)) };
    g->name = gcal_buf_format("%s_%s", origin->name, form_names[form]);
    if (!g->name || !g->found)
        gcal_error_memory(err);
    else if (add_tags(g, err) == 0 && gcal_generator_read_args(g, err) == 0 &&
             add_arguments(g, err) == 0)
        return g;
    gcal_generator_destroy(g);
    return NULL;
}

/* ---- the kernel ---- */

/* The source with the work removed; the caller's to free. */
static char *remove_work(const struct gcal_generator_setting *s,
                         const struct gcal_kernel *kernel,
                         struct gcal_remove_element *element, struct gcal_error *err)
{
    static const enum gcal_remove_form forms[] = {
        [GCAL_GENERATOR_FORM_LOADS] = GCAL_REMOVE_KEEP_LOADS,
        [GCAL_GENERATOR_FORM_ONCHIP] = GCAL_REMOVE_KEEP_ONCHIP,
        [GCAL_GENERATOR_FORM_MEMORY] = GCAL_REMOVE_KEEP_MEMORY,
    };
    struct gcal_count_request request = gcal_generator_setting_request(s, kernel);
    const char *keep = gcal_generator_keep_value(s), *kept[GCAL_GENERATOR_MAX_KEPT];
    const char *accumulators = gcal_generator_setting_value(s, "accumulators");
    const char *barriers = gcal_generator_setting_value(s, "barriers");
    struct gcal_remove_options removal = { .form = forms[s->generator->form],
                                           .keep = kept };
    char *names = NULL, *rest, *text, *source = NULL;

    if (accumulators && removal.form != GCAL_REMOVE_KEEP_ONCHIP)
        removal.n_accumulators = (size_t)atoi(accumulators);
    removal.drop_barriers = removal.form == GCAL_REMOVE_KEEP_MEMORY && barriers &&
                            strcmp(barriers, "False") == 0;
    if (keep && strcmp(keep, "all") != 0) {
        if (!(names = rest = strdup(keep))) {
            gcal_error_memory(err);
            return NULL;
        }
        while (removal.n_keep < GCAL_GENERATOR_MAX_KEPT && rest)
            kept[removal.n_keep++] = strsep(&rest, "+");
    }
    if ((text = gcal_remove_work(&request, &removal, element, err)) &&
        !(source = gcal_buf_format("%s%s", gcal_source_tag_prelude, text)))
        gcal_error_memory(err);
    free(text);
    free(names);
    return source;
}

/* The buffer that gcal_remove_work() adds: one element per work-item, and the only
 * thing that the kernel writes now.
 */
static int add_removed_arg(struct gcal_kernel *kernel,
                           const struct gcal_remove_element *element,
                           struct gcal_error *err)
{
    struct gcal_arg *arg = &kernel->args[kernel->n_args++];
    struct gcal_buf value = { 0 };

    for (size_t i = 0; i + 1 < kernel->n_args; i++)
        kernel->args[i].output = false;
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&value, "%s(%s)", i ? "*" : "", kernel->global_size[i]);
    if (element->n_lanes > 1) /* three take the room of four */
        gcal_buf_printf(&value, "*%zu", element->n_lanes == 3 ? 4 : element->n_lanes);
    arg->kind = GCAL_ARG_BUFFER;
    arg->output = true;
    arg->value = gcal_buf_take(&value, err);
    arg->name = strdup("read_tgt_dest");
    arg->dtype = strdup(element->dtype);
    return arg->value && arg->name && arg->dtype ? 0 : gcal_error_memory(err);
}

int gcal_kernel_remove_work(const struct gcal_generator_setting *s,
                            struct gcal_kernel *kernel,
                            const struct gcal_kernel_cache_entry *counted,
                            struct gcal_remove_element *element, struct gcal_error *err)
{
    char *source;

    if (!counted)
        source = remove_work(s, kernel, element, err);
    else {
        *element = counted->element;
        if (!(source = strdup(counted->source)))
            gcal_error_memory(err);
    }
    if (!source)
        return -1;
    free(kernel->source);
    kernel->source = source;
    return element->dtype ? add_removed_arg(kernel, element, err) : 0;
}
