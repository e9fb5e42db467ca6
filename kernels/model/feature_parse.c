/* feature_parse.c - parsing of feature names, by the table of feature kinds */
#include "kernels/model/dtype.h"
#include "kernels/model/feature.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "kernels/model/expr.h"

#define MAX_NAME 512

struct reader {
    const char *name, *at;
    struct gcal_error *err;
};

static int fail(const struct reader *r, const char *what)
{
    return gcal_error_set(r->err, GCAL_EINPUT, "feature '%.200s': %s at '%.60s'", r->name,
                          what, r->at);
}

void gcal_feature_clear(struct gcal_feature *feature)
{
    free(feature->dtype);
    free(feature->op);
    free(feature->tag);
    free(feature->platform);
    free(feature->device);
    free(feature->afr.bound);
    for (int i = 0; i < GCAL_MAX_DIMS; i++) {
        free(feature->lid_stride[i].bound);
        free(feature->gid_stride[i].bound);
    }
    *feature = (struct gcal_feature){ 0 };
}

static bool accept(struct reader *r, const char *text)
{
    size_t length = strlen(text);

    if (strncmp(r->at, text, length) != 0)
        return false;
    r->at += length;
    return true;
}

/* A copy of the next 'length' characters. */
static int take(struct reader *r, size_t length, char **text)
{
    if (!(*text = strndup(r->at, length)))
        return gcal_error_memory(r->err);
    r->at += length;
    return 0;
}

static size_t word_length(const char *at)
{
    size_t length = 0;

    while (isalnum((unsigned char)at[length]))
        length++;
    return length;
}

static bool is_identifier(const char *at)
{
    return *at && strspn(at, "abcdefghijklmnopqrstuvwxyz"
                             "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == strlen(at);
}

/* [relation] expression, up to a character of 'end' outside of parentheses. */
static int read_constraint(struct reader *r, const char *end,
                           struct gcal_feature_constraint *constraint)
{
    static const struct {
        const char *text;
        enum gcal_feature_relation relation;
    } relations[] = { { ">=", GCAL_FEATURE_GE }, { "<=", GCAL_FEATURE_LE },
                      { ">", GCAL_FEATURE_GT },  { "<", GCAL_FEATURE_LT },
                      { "=", GCAL_FEATURE_EQ },  { "%", GCAL_FEATURE_MULTIPLE },
                      { "", GCAL_FEATURE_EQ } };
    struct gcal_error inner;
    struct gcal_expr *expr;
    size_t i = 0, length = 0;
    int depth = 0;

    while (!accept(r, relations[i].text))
        i++;
    constraint->relation = relations[i].relation;
    for (; r->at[length] && (depth > 0 || !strchr(end, r->at[length])); length++)
        depth += (r->at[length] == '(') - (r->at[length] == ')');
    if (take(r, length, &constraint->bound) < 0)
        return -1;
    if (!(expr = gcal_expr_parse(constraint->bound, &inner))) {
        r->at -= length;
        return gcal_error_set(r->err, GCAL_EINPUT,
                              "feature '%.200s': constraint '%.60s': %.200s", r->name,
                              constraint->bound, inner.text);
    }
    gcal_expr_destroy(expr);
    return 0;
}

/* {axis:constraint;..} */
static int read_strides(struct reader *r, struct gcal_feature_constraint *strides)
{
    if (accept(r, "{}"))
        return 0;
    if (!accept(r, "{"))
        return fail(r, "expected {axis:constraint;..}");
    do {
        int axis = *r->at - '0';

        if (axis < 0 || axis >= GCAL_MAX_DIMS || r->at[1] != ':')
            return fail(r, "expected an axis 0, 1 or 2 and ':'");
        if (strides[axis].relation != GCAL_FEATURE_ANY)
            return fail(r, "duplicate axis");
        r->at += 2;
        if (read_constraint(r, ";}", &strides[axis]) < 0)
            return -1;
    } while (accept(r, ";"));
    return accept(r, "}") ? 0 : fail(r, "expected ';' or '}'");
}

/* ---- sets of words: {word,!word,..} ---- */

/* Returns whether a field's value at 'at' is a word, or a set with 'word' for one of its items. */
static bool has_word(const char *at, bool (*is_known)(const char *word, size_t length))
{
    if (*at != '{')
        return is_known(at, word_length(at));
    at += 1 + (at[1] == '!');
    return is_known(at, strcspn(at, ",}"));
}

/* {item,..} of 'is_known' words with * */
static int read_set(struct reader *r, bool (*is_known)(const char *word, size_t length),
                    const char *what, char **field)
{
    const char *start = r->at;

    do {
        size_t length;

        r->at++;
        accept(r, "!");
        length = strcspn(r->at, ",}");
        if (!length || !is_known(r->at, length))
            return fail(r, what);
        r->at += length;
    } while (*r->at == ',');
    if (!accept(r, "}"))
        return fail(r, "expected ',' or '}'");
    if (!(*field = strndup(start, (size_t)(r->at - start))))
        return gcal_error_memory(r->err);
    return 0;
}

/* ---- fields ---- */

static bool is_known_word(const char *pattern, size_t length,
                          const char *(*name)(size_t i))
{
    char set[40];

    if (length + 3 > sizeof(set))
        return false;
    snprintf(set, sizeof(set), "{%.*s}", (int)length, pattern);
    for (size_t i = 0; name(i); i++)
        if (gcal_feature_field_has(set, name(i)))
            return true;
    return false;
}

static bool is_known_dtype(const char *word, size_t length)
{
    return is_known_word(word, length, gcal_dtype_name);
}

static bool is_dtype(const char *at)
{
    return has_word(at, is_known_dtype);
}

static int read_dtype(struct reader *r, struct gcal_feature *f)
{
    if (*r->at == '{')
        return read_set(r, is_known_dtype, "expected a data type", &f->dtype);
    return take(r, word_length(r->at), &f->dtype);
}

static bool is_known_op(const char *word, size_t length)
{
    return length && strspn(word, "abcdefghijklmnopqrstuvwxyz"
                                  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_*") >= length;
}

static bool is_op(const char *at)
{
    return *at == '{' || is_identifier(at);
}

static int read_op(struct reader *r, struct gcal_feature *f)
{
    if (*r->at == '{')
        return read_set(r, is_known_op, "expected an operation", &f->op);
    return take(r, strlen(r->at), &f->op);
}

static const char *const atomic_ops[] = { "add",  "sub",   "inc",    "dec", "xchg",
                                          "min",  "max",   "and",    "or",  "xor",
                                          "load", "store", "cmpxchg" };

static const char *atomic_op(size_t i)
{
    return i < sizeof(atomic_ops) / sizeof(*atomic_ops) ? atomic_ops[i] : NULL;
}

static bool is_known_atomic_op(const char *word, size_t length)
{
    return is_known_word(word, length, atomic_op);
}

static bool is_atomic_op(const char *at)
{
    return has_word(at, is_known_atomic_op);
}

static int read_atomic_op(struct reader *r, struct gcal_feature *f)
{
    if (*r->at == '{')
        return read_set(r, is_known_atomic_op, "expected an atomic operation", &f->op);
    return take(r, word_length(r->at), &f->op);
}

static int read_tag(struct reader *r, struct gcal_feature *f)
{
    accept(r, "tag:");
    if (word_length(r->at) == 0)
        return fail(r, "expected a tag of letters and digits");
    return take(r, word_length(r->at), &f->tag);
}

static int read_width(struct reader *r, struct gcal_feature *f)
{
    enum { WIDEST = 1024 };
    size_t digits;

    accept(r, "width:");
    digits = strspn(r->at, "0123456789");
    if (!digits || digits > 4 || (f->width = strtoul(r->at, NULL, 10)) < 1 ||
        f->width > WIDEST)
        return fail(r, "expected a width of 1 to 1024 elements");
    r->at += digits;
    return 0;
}

static int read_lstrides(struct reader *r, struct gcal_feature *f)
{
    accept(r, "lstrides:");
    return read_strides(r, f->lid_stride);
}

static int read_gstrides(struct reader *r, struct gcal_feature *f)
{
    accept(r, "gstrides:");
    return read_strides(r, f->gid_stride);
}

static int read_afr(struct reader *r, struct gcal_feature *f)
{
    accept(r, "afr:");
    return read_constraint(r, "", &f->afr);
}

/* The index in 'names' of the word at 'at', from 1 on; 0 if there is none. */
static int find_word(const char *at, const char *const *names, int n)
{
    for (int i = 1; i < n; i++)
        if (strncmp(at, names[i], strlen(names[i])) == 0)
            return i;
    return 0;
}

static int read_word(struct reader *r, const char *const *names, int n)
{
    int found = find_word(r->at, names, n);

    r->at += strlen(names[found]);
    return found;
}

static bool is_space(const char *at)
{
    return find_word(at, gcal_feature_space_names, GCAL_FEATURE_N_SPACES);
}

static bool is_atomic_space(const char *at)
{
    return find_word(at, gcal_feature_space_names, GCAL_FEATURE_SPACE_CONSTANT);
}

static int read_space(struct reader *r, struct gcal_feature *f)
{
    f->space = (enum gcal_feature_space)read_word(r, gcal_feature_space_names,
                                                  GCAL_FEATURE_N_SPACES);
    return 0;
}

static bool is_direction(const char *at)
{
    return find_word(at, gcal_feature_direction_names, 3);
}

static int read_direction(struct reader *r, struct gcal_feature *f)
{
    f->direction =
        (enum gcal_feature_direction)read_word(r, gcal_feature_direction_names, 3);
    return 0;
}

static bool is_copy_direction(const char *at)
{
    return find_word(at, gcal_feature_copy_direction_names, 3);
}

static int read_copy_direction(struct reader *r, struct gcal_feature *f)
{
    f->way = (enum gcal_feature_copy_direction)read_word(
        r, gcal_feature_copy_direction_names, 3);
    return 0;
}

static bool is_host_memory(const char *at)
{
    return find_word(at, gcal_feature_host_memory_names, 4);
}

static int read_host_memory(struct reader *r, struct gcal_feature *f)
{
    f->host =
        (enum gcal_feature_host_memory)read_word(r, gcal_feature_host_memory_names, 4);
    return 0;
}

static bool is_word(const char *at)
{
    return word_length(at) > 0;
}

static int read_device(struct reader *r, struct gcal_feature *f)
{
    if (take(r, word_length(r->at), &f->platform) < 0)
        return -1;
    if (!accept(r, "_") || !is_identifier(r->at))
        return fail(r, "expected _<device>");
    return take(r, strlen(r->at), &f->device);
}

/* A field begins with 'start', or 'is_here' recognises it. */
static const struct {
    const char *syntax;
    const char *start;
    bool (*is_here)(const char *at);
    int (*read)(struct reader *r, struct gcal_feature *f);
} fields[] = {
    /* in the order of enum gcal_feature_field */
    { "tag:<name>", "tag:", NULL, read_tag },
    { "<global|local|constant>", NULL, is_space, read_space },
    { "<global|local>", NULL, is_atomic_space, read_space },
    { "<dtype>", NULL, is_dtype, read_dtype },
    { "<load|store>", NULL, is_direction, read_direction },
    { "<operation>", NULL, is_atomic_op, read_atomic_op },
    { "<operation>", NULL, is_op, read_op },
    { "width:<elements>", "width:", NULL, read_width },
    { "lstrides:{axis:constraint;..}", "lstrides:", NULL, read_lstrides },
    { "gstrides:{axis:constraint;..}", "gstrides:", NULL, read_gstrides },
    { "afr:<constraint>", "afr:", NULL, read_afr },
    { "<to_device|from_device>", NULL, is_copy_direction, read_copy_direction },
    { "<pageable|pinned|mapped>", NULL, is_host_memory, read_host_memory },
    { "<platform>_<device>", NULL, is_word, read_device },
};

#define N_FIELDS (sizeof(fields) / sizeof(*fields))

/* ---- names ---- */

/* Joined by '_'. */
static size_t count_words(const char *name)
{
    size_t n = 1;

    for (; *name; name++)
        n += *name == '_';
    return n;
}

/* Of so many words of the name, or of all. */
static size_t words_length(const char *name, size_t words)
{
    size_t length = 0;

    while (name[length] && (name[length] != '_' || --words))
        length++;
    return length;
}

/* The kinds of so many words, or all, if it is 0; NULL-ended. */
static void find_kinds(size_t words, const char *kinds[GCAL_FEATURE_N_KINDS + 1])
{
    size_t n = 0;

    for (int k = 0; k < GCAL_FEATURE_N_KINDS; k++)
        if (!words || count_words(gcal_feature_info(k)->name) == words)
            kinds[n++] = gcal_feature_info(k)->name;
    kinds[n] = NULL;
}

/* The kind that the name's beginning, of as many words, is similar to, the longest; or that
 * begins as the name does; NULL: none.
 */
static const char *similar_kind(const char *name)
{
    const char *kinds[GCAL_FEATURE_N_KINDS + 1], *found = NULL;
    char beginning[64];

    for (size_t words = count_words(name); !found && words > 1; words--) {
        find_kinds(words, kinds);
        snprintf(beginning, sizeof(beginning), "%.*s", (int)words_length(name, words),
                 name);
        found = gcal_similar(beginning, kinds);
    }
    find_kinds(0, kinds);
    return found ? found : gcal_similar(name, kinds);
}

/* The index of the field at r->at, one of 'allowed'; N_FIELDS if there is none. */
static size_t find_field(const struct reader *r, unsigned allowed)
{
    size_t i = 0;

    for (; i < N_FIELDS; i++)
        if (allowed & 1u << i && (fields[i].start ? strncmp(r->at, fields[i].start,
                                                            strlen(fields[i].start)) == 0
                                                  : fields[i].is_here(r->at)))
            break;
    return i;
}

static int read_fields(struct reader *r, const struct gcal_feature_info *kind,
                       struct gcal_feature *f)
{
    unsigned found = 0;

    while (*r->at) {
        const char *start = r->at;
        unsigned left = kind->fields & ~found, next = left & -left;
        size_t field =
            accept(r, "_") ? find_field(r, kind->in_order ? next : left) : N_FIELDS;

        if (field == N_FIELDS || 1u << field <= found) {
            r->at = start;
            struct gcal_buf expected = { 0 };
            char *text;

            gcal_buf_puts(&expected, "expected ");
            /* "f_op[_<dtype>[_<operation>]]", "f_memory[_tag:<name>]" */
            size_t open = 0;

            gcal_buf_puts(&expected, kind->name);
            for (size_t i = 0; i < N_FIELDS; i++)
                if (kind->fields & 1u << i) {
                    gcal_buf_printf(&expected, "[_%s%s", fields[i].syntax,
                                    kind->in_order ? "" : "]");
                    open += kind->in_order;
                }
            while (open--)
                gcal_buf_puts(&expected, "]");
            if (!(text = gcal_buf_take(&expected, r->err)))
                return -1;
            fail(r, text);
            free(text);
            return -1;
        }
        found |= 1u << field;
        if (fields[field].read(r, f) < 0)
            return -1;
    }
    return 0;
}

/* The kind with the longest name that 'name' begins with; GCAL_FEATURE_N_KINDS: none. */
static enum gcal_feature_kind find_kind(const char *name)
{
    enum gcal_feature_kind found = GCAL_FEATURE_N_KINDS;
    size_t longest = 0;

    for (int k = 0; k < GCAL_FEATURE_N_KINDS; k++) {
        const char *start = gcal_feature_info(k)->name;
        size_t length = strlen(start);

        if (strncmp(name, start, length) == 0 && (!name[length] || name[length] == '_') &&
            length > longest) {
            found = k;
            longest = length;
        }
    }
    return found;
}

static int read_feature(struct reader *r, struct gcal_feature *f)
{
    enum gcal_feature_kind kind = find_kind(r->name);

    if (strlen(r->name) > MAX_NAME)
        return fail(r, "the name is too long");
    if (kind == GCAL_FEATURE_N_KINDS) {
        const char *found = similar_kind(r->name);

        return gcal_error_set(
            r->err, GCAL_EINPUT,
            "unknown feature '%.60s'%s%s%s; gpucal-profile(5) has all %d", r->name,
            found ? " (did you mean '" : "", found ? found : "", found ? "'?)" : "",
            GCAL_FEATURE_N_KINDS);
    }
    f->kind = kind;
    r->at += strlen(gcal_feature_info(kind)->name);
    return read_fields(r, gcal_feature_info(kind), f);
}

int gcal_feature_parse(const char *name, struct gcal_feature *feature,
                       struct gcal_error *err)
{
    struct reader r = { name, name, err };
    struct gcal_feature f = { 0 };

    if (read_feature(&r, &f) < 0) {
        gcal_feature_clear(&f);
        return -1;
    }
    *feature = f;
    return 0;
}
