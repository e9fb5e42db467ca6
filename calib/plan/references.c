/* references.c - what the host computed for a kernel's small sizes, by all that it follows from */
#include "calib/plan/references.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/hash.h"
#include "kernels/base/memo.h"
#include "calib/plan/private.h"
#include "kernels/generate/generate.h"

static void clear_result(void *result)
{
    gcal_arena_destroy(((struct gcal_plan_result *)result)->arena);
}

struct gcal_memo *gcal_plan_references_create(size_t most_bytes, struct gcal_error *err)
{
    return gcal_memo_create(sizeof(struct gcal_plan_result), most_bytes, clear_result,
                            err);
}

/* ---- keys ---- */

static bool is_name_part(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* Returns whether 'text' has the name as a word more than once, in comments and strings as well. */
static bool is_repeated(const char *text, const char *name, size_t length)
{
    size_t n = 0;

    for (const char *at = text; n < 2 && (at = memmem(at, strlen(at), name, length));
         at += length)
        n += !is_name_part(at[length]) && (at == text || !is_name_part(at[-1]));
    return n > 1;
}

/* The reference without those of the definitions before it that nothing uses: they are all
 * arguments of the variant.
 */
static void put_reference(struct gcal_buf *buf, const char *text)
{
    static const char define[] = "#define ";
    bool all = strstr(text, "##") || strstr(text, "__LINE__");
    const char *at = text;

    while (!all && strncmp(at, define, strlen(define)) == 0) {
        const char *name = at + strlen(define), *end = strchr(at, '\n');
        size_t length = 0;

        while (is_name_part(name[length]))
            length++;
        if (!end)
            break;
        if (!length || is_repeated(text, name, length))
            gcal_buf_put(buf, at, (size_t)(end + 1 - at));
        at = end + 1;
    }
    gcal_buf_puts(buf, at);
}

/* Of a kernel that is its own reference. */
static void put_source(struct gcal_buf *buf, const struct gcal_kernel *kernel,
                       const struct gcal_geometry *geometry)
{
    for (size_t i = 0; i < kernel->n_args; i++)
        if (kernel->args[i].kind == GCAL_ARG_LOCAL)
            gcal_buf_printf(buf, "%zu %s %.17g\n", i, kernel->args[i].dtype,
                            geometry->arg_values[i]);
    gcal_buf_printf(buf, "%s\n%s\n", kernel->entry, kernel->build_options);
    for (size_t d = 0; d < kernel->n_dims; d++)
        gcal_buf_printf(buf, "%zu of %zu\n", (size_t)kernel->local_size[d],
                        geometry->global_size[d]);
    gcal_buf_puts(buf, kernel->source);
}

/* The generator's name is in messages. */
static void put_inputs(struct gcal_buf *buf, const struct gcal_kernel *kernel,
                       uint64_t seed, const struct gcal_geometry *geometry)
{
    gcal_buf_printf(buf, "%s %llu %zu %d\n", kernel->generator, (unsigned long long)seed,
                    kernel->n_args, kernel->reference != NULL);
    /* References have no arguments in local memory. */
    for (size_t i = 0; i < kernel->n_args; i++) {
        const struct gcal_arg *arg = &kernel->args[i];
        const struct gcal_dtype_range *range = &geometry->arg_ranges[i];

        if (arg->kind != GCAL_ARG_LOCAL)
            gcal_buf_printf(buf, "%zu %d %s %d %.17g %.17g %.17g %d\n", i, arg->kind,
                            arg->dtype, arg->output, geometry->arg_values[i],
                            range->first, range->last, range->sorted);
        if (range->members)
            gcal_buf_printf(buf, "%s\n", range->members);
    }
    if (kernel->reference)
        put_reference(buf, kernel->reference);
}

/* Clears 'buf'. */
static int take_key(struct gcal_buf *buf, char key[GCAL_HASH_TEXT_SIZE],
                    struct gcal_error *err)
{
    int rc = buf->failed ? gcal_error_memory(err) : 0;

    if (rc == 0)
        gcal_hash_fast(buf->data, buf->size, key);
    gcal_buf_free(buf);
    return rc;
}

int gcal_plan_reference_key(const struct gcal_kernel *kernel, uint64_t seed,
                            char key[GCAL_HASH_TEXT_SIZE], struct gcal_error *err)
{
    struct gcal_geometry geometry = { 0 };
    struct gcal_buf buf = { 0 };
    int rc = gcal_kernel_geometry(kernel, kernel->n_check_sizes, kernel->check_sizes,
                                  &geometry, err);

    if (rc == 0)
        put_inputs(&buf, kernel, seed, &geometry);
    gcal_kernel_geometry_clear(&geometry);
    return rc == 0 ? take_key(&buf, key, err) : -1;
}

struct gcal_plan_result *gcal_plan_references_get(struct gcal_memo *references,
                                                  const struct gcal_kernel *kernel,
                                                  uint64_t seed,
                                                  const struct gcal_geometry *geometry)
{
    char key[GCAL_HASH_TEXT_SIZE];
    struct gcal_plan_result *result;
    bool is_new;

    struct gcal_buf buf = { 0 };

    put_inputs(&buf, kernel, seed, geometry);
    if (!kernel->reference)
        put_source(&buf, kernel, geometry);
    if (take_key(&buf, key, NULL) < 0 ||
        !(result = gcal_memo_take(references, key, &is_new)))
        return NULL;
    if (is_new) {
        gcal_plan_run_on_host(kernel, seed, geometry, result);
        gcal_memo_made(references, result, result->bytes);
    }
    return result;
}
