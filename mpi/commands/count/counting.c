/* counting.c - counting, and removing the work of, the kernel that options select */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/count/count.h"
#include "kernels/generate/generate.h"
#include "kernels/model/profile.h"
#include "mpi/cli/count_cache.h"
#include "mpi/commands/count/missing.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/count/sizes.h"

static int check_dimensions(const struct gcal_count_options *o, size_t n_global,
                            struct gcal_error *err)
{
    if (!o->n_dims || !n_global || o->n_dims == n_global)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "--local has %zu dimension%s and --global %zu", o->n_dims,
                          o->n_dims > 1 ? "s" : "", n_global);
}

/* After a failure: another message if it came from something that was not given. */
static void explain(const struct gcal_count_options *o,
                    const struct gcal_count_request *request, struct gcal_error *err)
{
    struct gcal_error missing = { 0 };

    if (o->kernel && request->local_size[0] && request->n_dims)
        return;
    if (gcal_count_missing_check(o, request, &missing) < 0 && err)
        *err = missing;
}

/* ---- counting ---- */

struct counting {
    const struct gcal_count_options *options;
    struct gcal_count_request request;
    struct gcal_count_description description;
    struct gcal_arena *arena;
};

static struct gcal_profile *count(void *context, const char *assume,
                                  struct gcal_error *err)
{
    const struct counting *c = context;
    struct gcal_count_request request = c->request;

    request.assume = assume;
    request.samples_places = assume != c->request.assume;
    return c->options->no_cache ? gcal_count(&request, err)
                                : gcal_command_count_cached(NULL, &request, err);
}

/* Integer arguments, their members ("size_x" of size), and names of the global size. */
static bool is_size(void *context, const char *name)
{
    const struct counting *c = context;
    const struct gcal_strings *arguments = &c->description.arguments;

    if (gcal_count_options_mention(c->options, name))
        return true;
    if (gcal_strings_contain(arguments, name))
        return gcal_strings_contain(&c->description.sizes, name);
    for (size_t i = 0; i < arguments->n; i++) {
        size_t length = strlen(arguments->items[i]);

        if (strncmp(name, arguments->items[i], length) == 0 && name[length] == '_')
            return true;
    }
    return false;
}

/* Those of a single point of --at. */
static size_t find_sizes(void *context, const struct gcal_size **sizes)
{
    struct counting *c = context;
    const struct gcal_option_list *ats = &c->options->ats;
    size_t n = 0;

    if (ats->n == 1 &&
        (c->options->no_cache
             ? gcal_count_describe(&c->request, &c->description, NULL)
             : gcal_command_describe_cached(&c->request, &c->description, NULL)) == 0) {
        n = gcal_count_points_known(c->arena, ats->items[0], is_size, c, sizes);
        gcal_count_description_clear(&c->description);
    }
    return n;
}

struct gcal_profile *gcal_count_options_profile(const struct gcal_count_options *o,
                                                size_t sub_group_size,
                                                struct gcal_error *err)
{
    struct counting c = { .options = o };
    struct gcal_count_known known = {
        .count = count, .sizes = find_sizes, .context = &c, .estimates = o->at_sizes
    };
    struct gcal_profile *profile = NULL;

    if (gcal_count_options_request(o, &c.request, err) < 0)
        return NULL;
    c.request.sub_group_size = sub_group_size;
    known.assume = c.request.assume;
    for (size_t i = 0; i < o->n_buffers; i++)
        known.contents = known.contents || o->buffers[i].data;
    if (check_dimensions(o, c.request.n_dims, err) == 0) {
        c.arena = gcal_arena_create();
        if (!(profile = gcal_count_known(&known, err)))
            explain(o, &c.request, err);
        gcal_arena_destroy(c.arena);
    }
    free((char *)c.request.source);
    return profile;
}

char *gcal_count_options_remove(const struct gcal_count_options *o,
                                const struct gcal_remove_options *removal,
                                struct gcal_error *err)
{
    struct gcal_count_request request;
    char *text = NULL;

    if (gcal_count_options_request(o, &request, err) < 0)
        return NULL;
    if (!request.local_size[0])
        request.local_size[0] = 1; /* the text does not depend on it */
    if (check_dimensions(o, request.n_dims, err) == 0) {
        if (!(text = gcal_remove_work(&request, removal, NULL, err)))
            explain(o, &request, err);
    }
    free((char *)request.source);
    return text;
}
