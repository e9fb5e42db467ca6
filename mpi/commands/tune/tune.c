/* tune.c - gpucal tune: the best configuration of a kernel */
#include <argp.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/predict/inputs.h"
#include "mpi/commands/tune/measure.h"
#include "mpi/commands/tune/private.h"

struct tune_command {
    struct gcal_predict_device_options published;
    struct gcal_option_list arguments, profiles, ats, overs, catalogue, include_folders;
    const char *config, *space, *output, *header;
    bool json, baseline;
    double best;
    struct gcal_tune_measure_options measure;
};

enum { BEST = 256, SPACE, OVER, HEADER, BASELINE };

#define HEURISTIC "heuristic of Haigh and McCreath"

static const struct argp_option options[] = {
    { "at", 'A', "NAME=VALUE,..", 0,
      "Sizes, e.g. n=2048,m=64; a tag n:2048 does the same.  Of --profile also several "
      "values, by a list (n=512,1024), a range that doubles (n=512:8192), or repeating "
      "the "
      "option",
      0 },
    { "profile", 'p', "FILE", 0,
      "A kernel counted by 'gpucal count -o FILE', instead of tags; may be repeated: "
      "each "
      "file at each of its sizes is a configuration",
      0 },
    { "space", SPACE, "FILE.yaml", 0,
      "The parameters of a kernel of your own, in a file instead of tags", 0 },
    { "include", 'I', "FOLDER", 0, "Where KERNEL.cl includes files from; may be repeated",
      0 },
    { "over", OVER, "NAME=VALUE:VALUE,..", 0,
      "The best configuration for each of several sizes, e.g. n=512:8192 or n=500,1000, "
      "and "
      "what the choice of one costs at the others",
      0 },
    { "output", 'o', "FILE.json", 0, "Write what --json prints to a file", 0 },
    { "header", HEADER, "FILE.h", 0,
      "Write the macros and the work-group of the chosen configuration as a C header",
      0 },
    { "baseline", BASELINE, 0, 0,
      "Print the choice of Haigh and McCreath's heuristic as well, and with --times its "
      "share "
      "of the best speed",
      0 },
    { "best", BEST, "COUNT", 0, "Print the best COUNT configurations (default: 10)", 0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct tune_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->published, &c->json, &c->config, &c->catalogue,
                           &c->measure);
        break;
    case 'A':
        gcal_option_list_add(&c->ats, arg, state);
        break;
    case 'p':
        gcal_option_list_add(&c->profiles, arg, state);
        break;
    case OVER:
        gcal_option_list_add(&c->overs, arg, state);
        break;
    case 'o':
        c->output = arg;
        break;
    case BASELINE:
        c->baseline = true;
        break;
    case HEADER:
        c->header = arg;
        break;
    case 'I':
        gcal_option_list_add(&c->include_folders, arg, state);
        break;
    case SPACE:
        c->space = arg;
        break;
    case BEST:
        c->best = gcal_option_positive(arg, "", "--best", state);
        break;
    case ARGP_KEY_ARG:
        gcal_option_list_add(&c->arguments, arg, state);
        break;
    case ARGP_KEY_END:
        if (c->space && c->arguments.n != 1)
            argp_error(state, "expected one KERNEL.cl with --space");
        if (!c->arguments.n == !c->profiles.n)
            argp_error(state,
                       "expected either tags, KERNEL.cl with --space, or --profile FILE");
        if (c->profiles.n &&
            (c->overs.n || c->header || c->baseline || c->measure.measures ||
             c->measure.times || c->catalogue.n || c->config))
            argp_error(state,
                       "--profile excludes --over, --header, --baseline, --measure, "
                       "--times, --catalogue and --config");
        if (c->include_folders.n && !c->space)
            argp_error(state, "--include requires --space");
        if (c->overs.n && (c->ats.n || c->header || c->baseline || c->measure.measures ||
                           c->measure.times))
            argp_error(
                state,
                "--over excludes --at, --header, --baseline, --measure and --times");
        if (c->space && (c->catalogue.n || c->config))
            argp_error(state, "--space excludes --catalogue and --config");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_predict_device_argp, 0, NULL, 0 },
                                              GCAL_OPTION(json),
                                              GCAL_OPTION(config),
                                              GCAL_OPTION(catalogue),
                                              { &gcal_tune_measure_argp, 0, NULL, 0 },
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .args_doc = "TAG | ARGUMENT:VALUE[,VALUE]...\nKERNEL.cl --space "
                "SPACE.yaml\n--profile FILE...",
    .children = children,
    .doc =
        "Ranks the configurations of a kernel by predicted time on a calibrated device, "
        "without the device.\v"
        "Examples:\n"
        "  gpucal tune matmul_sq --at n=1024\n"
        "  gpucal tune matmul_sq prefetch:False,True --at n=1024 --json\n"
        "  gpucal tune product.cl --space product.yaml --params h200.yaml\n"
        "  gpucal tune product.cl --space product.yaml --params h200.yaml \\\n"
        "      --over n=1024,4096 -o by_size.json\n"
        "  gpucal tune product.cl --space product.yaml --params h200.yaml \\\n"
        "      --header product.h\n"
        "  gpucal tune --profile a.yaml --profile b.yaml --at n=4096\n"
        "  gpucal tune --profile blocked.yaml --at n=4096,b=16,32\n\n"
        "The space is what the tags give several values; if they give none, all values "
        "of all arguments that change how the work is done.",
};

/* ---- the space ---- */

static int add_tags(const struct gcal_option_list *tags, struct gcal_tune_entry *entry,
                    struct gcal_error *err)
{
    for (size_t i = 0; i < tags->n; i++)
        if (gcal_strings_add(&entry->tags, tags->items[i], err) < 0)
            return -1;
    return 0;
}

static int open_entry(const struct tune_command *c, struct gcal_tune_entry *entry,
                      struct gcal_error *err)
{
    if (c->space)
        return gcal_tune_entry_read(c->space, c->arguments.items[0], &c->include_folders,
                                    entry, err);
    if (!(entry->catalogue =
              gcal_command_catalogue_open_for(&c->catalogue, c->config, err)) ||
        add_tags(&c->arguments, entry, err) < 0)
        return -1;
    return gcal_catalogue_space_tags(entry->catalogue, c->arguments.n, c->arguments.items,
                                     GCAL_MATCH_SUPERSET, &entry->tags, err);
}

static int open_space(const struct tune_command *c, const struct gcal_tune_entry *entry,
                      const struct gcal_predict_device *published,
                      const struct gcal_tune_points *points, size_t point,
                      struct gcal_tune_space *space, struct gcal_error *err)
{
    struct gcal_strings sizes = { 0 };
    int rc;

    if (c->profiles.n)
        return gcal_tune_space_open_profiles(&c->profiles, &c->ats,
                                             published->params.node, published->device,
                                             c->published.model, space, err);
    rc = gcal_tune_points_tags(points, point, &sizes, err);

    if (rc == 0)
        rc = gcal_tune_space_open(entry, sizes.n, (const char *const *)sizes.items,
                                  published->params.node, published->device,
                                  c->published.model, space, err);
    gcal_strings_clear(&sizes);
    return rc;
}

/* ---- outputs ---- */

static int write_json(const char *path, const json_t *json, struct gcal_error *err)
{
    char *text = json_dumps(json, JSON_INDENT(2));
    int rc = text ? gcal_command_write(path, text, err) : gcal_error_memory(err);

    free(text);
    return rc;
}

/* Takes 'json'. */
static int put_json(const struct tune_command *c, json_t *json, struct gcal_error *err)
{
    int rc = 0;

    if (!json)
        return gcal_error_memory(err);
    if (c->json)
        gcal_json_print(json, "tune");
    if (c->output)
        rc = write_json(c->output, json, err);
    json_decref(json);
    return rc;
}

static int put_space_json(const struct tune_command *c,
                          const struct gcal_tune_space *space,
                          const struct gcal_tune_measured *measured,
                          const struct gcal_tune_policy *policy, struct gcal_error *err)
{
    json_t *json = gcal_tune_json(space);

    if (json) {
        gcal_tune_measured_put_json(measured, space, c->baseline, policy, json);
        if (c->baseline)
            json_object_set_new(json, "heuristic",
                                policy->choice < space->n_configs
                                    ? gcal_tune_config_json(space, policy->choice)
                                    : json_null());
    }
    return put_json(c, json, err);
}

/* The fastest by its times, else by its prediction. */
static int put_header(const char *path, const struct gcal_tune_space *space,
                      const struct gcal_tune_measured *measured, struct gcal_error *err)
{
    size_t best = measured->is_measured ? measured->progress.best : space->n_configs;

    return best < space->n_configs
               ? gcal_tune_write_header(path, space, best, measured->progress.best_s, err)
               : gcal_tune_write_header(path, space, space->ranking[0], NAN, err);
}

static int put_space(const struct tune_command *c, const struct gcal_tune_space *space,
                     const struct gcal_params_device *device,
                     const struct gcal_tune_measured *measured, struct gcal_error *err)
{
    struct gcal_tune_policy policy = { .name = HEURISTIC };

    if (c->baseline && gcal_tune_heuristic(space, device, &policy.choice, err) < 0)
        return -1;
    if (!c->json) {
        gcal_tune_print(space, (size_t)c->best);
        if (c->baseline)
            gcal_tune_print_policy(space, policy.name, policy.choice);
        gcal_tune_measured_print(measured, space, c->baseline, &policy);
    }
    if ((c->json || c->output) && put_space_json(c, space, measured, &policy, err) < 0)
        return -1;
    return c->header ? put_header(c->header, space, measured, err) : 0;
}

/* ---- one size, or several ---- */

static int tune(const struct tune_command *c, const struct gcal_tune_entry *entry,
                const struct gcal_predict_device *published,
                const struct gcal_tune_points *points, struct gcal_error *err)
{
    struct gcal_tune_space space = { 0 };
    struct gcal_tune_measured measured = { 0 };
    int rc;

    if (points->points.n != 1 && !c->profiles.n)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--at: expected one value of each size, found %zu "
                              "combinations; --over takes several",
                              points->points.n);
    rc = open_space(c, entry, published, points, 0, &space, err);
    if (rc == 0)
        rc = gcal_tune_measure(&c->measure, &space, &published->device->info, &measured,
                               err);
    if (rc == 0)
        rc = put_space(c, &space, published->device, &measured, err);
    gcal_tune_measured_clear(&measured);
    gcal_tune_space_clear(&space);
    return rc;
}

static int add_point(const struct tune_command *c, const struct gcal_tune_entry *entry,
                     const struct gcal_predict_device *published,
                     const struct gcal_tune_points *points, size_t point,
                     struct gcal_tune_over *over, struct gcal_error *err)
{
    struct gcal_tune_space space = { 0 };
    char *name = gcal_tune_points_name(points, point);
    int rc = name ? open_space(c, entry, published, points, point, &space, err)
                  : gcal_error_memory(err);

    if (rc == 0)
        rc = gcal_tune_over_add(over, name, &space, err);
    else if (name)
        gcal_error_prefix(err, "%s", name);
    gcal_tune_space_clear(&space);
    free(name);
    return rc;
}

static int tune_over(const struct tune_command *c, const struct gcal_tune_entry *entry,
                     const struct gcal_predict_device *published,
                     const struct gcal_tune_points *points, struct gcal_error *err)
{
    struct gcal_tune_over *over = gcal_tune_over_create(points->points.n, err);
    int rc = over ? 0 : -1;

    for (size_t i = 0; i < points->points.n && rc == 0; i++)
        rc = add_point(c, entry, published, points, i, over, err);
    if (rc == 0 && !c->json)
        gcal_tune_over_print(over);
    if (rc == 0 && (c->json || c->output))
        rc = put_json(c, gcal_tune_over_json(over), err);
    gcal_tune_over_destroy(over);
    return rc;
}

static int run(const struct tune_command *c, struct gcal_error *err)
{
    struct gcal_predict_device published = { 0 };
    struct gcal_tune_entry entry = { 0 };
    struct gcal_tune_points points = { 0 };
    int rc = gcal_predict_device_open(&c->published, &published, err);

    if (rc == 0)
        rc = gcal_tune_points_parse(c->overs.n ? &c->overs : &c->ats, &points, err);
    if (rc == 0 && !c->profiles.n)
        rc = open_entry(c, &entry, err);
    if (rc == 0)
        rc = (c->overs.n ? tune_over : tune)(c, &entry, &published, &points, err);
    gcal_tune_points_clear(&points);
    gcal_tune_entry_clear(&entry);
    gcal_predict_device_clear(&published);
    return rc;
}

int gcal_command_tune(int argc, char **argv)
{
    struct tune_command c = { .best = 10 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = run(&c, &err);
    free(c.arguments.items);
    free(c.profiles.items);
    free(c.ats.items);
    free(c.overs.items);
    free(c.include_folders.items);
    free(c.catalogue.items);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
