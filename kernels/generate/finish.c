#include <stdlib.h>
#include <string.h>

#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/base/hash.h"
#include "calib/base/random.h"
#include "calib/base/wire.h"
#include "calib/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/generate/run.h"

struct gcal_count_request gcal_kernel_request(const struct gcal_kernel *kernel)
{
    struct gcal_count_request request = {
        .source = kernel->source,
        .file = kernel->generator,
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

struct gcal_count_request
gcal_generator_setting_request(const struct gcal_generator_setting *s,
                               const struct gcal_kernel *kernel)
{
    struct gcal_count_request request = gcal_kernel_request(kernel);

    request.file = s->generator->source_name;
    return request;
}

static struct gcal_profile *decode_profile(const char *text, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "profile", err);
    struct gcal_profile *profile = root ? gcal_profile_decode(root, err) : NULL;

    gcal_yaml_destroy(root);
    return profile;
}

static void put_sizes(struct gcal_buf *buf, size_t n, const struct gcal_size *sizes)
{
    gcal_wire_put_u64(buf, n);
    for (size_t i = 0; i < n; i++) {
        gcal_wire_put_text(buf, sizes[i].name);
        gcal_wire_put_f64(buf, sizes[i].value);
    }
}

/* Not 'sweep': how a kernel was asked for does not make it another one. */
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
    gcal_kernel_run_put(&buf, k);
    if (!buf.failed)
        gcal_hash(buf.data, buf.size, id);
    k->id = buf.failed ? NULL : strdup(id);
    gcal_buf_free(&buf);
    return k->id ? 0 : gcal_error_memory(err);
}

/* What a run counts; 'counted' has it already, or is NULL. */
static int add_profile(const struct gcal_generator_setting *s, struct gcal_kernel *kernel,
                       const struct gcal_kernel_cache_entry *counted,
                       struct gcal_error *err)
{
    struct gcal_count_request request = gcal_generator_setting_request(s, kernel);

    if (counted)
        return (kernel->profile = decode_profile(counted->profile, err)) ? 0 : -1;
    if (!gcal_kernel_is_transfer(kernel) &&
        !(kernel->profile = gcal_count(&request, err)))
        return -1;
    return gcal_kernel_run_count(kernel, err);
}

int gcal_kernel_finish(const struct gcal_generator_setting *setting,
                       struct gcal_kernel *kernel, void **tree, struct gcal_error *err)
{
    const struct gcal_kernel_cache_entry *counted =
        tree ? gcal_kernel_cache_find(tree, kernel) : NULL;
    struct gcal_remove_element element = { 0 };

    if (setting->generator->origin &&
        gcal_kernel_remove_work(setting, kernel, counted, &element, err) < 0)
        return -1;
    if (add_profile(setting, kernel, counted, err) < 0 ||
        (!counted && gcal_kernel_set_components(setting, kernel, tree, err) < 0))
        return -1;
    if (tree && !counted && gcal_kernel_cache_add(tree, kernel, &element, err) < 0)
        return -1;
    return make_id(kernel, err);
}
