/* pal.c - how much slower than its type each device is, by classes of work
 *
 * PAL (Jain et al. 2024) places a job by a score of each GPU for the job's class: the time of the
 * class on this GPU over that on the median GPU, 1.1 for 10 % slower.  Classes here are the
 * kernels of --profile, or the costs of the model.  A CSV line for each device and class.
 */
#include <argp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/median.h"
#include "mpi/cli/csv.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/speed.h"

static bool is_known(const struct gcal_export_speed_device *d, size_t class)
{
    return class < d->costs.n && isfinite(d->costs.seconds[class]);
}

/* The median time of a class over all devices of a type; 'times' has room for them. */
static double median_of_type(const struct gcal_export_speeds *s, const char *type,
                             size_t class, double *times)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_nodes; i++)
        for (size_t j = 0; j < s->nodes[i].n_devices; j++) {
            const struct gcal_export_speed_device *d = &s->nodes[i].devices[j];

            if (strcmp(d->type, type) == 0 && is_known(d, class))
                times[n++] = d->costs.seconds[class];
        }
    return gcal_median(times, n);
}

static size_t count_devices(const struct gcal_export_speeds *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n_nodes; i++)
        n += s->nodes[i].n_devices;
    return n;
}

static void put_device(FILE *out, const struct gcal_export_speeds *s, const char *node,
                       const struct gcal_export_speed_device *d, double *times)
{
    for (size_t class = 0; class < s->costs.n; class ++) {
        if (!is_known(d, class))
            continue;
        gcal_csv_text(out, node, ',');
        gcal_csv_text(out, d->uid, ',');
        gcal_csv_text(out, d->type, ',');
        gcal_csv_text(out, s->costs.items[class], ',');
        fprintf(out, "%.4f\n",
                d->costs.seconds[class] / median_of_type(s, d->type, class, times));
    }
}

static char *pal_text(const struct gcal_export *e, const struct gcal_export_speeds *s,
                      struct gcal_error *err)
{
    double *times = calloc(count_devices(s) + 1, sizeof(*times));
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    bool written;

    (void)e;
    if (times && out) {
        fputs("node,uid,type,class,score\n", out);
        for (size_t i = 0; i < s->n_nodes; i++)
            for (size_t j = 0; j < s->nodes[i].n_devices; j++)
                put_device(out, s, s->nodes[i].name, &s->nodes[i].devices[j], times);
    }
    written = out && fclose(out) == 0 && times;
    free(times);
    if (written)
        return text;
    free(text);
    gcal_error_memory(err);
    return NULL;
}

static const struct argp_option options[] = {
    { "pal", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
      "Scores of devices by classes of work, as CSV for placement policies such as PAL",
      0 },
    { 0 },
};
static const struct argp argp = { .options = options };

const struct gcal_export_target gcal_export_pal = {
    .name = "pal",
    .argp = &argp,
    .text = pal_text,
};
