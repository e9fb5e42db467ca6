/* subject.c - one kernel on one calibrated device */
#include "mpi/commands/predict/subject.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "kernels/model/profile.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/options.h"
#include "mpi/commands/own/own.h"
#include "mpi/commands/predict/catalogue_kernel.h"
#include "store/predict/predictor.h"

/* ---- options ---- */

static const struct argp_option options[] = {
    { "profile", 'p', "FILE", 0, "A counted kernel, written by 'gpucal count -o FILE'",
      0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_predict_subject_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &o->published, &o->count, &o->config, &o->catalogue);
        o->count.requires_sizes = true;
        break;
    case 'p':
        o->profile = arg;
        gcal_option_list_add(&o->profiles, arg);
        break;
    case ARGP_KEY_ARG:
        /* The file of a kernel; tags are words and NAME:VALUE. */
        if (strchr(arg, '/') || (strchr(arg, '.') && !strchr(arg, ':')))
            return ARGP_ERR_UNKNOWN; /* it is the child's */
        gcal_option_list_add(&o->tags, arg);
        break;
    case ARGP_KEY_END:
        if (!!o->profile + !!o->count.file + !!o->tags.n != 1)
            argp_error(state, "expected one of --profile FILE, KERNEL.cl, or TAG...");
        if (o->profiles.n > 1 && !o->several)
            argp_error(state, "expected one --profile");
        if (o->count.ats.n && o->tags.n)
            argp_error(state, "--at excludes tags: give sizes as n:4096");
        if (o->count.build && !o->count.file)
            argp_error(state, "--build requires KERNEL.cl");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_predict_device_argp, 0, NULL, 0 },
                                              { &gcal_count_options_argp, 0, NULL, 0 },
                                              GCAL_OPTION(config),
                                              GCAL_OPTION(catalogue),
                                              { 0 } };
const struct argp gcal_predict_subject_argp = { .options = options,
                                                .parser = parse,
                                                .children = children };

void gcal_predict_subject_check_measure(
    const struct gcal_predict_subject_options *options,
    const struct gcal_own_options *own, bool measure, const struct argp_state *state)
{
    if (measure && options->profile)
        argp_error(state, "--measure requires KERNEL.cl or a catalogue kernel (TAG...): "
                          "a profile cannot be run");
    if (own->set.n && !(measure && options->count.file))
        argp_error(state, "--set requires --measure and KERNEL.cl");
    if (options->count.n_buffers && !options->count.file)
        argp_error(state, "--buffer and --range require KERNEL.cl");
}

int gcal_predict_subject_prepare_measure(struct gcal_predict_subject_options *options,
                                         const struct gcal_own_options *own,
                                         struct gcal_error *err)
{
    return options->count.file ? gcal_own_values_add(&options->count, own, err) : 0;
}

/* ---- the kernel ---- */

/* Fills 'list' with the one kernel that the tags select. */
static int pick_kernel(const struct gcal_predict_subject_options *o,
                       struct gcal_catalogue *catalogue,
                       const struct gcal_kernel_counting *counting,
                       struct gcal_kernel_list *list, struct gcal_error *err)
{
    struct gcal_kernel_limits limits = gcal_kernel_nominal_limits;

    limits.counting = *counting;
    limits.counting.at_sizes = true;
    if (gcal_catalogue_check(catalogue, o->tags.n, o->tags.items, GCAL_MATCH_SUPERSET,
                             err) < 0 ||
        gcal_catalogue_generate(catalogue, o->tags.n, o->tags.items, GCAL_MATCH_SUPERSET,
                                &limits, list, err) < 0 ||
        gcal_kernel_list_check(list, err) < 0)
        return -1;
    if (o->several ? o->pick >= list->n_kernels : list->n_kernels != 1)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the tags select %zu kernels, expected one; 'gpucal "
                              "kernels' with the same tags lists them",
                              list->n_kernels);
    return 0;
}

/* 'device' may be NULL. */
static int take_target(const struct gcal_predict_subject_options *o,
                       const struct gcal_params_device *device,
                       struct gcal_predict_subject *s, struct gcal_error *err)
{
    struct gcal_kernel_counting counting =
        gcal_predict_counting(device, o->published.model);
    struct gcal_count_options count = o->count;
    struct gcal_catalogue *catalogue;
    int rc = -1;

    if (o->counts_all && device) {
        counting.n_banks = GCAL_PROFILE_BANKS;
        counting.sector_bytes = GCAL_PROFILE_SECTOR_BYTES;
        counting.index_arithmetic = true;
    }
    /* Without a pattern, on what it is predicted for. */
    if (!count.build_on && device)
        count.build_on = device->info.type;
    if (o->profile)
        return gcal_predict_target_read(&s->target, o->profile, device, &o->count.ats,
                                        err);
    if (!o->tags.n)
        return gcal_predict_target_count(&s->target, &count, &counting, err);
    if ((catalogue = gcal_command_catalogue_open_for(&o->catalogue, o->config, err)) &&
        pick_kernel(o, catalogue, &counting, &s->list, err) == 0) {
        s->kernel = s->list.kernels[o->pick];
        rc = gcal_predict_target_from_catalogue(&s->target, s->kernel, err);
    }
    gcal_catalogue_close(catalogue);
    return rc;
}

int gcal_predict_subject_open(const struct gcal_predict_subject_options *o,
                              struct gcal_predict_subject *s, struct gcal_error *err)
{
    struct gcal_error second = { 0 };
    char *first;

    if (gcal_predict_device_open(&o->published, &s->published, err) == 0)
        return take_target(o, s->published.device, s, err) < 0
                   ? -1
                   : gcal_predict_device_add_learned(&o->published, &s->published,
                                                     s->target.profile, err);
    if (take_target(o, NULL, s, &second) < 0 && (first = strdup(err->text))) {
        gcal_error_set(err, err->code, "%s; %s", first, second.text);
        free(first);
    }
    return -1;
}

void gcal_predict_subject_clear(struct gcal_predict_subject *s)
{
    gcal_predict_target_clear(&s->target);
    gcal_kernel_list_clear(&s->list);
    gcal_predict_device_clear(&s->published);
}

/* ---- its measured time ---- */

/* A kernel of the user's own, whose buffers are made up. */
static int measure_own(const struct gcal_predict_subject_options *o,
                       const struct gcal_own_options *own_options,
                       const struct gcal_predict_subject *s, enum gcal_kernel_form form,
                       struct gcal_local_devices *devices, struct gcal_timed *timed,
                       struct gcal_error *err)
{
    const struct gcal_profile *p = s->target.profile;
    struct gcal_own_kernel own = { 0 };
    int rc = s->target.points.n == 1
                 ? 0
                 : gcal_error_set(err, GCAL_EINPUT,
                                  "--measure takes one value of each size, "
                                  "not several");

    if (rc == 0)
        rc = gcal_own_kernel_read(&o->count, own_options, NULL, &own, err);
    if (rc == 0)
        rc = gcal_own_measure(&own, form, p->n_parameters,
                              (const char *const *)p->parameters, s->target.sizes,
                              devices, s->published.device->info.uid, timed, err);
    gcal_own_kernel_clear(&own);
    return rc;
}

/* "matmul_tiled_memory ARGUMENTS accumulators:1 barriers:True SIZES" of "matmul_tiled ARGUMENTS
 * SIZES"; the caller's to free, NULL if memory runs out.
 */
static char *derived_name(const struct gcal_kernel *kernel, enum gcal_kernel_form form)
{
    const char *name = kernel->name, *sizes = name + strlen(name);
    size_t generator = strcspn(name, " ");

    for (size_t i = 0; i < kernel->n_sizes && sizes > name + generator; i++)
        do
            sizes--;
        while (sizes > name + generator && *sizes != ' ');
    return gcal_buf_format(
        "%.*s_%s%.*s%s%s", (int)generator, name,
        form == GCAL_KERNEL_MEMORY ? "memory" : "onchip",
        (int)(sizes - name - (ptrdiff_t)generator), name + generator,
        form == GCAL_KERNEL_MEMORY ? " accumulators:1 barriers:True" : "", sizes);
}

/* A kernel that the catalogue derives from the subject's. */
static int measure_derived(const struct gcal_predict_subject_options *o,
                           const struct gcal_predict_subject *s,
                           enum gcal_kernel_form form, struct gcal_local_devices *devices,
                           struct gcal_timed *timed, struct gcal_error *err)
{
    struct gcal_catalogue *catalogue =
        gcal_command_catalogue_open_for(&o->catalogue, o->config, err);
    char *name = derived_name(s->kernel, form);
    struct gcal_kernel_list list = { 0 };
    struct gcal_kernel *kernel;
    int rc = !name ? gcal_error_memory(err) : catalogue ? 0 : -1;

    if (rc == 0)
        rc = gcal_catalogue_kernel_find(catalogue, name, &gcal_kernel_nominal_limits,
                                        &list, &kernel, err);
    if (rc == 0)
        rc = gcal_local_device_measure(devices, s->published.device->info.uid, kernel,
                                       timed, err);
    gcal_kernel_list_clear(&list);
    gcal_catalogue_close(catalogue);
    free(name);
    return rc;
}

int gcal_predict_subject_measure(const struct gcal_predict_subject_options *o,
                                 const struct gcal_own_options *own,
                                 const struct gcal_predict_subject *s,
                                 enum gcal_kernel_form form, struct gcal_timed *timed,
                                 struct gcal_error *err)
{
    struct gcal_local_devices devices = { 0 };
    int rc = gcal_local_devices_open(&devices, err);

    if (rc == 0 && !s->kernel)
        rc = measure_own(o, own, s, form, &devices, timed, err);
    else if (rc == 0 && form != GCAL_KERNEL_COMPLETE)
        rc = measure_derived(o, s, form, &devices, timed, err);
    else if (rc == 0)
        rc = gcal_local_device_measure(&devices, s->published.device->info.uid, s->kernel,
                                       timed, err);
    gcal_local_devices_close(&devices);
    return rc;
}

/* ---- the cost of a launch ---- */

/* Each takes little more than its launch, and errors of single kernels, some 8 %, are as large as what
 * launches differ by between hosts.
 */
static const char *const small_kernels[] = {
    "increment dtype:float32 N:256 F:1 M:65536",
    "gmem_copy dtype:float32 lsize_0:256 pointer:restrict width:4 per_item:1 "
    "nelements:262144",
    "stencil_5point dtype:float32 lsize_0:16 lsize_1:16 groups_fit:True n:224",
    "flops_add dtype:float32 lsize_0:256 groups_fit:True nelements:131072 m:1",
    "histogram_local dtype:float32 version:local_padded lsize_0:256 bins:256 items:4 "
    "n:65536",
};

enum { N_SMALL_KERNELS = sizeof(small_kernels) / sizeof(*small_kernels) };

/* The cost of a launch that explains the time of one of them. */
static int measure_small(struct gcal_catalogue *catalogue,
                         struct gcal_local_devices *devices,
                         const struct gcal_params_device *device, const char *uid,
                         const char *model, const char *name, double *launch_s,
                         struct gcal_error *err)
{
    struct gcal_kernel_limits limits = gcal_kernel_nominal_limits;
    struct gcal_kernel_list list = { 0 };
    struct gcal_predict_target target = { 0 };
    struct gcal_predictor *predictor = NULL;
    struct gcal_kernel *kernel;
    struct gcal_timed timed;
    int rc = -1;

    limits.counting = gcal_predict_counting(device, model);
    limits.counting.at_sizes = true;
    if (gcal_catalogue_kernel_find(catalogue, name, &limits, &list, &kernel, err) == 0 &&
        gcal_predict_target_from_catalogue(&target, kernel, err) == 0 &&
        (predictor = gcal_predictor_create(device, model, target.profile, err)) &&
        gcal_local_device_measure(devices, uid, kernel, &timed, err) == 0)
        rc = gcal_predictor_find_launch(predictor, target.sizes, timed.median_s, launch_s,
                                        err);
    gcal_predictor_destroy(predictor);
    gcal_predict_target_clear(&target);
    gcal_kernel_list_clear(&list);
    return rc;
}

int gcal_predict_subject_measure_launch(const struct gcal_predict_subject_options *o,
                                        const struct gcal_predict_subject *s,
                                        const char *model, double *launch_s,
                                        struct gcal_error *err)
{
    const struct gcal_params_device *device = s->published.device;
    struct gcal_local_devices devices = { 0 };
    const struct gcal_device_info *info = NULL;
    struct gcal_catalogue *catalogue =
        gcal_command_catalogue_open_for(&o->catalogue, o->config, err);
    double found_s[N_SMALL_KERNELS];
    size_t n = 0;

    if (catalogue && gcal_local_devices_open(&devices, err) == 0 &&
        (info = gcal_local_device_find(&devices, &device->info, err)))
        for (size_t i = 0; i < N_SMALL_KERNELS && i - n <= N_SMALL_KERNELS / 2; i++)
            if (measure_small(catalogue, &devices, device, info->uid, model,
                              small_kernels[i], &found_s[n], err) == 0)
                n++;
    *launch_s = n ? gcal_median(found_s, n) : 0;
    gcal_local_devices_close(&devices);
    gcal_catalogue_close(catalogue);
    /* One may have met another program's work. */
    return n > N_SMALL_KERNELS / 2 ? 0 : -1;
}
