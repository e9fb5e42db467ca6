/* kernels.c - gpucal kernels: lists, counts or times the kernels that tags select */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "calib/select/select.h"
#include "kernels/model/profile.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/display.h"
#include "mpi/commands/count/sizes.h"
#include "mpi/commands/count/features.h"
#include "mpi/commands/bench/bench.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/cli/quiet.h"
#include "mpi/cli/json.h"

/* ---- generators, kernels and results of 'gpucal kernels' as JSON ---- */

static json_t *texts_json(size_t n, char *const *texts)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, json_string(texts[i]));
    return list;
}

/* Takes 'value'. */
static void print(const char *key, json_t *value)
{
    json_t *all = json_pack("{s:o}", key, value);

    gcal_json_print(all, "kernels");
    json_decref(all);
}

static void print_generators_json(const struct gcal_catalogue *catalogue)
{
    json_t *list = json_array();

    for (size_t i = 0; i < gcal_catalogue_size(catalogue); i++) {
        struct gcal_generator_view view = gcal_catalogue_view(catalogue, i);

        json_array_append_new(list, json_pack("{s:s, s:s?, s:o, s:b}", "generator",
                                              view.name, "origin", view.origin, "tags",
                                              texts_json(view.n_tags, view.tags),
                                              "automatic", (int)view.automatic));
    }
    print("generators", list);
}

/* 'sub_group': of the counts. */
static int print_kernels_json(const struct gcal_kernel_list *list, bool source,
                              bool counts, size_t sub_group, struct gcal_error *err)
{
    struct gcal_arena *arena = gcal_arena_create();
    json_t *kernels = json_array();
    bool failed = false;

    for (size_t i = 0; i < list->n_kernels && !failed; i++) {
        const struct gcal_kernel *k = list->kernels[i];
        json_t *sizes = json_object(), *one;

        for (size_t s = 0; s < k->n_sizes; s++)
            json_object_set_new(sizes, k->sizes[s].name,
                                gcal_json_number(k->sizes[s].value));
        one = json_pack("{s:s, s:s, s:o}", "kernel", k->name, "generator", k->generator,
                        "sizes", sizes);
        json_array_append_new(kernels, one);
        if (source)
            json_object_set_new(one, "source", json_string(k->source));
        if (counts) {
            /* the features with their values at the kernel's sizes */
            size_t n = k->profile->n_parameters;
            struct gcal_count_points point = { .n = 1,
                                               .n_sizes = n,
                                               .values = gcal_arena_alloc(
                                                   arena, n, sizeof(*point.values)) };
            json_t *counted = NULL;

            failed = gcal_count_sizes_of_kernel(
                         k, n, (const char *const *)k->profile->parameters, point.values,
                         err) < 0 ||
                     !(counted = gcal_count_features_json(k->profile, (double)sub_group,
                                                          &point, err));
            json_object_set(one, "features",
                            json_object_get(json_array_get(counted, 0), "features"));
            json_decref(counted);
        }
    }
    gcal_arena_destroy(arena);
    if (!failed)
        print("kernels", kernels);
    else
        json_decref(kernels);
    return failed ? -1 : 0;
}

/* Appends an object for each row. */
static void add_results_json(json_t *results, const struct gcal_bench_run *run)
{
    for (size_t i = 0; i < run->list.n_kernels; i++)
        if (run->rows[i].present)
            json_array_append_new(results, gcal_bench_row_json(run, i));
}

/* Takes 'results'. */
static void print_results_json(json_t *results)
{
    print("results", results);
}

/* ---- gpucal kernels: lists, counts or times the kernels that tags select ---- */

/* Of --counts without a device. */
#define NOMINAL_SUB_GROUP 32

struct kernels_command {
    struct gcal_option_list tags, devices, catalogue;
    enum gcal_match match;
    bool source, counts, run, json;
    const char *config, *csv;
    double budget_s; /* 0: not given */
};

enum { MATCH = 256, COUNTS, SOURCE, RUN };

static const struct argp_option options[] = {
    { "match", MATCH, "superset|identical|subset|intersect", 0,
      "How a generator's tags must relate to the given ones (default: superset)", 0 },
    { "counts", COUNTS, NULL, 0,
      "Print the features of each kernel with their values, for sub-groups of 32 or "
      "those "
      "of --device",
      0 },
    { "source", SOURCE, NULL, 0, "Print the OpenCL C of each kernel", 0 },
    { "run", RUN, NULL, 0,
      "Check the result of each kernel and time it; without tags, all generators with "
      "default arguments",
      0 },
    { "device", 'd', "PATTERN", 0,
      "Only devices whose name, type, uid or kind (gpu, cpu, accelerator) matches, e.g. "
      "'*H200*'; may be repeated",
      0 },
    { 0 },
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    static const char *const words[] = { "superset", "identical", "subset" };
    struct kernels_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->csv, &c->budget_s, &c->config, &c->catalogue,
                           &c->json);
        break;
    case MATCH:
        /* The words are in the order of the enumeration. */
        c->match = GCAL_MATCH_SUPERSET;
        while (c->match < GCAL_MATCH_INTERSECT && strcmp(words[c->match], arg) != 0)
            c->match++;
        break;
    case COUNTS:
        c->counts = true;
        break;
    case SOURCE:
        c->source = true;
        break;
    case RUN:
        c->run = true;
        break;
    case 'd':
        gcal_option_list_add(&c->devices, arg);
        break;
    case ARGP_KEY_ARG:
        gcal_option_list_add(&c->tags, arg);
        break;
    case ARGP_KEY_END:
        if (c->run && (c->counts || c->source))
            argp_error(state, "--run excludes --counts and --source");
        if (!c->run && c->csv)
            argp_error(state, "--csv requires --run");
        if (!c->run && c->budget_s > 0)
            argp_error(state, "--budget requires --run");
        if (!c->run && !c->tags.n && c->devices.n)
            argp_error(state, "--device requires --run or tags");
        break;
    default:
        return ARGP_ERR_UNKNOWN;
    }
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(csv),    GCAL_OPTION(budget),
                                              GCAL_OPTION(config), GCAL_OPTION(catalogue),
                                              GCAL_OPTION(json),   { 0 } };
static const struct argp argp = {
    .options = options,
    .parser = parse,
    .children = children,
    .args_doc = "[TAG | ARGUMENT:VALUE[,VALUE]]...",
    .doc =
        "Lists the measurement kernels that tags select; without tags, the generators "
        "with their tags and arguments.  --run measures them on the devices of this "
        "machine.\v"
        "Examples:\n"
        "  gpucal kernels matmul_sq prefetch:True n:1024,2048 --counts\n"
        "  gpucal kernels gmem_load_pattern dtype:float32,float64 --run --device gpu\n"
        "  gpucal kernels --run --csv all.csv\n\n"
        "Of a size sweep, --run takes the longest size that runs at most 5 ms.  Its "
        "table "
        "has, for each kernel, the median time with its standard error, the bytes that "
        "work-items load from and store to global and local memory per second, and their "
        "arithmetic operations per second (a multiply-add is two).\n"
        "Exit status of --run: 0 good, 1 bad input, 5 a kernel or a device failed, "
        "or a kernel cannot be counted.",
};

/* ---- listing ---- */

/* Lists the devices of this machine; an error if --device matches none. */
static int open_devices(const struct kernels_command *c, struct gcal_local_devices *d,
                        struct gcal_error *err)
{
    if (gcal_local_devices_open(d, err) < 0)
        return -1;
    for (size_t i = 0; i < d->count; i++)
        if (gcal_local_device_matches(&d->info[i], c->devices.n, c->devices.items))
            return 0;
    return gcal_error_set(err, GCAL_EDEVICE,
                          "none of the %zu OpenCL devices matches '%s'; 'gpucal devices' "
                          "lists them",
                          d->count, c->devices.items[0]);
}

/* The device that a listing is for: the first that --device matches. */
struct listed_for {
    size_t sub_group;
    bool known; /* false: nominal limits */
    struct gcal_kernel_limits limits;
};

static int find_listed_for(const struct kernels_command *c, struct listed_for *a,
                           struct gcal_error *err)
{
    struct gcal_local_devices d = { 0 };
    int rc;

    *a = (struct listed_for){ .sub_group = NOMINAL_SUB_GROUP };
    if (!c->devices.n)
        return 0;
    rc = open_devices(c, &d, err);
    for (size_t i = 0; rc == 0 && i < d.count && !a->known; i++)
        if (gcal_local_device_matches(&d.info[i], c->devices.n, c->devices.items))
            *a = (struct listed_for){ .sub_group = d.info[i].sub_group_size,
                                      .known = true,
                                      .limits = gcal_select_device_limits(&d.info[i]) };
    gcal_local_devices_close(&d);
    return rc;
}

static int print_kernel(const struct kernels_command *c, const struct gcal_kernel *k,
                        size_t sub_group, struct gcal_error *err)
{
    double sizes[GCAL_PROFILE_MAX_PARAMETERS];
    struct gcal_count_points point = { .n = 1, .values = sizes };

    printf("%s\n", k->name);
    if (c->source) {
        gcal_quiet_keep_all();
        printf("%s\n", k->source);
    }
    if (!c->counts || k->profile->n_parameters > sizeof(sizes) / sizeof(*sizes))
        return 0;
    if (gcal_count_sizes_of_kernel(k, k->profile->n_parameters,
                                   (const char *const *)k->profile->parameters, sizes,
                                   err) < 0)
        return -1;
    point.n_sizes = k->profile->n_parameters;
    return gcal_count_features_print(k->profile, (double)sub_group, &point, err);
}

static int print_list(const struct kernels_command *c, const struct listed_for *a,
                      const struct gcal_kernel_list *list, struct gcal_error *err)
{
    if (c->json)
        return print_kernels_json(list, c->source, c->counts, a->sub_group, err);
    for (size_t i = 0; i < list->n_kernels; i++)
        if (print_kernel(c, list->kernels[i], a->sub_group, err) < 0)
            return -1;
    printf("%zu kernel%s", list->n_kernels, list->n_kernels == 1 ? "" : "s");
    if (c->counts)
        printf(", values for sub-groups of %zu", a->sub_group);
    if (list->nominal)
        printf(", sizes for a cache of %.0f MiB and a memory of %.0f GiB",
               gcal_kernel_nominal_limits.cache_bytes / (1 << 20),
               gcal_kernel_nominal_limits.memory_bytes / (1 << 30));
    putchar('\n');
    gcal_bench_print_left_out(list);
    return 0;
}

/* Exit status, or -1. */
static int list_kernels(const struct kernels_command *c,
                        const struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    struct gcal_kernel_list list = { 0 };
    struct listed_for a;
    int rc = -1;

    if (find_listed_for(c, &a, err) == 0 &&
        gcal_catalogue_generate(catalogue, c->tags.n, c->tags.items, c->match,
                                a.known ? &a.limits : NULL, &list, err) == 0 &&
        gcal_kernel_list_check(&list, err) == 0)
        rc = print_list(c, &a, &list, err);
    if (rc == 0 && list.failed.n)
        rc = GCAL_EDEVICE;
    gcal_kernel_list_clear(&list);
    return rc;
}

static int list_generators(const struct kernels_command *c,
                           const struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    char *text;
    int rc;

    if (c->json) {
        print_generators_json(catalogue);
        return 0;
    }
    text = gcal_catalogue_describe(catalogue, err);
    rc = text ? gcal_command_write(NULL, text, err) : -1;

    free(text);
    return rc;
}

/* ---- running ---- */

/* State over all devices. */
struct benchmark {
    const struct kernels_command *c;
    const struct gcal_catalogue *catalogue;
    struct gcal_worker_spawner *spawner;
    struct gcal_display *display;
    FILE *csv;       /* NULL: none */
    json_t *results; /* NULL: a table */
    bool good;
};

static int run_on(struct benchmark *b, const struct gcal_device_info *info,
                  struct gcal_error *err)
{
    const struct kernels_command *c = b->c;
    struct gcal_bench_run run = { .arena = gcal_arena_create(), .info = info };
    const struct gcal_kernel_limits limits = gcal_select_device_limits(info);
    int rc;

    rc = gcal_catalogue_generate(b->catalogue, c->tags.n, c->tags.items, c->match,
                                 &limits, &run.list, err);
    if (rc == 0 && gcal_kernel_list_check(&run.list, err) < 0)
        rc = -1;
    if (rc == 0)
        rc = gcal_bench_run(&run, b->spawner, c->budget_s > 0 ? c->budget_s : INFINITY,
                            b->display, err);
    gcal_display_clear(b->display);
    if (rc == 0) {
        if (b->results)
            add_results_json(b->results, &run);
        else
            gcal_bench_print(&run);
        if (b->csv)
            gcal_bench_csv_rows(b->csv, &run);
        fflush(stdout);
        b->good = b->good && gcal_bench_run_passed(&run);
    }
    gcal_kernel_list_clear(&run.list);
    gcal_arena_destroy(run.arena);
    return rc;
}

/* Exit status, or -1 with 'err'.  The file is opened before anything is measured. */
static int benchmark(const struct kernels_command *c,
                     const struct gcal_catalogue *catalogue, struct gcal_error *err)
{
    struct benchmark b = { .c = c, .catalogue = catalogue, .good = true };
    int rc;
    struct gcal_local_devices d = { 0 };

    if (c->csv && !(b.csv = fopen(c->csv, "we")))
        return gcal_error_set(err, GCAL_EINPUT, "%s: %m", c->csv);
    if (b.csv)
        gcal_bench_csv_header(b.csv);
    b.results = c->json ? json_array() : NULL;
    b.display = gcal_display_create(c->json);
    rc = open_devices(b.c, &d, err);
    b.spawner = d.spawner;
    for (size_t i = 0; rc == 0 && i < d.count; i++)
        if (gcal_local_device_matches(&d.info[i], b.c->devices.n, b.c->devices.items))
            rc = run_on(&b, &d.info[i], err);
    gcal_local_devices_close(&d);
    gcal_display_destroy(b.display);
    if (b.results)
        print_results_json(b.results);
    if (b.csv && (ferror(b.csv) | (fclose(b.csv) == EOF)) && rc == 0)
        rc = gcal_error_set(err, GCAL_EINPUT, "%s: %m", c->csv);
    return rc < 0 ? -1 : b.good ? 0 : GCAL_EDEVICE;
}

static int run(const struct kernels_command *c, struct gcal_error *err)
{
    struct gcal_catalogue *catalogue =
        gcal_command_catalogue_open_for(&c->catalogue, c->config, err);
    int rc = -1;

    if (!catalogue)
        return -1;
    if (!c->tags.n && !c->run)
        rc = list_generators(c, catalogue, err);
    else if (gcal_catalogue_check(catalogue, c->tags.n, c->tags.items, c->match, err) ==
             0)
        rc = c->run ? benchmark(c, catalogue, err) : list_kernels(c, catalogue, err);
    gcal_catalogue_close(catalogue);
    return rc;
}

int gcal_command_kernels(int argc, char **argv)
{
    struct kernels_command c = { 0 };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = run(&c, &err);
    return rc < 0 ? gcal_command_fail(&err) : rc;
}
