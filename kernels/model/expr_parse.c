/* expr_parse.c - text to nodes, by recursive descent
 *
 *   sum     = term { ("+" | "-") term }
 *   term    = unary { ("*" | "/") unary }
 *   unary   = ("-" | "+") unary | power
 *   power   = primary [ "^" unary ]
 *   primary = number | name | function "(" sum { "," sum } ")" | "(" sum ")"
 */
#include "kernels/model/expr.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/base/units.h"
#include "kernels/model/expr_private.h"
#include "kernels/model/feature.h"

/* A name or a function whose places in the text are wanted. */
struct wanted {
    const char *name;
    struct gcal_expr_use use;
    bool called;
    size_t n, room;
    struct gcal_expr_span *arguments; /* of the first call */
};

struct parser {
    struct gcal_expr_builder build;
    const char *text, *at;
    const char *end;             /* of the last token */
    struct gcal_expr_span whole; /* the last operand, without parentheses around it */
    struct wanted *wanted;       /* NULL: none */
    int nesting;
    bool fixed_symbols;              /* names that the caller did not give are errors */
    struct gcal_expr_lookup *lookup; /* NULL: none */
};

static struct gcal_expr_node *parse_sum(struct parser *p);
static struct gcal_expr_node *parse_unary(struct parser *p);

static struct gcal_expr_node *fail_at(struct parser *p, const char *at, const char *what)
{
    struct gcal_error *err = p->build.err;
    int column = (int)(at - p->text) + 1;

    if (!*at)
        gcal_error_set(err, GCAL_EINPUT, "column %d: %s, but the text ends", column,
                       what);
    else if (isprint((unsigned char)*at))
        gcal_error_set(err, GCAL_EINPUT, "column %d: %s, found '%.20s'", column, what,
                       at);
    else
        gcal_error_set(err, GCAL_EINPUT, "column %d: %s, found byte %d", column, what,
                       (unsigned char)*at);
    return NULL;
}

/* The next character that is not white space. */
static char peek(struct parser *p)
{
    while (isspace((unsigned char)*p->at))
        p->at++;
    return *p->at;
}

static bool accept(struct parser *p, char c)
{
    if (peek(p) != c)
        return false;
    p->end = ++p->at;
    return true;
}

static struct gcal_expr_span span_to_end(const struct parser *p, const char *start)
{
    return (struct gcal_expr_span){ (size_t)(start - p->text), (size_t)(p->end - start) };
}

static bool is_wanted(const struct parser *p, struct gcal_expr_span span)
{
    return p->wanted && strlen(p->wanted->name) == span.length &&
           memcmp(p->text + span.start, p->wanted->name, span.length) == 0;
}

static bool is_name_start(char c)
{
    return isalpha((unsigned char)c) || c == '_';
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

static const char *skip_name(const char *at)
{
    while (is_name(*at))
        at++;
    return at;
}

/* The end of digits [. digits] [e [sign] digits]; 'at' if there is no number. */
static const char *skip_number(const char *at)
{
    const char *start = at, *exponent;
    bool digits =
        isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]));

    if (!digits)
        return start;
    while (isdigit((unsigned char)*at))
        at++;
    if (*at == '.')
        at++;
    while (isdigit((unsigned char)*at))
        at++;
    exponent = at;
    if (*exponent == 'e' || *exponent == 'E')
        exponent += exponent[1] == '+' || exponent[1] == '-' ? 2 : 1;
    if (exponent > at && isdigit((unsigned char)*exponent)) {
        at = exponent;
        while (isdigit((unsigned char)*at))
            at++;
    }
    return at;
}

/* The character after the bracket that closes the one at 'at'; NULL: none. */
static const char *skip_group(const char *at)
{
    int depth = 0;

    do {
        if (*at == '\0')
            return NULL;
        if (*at == '{' || *at == '(')
            depth++;
        if (*at == '}' || *at == ')')
            depth--;
        at++;
    } while (depth > 0);
    return at;
}

/* The end of a feature's name with sets in braces after '_', but for fields with ':'; NULL
 * with '*bad' if a set has no end.
 */
static const char *skip_feature(const char *at, const char **bad)
{
    for (at = skip_name(at); at && *at == '{' && at[-1] == '_';) {
        *bad = at;
        if ((at = skip_group(at)))
            at = skip_name(at);
    }
    return at;
}

/* The end of a field's value after ':', which is {...}, or an optional relation and then a
 * name, a number or (...).  A name is read to its end, so that a '_field' after a tag
 * belongs to the feature.
 */
static const char *skip_field(const char *at)
{
    if (*at == '{')
        return skip_group(at);
    while (*at == '>' || *at == '<' || *at == '=' || *at == '-')
        at++;
    if (*at == '(')
        return skip_group(at);
    if (is_name_start(*at))
        return skip_name(at);
    return skip_number(at) > at ? skip_number(at) : NULL;
}

/* Features whose names have fields with a ':'. */
static bool has_fields(const char *name)
{
    for (int i = 0; i < GCAL_FEATURE_N_KINDS; i++) {
        const struct gcal_feature_info *kind = gcal_feature_info(i);

        if (kind->fields & GCAL_FEATURE_FIELDS_WITH_COLON &&
            strncmp(name, kind->name, strlen(kind->name)) == 0)
            return true;
    }
    return false;
}

/* The end of the name at 'at'; NULL with '*bad' if a feature's field is malformed. */
static const char *skip_symbol(const char *at, const char **bad)
{
    const char *start = at;

    if (strncmp(start, "f_", 2) != 0)
        return skip_name(at);
    at = skip_feature(at, bad);
    while (at && *at == ':' && has_fields(start)) {
        *bad = at + 1;
        if ((at = skip_field(at + 1)))
            at = skip_feature(at, bad);
    }
    return at;
}

const char *gcal_expr_next_name(const char *at, size_t *length)
{
    const char *end, *bad;

    while (*at && !is_name_start(*at)) {
        end = skip_number(at);
        at = end > at ? end : at + 1;
    }
    end = *at ? skip_symbol(at, &bad) : NULL;
    *length = end ? (size_t)(end - at) : 0;
    return end ? at : NULL;
}

/* The symbol without the white space that {...} may contain. */
static size_t add_symbol(struct parser *p, const char *start, const char *end)
{
    struct gcal_expr *expr = p->build.expr;
    size_t symbol, known = expr->n_symbols;
    struct gcal_buf name = { 0 };
    char *text;

    for (const char *c = start; c < end; c++)
        if (!isspace((unsigned char)*c))
            gcal_buf_put(&name, c, 1);
    if (!(text = gcal_buf_take(&name, p->build.err)))
        return SIZE_MAX;
    symbol = gcal_expr_add_symbol(expr, text, strlen(text), p->build.err);
    free(text);
    if (p->fixed_symbols && symbol != SIZE_MAX && symbol >= known) {
        fail_at(p, start, "expected a known name");
        return SIZE_MAX;
    }
    return symbol;
}

enum gcal_expr_op gcal_expr_find_builtin(const char *start, size_t length)
{
    for (int op = GCAL_EXPR_OP_MIN; op < GCAL_EXPR_OP_COUNT; op++)
        if (strlen(gcal_expr_builtins[op].name) == length &&
            memcmp(gcal_expr_builtins[op].name, start, length) == 0)
            return op;
    return GCAL_EXPR_OP_COUNT;
}

/* The first argument of overlap_d selects one of the next three. */
static bool picks_an_argument(enum gcal_expr_op op, struct gcal_expr_node *const *args)
{
    double k = args[0] && args[0]->op == GCAL_EXPR_OP_NUMBER ? args[0]->number : -1;

    if (op != GCAL_EXPR_OP_OVERLAP_D)
        return true;
    return k == 0 || k == 1 || k == 2;
}

static struct gcal_expr_node *parse_call(struct parser *p, enum gcal_expr_op op,
                                         const char *start)
{
    const struct gcal_expr_builtin *function = &gcal_expr_builtins[op];
    struct gcal_expr_node *args[GCAL_EXPR_MAX_ARGS];
    struct wanted *w =
        is_wanted(p, span_to_end(p, start)) && !p->wanted->called ? p->wanted : NULL;
    size_t n_args = 0;

    if (w)
        w->called = true;
    p->at++; /* '(' */
    do {
        const char *first = p->at + strspn(p->at, " \t\n\r\f\v");

        if (n_args == function->max_args)
            return fail_at(p, start, "too many arguments");
        if (!(args[n_args++] = parse_sum(p)))
            return NULL;
        if (w && w->n < w->room)
            w->arguments[w->n++] = span_to_end(p, first);
    } while (accept(p, ','));
    if (!accept(p, ')'))
        return fail_at(p, p->at, "expected ',' or ')'");
    if (n_args < function->min_args)
        return fail_at(p, start, "too few arguments");
    if (!picks_an_argument(op, args))
        return fail_at(p, start, "the first argument must be the number of another");
    return gcal_expr_node_make(&p->build, op, n_args, args);
}

static struct gcal_expr_node *fail_function(struct parser *p, const char *start,
                                            const char *end)
{
    const char *known[GCAL_EXPR_OP_COUNT + 1] = { NULL };
    char *word = strndup(start, (size_t)(end - start));
    struct gcal_buf all = { 0 };
    size_t n = 0;

    /* Those after it are parts of derivatives. */
    for (int op = GCAL_EXPR_OP_MIN; op <= GCAL_EXPR_OP_SMOOTHMAX; op++) {
        known[n++] = gcal_expr_builtins[op].name;
        gcal_buf_printf(&all, "%s%s", n > 1 ? ", " : "", known[n - 1]);
    }
    gcal_error_set(p->build.err, GCAL_EINPUT,
                   "column %d: unknown function '%.60s'%s; functions are %s",
                   (int)(start - p->text) + 1, word ? word : "",
                   word ? gcal_similar_hint(word, known).text : "",
                   all.data ? all.data : "");
    gcal_buf_free(&all);
    free(word);
    return NULL;
}

static struct gcal_expr_node *parse_name(struct parser *p)
{
    const char *start = p->at, *bad = start, *end = skip_symbol(start, &bad);
    struct gcal_expr_node *named;
    size_t symbol;

    if (!end)
        return fail_at(p, bad,
                       *bad == '{' && bad[-1] == '_'
                           ? "expected a set with its end: {word,..}"
                           : "expected {axis:constraint;..}, a tag or a constraint");
    p->at = p->end = end;
    if (peek(p) == '(') {
        enum gcal_expr_op op = gcal_expr_find_builtin(start, (size_t)(end - start));

        named = op == GCAL_EXPR_OP_COUNT ? fail_function(p, start, end)
                                         : parse_call(p, op, start);
        p->whole = span_to_end(p, start);
        return named;
    }
    p->whole = span_to_end(p, start);
    if (is_wanted(p, p->whole))
        p->wanted->use.n++;
    if (p->lookup && (named = p->lookup->find(p->lookup, start, (size_t)(end - start))))
        return named;
    symbol = add_symbol(p, start, end);
    return symbol == SIZE_MAX ? NULL : gcal_expr_node_symbol(&p->build, symbol);
}

static struct gcal_expr_node *parse_number(struct parser *p)
{
    const char *start = p->at;
    double number = gcal_units_parse_number(start, NULL);

    p->at = p->end = skip_number(start);
    p->whole = span_to_end(p, start);
    if (is_name(*p->at))
        return fail_at(p, p->at, "expected an operator after the number");
    if (!isfinite(number))
        return fail_at(p, start, "expected a number in range");
    return gcal_expr_node_number(&p->build, number);
}

static struct gcal_expr_node *parse_primary(struct parser *p)
{
    struct gcal_expr_node *node;
    char c = peek(p);
    const char *start;

    if (is_name_start(c))
        return parse_name(p);
    if (skip_number(p->at) > p->at)
        return parse_number(p);
    if (!accept(p, '('))
        return fail_at(p, p->at, "expected a number, a name or '('");
    peek(p);
    start = p->at;
    if (!(node = parse_sum(p)))
        return NULL;
    p->whole = span_to_end(p, start);
    return accept(p, ')') ? node : fail_at(p, p->at, "expected an operator or ')'");
}

static struct gcal_expr_node *parse_power(struct parser *p)
{
    struct gcal_expr_node *base;
    const char *start;

    peek(p);
    start = p->at;
    base = parse_primary(p);
    if (!base || !accept(p, '^'))
        return base;
    base = gcal_expr_node_binary(&p->build, GCAL_EXPR_OP_POW, base, parse_unary(p));
    p->whole = span_to_end(p, start);
    return base;
}

/* All nesting goes through here. */
static struct gcal_expr_node *parse_unary(struct parser *p)
{
    struct gcal_expr_node *node;
    const char *start;

    if (++p->nesting > GCAL_EXPR_MAX_NESTING)
        return fail_at(p, p->at, "nested too deeply");
    peek(p);
    start = p->at;
    if (accept(p, '-'))
        node = gcal_expr_node_unary(&p->build, GCAL_EXPR_OP_NEG, parse_unary(p));
    else if (accept(p, '+'))
        node = parse_unary(p);
    else
        node = parse_power(p);
    if (*start == '-' || *start == '+')
        p->whole = span_to_end(p, start);
    p->nesting--;
    return node;
}

static struct gcal_expr_node *parse_term(struct parser *p)
{
    struct gcal_expr_node *node = parse_unary(p);

    while (node && (peek(p) == '*' || *p->at == '/')) {
        enum gcal_expr_op op = *p->at++ == '*' ? GCAL_EXPR_OP_MUL : GCAL_EXPR_OP_DIV;
        bool is_first = is_wanted(p, p->whole) && p->wanted->use.n == 1;

        node = gcal_expr_node_binary(&p->build, op, node, parse_unary(p));
        if (is_first && op == GCAL_EXPR_OP_MUL)
            p->wanted->use.factor = p->whole;
    }
    return node;
}

static struct gcal_expr_node *parse_sum(struct parser *p)
{
    struct gcal_expr_node *node = parse_term(p);

    while (node && (peek(p) == '+' || *p->at == '-')) {
        enum gcal_expr_op op = *p->at++ == '+' ? GCAL_EXPR_OP_ADD : GCAL_EXPR_OP_SUB;

        node = gcal_expr_node_binary(&p->build, op, node, parse_term(p));
    }
    return node;
}

/* All of a text. */
static struct gcal_expr_node *parse_text(struct parser *p, const char *text)
{
    struct gcal_expr_node *root;

    p->text = p->at = text;
    if (strlen(text) > GCAL_EXPR_MAX_LENGTH) {
        gcal_error_set(p->build.err, GCAL_EINPUT,
                       "the expression is longer than %d characters",
                       GCAL_EXPR_MAX_LENGTH);
        return NULL;
    }
    if ((root = parse_sum(p)) && peek(p) != '\0')
        return fail_at(p, p->at, "expected an operator");
    return root;
}

struct gcal_expr_node *gcal_expr_parse_node(struct gcal_expr *expr, const char *text,
                                            bool fixed_symbols,
                                            struct gcal_expr_lookup *lookup,
                                            struct gcal_error *err)
{
    struct parser p = { .build = { .expr = expr, .err = err },
                        .fixed_symbols = fixed_symbols,
                        .lookup = lookup };

    return parse_text(&p, text);
}

/* Parses a text for where it has what is wanted. */
static void find_wanted(const char *text, struct wanted *wanted)
{
    struct gcal_expr *expr =
        strstr(text, wanted->name) ? gcal_expr_create(0, NULL, NULL) : NULL;
    struct parser p = { .build = { .expr = expr }, .wanted = wanted };

    if (expr)
        parse_text(&p, text);
    gcal_expr_destroy(expr);
}

struct gcal_expr_use gcal_expr_find_use(const char *text, const char *name)
{
    struct wanted wanted = { .name = name };

    find_wanted(text, &wanted);
    return wanted.use;
}

size_t gcal_expr_find_arguments(const char *text, const char *function, size_t room,
                                struct gcal_expr_span *arguments)
{
    struct wanted wanted = { .name = function, .room = room, .arguments = arguments };

    find_wanted(text, &wanted);
    return wanted.n;
}

static struct gcal_expr *parse(const char *text, bool fixed, size_t n_symbols,
                               const char *const *symbols, struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_create(n_symbols, symbols, err);

    if (expr && gcal_expr_compile(
                    expr, gcal_expr_parse_node(expr, text, fixed, NULL, err), err) == 0)
        return expr;
    gcal_expr_destroy(expr);
    return NULL;
}

struct gcal_expr *gcal_expr_parse(const char *text, struct gcal_error *err)
{
    return parse(text, false, 0, NULL, err);
}

struct gcal_expr *gcal_expr_parse_in(const char *text, size_t n_symbols,
                                     const char *const *symbols, struct gcal_error *err)
{
    return parse(text, true, n_symbols, symbols, err);
}
