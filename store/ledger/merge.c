/* merge.c - the lines of several segments in one order
 *
 * In the order of time, each line comes after what must be before it: the previous line of
 * its segment, and the line of another segment that published what it replaces.  A cycle,
 * which only a forged ledger has, is cut somewhere.
 */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/ledger/private.h"

struct node {
    const struct gcal_ledger_line *line;
    struct node *previous, *replaced; /* NULL: none */
    bool seen;
};

struct merging {
    size_t n, n_placed;
    struct node *nodes;                 /* by segment, then by order */
    struct node **by_time, **by_sha256; /* by_sha256: those that publish */
    size_t n_by_sha256;
    struct node **stack;
    const struct gcal_ledger_line **line; /* placed */
};

static int compare_places(const void *a, const void *b)
{
    const struct node *p = a, *q = b;

    if (p->line->segment != q->line->segment)
        return p->line->segment < q->line->segment ? -1 : 1;
    return (p->line->order > q->line->order) - (p->line->order < q->line->order);
}

static int compare_times(const void *a, const void *b)
{
    const struct node *p = *(struct node *const *)a, *q = *(struct node *const *)b;
    int order = strcmp(p->line->utc, q->line->utc);

    return order ? order : compare_places(p, q);
}

static int compare_sha256(const void *a, const void *b)
{
    const struct node *p = *(struct node *const *)a, *q = *(struct node *const *)b;
    int order = strcmp(p->line->sha256, q->line->sha256);

    return order ? order : compare_times(a, b);
}

/* The first line with that content; NULL: none. */
static struct node *find_published(const struct merging *m, const char *sha256)
{
    size_t low = 0, high = m->n_by_sha256;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(m->by_sha256[middle]->line->sha256, sha256) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == m->n_by_sha256 || strcmp(m->by_sha256[low]->line->sha256, sha256) != 0)
        return NULL;
    return m->by_sha256[low];
}

/* The end of a publication is its next line, and comes before what replaces its file. */
static struct node *end_of(const struct merging *m, struct node *published)
{
    struct node *next = published + 1;

    if (next < m->nodes + m->n && next->line->ends &&
        next->line->segment == published->line->segment &&
        strcmp(next->line->sha256, published->line->sha256) == 0)
        return next;
    return published;
}

/* What must be placed before, and is not on its way. */
static struct node *missing_before(const struct node *node)
{
    if (node->previous && !node->previous->seen)
        return node->previous;
    return node->replaced && !node->replaced->seen ? node->replaced : NULL;
}

static void place(struct merging *m, struct node *node)
{
    size_t depth = 0;

    if (node->seen)
        return;
    node->seen = true;
    m->stack[depth++] = node;
    while (depth) {
        struct node *top = m->stack[depth - 1], *before = missing_before(top);

        if (before) {
            before->seen = true;
            m->stack[depth++] = before;
        } else {
            m->line[m->n_placed++] = top->line;
            depth--;
        }
    }
}

static bool has_one_segment(const struct gcal_ledger_scope *found)
{
    for (size_t i = 1; i < found->n; i++)
        if (found->line[i]->segment != found->line[0]->segment ||
            found->line[i]->order < found->line[i - 1]->order)
            return false;
    return true;
}

void gcal_ledger_merge(struct gcal_ledger_scope *found)
{
    struct gcal_arena *arena;
    struct merging m;
    size_t n = found->n;

    if (has_one_segment(found))
        return;
    arena = gcal_arena_create();
    m = (struct merging){ .n = n,
                          .nodes = gcal_arena_alloc(arena, n, sizeof(*m.nodes)),
                          .by_time = gcal_arena_alloc(arena, n, sizeof(struct node *)),
                          .by_sha256 = gcal_arena_alloc(arena, n, sizeof(struct node *)),
                          .stack = gcal_arena_alloc(arena, n, sizeof(struct node *)),
                          .line = gcal_arena_alloc(arena, n, sizeof(*m.line)) };
    for (size_t i = 0; i < n; i++)
        m.nodes[i].line = found->line[i];
    qsort(m.nodes, n, sizeof(*m.nodes), compare_places);
    for (size_t i = 0; i < n; i++) {
        const struct gcal_ledger_line *line = m.nodes[i].line;

        m.by_time[i] = &m.nodes[i];
        if (*line->sha256 && !line->ends && !line->prunes)
            m.by_sha256[m.n_by_sha256++] = &m.nodes[i];
    }
    qsort(m.by_time, n, sizeof(struct node *), compare_times);
    qsort(m.by_sha256, m.n_by_sha256, sizeof(struct node *), compare_sha256);
    for (size_t i = 0; i < n; i++) {
        struct node *node = &m.nodes[i];
        const struct gcal_ledger_line *line = node->line;

        if (i && node[-1].line->segment == line->segment)
            node->previous = &node[-1];
        if (*line->replaces && !line->ends)
            node->replaced = find_published(&m, line->replaces);
        if (node->replaced && node->replaced->line->segment == line->segment)
            node->replaced = NULL; /* has its place */
        if (node->replaced)
            node->replaced = end_of(&m, node->replaced);
    }
    for (size_t i = 0; i < n; i++)
        place(&m, m.by_time[i]);
    memcpy(found->line, m.line, n * sizeof(*m.line));
    gcal_arena_destroy(arena);
}
