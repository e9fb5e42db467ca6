/* counting.c - counting, and removing the work of, the kernel that options select */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/count/count.h"
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

static struct gcal_profile *count(const struct gcal_count_options *o,
                                  const struct gcal_count_request *request,
                                  struct gcal_error *err)
{
    return o->no_cache ? gcal_count(request, err)
                       : gcal_command_count_cached(NULL, request, err);
}

struct sizes {
    const struct gcal_count_options *options;
    struct gcal_count_description description;
};

/* Integer arguments, their members ("size_x" of size), and names of the global size. */
static bool is_size(void *data, const char *name)
{
    const struct sizes *s = data;
    const struct gcal_strings *arguments = &s->description.arguments;

    if (gcal_count_options_mention(s->options, name))
        return true;
    if (gcal_strings_contain(arguments, name))
        return gcal_strings_contain(&s->description.sizes, name);
    for (size_t i = 0; i < arguments->n; i++) {
        size_t length = strlen(arguments->items[i]);

        if (strncmp(name, arguments->items[i], length) == 0 && name[length] == '_')
            return true;
    }
    return false;
}

/* A kernel that cannot be counted for any sizes, or of which contents of buffers are given, is
 * counted for those of --at, which become assumptions of its profile; NULL without them, with
 * 'err' as it was.
 */
static struct gcal_profile *count_at(const struct gcal_count_options *o,
                                     const struct gcal_count_request *request,
                                     struct gcal_error *err)
{
    struct gcal_count_request fixed = *request;
    struct sizes sizes = { .options = o };
    struct gcal_profile *profile = NULL;
    struct gcal_buf assume = { 0 };
    size_t given;

    if (o->ats.n != 1 || gcal_count_describe(request, &sizes.description, NULL) < 0)
        return NULL;
    gcal_buf_puts(&assume, o->assume ? o->assume : "");
    given = assume.size;
    if (gcal_count_points_assume(o->ats.items[0], is_size, &sizes, &assume, NULL) == 0 &&
        assume.size > given && !assume.failed) {
        fixed.assume = assume.data;
        profile = count(o, &fixed, err);
    }
    gcal_buf_free(&assume);
    gcal_count_description_clear(&sizes.description);
    return profile;
}

struct gcal_profile *gcal_count_options_profile(const struct gcal_count_options *o,
                                                size_t sub_group_size,
                                                struct gcal_error *err)
{
    struct gcal_count_request request;
    struct gcal_profile *profile = NULL;

    if (gcal_count_options_request(o, &request, err) < 0)
        return NULL;
    request.sub_group_size = sub_group_size;
    if (check_dimensions(o, request.n_dims, err) == 0) {
        for (size_t i = 0; i < o->n_buffers && !profile; i++)
            if (o->buffers[i].data)
                profile = count_at(o, &request, NULL);
        if (!profile && !(profile = count(o, &request, err)))
            profile = count_at(o, &request, err);
        if (!profile)
            explain(o, &request, err);
    }
    free((char *)request.source);
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
