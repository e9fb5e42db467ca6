/* assume.c - conditions on a kernel's sizes */
#include "kernels/model/assume.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"

enum comparison { EQ, NE, GE, GT, LE, LT };

struct clause {
    char *text;
    struct gcal_expr *left, *right;
    double modulus; /* 0: none */
    enum comparison comparison;
};

struct gcal_assume {
    struct clause *clauses;
    size_t n_clauses, capacity, n_symbols;
};

struct symbols {
    size_t n;
    const char *const *names;
};

void gcal_assume_destroy(struct gcal_assume *assume)
{
    if (!assume)
        return;
    for (size_t i = 0; i < assume->n_clauses; i++) {
        free(assume->clauses[i].text);
        gcal_expr_destroy(assume->clauses[i].left);
        gcal_expr_destroy(assume->clauses[i].right);
    }
    free(assume->clauses);
    free(assume);
}

static struct gcal_expr *parse_part(const char *start, size_t length,
                                    const struct symbols *symbols, struct gcal_error *err)
{
    char *text = strndup(start, length);
    struct gcal_expr *expr = NULL;

    if (text)
        expr = gcal_expr_parse_in(text, symbols->n, symbols->names, err);
    else
        gcal_error_memory(err);
    free(text);
    return expr;
}

/* A number, or an expression of numbers. */
static int parse_modulus(const char *start, const char *end, double *modulus,
                         struct gcal_error *err)
{
    static const struct symbols none = { 0 };
    struct gcal_expr *expr = parse_part(start, (size_t)(end - start), &none, NULL);

    *modulus = expr ? gcal_expr_eval(expr, NULL) : NAN;
    gcal_expr_destroy(expr);
    if (!(*modulus > 0) || !isfinite(*modulus))
        return gcal_error_set(err, GCAL_EINPUT,
                              "expected a number above 0 between '%%' and the relation");
    return 0;
}

/* Sets 'start' to the relation's first character, 'at' to the character after it. */
static int find_relation(const char *text, const char **start, const char **at,
                         enum comparison *comparison)
{
    static const struct {
        const char *text;
        enum comparison comparison;
    } relations[] = { { "==", EQ }, { "!=", NE }, { ">=", GE }, { "<=", LE },
                      { "=", EQ },  { ">", GT },  { "<", LT } };

    *start = text + strcspn(text, "=!<>");
    for (size_t i = 0; i < sizeof(relations) / sizeof(*relations); i++)
        if (strncmp(*start, relations[i].text, strlen(relations[i].text)) == 0) {
            *at = *start + strlen(relations[i].text);
            *comparison = relations[i].comparison;
            return 0;
        }
    return -1;
}

static int parse_clause(struct clause *clause, const struct symbols *symbols,
                        struct gcal_error *err)
{
    const char *relation, *right, *end, *percent;

    if (find_relation(clause->text, &relation, &right, &clause->comparison) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "expected one of = != >= > <= <");
    percent = memchr(clause->text, '%', (size_t)(relation - clause->text));
    end = percent ? percent : relation;
    if (percent && parse_modulus(percent + 1, relation, &clause->modulus, err) < 0)
        return -1;
    clause->left = parse_part(clause->text, (size_t)(end - clause->text), symbols, err);
    if (!clause->left)
        return -1;
    clause->right = parse_part(right, strlen(right), symbols, err);
    return clause->right ? 0 : -1;
}

/* The next word 'and' in 'text', or its end. */
static const char *find_and(const char *text)
{
    const char *at = text;

    while ((at = strstr(at, "and"))) {
        bool starts = at > text && isspace((unsigned char)at[-1]);

        if (starts && isspace((unsigned char)at[3]))
            return at;
        at += 3;
    }
    return text + strlen(text);
}

static char *trimmed(const char *start, const char *end)
{
    while (start < end && isspace((unsigned char)*start))
        start++;
    while (end > start && isspace((unsigned char)end[-1]))
        end--;
    return strndup(start, (size_t)(end - start));
}

static int add_clause(struct gcal_assume *assume, const char *start, const char *end,
                      const struct symbols *symbols, struct gcal_error *err)
{
    struct clause *clauses = gcal_array_grow(assume->clauses, assume->n_clauses,
                                             &assume->capacity, sizeof(*clauses), err);
    struct clause *clause;

    if (!clauses)
        return -1;
    assume->clauses = clauses;
    clause = &clauses[assume->n_clauses];
    *clause = (struct clause){ .text = trimmed(start, end) };
    if (!clause->text)
        return gcal_error_memory(err);
    assume->n_clauses++;
    if (parse_clause(clause, symbols, err) < 0)
        return gcal_error_prefix(err, "assumption '%.100s'", clause->text);
    return 0;
}

struct gcal_assume *gcal_assume_parse(const char *text, size_t n_symbols,
                                      const char *const *symbols, struct gcal_error *err)
{
    struct symbols given = { n_symbols, symbols };
    struct gcal_assume *assume = calloc(1, sizeof(*assume));
    const char *end;

    if (!assume) {
        gcal_error_memory(err);
        return NULL;
    }
    assume->n_symbols = n_symbols;
    for (;; text = end + 3) {
        end = find_and(text);
        if (add_clause(assume, text, end, &given, err) < 0) {
            gcal_assume_destroy(assume);
            return NULL;
        }
        if (!*end)
            return assume;
    }
}

static bool holds(const struct clause *clause, const double *values)
{
    double left = gcal_expr_eval(clause->left, values);
    double right = gcal_expr_eval(clause->right, values);

    if (clause->modulus > 0)
        left -= clause->modulus * floor(left / clause->modulus);
    switch (clause->comparison) {
    case EQ:
        return left == right;
    case NE:
        return left != right;
    case GE:
        return left >= right;
    case GT:
        return left > right;
    case LE:
        return left <= right;
    case LT:
        return left < right;
    }
    return false;
}

int gcal_assume_check(const struct gcal_assume *assume, const double *values,
                      struct gcal_error *err)
{
    for (size_t i = 0; assume && i < assume->n_clauses; i++)
        if (!holds(&assume->clauses[i], values))
            return gcal_error_set(err, GCAL_EINPUT, "'%s' does not hold",
                                  assume->clauses[i].text);
    return 0;
}

static bool contains(const struct clause *clause, size_t symbol)
{
    return gcal_expr_uses(clause->left, symbol) || gcal_expr_uses(clause->right, symbol);
}

int gcal_assume_check_symbol(const struct gcal_assume *assume, size_t symbol,
                             double value, struct gcal_error *err)
{
    double *values;
    int rc = 0;

    if (!assume)
        return 0;
    if (!(values = calloc(assume->n_symbols + 1, sizeof(*values))))
        return gcal_error_memory(err);
    values[symbol] = value;
    for (size_t i = 0; i < assume->n_clauses && rc == 0; i++) {
        const struct clause *clause = &assume->clauses[i];
        bool alone = contains(clause, symbol);

        for (size_t k = 0; k < assume->n_symbols; k++)
            alone = alone && (k == symbol || !contains(clause, k));
        if (alone && !holds(clause, values))
            rc = gcal_error_set(err, GCAL_EINPUT, "'%s' does not hold", clause->text);
    }
    free(values);
    return rc;
}
