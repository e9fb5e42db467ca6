/* lines.c - the lines of the ledger by node or type, and histories in their order */
#include <stdlib.h>
#include <string.h>

#include "store/ledger/lines.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/ledger/private.h"

/* ---- the lines of several segments in one order
 *
 * In the order of time, each line comes after what must be before it: the previous line of
 * its segment, and the line of another segment that published what it replaces.  A cycle,
 * which only a forged ledger has, is cut somewhere.
 */

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

/* Puts the lines of one node or type, which are in the order of each segment, into one order
 * (lines.h).
 */
static void merge_segments(struct gcal_ledger_scope *found)
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

/* ---- reading ---- */

static void keep(struct gcal_ledger_lines *lines, size_t segment,
                 const struct gcal_ledger_entry *e)
{
    char *scope = gcal_store_scope_of(e->file);
    const char *texts[] = { scope,     e->utc,      e->file, e->run_id,
                            e->sha256, e->replaces, e->track };
    const char *copies[sizeof(texts) / sizeof(*texts)];
    bool publishes = strcmp(e->action, "publish") == 0;
    size_t size = 0;
    char *block;

    if (!scope)
        gcal_arena_out_of_memory();
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        size += strlen(texts[i]) + 1;
    block = gcal_arena_alloc(lines->arena, size, 1);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        copies[i] = block;
        block = stpcpy(block, texts[i]) + 1;
    }
    free(scope);
    lines->items = gcal_arena_grow(lines->arena, lines->items, lines->n, &lines->capacity,
                                   sizeof(*lines->items));
    lines->items[lines->n] = (struct gcal_ledger_line){
        .segment = segment,
        .order = lines->n,
        .publishes = publishes,
        .prunes = strcmp(e->action, "prune") == 0,
        .ends = strcmp(e->action, "end") == 0,
        .keeps = publishes && gcal_store_kind_of(copies[0]),
        .scope = copies[0],
        .utc = copies[1],
        .file = copies[2],
        .run_id = copies[3],
        .sha256 = copies[4],
        .replaces = copies[5],
        .track = copies[6],
    };
    lines->n++;
}

static void note_bad(struct gcal_ledger_lines *lines, const char *text)
{
    gcal_buf_printf(&lines->bad, "damaged: %s\n", text);
    lines->n_bad++;
}

/* One by a key that is not trusted is as good as none; later ones sign its line as well. */
static void take_seal(struct gcal_ledger_lines *lines, struct gcal_ledger_reader *reader,
                      const struct gcal_ledger_entry *e)
{
    const struct gcal_store by_any = { .trusted = NULL };
    struct gcal_error why = { 0 };

    reader->n_unsealed++;
    if (gcal_ledger_check_seal(lines->store, reader->name, e->previous, e->seal, NULL) ==
        0) {
        reader->n_unsealed = 0;
        reader->n_sealed = lines->n;
    } else if (gcal_ledger_check_seal(&by_any, reader->name, e->previous, e->seal, &why) <
               0) {
        gcal_error_prefix(&why, "%s:%zu: the seal", reader->name, reader->number);
        note_bad(lines, why.text);
    }
}

bool gcal_ledger_is_sealed(const struct gcal_ledger_lines *lines,
                           const struct gcal_ledger_line *line)
{
    return line->order < lines->readers[line->segment].n_sealed;
}

/* The place of a segment's reader, or n_readers; names come in about the order of before, so
 * the search begins after the place found last.
 */
static size_t find_reader(const struct gcal_ledger_lines *lines, const char *name,
                          size_t last)
{
    size_t n = lines->n_readers;

    for (size_t i = 0; i < n; i++)
        if (strcmp(lines->readers[(last + 1 + i) % n].name, name) == 0)
            return (last + 1 + i) % n;
    return n;
}

int gcal_ledger_lines_refresh(struct gcal_ledger_lines *lines, struct gcal_error *err)
{
    bool is_first = lines->n_readers == 0;
    struct gcal_arena *arena = gcal_arena_create();
    const char **names;
    size_t n, at = 0;
    int rc = gcal_ledger_segments(arena, lines->store, &names, &n, err);

    if (!lines->arena)
        lines->arena = gcal_arena_create();

    for (size_t i = 0; i < n && rc == 0; i++) {
        struct gcal_ledger_reader *reader;
        struct gcal_ledger_entry entry;
        struct gcal_error line = { 0 };
        int got;

        at = is_first ? lines->n_readers : find_reader(lines, names[i], at);
        if (at == lines->n_readers) {
            lines->readers =
                gcal_arena_grow(lines->arena, lines->readers, lines->n_readers,
                                &lines->reader_capacity, sizeof(*lines->readers));
            lines->readers[lines->n_readers++] =
                (struct gcal_ledger_reader){ .name = gcal_arena_strdup(lines->arena,
                                                                       names[i]) };
        }
        reader = &lines->readers[at];
        rc = gcal_ledger_resume(lines->store, reader, err);
        while (rc == 0 && (got = gcal_ledger_next(reader, &entry, &line)) != 0)
            if (got < 0) {
                note_bad(lines, line.text);
            } else if (*entry.seal) {
                take_seal(lines, reader, &entry);
            } else {
                reader->n_unsealed++;
                keep(lines, at, &entry);
            }
        gcal_ledger_pause(reader);
    }
    gcal_arena_destroy(arena);
    return rc;
}

static int compare(const void *a, const void *b)
{
    const struct gcal_ledger_line *p = a, *q = b;
    int order = strcmp(p->scope, q->scope);

    if (order)
        return order;
    if (p->segment != q->segment)
        return p->segment < q->segment ? -1 : 1;
    return (p->order > q->order) - (p->order < q->order);
}

void gcal_ledger_lines_sort(struct gcal_ledger_lines *lines)
{
    if (lines->n)
        qsort(lines->items, lines->n, sizeof(*lines->items), compare);
    lines->n_sorted = lines->n;
}

void gcal_ledger_lines_clear(struct gcal_ledger_lines *lines)
{
    for (size_t i = 0; i < lines->n_readers; i++)
        free(lines->readers[i].line);
    gcal_arena_destroy(lines->arena);
    gcal_buf_free(&lines->bad);
}

/* ---- one node or type ---- */

struct gcal_ledger_scope gcal_ledger_lines_find(struct gcal_arena *arena,
                                                const struct gcal_ledger_lines *lines,
                                                const char *scope)
{
    struct gcal_ledger_scope found = { 0 };
    size_t low = 0, high = lines->n_sorted;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(lines->items[middle].scope, scope) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < lines->n) {
        /* After those of the scope, the lines that were not sorted yet. */
        if (strcmp(lines->items[low].scope, scope) == 0) {
            found.line = gcal_arena_grow(arena, found.line, found.n, &found.capacity,
                                         sizeof(*found.line));
            found.line[found.n++] = &lines->items[low];
        } else if (low < lines->n_sorted) {
            low = lines->n_sorted;
            continue;
        }
        low++;
    }
    merge_segments(&found);
    return found;
}

/* ---- history ---- */

struct placed {
    char *run;
    size_t place; /* 1 + that of its last publication; 0: not in the ledger */
};

static int by_place(const void *a, const void *b)
{
    const struct placed *p = a, *q = b;

    if (p->place != q->place)
        return p->place < q->place ? -1 : 1;
    return strcmp(p->run, q->run);
}

/* Sorts the runs; returns how many of them the ledger does not have, which come first. */
static size_t sort_runs(const struct gcal_ledger_lines *lines, const char *scope,
                        char **runs, size_t n)
{
    struct gcal_arena *arena = gcal_arena_create();
    const struct gcal_ledger_scope published =
        gcal_ledger_lines_find(arena, lines, scope);
    struct placed *placed = gcal_arena_alloc(arena, n, sizeof(*placed));
    size_t n_unknown = 0;

    for (size_t i = 0; i < n; i++)
        placed[i].run = runs[i];
    for (size_t k = 0; k < published.n; k++)
        for (size_t i = 0; i < n && published.line[k]->keeps; i++)
            if (strcmp(placed[i].run, published.line[k]->run_id) == 0)
                placed[i].place = k + 1;
    qsort(placed, n, sizeof(*placed), by_place);
    for (size_t i = 0; i < n; i++)
        runs[i] = placed[i].run;
    while (n_unknown < n && placed[n_unknown].place == 0)
        n_unknown++;
    gcal_arena_destroy(arena);
    return n_unknown;
}

int gcal_ledger_history(struct gcal_ledger_lines *lines, const char *scope, char ***runs,
                        size_t *n, size_t *n_unknown, struct gcal_error *err)
{
    size_t unknown;

    if (gcal_store_history(lines->store, scope, runs, n, err) < 0)
        return -1;
    if ((unknown = sort_runs(lines, scope, *runs, *n)) > 0) {
        if (gcal_ledger_lines_refresh(lines, err) < 0) {
            gcal_strings_free(*runs, *n);
            return -1;
        }
        unknown = sort_runs(lines, scope, *runs, *n); /* published since */
    }
    if (n_unknown)
        *n_unknown = unknown;
    return 0;
}

/* ---- a file that there is, or not, against the lines about it ---- */

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

bool gcal_ledger_is_complete(const struct gcal_ledger_scope *lines, size_t i,
                             const char *current)
{
    const char *sha256 = lines->line[i]->sha256;

    if (current && is(sha256, current))
        return true;
    for (size_t k = i + 1; k < lines->n; k++)
        if (is(lines->line[k]->file, lines->line[i]->file) &&
            is(lines->line[k]->replaces, sha256))
            return true;
    return false;
}

/* Returns whether a later file was certainly the current one after that of line 'since'. */
static bool was_replaced(const struct gcal_ledger_scope *lines, size_t since)
{
    const char *file = lines->line[since]->file;

    /* Whether line i was written when the file of line 'since' was known: in the same
     * segment, or replacing it.
     */
    for (size_t i = since + 1; i < lines->n; i++)
        if (is(lines->line[i]->file, file) &&
            (lines->line[i]->segment == lines->line[since]->segment ||
             is(lines->line[i]->replaces, lines->line[since]->sha256)) &&
            !is(lines->line[i]->sha256, lines->line[since]->sha256) &&
            gcal_ledger_is_complete(lines, i, NULL))
            return true;
    return false;
}

/* The last line before 'end' about the file, with that content unless 'sha256' is NULL;
 * lines->n: none.
 */
static size_t find_last(const struct gcal_ledger_scope *lines, size_t end,
                        const char *file, const char *sha256)
{
    for (size_t i = end; i > 0; i--)
        if (is(lines->line[i - 1]->file, file) &&
            (!sha256 || is(lines->line[i - 1]->sha256, sha256)))
            return i - 1;
    return lines->n;
}

/* Of a file that there is not, although the last line does not remove it. */
static enum gcal_ledger_state find_missing(const struct gcal_ledger_scope *lines,
                                           size_t last)
{
    for (size_t i = last + 1; i > 0; i--) {
        const struct gcal_ledger_line *line = lines->line[i - 1];

        if (!is(line->file, lines->line[last]->file))
            continue;
        if (!*line->sha256)
            break; /* removed before it was published again */
        if (gcal_ledger_is_complete(lines, i - 1, NULL))
            return GCAL_LEDGER_MISSING;
    }
    return GCAL_LEDGER_NOT_YET;
}

enum gcal_ledger_state gcal_ledger_compare(const struct gcal_ledger_scope *lines,
                                           const char *file, const char *sha256,
                                           const char **run_id, const char **last_run_id)
{
    size_t last = find_last(lines, lines->n, file, NULL), i;

    *run_id = *last_run_id = "";
    if (last == lines->n)
        return GCAL_LEDGER_UNKNOWN;
    *last_run_id = lines->line[last]->run_id;
    if (is(lines->line[last]->sha256, sha256))
        return GCAL_LEDGER_CURRENT;
    if (!*sha256)
        return find_missing(lines, last);
    if ((i = find_last(lines, last, file, sha256)) == lines->n)
        return GCAL_LEDGER_DIFFERS;
    *run_id = lines->line[i]->run_id;
    if (was_replaced(lines, i))
        return *lines->line[last]->sha256 ? GCAL_LEDGER_RESTORED : GCAL_LEDGER_REMOVED;
    return gcal_ledger_is_complete(lines, last, NULL) ? GCAL_LEDGER_RACED
                                                      : GCAL_LEDGER_INTERRUPTED;
}
