/* lines.c - the lines of the ledger by node or type, and histories in their order */
#include "store/ledger/lines.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/base/strings.h"
#include "store/files/internal.h"
#include "store/ledger/private.h"

/* ---- reading ---- */

static int keep(struct gcal_ledger_lines *lines, size_t segment,
                const struct gcal_ledger_entry *e, struct gcal_error *err)
{
    struct gcal_ledger_line *items =
        gcal_array_grow(lines->items, lines->n, &lines->capacity, sizeof(*items), err);
    const char *texts[] = {
        e->utc, e->file, e->run_id, e->sha256, e->replaces, e->track
    };
    const char *copies[6];
    struct gcal_buf buf = { 0 };
    char *scope, *block;

    if (!items)
        return -1;
    lines->items = items;
    if (!(scope = gcal_store_scope_of(e->file)))
        return gcal_error_memory(err);
    gcal_buf_put(&buf, scope, strlen(scope) + 1);
    free(scope);
    for (int i = 0; i < 6; i++)
        gcal_buf_put(&buf, texts[i], strlen(texts[i]) + 1);
    if (!(block = gcal_buf_take(&buf, err)))
        return -1;
    copies[0] = block + strlen(block) + 1;
    for (int i = 1; i < 6; i++)
        copies[i] = copies[i - 1] + strlen(copies[i - 1]) + 1;
    items[lines->n] = (struct gcal_ledger_line){
        /* Files of types by earlier versions have no copy. */
        .segment = segment,
        .order = lines->n,
        .publishes = strcmp(e->action, "publish") == 0,
        .prunes = strcmp(e->action, "prune") == 0,
        .ends = strcmp(e->action, "end") == 0,
        .keeps =
            strcmp(e->action, "publish") == 0 &&
            (gcal_store_is_type(block) ? strcmp(e->track, e->sha256) == 0
                                       : strncmp(block, "nodes/", strlen("nodes/")) == 0),
        .scope = block,
        .utc = copies[0],
        .file = copies[1],
        .run_id = copies[2],
        .sha256 = copies[3],
        .replaces = copies[4],
        .track = copies[5],
    };
    lines->n++;
    return 0;
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

static int add_reader(struct gcal_ledger_lines *lines, const char *name,
                      struct gcal_error *err)
{
    struct gcal_ledger_reader *readers = gcal_array_grow(
        lines->readers, lines->n_readers, &lines->reader_capacity, sizeof(*readers), err);
    char *copy = readers ? strdup(name) : NULL;

    if (!readers)
        return -1;
    lines->readers = readers;
    if (!copy)
        return gcal_error_memory(err);
    readers[lines->n_readers++] = (struct gcal_ledger_reader){ .name = copy };
    return 0;
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
    size_t n, at = 0;
    char **names;
    int rc = gcal_ledger_segments(lines->store, &names, &n, err);

    for (size_t i = 0; i < n && rc == 0; i++) {
        at = is_first ? lines->n_readers : find_reader(lines, names[i], at);
        if (at == lines->n_readers)
            rc = add_reader(lines, names[i], err);
        if (rc == 0) {
            struct gcal_ledger_reader *reader = &lines->readers[at];
            struct gcal_ledger_entry entry;
            struct gcal_error line = { 0 };
            int got;

            rc = gcal_ledger_resume(lines->store, reader, err);
            while (rc == 0 && (got = gcal_ledger_next(reader, &entry, &line)) != 0)
                if (got < 0) {
                    note_bad(lines, line.text);
                } else if (*entry.seal) {
                    take_seal(lines, reader, &entry);
                } else {
                    reader->n_unsealed++;
                    rc = keep(lines, at, &entry, err);
                }
            gcal_ledger_pause(reader);
        }
    }
    gcal_strings_free(names, n);
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
    for (size_t i = 0; i < lines->n; i++)
        free(lines->items[i].scope);
    free(lines->items);
    for (size_t i = 0; i < lines->n_readers; i++)
        gcal_ledger_close(&lines->readers[i]);
    free(lines->readers);
    gcal_buf_free(&lines->bad);
}

/* ---- one node or type ---- */

static int add(struct gcal_ledger_scope *found, const struct gcal_ledger_line *line,
               struct gcal_error *err)
{
    const struct gcal_ledger_line **moved = gcal_array_grow(
        found->line, found->n, &found->capacity, sizeof(*found->line), err);

    if (!moved)
        return -1;
    found->line = moved;
    found->line[found->n++] = line;
    return 0;
}

int gcal_ledger_lines_find(const struct gcal_ledger_lines *lines, const char *scope,
                           struct gcal_ledger_scope *found, struct gcal_error *err)
{
    size_t low = 0, high = lines->n_sorted;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(lines->items[middle].scope, scope) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < lines->n_sorted && strcmp(lines->items[low].scope, scope) == 0; low++)
        if (add(found, &lines->items[low], err) < 0)
            return -1;
    for (size_t i = lines->n_sorted; i < lines->n; i++)
        if (strcmp(lines->items[i].scope, scope) == 0 &&
            add(found, &lines->items[i], err) < 0)
            return -1;
    return gcal_ledger_merge(found, err);
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

/* '*n_unknown': how many of them the ledger does not have. */
static int sort_runs(const struct gcal_ledger_scope *published, char **runs, size_t n,
                     size_t *n_unknown, struct gcal_error *err)
{
    struct placed *placed = calloc(n + 1, sizeof(*placed));

    if (!placed)
        return gcal_error_memory(err);
    for (size_t i = 0; i < n; i++)
        placed[i].run = runs[i];
    for (size_t k = 0; k < published->n; k++)
        for (size_t i = 0; i < n && published->line[k]->keeps; i++)
            if (strcmp(placed[i].run, published->line[k]->run_id) == 0)
                placed[i].place = k + 1;
    qsort(placed, n, sizeof(*placed), by_place);
    for (size_t i = 0; i < n; i++)
        runs[i] = placed[i].run;
    for (*n_unknown = 0; *n_unknown < n && placed[*n_unknown].place == 0;)
        ++*n_unknown;
    free(placed);
    return 0;
}

static int find_history(const struct gcal_ledger_lines *lines, const char *scope,
                        char **runs, size_t n, size_t *n_unknown, struct gcal_error *err)
{
    struct gcal_ledger_scope published = { 0 };
    int rc = gcal_ledger_lines_find(lines, scope, &published, err);

    if (rc == 0)
        rc = sort_runs(&published, runs, n, n_unknown, err);
    free(published.line);
    return rc;
}

int gcal_ledger_history(struct gcal_ledger_lines *lines, const char *scope, char ***runs,
                        size_t *n, size_t *n_unknown, struct gcal_error *err)
{
    size_t unknown = 0;
    int rc;

    if (gcal_store_history(lines->store, scope, runs, n, err) < 0)
        return -1;
    rc = find_history(lines, scope, *runs, *n, &unknown, err);
    if (rc == 0 && unknown && (rc = gcal_ledger_lines_refresh(lines, err)) == 0)
        rc = find_history(lines, scope, *runs, *n, &unknown, err); /* published since */
    if (rc < 0)
        gcal_strings_free(*runs, *n);
    else if (n_unknown)
        *n_unknown = unknown;
    return rc;
}
