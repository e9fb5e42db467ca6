/* finish.c - a kernel completed: work removed, counted, and identified */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/wire.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/model/feature.h"
#include "kernels/generate/private.h"

/* ---- kernels of derived generators: the origin's with work removed ---- */

/* The source with the work removed; NULL with 'err'. */
static char *remove_work(const struct gcal_generator_setting *s,
                         struct gcal_kernel *kernel, struct gcal_remove_element *element,
                         struct gcal_error *err)
{
    static const enum gcal_remove_form forms[] = {
        [GCAL_KERNEL_LOADS] = GCAL_REMOVE_KEEP_LOADS,
        [GCAL_KERNEL_ONCHIP] = GCAL_REMOVE_KEEP_ONCHIP,
        [GCAL_KERNEL_MEMORY] = GCAL_REMOVE_KEEP_MEMORY,
    };
    struct gcal_count_request request = gcal_generator_setting_request(s, kernel);
    /* The kernel's source with its trips as annotations, which a derived source keeps, while
     * lines change.
     */
    size_t prelude = strlen(gcal_source_tag_prelude); /* lines count from its end */
    const char *at = kernel->source + prelude;
    struct gcal_buf out = { 0 };
    int line = 1;

    gcal_buf_put(&out, kernel->source, prelude);
    for (size_t i = 0; i < kernel->n_trips; i++) {
        for (; line < kernel->trips[i].line && *at; line++) {
            size_t length = strcspn(at, "\n");

            length += at[length] == '\n';
            gcal_buf_put(&out, at, length);
            at += length;
        }
        gcal_buf_printf(&out, "#pragma gpucal trips %s\n", kernel->trips[i].parameter);
    }
    gcal_buf_puts(&out, at);
    const char *keep = gcal_generator_keep_value(s), *kept[GCAL_GENERATOR_MAX_KEPT];
    const char *accumulators = gcal_generator_setting_value(s, "accumulators");
    const char *barriers = gcal_generator_setting_value(s, "barriers");
    struct gcal_remove_options removal = { .form = forms[s->generator->form],
                                           .keep = kept };
    char *names = keep ? gcal_arena_strdup(kernel->arena, keep) : NULL, *text, *source;

    request.source = gcal_arena_take(kernel->arena, &out);
    request.n_trips = 0;
    if (accumulators && removal.form != GCAL_REMOVE_KEEP_ONCHIP)
        removal.n_accumulators = (size_t)atoi(accumulators);
    removal.drop_barriers = removal.form == GCAL_REMOVE_KEEP_MEMORY && barriers &&
                            strcmp(barriers, "False") == 0;
    while (keep && strcmp(keep, "all") != 0 && names &&
           removal.n_keep < GCAL_GENERATOR_MAX_KEPT)
        kept[removal.n_keep++] = strsep(&names, "+");
    if (!(text = gcal_remove_work(&request, &removal, element, err)))
        return NULL;
    source = gcal_arena_format(kernel->arena, "%s%s", gcal_source_tag_prelude, text);
    free(text);
    return source;
}

/* Adds the buffer of gcal_remove_work(): one element per work-item, and now the kernel's
 * only output.
 */
static void add_removed_arg(struct gcal_kernel *kernel,
                            const struct gcal_remove_element *element)
{
    struct gcal_arg *arg = &kernel->args[kernel->n_args++];
    struct gcal_buf value = { 0 };

    for (size_t i = 0; i + 1 < kernel->n_args; i++)
        kernel->args[i].output = false;
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&value, "%s(%s)", i ? "*" : "", kernel->global_size[i]);
    if (element->n_lanes > 1) /* vectors of 3 are stored as 4 */
        gcal_buf_printf(&value, "*%zu", element->n_lanes == 3 ? 4 : element->n_lanes);
    arg->kind = GCAL_ARG_BUFFER;
    arg->output =
        element->n_lanes != 3; /* whose padding each device leaves as it likes */
    arg->value = gcal_arena_take(kernel->arena, &value);
    arg->name = gcal_arena_strdup(kernel->arena, "read_tgt_dest");
    arg->dtype = gcal_arena_strdup(kernel->arena, element->dtype);
}

/* Removes work from a derived generator's kernel; 'counted' has the result already, or is
 * NULL.
 */
static int take_removed(const struct gcal_generator_setting *s,
                        struct gcal_kernel *kernel,
                        const struct gcal_kernel_cache_entry *counted,
                        struct gcal_remove_element *element, struct gcal_error *err)
{
    char *source = counted ? gcal_arena_strdup(kernel->arena, counted->source)
                           : remove_work(s, kernel, element, err);

    if (!source)
        return -1;
    if (counted)
        *element = counted->element;
    kernel->source = source;
    kernel->n_trips = 0; /* they are annotations of the source now */
    if (element->dtype)
        add_removed_arg(kernel, element);
    return 0;
}

/* ---- the memory and on-chip components of kernels and of kernels derived from
 * them
 *
 * A kernel with all its work has both components, under a tag that names its generator
 * and the chosen arguments.  A derived kernel has the component that it keeps, with its
 * origin's tag and count: a cost fitted to the component alone is then one of the
 * original kernel.
 */

/* ---- tags ---- */

/* "matmulTiledLsize032": the generator's name and its arguments, except sizes and
 * arguments at their only default.
 */
static char *make_tag(const struct gcal_generator_setting *s, struct gcal_error *err)
{
    const struct gcal_generator *g = s->generator;
    struct gcal_buf tag = { 0 };

    gcal_tag_put(g->name, false, &tag);
    for (size_t i = 0; i < g->n_arguments; i++) {
        const struct gcal_generator_arg *a = &g->arguments[i];

        if (a->size ||
            (a->defaults.n == 1 && strcmp(a->defaults.items[0], s->values[i]) == 0))
            continue;
        gcal_tag_put(a->name, true, &tag);
        gcal_tag_put(s->values[i], true, &tag);
    }
    return gcal_buf_take(&tag, err);
}

static int set_tag(struct gcal_profile_entry *entry, const char *tag,
                   struct gcal_error *err)
{
    free(entry->tag);
    free(entry->feature);
    entry->tag = strdup(tag);
    entry->feature = gcal_buf_format(
        "%s_tag:%s", entry->kind == GCAL_FEATURE_MEMORY ? "f_memory" : "f_onchip", tag);
    return entry->tag && entry->feature ? 0 : gcal_error_memory(err);
}

/* ---- derived kernels ---- */

/* Whether a derived kernel is a component of its origin, and which. */
static bool is_component(const struct gcal_generator_setting *s,
                         enum gcal_feature_kind *kind)
{
    const char *keep = gcal_generator_keep_value(s);

    *kind = s->generator->form == GCAL_KERNEL_ONCHIP ? GCAL_FEATURE_ONCHIP
                                                     : GCAL_FEATURE_MEMORY;
    /* single loads are not a component */
    return s->generator->origin && (!keep || strcmp(keep, "all") == 0);
}

/* Sets the components of a kernel that has just been counted.  'origin', counted, where
 * is_component() is true; else NULL.
 */
static int set_components(const struct gcal_generator_setting *s,
                          struct gcal_kernel *kernel, const struct gcal_kernel *origin,
                          struct gcal_error *err)
{
    enum gcal_feature_kind kind;

    if (!s->generator->origin) {
        struct gcal_profile *profile = kernel->profile;
        char *tag = make_tag(s, err);
        int rc = tag ? 0 : -1;

        for (size_t i = 0; i < profile->n_entries && rc == 0; i++)
            if (gcal_feature_is_component(profile->entries[i].kind))
                rc = set_tag(&profile->entries[i], tag, err);
        free(tag);
        return rc;
    }
    /* Components of the derived source itself mean nothing to a model. */
    struct gcal_profile *profile = kernel->profile;
    size_t n = 0;

    for (size_t i = 0; i < profile->n_entries; i++) {
        struct gcal_profile_entry *entry = &profile->entries[i];

        if (gcal_feature_is_component(entry->kind))
            gcal_profile_entry_clear(entry);
        else
            profile->entries[n++] = *entry;
    }
    profile->n_entries = n;
    if (!is_component(s, &kind))
        return 0;
    if (!(kernel->profile->origin = strdup(origin->profile->fingerprint)))
        return gcal_error_memory(err);
    struct gcal_profile *to = kernel->profile;
    const struct gcal_profile *from = origin->profile;
    for (size_t i = 0; i < from->n_entries; i++) {
        const struct gcal_profile_entry *component = &from->entries[i];
        struct gcal_profile_entry *entry;

        if (component->kind != kind)
            continue;
        if (!(entry = gcal_profile_add(to, err)))
            return -1;
        entry->kind = kind;
        entry->granularity = component->granularity;
        entry->estimated = component->estimated;
        to->estimated = to->estimated || component->estimated;
        if (!(entry->count = strdup(component->count)))
            return gcal_error_memory(err);
        if (set_tag(entry, component->tag, err) < 0 ||
            gcal_kernel_run_add_parameters(to, entry->count, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- a kernel completed: work removed, counted, and identified ---- */

static void put_sizes(struct gcal_buf *buf, size_t n, const struct gcal_size *sizes)
{
    gcal_wire_put_u64(buf, n);
    for (size_t i = 0; i < n; i++) {
        gcal_wire_put_text(buf, sizes[i].name);
        gcal_wire_put_f64(buf, sizes[i].value);
    }
}

/* 'sweep' is left out: the kernel is the same, however its size was chosen. */
static void make_id(struct gcal_kernel *k)
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
        if (k->args[i].first) {
            /* ids of kernels without a range are as before */
            gcal_wire_put_text(&buf, k->args[i].first);
            gcal_wire_put_text(&buf, k->args[i].last);
            gcal_wire_put_u32(&buf, k->args[i].sorted);
        }
        if (k->args[i].members)
            gcal_wire_put_text(&buf, k->args[i].members);
        for (size_t d = 0; d < GCAL_MAX_DIMS && k->args[i].channels; d++)
            gcal_wire_put_text(&buf, k->args[i].extents[d]);
        if (k->args[i].channels)
            gcal_wire_put_u32(&buf, k->args[i].channels);
        if (k->args[i].layered || k->args[i].member)
            gcal_wire_put_u32(&buf, (uint32_t)k->args[i].offset + 1);
    }
    gcal_wire_put_f64(&buf, k->tolerance);
    gcal_wire_put_u32(&buf, k->short_run);
    gcal_kernel_run_put(&buf, k);
    /* Nothing without such keys: the id of a kernel without them is an older one. */
    if (k->allow_estimates)
        gcal_wire_put_text(&buf, "allow_estimates");
    for (size_t i = 0; i < k->n_trips; i++) {
        gcal_wire_put_u32(&buf, (uint32_t)k->trips[i].line);
        gcal_wire_put_text(&buf, k->trips[i].parameter);
    }
    if (buf.failed)
        gcal_arena_out_of_memory();
    gcal_hash(buf.data, buf.size, id);
    k->id = gcal_arena_strdup(k->arena, id);
    gcal_buf_free(&buf);
}

/* Counts of a run, if 'assume' holds; 'counted' has them already, or is NULL. */
static int add_profile(const struct gcal_generator_setting *s, struct gcal_kernel *kernel,
                       const char *assume, const struct gcal_kernel_cache_entry *counted,
                       const struct gcal_kernel_cache *cache, struct gcal_error *err)
{
    struct gcal_count_request request = gcal_generator_setting_request(s, kernel);
    struct gcal_count_buffer buffers[kernel->n_args + 1];

    if (counted)
        return (kernel->profile = gcal_profile_copy(counted->profile, err)) ? 0 : -1;
    request.assume = assume;
    request.sub_group_size = kernel->counting.sub_group_size;
    request.n_banks = kernel->counting.n_banks;
    request.estimate_passes = true;
    request.samples_places = kernel->counting.at_sizes && assume != kernel->assume;
    request.sector_bytes = kernel->counting.sector_bytes;
    request.index_arithmetic = kernel->counting.index_arithmetic;
    request.n_buffers = gcal_kernel_buffers(kernel, buffers);
    request.buffers = buffers;
    if (!gcal_kernel_is_transfer(kernel) &&
        !(kernel->profile = cache && cache->count
                                ? cache->count(cache->context, &request, err)
                                : gcal_count(&request, err)))
        return -1;
    return gcal_kernel_run_count(kernel, err);
}

/* The kernel that a derived kernel was made from, counted; the caller's to destroy. */
static struct gcal_kernel *make_origin(const struct gcal_generator_setting *s,
                                       const struct gcal_kernel *derived,
                                       struct gcal_kernel_cache *cache,
                                       struct gcal_error *err)
{
    const struct gcal_generator *g = s->generator->origin;
    const char *values[g->n_arguments + 1];
    struct gcal_generator_setting full = { .generator = g,
                                           .values = values,
                                           .sweep = s->sweep };
    struct gcal_kernel *kernel;

    for (size_t i = 0; i < g->n_arguments; i++)
        values[i] = gcal_generator_setting_value(s, g->arguments[i].name);
    if ((kernel = gcal_kernel_create(&full, err))) {
        kernel->counting = derived->counting;
        if (gcal_kernel_finish(&full, kernel, cache, err) < 0) {
            gcal_kernel_destroy(kernel);
            kernel = NULL;
        }
    }
    return kernel;
}

static int add_components(const struct gcal_generator_setting *s,
                          struct gcal_kernel *kernel, struct gcal_kernel_cache *cache,
                          struct gcal_error *err)
{
    struct gcal_kernel *origin = NULL;
    enum gcal_feature_kind kind;
    int rc;

    if (is_component(s, &kind) && !(origin = make_origin(s, kernel, cache, err)))
        return -1;
    rc = set_components(s, kernel, origin, err);
    gcal_kernel_destroy(origin);
    return rc;
}

/* All of it but the id, if 'assume' holds.  'counted' has the results already, or is NULL. */
static int complete(const struct gcal_generator_setting *setting,
                    struct gcal_kernel *kernel, const char *assume,
                    const struct gcal_kernel_cache_entry *counted,
                    struct gcal_remove_element *element, struct gcal_kernel_cache *cache,
                    struct gcal_error *err)
{
    if (counted && counted->failure)
        return gcal_error_set(err, GCAL_EINPUT, "%s", counted->failure);
    if (setting->generator->origin &&
        take_removed(setting, kernel, counted, element, err) < 0)
        return -1;
    if (add_profile(setting, kernel, assume, counted, cache, err) < 0)
        return -1;
    return counted ? 0 : add_components(setting, kernel, cache, err);
}

/* The same, with what the cache has for the kernel's variant. */
static int complete_once(const struct gcal_generator_setting *setting,
                         struct gcal_kernel *kernel, const char *assume,
                         struct gcal_kernel_cache *cache, struct gcal_error *err)
{
    struct gcal_kernel_cache_entry *entry = NULL;
    struct gcal_remove_element element = { 0 };
    struct gcal_error why = { 0 };
    bool is_new = true;
    int rc;

    if (cache && !(entry = gcal_kernel_cache_take(cache, kernel, &is_new, err)))
        return -1;
    rc = complete(setting, kernel, assume, is_new ? NULL : entry, &element, cache, &why);
    if (entry && is_new &&
        gcal_kernel_cache_fill(cache, entry, kernel, &element, rc < 0 ? why.text : NULL,
                               err) < 0)
        return -1;
    return rc < 0 ? gcal_error_set(err, why.code, "%s", why.text) : 0;
}

struct known_sizes {
    size_t n;
    const struct gcal_size *all;
};

/* The conditions and "NAME = VALUE" of all sizes; NULL with 'err'. */
static char *assume_sizes(const char *assume, const struct known_sizes *sizes,
                          struct gcal_error *err)
{
    struct gcal_buf text = { 0 };

    gcal_buf_puts(&text, assume ? assume : "");
    for (size_t i = 0; i < sizes->n; i++)
        gcal_buf_printf(&text, "%s%s = %.0f", text.size ? " and " : "",
                        sizes->all[i].name, sizes->all[i].value);
    return gcal_buf_take(&text, err);
}

/* The sectors that a profile has at the sizes. */
static double sum_sectors(const struct gcal_profile *profile,
                          const struct known_sizes *sizes)
{
    double sum = 0, value;

    for (size_t i = 0; i < profile->n_entries; i++)
        if (profile->entries[i].kind == GCAL_FEATURE_SECTOR &&
            gcal_kernel_eval_sizes(profile->entries[i].count, sizes->n, sizes->all,
                                   &value, NULL) == 0)
            sum += value;
    return sum;
}

bool gcal_count_lacks_sizes(const struct gcal_profile *symbolic)
{
    bool lacks = false;

    for (size_t i = 0; i < symbolic->n_entries; i++)
        lacks = lacks || (symbolic->entries[i].estimated &&
                          (symbolic->entries[i].kind == GCAL_FEATURE_SECTOR ||
                           symbolic->entries[i].kind == GCAL_FEATURE_ATOMIC_SECTOR_PASS ||
                           symbolic->entries[i].kind == GCAL_FEATURE_LOCAL_PASS));
    for (size_t i = 0; i < symbolic->n_notes; i++)
        lacks = lacks || strstr(symbolic->notes[i], "assume ");
    return lacks;
}

/* Of two estimates of a footprint, the lesser one knows more, unless data say where it is: rows that
 * share sectors are counted in symbols alone.
 */
static int take_least(struct gcal_profile *at, const struct gcal_profile *symbolic,
                      const struct known_sizes *sizes, struct gcal_error *err)
{
    for (size_t i = 0; i < at->n_entries; i++) {
        struct gcal_profile_entry *e = &at->entries[i];
        double now, other;

        if (!e->estimated || e->tag ||
            (e->kind != GCAL_FEATURE_FOOTPRINT_SUB_GROUP &&
             e->kind != GCAL_FEATURE_FOOTPRINT_GROUP))
            continue;
        for (size_t k = 0; k < symbolic->n_entries; k++)
            if (strcmp(e->feature, symbolic->entries[k].feature) == 0 &&
                strcmp(e->array, symbolic->entries[k].array) == 0 &&
                gcal_kernel_eval_sizes(e->count, sizes->n, sizes->all, &now, NULL) == 0 &&
                gcal_kernel_eval_sizes(symbolic->entries[k].count, sizes->n, sizes->all,
                                       &other, NULL) == 0 &&
                other < now) {
                free(e->count);
                if (!(e->count = gcal_buf_format("%.17g", other)))
                    return gcal_error_memory(err);
            }
    }
    return 0;
}

/* Whether some of its counts are of work-groups that were run. */
static bool is_sampled(const struct gcal_profile *profile)
{
    for (size_t i = 0; i < profile->n_notes; i++)
        if (strstr(profile->notes[i], GCAL_COUNT_SAMPLED))
            return true;
    return false;
}

/* Whether the profile is one for these sizes. */
static bool is_for(const struct gcal_profile *profile, const struct known_sizes *sizes)
{
    struct gcal_size all[sizes->n + 1];

    for (size_t i = 0; i < sizes->n; i++)
        all[i] = sizes->all[i];
    all[sizes->n] = (struct gcal_size){ "sub_group_size",
                                        (double)gcal_profile_sub_group_size(profile) };
    return gcal_kernel_check_assume(profile->assumptions, sizes->n + 1, all, NULL) == 0;
}

struct gcal_profile *gcal_count_known(const struct gcal_count_known *known,
                                      struct gcal_error *err)
{
    struct gcal_profile *symbolic = NULL, *at = NULL;
    struct known_sizes sizes;
    char *assume;

    if (!known->contents &&
        (symbolic = known->count(known->context, known->assume, err)) &&
        !(known->estimates && gcal_count_lacks_sizes(symbolic)))
        return symbolic;
    sizes.n = known->sizes(known->context, &sizes.all);
    if (sizes.n && (!symbolic || is_for(symbolic, &sizes)) &&
        (assume = assume_sizes(known->assume, &sizes, err))) {
        at = known->count(known->context, assume, symbolic ? NULL : err);
        free(assume);
    }
    /* What is not known counts as apart, so that of two estimates the lesser one knows more. */
    if (at && symbolic && !is_sampled(at) &&
        sum_sectors(at, &sizes) > 1.001 * sum_sectors(symbolic, &sizes)) {
        gcal_profile_destroy(at);
        at = NULL;
    }
    if (!at)
        return known->contents ? known->count(known->context, known->assume, err)
                               : symbolic;
    if (symbolic && take_least(at, symbolic, &sizes, err) < 0) {
        gcal_profile_destroy(at);
        at = NULL;
    }
    gcal_profile_destroy(symbolic);
    return at;
}

struct finishing {
    const struct gcal_generator_setting *setting;
    struct gcal_kernel *kernel;
    struct gcal_kernel_cache *cache;
};

/* Counts with sizes as facts are those of a variant of its own. */
static struct gcal_profile *count_kernel(void *context, const char *assume,
                                         struct gcal_error *err)
{
    const struct finishing *f = context;
    struct gcal_kernel *kernel = f->kernel;
    char *variant = kernel->variant;
    struct gcal_profile *profile;
    int rc;

    if (assume != kernel->assume)
        kernel->variant =
            gcal_arena_format(kernel->arena, "%s where %s", variant, assume);
    rc = complete_once(f->setting, kernel, assume, f->cache, err);
    kernel->variant = variant;
    profile = kernel->profile;
    kernel->profile = NULL;
    if (rc < 0) {
        gcal_profile_destroy(profile);
        profile = NULL;
    }
    return profile;
}

static size_t find_sizes(void *context, const struct gcal_size **sizes)
{
    const struct finishing *f = context;

    *sizes = f->kernel->sizes;
    return f->setting->generator->origin ? 0 : f->kernel->n_sizes;
}

int gcal_kernel_finish(const struct gcal_generator_setting *setting,
                       struct gcal_kernel *kernel, struct gcal_kernel_cache *cache,
                       struct gcal_error *err)
{
    struct finishing finishing = { setting, kernel, cache };
    const struct gcal_count_known known = { .count = count_kernel,
                                            .sizes = find_sizes,
                                            .context = &finishing,
                                            .assume = kernel->assume,
                                            .estimates = kernel->counting.at_sizes };

    kernel->profile = gcal_count_known(&known, err);
    if (!kernel->profile)
        return -1;
    make_id(kernel);
    return 0;
}
