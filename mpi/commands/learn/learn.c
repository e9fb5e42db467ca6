/* learn.c - gpucal learn: from a kernel's source to a published model */
#include <argp.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/clock.h"
#include "kernels/base/error.h"
#include "kernels/base/log.h"
#include "calib/select/select.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/learn/private.h"

enum { NAME = 256, SIZES, KEEP, TIMES };

static const struct argp_option options[] = {
    { "sizes", SIZES, "NAME=FIRST:LAST,..", 0,
      "The sizes to measure, such as n=1024:16384,m=64; sizes that are not named follow "
      "the first range (default: from short runs to long ones)",
      0 },
    { "name", NAME, "NAME", 0, "The name of the model (default: the kernel's)", 0 },
    { "times", TIMES, "FILE", 0,
      "Learn from the times of this file instead of measuring: of KERNEL.cl at sizes, or "
      "of "
      "catalogue kernels ('gpucal kernels --run --csv')",
      0 },
    { "at", 'A', "NAME=VALUE,..", 0,
      "With --times of a profiler, which has no sizes: those of a launch; may be "
      "repeated",
      0 },
    { "node", 'N', "NODE", 0, "With --times: the node that took them (default: this one)",
      0 },
    { "keep", KEEP, "DIR", 0, "Write the catalogue entry that is made to this folder",
      0 },
    { "record", 'r', "FILE.h5", 0, "Keep the record of the measurements", 0 },
    { "allow-estimates", 'E', NULL, 0,
      "Estimate and mark loops whose length or exit cannot be counted exactly, and bank "
      "conflicts, instead of refusing them",
      2 },
    { "quiet", 'q', NULL, 0, "Print errors and the last lines only", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct gcal_learn_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->count, &c->own, &c->store, &c->device, &c->budget_s,
                           &c->json, &c->catalogue);
        break;
    case SIZES:
        c->sizes = arg;
        break;
    case TIMES:
        c->times = arg;
        break;
    case 'A':
        gcal_option_list_add(&c->ats, arg);
        break;
    case 'N':
        c->node = arg;
        break;
    case NAME:
        c->name = arg;
        break;
    case KEEP:
        c->keep = arg;
        break;
    case 'r':
        c->record = arg;
        break;
    case 'E':
        c->count.allow_estimates = true;
        break;
    case 'q':
        c->quiet = true;
        break;
    case ARGP_KEY_END:
        c->quiet = c->quiet || c->json;
        if (!c->count.file && !c->times)
            argp_error(state, "expected KERNEL.cl, or --times FILE");
        if (c->times && (c->sizes || c->record || c->keep || c->budget_s > 0))
            argp_error(state, "--times excludes --sizes, --record, --keep and --budget: "
                              "nothing is measured");
        if (!c->times && (c->node || c->catalogue.n || c->ats.n))
            argp_error(state, "--node, --catalogue and --at require --times");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { { &gcal_count_options_kernel_argp, 0, NULL,
                                                0 },
                                              { &gcal_own_options_argp, 0, NULL, 0 },
                                              GCAL_OPTION(store),
                                              GCAL_OPTION(device),
                                              GCAL_OPTION(budget),
                                              GCAL_OPTION(json),
                                              GCAL_OPTION(catalogue),
                                              { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse_option,
    .args_doc = "KERNEL.cl\n--times FILE",
    .children = children,
    .doc =
        "Measures a kernel of your own on a device of this machine at several sizes, "
        "corrects the device's general model by its times, and publishes that as the "
        "kernel's model.  The device is one that 'gpucal calibrate' has calibrated.\v"
        "Examples:\n"
        "  gpucal learn my.cl -k saxpy --local 256 --global n\n"
        "  gpucal learn my.cl -k conv5x5 --local 16,16 --global width,height \\\n"
        "      --sizes width=256:2048\n"
        "  gpucal learn my.cl -k saxpy --local 256 --global n --times t.csv\n"
        "  gpucal learn --times products.csv\n"
        "Exit status: 0 good, 1 bad input, 4 the fit was rejected, 5 the kernel or the "
        "device fails, 6 the store or the record cannot be written."
};

/* ---- before anything is measured ---- */

static int open_store(struct gcal_learning *l, struct gcal_error *err)
{
    l->path = gcal_command_store_path(l->arena, l->c->store, NULL, err);
    l->store = l->path ? gcal_command_store_open(l->arena, l->path, true, err) : NULL;
    return l->store ? 0 : -1;
}

/* A temporary file unless --record names one. */
static int choose_record(struct gcal_learning *l, struct gcal_error *err)
{
    const char *folder = getenv("TMPDIR");
    int fd;

    if (l->c->record && access(l->c->record, F_OK) == 0)
        return gcal_error_set(err, GCAL_ESTORE, "%s exists: choose another --record",
                              l->c->record);
    l->record = l->c->record ? gcal_arena_strdup(l->arena, l->c->record)
                             : gcal_arena_format(l->arena, "%s/gpucal-learn-XXXXXX",
                                                 folder && *folder ? folder : "/tmp");
    if (l->c->record)
        return 0;
    if ((fd = mkstemp(l->record)) < 0)
        return gcal_error_set(err, GCAL_ESTORE, "cannot create %s: %s", l->record,
                              strerror(errno));
    close(fd);
    return 0;
}

static int prepare(struct gcal_learning *l, struct gcal_error *err)
{
    const struct gcal_learn_command *c = l->c;

    if (gcal_own_kernel_read(&c->count, &c->own, c->name, &l->own, err) < 0 ||
        gcal_learn_points_parse(l, err) < 0 || open_store(l, err) < 0 ||
        choose_record(l, err) < 0 || gcal_local_devices_open(&l->devices, err) < 0 ||
        !(l->info = gcal_learn_device(&l->devices, c->device, err)))
        return -1;
    l->description =
        (struct gcal_own_description){ .n_points = 1, .points = l->own.check };
    return gcal_learn_find_general(l, err) < 0 ? -1 : gcal_learn_open_catalogue(l, err);
}

/* ---- trial ---- */

/* Of a run in the trial. */
#define LIMIT_S 20.0

static int try_kernel(struct gcal_learning *l, struct gcal_error *err)
{
    const struct gcal_kernel_limits limits = gcal_select_device_limits(l->info);
    struct gcal_kernel_list list = { 0 };
    int rc = gcal_own_kernel_generate(&l->own, l->catalogue, GCAL_KERNEL_COMPLETE,
                                      l->own.check, &limits, &list, err);

    if (rc == 0)
        rc = gcal_own_try(l->arena, &l->devices, l->info->uid, list.kernels[0], LIMIT_S,
                          &l->trial, err);
    gcal_kernel_list_clear(&list);
    return rc;
}

/* Again at the largest point whose buffers are copied quickly, as races may need many work-groups.
 */
static int repeat_larger(struct gcal_learning *l, struct gcal_error *err)
{
    const double *sizes = NULL;
    struct gcal_kernel_list list = { 0 };
    int rc = 0;

    for (size_t i = 0; i < l->points.n; i++) {
        const double *point = l->points.values + i * l->points.n_sizes;

        if (gcal_own_sizes_bytes(&l->own, point) <= 0x1p24)
            sizes = point;
    }
    if (!sizes)
        return 0;
    rc = gcal_own_kernel_generate(&l->own, l->catalogue, GCAL_KERNEL_COMPLETE, sizes,
                                  NULL, &list, err);
    for (size_t i = 0; rc == 0 && i < list.kernels[0]->n_sizes; i++)
        list.kernels[0]->check_sizes[i].value = list.kernels[0]->sizes[i].value;
    if (rc == 0)
        rc = gcal_own_repeat(&l->devices, l->info->uid, list.kernels[0], LIMIT_S, err);
    gcal_kernel_list_clear(&list);
    return rc;
}

/* ---- all of it ---- */

/* The entry with all points. */
static int describe_points(struct gcal_learning *l, struct gcal_error *err)
{
    l->description.n_points = l->points.n;
    l->description.points = l->points.values;
    l->description.unchecked = !l->trial.interpreted;
    return gcal_learn_open_catalogue(l, err);
}

static int learn(struct gcal_learning *l, struct gcal_error *err)
{
    double start_s = gcal_clock_now_s();

    if (prepare(l, err) < 0 || try_kernel(l, err) < 0 ||
        (!l->points.n && gcal_learn_points_find(l, err) < 0) ||
        repeat_larger(l, err) < 0 || describe_points(l, err) < 0 ||
        gcal_learn_keep_entry(l, err) < 0)
        return -1;
    gcal_learn_print_plan(l);
    if (gcal_learn_measure(l, err) < 0 || gcal_learn_fit(l, err) < 0)
        return -1;
    gcal_learn_print_end(l, gcal_clock_now_s() - start_s);
    return 0;
}

int gcal_command_learn(int argc, char **argv)
{
    struct gcal_learn_command c = { 0 };
    struct gcal_learning l = { .arena = gcal_arena_create(), .c = &c };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = c.times ? gcal_learn_from_times(&c, &err) : learn(&l, &err);
    if (l.record && !l.c->record)
        unlink(l.record);
    gcal_params_clear(&l.published);
    gcal_params_clear(&l.learned.known);
    gcal_config_clear(&l.config);
    gcal_catalogue_close(l.catalogue);
    gcal_catalogue_files_clear(&l.files);
    gcal_own_kernel_clear(&l.own);
    gcal_local_devices_close(&l.devices);
    gcal_arena_destroy(l.arena);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
