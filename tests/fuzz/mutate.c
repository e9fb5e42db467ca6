/* mutate.c - mutations of C text */
#include "mutate.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mutate_words.h"

enum { MAX_TOKENS = 6000 };

#define PICK(m, table) ((table)[below((m), sizeof(table) / sizeof(*(table)))])

enum kind { IDENTIFIER, NUMBER, PUNCTUATION, OTHER };

struct token {
    size_t start, end; /* bytes of the text */
    enum kind kind;
};

struct mutation {
    uint64_t state;
    char *text;
    size_t length, room;
    size_t n;
    struct token tokens[MAX_TOKENS];
};

/* ---- random numbers: splitmix64 ---- */

static uint64_t next(struct mutation *m)
{
    uint64_t z = (m->state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t below(struct mutation *m, size_t n)
{
    return n ? (size_t)(next(m) % n) : 0;
}

/* ---- tokens ---- */

static size_t skip_space(const char *s, size_t i, size_t n)
{
    while (i < n) {
        if (isspace((unsigned char)s[i])) {
            i++;
        } else if (i + 1 < n && s[i] == '/' && s[i + 1] == '/') {
            while (i < n && s[i] != '\n')
                i++;
        } else if (i + 1 < n && s[i] == '/' && s[i + 1] == '*') {
            for (i += 2; i < n && !(s[i - 1] == '*' && s[i] == '/' && i > 2); i++)
                ;
            i += i < n;
        } else {
            break;
        }
    }
    return i;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static size_t operator_length(const char *s, size_t room)
{
    size_t best = 1;

    for (size_t i = 0; i < sizeof(operators) / sizeof(*operators); i++) {
        size_t n = strlen(operators[i]);

        if (n > best && n <= room && memcmp(s, operators[i], n) == 0)
            best = n;
    }
    return best;
}

static struct token read_token(const char *s, size_t i, size_t n)
{
    struct token t = { i, i + 1, OTHER };

    if (isdigit((unsigned char)s[i])) {
        t.kind = NUMBER;
        while (t.end < n && (is_word(s[t.end]) || s[t.end] == '.'))
            t.end++;
    } else if (is_word(s[i])) {
        t.kind = IDENTIFIER;
        while (t.end < n && is_word(s[t.end]))
            t.end++;
    } else if (strchr("+-*/%<>&|^=!~?:,.[]()", s[i])) {
        t.kind = PUNCTUATION;
        t.end = i + operator_length(s + i, n - i);
    }
    return t;
}

static void tokenize(struct mutation *m)
{
    size_t i = 0;

    m->n = 0;
    while (m->n < MAX_TOKENS && (i = skip_space(m->text, i, m->length)) < m->length) {
        m->tokens[m->n] = read_token(m->text, i, m->length);
        i = m->tokens[m->n++].end;
    }
}

/* A token of that kind near a random place; m->n without one. */
static size_t pick_token(struct mutation *m, enum kind kind)
{
    size_t start = below(m, m->n);

    for (size_t i = 0; i < m->n; i++)
        if (m->tokens[(start + i) % m->n].kind == kind)
            return (start + i) % m->n;
    return m->n;
}

static char char_at(const struct mutation *m, size_t token)
{
    return m->text[m->tokens[token].start];
}

/* ---- changing the text ---- */

/* text[start, end) becomes 'with', in which '@' is the replaced text. */
static void replace(struct mutation *m, size_t start, size_t end, const char *with)
{
    size_t old = end - start, size = 0, tail = m->length - end;
    char *made;

    for (const char *c = with; *c; c++)
        size += *c == '@' ? old : 1;
    if (start + size + tail > m->room || !(made = malloc(size + 1)))
        return;
    size = 0;
    for (const char *c = with; *c; c++) {
        const char *from = *c == '@' ? m->text + start : c;
        size_t n = *c == '@' ? old : 1;

        memcpy(made + size, from, n);
        size += n;
    }
    memmove(m->text + start + size, m->text + end, tail);
    memcpy(m->text + start, made, size);
    m->length = start + size + tail;
    free(made);
}

static void insert(struct mutation *m, size_t at, const char *what, size_t n)
{
    if (m->length + n + 1 > m->room)
        return;
    memmove(m->text + at + n + 1, m->text + at, m->length - at);
    m->text[at] = '\n';
    memcpy(m->text + at + 1, what, n);
    m->length += n + 1;
}

/* ---- statements ---- */

/* From after a ';', '{' or '}' to the next ';', or to the '}' of a block that begins
 * here. */
static bool find_statement(struct mutation *m, size_t *start, size_t *end)
{
    size_t first = below(m, m->n), i;
    int depth = 0;

    while (first < m->n && !strchr(";{}", char_at(m, first)))
        first++;
    for (i = ++first; i < m->n; i++) {
        char c = char_at(m, i);

        depth += (strchr("({[", c) != NULL) - (strchr(")}]", c) != NULL);
        if (depth < 0)
            return false;
        if (depth == 0 && (c == ';' || c == '}')) {
            *start = m->tokens[first].start;
            *end = m->tokens[i].end;
            return true;
        }
    }
    return false;
}

static void change_statement(struct mutation *m)
{
    size_t start, end, to, ignored;
    char *copy;

    if (!find_statement(m, &start, &end))
        return;
    switch (below(m, 4)) {
    case 0:
        replace(m, start, end, "");
        return;
    case 1: /* copied to another place */
        if (find_statement(m, &to, &ignored) && (copy = malloc(end - start))) {
            memcpy(copy, m->text + start, end - start);
            insert(m, to, copy, end - start);
            free(copy);
        }
        return;
    default:
        replace(m, start, end, PICK(m, statements));
    }
}

/* Whether the token begins the type of an integer. */
static bool is_integer_type(const struct mutation *m, size_t token)
{
    static const char *const types[] = { "int", "uint", "long", "ulong", "size_t" };
    struct token t = m->tokens[token];

    for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
        if (strlen(types[i]) == t.end - t.start &&
            memcmp(m->text + t.start, types[i], t.end - t.start) == 0)
            return true;
    return false;
}

/* A declaration of an integer outside of parentheses, with its ';'. */
static bool find_declaration(struct mutation *m, size_t *start, size_t *end)
{
    size_t first = below(m, m->n), i;

    for (; first < m->n; first++)
        if (is_integer_type(m, first) && first && strchr(";{}", char_at(m, first - 1)))
            break;
    for (i = first; i < m->n; i++)
        if (char_at(m, i) == ';') {
            *start = m->tokens[first].start;
            *end = m->tokens[i].end;
            return true;
        }
    return false;
}

/* Repeats a declaration in another block, which may be a loop's; or moves it there. */
static void change_declaration(struct mutation *m)
{
    size_t start, end, at = below(m, m->n), to;
    char *copy;

    while (at < m->n && char_at(m, at) != '{')
        at++;
    if (at == m->n || !find_declaration(m, &start, &end) || !(copy = malloc(end - start)))
        return;
    to = m->tokens[at].end;
    memcpy(copy, m->text + start, end - start);
    if (to > end || below(m, 2)) {
        insert(m, to, copy, end - start);
    } else if (to < start) {
        replace(m, start, end, "");
        insert(m, to, copy, end - start);
    }
    free(copy);
}

/* ---- tokens and expressions ---- */

static void change_tokens(struct mutation *m)
{
    size_t a = below(m, m->n), b = a + below(m, 4);
    char text[128];

    b = b < m->n ? b : m->n - 1;
    switch (below(m, 3)) {
    case 0:
        replace(m, m->tokens[a].start, m->tokens[b].end, "");
        break;
    case 1:
        replace(m, m->tokens[a].start, m->tokens[b].end, "@ @");
        break;
    default: /* by another token of the text */
        b = below(m, m->n);
        snprintf(text, sizeof(text), "%.*s", (int)(m->tokens[b].end - m->tokens[b].start),
                 m->text + m->tokens[b].start);
        if (!strchr(text, '@'))
            replace(m, m->tokens[a].start, m->tokens[a].end, text);
    }
}

static void change_identifier(struct mutation *m)
{
    size_t a = pick_token(m, IDENTIFIER), b = pick_token(m, IDENTIFIER);
    char text[128];

    if (a == m->n)
        return;
    if (below(m, 3) == 0) {
        replace(m, m->tokens[a].start, m->tokens[a].end, PICK(m, identifiers));
        return;
    }
    snprintf(text, sizeof(text), "%.*s", (int)(m->tokens[b].end - m->tokens[b].start),
             m->text + m->tokens[b].start);
    replace(m, m->tokens[a].start, m->tokens[a].end, text);
}

static void change_number(struct mutation *m)
{
    size_t i = pick_token(m, NUMBER);

    if (i < m->n)
        replace(m, m->tokens[i].start, m->tokens[i].end, PICK(m, numbers));
}

static bool is_binary(const struct mutation *m, struct token t)
{
    for (size_t i = 0; i < N_BINARY; i++)
        if (strlen(operators[i]) == t.end - t.start &&
            memcmp(m->text + t.start, operators[i], t.end - t.start) == 0)
            return true;
    return false;
}

static void change_operator(struct mutation *m)
{
    size_t i = pick_token(m, PUNCTUATION);

    if (i == m->n)
        return;
    if (is_binary(m, m->tokens[i]))
        replace(m, m->tokens[i].start, m->tokens[i].end, operators[below(m, N_BINARY)]);
    else if (below(m, 4) == 0)
        replace(m, m->tokens[i].start, m->tokens[i].end, PICK(m, operators));
}

static void change_expression(struct mutation *m)
{
    size_t i = pick_token(m, below(m, 3) ? IDENTIFIER : NUMBER);

    if (i < m->n)
        replace(m, m->tokens[i].start, m->tokens[i].end, PICK(m, expressions));
}

/* ---- mutations ---- */

size_t mutate_text(char *text, size_t length, size_t room, uint64_t seed)
{
    static void (*const changes[])(struct mutation *) = {
        change_statement,   change_statement,  change_statement, change_tokens,
        change_identifier,  change_identifier, change_number,    change_number,
        change_expression,  change_expression, change_operator,  change_operator,
        change_declaration,
    };
    static struct mutation m; /* too much for a stack */
    size_t n;

    m = (struct mutation){ .state = seed, .text = text, .length = length, .room = room };
    n = below(&m, 4) ? 1 : 3;
    while (n--) {
        tokenize(&m);
        if (!m.n)
            break;
        PICK(&m, changes)(&m);
    }
    return m.length;
}

size_t mutate_splice(const char *a, size_t a_length, const char *b, size_t b_length,
                     char *out, size_t room, uint64_t seed)
{
    static struct mutation to, from;
    size_t start, end, place, ignored;

    if (a_length > room)
        return 0;
    memcpy(out, a, a_length);
    to =
        (struct mutation){ .state = seed, .text = out, .length = a_length, .room = room };
    from = (struct mutation){ .state = ~seed, .text = (char *)b, .length = b_length };
    tokenize(&from);
    for (size_t n = 1 + below(&to, 2); n > 0; n--) {
        tokenize(&to);
        if (to.n && from.n && find_statement(&from, &start, &end) &&
            find_statement(&to, &place, &ignored))
            insert(&to, place, b + start, end - start);
    }
    return to.length;
}
