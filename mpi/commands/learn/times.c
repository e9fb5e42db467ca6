/* times.c - gpucal learn --times: kernels learned from times that somebody else took */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "calib/learn/observed.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/run_header.h"
#include "mpi/commands/learn/private.h"
#include "mpi/commands/predict/catalogue_kernel.h"
#include "mpi/commands/predict/evaluate.h"
#include "mpi/commands/predict/inputs.h"
#include "store/predict/predictor.h"

GCAL_ARENA_DESTROYER(clear_target, gcal_predict_target_clear)
GCAL_ARENA_DESTROYER(clear_kernels, gcal_kernel_list_clear)
GCAL_ARENA_DESTROYER(clear_measured, gcal_measured_kernels_clear)
GCAL_ARENA_DESTROYER(close_catalogue, gcal_catalogue_close)
GCAL_ARENA_DESTROYER(destroy_profile, gcal_profile_destroy)

struct learning {
    struct gcal_arena *arena;
    const struct gcal_learn_command *c;
    struct gcal_predict_device published;
    struct gcal_store *store;
    const struct gcal_params_model *general;
    char *name;                       /* of the device: "NODE/UID" */
    struct gcal_catalogue *catalogue; /* opened once a kernel of it is counted again */
    struct gcal_learn_run run;
    size_t n, capacity;
    struct gcal_learned *kernels;
};

/* ---- one kernel ---- */

static struct gcal_params_time take_time(const struct learning *l, const char *sizes,
                                         double time_s, double spread)
{
    return (struct gcal_params_time){ .sizes = (char *)sizes,
                                      .time_s = time_s / l->general->factor,
                                      .spread = spread,
                                      .measured_utc = (char *)l->run.utc,
                                      .device = l->name };
}

static int learn_kernel(struct learning *l, const char *name, size_t n,
                        const struct gcal_params_time *rows,
                        int (*count)(void *context, const char *sizes,
                                     struct gcal_kernel_time *time,
                                     struct gcal_error *err),
                        void *context, struct gcal_error *err)
{
    struct gcal_learned *d;

    if (gcal_params_find_model(l->published.device, name))
        return gcal_error_set(
            err, GCAL_EINPUT, "the device has a model '%s' that is not a learned one%s",
            name, l->c->count.file ? ": choose another name (--name)" : "");
    l->kernels =
        gcal_arena_grow(l->arena, l->kernels, l->n, &l->capacity, sizeof(*l->kernels));
    d = &l->kernels[l->n++];
    *d = (struct gcal_learned){ .arena = l->arena,
                                .store = l->store,
                                .device = l->published.device,
                                .general = l->general,
                                .name = gcal_arena_strdup(l->arena, name),
                                .count = count,
                                .context = context };
    gcal_learn_add_times(d, n, rows);
    return gcal_learn_fit_kernel(d, err) < 0 || gcal_learn_judge_kernel(d, err) < 0
               ? -1
               : gcal_learn_publish_kernel(d, &l->run, err);
}

/* ---- a kernel of the user's own ---- */

static int count_source(void *context, const char *sizes, struct gcal_kernel_time *time,
                        struct gcal_error *err)
{
    const struct learning *l = context;

    return gcal_learn_count(l->arena, &l->c->count, l->published.device, l->general,
                            sizes, time, err);
}

/* A launch that --at describes. */
struct point {
    const char *sizes;
    double n_groups, group_size;
};

static int count_groups(const struct gcal_kernel_time *time, struct point *p,
                        struct gcal_error *err)
{
    const struct gcal_profile *profile = time->profile;

    p->n_groups = p->group_size = 1;
    for (size_t d = 0; d < profile->n_dims; d++) {
        struct gcal_expr *groups =
            gcal_expr_parse_in(profile->groups[d], profile->n_parameters,
                               (const char *const *)profile->parameters, err);

        if (!groups)
            return -1;
        p->n_groups *= gcal_expr_eval(groups, time->sizes);
        p->group_size *= (double)profile->local_size[d];
        gcal_expr_destroy(groups);
    }
    return 0;
}

/* Whether what a profiler names is the kernel: "void my::saxpy<float>(int) [clone .kd]". */
static bool is_kernel(const char *name, const char *kernel)
{
    size_t length = strlen(kernel);

    for (const char *at = name; (at = strstr(at, kernel)); at++)
        if ((at == name || strchr(" :", at[-1])) &&
            (!at[length] || strchr("(<. ", at[length])))
            return true;
    return false;
}

/* Sizes for a profiler's launches: those of --at whose launch has as many work-groups. */
static int find_sizes(struct learning *l, struct gcal_learn_file *f,
                      struct gcal_error *err)
{
    const struct gcal_option_list *ats = &l->c->ats;
    struct point *points = gcal_arena_alloc(l->arena, ats->n, sizeof(*points));
    const char *kernel = NULL;
    size_t kept = 0;

    if (!ats->n)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "%s: launches without the kernel's sizes: name those of the "
            "launches with --at, as --at n=1024 --at n=4096",
            l->c->times);
    for (size_t i = 0; i < ats->n; i++) {
        struct gcal_kernel_time time = { 0 };

        points[i].sizes = ats->items[i];
        if (count_source(l, points[i].sizes, &time, err) < 0 ||
            count_groups(&time, &points[i], err) < 0)
            return -1;
        kernel = time.profile->kernel;
    }
    for (size_t i = 0; i < f->n; i++) {
        struct gcal_learn_taken *t = &f->times[i];
        bool is_known = t->n_groups > 0 && t->group_size > 0;

        if (!is_kernel(t->kernel, kernel))
            continue;
        for (size_t k = 0; k < ats->n; k++) {
            if (is_known && (t->n_groups != points[k].n_groups ||
                             t->group_size != points[k].group_size))
                continue;
            if (t->sizes)
                return gcal_error_set(err, GCAL_EINPUT,
                                      "%s:%zu: the launch may be that of %s and of %s: "
                                      "keep one of them",
                                      l->c->times, t->line, t->sizes, points[k].sizes);
            t->sizes = points[k].sizes;
        }
        if (!t->sizes)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "%s:%zu: a launch of %.0f work-groups of %.0f "
                                  "work-items, which no --at has",
                                  l->c->times, t->line, t->n_groups, t->group_size);
        f->times[kept++] = *t;
    }
    if (!kept)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: no launch of kernel %s; there is one of %s",
                              l->c->times, kernel, f->times[0].kernel);
    f->n = kept;
    return 0;
}

static int learn_own(struct learning *l, struct gcal_error *err)
{
    struct gcal_kernel_time first = { 0 };
    struct gcal_learn_file file;
    struct gcal_params_time *rows;

    if (gcal_learn_read_file(l->arena, l->c->times, false, &file, err) < 0 ||
        (file.times[0].kernel && find_sizes(l, &file, err) < 0) ||
        count_source(l, file.times[0].sizes, &first, err) < 0)
        return -1;
    rows = gcal_arena_alloc(l->arena, file.n, sizeof(*rows));
    for (size_t i = 0; i < file.n; i++)
        rows[i] = take_time(l, file.times[i].sizes, file.times[i].time_s, 0);
    return learn_kernel(l, l->c->name ? l->c->name : first.profile->kernel, file.n, rows,
                        count_source, l, err);
}

/* ---- kernels of the catalogue ---- */

/* The launches of one kernel. */
struct variant {
    struct learning *l;
    const char *name; /* without sizes */
    size_t n;
    const struct gcal_measured_kernel **kernels;
    struct gcal_params_time *rows;
};

static const char *name_sizes(struct gcal_arena *arena, const struct gcal_run_kernel *k)
{
    const char *text = "";

    for (size_t i = 0; i < k->n_sizes; i++)
        text = gcal_arena_format(arena, "%s%s%s=%.0f", text, *text ? "," : "",
                                 k->size_names[i], k->size_values[i]);
    return text;
}

/* "matmul_tiled lsize_0:16 n:1024" of the kernel and "n=1024". */
static const char *name_launch(const struct variant *v, const char *sizes)
{
    char *name = gcal_arena_format(v->l->arena, "%s %s", v->name, sizes);

    for (char *at = name + strlen(v->name); *at; at++)
        *at = *at == '=' ? ':' : *at == ',' ? ' ' : *at;
    return name;
}

/* A launch of the file, or one that the store has a time of. */
static int count_variant(void *context, const char *sizes, struct gcal_kernel_time *time,
                         struct gcal_error *err)
{
    const struct variant *v = context;
    struct learning *l = v->l;
    const struct gcal_params_device *device = l->published.device;
    struct gcal_kernel_limits limits = gcal_select_device_limits(&device->info);
    struct gcal_kernel_list *list;
    struct gcal_predict_target *target;
    struct gcal_kernel *kernel;

    for (size_t i = 0; i < v->n; i++)
        if (strcmp(v->rows[i].sizes, sizes) == 0) {
            struct gcal_profile *profile =
                gcal_measured_kernel_profile(v->kernels[i], device->info.type, err);

            gcal_arena_own(l->arena, profile, destroy_profile);
            time->profile = profile;
            time->sizes = v->kernels[i]->kernel.size_values;
            return profile ? 0 : -1;
        }
    if (!l->catalogue) {
        l->catalogue = gcal_command_catalogue_open_for(&l->c->catalogue, NULL, err);
        gcal_arena_own(l->arena, l->catalogue, close_catalogue);
    }
    list = gcal_arena_own(l->arena, gcal_arena_alloc(l->arena, 1, sizeof(*list)),
                          clear_kernels);
    target = gcal_arena_own(l->arena, gcal_arena_alloc(l->arena, 1, sizeof(*target)),
                            clear_target);
    limits.counting = gcal_predict_counting(device, l->general->name);
    limits.counting.at_sizes = true;
    if (!l->catalogue ||
        gcal_catalogue_kernel_find(l->catalogue, name_launch(v, sizes), &limits, list,
                                   &kernel, err) < 0 ||
        gcal_predict_target_from_catalogue(target, kernel, err) < 0)
        return -1;
    time->profile = target->profile;
    time->sizes = target->sizes;
    return 0;
}

static bool is_usable(const struct gcal_measured_kernel *k)
{
    return k->measured && !k->uncounted && k->status == GCAL_MEASUREMENT_GOOD &&
           k->time_s > 0;
}

static int learn_variant(struct learning *l, const struct gcal_measured_kernels *measured,
                         size_t first, struct gcal_error *err)
{
    struct variant *v = gcal_arena_alloc(l->arena, 1, sizeof(*v));
    const struct gcal_run_kernel *kernel = &measured->kernels[first].kernel;

    *v = (struct variant){
        .l = l,
        .name = kernel->variant,
        .kernels = gcal_arena_alloc(l->arena, measured->n, sizeof(void *)),
        .rows = gcal_arena_alloc(l->arena, measured->n, sizeof(*v->rows))
    };
    for (size_t i = first; i < measured->n; i++) {
        const struct gcal_measured_kernel *k = &measured->kernels[i];

        if (!is_usable(k) || strcmp(k->kernel.variant, kernel->variant) != 0)
            continue;
        v->kernels[v->n] = k;
        v->rows[v->n++] =
            take_time(l, name_sizes(l->arena, &k->kernel), k->time_s, k->spread);
    }
    return learn_kernel(l, kernel->generator, v->n, v->rows, count_variant, v, err) < 0
               ? gcal_error_prefix(err, "%s", kernel->variant)
               : 0;
}

static int learn_catalogue(struct learning *l, struct gcal_error *err)
{
    const struct gcal_predict_device_options named = { .model = l->general->name };
    const struct gcal_evaluation_targets targets = { .arena = l->arena,
                                                     .catalogue = &l->c->catalogue,
                                                     .model = l->general->name,
                                                     .published = l->published.device,
                                                     .options = &named,
                                                     .opened = &l->published };
    struct gcal_measured_kernels *measured =
        gcal_arena_alloc(l->arena, 1, sizeof(*measured));

    measured->arena = l->arena;
    gcal_arena_own(l->arena, measured, clear_measured);
    if (gcal_evaluation_read_times(&targets, l->c->times, measured, err) < 0)
        return -1;
    for (size_t i = 0; i < measured->n; i++) {
        bool is_first = is_usable(&measured->kernels[i]);

        for (size_t k = 0; k < i && is_first; k++)
            is_first = !is_usable(&measured->kernels[k]) ||
                       strcmp(measured->kernels[k].kernel.variant,
                              measured->kernels[i].kernel.variant) != 0;
        if (is_first && learn_variant(l, measured, i, err) < 0)
            return -1;
    }
    return l->n ? 0
                : gcal_error_set(err, GCAL_EINPUT,
                                 "%s: no time of a kernel that can be "
                                 "counted",
                                 l->c->times);
}

/* ---- the command ---- */

static int open_device(struct learning *l, struct gcal_error *err)
{
    const struct gcal_predict_device_options options = { .store = l->c->store,
                                                         .node = l->c->node,
                                                         .device = l->c->device };
    const char *path = gcal_command_store_path(l->arena, l->c->store, NULL, err);

    if (!path || !(l->store = gcal_command_store_open(l->arena, path, true, err)) ||
        gcal_predict_device_open(&options, &l->published, err) < 0)
        return -1;
    l->general = gcal_learn_general(l->published.device);
    l->name = gcal_arena_format(l->arena, "%s/%s", l->published.params.node,
                                l->published.device->info.uid);
    if (l->general)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "the store has no good general model of %s, which a kernel's "
                          "times correct: calibrate it first ('gpucal calibrate --store "
                          "%s')",
                          l->published.device->info.name, path);
}

int gcal_learn_from_times(const struct gcal_learn_command *c, struct gcal_error *err)
{
    struct learning l = { .arena = gcal_arena_create(), .c = c };
    double start_s = gcal_clock_now_s();
    char utc[GCAL_CLOCK_UTC_SIZE];
    int rc = open_device(&l, err);

    gcal_clock_utc(utc);
    l.run = (struct gcal_learn_run){ gcal_run_id_new(l.arena), utc };
    if (rc == 0)
        rc = c->count.file ? learn_own(&l, err) : learn_catalogue(&l, err);
    if (rc == 0)
        gcal_learn_observed_too(l.store, &l.run);
    if (rc == 0)
        gcal_learn_print_kernels(c, l.kernels, l.n, gcal_clock_now_s() - start_s);
    for (size_t i = 0; i < l.n; i++)
        gcal_params_clear(&l.kernels[i].known);
    gcal_arena_destroy(l.arena);
    gcal_predict_device_clear(&l.published);
    return rc;
}
