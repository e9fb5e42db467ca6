/* named_expr.c - named expressions, and expressions that use them */
#include "kernels/model/named_expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/expr_private.h"
#include "kernels/model/feature.h"

/* Limits far above honest sets, which bound the time of hostile ones. */
#define MAX_NESTING 100 /* of names that use names */
#define MAX_NAMES   1000

struct entry {
    char *name, *text;
    size_t length; /* of the name */
};

struct gcal_expr_names {
    struct entry *entries;
    size_t n, capacity, n_characters;
    bool checked; /* all of them, since the last was added */
};

struct gcal_expr_names *gcal_expr_names_create(struct gcal_error *err)
{
    struct gcal_expr_names *names = calloc(1, sizeof(*names));

    if (!names)
        gcal_error_memory(err);
    return names;
}

void gcal_expr_names_destroy(struct gcal_expr_names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->n; i++) {
        free(names->entries[i].name);
        free(names->entries[i].text);
    }
    free(names->entries);
    free(names);
}

/* The place of a name; n: there is none. */
static size_t find(const struct gcal_expr_names *names, const char *name, size_t length)
{
    size_t i = 0;

    while (i < names->n && (names->entries[i].length != length ||
                            memcmp(names->entries[i].name, name, length) != 0))
        i++;
    return i;
}

bool gcal_expr_names_has(const struct gcal_expr_names *names, const char *name)
{
    return find(names, name, strlen(name)) < names->n;
}

size_t gcal_expr_names_count(const struct gcal_expr_names *names)
{
    return names ? names->n : 0;
}

const char *gcal_expr_names_name(const struct gcal_expr_names *names, size_t i)
{
    return names->entries[i].name;
}

const char *gcal_expr_names_text(const struct gcal_expr_names *names, size_t i)
{
    return names->entries[i].text;
}

/* ---- adding ---- */

/* Features that a user defines are named expressions. */
static bool is_reserved(const char *name)
{
    return strncmp(name, "p_", 2) == 0 ||
           (strncmp(name, "f_", 2) == 0 && strncmp(name, "f_user_", 7) != 0);
}

static int check_name(const struct gcal_expr_names *names, const char *name,
                      struct gcal_error *err)
{
    size_t length;
    bool start = isalpha((unsigned char)*name) || *name == '_';

    for (length = 0; isalnum((unsigned char)name[length]) || name[length] == '_';)
        length++;
    if (!start || name[length])
        return gcal_error_set(err, GCAL_EINPUT,
                              "expected a name of letters, digits and _");
    if (is_reserved(name))
        return gcal_error_set(
            err, GCAL_EINPUT, "names that start with %.2s are %s: choose another", name,
            *name == 'p' ? "parameters" : "features (f_user_... are your own)");
    if (gcal_expr_find_builtin(name, length) != GCAL_EXPR_OP_COUNT)
        return gcal_error_set(err, GCAL_EINPUT,
                              "is the name of a function: choose another");
    if (find(names, name, length) < names->n)
        return gcal_error_set(err, GCAL_EINPUT, "is in use: choose another name");
    return 0;
}

static int append(struct gcal_expr_names *names, const char *name, const char *text,
                  struct gcal_error *err)
{
    struct entry *entries;
    struct entry entry;

    names->checked = false;
    names->n_characters += strlen(text);
    if (names->n == MAX_NAMES || names->n_characters > GCAL_EXPR_MAX_LENGTH)
        return gcal_error_set(err, GCAL_EINPUT,
                              "more than %d named expressions, or %d characters in all",
                              MAX_NAMES, GCAL_EXPR_MAX_LENGTH);
    if (!(entries = gcal_array_grow(names->entries, names->n, &names->capacity,
                                    sizeof(*entries), err)))
        return -1;
    names->entries = entries;
    entry = (struct entry){ strdup(name), strdup(text), strlen(name) };
    if (!entry.name || !entry.text) {
        free(entry.name);
        free(entry.text);
        return gcal_error_memory(err);
    }
    entries[names->n++] = entry;
    return 0;
}

int gcal_expr_names_add(struct gcal_expr_names *names, const char *name, const char *text,
                        struct gcal_error *err)
{
    struct gcal_expr *expr = NULL;
    int rc = -1;

    if (check_name(names, name, err) == 0 && (expr = gcal_expr_parse(text, err)))
        rc = append(names, name, text, err);
    gcal_expr_destroy(expr);
    return rc < 0 ? gcal_error_prefix(err, "expression '%.60s'", name) : 0;
}

/* ---- the names that texts use ---- */

/* The names whose texts are being read, the innermost first. */
struct trail {
    const struct trail *outer;
    size_t entry;
    size_t depth;
};

struct walk {
    const struct gcal_expr_names *names;
    bool texts_alone;       /* names that were checked are not followed */
    bool *done;             /* by entry: in 'order' */
    size_t *order, n;       /* entries, each after those that it uses */
    struct gcal_expr *expr; /* gets the symbols in order of first use; NULL: none */
    struct gcal_error *err;
    bool has_position; /* of 'err' */
};

static int fail_unknown(const struct walk *w, const char *name, size_t length)
{
    struct gcal_buf known = { 0 };
    char *list;

    for (size_t i = 0; i < w->names->n; i++)
        gcal_buf_printf(&known, "%s%s", i ? ", " : " (", w->names->entries[i].name);
    gcal_buf_puts(&known, known.size ? ")" : " (none is defined)");
    if (!(list = gcal_buf_take(&known, w->err)))
        return -1;
    gcal_error_set(w->err, GCAL_EINPUT,
                   "'%.*s' is neither a parameter (p_...), a feature (f_...) nor a named "
                   "expression%s",
                   length > 60 ? 60 : (int)length, name, list);
    free(list);
    return -1;
}

static int fail_cycle(const struct walk *w, size_t entry, const struct trail *trail)
{
    const struct entry *entries = w->names->entries;
    struct gcal_buf users = { 0 };
    char *text;

    for (; trail->entry != entry; trail = trail->outer)
        gcal_buf_printf(&users, "%s through ", entries[trail->entry].name);
    gcal_buf_puts(&users, entries[entry].name);
    if (!(text = gcal_buf_take(&users, w->err)))
        return -1;
    gcal_error_set(w->err, GCAL_EINPUT,
                   "'%s' is used by %s: an expression cannot contain itself",
                   entries[entry].name, text);
    free(text);
    return -1;
}

/* A parameter or a feature, which must be known. */
static int visit_symbol(struct walk *w, const char *start, size_t length,
                        const struct trail *trail)
{
    struct gcal_buf name = { 0 };
    struct gcal_feature feature = { 0 };
    char *text;
    int rc = 0;

    for (size_t i = 0; i < length; i++)
        if (!isspace((unsigned char)start[i]))
            gcal_buf_put(&name, &start[i], 1);
    if (!(text = gcal_buf_take(&name, w->err)))
        return -1;
    if (*text == 'f' && !(trail && w->names->checked)) {
        rc = gcal_feature_parse(text, &feature, w->err);
        if (rc == 0)
            gcal_feature_clear(&feature);
    }
    if (rc == 0 && w->expr &&
        gcal_expr_add_symbol(w->expr, text, strlen(text), w->err) == SIZE_MAX)
        rc = -1;
    free(text);
    return rc;
}

/* The next character that is not white space. */
static char after(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return *at;
}

static int visit_text(struct walk *w, const char *text, const struct trail *trail);

static int visit_entry(struct walk *w, size_t entry, const struct trail *trail)
{
    struct trail here = { trail, entry, trail ? trail->depth + 1 : 1 };

    if (w->done[entry] || (w->texts_alone && w->names->checked))
        return 0;
    for (const struct trail *t = trail; t; t = t->outer)
        if (t->entry == entry)
            return fail_cycle(w, entry, trail);
    if (here.depth > MAX_NESTING)
        return gcal_error_set(w->err, GCAL_EINPUT,
                              "more than %d named expressions in each other",
                              MAX_NESTING);
    if (visit_text(w, w->names->entries[entry].text, &here) < 0)
        return -1;
    w->done[entry] = true;
    w->order[w->n++] = entry;
    return 0;
}

static int visit_name(struct walk *w, const char *name, size_t length,
                      const struct trail *trail)
{
    size_t entry;

    if (is_reserved(name))
        return visit_symbol(w, name, length, trail);
    if (after(name + length) == '(') /* a function */
        return 0;
    entry = find(w->names, name, length);
    return entry < w->names->n ? visit_entry(w, entry, trail)
                               : fail_unknown(w, name, length);
}

/* 'trail': the name whose text it is; NULL: none. */
static int visit_text(struct walk *w, const char *text, const struct trail *trail)
{
    const char *at = text, *name;
    size_t length;

    for (; (name = gcal_expr_next_name(at, &length)); at = name + length)
        if (visit_name(w, name, length, trail) < 0) {
            size_t offset = (size_t)(name - text);
            if (w->has_position)
                return -1;
            w->has_position = true;
            gcal_error_prefix(w->err, "column %zu", offset + 1);
            return trail ? gcal_error_prefix(w->err, "expression '%.60s'",
                                             w->names->entries[trail->entry].name)
                         : -1;
        }
    return 0;
}

static const struct gcal_expr_names none;

/* 'names' NULL: none. */
static int begin(struct walk *w, const struct gcal_expr_names *names,
                 struct gcal_error *err)
{
    *w = (struct walk){ .names = names ? names : &none, .err = err };
    w->done = calloc(w->names->n + 1, sizeof(*w->done));
    w->order = calloc(w->names->n + 1, sizeof(*w->order));
    return w->done && w->order ? 0 : gcal_error_memory(err);
}

static void end(struct walk *w)
{
    free(w->done);
    free(w->order);
}

/* The error of a text that does not parse is that of the parser. */
static int visit_root(struct walk *w, const char *text)
{
    struct gcal_error why = { 0 };
    struct gcal_expr *expr;

    if (visit_text(w, text, NULL) == 0)
        return 0;
    if ((expr = gcal_expr_parse(text, &why)))
        gcal_expr_destroy(expr);
    else if (w->err)
        *w->err = why;
    return -1;
}

int gcal_expr_names_check(struct gcal_expr_names *names, struct gcal_error *err)
{
    struct walk w;
    int rc = begin(&w, names, err);

    for (size_t i = 0; i < names->n && rc == 0; i++)
        rc = visit_entry(&w, i, NULL);
    end(&w);
    names->checked = rc == 0;
    return rc;
}

int gcal_expr_names_check_text(const struct gcal_expr_names *names, const char *text,
                               struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(text, err);
    struct walk w;
    int rc;

    if (!expr)
        return -1;
    gcal_expr_destroy(expr);
    rc = begin(&w, names, err);
    w.texts_alone = true;
    if (rc == 0)
        rc = visit_text(&w, text, NULL);
    end(&w);
    return rc;
}

struct gcal_expr_names *gcal_expr_names_used(const struct gcal_expr_names *names,
                                             size_t n, const char *const *texts,
                                             struct gcal_error *err)
{
    struct gcal_expr_names *used = gcal_expr_names_create(err);
    struct walk w;
    int rc;

    if (!used || !names)
        return used;
    rc = begin(&w, names, err);
    for (size_t i = 0; i < n && rc == 0; i++)
        rc = visit_root(&w, texts[i]);
    for (size_t i = 0; i < names->n && rc == 0; i++)
        if (w.done[i])
            rc = append(used, names->entries[i].name, names->entries[i].text, err);
    end(&w);
    if (rc == 0)
        return used;
    gcal_expr_names_destroy(used);
    return NULL;
}

/* ---- parsing ---- */

struct parsing {
    struct gcal_expr_lookup lookup; /* first: find_node() gets its address */
    struct walk walk;
    struct gcal_expr *expr;
    size_t n_parsed;               /* of walk.order */
    struct gcal_expr_node **nodes; /* by entry */
    bool *used;                    /* likewise */
};

static struct gcal_expr_node *find_node(struct gcal_expr_lookup *lookup, const char *name,
                                        size_t length)
{
    struct parsing *p = (struct parsing *)lookup;
    size_t i = find(p->walk.names, name, length);

    if (i == p->walk.names->n)
        return NULL;
    p->expr->shares = p->expr->shares || p->used[i];
    p->used[i] = true;
    return p->nodes[i];
}

static int begin_parsing(struct parsing *p, struct gcal_expr *expr,
                         const struct gcal_expr_names *names, struct gcal_error *err)
{
    *p = (struct parsing){ .lookup = { find_node }, .expr = expr };
    if (begin(&p->walk, names, err) < 0)
        return -1;
    p->nodes = calloc(names->n + 1, sizeof(struct gcal_expr_node *));
    p->used = calloc(names->n + 1, sizeof(*p->used));
    return p->nodes && p->used ? 0 : gcal_error_memory(err);
}

static void end_parsing(struct parsing *p)
{
    end(&p->walk);
    free(p->nodes);
    free(p->used);
}

/* The names that the text uses come first, as far as they are new. */
static struct gcal_expr_node *parse_root(struct parsing *p, const char *text, bool fixed)
{
    struct walk *w = &p->walk;

    w->expr = fixed ? NULL : p->expr;
    if (visit_root(w, text) < 0)
        return NULL;
    for (; p->n_parsed < w->n; p->n_parsed++) {
        size_t i = w->order[p->n_parsed];
        const struct entry *entry = &w->names->entries[i];

        if (!(p->nodes[i] = gcal_expr_parse_node(p->expr, entry->text, fixed, &p->lookup,
                                                 w->err))) {
            gcal_error_prefix(w->err, "expression '%.60s'", entry->name);
            return NULL;
        }
    }
    return gcal_expr_parse_node(p->expr, text, fixed, &p->lookup, w->err);
}

struct gcal_expr *gcal_expr_parse_with(const char *text,
                                       const struct gcal_expr_names *names,
                                       struct gcal_error *err)
{
    struct gcal_expr *expr = names ? gcal_expr_create(0, NULL, err) : NULL;
    struct gcal_expr_node *root = NULL;
    struct parsing p;

    if (!names)
        return gcal_expr_parse(text, err);
    if (!expr)
        return NULL;
    if (begin_parsing(&p, expr, names, err) == 0)
        root = parse_root(&p, text, false);
    end_parsing(&p);
    if (gcal_expr_compile(expr, root, err) == 0)
        return expr;
    gcal_expr_destroy(expr);
    return NULL;
}

/* Without names, unknown ones are the parser's errors. */
static int parse_roots(struct gcal_expr *expr, size_t n, const char *const *texts,
                       const struct gcal_expr_names *names, struct gcal_expr_node **roots,
                       size_t *failed, struct gcal_error *err)
{
    struct parsing p = { 0 };
    int rc = names ? begin_parsing(&p, expr, names, err) : 0;

    for (size_t i = 0; i < n && rc == 0; i++) {
        roots[i] = names ? parse_root(&p, texts[i], true)
                         : gcal_expr_parse_node(expr, texts[i], true, NULL, err);
        *failed = i;
        rc = roots[i] ? 0 : -1;
    }
    end_parsing(&p);
    return rc;
}

struct gcal_expr *gcal_expr_parse_roots(size_t n, const char *const *texts,
                                        const struct gcal_expr_names *names,
                                        size_t n_symbols, const char *const *symbols,
                                        struct gcal_expr_node **roots, size_t *failed,
                                        struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_create(n_symbols, symbols, err);

    if (expr)
        expr->keeps_extremes = true;
    if (expr && parse_roots(expr, n, texts, names, roots, failed, err) == 0)
        return expr;
    gcal_expr_destroy(expr);
    return NULL;
}

/* ---- replacement ---- */

/* The last character before 'at' that is not white space; 0: none. */
static char before(const char *text, const char **at)
{
    while (*at > text && isspace((unsigned char)(*at)[-1]))
        --*at;
    return *at > text ? *--*at : '\0';
}

/* Returns whether a sum can replace the name without parentheses. */
static bool takes_a_sum(const char *text, const char *name, size_t length)
{
    char next = after(name + length), last = before(text, &name);

    if (next && !strchr("),+-", next))
        return false;
    if (last == '+') /* binary, not a sign */
        return !strchr("(,+-*/^", before(text, &name));
    return !last || strchr("(,", last);
}

/* Returns whether the text is a parameter or a feature alone. */
static bool is_one_symbol(const char *text)
{
    size_t length;
    const char *name = gcal_expr_next_name(text, &length);

    while (isspace((unsigned char)*text))
        text++;
    return name == text && is_reserved(name) && !after(name + length);
}

/* Of a text whose names are known, without cycles; stops at the longest length. */
static void write_out(const struct gcal_expr_names *names, const char *text,
                      struct gcal_buf *out)
{
    const char *at = text, *name;
    size_t length, entry;

    for (; (name = gcal_expr_next_name(at, &length)); at = name + length) {
        const char *inner;
        bool parentheses;

        if (out->size > GCAL_EXPR_MAX_LENGTH)
            return;
        gcal_buf_put(out, at, (size_t)(name - at));
        entry = find(names, name, length);
        if (after(name + length) == '(' || entry == names->n) {
            gcal_buf_put(out, name, length);
            continue;
        }
        inner = names->entries[entry].text;
        parentheses = !takes_a_sum(text, name, length) && !is_one_symbol(inner);
        gcal_buf_puts(out, parentheses ? "(" : "");
        write_out(names, inner, out);
        gcal_buf_puts(out, parentheses ? ")" : "");
    }
    gcal_buf_puts(out, at);
}

char *gcal_expr_names_resolve(const struct gcal_expr_names *names, const char *text,
                              struct gcal_error *err)
{
    struct gcal_buf out = { 0 };

    if (gcal_expr_names_check_text(names, text, err) < 0)
        return NULL;
    write_out(names ? names : &none, text, &out);
    if (out.size <= GCAL_EXPR_MAX_LENGTH)
        return gcal_buf_take(&out, err);
    gcal_buf_free(&out);
    gcal_error_set(err, GCAL_EINPUT,
                   "with all names replaced, the expression is longer than %d characters",
                   GCAL_EXPR_MAX_LENGTH);
    return NULL;
}
