/* speed.c - the point of a run from which on a device has another speed
 *
 * The point is that of the largest gain of a least-squares step that is common to all
 * kernels, each about a level of its own.  Whether it is a change is decided by medians and
 * by counting kernels, which a few odd kernels do not move.
 */
#include "fit/speed.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "kernels/base/median.h"

/* Clocks and temperatures make smaller differences. */
#define FLOOR 0.05
/* The last visits are of the kernels with the most noise alone: where fewer than that share of all
 * kernels can be compared, theirs is larger.
 */
#define FEW          0.2
#define FLOOR_OF_FEW 0.25

/* A kernel shows a change that is larger than this many scales of visits at one speed: what
 * is smaller, its median bears.
 */
#define SCALES 4

/* The kernels that must show it: a change of one clock does not concern all; but on a busy
 * machine some kernels always differ.
 */
#define LEAST_KERNELS 3
#define LEAST_SHARE   0.5
/* Of all kernels, those that have times on both sides. */
#define LEAST_COMPARABLE 0.05
/* Of those that show a change, at most this share in the other direction. */
#define MOST_CONTRARY 0.2

/* A visit moves the point no more than one this far off. */
#define BOUND M_LN2

struct visit {
    size_t kernel; /* 0 to n_kernels-1 */
    uint64_t order;
    double x;       /* log(time) */
    double bounded; /* x from the kernel's median, bounded */
};

/* The visits of a kernel on both sides of the point. */
struct kernel {
    size_t name; /* the caller's number */
    size_t n, n_before;
    double sum, before; /* of 'bounded' */
    double last;        /* median of log(time) after the point */
    double step;        /* that, less that of before; NaN: not on both sides */
};

struct search {
    size_t n, n_kernels;
    struct visit *by_kernel; /* then by order */
    struct visit *by_order;
    struct kernel *kernels;
    double *sorted; /* of one kernel */
    double *noise;  /* distances of visits from the medians of their sides */
    size_t n_noise;
};

/* ---- the visits ---- */

static int compare_orders(const void *a, const void *b)
{
    const struct visit *p = a, *q = b;

    return (p->order > q->order) - (p->order < q->order);
}

static int compare_kernels(const void *a, const void *b)
{
    const struct visit *p = a, *q = b;

    if (p->kernel != q->kernel)
        return p->kernel < q->kernel ? -1 : 1;
    return compare_orders(a, b);
}

/* The end of the visits of one kernel. */
static size_t end_of_kernel(const struct search *o, size_t first)
{
    size_t end = first;

    while (end < o->n && o->by_kernel[end].kernel == o->by_kernel[first].kernel)
        end++;
    return end;
}

static double median_of(const struct search *o, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        o->sorted[i - first] = o->by_kernel[i].x;
    return gcal_median(o->sorted, end - first);
}

/* The visits from 'since' on. */
static struct search begin_search(struct gcal_arena *arena,
                                  const struct gcal_fit_visit *visits, size_t n,
                                  uint64_t since)
{
    struct search o = { .by_kernel = gcal_arena_alloc(arena, n, sizeof(*o.by_kernel)),
                        .by_order = gcal_arena_alloc(arena, n, sizeof(*o.by_order)),
                        .kernels = gcal_arena_alloc(arena, n, sizeof(*o.kernels)),
                        .sorted = gcal_arena_alloc(arena, n, sizeof(*o.sorted)),
                        .noise = gcal_arena_alloc(arena, n, sizeof(*o.noise)) };

    for (size_t i = 0; i < n; i++)
        if (visits[i].order >= since)
            o.by_kernel[o.n++] = (struct visit){ .kernel = visits[i].kernel,
                                                 .order = visits[i].order,
                                                 .x = log(visits[i].time_s) };
    qsort(o.by_kernel, o.n, sizeof(*o.by_kernel), compare_kernels);
    /* Numbers the kernels, and takes each visit from its kernel's median. */
    for (size_t first = 0, end; first < o.n; first = end) {
        double middle;

        end = end_of_kernel(&o, first);
        middle = median_of(&o, first, end);
        for (size_t i = first; i < end; i++) {
            struct visit *v = &o.by_kernel[i];

            v->bounded = fmax(-BOUND, fmin(v->x - middle, BOUND));
            o.kernels[o.n_kernels].sum += v->bounded;
        }
        o.kernels[o.n_kernels].n = end - first;
        o.kernels[o.n_kernels].name = o.by_kernel[first].kernel;
        for (size_t i = first; i < end; i++)
            o.by_kernel[i].kernel = o.n_kernels;
        o.n_kernels++;
    }
    for (size_t i = 0; i < o.n; i++)
        o.by_order[i] = o.by_kernel[i];
    qsort(o.by_order, o.n, sizeof(*o.by_order), compare_orders);
    return o;
}

/* ---- the point ---- */

/* The weight and the weighted step of a kernel in the common step. */
static double weight_of(const struct kernel *k, double *weighted)
{
    double before = (double)k->n_before, after = (double)k->n - before;
    double weight = before * after / (before + after);

    *weighted =
        weight > 0 ? weight * ((k->sum - k->before) / after - k->before / before) : 0;
    return weight;
}

/* The first visit after the likeliest change; 0: no kernels to compare. */
static size_t likeliest(const struct search *o)
{
    double weights = 0, steps = 0, most = 0, step;
    size_t n_comparable = 0, best = 0;

    for (size_t i = 0; i + 1 < o->n; i++) {
        struct kernel *k = &o->kernels[o->by_order[i].kernel];

        weights -= weight_of(k, &step);
        steps -= step;
        n_comparable += k->n_before == 0 && k->n > 1;
        k->n_before++;
        k->before += o->by_order[i].bounded;
        n_comparable -= k->n_before == k->n && k->n > 1;
        weights += weight_of(k, &step);
        steps += step;
        if (o->by_order[i + 1].order > o->by_order[i].order &&
            n_comparable >= LEAST_KERNELS && steps * steps / weights > most) {
            most = steps * steps / weights;
            best = i + 1;
        }
    }
    return best;
}

/* ---- the verdict ---- */

static void add_noise(struct search *o, size_t first, size_t end, double middle)
{
    for (size_t i = first; i < end && end - first > 1; i++)
        o->noise[o->n_noise++] = fabs(o->by_kernel[i].x - middle);
}

/* The steps of all kernels at that point. */
static void find_steps(struct search *o, uint64_t since)
{
    for (size_t k = 0, first = 0, end; k < o->n_kernels; k++, first = end) {
        size_t at = first;
        double before;

        end = end_of_kernel(o, first);
        while (at < end && o->by_kernel[at].order < since)
            at++;
        o->kernels[k].step = NAN;
        if (at == first || at == end)
            continue;
        before = median_of(o, first, at);
        o->kernels[k].last = median_of(o, at, end);
        add_noise(o, first, at, before);
        add_noise(o, at, end, o->kernels[k].last);
        o->kernels[k].step = o->kernels[k].last - before;
    }
}

/* The scale of visits at one speed.  Where most kernels were visited once on each side, it is not
 * known: then that of the steps, which a change makes alike, and another program does not.
 */
static double noise_of(struct search *o)
{
    size_t n = 0;
    double middle;

    for (size_t k = 0; k < o->n_kernels; k++)
        if (!isnan(o->kernels[k].step))
            o->sorted[n++] = o->kernels[k].step;
    if (n <= o->n_noise)
        return 1.4826 * gcal_median(o->noise, o->n_noise);
    middle = gcal_median(o->sorted, n);
    for (size_t i = 0; i < n; i++)
        o->sorted[i] = fabs(o->sorted[i] - middle);
    return 1.4826 * gcal_median(o->sorted, n);
}

static size_t count_comparable(const struct search *o)
{
    size_t n = 0;

    for (size_t k = 0; k < o->n_kernels; k++)
        n += !isnan(o->kernels[k].step);
    return n;
}

/* Counts the kernels that show a change in either direction. */
static void judge(struct search *o, uint64_t since, struct gcal_fit_speed *speed)
{
    size_t n_up = 0, n_down = 0, n = count_comparable(o), n_shown = 0;
    bool few = (double)n < FEW * (double)o->n_kernels;
    double limit = fmax(few ? FLOOR_OF_FEW : FLOOR, SCALES * noise_of(o)), middle;
    const struct kernel *nearest = o->kernels;

    for (size_t k = 0; k < o->n_kernels; k++) {
        n_up += o->kernels[k].step > limit;
        n_down += o->kernels[k].step < -limit;
    }
    if (n_up < n_down ? n_up > MOST_CONTRARY * n_down : n_down > MOST_CONTRARY * n_up)
        return;
    for (size_t k = 0; k < o->n_kernels; k++)
        if (n_up > n_down ? o->kernels[k].step > limit : o->kernels[k].step < -limit)
            o->sorted[n_shown++] = o->kernels[k].step;
    if (n_shown < LEAST_KERNELS || (double)n_shown < LEAST_SHARE * (double)n ||
        (double)n < LEAST_COMPARABLE * (double)o->n_kernels)
        return;
    middle = gcal_median(o->sorted, n_shown);
    for (size_t k = 0; k < o->n_kernels; k++)
        if (isnan(nearest->step) ||
            fabs(o->kernels[k].step - middle) < fabs(nearest->step - middle))
            nearest = &o->kernels[k];
    *speed = (struct gcal_fit_speed){ .changed = true,
                                      .since = since,
                                      .ratio = exp(middle),
                                      .n_kernels = n_shown,
                                      .n_comparable = n,
                                      .kernel = nearest->name,
                                      .before_s = exp(nearest->last - nearest->step),
                                      .after_s = exp(nearest->last) };
}

struct gcal_fit_speed gcal_fit_find_speed(const struct gcal_fit_visit *visits, size_t n)
{
    struct gcal_fit_speed speed = { .ratio = 1 }, next = { .changed = true };

    while (next.changed) {
        struct gcal_arena *arena = gcal_arena_create();
        struct search o = begin_search(arena, visits, n, speed.since);
        size_t at = likeliest(&o);

        next = (struct gcal_fit_speed){ .changed = false };
        if (at) {
            find_steps(&o, o.by_order[at].order);
            judge(&o, o.by_order[at].order, &next);
        }
        gcal_arena_destroy(arena);
        if (next.changed)
            speed = next;
    }
    return speed;
}
