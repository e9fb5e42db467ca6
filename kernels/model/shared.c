/* shared.c - sub-expressions that several expressions have in common */
#include "kernels/model/shared.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"

/* Shorter pieces stay in place: names would hide more than they save. */
enum { SHORTEST = 40, NAME_SIZE = 24 };

/* A distinct piece.  A whole expression is the piece in parentheses around it. */
struct gcal_shared_node {
    const char *text; /* inside the parentheses; of a call: the whole */
    size_t length;
    bool call;
    size_t uses;          /* in distinct pieces, and as whole expressions */
    char name[NAME_SIZE]; /* empty: none */
};

void gcal_shared_clear(struct gcal_shared *shared)
{
    for (size_t i = 0; i < shared->n_definitions; i++) {
        free(shared->definitions[i].name);
        free(shared->definitions[i].text);
    }
    free(shared->definitions);
    free(shared->nodes);
    free(shared->slots);
    *shared = (struct gcal_shared){ 0 };
}

/* ---- pieces of a text ---- */

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of the parentheses that begin at 'at'; NULL if they do not end before 'end'. */
static const char *after_parentheses(const char *at, const char *end)
{
    int depth = 0;

    for (; at < end; at++) {
        depth += (*at == '(') - (*at == ')');
        if (depth == 0)
            return at + 1;
    }
    return NULL;
}

struct piece {
    const char *start, *end; /* of the piece */
    const char *inside;      /* after the '(' */
    bool call;
};

/* The first piece from 'at' on. */
static bool next_piece(const char *at, const char *end, struct piece *piece)
{
    const char *open = memchr(at, '(', (size_t)(end - at));

    if (!open)
        return false;
    piece->start = open;
    while (piece->start > at && is_name(piece->start[-1]))
        piece->start--;
    piece->call = piece->start < open;
    piece->inside = open + 1;
    return (piece->end = after_parentheses(open, end)) != NULL;
}

/* Returns whether a text is one call or one pair of parentheses. */
static bool is_piece(const char *text)
{
    const char *end = text + strlen(text);
    struct piece piece;

    return next_piece(text, end, &piece) && piece.start == text && piece.end == end;
}

/* ---- distinct pieces ---- */

/* The slot of a piece: 1 + its node, or 0 where it may be put. */
static size_t *slot_of(const struct gcal_shared *shared, const char *text, size_t length,
                       bool call)
{
    uint64_t hash = 14695981039346656037u;

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
    size_t i = hash & (shared->n_slots - 1);

    for (;; i = (i + 1) & (shared->n_slots - 1)) {
        const struct gcal_shared_node *node;

        if (!shared->slots[i])
            return &shared->slots[i];
        node = &shared->nodes[shared->slots[i] - 1];
        if (node->length == length && node->call == call &&
            memcmp(node->text, text, length) == 0)
            return &shared->slots[i];
    }
}

static int grow_slots(struct gcal_shared *shared, struct gcal_error *err)
{
    size_t n = shared->n_slots ? 2 * shared->n_slots : 256;
    size_t *slots = calloc(n, sizeof(*slots));

    if (!slots)
        return gcal_error_memory(err);
    free(shared->slots);
    shared->slots = slots;
    shared->n_slots = n;
    for (size_t i = 0; i < shared->n_nodes; i++) {
        const struct gcal_shared_node *node = &shared->nodes[i];

        *slot_of(shared, node->text, node->length, node->call) = i + 1;
    }
    return 0;
}

static int note(struct gcal_shared *shared, const char *text, size_t length, bool call,
                struct gcal_error *err);

/* The pieces directly inside a text. */
static int note_inside(struct gcal_shared *shared, const char *at, const char *end,
                       struct gcal_error *err)
{
    struct piece piece;

    for (; next_piece(at, end, &piece); at = piece.end) {
        const char *text = piece.call ? piece.start : piece.inside;

        if (note(shared, text, (size_t)((piece.call ? piece.end : piece.end - 1) - text),
                 piece.call, err) < 0)
            return -1;
    }
    return 0;
}

/* Counts one more use of a piece; the first time, those of the pieces inside it too. */
static int note(struct gcal_shared *shared, const char *text, size_t length, bool call,
                struct gcal_error *err)
{
    struct gcal_shared_node *moved;
    const char *inside = text;
    size_t *slot;

    if (2 * shared->n_nodes >= shared->n_slots && grow_slots(shared, err) < 0)
        return -1;
    slot = slot_of(shared, text, length, call);
    if (*slot) {
        shared->nodes[*slot - 1].uses++;
        return 0;
    }
    while (call && *inside != '(')
        inside++;
    if (note_inside(shared, call ? inside + 1 : text,
                    call ? text + length - 1 : text + length, err) < 0)
        return -1;
    moved = gcal_array_grow(shared->nodes, shared->n_nodes, &shared->node_capacity,
                            sizeof(*moved), err);
    if (!moved)
        return -1;
    shared->nodes = moved;
    moved[shared->n_nodes++] = (struct gcal_shared_node){
        .text = text, .length = length, .call = call, .uses = 1
    };
    /* inner pieces may have moved the table */
    if (2 * shared->n_nodes >= shared->n_slots)
        return grow_slots(shared, err);
    *slot_of(shared, text, length, call) = shared->n_nodes;
    return 0;
}

/* ---- shorter texts ---- */

static void put(const struct gcal_shared *shared, struct gcal_buf *buf, const char *at,
                const char *end)
{
    struct piece piece;

    for (; next_piece(at, end, &piece); at = piece.end) {
        const char *text = piece.call ? piece.start : piece.inside;
        const char *last = piece.call ? piece.end : piece.end - 1;
        size_t node = *slot_of(shared, text, (size_t)(last - text), piece.call);

        gcal_buf_put(buf, at, (size_t)(piece.start - at));
        if (node && *shared->nodes[node - 1].name) {
            gcal_buf_puts(buf, shared->nodes[node - 1].name);
            continue;
        }
        gcal_buf_put(buf, piece.start, (size_t)(piece.inside - piece.start));
        put(shared, buf, piece.inside, piece.end - 1);
        gcal_buf_puts(buf, ")");
    }
    gcal_buf_put(buf, at, (size_t)(end - at));
}

static int add_definition(struct gcal_shared *shared, const char *name, char *text,
                          struct gcal_error *err)
{
    struct gcal_shared_definition *moved =
        gcal_array_grow(shared->definitions, shared->n_definitions,
                        &shared->definition_capacity, sizeof(*moved), err);
    char *own = moved ? strdup(name) : NULL;

    if (moved)
        shared->definitions = moved;
    if (!own || !text) {
        free(own);
        free(text);
        return text ? gcal_error_memory(err) : -1;
    }
    moved[shared->n_definitions++] = (struct gcal_shared_definition){ own, text };
    return 0;
}

static void choose_name(size_t n_taken, const char *const *taken, size_t *number,
                        char *name)
{
    bool free_name = false;

    while (!free_name) {
        snprintf(name, NAME_SIZE, "c%zu", ++*number);
        free_name = true;
        for (size_t i = 0; i < n_taken; i++)
            free_name = free_name && strcmp(taken[i], name) != 0;
    }
}

int gcal_shared_find(struct gcal_shared *shared, size_t n, const char *const *texts,
                     size_t n_taken, const char *const *taken, struct gcal_error *err)
{
    size_t number = 0;

    for (size_t i = 0; i < n; i++) {
        size_t length = strlen(texts[i]);

        if ((is_piece(texts[i]) ? note_inside(shared, texts[i], texts[i] + length, err)
                                : note(shared, texts[i], length, false, err)) < 0)
            return -1;
    }
    /* inner pieces come first */
    for (size_t i = 0; i < shared->n_nodes; i++) {
        struct gcal_shared_node *node = &shared->nodes[i];
        char *text;

        if (node->uses < 2 || node->length < SHORTEST)
            continue;
        /* The text of a piece in earlier definitions. */
        struct gcal_buf buf = { 0 };
        const char *inside = node->text, *end = node->text + node->length;

        while (node->call && *inside != '(')
            inside++;
        inside += node->call;
        gcal_buf_put(&buf, node->text, (size_t)(inside - node->text));
        put(shared, &buf, inside, node->call ? end - 1 : end);
        gcal_buf_puts(&buf, node->call ? ")" : "");
        text = gcal_buf_take(&buf, err);
        choose_name(n_taken, taken, &number, node->name);
        if (add_definition(shared, node->name, text, err) < 0)
            return -1;
    }
    return 0;
}

char *gcal_shared_shorten(const struct gcal_shared *shared, const char *text,
                          struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    size_t length = strlen(text), node = shared->n_slots && !is_piece(text)
                                             ? *slot_of(shared, text, length, false)
                                             : 0;

    gcal_buf_puts(&buf, ""); /* an empty text is none */
    if (node && *shared->nodes[node - 1].name)
        gcal_buf_puts(&buf, shared->nodes[node - 1].name);
    else if (shared->n_slots)
        put(shared, &buf, text, text + length);
    else
        gcal_buf_puts(&buf, text);
    return gcal_buf_take(&buf, err);
}

/* ---- whole texts ---- */

static const struct gcal_shared_definition *
find_definition(const struct gcal_shared *shared, const char *name, size_t length)
{
    for (size_t i = 0; i < shared->n_definitions; i++)
        if (strncmp(shared->definitions[i].name, name, length) == 0 &&
            !shared->definitions[i].name[length])
            return &shared->definitions[i];
    return NULL;
}

char *gcal_shared_expand(const struct gcal_shared *shared, const char *text,
                         size_t longest, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };
    const struct gcal_shared_definition *all =
        find_definition(shared, text, strlen(text));

    gcal_buf_puts(&buf, all ? all->text : "");
    while (!all && *text && buf.size <= longest && !buf.failed) {
        /* The length of the number or name at 'text', else 1. */
        size_t n = 0;

        while (is_name(text[n]) || (n && text[n] == '.'))
            n++;
        size_t length = n ? n : 1;
        const struct gcal_shared_definition *d =
            isdigit((unsigned char)*text) ? NULL : find_definition(shared, text, length);

        if (!d)
            gcal_buf_put(&buf, text, length);
        else
            gcal_buf_printf(&buf, is_piece(d->text) ? "%s" : "(%s)", d->text);
        text += length;
    }
    if (buf.size > longest) {
        gcal_buf_free(&buf);
        gcal_error_set(err, GCAL_EINPUT,
                       "with its definitions it is longer than %zu characters", longest);
        return NULL;
    }
    return gcal_buf_take(&buf, err);
}

int gcal_shared_define(struct gcal_shared *shared, const char *name, const char *text,
                       struct gcal_error *err)
{
    char *own = strdup(text);

    if (!own)
        return gcal_error_memory(err);
    return add_definition(shared, name, own, err);
}
