/* verify_ledger.c - the lines of the ledger, by node or type; reports */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/error.h"
#include "store/files/internal.h"
#include "store/publish/private.h"

static void report(struct gcal_buf *buf, const char *kind, const char *fmt, va_list args)
{
    char line[1200];

    vsnprintf(line, sizeof(line), fmt, args);
    gcal_buf_printf(buf, "%s: %s\n", kind, line);
}

void gcal_verify_report_damaged(struct gcal_verify_state *state, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(&state->text, "damaged", fmt, args);
    va_end(args);
    state->result->n_damaged++;
}

void gcal_verify_report_interrupted(struct gcal_verify_state *state, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    report(&state->text, "interrupted", fmt, args);
    va_end(args);
    state->result->n_interrupted++;
}

/* "history/NODE/RUN.yaml" and "nodes/NODE.yaml" -> "nodes/NODE", for the caller to free.
 */
static char *scope_of(const char *file)
{
    const char *name = file + strlen("history/");

    if (strncmp(file, "history/", strlen("history/")) == 0)
        return gcal_buf_format("nodes/%.*s", (int)strcspn(name, "/"), name);
    return gcal_buf_format("%.*s", (int)strlen(file) - (int)strlen(".yaml"), file);
}

static int keep(struct gcal_verify_state *state, const struct gcal_ledger_entry *e,
                struct gcal_error *err)
{
    struct gcal_verify_entry *entries = gcal_array_grow(
        state->entries, state->n_entries, &state->capacity, sizeof(*entries), err);
    const char *texts[] = { e->file, e->run_id, e->sha256, e->replaces, e->track };
    const char *copies[5];
    struct gcal_buf buf = { 0 };
    char *scope, *block;

    if (!entries)
        return -1;
    state->entries = entries;
    if (!(scope = scope_of(e->file)))
        return gcal_error_memory(err);
    gcal_buf_put(&buf, scope, strlen(scope) + 1);
    free(scope);
    for (int i = 0; i < 5; i++)
        gcal_buf_put(&buf, texts[i], strlen(texts[i]) + 1);
    if (!(block = gcal_buf_take(&buf, err)))
        return -1;
    copies[0] = block + strlen(block) + 1;
    for (int i = 1; i < 5; i++)
        copies[i] = copies[i - 1] + strlen(copies[i - 1]) + 1;
    state->entries[state->n_entries] = (struct gcal_verify_entry){
        .order = state->n_entries,
        .publishes = strcmp(e->action, "publish") == 0,
        .prunes = strcmp(e->action, "prune") == 0,
        .scope = block,
        .file = copies[0],
        .run_id = copies[1],
        .sha256 = copies[2],
        .replaces = copies[3],
        .track = copies[4],
    };
    state->n_entries++;
    return 0;
}

int gcal_verify_refresh(struct gcal_verify_state *state, struct gcal_error *err)
{
    struct gcal_ledger_entry entry;
    struct gcal_error line = { 0 };
    int rc;

    if (!state->reader.file && gcal_ledger_open(state->store, &state->reader, err) < 0)
        return -1;
    while ((rc = gcal_ledger_next(&state->reader, &entry, &line)) != 0) {
        state->result->n_lines++;
        if (rc < 0) {
            gcal_buf_printf(&state->ledger_text, "damaged: %s\n", line.text);
            state->n_bad_lines++;
        } else if (keep(state, &entry, err) < 0) {
            return -1;
        }
    }
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct gcal_verify_entry *p = a, *q = b;
    int order = strcmp(p->scope, q->scope);

    return order ? order : (p->order > q->order) - (p->order < q->order);
}

void gcal_verify_sort(struct gcal_verify_state *state)
{
    if (state->n_entries)
        qsort(state->entries, state->n_entries, sizeof(*state->entries), compare);
    state->n_sorted = state->n_entries;
}

static int add(struct gcal_verify_lines *lines, const struct gcal_verify_entry *record,
               struct gcal_error *err)
{
    const struct gcal_verify_entry **moved = gcal_array_grow(
        lines->line, lines->n, &lines->capacity, sizeof(*lines->line), err);

    if (!moved)
        return -1;
    lines->line = moved;
    lines->line[lines->n++] = record;
    return 0;
}

int gcal_verify_lines_find(const struct gcal_verify_state *state, const char *scope,
                           struct gcal_verify_lines *lines, struct gcal_error *err)
{
    size_t low = 0, high = state->n_sorted;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (strcmp(state->entries[middle].scope, scope) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < state->n_sorted && strcmp(state->entries[low].scope, scope) == 0; low++)
        if (add(lines, &state->entries[low], err) < 0)
            return -1;
    for (size_t i = state->n_sorted; i < state->n_entries; i++)
        if (strcmp(state->entries[i].scope, scope) == 0 &&
            add(lines, &state->entries[i], err) < 0)
            return -1;
    return 0;
}

void gcal_verify_state_clear(struct gcal_verify_state *state)
{
    for (size_t i = 0; i < state->n_entries; i++)
        free(state->entries[i].scope);
    free(state->entries);
    gcal_ledger_close(&state->reader);
    gcal_buf_free(&state->text);
    gcal_buf_free(&state->ledger_text);
}

bool gcal_verify_is_complete(const struct gcal_verify_lines *lines, size_t i,
                             const char *current)
{
    const char *sha256 = lines->line[i]->sha256;

    if (strcmp(sha256, current) == 0)
        return true;
    for (size_t k = i + 1; k < lines->n; k++)
        if (strcmp(lines->line[k]->file, lines->line[i]->file) == 0 &&
            strcmp(lines->line[k]->replaces, sha256) == 0)
            return true;
    return false;
}
