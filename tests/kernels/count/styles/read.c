/* read.c - files of styles: kernels, and how they run */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "tests/kernels/count/styles/styles.h"

/* ---- words ---- */

/* The text without spaces around it, the caller's to free. */
static char *copy_trimmed(const char *text, size_t length)
{
    while (length && (*text == ' ' || *text == '\t')) {
        text++;
        length--;
    }
    while (length && strchr(" \t\r\n", text[length - 1]))
        length--;
    return strndup(text, length);
}

/* The part before 'end' in '*rest', which moves behind it; or all that is left. */
static char *take_part(const char **rest, const char *end)
{
    const char *at = strstr(*rest, end);
    size_t length = at ? (size_t)(at - *rest) : strlen(*rest);
    char *part = copy_trimmed(*rest, length);

    *rest += at ? length + strlen(end) : length;
    return part;
}

static int add_list(struct gcal_strings *list, const char *text, struct gcal_error *err)
{
    while (*text)
        if (gcal_strings_take(list, take_part(&text, ","), err) < 0)
            return -1;
    return 0;
}

/* ---- lines ---- */

typedef int read_line(struct style *style, const char *text, struct gcal_error *err);

static int bad(const char *what, const char *text, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "%s: '%s'", what, text);
}

static int read_local(struct style *style, const char *text, struct gcal_error *err)
{
    const char *at = text;

    for (style->n_dims = 0; style->n_dims < GCAL_MAX_DIMS && *at; style->n_dims++) {
        char *end;

        style->local_size[style->n_dims] = strtoul(at, &end, 10);
        if (end == at || (*end && *end != ','))
            return bad("not a work-group size", text, err);
        at = end + (*end == ',');
    }
    return *at ? bad("more than 3 dimensions", text, err) : 0;
}

/* Commas within parentheses belong to the expressions. */
static int read_global(struct style *style, const char *text, struct gcal_error *err)
{
    size_t d = 0, depth = 0, length;

    for (; *text && d < GCAL_MAX_DIMS; d++) {
        for (length = 0; text[length] && (depth || text[length] != ','); length++)
            depth = depth + (text[length] == '(') - (text[length] == ')');
        free(style->global_size[d]);
        style->global_size[d] = copy_trimmed(text, length);
        text += length + (text[length] == ',');
    }
    return *text || d != style->n_dims
               ? bad("not as many global sizes as local ones", text, err)
               : 0;
}

static int read_sizes(struct style *style, const char *text, struct gcal_error *err)
{
    struct style_run *run = &style->runs[style->n_runs];

    if (style->n_runs++ == STYLE_MOST_RUNS)
        return bad("too many runs", text, err);
    for (text += strspn(text, " "); *text; text += strspn(text, " ,")) {
        size_t length = strcspn(text, "=");
        char *end;

        if (!text[length] || run->n_sizes == STYLE_MOST_SIZES)
            return bad("not NAME=VALUE, or too many of them", text, err);
        run->sizes[run->n_sizes].name = copy_trimmed(text, length);
        run->sizes[run->n_sizes++].value = strtod(text + length + 1, &end);
        if (end == text + length + 1)
            return bad("not a number", text + length + 1, err);
        text = end;
    }
    return 0;
}

static int set_text(char **to, const char *text, struct gcal_error *err)
{
    free(*to);
    return (*to = strdup(text)) ? 0 : gcal_error_memory(err);
}

static int read_assume(struct style *style, const char *text, struct gcal_error *err)
{
    char *both;

    if (!style->assume)
        return set_text(&style->assume, text, err);
    if (!(both = gcal_buf_format("%s and %s", style->assume, text)))
        return gcal_error_memory(err);
    free(style->assume);
    style->assume = both;
    return 0;
}

static int read_options(struct style *style, const char *text, struct gcal_error *err)
{
    return set_text(&style->options, text, err);
}

static int read_estimates(struct style *style, const char *text, struct gcal_error *err)
{
    style->allow_estimates = true;
    return *text ? bad("nothing follows 'estimates'", text, err) : 0;
}

static int read_trips(struct style *style, const char *text, struct gcal_error *err)
{
    const char *colon = strchr(text, ':');
    size_t most = sizeof(style->trips) / sizeof(*style->trips);

    if (!colon || style->n_trips == most)
        return bad("not LINE:NAME, or too many of them", text, err);
    style->trips[style->n_trips].line = atoi(text);
    style->trips[style->n_trips++].parameter = copy_trimmed(colon + 1, strlen(colon + 1));
    return 0;
}

/* NAME ELEMENTS = VALUE, of which ELEMENTS or VALUE may be missing. */
static int read_argument(struct style *style, const char *text, struct gcal_error *err)
{
    struct style_argument *a = &style->arguments[style->n_arguments];
    size_t most = sizeof(style->arguments) / sizeof(*style->arguments);
    size_t length = strcspn(text, " =");

    if (style->n_arguments++ == most || !length)
        return bad("not NAME [ELEMENTS] [= VALUE], or too many of them", text, err);
    a->name = copy_trimmed(text, length);
    text += length;
    a->elements = take_part(&text, "=");
    if (*text)
        a->value = copy_trimmed(text, strlen(text));
    if (a->elements && !*a->elements) {
        free(a->elements);
        a->elements = NULL;
    }
    return 0;
}

/* QUANTITY = VALUE : REASON */
static int read_seen(struct style *style, const char *text, struct gcal_error *err)
{
    struct style_seen *s = &style->seen[style->n_seen];

    if (style->n_seen++ == sizeof(style->seen) / sizeof(*style->seen))
        return bad("too many lines 'seen'", text, err);
    s->quantity = take_part(&text, "=");
    s->value = take_part(&text, " : ");
    s->reason = copy_trimmed(text, strlen(text));
    return *s->value && *s->reason ? 0 : bad("not QUANTITY = VALUE : REASON", text, err);
}

static int read_marked(struct style *style, const char *text, struct gcal_error *err)
{
    return add_list(&style->marked, text, err);
}

static int read_lanes_marked(struct style *style, const char *text,
                             struct gcal_error *err)
{
    return add_list(&style->lanes_marked, text, err);
}

static int read_no_lanes(struct style *style, const char *text, struct gcal_error *err)
{
    return set_text(&style->no_lanes, text, err);
}

static int read_refused(struct style *style, const char *text, struct gcal_error *err)
{
    return set_text(&style->refused, text, err);
}

static int read_noted(struct style *style, const char *text, struct gcal_error *err)
{
    return set_text(&style->noted, text, err);
}

static int read_advice(struct style *style, const char *text, struct gcal_error *err)
{
    return gcal_strings_add(&style->advice, text, err);
}

static int read_at_sizes(struct style *style, const char *text, struct gcal_error *err)
{
    (void)text;
    (void)err;
    style->at_sizes = true;
    return 0;
}

static int read_contents(struct style *style, const char *text, struct gcal_error *err)
{
    return gcal_strings_add(&style->contents, text, err);
}

static const struct {
    const char *word;
    read_line *read;
} readers[] = {
    { "local", read_local },       { "global", read_global },
    { "at", read_sizes },          { "assume", read_assume },
    { "options", read_options },   { "estimates", read_estimates },
    { "trips", read_trips },       { "buffer", read_argument },
    { "scalar", read_argument },   { "seen", read_seen },
    { "marked", read_marked },     { "lanes-marked", read_lanes_marked },
    { "no-lanes", read_no_lanes }, { "refused", read_refused },
    { "noted", read_noted },       { "advice", read_advice },
    { "at-sizes", read_at_sizes }, { "contents", read_contents },
};

static int read_words(struct style *style, const char *text, struct gcal_error *err)
{
    size_t length = strcspn(text, " ");
    const char *rest = text + length + strspn(text + length, " ");

    for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
        if (strlen(readers[i].word) == length &&
            strncmp(readers[i].word, text, length) == 0)
            return readers[i].read(style, rest, err);
    return bad("not a word that '//:' has", text, err);
}

int style_take_advice(struct style *style, struct gcal_error *err)
{
    free(style->refused);
    free(style->noted);
    style->refused = style->noted = NULL;
    for (size_t i = 0; i < style->advice.n; i++)
        if (read_words(style, style->advice.items[i], err) < 0)
            return gcal_error_prefix(err, "%s:%d: advice", style->file, style->line);
    return 0;
}

/* ---- sections ---- */

static const char mark[] = "//:", kernel_word[] = "kernel ";

/* The words of a line that begins with the mark, the caller's to free; or NULL. */
static char *marked_words(const char *line, size_t length)
{
    size_t skipped = strlen(mark);

    return length >= skipped && strncmp(line, mark, skipped) == 0
               ? copy_trimmed(line + skipped, length - skipped)
               : NULL;
}

static bool begins_kernel(const char *words)
{
    return words && strncmp(words, kernel_word, strlen(kernel_word)) == 0;
}

static struct style *add_style(struct styles *styles, const char *path, const char *name,
                               int line, struct gcal_error *err)
{
    struct style *moved =
        gcal_array_grow(styles->items, styles->n, &styles->capacity, sizeof(*moved), err);

    if (!moved)
        return NULL;
    styles->items = moved;
    moved += styles->n++;
    *moved = (struct style){ .file = strdup(path), .name = strdup(name), .line = line };
    return moved;
}

/* A file while it is read. */
struct reading {
    const char *path;
    struct styles *styles;
    struct gcal_buf common, own; /* text before the first kernel, and of this one */
    int line, own_line;          /* own_line: where 'own' begins */
};

/* Other sections' lines are empty, so that messages name the file's lines. */
static int end_style(struct reading *r, struct gcal_error *err)
{
    struct gcal_buf source = { 0 };
    int line = 1;

    if (!r->styles->n)
        return 0;
    gcal_buf_puts(&source, r->common.data ? r->common.data : "");
    for (const char *at = source.data; (at = strchr(at, '\n')); at++)
        line++;
    for (; line < r->own_line; line++)
        gcal_buf_puts(&source, "\n");
    gcal_buf_puts(&source, r->own.data ? r->own.data : "");
    gcal_buf_free(&r->own);
    r->own = (struct gcal_buf){ 0 };
    r->styles->items[r->styles->n - 1].source = gcal_buf_take(&source, err);
    return r->styles->items[r->styles->n - 1].source ? 0 : -1;
}

static int begin_style(struct reading *r, const char *name, struct gcal_error *err)
{
    if (end_style(r, err) < 0 || !add_style(r->styles, r->path, name, r->line, err))
        return -1;
    r->own_line = r->line;
    return 0;
}

static int read_text(struct reading *r, const char *line, size_t length,
                     struct gcal_error *err)
{
    char *words = marked_words(line, length);
    int rc = 0;

    if (begins_kernel(words))
        rc = begin_style(r, words + strlen(kernel_word), err);
    else if (words && !r->styles->n)
        rc = bad("before the first kernel", words, err);
    else if (words)
        rc = read_words(&r->styles->items[r->styles->n - 1], words, err);
    gcal_buf_put(r->styles->n ? &r->own : &r->common, line, length);
    free(words);
    return rc < 0 ? gcal_error_prefix(err, "%s:%d", r->path, r->line) : 0;
}

static int check_style(const struct style *s, struct gcal_error *err)
{
    if (!s->n_dims || !s->global_size[s->n_dims - 1])
        return gcal_error_set(err, GCAL_EINPUT, "%s:%d: no local or global size", s->file,
                              s->line);
    if (s->n_runs < 2 && (!s->refused || s->advice.n))
        return gcal_error_set(err, GCAL_EINPUT, "%s:%d: fewer than two lines 'at'",
                              s->file, s->line);
    return 0;
}

int styles_read(const char *path, struct styles *styles, struct gcal_error *err)
{
    struct reading r = { .path = path, .styles = styles, .line = 1 };
    char *text = gcal_file_read(path, 1 << 22, NULL, err);
    int rc = text ? 0 : -1;

    for (const char *line = text; rc == 0 && *line; r.line++) {
        size_t length = strcspn(line, "\n");

        length += line[length] == '\n';
        rc = read_text(&r, line, length, err);
        line += length;
    }
    rc = rc < 0 ? rc : end_style(&r, err);
    for (size_t i = 0; i < styles->n && rc == 0; i++)
        rc = check_style(&styles->items[i], err);
    gcal_buf_free(&r.common);
    gcal_buf_free(&r.own);
    free(text);
    return rc;
}

static void clear_style(struct style *s)
{
    free(s->name);
    free(s->file);
    free(s->source);
    free(s->assume);
    free(s->options);
    free(s->no_lanes);
    free(s->refused);
    free(s->noted);
    for (size_t d = 0; d < GCAL_MAX_DIMS; d++)
        free(s->global_size[d]);
    for (size_t i = 0; i < s->n_trips; i++)
        free((char *)s->trips[i].parameter);
    for (size_t i = 0; i < s->n_runs && i < STYLE_MOST_RUNS; i++)
        for (size_t j = 0; j < s->runs[i].n_sizes; j++)
            free(s->runs[i].sizes[j].name);
    for (size_t i = 0; i < s->n_arguments; i++) {
        free(s->arguments[i].name);
        free(s->arguments[i].elements);
        free(s->arguments[i].value);
    }
    for (size_t i = 0; i < s->n_seen; i++) {
        free(s->seen[i].quantity);
        free(s->seen[i].value);
        free(s->seen[i].reason);
    }
    gcal_strings_clear(&s->marked);
    gcal_strings_clear(&s->lanes_marked);
    gcal_strings_clear(&s->advice);
    gcal_strings_clear(&s->contents);
}

void styles_clear(struct styles *styles)
{
    for (size_t i = 0; i < styles->n; i++)
        clear_style(&styles->items[i]);
    free(styles->items);
    memset(styles, 0, sizeof(*styles));
}

bool style_lists(const struct gcal_strings *list, const char *quantity)
{
    size_t length = strlen(quantity);

    if (length > 6 && strcmp(quantity + length - 6, " bytes") == 0)
        length -= 6;
    for (size_t i = 0; i < list->n; i++)
        if (strcmp(list->items[i], "all") == 0 ||
            (strlen(list->items[i]) == length &&
             strncmp(list->items[i], quantity, length) == 0))
            return true;
    return false;
}

struct gcal_count_request style_request(const struct style *s, size_t sub_group_size)
{
    struct gcal_count_request request = {
        .source = s->source,
        .file = s->file,
        .kernel = s->name,
        .build_options = s->options ? s->options : "-cl-std=CL1.2",
        .n_dims = s->n_dims,
        .assume = s->assume,
        .sub_group_size = sub_group_size,
        .allow_estimates = s->allow_estimates,
        .prefers_samples = s->sampled,
        .n_trips = s->n_trips,
        .trips = s->trips,
    };

    for (size_t d = 0; d < s->n_dims; d++) {
        request.local_size[d] = s->local_size[d];
        request.global_size[d] = s->global_size[d];
    }
    return request;
}
