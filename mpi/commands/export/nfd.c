/* nfd.c - labels of Kubernetes nodes: files of Node Feature Discovery's local source
 *
 * A line "NAME=VALUE" becomes a label of the node; other lines begin with '#'.  Names and values
 * of labels are at most 63 letters, digits, '-', '_' and '.', the first and last a letter or
 * digit.
 */
#include <argp.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/cli/command.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/speed.h"

/* The namespace in which any node may have labels. */
#define PREFIX "feature.node.kubernetes.io/gpucal-"

#define LABEL 63

static bool is_alphanumeric(char c)
{
    return isalnum((unsigned char)c) && (unsigned char)c < 128;
}

/* As much of 'text' as a label can have, in 'label'. */
static const char *label_value(const char *text, char label[LABEL + 1])
{
    size_t n = 0;

    for (; *text && n < LABEL; text++)
        if (is_alphanumeric(*text))
            label[n++] = *text;
        else if (n) /* not the first */
            label[n++] = '-';
    while (n && !is_alphanumeric(label[n - 1]))
        n--;
    label[n] = '\0';
    return label;
}

static void put_text(struct gcal_buf *buf, const char *name, const char *text)
{
    char value[LABEL + 1];

    if (text)
        gcal_buf_printf(buf, PREFIX "%s=%s\n", name, label_value(text, value));
}

/* Whole numbers: NodeFeatureRules compare them with Gt and Lt. */
static void put_whole(struct gcal_buf *buf, const char *name, double value)
{
    if (isfinite(value))
        gcal_buf_printf(buf, PREFIX "%s=%.0f\n", name, value);
}

/* The type of the first GPU, or of the first device of a node without. */
static const char *type_of(const struct gcal_export_speed_node *node)
{
    for (size_t i = 0; i < node->n_devices; i++)
        if (node->devices[i].is_gpu)
            return node->devices[i].type;
    return node->devices[0].type;
}

static char *make_text(struct gcal_arena *arena,
                       const struct gcal_export_speed_node *node)
{
    const struct gcal_export_rates rates = gcal_export_speed_rates(node);
    char day[sizeof("2026-11-22")];
    struct gcal_buf buf = { 0 };

    snprintf(day, sizeof(day), "%s", gcal_export_speed_oldest(node)->utc);
    gcal_buf_puts(&buf, "# written by gpucal export --to nfd\n");
    put_text(&buf, "speed-class", gcal_export_class_name(node));
    put_whole(&buf, "speed-percent", 100 * node->class_speed);
    put_whole(&buf, "memory-gbps", rates.memory_bytes_per_s / 1e9);
    put_whole(&buf, "fp32-gflops", rates.fp32_flop_per_s / 1e9);
    put_whole(&buf, "devices", (double)node->n_devices);
    put_text(&buf, "type", type_of(node));
    put_text(&buf, "calibrated", day);
    return gcal_arena_take(arena, &buf);
}

/* All nodes are compared, so all are written. */
static int export_nfd(const struct gcal_export *e, const void *options,
                      struct gcal_error *err)
{
    struct gcal_export_speeds speeds = { 0 };

    (void)options;
    if (!e->output)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "--to nfd writes a file for each node: give --output FOLDER");
    if (gcal_export_speeds_find(e, &speeds, err) < 0)
        return -1;
    if (mkdir(e->output, 0777) < 0 && errno != EEXIST)
        return gcal_error_set(err, GCAL_EINPUT, "%s: %m", e->output);
    for (size_t i = 0; i < speeds.n_nodes; i++)
        if (gcal_command_write(
                gcal_arena_format(e->arena, "%s/%s", e->output, speeds.nodes[i].name),
                make_text(e->arena, &speeds.nodes[i]), err) < 0)
            return -1;
    return 0;
}

static const struct argp_option options[] = {
    { "nfd", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
      "Labels of Kubernetes nodes by Node Feature Discovery, a file FOLDER/NODE for "
      "each; "
      "--output is the folder",
      0 },
    { 0 },
};
static const struct argp argp = { .options = options };

const struct gcal_export_target gcal_export_nfd = {
    .name = "nfd",
    .argp = &argp,
    .run = export_nfd,
};
