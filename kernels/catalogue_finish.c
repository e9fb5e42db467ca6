#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/hash.h"
#include "calib/base/random.h"
#include "calib/base/wire.h"
#include "calib/model/profile.h"
#include "kernels/catalogue_private.h"

static struct gcal_count_request make_request(const struct gcal_setting *s,
                                              const struct gcal_kernel *kernel)
{
    struct gcal_count_request request = {
        .source = kernel->source,
        .file = s->generator->source_name,
        .kernel = kernel->entry,
        .build_options = kernel->build_options,
        .n_dims = kernel->n_dims,
        .assume = kernel->assume,
    };

    for (size_t i = 0; i < kernel->n_dims; i++) {
        request.local_size[i] = kernel->local_size[i];
        request.global_size[i] = kernel->global_size[i];
    }
    return request;
}

/* What 'remove_work' asks for; -1 with 'err'.  '*names': of what is kept, "all" or names
 * joined by '+', which 'removal' points into; the caller's to free.
 */
static int read_removal(const struct gcal_setting *s, const struct gcal_yaml *map,
                        struct gcal_removal *removal, size_t n_most, const char **kept,
                        char **names, struct gcal_error *err)
{
    const struct gcal_yaml *accumulators = gcal_yaml_find(map, "accumulators");
    const struct gcal_yaml *keep = gcal_yaml_find(map, "keep");
    char *rest, *name;

    *removal = (struct gcal_removal){ .keep = kept };
    if (!keep) {
        removal->form = GCAL_REMOVAL_ONCHIP;
        return 0;
    }
    if (accumulators && gcal_expand_count(s, accumulators, "accumulators",
                                          &removal->n_accumulators, err) < 0)
        return -1;
    if (!(rest = *names = gcal_expand(s, keep, "keep", err)))
        return -1;
    if (strcmp(rest, "all") != 0)
        while ((name = strsep(&rest, "+")) && removal->n_keep < n_most)
            kept[removal->n_keep++] = name;
    return 0;
}

/* The source without what is to go; the caller's to free. */
static char *removed_source(const struct gcal_setting *s,
                            const struct gcal_kernel *kernel, const struct gcal_yaml *map,
                            struct gcal_error *err)
{
    struct gcal_count_request request = make_request(s, kernel);
    char *names = NULL, *text = NULL, *source = NULL;
    struct gcal_removal removal;
    const char *kept[8];

    if (read_removal(s, map, &removal, sizeof(kept) / sizeof(*kept), kept, &names, err) ==
            0 &&
        (text = gcal_work_remove(&request, &removal, err)) &&
        !(source = gcal_format("%s%s", gcal_tag_prelude, text)))
        gcal_error_memory(err);
    free(text);
    free(names);
    return source;
}

/* The buffer that gcal_work_remove() adds: one element per work-item, and the only
 * thing that the kernel writes now.
 */
static int add_removed_arg(const struct gcal_setting *s, struct gcal_kernel *kernel,
                           const struct gcal_yaml *dtype, struct gcal_error *err)
{
    struct gcal_arg *arg = &kernel->args[kernel->n_args++];
    struct gcal_buf value = { 0 };

    for (size_t i = 0; i + 1 < kernel->n_args; i++)
        kernel->args[i].output = false;
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&value, "%s(%s)", i ? "*" : "", kernel->global_size[i]);
    arg->kind = GCAL_ARG_BUFFER;
    arg->output = true;
    if (!(arg->name = strdup("read_tgt_dest"))) {
        gcal_buf_free(&value);
        return gcal_error_memory(err);
    }
    if (!(arg->value = gcal_buf_take(&value, err)) ||
        !(arg->dtype = gcal_expand(s, dtype, "dtype", err)))
        return -1;
    if (!gcal_dtype_size(arg->dtype))
        return gcal_yaml_error(dtype, err, "'%s' is not a dtype such as float32",
                               arg->dtype);
    return 0;
}

static int remove_work(const struct gcal_setting *s, struct gcal_kernel *kernel,
                       const struct gcal_kernel *sibling, struct gcal_error *err)
{
    const struct gcal_yaml *map = gcal_yaml_find(s->generator->root, "remove_work");
    char *source;

    if (!map)
        return 0;
    if (!sibling)
        source = removed_source(s, kernel, map, err);
    else if (!(source = strdup(sibling->source)))
        gcal_error_memory(err);
    if (!source)
        return -1;
    free(kernel->source);
    kernel->source = source;
    return add_removed_arg(s, kernel, gcal_yaml_find(map, "dtype"), err);
}

static struct gcal_profile *copy_profile(const struct gcal_profile *profile,
                                         struct gcal_error *err)
{
    char *text = gcal_profile_encode(profile, err);
    struct gcal_yaml *root =
        text ? gcal_yaml_parse(text, strlen(text), "profile", err) : NULL;
    struct gcal_profile *copy = root ? gcal_profile_decode(root, err) : NULL;

    gcal_yaml_destroy(root);
    free(text);
    return copy;
}

static void put_sizes(struct gcal_buf *buf, size_t n, const struct gcal_size *sizes)
{
    gcal_wire_put_u64(buf, n);
    for (size_t i = 0; i < n; i++) {
        gcal_wire_put_text(buf, sizes[i].name);
        gcal_wire_put_f64(buf, sizes[i].value);
    }
}

/* Not 'ladder': how a kernel was asked for does not make it another one. */
static int make_id(struct gcal_kernel *k, struct gcal_error *err)
{
    const char *const texts[] = { k->name,  k->generator,     k->family,   k->source,
                                  k->entry, k->build_options, k->reference };
    char id[GCAL_HASH_TEXT_SIZE];
    struct gcal_buf buf = { 0 };

    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        gcal_wire_put_text(&buf, texts[i]);
    gcal_wire_put_u64(&buf, k->n_dims);
    for (size_t i = 0; i < k->n_dims; i++) {
        gcal_wire_put_u64(&buf, k->local_size[i]);
        gcal_wire_put_text(&buf, k->global_size[i]);
    }
    put_sizes(&buf, k->n_sizes, k->sizes);
    put_sizes(&buf, k->n_check_sizes, k->check_sizes);
    for (size_t i = 0; i < k->n_args; i++) {
        gcal_wire_put_text(&buf, k->args[i].name);
        gcal_wire_put_u32(&buf, k->args[i].kind);
        gcal_wire_put_text(&buf, k->args[i].dtype);
        gcal_wire_put_text(&buf, k->args[i].value);
        gcal_wire_put_u32(&buf, k->args[i].output);
    }
    gcal_wire_put_f64(&buf, k->tolerance);
    gcal_wire_put_u32(&buf, k->short_run);
    if (!buf.failed)
        gcal_hash(buf.data, buf.size, id);
    k->id = buf.failed ? NULL : strdup(id);
    gcal_buf_free(&buf);
    return k->id ? 0 : gcal_error_memory(err);
}

int gcal_kernel_finish(const struct gcal_setting *setting, struct gcal_kernel *kernel,
                       const struct gcal_kernel *sibling, struct gcal_error *err)
{
    struct gcal_count_request request;

    if (remove_work(setting, kernel, sibling, err) < 0)
        return -1;
    request = make_request(setting, kernel);
    kernel->profile =
        sibling ? copy_profile(sibling->profile, err) : gcal_count(&request, err);
    if (!kernel->profile)
        return -1;
    return make_id(kernel, err);
}
