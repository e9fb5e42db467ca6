/* tune.c - gpucal tune: the best configuration of a kernel */
#include <argp.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/error.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/predict/inputs.h"
#include "mpi/tune/measure.h"
#include "mpi/tune/private.h"

struct tune_command {
    struct gcal_predict_device_options published;
    struct gcal_option_list arguments, ats, catalogue, include_folders;
    const char *config, *space;
    bool json;
    double best;
    struct gcal_tune_measure_options measure;
};

enum { BEST = 256, SPACE };

static const struct argp_option options[] = {
    { "at", 'A', "NAME=VALUE,..", 0,
      "Sizes, e.g. n=2048,m=64; a tag n:2048 does the same", 0 },
    { "space", SPACE, "FILE.yaml", 0,
      "The parameters of a kernel of your own, in a file instead of tags", 0 },
    { "include", 'I', "FOLDER", 0, "Where KERNEL.cl includes files from; may be repeated",
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
        if (!c->arguments.n || (c->space && c->arguments.n > 1))
            argp_error(state, c->space ? "expected one KERNEL.cl with --space"
                                       : "expected tags, or KERNEL.cl with --space");
        if (c->include_folders.n && !c->space)
            argp_error(state, "--include requires --space");
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
    .args_doc = "TAG | ARGUMENT:VALUE[,VALUE]...\nKERNEL.cl --space SPACE.yaml",
    .children = children,
    .doc =
        "Ranks the configurations of a kernel by predicted time on a calibrated device, "
        "without the device.\v"
        "Examples:\n"
        "  gpucal tune matmul_sq --at n=1024\n"
        "  gpucal tune matmul_sq prefetch:False,True --at n=1024 --json\n"
        "  gpucal tune product.cl --space product.yaml --params h200.yaml\n\n"
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

/* The space at the sizes of --at, of which there is one combination. */
static int open_space(const struct tune_command *c, const struct gcal_tune_entry *entry,
                      const struct gcal_predict_device *published,
                      struct gcal_tune_space *space, struct gcal_error *err)
{
    struct gcal_tune_points points = { 0 };
    struct gcal_strings sizes = { 0 };
    int rc = gcal_tune_points_parse(&c->ats, &points, err);

    if (rc == 0 && points.points.n != 1)
        rc = gcal_error_set(err, GCAL_EINPUT,
                            "--at: expected one value of each size, found %zu "
                            "combinations",
                            points.points.n);
    if (rc == 0)
        rc = gcal_tune_points_tags(&points, 0, &sizes, err);
    if (rc == 0)
        rc = gcal_tune_space_open(entry, sizes.n, (const char *const *)sizes.items,
                                  published->params.node, published->device,
                                  c->published.model, space, err);
    gcal_strings_clear(&sizes);
    gcal_tune_points_clear(&points);
    return rc;
}

static int print(const struct tune_command *c, const struct gcal_tune_space *space,
                 const struct gcal_tune_measured *measured, struct gcal_error *err)
{
    json_t *json;

    if (!c->json) {
        gcal_tune_print(space, (size_t)c->best);
        gcal_tune_measured_print(measured, space, 0, NULL);
        return 0;
    }
    if (!(json = gcal_tune_json(space)))
        return gcal_error_memory(err);
    gcal_tune_measured_put_json(measured, space, 0, NULL, json);
    gcal_json_print(json);
    json_decref(json);
    return 0;
}

static int run(const struct tune_command *c, struct gcal_error *err)
{
    struct gcal_predict_device published = { 0 };
    struct gcal_tune_entry entry = { 0 };
    struct gcal_tune_space space = { 0 };
    struct gcal_tune_measured measured = { 0 };
    int rc = gcal_predict_device_open(&c->published, &published, err);

    if (rc == 0)
        rc = open_entry(c, &entry, err);
    if (rc == 0)
        rc = open_space(c, &entry, &published, &space, err);
    if (rc == 0)
        rc = gcal_tune_measure(&c->measure, &space, &published.device->info, &measured,
                               err);
    if (rc == 0)
        rc = print(c, &space, &measured, err);
    gcal_tune_measured_clear(&measured);
    gcal_tune_space_clear(&space);
    gcal_tune_entry_clear(&entry);
    gcal_predict_device_clear(&published);
    return rc;
}

int gcal_command_tune(int argc, char **argv)
{
    struct tune_command c = { .best = 10 };
    struct gcal_error err = { 0 };
    int rc;

    argp_parse(&argp, argc, argv, 0, NULL, &c);
    rc = run(&c, &err);
    free(c.arguments.items);
    free(c.ats.items);
    free(c.include_folders.items);
    free(c.catalogue.items);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
