/* classes.c - nodes that differ by no more than their errors, as one speed
 *
 * Nodes in the order of their speeds are one group as long as neighbours differ by no more than
 * their errors: wherever the limit between two classes is, it does not divide equal nodes.
 * A group that becomes too wide is divided where its neighbours differ most.
 */
#include <math.h>
#include <stdlib.h>

#include "kernels/base/arena.h"
#include "mpi/commands/export/speed.h"

/* Limits of classes.  Not 1/2 or 3/4, the speeds of nodes that lack devices. */
#define FAST   0.9
#define MEDIUM 0.4

/* Neighbours differ from two standard errors on, and from this on, */
#define LEAST_MARGIN 0.02
/* and no group is wider than this, unless by the errors of its ends. */
#define WIDEST 0.1

static int by_speed(const void *a, const void *b)
{
    const struct gcal_export_speed_node *const *x = a, *const *y = b;

    return ((*x)->settled < (*y)->settled) - ((*x)->settled > (*y)->settled);
}

static double gap(const struct gcal_export_speed_node *faster,
                  const struct gcal_export_speed_node *slower)
{
    return log(faster->settled / slower->settled);
}

/* By 'least', and by more than their errors. */
static bool differ(const struct gcal_export_speed_node *faster,
                   const struct gcal_export_speed_node *slower, double least)
{
    return gap(faster, slower) > fmax(least, 2 * hypot(faster->error, slower->error));
}

/* The first node of the second part, where neighbours differ most. */
static size_t widest_gap(struct gcal_export_speed_node *const *nodes, size_t n)
{
    size_t at = 1;

    for (size_t i = 2; i < n; i++)
        if (gap(nodes[i - 1], nodes[i]) > gap(nodes[at - 1], nodes[at]))
            at = i;
    return at;
}

/* A group, from its widest parts on. */
static void set_group(struct gcal_export_speed_node *const *nodes, size_t n)
{
    double sum = 0;

    while (n > 1 && differ(nodes[0], nodes[n - 1], WIDEST)) {
        size_t at = widest_gap(nodes, n);

        /* The longer part goes on in this loop: the depth is that of a binary logarithm. */
        if (at <= n / 2) {
            set_group(nodes, at);
            nodes += at;
            n -= at;
        } else {
            set_group(nodes + at, n - at);
            n = at;
        }
    }
    for (size_t i = 0; i < n; i++)
        sum += log(nodes[i]->settled);
    for (size_t i = 0; i < n; i++)
        nodes[i]->class_speed = exp(sum / (double)n);
}

void gcal_export_classes_find(struct gcal_arena *arena, struct gcal_export_speeds *s)
{
    struct gcal_export_speed_node **nodes =
        gcal_arena_alloc(arena, s->n_nodes, sizeof(struct gcal_export_speed_node *));
    size_t n = 0, first, end;

    for (size_t i = 0; i < s->n_nodes; i++) {
        s->nodes[i].class_speed = NAN;
        if (!isnan(s->nodes[i].settled))
            nodes[n++] = &s->nodes[i];
    }
    if (n)
        qsort(nodes, n, sizeof(*nodes), by_speed);
    for (first = 0; first < n; first = end) {
        for (end = first + 1;
             end < n && !differ(nodes[end - 1], nodes[end], LEAST_MARGIN);)
            end++;
        set_group(nodes + first, end - first);
    }
    for (size_t i = n; i-- > 0;) /* the fastest last */
        nodes[i]->class_speed /= nodes[0]->class_speed;
}

const char *gcal_export_class_name(const struct gcal_export_speed_node *node)
{
    if (isnan(node->class_speed))
        return NULL;
    return node->class_speed >= FAST     ? "fast"
           : node->class_speed >= MEDIUM ? "medium"
                                         : "slow";
}
