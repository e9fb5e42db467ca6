/* inputs.c - the device and the target kernel of a prediction */
#include "mpi/commands/predict/inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "kernels/base/file.h"
#include "kernels/base/yaml.h"
#include "kernels/model/profile.h"
#include "calib/select/select.h"
#include "mpi/cli/command.h"
#include "mpi/cli/options.h"
#include "mpi/cli/quiet.h"
#include "mpi/commands/count/built.h"
#include "mpi/commands/count/options.h"
#include "store/files/store.h"
#include "store/learned/learned.h"
#include "store/predict/predictor.h"

#define MAX_FILE_BYTES (16u << 20)

/* ---- the device ---- */

static const struct argp_option options[] = {
    { "node", 'N', "NODE", 0, "The node (default: this one)", 0 },
    { "params", 'P', "FILE", 0, "A parameter file instead of a node of the store", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct gcal_predict_device_options *o = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &o->store, &o->device, &o->model);
        break;
    case 'N':
        o->node = arg;
        break;
    case 'P':
        o->params = arg;
        break;
    case ARGP_KEY_END:
        if (o->params && (o->store || o->node))
            argp_error(state, "--params excludes --store and --node");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = {
    GCAL_OPTION(store), GCAL_OPTION(device), GCAL_OPTION(model), { 0 }
};
const struct argp gcal_predict_device_argp = { .options = options,
                                               .parser = parse,
                                               .children = children };

int gcal_predict_params_read(const char *file, struct gcal_params *params,
                             struct gcal_error *err)
{
    size_t size;
    char *text = gcal_file_read(file, MAX_FILE_BYTES, &size, err);
    int rc = text ? gcal_params_decode(text, size, file, params, err) : -1;

    free(text);
    return rc;
}

static int load_params(const struct gcal_predict_device_options *o,
                       struct gcal_predict_device *p, struct gcal_error *err)
{
    const char *path, *node;

    p->arena = gcal_arena_create();
    path = gcal_command_store_path(p->arena, o->store, NULL, err);
    node = o->node ? o->node : gcal_node_name(p->arena);
    p->store = path ? gcal_command_store_open(p->arena, path, false, err) : NULL;
    return p->store ? gcal_store_load(p->store, node, NULL, &p->params, err) : -1;
}

int gcal_predict_device_open(const struct gcal_predict_device_options *o,
                             struct gcal_predict_device *p, struct gcal_error *err)
{
    int rc = o->params ? gcal_predict_params_read(o->params, &p->params, err)
                       : load_params(o, p, err);
    const struct gcal_params_model *asked = NULL;
    char why[GCAL_PARAMS_WHY_SIZE];

    if (rc == 0)
        p->device = gcal_params_find(&p->params, o->device, err);
    /* Of others the store may have learned. */
    if (p->device && o->model &&
        (!p->store || gcal_params_find_model(p->device, o->model) ||
         !gcal_learned_has_name(p->store, o->model)) &&
        !(asked = gcal_predictor_choose(p->device, o->model, 0, NULL, err)))
        p->device = NULL;
    if (asked && gcal_params_model_is_poor(asked, why))
        gcal_log(GCAL_LOG_WARN, "model %s is poor: %s", asked->name, why);
    return p->device ? 0 : -1;
}

int gcal_predict_device_add_learned(const struct gcal_predict_device_options *o,
                                    struct gcal_predict_device *p,
                                    const struct gcal_profile *profile,
                                    struct gcal_error *err)
{
    struct gcal_params_device *device = &p->params.devices[p->device - p->params.devices];

    if (!p->store || (o->model && gcal_params_find_model(device, o->model)))
        return 0;
    return gcal_learned_add(p->store, p->params.node, profile, device, err) < 0 ? -1 : 0;
}

void gcal_predict_device_clear(struct gcal_predict_device *p)
{
    gcal_params_clear(&p->params);
    if (p->arena)
        gcal_arena_destroy(p->arena);
    *p = (struct gcal_predict_device){ 0 };
}

struct gcal_kernel_counting gcal_predict_counting(const struct gcal_params_device *device,
                                                  const char *model)
{
    struct gcal_kernel_counting counting = { 0 };

    if (device && model && !gcal_params_find_model(device, model))
        model = NULL; /* one that is learned */
    if (!device)
        return counting;
    counting.sub_group_size = device->info.sub_group_size;
    for (size_t i = 0; i < device->n_models; i++) {
        const struct gcal_params_model *m = &device->models[i];

        if (!model || strcmp(m->name, model) == 0)
            gcal_select_add_counting(m->n_features, (const char *const *)m->feature,
                                     &counting);
    }
    return counting;
}

/* ---- the target kernel ---- */

static int set_points(struct gcal_predict_target *s, const struct gcal_option_list *ats,
                      const struct gcal_count_options *source, struct gcal_error *err)
{
    int rc =
        gcal_count_points_parse(ats->n, ats->items, s->profile, source, &s->points, err);

    s->sizes = s->points.values;
    return rc;
}

/* One point without values. */
static int set_point(struct gcal_predict_target *s, const struct gcal_profile *profile,
                     struct gcal_error *err)
{
    s->profile = profile;
    s->points = (struct gcal_count_points){ .n = 1, .n_sizes = profile->n_parameters };
    s->points.values = calloc(profile->n_parameters + 1, sizeof(*s->points.values));
    s->sizes = s->points.values;
    return s->sizes ? 0 : gcal_error_memory(err);
}

int gcal_predict_target_read(struct gcal_predict_target *s, const char *profile_file,
                             const struct gcal_params_device *device,
                             const struct gcal_option_list *ats, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_read(profile_file, MAX_FILE_BYTES, err);

    if (root && gcal_profile_set_decode(root, &s->to_clear, err) == 0)
        s->profile = device ? gcal_profile_set_find(
                                  &s->to_clear, (double)device->info.sub_group_size, err)
                            : s->to_clear.profiles[0];
    gcal_yaml_destroy(root);
    return s->profile ? set_points(s, ats, NULL, err) : -1;
}

struct gcal_profile *gcal_predict_profile(const struct gcal_count_options *o,
                                          const struct gcal_kernel_counting *counting,
                                          struct gcal_error *err)
{
    struct gcal_count_options all = *o;

    all.at_sizes = true;
    all.estimate_passes = true;
    all.n_banks = counting->n_banks;
    all.sector_bytes = counting->sector_bytes;
    all.index_arithmetic = counting->index_arithmetic;
    return gcal_count_options_profile(&all, counting->sub_group_size, err);
}

static int count_target(struct gcal_predict_target *s, const struct gcal_count_options *o,
                        const struct gcal_kernel_counting *counting,
                        struct gcal_error *err)
{
    struct gcal_profile *profile = gcal_predict_profile(o, counting, err);

    if (!profile)
        return -1;
    s->to_clear = (struct gcal_profile_set){ 1, { profile } };
    s->profile = profile;
    if (gcal_count_built_add(o, profile, err) < 0)
        return -1;
    return set_points(s, &o->ats, o, err);
}

/* Of several points each by itself, with those of the first as the whole's; 'why' is the error
 * if not even that is counted.
 */
static int count_each(struct gcal_predict_target *s, const struct gcal_count_options *o,
                      const struct gcal_kernel_counting *counting,
                      const struct gcal_strings *points, const struct gcal_error *why,
                      struct gcal_error *err)
{
    struct gcal_predict_target *each = calloc(points->n, sizeof(*each));
    int rc = each ? 0 : gcal_error_memory(err);

    gcal_predict_target_clear(s);
    s->each = each;
    for (size_t i = 0; i < points->n && rc == 0; i++) {
        struct gcal_count_options one = *o;
        const char *at = points->items[i];

        one.ats = (struct gcal_option_list){ .n = 1, .items = &at };
        rc = count_target(&each[s->n_each++], &one, counting, err);
        if (rc < 0 && (i || !why->text[0]))
            gcal_error_prefix(err, "%s", at);
        else if (rc < 0)
            *err = *why;
    }
    if (rc == 0)
        s->profile = each[0].profile;
    return rc == 0 ? set_points(s, &o->ats, o, err) : -1;
}

int gcal_predict_target_count(struct gcal_predict_target *s,
                              const struct gcal_count_options *o,
                              const struct gcal_kernel_counting *counting,
                              struct gcal_error *err)
{
    struct gcal_strings points = { 0 };
    struct gcal_error why = { 0 };
    int rc = count_target(s, o, counting, &why);

    if ((rc < 0 || gcal_count_lacks_sizes(s->profile)) && o->ats.n &&
        gcal_count_points_each(o->ats.n, o->ats.items, &points,
                               why.text[0] ? err : NULL) == 0 &&
        points.n > 1)
        rc = count_each(s, o, counting, &points, &why, err);
    else if (rc < 0)
        *err = why;
    gcal_strings_clear(&points);
    return rc;
}

struct gcal_predict_point gcal_predict_point(const struct gcal_predict_target *s,
                                             size_t i)
{
    if (s->each)
        return (struct gcal_predict_point){ s->each[i].profile, s->each[i].sizes };
    return (struct gcal_predict_point){ s->profile, s->sizes + i * s->points.n_sizes };
}

void gcal_predict_target_print_notes(const struct gcal_predict_target *s,
                                     const struct gcal_count_options *o)
{
    for (size_t i = 0; o->file && !gcal_quiet_is_on() && i < s->profile->n_notes; i++)
        fprintf(stderr, "gpucal: estimated: %s:%s\n", o->file, s->profile->notes[i]);
}

int gcal_predict_target_at(struct gcal_predict_target *s,
                           const struct gcal_predict_target *whole, size_t point,
                           struct gcal_error *err)
{
    const struct gcal_count_points *points = &whole->points;

    if (set_point(s, whole->profile, err) < 0)
        return -1;
    for (size_t i = 0; i < points->n_sizes; i++)
        s->points.values[i] = points->values[point * points->n_sizes + i];
    return 0;
}

int gcal_predict_target_from_catalogue(struct gcal_predict_target *s,
                                       const struct gcal_kernel *kernel,
                                       struct gcal_error *err)
{
    const struct gcal_profile *p = kernel->profile;

    return set_point(s, p, err) < 0
               ? -1
               : gcal_count_sizes_of_kernel(kernel, p->n_parameters,
                                            (const char *const *)p->parameters,
                                            s->points.values, err);
}

void gcal_predict_target_clear(struct gcal_predict_target *s)
{
    for (size_t i = 0; i < s->n_each; i++)
        gcal_predict_target_clear(&s->each[i]);
    free(s->each);
    gcal_profile_set_clear(&s->to_clear);
    gcal_count_points_clear(&s->points);
    *s = (struct gcal_predict_target){ 0 };
}
