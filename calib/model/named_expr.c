/* named_expr.c - replacement of names by their expressions */
#include "calib/model/named_expr.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calib/base/array.h"
#include "calib/base/buf.h"
#include "calib/base/error.h"
#include "calib/model/expr.h"
#include "calib/model/expr_private.h"
#include "calib/model/feature.h"

#define MAX_NESTING 100 /* of names that use names */

struct entry {
    char *name, *text;
};

struct gcal_expr_names {
    struct entry *entries;
    size_t n, capacity;
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

static const struct entry *find(const struct gcal_expr_names *names, const char *name,
                                size_t length)
{
    for (size_t i = 0; names && i < names->n; i++)
        if (strlen(names->entries[i].name) == length &&
            memcmp(names->entries[i].name, name, length) == 0)
            return &names->entries[i];
    return NULL;
}

bool gcal_expr_names_has(const struct gcal_expr_names *names, const char *name)
{
    return find(names, name, strlen(name)) != NULL;
}

/* ---- adding ---- */

static bool is_reserved(const char *name)
{
    return strncmp(name, "p_", 2) == 0 || strncmp(name, "f_", 2) == 0;
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
        return gcal_error_set(err, GCAL_EINPUT,
                              "names that start with %.2s are %s: choose another", name,
                              *name == 'p' ? "parameters" : "features");
    if (gcal_expr_find_builtin(name, length) != GCAL_EXPR_OP_COUNT)
        return gcal_error_set(err, GCAL_EINPUT,
                              "is the name of a function: choose another");
    if (find(names, name, length))
        return gcal_error_set(err, GCAL_EINPUT, "is in use: choose another name");
    return 0;
}

static int append(struct gcal_expr_names *names, const char *name, const char *text,
                  struct gcal_error *err)
{
    struct entry *entries = gcal_array_grow(names->entries, names->n, &names->capacity,
                                            sizeof(*entries), err);
    struct entry entry;

    if (!entries)
        return -1;
    names->entries = entries;
    entry = (struct entry){ strdup(name), strdup(text) };
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

/* ---- replacement ---- */

/* The names that are being replaced, the innermost first. */
struct trail {
    const struct trail *outer;
    const struct entry *entry;
    size_t depth;
};

struct writer {
    const struct gcal_expr_names *names;
    struct gcal_buf text;
    struct gcal_error *err;
    bool has_position; /* of 'err' */
};

static int fail_unknown(const struct writer *w, const char *name, size_t length)
{
    struct gcal_buf known = { 0 };
    char *list;

    for (size_t i = 0; w->names && i < w->names->n; i++)
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

static int fail_cycle(const struct writer *w, const struct entry *entry,
                      const struct trail *trail)
{
    struct gcal_buf users = { 0 };
    char *text;

    for (; trail->entry != entry; trail = trail->outer)
        gcal_buf_printf(&users, "%s through ", trail->entry->name);
    gcal_buf_puts(&users, entry->name);
    if (!(text = gcal_buf_take(&users, w->err)))
        return -1;
    gcal_error_set(w->err, GCAL_EINPUT,
                   "'%s' is used by %s: an expression cannot contain itself", entry->name,
                   text);
    free(text);
    return -1;
}

static int check_feature(const char *start, size_t length, struct gcal_error *err)
{
    struct gcal_buf name = { 0 };
    struct gcal_feature feature;
    char *text;
    int rc;

    for (size_t i = 0; i < length; i++)
        if (!isspace((unsigned char)start[i]))
            gcal_buf_put(&name, &start[i], 1);
    if (!(text = gcal_buf_take(&name, err)))
        return -1;
    if ((rc = gcal_feature_parse(text, &feature, err)) == 0)
        gcal_feature_clear(&feature);
    free(text);
    return rc;
}

/* The last character before 'at' that is not white space; 0: none. */
static char before(const char *text, const char **at)
{
    while (*at > text && isspace((unsigned char)(*at)[-1]))
        --*at;
    return *at > text ? *--*at : '\0';
}

static char after(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return *at;
}

/* Whether a sum can replace the name without parentheses. */
static bool takes_a_sum(const char *text, const char *name, size_t length)
{
    char next = after(name + length), last = before(text, &name);

    if (next && !strchr("),+-", next))
        return false;
    if (last == '+') /* binary, not a sign */
        return !strchr("(,+-*/^", before(text, &name));
    return !last || strchr("(,", last);
}

static bool is_one_name(const char *text)
{
    size_t length;
    const char *name = gcal_expr_next_name(text, &length);

    while (isspace((unsigned char)*text))
        text++;
    return name == text && !after(name + length);
}

static int write_out(struct writer *w, const char *text, const struct trail *trail);

static int write_entry(struct writer *w, const struct entry *entry, bool parentheses,
                       const struct trail *trail)
{
    struct trail here = { trail, entry, trail ? trail->depth + 1 : 1 };

    for (const struct trail *t = trail; t; t = t->outer)
        if (t->entry == entry)
            return fail_cycle(w, entry, trail);
    if (here.depth > MAX_NESTING)
        return gcal_error_set(w->err, GCAL_EINPUT,
                              "more than %d named expressions in each other",
                              MAX_NESTING);
    gcal_buf_puts(&w->text, parentheses ? "(" : "");
    if (write_out(w, entry->text, &here) < 0)
        return -1;
    gcal_buf_puts(&w->text, parentheses ? ")" : "");
    return 0;
}

static int write_name(struct writer *w, const char *text, const char *name, size_t length,
                      const struct trail *trail)
{
    const struct entry *entry = find(w->names, name, length);

    if (after(name + length) != '(' && !is_reserved(name)) {
        bool parentheses =
            entry && !takes_a_sum(text, name, length) && !is_one_name(entry->text);

        return entry ? write_entry(w, entry, parentheses, trail)
                     : fail_unknown(w, name, length);
    }
    if (*name == 'f' && is_reserved(name) && check_feature(name, length, w->err) < 0)
        return -1;
    gcal_buf_put(&w->text, name, length);
    return 0;
}

static int fail_in(struct writer *w, size_t offset, const struct trail *trail)
{
    if (w->has_position)
        return -1;
    w->has_position = true;
    gcal_error_prefix(w->err, "column %zu", offset + 1);
    return trail ? gcal_error_prefix(w->err, "expression '%.60s'", trail->entry->name)
                 : -1;
}

/* 'trail': the name whose text it is; NULL: the text that is resolved. */
static int write_out(struct writer *w, const char *text, const struct trail *trail)
{
    const char *at = text, *name;
    size_t length;

    for (; (name = gcal_expr_next_name(at, &length)); at = name + length) {
        gcal_buf_put(&w->text, at, (size_t)(name - at));
        if (write_name(w, text, name, length, trail) < 0)
            return fail_in(w, (size_t)(name - text), trail);
        if (w->text.size > GCAL_EXPR_MAX_LENGTH)
            return gcal_error_set(w->err, GCAL_EINPUT,
                                  "with all names replaced, the expression is longer "
                                  "than %d characters",
                                  GCAL_EXPR_MAX_LENGTH);
    }
    gcal_buf_puts(&w->text, at);
    return 0;
}

static char *take(struct writer *w, int rc)
{
    if (rc == 0)
        return gcal_buf_take(&w->text, w->err);
    gcal_buf_free(&w->text);
    return NULL;
}

char *gcal_expr_names_resolve(const struct gcal_expr_names *names, const char *text,
                              struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse(text, err);
    struct writer w = { .names = names, .err = err };

    if (!expr)
        return NULL;
    gcal_expr_destroy(expr);
    return take(&w, write_out(&w, text, NULL));
}

int gcal_expr_names_check(const struct gcal_expr_names *names, struct gcal_error *err)
{
    for (size_t i = 0; i < names->n; i++) {
        struct writer w = { .names = names, .err = err };
        char *text = take(&w, write_entry(&w, &names->entries[i], false, NULL));

        if (!text)
            return -1;
        free(text);
    }
    return 0;
}
