/* kept_loads.c - the global loads that a derived kernel keeps: the argument 'keep'
 *
 * Loads are known only when a source is parsed, which is done once for each set of
 * macros.
 */
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/generate/private.h"

/* ---- loads of a source ---- */

/* The loads for one set of macros. */
struct gcal_generator_loads {
    struct gcal_generator_loads *older;
    const char *build_options;
    struct gcal_remove_load_list loads;
};

static void clear_loads(void *loads)
{
    gcal_remove_load_list_clear(loads);
}

/* 'apart': with the loads that each load depends on. */
static const struct gcal_remove_load_list *
loads_of(const struct gcal_generator_setting *s, bool apart, struct gcal_error *err)
{
    const struct gcal_generator *g = s->generator;
    struct gcal_kernel *kernel = gcal_kernel_create(s, err);
    struct gcal_generator_loads *found = *g->loads;
    struct gcal_count_request request;
    int rc = 0;

    if (!kernel)
        return NULL;
    request = gcal_generator_setting_request(s, kernel);
    while (found && strcmp(found->build_options, kernel->build_options) != 0)
        found = found->older;
    if (!found) {
        found = gcal_arena_alloc(g->arena, 1, sizeof(*found));
        gcal_arena_own(g->arena, &found->loads, clear_loads);
        if ((rc = gcal_remove_find_loads(&request, &found->loads, err)) == 0) {
            found->build_options = gcal_arena_strdup(g->arena, kernel->build_options);
            found->older = *g->loads;
            *g->loads = found;
        }
    }
    if (rc == 0 && apart)
        rc = gcal_remove_find_load_dependences(&request, &found->loads, err);
    gcal_kernel_destroy(kernel);
    return rc < 0 ? NULL : &found->loads;
}

/* ---- keep ---- */

static bool has_load(const struct gcal_remove_load_list *loads, const char *name,
                     size_t length)
{
    for (size_t i = 0; i < loads->n; i++)
        if (strlen(loads->items[i].name) == length &&
            memcmp(loads->items[i].name, name, length) == 0)
            return true;
    return false;
}

int gcal_generator_keep_allows(const struct gcal_generator_setting *s,
                               struct gcal_buf *why, struct gcal_error *err)
{
    const char *keep = gcal_generator_keep_value(s);
    const struct gcal_remove_load_list *loads;

    if (!keep || strcmp(keep, "all") == 0 || strcmp(keep, "each") == 0)
        return 1;
    if (!(loads = loads_of(s, false, err)))
        return -1;
    for (const char *at = keep; *at; at += strcspn(at, "+"), at += *at == '+') {
        if (has_load(loads, at, strcspn(at, "+")))
            continue;
        if (why->size)
            return 0;
        gcal_buf_printf(why, "%s: no global load for keep:%s; the loads are",
                        s->generator->name, keep);
        for (size_t i = 0; i < loads->n; i++)
            gcal_buf_printf(why, "%s %s", i ? "," : "", loads->items[i].name);
        return 0;
    }
    return 1;
}

int gcal_generator_keep_each(struct gcal_generator_setting *s,
                             const struct gcal_remove_load_list **loads, size_t *argument,
                             struct gcal_error *err)
{
    const char *keep = gcal_generator_keep_value(s);

    *loads = NULL;
    if (!keep || strcmp(keep, "each") != 0)
        return 0;
    for (*argument = 0; s->values[*argument] != keep;)
        ++*argument;
    s->values[*argument] = "all"; /* the macros do not depend on it */
    *loads = loads_of(s, true, err);
    return *loads ? 0 : -1;
}
