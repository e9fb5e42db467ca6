/* tune.c - gpucal tune: the best configuration of a kernel */
#include <argp.h>
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/error.h"
#include "kernels/generate/generate.h"
#include "kernels/model/profile.h"
#include "mpi/cli/catalogue.h"
#include "mpi/cli/command.h"
#include "mpi/cli/json.h"
#include "mpi/cli/option_list.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"
#include "mpi/commands/count/sizes.h"
#include "mpi/commands/predict/inputs.h"
#include "mpi/commands/tune/measure.h"
#include "kernels/base/buf.h"
#include "kernels/base/units.h"
#include "mpi/commands/tune/private.h"

/* ---- the best configuration by size, and what the choice of one size costs at the others
 *
 * Of each size only names and times are kept: spaces of thousands of configurations take much
 * memory.
 */

enum { MOST_COLUMNS = 12 };

struct row {
    const char *variant, *name;
    double predicted_s;
    json_t *configuration;
};

/* A size: its covered configurations, the fastest first. */
struct size {
    const char *name; /* "n:512" */
    size_t n;
    struct row *rows;
    double median_s;
};

struct gcal_tune_over {
    struct gcal_arena *arena;
    const char *kernel, *device, *node, *model;
    size_t n;
    struct size *sizes;
};

/* Room for n sizes. */
static struct gcal_tune_over *create_over(struct gcal_arena *arena, size_t n)
{
    struct gcal_tune_over *over = gcal_arena_alloc(arena, 1, sizeof(*over));

    over->arena = arena;
    over->sizes = gcal_arena_alloc(arena, n, sizeof(*over->sizes));
    return over;
}

/* ---- filling ---- */

/* The kernel's name without its sizes. */
static const char *name_without_sizes(struct gcal_arena *arena,
                                      const struct gcal_tune_space *space)
{
    const struct gcal_kernel *kernel = space->kernels->kernels[0];
    char *rest = gcal_arena_strdup(arena, space->kernel), *word;
    const char *name = "";

    while ((word = strsep(&rest, " "))) {
        bool is_size = false;

        for (size_t i = 0; i < kernel->n_sizes; i++) {
            size_t n = strlen(kernel->sizes[i].name);

            is_size = is_size ||
                      (strncmp(word, kernel->sizes[i].name, n) == 0 && word[n] == ':');
        }
        if (!is_size)
            name = gcal_arena_format(arena, "%s%s%s", name, *name ? " " : "", word);
    }
    return name;
}

static void release_json(void *json)
{
    json_decref(json);
}

/* Adds the space at the size that is called 'name'; keeps what it needs of it. */
static int add_over(struct gcal_tune_over *over, const char *name,
                    const struct gcal_tune_space *space, struct gcal_error *err)
{
    struct size *size = &over->sizes[over->n++];

    if (!over->kernel) {
        over->kernel = name_without_sizes(over->arena, space);
        over->device = space->device;
        over->node = space->node;
        over->model = space->model;
    }
    size->name = name;
    size->median_s = gcal_tune_median_s(space);
    size->rows = gcal_arena_alloc(over->arena, space->n_covered, sizeof(*size->rows));
    for (size_t i = 0; i < space->n_covered; i++) {
        size_t config = space->ranking[i];
        const struct gcal_tune_config *c = &space->configs[config];

        size->rows[size->n++] = (struct row){
            .variant = gcal_arena_strdup(over->arena, c->kernel->variant),
            .name = gcal_arena_strdup(over->arena, c->name),
            .predicted_s = c->predicted_s,
            .configuration = gcal_arena_own(
                over->arena, gcal_tune_config_json(space, config), release_json),
        };
    }
    return size->n ? 0
                   : gcal_error_set(err, GCAL_EINPUT,
                                    "%s: model %s covers no configuration at %s",
                                    space->kernel, space->model, size->name);
}

/* ---- comparing ---- */

/* The time of a configuration over that of the best; infinite if it cannot run. */
static double find_slowdown(const struct size *size, const char *variant)
{
    for (size_t i = 0; i < size->n; i++)
        if (strcmp(size->rows[i].variant, variant) == 0)
            return size->rows[i].predicted_s / size->rows[0].predicted_s;
    return INFINITY;
}

struct compromise {
    const struct row *row; /* NULL: none can run at all sizes */
    double mean, worst;    /* geometric */
};

/* The configuration with the least mean slowdown over all sizes. */
static struct compromise find_compromise(const struct gcal_tune_over *over)
{
    struct compromise best = { .mean = INFINITY };

    for (size_t i = 0; i < over->sizes[0].n; i++) {
        const struct row *row = &over->sizes[0].rows[i];
        double sum = 0, worst = 1;

        for (size_t k = 0; k < over->n && exp(sum / (double)over->n) < best.mean; k++) {
            double s = find_slowdown(&over->sizes[k], row->variant);

            sum += log(s);
            worst = fmax(worst, s);
        }
        if (exp(sum / (double)over->n) < best.mean)
            best = (struct compromise){ row, exp(sum / (double)over->n), worst };
    }
    return best;
}

/* ---- text ---- */

/* For each size the best configuration, and how much longer the choices of the others take;
 * the configuration with the least mean slowdown.
 */
static void print_over(const struct gcal_tune_over *over)
{
    struct compromise c = find_compromise(over);

    printf("%s on %s of node %s, model %s\n", over->kernel, over->device, over->node,
           over->model);
    printf("%-16s %9s %8s  slowdown with the choice of size\n", "", "predicted",
           "over the");
    printf("%-16s %9s %8s", "size", "time", "median");
    for (size_t k = 0; k < over->n && k < MOST_COLUMNS; k++)
        printf(" %6zu", k + 1);
    printf("  best configuration\n");
    for (size_t i = 0; i < over->n; i++) {
        const struct size *size = &over->sizes[i];
        char time[GCAL_UNITS_SIZE];

        printf("%-16s %9s %8.3f", size->name,
               gcal_units(size->rows[0].predicted_s, "s", time),
               size->rows[0].predicted_s / size->median_s);
        for (size_t k = 0; k < over->n && k < MOST_COLUMNS; k++) {
            double s = find_slowdown(size, over->sizes[k].rows[0].variant);

            if (isfinite(s))
                printf(" %6.3f", s);
            else
                printf(" %6s", "-");
        }
        printf("  %s\n", size->rows[0].name);
    }
    if (c.row)
        printf("one for all sizes: %s (slower by %.1f %% in the mean, by %.1f %% at "
               "most)\n",
               c.row->name, 100 * (c.mean - 1), 100 * (c.worst - 1));
    else
        printf("one for all sizes: none can run at all of them\n");
}

/* ---- JSON ---- */

static json_t *make_over_json(const struct gcal_tune_over *over)
{
    struct compromise c = find_compromise(over);
    json_t *sizes = json_array(), *one = json_null();

    for (size_t i = 0; i < over->n; i++) {
        const struct size *size = &over->sizes[i];
        json_t *slowdowns = json_array();

        for (size_t k = 0; k < over->n; k++)
            json_array_append_new(slowdowns, gcal_json_number(find_slowdown(
                                                 size, over->sizes[k].rows[0].variant)));
        json_array_append_new(
            sizes,
            json_pack("{s:s, s:O, s:f, s:f, s:o}", "size", size->name, "configuration",
                      size->rows[0].configuration, "time_s", size->rows[0].predicted_s,
                      "median_s", size->median_s, "slowdown_with_choice_of", slowdowns));
    }
    if (c.row)
        one = json_pack("{s:O, s:f, s:f}", "configuration", c.row->configuration,
                        "mean_slowdown", c.mean, "worst_slowdown", c.worst);
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o}", "node", over->node, "device",
                     over->device, "model", over->model, "kernel", over->kernel, "sizes",
                     sizes, "one_for_all", one);
}

/* ---- the chosen configuration as a C header ---- */

/* "GPUCAL_PRODUCT" */
static void put_guard(struct gcal_buf *out, const char *kernel)
{
    gcal_buf_puts(out, "GPUCAL_");
    for (const char *c = kernel; *c; c++)
        gcal_buf_printf(out, "%c", isalnum((unsigned char)*c) ? toupper(*c) : '_');
}

/* A text that cannot end the comment. */
static void put_comment(struct gcal_buf *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (c[0] == '*' && c[1] == '/')
            gcal_buf_puts(out, "* ");
        else
            gcal_buf_put(out, c, 1);
}

/* Writes a C header with the macros and the work-group of a configuration; 'measured_s' NaN:
 * it was not measured.
 */
static int write_header(const char *path, const struct gcal_tune_space *space,
                        size_t config, double measured_s, struct gcal_error *err)
{
    const struct gcal_tune_config *c = &space->configs[config];
    const struct gcal_kernel *kernel = c->kernel;
    struct gcal_buf out = { 0 };
    char *text;
    int rc;

    char time_text[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE];
    char date[32] = "";
    time_t now = time(NULL);
    struct tm utc;

    if (gmtime_r(&now, &utc))
        strftime(date, sizeof(date), "%Y-%m-%d", &utc);
    gcal_buf_puts(&out, "/* ");
    put_comment(&out, space->kernel);
    gcal_buf_puts(&out, "\n * ");
    put_comment(&out, *c->name ? c->name : "the only configuration");
    gcal_buf_puts(&out, "\n *\n * Chosen by gpucal for ");
    put_comment(&out, space->device);
    gcal_buf_printf(&out, " of node %s, %s\n * Predicted by model %s: %s (%s to %s)\n",
                    space->node, date, space->model,
                    gcal_units(c->predicted_s, "s", time_text),
                    gcal_units(c->low_s, "s", low), gcal_units(c->high_s, "s", high));
    if (measured_s > 0)
        gcal_buf_printf(&out, " * Measured: %s\n",
                        gcal_units(measured_s, "s", time_text));
    gcal_buf_puts(&out, " */\n");
    gcal_buf_puts(&out, "#ifndef ");
    put_guard(&out, kernel->entry);
    gcal_buf_puts(&out, "_TUNED\n#define ");
    put_guard(&out, kernel->entry);
    gcal_buf_puts(&out, "_TUNED\n\n");
    /* "-DT=float -DN=64" as lines. */
    const char *options = kernel->build_options;
    while (*(options += strspn(options, " "))) {
        size_t length = strcspn(options, " ");
        const char *equals = memchr(options, '=', length);

        if (strncmp(options, "-D", 2) == 0 && equals)
            gcal_buf_printf(&out, "#define %.*s %.*s\n", (int)(equals - options - 2),
                            options + 2, (int)(options + length - equals - 1),
                            equals + 1);
        options += length;
    }
    gcal_buf_puts(&out, "\n/* The work-group. */\n");
    for (size_t i = 0; i < kernel->n_dims; i++) {
        gcal_buf_puts(&out, "#define ");
        put_guard(&out, kernel->entry);
        gcal_buf_printf(&out, "_LOCAL_SIZE_%zu %zu\n", i, kernel->local_size[i]);
    }
    gcal_buf_puts(&out, "/* The NDRange:");
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&out, "%s %s", i ? "," : "", kernel->global_size[i]);
    gcal_buf_puts(&out, " work-items. */\n\n#endif\n");
    text = gcal_buf_take(&out, err);
    rc = text ? gcal_command_write(path, text, err) : -1;
    free(text);
    return rc;
}

/* ---- gpucal tune: the best configuration of a kernel ---- */

struct tune_command {
    struct gcal_predict_device_options published;
    struct gcal_option_list arguments, profiles, ats, overs, catalogue, include_folders;
    const char *config, *space, *output, *header;
    bool json;
    double best;
    struct gcal_tune_measure_options measure;
};

enum { BEST = 256, SPACE, OVER, HEADER };

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
    { "best", BEST, "COUNT", 0, "Print the best COUNT configurations (default: 10)", 0 },
    { 0 },
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
    struct tune_command *c = state->input;

    switch (key) {
    case ARGP_KEY_INIT:
        GCAL_OPTION_VALUES(state, &c->published, &c->json, &c->config, &c->catalogue,
                           &c->measure);
        break;
    case 'A':
        gcal_option_list_add(&c->ats, arg);
        break;
    case 'p':
        gcal_option_list_add(&c->profiles, arg);
        break;
    case OVER:
        gcal_option_list_add(&c->overs, arg);
        break;
    case 'o':
        c->output = arg;
        break;
    case HEADER:
        c->header = arg;
        break;
    case 'I':
        gcal_option_list_add(&c->include_folders, arg);
        break;
    case SPACE:
        c->space = arg;
        break;
    case BEST:
        c->best = gcal_option_positive(arg, "", "--best", state);
        break;
    case ARGP_KEY_ARG:
        gcal_option_list_add(&c->arguments, arg);
        break;
    case ARGP_KEY_END:
        if (c->space && c->arguments.n != 1)
            argp_error(state, "expected one KERNEL.cl with --space");
        if (!c->arguments.n == !c->profiles.n)
            argp_error(state,
                       "expected either tags, KERNEL.cl with --space, or --profile FILE");
        if (c->profiles.n && (c->overs.n || c->header || c->measure.measures ||
                              c->measure.times || c->catalogue.n || c->config))
            argp_error(state, "--profile excludes --over, --header, --measure, --times, "
                              "--catalogue and --config");
        if (c->include_folders.n && !c->space)
            argp_error(state, "--include requires --space");
        if (c->overs.n &&
            (c->ats.n || c->header || c->measure.measures || c->measure.times))
            argp_error(state, "--over excludes --at, --header, --measure and --times");
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
    .parser = parse_option,
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

/* What a command works on; all but the sizes of a space is the same for each of them. */
struct task {
    struct gcal_arena *arena;
    const struct tune_command *command;
    struct gcal_predict_device published;
    struct gcal_tune_entry entry;
    struct gcal_strings names;       /* of the sizes of --at or --over */
    struct gcal_count_points points; /* at least one, perhaps without any size */
};

static int parse_points(struct task *t, const struct gcal_option_list *texts,
                        struct gcal_error *err)
{
    struct gcal_profile sizes = { 0 };

    if (gcal_count_points_names(texts->n, texts->items, &t->names, err) < 0)
        return -1;
    sizes.n_parameters = t->names.n;
    sizes.parameters = t->names.items;
    return gcal_count_points_parse(texts->n, texts->items, &sizes, NULL, &t->points, err);
}

static int open_entry(struct task *t, struct gcal_error *err)
{
    const struct tune_command *c = t->command;

    if (c->space)
        return gcal_tune_entry_read(t->arena, c->space, c->arguments.items[0],
                                    &c->include_folders, &t->entry, err);
    if (!(t->entry.catalogue = gcal_arena_own(
              t->arena, gcal_command_catalogue_open_for(&c->catalogue, c->config, err),
              gcal_tune_catalogue_close)))
        return -1;
    for (size_t i = 0; i < c->arguments.n; i++)
        if (gcal_strings_add(&t->entry.tags, c->arguments.items[i], err) < 0)
            return -1;
    return gcal_catalogue_space_tags(t->entry.catalogue, c->arguments.n,
                                     c->arguments.items, GCAL_MATCH_SUPERSET,
                                     &t->entry.tags, err);
}

/* At a point of the sizes. */
static int open_space(const struct task *t, struct gcal_arena *arena, size_t point,
                      struct gcal_tune_space *space, struct gcal_error *err)
{
    const double *values = t->points.values + point * t->points.n_sizes;
    const char **sizes = gcal_arena_alloc(arena, t->names.n, sizeof(*sizes));

    if (t->command->profiles.n)
        return gcal_tune_space_open_profiles(
            arena, &t->command->profiles, &t->command->ats, t->published.params.node,
            t->published.device, t->command->published.model, space, err);
    for (size_t i = 0; i < t->names.n; i++)
        sizes[i] = gcal_arena_format(arena, "%s:%.0f", t->names.items[i], values[i]);
    return gcal_tune_space_open(arena, &t->entry, t->names.n, sizes,
                                t->published.params.node, t->published.device,
                                t->command->published.model, space, err);
}

/* Prints and writes 'json', which it takes. */
static int put_json(const struct tune_command *c, json_t *json, struct gcal_error *err)
{
    char *text = NULL;
    int rc = 0;

    if (c->json)
        gcal_json_print(json, "tune");
    if (c->output) {
        text = json_dumps(json, JSON_INDENT(2));
        rc = text ? gcal_command_write(c->output, text, err) : gcal_error_memory(err);
    }
    free(text);
    json_decref(json);
    return rc;
}

/* ---- one size, or several ---- */

static int tune_point(const struct task *t, struct gcal_error *err)
{
    const struct tune_command *c = t->command;
    struct gcal_tune_measured measured;
    struct gcal_tune_space space;
    size_t best;

    if (t->points.n != 1 && !c->profiles.n)
        return gcal_error_set(err, GCAL_EINPUT,
                              "--at: expected one value of each size, found %zu "
                              "combinations; --over takes several",
                              t->points.n);
    if (open_space(t, t->arena, 0, &space, err) < 0 ||
        gcal_tune_measure(t->arena, &c->measure, &space, &t->published.device->info,
                          &measured, err) < 0)
        return -1;
    if (!c->json) {
        gcal_tune_print(&space, (size_t)c->best);
        gcal_tune_measured_print(&measured, &space);
    }
    if (c->json || c->output) {
        json_t *json = gcal_tune_json(&space);

        gcal_tune_measured_put_json(&measured, &space, json);
        if (put_json(c, json, err) < 0)
            return -1;
    }
    if (!c->header)
        return 0;
    /* The fastest by its times, else by its prediction. */
    best = measured.is_measured ? measured.progress.best : space.n_configs;
    if (best < space.n_configs)
        return write_header(c->header, &space, best, measured.progress.best_s, err);
    return write_header(c->header, &space, space.ranking[0], NAN, err);
}

/* A space of many configurations takes much memory: it goes before the next. */
static int add_point(const struct task *t, size_t point, struct gcal_tune_over *over,
                     struct gcal_error *err)
{
    const struct gcal_profile sizes = { .n_parameters = t->names.n,
                                        .parameters = t->names.items };
    const char *name = gcal_arena_own(
        t->arena,
        gcal_count_point_name(&sizes, t->points.values + point * t->points.n_sizes),
        free);
    struct gcal_arena *arena = gcal_arena_create();
    struct gcal_tune_space space;
    int rc = open_space(t, arena, point, &space, err);

    if (rc < 0)
        gcal_error_prefix(err, "%s", name ? name : "");
    else
        rc = add_over(over, name ? name : "", &space, err);
    gcal_arena_destroy(arena);
    return rc;
}

static int tune_over(const struct task *t, struct gcal_error *err)
{
    const struct tune_command *c = t->command;
    struct gcal_tune_over *over = create_over(t->arena, t->points.n);

    for (size_t i = 0; i < t->points.n; i++)
        if (add_point(t, i, over, err) < 0)
            return -1;
    if (!c->json)
        print_over(over);
    return c->json || c->output ? put_json(c, make_over_json(over), err) : 0;
}

int gcal_command_tune(int argc, char **argv)
{
    struct tune_command c = { .best = 10 };
    struct task t = { .arena = gcal_arena_create(), .command = &c };
    struct gcal_error err = { 0 };
    int rc;

    gcal_command_parse(&argp, argc, argv, &c);
    rc = gcal_predict_device_open(&c.published, &t.published, &err);
    if (rc == 0)
        rc = parse_points(&t, c.overs.n ? &c.overs : &c.ats, &err);
    if (rc == 0 && !c.profiles.n)
        rc = open_entry(&t, &err);
    if (rc == 0)
        rc = (c.overs.n ? tune_over : tune_point)(&t, &err);
    gcal_arena_destroy(t.arena);
    gcal_count_points_clear(&t.points);
    gcal_strings_clear(&t.names);
    gcal_strings_clear(&t.entry.tags);
    gcal_strings_clear(&t.entry.parameters);
    gcal_predict_device_clear(&t.published);
    return rc < 0 ? gcal_command_fail(&err) : 0;
}
