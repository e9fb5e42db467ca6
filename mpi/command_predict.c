/* command_predict.c - gpucal predict: a kernel's time on a calibrated device */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "calib/base/units.h"
#include "calib/model/profile.h"
#include "mpi/command.h"
#include "mpi/count_options.h"
#include "mpi/group.h"
#include "mpi/local_device.h"
#include "mpi/print_json.h"
#include "store/gpucal.h"

struct predict_command {
    struct gcal_count_options count;
    const char *store, *node, *device, *model, *profile;
    size_t n_tags, tags_capacity;
    const char **tags; /* of a catalogue kernel */
    bool measure, json;
};

static const struct argp_option options[] = {
    { "store", 's', "DIR", 0, "The store (default: $GPUCAL_STORE)", 0 },
    { "node", 'N', "NODE", 0, "The node (default: this one)", 0 },
    { "device", 'd', "PATTERN", 0, "Which device of the node, by name, type or uid", 0 },
    { "model", 'm', "NAME", 0, "Which model (default: the only one)", 0 },
    { "profile", 'p', "FILE", 0, "A counted kernel, written by 'gpucal count -o FILE'",
      0 },
    { "tag", 't', "TAG", 0,
      "A kernel of the catalogue instead of a file: give its tags, "
      "sizes included, each with --tag",
      0 },
    { "measure", 'M', NULL, 0,
      "Time the catalogue's kernel on this machine's device, too", 0 },
    { "json", 'j', NULL, 0, "As JSON", 0 },
    { 0 },
};

static void add_tag(struct predict_command *c, char *tag, struct argp_state *state)
{
    const char **tags =
        gcal_array_grow(c->tags, c->n_tags, &c->tags_capacity, sizeof(*tags), NULL);

    if (!tags)
        argp_failure(state, GCAL_EINPUT, 0, "out of memory");
    c->tags = tags;
    c->tags[c->n_tags++] = tag;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct predict_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &c->count;
        break;
    case 's':
        c->store = arg;
        break;
    case 'N':
        c->node = arg;
        break;
    case 'd':
        c->device = arg;
        break;
    case 'm':
        c->model = arg;
        break;
    case 'p':
        c->profile = arg;
        break;
    case 't':
        add_tag(c, arg, state);
        break;
    case 'M':
        c->measure = true;
        break;
    case 'j':
        c->json = true;
        break;
    case ARGP_KEY_END:
        if (!!c->profile + !!c->count.file + !!c->n_tags != 1)
            argp_error(state, "expected one of --profile FILE, KERNEL.cl, or --tag TAG");
        if (c->measure && !c->n_tags)
            argp_error(state, "--measure needs a kernel of the catalogue (--tag): what "
                              "buffers another one wants is not known");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_count_argp, 0, NULL, 0 }, { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "[KERNEL.cl]",
    .children = children,
    .doc =
        "Predicts how long a kernel takes on a device whose calibration is "
        "published.\v"
        "Examples:\n"
        "  gpucal predict --node n0 --profile mm.yaml --at n=2048\n"
        "  gpucal predict --node n0 mm.cl --local 16,16 --global n,n --assume 'n % 16 = "
        "0' --at n=2048\n"
        "  gpucal predict --tag matmul_tiled --tag n:1024 --measure",
};

/* What is to be predicted: a profile, its sizes, and the kernel when it can be run. */
struct subject {
    struct gpucal_profile *profile;
    double *sizes;
    struct gcal_catalogue *catalogue;
    struct gcal_kernel_list list;
};

static void subject_clear(struct subject *s)
{
    gpucal_profile_close(s->profile);
    gcal_kernel_list_clear(&s->list);
    gcal_catalogue_close(s->catalogue);
    free(s->sizes);
}

/* The library's errors have the same codes. */
static int from_library(const struct gpucal_error *from, struct gcal_error *err)
{
    return gcal_error_set(err, (enum gcal_code)from->code, "%s", from->text);
}

static int take_profile(struct subject *s, const struct gcal_profile *counted,
                        const char *name, struct gcal_error *err)
{
    char *text = counted ? gcal_profile_encode(counted, err) : NULL;
    struct gpucal_error trouble = { 0 };

    if (!text)
        return -1;
    s->profile = gpucal_profile_parse(text, strlen(text), name, &trouble);
    free(text);
    return s->profile ? 0 : from_library(&trouble, err);
}

/* From the command line, or from the catalogue's kernel. */
static int take_sizes(struct subject *s, const char *at, struct gcal_error *err)
{
    size_t n = gpucal_profile_parameter_count(s->profile);
    const char **names = calloc(n + 1, sizeof(*names));
    int rc = -1;

    if (!names || !(s->sizes = calloc(n + 1, sizeof(*s->sizes))))
        gcal_error_memory(err);
    else {
        for (size_t i = 0; i < n; i++)
            names[i] = gpucal_profile_parameter(s->profile, i);
        rc = s->list.n_kernels
                 ? gcal_sizes_of_kernel(s->list.kernels[0], n, names, s->sizes, err)
                 : gcal_sizes_parse(at, n, names, s->sizes, err);
    }
    free(names);
    return rc;
}

static int take_catalogue_kernel(struct subject *s, const struct predict_command *c,
                                 struct gcal_error *err)
{
    const struct gcal_kernel *kernel;

    if (!(s->catalogue = gcal_catalogue_open(NULL, err)) ||
        gcal_catalogue_check(s->catalogue, c->n_tags, c->tags, GCAL_MATCH_SUPERSET, err) <
            0 ||
        gcal_catalogue_generate(s->catalogue, c->n_tags, c->tags, GCAL_MATCH_SUPERSET,
                                NULL, &s->list, err) < 0)
        return -1;
    if (s->list.n_kernels != 1)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the tags pick %zu kernels, and one is wanted; 'gpucal "
                              "kernels' with the same tags lists them",
                              s->list.n_kernels);
    kernel = s->list.kernels[0];
    if (take_profile(s, kernel->profile, kernel->name, err) < 0)
        return -1;
    return take_sizes(s, NULL, err);
}

/* Of the device that the time is predicted for. */
static int find_sub_group_size(const struct predict_command *c, const char *store_path,
                               const char *node, size_t *size, struct gcal_error *err)
{
    struct gpucal_error trouble = { 0 };
    struct gpucal_store *store = gpucal_store_open(store_path, &trouble);
    struct gpucal_device *device =
        store ? gpucal_device_open(store, node, c->device, &trouble) : NULL;
    int rc = device ? 0 : from_library(&trouble, err);

    if (device)
        *size = gpucal_device_sub_group_size(device);
    gpucal_device_close(device);
    gpucal_store_close(store);
    return rc;
}

/* Counted for the device's sub-groups, which is exact where only some of a work-group's
 * take part.
 */
static int take_source(struct subject *s, const struct predict_command *c,
                       const char *store_path, const char *node, struct gcal_error *err)
{
    struct gcal_profile *counted;
    size_t sub_group_size = 0;
    int rc;

    if (find_sub_group_size(c, store_path, node, &sub_group_size, err) < 0 ||
        !(counted = gcal_count_options_run(&c->count, sub_group_size, err)))
        return -1;
    for (size_t i = 0; i < counted->n_notes; i++)
        fprintf(stderr, "gpucal: estimated: %s:%s\n", c->count.file, counted->notes[i]);
    rc = take_profile(s, counted, c->count.file, err);
    gcal_profile_destroy(counted);
    return rc < 0 ? -1 : take_sizes(s, c->count.at, err);
}

static int take_subject(struct subject *s, const struct predict_command *c,
                        const char *store_path, const char *node, struct gcal_error *err)
{
    struct gpucal_error trouble = { 0 };

    if (c->n_tags)
        return take_catalogue_kernel(s, c, err);
    if (c->profile) {
        if (!(s->profile = gpucal_profile_open(c->profile, &trouble)))
            return from_library(&trouble, err);
        return take_sizes(s, c->count.at, err);
    }
    return take_source(s, c, store_path, node, err);
}

struct answer {
    struct gpucal_prediction prediction;
    char *node, *device_name, *device_uid;
    double measured_s; /* NaN: not measured */
    size_t launches;
};

static int predict(const struct predict_command *c, const char *store_path,
                   const struct subject *s, struct answer *a, struct gcal_error *err)
{
    struct gpucal_error trouble = { 0 };
    struct gpucal_store *store = gpucal_store_open(store_path, &trouble);
    struct gpucal_device *device =
        store ? gpucal_device_open(store, a->node, c->device, &trouble) : NULL;
    struct gpucal_model *model =
        device ? gpucal_model_bind(device, c->model, s->profile, &trouble) : NULL;
    int rc = -1;

    if (!model || gpucal_predict(model, s->sizes, &a->prediction, &trouble) < 0)
        from_library(&trouble, err);
    else if (!(a->device_name = strdup(gpucal_device_name(device))) ||
             !(a->device_uid = strdup(gpucal_device_uid(device))))
        gcal_error_memory(err);
    else
        rc = 0;
    gpucal_model_close(model);
    gpucal_device_close(device);
    gpucal_store_close(store);
    return rc;
}

static int measure(const struct subject *s, struct answer *a, struct gcal_error *err)
{
    struct gcal_local_devices devices = { 0 };
    int rc = gcal_local_devices_open(&devices, err);

    if (rc == 0)
        rc = gcal_local_measure(&devices, a->device_uid, s->list.kernels[0],
                                &a->measured_s, &a->launches, err);
    gcal_local_devices_close(&devices);
    return rc;
}

static void print_answer(const struct answer *a)
{
    char time[GCAL_UNITS_SIZE], error[GCAL_UNITS_SIZE], measured[GCAL_UNITS_SIZE];
    const struct gpucal_prediction *p = &a->prediction;

    printf("%s on node %s: predicted %s, standard error %s%s\n", a->device_name, a->node,
           gcal_units(p->time_s, "s", time), gcal_units(p->standard_error_s, "s", error),
           p->extrapolates ? " (outside the calibrated range)" : "");
    if (!isnan(a->measured_s))
        printf("measured %s (median of %zu launches): the prediction is %+.1f%% off\n",
               gcal_units(a->measured_s, "s", measured), a->launches,
               100 * (p->time_s / a->measured_s - 1));
}

static void print_json(const struct answer *a)
{
    const struct gpucal_prediction *p = &a->prediction;
    json_t *all = json_pack("{s:s, s:s, s:s, s:f, s:f, s:b}", "node", a->node, "device",
                            a->device_name, "device_uid", a->device_uid, "time_s",
                            p->time_s, "standard_error_s", p->standard_error_s,
                            "extrapolates", p->extrapolates);

    if (!isnan(a->measured_s))
        json_object_set_new(all, "measured_s", json_real(a->measured_s));
    gcal_print_json(all);
    json_decref(all);
}

static int run(const struct predict_command *c, struct gcal_error *err)
{
    struct answer a = { .measured_s = NAN };
    struct subject s = { 0 };
    char *store = gcal_command_store(c->store, NULL, err);
    int rc = -1;

    if (!store || !(a.node = c->node ? strdup(c->node) : gcal_node_name(err)) ||
        take_subject(&s, c, store, a.node, err) < 0 ||
        predict(c, store, &s, &a, err) < 0 || (c->measure && measure(&s, &a, err) < 0))
        goto out;
    if (c->json)
        print_json(&a);
    else
        print_answer(&a);
    rc = 0;
out:
    subject_clear(&s);
    free(a.node);
    free(a.device_name);
    free(a.device_uid);
    free(store);
    return rc;
}

int gcal_command_predict(int argc, char **argv)
{
    struct predict_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    rc = run(&c, &err);
    gcal_count_options_clear(&c.count);
    free(c.tags);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
