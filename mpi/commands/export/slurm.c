/* slurm.c - features, weights and comments of Slurm's nodes */
#include <argp.h>
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/cli/json.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/speed.h"

/* Coarse, so that chance does not make weights differ: Slurm takes light nodes first. */
#define WEIGHT_STEP 10

/* ---- properties of a node ---- */

static bool type_seen_before(const struct gcal_export_speed_node *node, size_t i)
{
    for (size_t j = 0; j < i; j++)
        if (strcmp(node->devices[j].type, node->devices[i].type) == 0)
            return true;
    return false;
}

static unsigned weight_of(const struct gcal_export_speed_node *node)
{
    return WEIGHT_STEP *
           (unsigned)fmin(1e6, round(100 / node->class_speed / WEIGHT_STEP));
}

/* Nothing if it is not known: a node without the key meets no constraint. */
static void set_whole(json_t *all, const char *key, double value)
{
    if (isfinite(value))
        json_object_set_new(all, key, json_integer((json_int_t)round(value)));
}

/* 20261122 of "2026-11-22T..": days as numbers in their order; NaN if it is no date. */
static double day_of(const char *utc)
{
    int year, month, day;

    if (sscanf(utc, "%4d-%2d-%2d", &year, &month, &day) != 3)
        return NAN;
    return year * 10000 + month * 100 + day;
}

/* ---- layouts ---- */

/* Parts of a node's line. */
struct line {
    char *features, *comment, *extra;
};

static struct line make_line(struct gcal_arena *arena,
                             const struct gcal_export_speed_node *node)
{
    const struct gcal_export_speed_device *oldest = gcal_export_speed_oldest(node);
    struct gcal_buf features = { 0 }, comment = { 0 };
    struct line line;
    struct gcal_export_rates rates = gcal_export_speed_rates(node);
    json_t *devices, *all;
    char *text;

    const char *class = gcal_export_class_name(node);

    gcal_buf_puts(&features, "gpucal");
    if (class)
        gcal_buf_printf(&features, ",gpucal_%s", class);
    for (size_t i = 0; i < node->n_devices; i++)
        if (!type_seen_before(node, i)) {
            const char *type = node->devices[i].type;

            /* Characters that have a meaning in constraints become '_'. */
            gcal_buf_puts(&features, ",gpucal_type_");
            for (; *type; type++) {
                unsigned char c = (unsigned char)*type;
                char safe = isalnum(c) && c < 128 ? (char)c : '_';

                gcal_buf_put(&features, &safe, 1);
            }
        }
    gcal_buf_puts(&comment, "gpucal: speed ");
    if (isnan(node->speed))
        gcal_buf_puts(&comment, "unknown");
    else
        gcal_buf_printf(&comment, "%.2g", node->speed);
    gcal_buf_printf(&comment, ", calibrated %.10s, run %s", oldest->utc, oldest->run_id);
    line.features = gcal_arena_take(arena, &features);
    line.comment = gcal_arena_take(arena, &comment);
    /* One line of JSON without blanks, as scontrol needs.  Constraints of jobs (--extra)
     * find keys of the outermost object alone.
     */
    devices = json_array();
    all = json_object();
    if (!isnan(node->speed))
        json_object_set_new(all, "gpucal_speed", json_real(node->speed));
    set_whole(all, "gpucal_gbps", rates.memory_bytes_per_s / 1e9);
    set_whole(all, "gpucal_gflops", rates.fp32_flop_per_s / 1e9);
    set_whole(all, "gpucal_calibrated", day_of(gcal_export_speed_oldest(node)->utc));
    for (size_t i = 0; i < node->n_devices; i++)
        json_array_append_new(
            devices, json_pack("{s:s, s:s, s:o, s:s, s:s}", "uid", node->devices[i].uid,
                               "type", node->devices[i].type, "speed",
                               gcal_json_number(node->devices[i].speed), "calibrated",
                               node->devices[i].utc, "run", node->devices[i].run_id));
    json_object_set_new(all, "gpucal_devices", devices);
    text = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_REAL_PRECISION(4));
    json_decref(all);
    line.extra = gcal_arena_own(arena, text, free);
    for (char *c = line.comment; *c; c++) /* a field between tabs */
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    return line;
}

/* "0.4972"; "-" if not known */
static void put_speed(struct gcal_buf *buf, double speed)
{
    if (isnan(speed))
        gcal_buf_puts(buf, "-");
    else
        gcal_buf_printf(buf, "%.4g", speed);
}

static void put_table(struct gcal_buf *buf, const struct gcal_export_speed_node *node,
                      const struct line *line)
{
    gcal_buf_printf(buf, "%s\t%s\t", node->name, line->features);
    if (isnan(node->speed))
        gcal_buf_puts(buf, "-");
    else
        gcal_buf_printf(buf, "%u", weight_of(node));
    gcal_buf_puts(buf, "\t");
    put_speed(buf, node->speed);
    for (size_t i = 0; i < node->n_devices; i++) {
        gcal_buf_printf(buf, "%s%s=", i ? "," : "\t", node->devices[i].uid);
        put_speed(buf, node->devices[i].speed);
    }
    gcal_buf_printf(buf, "\t%s\t%s\n", line->comment, line->extra);
}

static void put_conf(struct gcal_buf *buf, const struct gcal_export_speed_node *node,
                     const struct line *line)
{
    gcal_buf_printf(buf, "# %s\nNodeName=%s Feature=%s", line->comment, node->name,
                    line->features);
    if (!isnan(node->speed))
        gcal_buf_printf(buf, " Weight=%u", weight_of(node));
    gcal_buf_puts(buf, "\n");
}

static void put_commands(struct gcal_buf *buf, const struct gcal_export_speed_node *node,
                         const struct line *line)
{
    gcal_buf_puts(buf, "scontrol update NodeName=");
    gcal_export_quote(buf, node->name);
    if (!isnan(node->speed))
        gcal_buf_printf(buf, " Weight=%u", weight_of(node));
    gcal_buf_puts(buf, " Comment=");
    gcal_export_quote(buf, line->comment);
    gcal_buf_puts(buf, " Extra=");
    gcal_export_quote(buf, line->extra);
    gcal_buf_puts(buf, "\n");
}

static const struct layout {
    const char *name, *head;
    void (*put)(struct gcal_buf *buf, const struct gcal_export_speed_node *node,
                const struct line *line);
} layouts[] = {
    { "table", "#node\tfeatures\tweight\tspeed\tdevices\tcomment\textra\n", put_table },
    { "conf", "", put_conf },
    { "commands", "", put_commands },
};

static char *slurm_text(const struct gcal_export *e,
                        const struct gcal_export_speeds *speeds, struct gcal_error *err)
{
    const struct layout *layout = layouts;
    struct gcal_buf buf = { 0 };

    while (strcmp(layout->name, e->layout) != 0) /* the command has checked it */
        layout++;
    gcal_buf_puts(&buf, layout->head);
    for (size_t i = 0; i < speeds->n_nodes; i++) {
        struct line line = make_line(e->arena, &speeds->nodes[i]);

        if (!line.extra) {
            gcal_buf_free(&buf);
            gcal_error_memory(err);
            return NULL;
        }
        layout->put(&buf, &speeds->nodes[i], &line);
    }
    return gcal_arena_take(e->arena, &buf);
}

static const struct argp_option options[] = {
    { "slurm", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
      "Features, weights, comments and extra data of nodes; layouts: table "
      "(default), conf (lines of slurm.conf), commands (of scontrol)",
      0 },
    { 0 },
};
static const struct argp argp = { .options = options };

const struct gcal_export_target gcal_export_slurm = {
    .name = "slurm",
    .layouts = { "table", "conf", "commands" },
    .argp = &argp,
    .text = slurm_text,
};
