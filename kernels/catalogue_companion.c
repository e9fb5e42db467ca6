/* catalogue_companion.c - generators of an application's kernels with work removed
 *
 * A companion shares its origin's tree and source.  That of loads has two arguments more:
 * which loads are kept, known only when a source is parsed, and in how many accumulators.
 */
#include <ctype.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "kernels/catalogue_private.h"

static const char *const form_names[] = {
    [GCAL_FORM_LOADS] = "loads", [GCAL_FORM_ONCHIP] = "onchip"
};

enum { MOST_ACCUMULATORS = 16, MOST_KEPT = 8 };

/* ---- reading ---- */

int gcal_companions_check(const struct gcal_generator *g, struct gcal_error *err)
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
            map, err, "companions: expected {tag: word, forms: [loads, onchip]}");
    if (!gcal_yaml_text(tag, "tag", err))
        return -1;
    if (!gcal_is_name(tag->text))
        return gcal_yaml_error(tag, err, "tag: '%s' is not a name", tag->text);
    for (size_t i = 0; i < forms->n_items; i++) {
        const struct gcal_yaml *item = forms->items[i];

        if (!gcal_yaml_text(item, "forms", err))
            return -1;
        if (strcmp(item->text, "loads") != 0 && strcmp(item->text, "onchip") != 0)
            return gcal_yaml_error(item, err, "forms: '%s' is neither loads nor onchip",
                                   item->text);
        for (size_t j = 0; j < i; j++)
            if (strcmp(item->text, forms->items[j]->text) == 0)
                return gcal_yaml_error(item, err, "forms: '%s' stands here twice",
                                       item->text);
    }
    return 0;
}

bool gcal_companion_is_wanted(const struct gcal_generator *g, enum gcal_form form)
{
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions");
    const struct gcal_yaml *forms = map ? gcal_yaml_find(map, "forms") : NULL;

    for (size_t i = 0; forms && i < forms->n_items; i++)
        if (strcmp(forms->items[i]->text, form_names[form]) == 0)
            return true;
    return false;
}

/* 'keep' and 'accumulators', in front of the ladder. */
static int add_arguments(struct gcal_generator *g, struct gcal_error *err)
{
    static const char *const names[] = { "keep", "accumulators" };
    size_t at = g->n_arguments - g->arguments[g->n_arguments - 1].ladder;
    struct gcal_generator_arg *moved, *new;

    for (size_t i = 0; i < 2; i++)
        if (gcal_generator_argument(g, names[i]))
            return gcal_yaml_error(gcal_yaml_find(g->root, "companions"), err,
                                   "companions: the argument '%s' is that of the "
                                   "companion that keeps loads",
                                   names[i]);
    if (!(moved = realloc(g->arguments, (g->n_arguments + 2) * sizeof(*moved))))
        return gcal_error_memory(err);
    g->arguments = moved;
    new = &moved[at];
    memmove(new + 2, new, (g->n_arguments - at) * sizeof(*new));
    g->n_arguments += 2;
    new[0] = (struct gcal_generator_arg){ .name = names[0], .form = GCAL_VALUES_LOADS };
    new[1] = (struct gcal_generator_arg){ .name = names[1],
                                          .form = GCAL_VALUES_RANGE,
                                          .first = 1,
                                          .last = MOST_ACCUMULATORS,
                                          .step = 1 };
    return gcal_texts_add(&new[0].defaults, "all", err) < 0
               ? -1
               : gcal_texts_add(&new[1].defaults, "1", err);
}

static int add_tags(struct gcal_generator *g, struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_yaml_find(g->root, "companions");
    char *tag =
        gcal_format("%s_%s", gcal_yaml_find(map, "tag")->text, form_names[g->form]);
    int rc;

    if (!tag)
        return gcal_error_memory(err);
    rc = gcal_texts_add(&g->tags, tag, err);
    free(tag);
    return rc < 0 ? -1 : gcal_texts_add(&g->tags, "work_removed", err);
}

struct gcal_generator *gcal_companion_create(const struct gcal_generator *origin,
                                             enum gcal_form form, struct gcal_error *err)
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
    g->name = gcal_format("%s_%s", origin->name, form_names[form]);
    if (!g->name || !g->found)
        gcal_error_memory(err);
    else if (add_tags(g, err) == 0 && gcal_generator_read_arguments(g, err) == 0 &&
             (form != GCAL_FORM_LOADS || add_arguments(g, err) == 0))
        return g;
    gcal_generator_destroy(g);
    return NULL;
}

/* ---- which loads there are ---- */

/* Loads by the macros that choose among them. */
struct found {
    char *build_options;
    struct gcal_loads loads;
};

static int compare(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->build_options,
                  ((const struct found *)b)->build_options);
}

static void destroy(void *node)
{
    struct found *found = node;

    free(found->build_options);
    gcal_loads_clear(&found->loads);
    free(found);
}

void gcal_companion_clear(struct gcal_generator *g)
{
    if (g->found)
        tdestroy(*g->found, destroy);
    free(g->found);
}

static struct found *add_found(const struct gcal_setting *s,
                               const struct gcal_kernel *kernel, struct gcal_error *err)
{
    struct gcal_count_request request = gcal_setting_request(s, kernel);
    struct found *found = calloc(1, sizeof(*found));

    if (!found) {
        gcal_error_memory(err);
        return NULL;
    }
    if (gcal_work_loads(&request, &found->loads, err) < 0) {
        destroy(found);
        return NULL;
    }
    found->build_options = strdup(kernel->build_options);
    if (!found->build_options || !tsearch(found, s->generator->found, compare)) {
        gcal_error_memory(err);
        destroy(found);
        return NULL;
    }
    return found;
}

/* 'apart': with what has to be kept with each. */
static const struct gcal_loads *loads_of(const struct gcal_setting *s, bool apart,
                                         struct gcal_error *err)
{
    struct gcal_kernel *kernel = gcal_kernel_create(s, err);
    struct gcal_count_request request;
    struct gcal_loads *loads = NULL;
    struct found key, *found;
    void *const *there;

    if (!kernel)
        return NULL;
    key.build_options = kernel->build_options;
    there = tfind(&key, s->generator->found, compare);
    found = there ? *there : add_found(s, kernel, err);
    request = gcal_setting_request(s, kernel);
    if (found && (!apart || gcal_work_loads_apart(&request, &found->loads, err) == 0))
        loads = &found->loads;
    gcal_kernel_destroy(kernel);
    return loads;
}

/* ---- keep ---- */

bool gcal_companion_may_keep(const char *value)
{
    size_t n = 1;

    if (!*value || *value == '+' || value[strlen(value) - 1] == '+' ||
        strstr(value, "++"))
        return false;
    for (const char *c = value; *c; c++) {
        if (*c != '_' && *c != '+' && !isalnum((unsigned char)*c))
            return false;
        n += *c == '+';
    }
    return n <= MOST_KEPT;
}

/* NULL where the generator has no such argument. */
static const char *keep_of(const struct gcal_setting *s)
{
    for (size_t i = 0; i < s->generator->n_arguments; i++)
        if (s->generator->arguments[i].form == GCAL_VALUES_LOADS)
            return s->values[i];
    return NULL;
}

static bool has_load(const struct gcal_loads *loads, const char *name, size_t length)
{
    for (size_t i = 0; i < loads->n; i++)
        if (strlen(loads->items[i].name) == length &&
            memcmp(loads->items[i].name, name, length) == 0)
            return true;
    return false;
}

int gcal_companion_allows(const struct gcal_setting *s, struct gcal_buf *why,
                          struct gcal_error *err)
{
    const char *keep = keep_of(s);
    const struct gcal_loads *loads;

    if (!keep || strcmp(keep, "all") == 0 || strcmp(keep, "each") == 0)
        return 1;
    if (!(loads = loads_of(s, false, err)))
        return -1;
    for (const char *at = keep; *at; at += strcspn(at, "+"), at += *at == '+') {
        if (has_load(loads, at, strcspn(at, "+")))
            continue;
        if (why->size)
            return 0;
        gcal_buf_printf(why, "%s: keep:%s names no global load; there are",
                        s->generator->name, keep);
        for (size_t i = 0; i < loads->n; i++)
            gcal_buf_printf(why, "%s %s", i ? "," : "", loads->items[i].name);
        return 0;
    }
    return 1;
}

int gcal_companion_apart(struct gcal_setting *s, const struct gcal_loads **loads,
                         size_t *argument, struct gcal_error *err)
{
    const char *keep = keep_of(s);

    *loads = NULL;
    if (!keep || strcmp(keep, "each") != 0)
        return 0;
    for (*argument = 0; s->values[*argument] != keep;)
        ++*argument;
    s->values[*argument] = "all"; /* the macros do not depend on it */
    *loads = loads_of(s, true, err);
    return *loads ? 0 : -1;
}

/* ---- the kernel ---- */

/* The source with the work removed; the caller's to free. */
static char *remove_work(const struct gcal_setting *s, const struct gcal_kernel *kernel,
                         struct gcal_element *element, struct gcal_error *err)
{
    struct gcal_count_request request = gcal_setting_request(s, kernel);
    const char *keep = keep_of(s), *kept[MOST_KEPT];
    struct gcal_removal removal = { .form = GCAL_REMOVAL_ONCHIP, .keep = kept };
    char *names = NULL, *rest, *text, *source = NULL;

    if (keep) {
        removal.form = GCAL_REMOVAL_LOADS;
        removal.n_accumulators = (size_t)atoi(gcal_setting_value(s, "accumulators"));
        if (!(names = rest = strdup(keep))) {
            gcal_error_memory(err);
            return NULL;
        }
        while (strcmp(keep, "all") != 0 && removal.n_keep < MOST_KEPT && rest)
            kept[removal.n_keep++] = strsep(&rest, "+");
    }
    if ((text = gcal_work_remove_typed(&request, &removal, element, err)) &&
        !(source = gcal_format("%s%s", gcal_tag_prelude, text)))
        gcal_error_memory(err);
    free(text);
    free(names);
    return source;
}

/* The buffer that gcal_work_remove() adds: one element per work-item, and the only
 * thing that the kernel writes now.
 */
static int add_removed_arg(struct gcal_kernel *kernel, const struct gcal_element *element,
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

int gcal_companion_remove(const struct gcal_setting *s, struct gcal_kernel *kernel,
                          const struct gcal_counted *counted,
                          struct gcal_element *element, struct gcal_error *err)
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
    return add_removed_arg(kernel, element, err);
}
