/* reference.c - what devices of a type have: quantiles over a store's devices, and over stores */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calib/health/health.h"
#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"

#define HEADER "gpucal_reference 1"
#define LAST   (GCAL_HEALTH_QUANTILES - 1)

/* The clock has no kernel. */
#define NO_KERNEL "-"

static struct gcal_health_quantiles *find(struct gcal_arena *arena,
                                          struct gcal_health_reference *reference,
                                          const char *name, const char *kernel)
{
    struct gcal_health_quantiles *q;

    for (size_t i = 0; i < reference->n; i++) {
        q = &reference->costs[i];
        if (strcmp(q->name, name) == 0 && strcmp(q->kernel, kernel) == 0)
            return q;
    }
    reference->costs = gcal_arena_grow(arena, reference->costs, reference->n,
                                       &reference->capacity, sizeof(*q));
    q = &reference->costs[reference->n++];
    *q = (struct gcal_health_quantiles){ .name = gcal_arena_strdup(arena, name),
                                         .kernel = gcal_arena_strdup(arena, kernel) };
    return q;
}

/* ---- of a store ---- */

static void add_time(struct gcal_arena *arena, struct gcal_health_reference *reference,
                     const char *name, const char *kernel, double time_s)
{
    struct gcal_health_quantiles *q = find(arena, reference, name, kernel);

    q->values = gcal_arena_grow(arena, q->values, q->n, &q->capacity, sizeof(time_s));
    q->values[q->n++] = time_s;
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

int gcal_health_reference_make(struct gcal_arena *arena, const struct gcal_store *store,
                               const char *type, struct gcal_health_reference *reference,
                               struct gcal_error *err)
{
    char **nodes;
    size_t n_nodes, n_devices = 0;
    int rc = gcal_checks_nodes(store, &nodes, &n_nodes, err);

    *reference = (struct gcal_health_reference){ .type = gcal_arena_strdup(arena, type) };
    for (size_t i = 0; i < n_nodes && rc == 0; i++) {
        struct gcal_checks checks;

        rc = gcal_checks_read(arena, store, nodes[i], &checks, err);
        for (size_t k = 0; k < checks.n && rc == 0; k++) {
            const struct gcal_checks_line *line = &checks.lines[k];

            if (strcmp(line->type, type) != 0 || !gcal_checks_is_newest(&checks, k))
                continue;
            n_devices++;
            for (size_t t = 0; t < line->n; t++)
                add_time(arena, reference, line->times[t].name, line->times[t].kernel,
                         line->times[t].time_s);
            if (line->clock_hz > 0)
                add_time(arena, reference, gcal_health_resource_word(GCAL_HEALTH_CLOCK),
                         NO_KERNEL, 1 / line->clock_hz);
        }
    }
    gcal_strings_free(nodes, n_nodes);
    if (rc == 0 && !n_devices)
        return gcal_error_set(err, GCAL_EINPUT,
                              "the store has no check of a device of type '%s': 'gpucal "
                              "health --check' on its nodes makes them",
                              type);
    for (size_t i = 0; i < reference->n; i++) {
        struct gcal_health_quantiles *q = &reference->costs[i];

        qsort(q->values, q->n, sizeof(*q->values), by_value);
        for (size_t k = 0; k <= LAST; k++) {
            double at = (double)k / LAST * (double)(q->n - 1);
            size_t below = (size_t)at, above = below + 1 < q->n ? below + 1 : below;

            q->time_s[k] = q->values[below] +
                           (at - (double)below) * (q->values[above] - q->values[below]);
        }
    }
    return rc;
}

/* ---- text ---- */

char *gcal_health_reference_text(struct gcal_arena *arena,
                                 const struct gcal_health_reference *reference)
{
    struct gcal_buf buf = { 0 };

    gcal_buf_printf(&buf, HEADER "\ntype\t%s\n", reference->type);
    for (size_t i = 0; i < reference->n; i++) {
        const struct gcal_health_quantiles *q = &reference->costs[i];

        gcal_buf_printf(&buf, "cost\t%s\t%s\t%zu", q->name, q->kernel, q->n);
        for (size_t k = 0; k <= LAST; k++)
            gcal_buf_printf(&buf, "\t%.6g", q->time_s[k]);
        gcal_buf_puts(&buf, "\n");
    }
    return gcal_arena_take(arena, &buf);
}

static bool read_cost(struct gcal_arena *arena, char *line,
                      struct gcal_health_reference *reference)
{
    const char *name = strsep(&line, "\t"), *kernel = strsep(&line, "\t"),
               *count = strsep(&line, "\t");
    struct gcal_health_quantiles *q;
    char *end;

    if (!count)
        return false;
    q = find(arena, reference, name, kernel);
    if (q->n) /* twice */
        return false;
    q->n = strtoull(count, &end, 10);
    if (*end || !q->n)
        return false;
    for (size_t k = 0; k <= LAST; k++) {
        const char *word = strsep(&line, "\t");

        q->time_s[k] = word ? strtod(word, &end) : NAN;
        if (!word || *end || !(q->time_s[k] > 0) || !isfinite(q->time_s[k]) ||
            (k && q->time_s[k] < q->time_s[k - 1]))
            return false;
    }
    return !line;
}

int gcal_health_reference_parse(struct gcal_arena *arena, const char *text,
                                const char *shown,
                                struct gcal_health_reference *reference,
                                struct gcal_error *err)
{
    char *next = gcal_arena_strdup(arena, text);
    bool good = strncmp(text, HEADER "\n", strlen(HEADER "\n")) == 0;

    *reference = (struct gcal_health_reference){ 0 };
    strsep(&next, "\n");
    for (char *line; good && next && *next && (line = strsep(&next, "\n"));) {
        const char *word = strsep(&line, "\t");

        if (*word == '#') /* the signature */
            continue;
        good = line && next;
        if (good && strcmp(word, "type") == 0 && !reference->type)
            reference->type = line;
        else
            good = good && strcmp(word, "cost") == 0 && read_cost(arena, line, reference);
    }
    if (good && reference->type)
        return 0;
    return gcal_error_set(err, GCAL_EINPUT,
                          "%s: damaged, or no reference of this version of gpucal: "
                          "'gpucal store export-reference' makes one",
                          shown);
}

/* ---- many stores ---- */

/* The share of devices that take less time; quantiles are joined by straight lines. */
static double share_below(const struct gcal_health_quantiles *q, double time_s)
{
    size_t k = 0;

    if (time_s <= q->time_s[0])
        return 0;
    if (time_s >= q->time_s[LAST])
        return 1;
    while (q->time_s[k + 1] <= time_s)
        k++;
    return ((double)k + (time_s - q->time_s[k]) / (q->time_s[k + 1] - q->time_s[k])) /
           LAST;
}

void gcal_health_reference_merge(struct gcal_arena *arena,
                                 struct gcal_health_reference *into,
                                 const struct gcal_health_reference *from)
{
    for (size_t i = 0; i < from->n; i++) {
        const struct gcal_health_quantiles *b = &from->costs[i];
        struct gcal_health_quantiles *to = find(arena, into, b->name, b->kernel);
        const struct gcal_health_quantiles a = *to;
        double n = (double)(a.n + b->n);

        to->n += b->n;
        if (!a.n)
            memcpy(to->time_s, b->time_s, sizeof(to->time_s));
        for (size_t k = 0; k <= LAST && a.n; k++) {
            double low = fmin(a.time_s[0], b->time_s[0]);
            double high = fmax(a.time_s[LAST], b->time_s[LAST]);

            /* Halved until the doubles are neighbours: the least time that the share reaches. */
            for (int step = 0; step < 64 && k; step++) {
                double middle = low + (high - low) / 2;
                double below = ((double)a.n * share_below(&a, middle) +
                                (double)b->n * share_below(b, middle)) /
                               n;

                *(below >= (double)k / LAST ? &high : &low) = middle;
            }
            to->time_s[k] = k ? high : low;
        }
    }
}

double gcal_health_reference_slowest(const struct gcal_health_reference *reference,
                                     size_t resource, const char *kernel, double time_s,
                                     size_t *n)
{
    const char *name = gcal_health_resource_word(resource);

    for (size_t i = 0; i < reference->n; i++) {
        const struct gcal_health_quantiles *q = &reference->costs[i];

        if (strcmp(q->name, name) != 0 ||
            strcmp(q->kernel, kernel ? kernel : NO_KERNEL) != 0)
            continue;
        *n = q->n;
        return fmax(1 - share_below(q, time_s), 1 / (double)q->n);
    }
    *n = 0;
    return NAN;
}
