/* yaml.c - YAML parser with positions, and writer */
#include "kernels/base/yaml.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <yaml.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/similar.h"
#include "kernels/base/units.h"

/* More than any file of gpucal needs; protects the stack from hostile files. */
#define MAX_DEPTH 32

struct reader {
    yaml_parser_t parser;
    const char *file;
    int line; /* of the file, in which the text begins */
    struct gcal_error *err;
};

void gcal_yaml_destroy(struct gcal_yaml *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->n_items; i++) {
        gcal_yaml_destroy(node->items[i]);
        if (node->keys)
            gcal_yaml_destroy(node->keys[i]);
    }
    free(node->items);
    free(node->keys);
    free(node->own_file);
    free(node);
}

void gcal_yaml_format_error(const struct gcal_yaml *node, struct gcal_error *err,
                            const char *fmt, ...)
{
    char text[800];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    gcal_error_set(err, GCAL_EINPUT, "%s:%d:%d: %s", node->file, node->line, node->column,
                   text);
}

static int next_event(struct reader *r, yaml_event_t *event)
{
    const yaml_parser_t *p = &r->parser;

    if (yaml_parser_parse(&r->parser, event))
        return 0;
    /* Encoding errors have no mark: it stays 0. */
    return gcal_error_set(r->err, GCAL_EINPUT, "%s:%zu:%zu: %s", r->file,
                          p->problem_mark.line + (size_t)r->line,
                          p->problem_mark.column + 1,
                          p->problem ? p->problem : "not YAML");
}

/* With room for 'text_bytes' after it. */
static struct gcal_yaml *node_create(struct reader *r, enum gcal_yaml_kind kind,
                                     const yaml_mark_t *mark, size_t text_bytes)
{
    struct gcal_yaml *node = malloc(sizeof(*node) + text_bytes);

    if (!node) {
        gcal_error_memory(r->err);
        return NULL;
    }
    *node = (struct gcal_yaml){ .kind = kind,
                                .file = r->file,
                                .line = (int)mark->line + r->line,
                                .column = (int)mark->column + 1 };
    return node;
}

static struct gcal_yaml *read_node(struct reader *r, yaml_event_t *event, int depth);

static struct gcal_yaml *read_scalar(struct reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t n = event->data.scalar.length;
    struct gcal_yaml *node = node_create(r, GCAL_YAML_SCALAR, &event->start_mark, n + 1);

    if (!node)
        return NULL;
    if (memchr(text, '\0', n)) {
        gcal_yaml_error(node, r->err, "text contains a NUL character");
        gcal_yaml_destroy(node);
        return NULL;
    }
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = memcpy(node + 1, text, n);
    node->text[n] = '\0';
    return node;
}

/* Room for one more child in both arrays. */
static int reserve_child(struct gcal_yaml *node, size_t *capacity, struct gcal_error *err)
{
    size_t key_capacity = *capacity;
    void *moved;

    if (node->kind == GCAL_YAML_MAP) {
        if (!(moved = gcal_array_grow(node->keys, node->n_items, &key_capacity,
                                      sizeof(*node->keys), err)))
            return -1;
        node->keys = moved;
    }
    if (!(moved = gcal_array_grow(node->items, node->n_items, capacity,
                                  sizeof(*node->items), err)))
        return -1;
    node->items = moved;
    return 0;
}

/* One item of a list, or one key and value of a map.  Returns 1, 0 at the end, or -1. */
static int read_child(struct reader *r, struct gcal_yaml *node, size_t *capacity,
                      int depth)
{
    struct gcal_yaml *key = NULL, *value;
    yaml_event_t event;

    if (next_event(r, &event) < 0)
        return -1;
    if (event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT) {
        yaml_event_delete(&event);
        return 0;
    }
    if (reserve_child(node, capacity, r->err) < 0) {
        yaml_event_delete(&event);
        return -1;
    }
    if (node->kind == GCAL_YAML_MAP) {
        if (!(key = read_node(r, &event, depth)))
            return -1;
        if (key->kind != GCAL_YAML_SCALAR)
            gcal_yaml_error(key, r->err, "a key must be a plain word");
        else if (gcal_yaml_find(node, key->text))
            gcal_yaml_error(key, r->err, "duplicate key '%s'", key->text);
        else if (next_event(r, &event) == 0)
            goto value;
        gcal_yaml_destroy(key);
        return -1;
    }
value:
    if (!(value = read_node(r, &event, depth))) {
        gcal_yaml_destroy(key);
        return -1;
    }
    if (node->keys)
        node->keys[node->n_items] = key;
    node->items[node->n_items++] = value;
    return 1;
}

static struct gcal_yaml *read_collection(struct reader *r, enum gcal_yaml_kind kind,
                                         const yaml_event_t *event, int depth)
{
    struct gcal_yaml *node = node_create(r, kind, &event->start_mark, 0);
    size_t capacity = 0;
    int rc = 1;

    if (node && depth >= MAX_DEPTH)
        rc = gcal_yaml_error(node, r->err, "nested deeper than %d levels", MAX_DEPTH);
    while (node && rc > 0)
        rc = read_child(r, node, &capacity, depth + 1);
    if (rc < 0) {
        gcal_yaml_destroy(node);
        return NULL;
    }
    return node;
}

static bool has_tag(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.tag;
    case YAML_MAPPING_START_EVENT:
        return event->data.mapping_start.tag;
    default:
        return false;
    }
}

static void refuse(struct reader *r, const yaml_event_t *event, const char *why)
{
    gcal_error_set(r->err, GCAL_EINPUT, "%s:%zu:%zu: %s", r->file,
                   event->start_mark.line + (size_t)r->line, event->start_mark.column + 1,
                   why);
}

/* Consumes 'event'. */
static struct gcal_yaml *read_node(struct reader *r, yaml_event_t *event, int depth)
{
    struct gcal_yaml *node = NULL;

    if (has_tag(event))
        refuse(r, event, "tags are not supported");
    else if (event->type == YAML_SCALAR_EVENT)
        node = read_scalar(r, event);
    else if (event->type == YAML_SEQUENCE_START_EVENT)
        node = read_collection(r, GCAL_YAML_LIST, event, depth);
    else if (event->type == YAML_MAPPING_START_EVENT)
        node = read_collection(r, GCAL_YAML_MAP, event, depth);
    else
        refuse(r, event,
               event->type == YAML_ALIAS_EVENT ? "aliases are not supported"
                                               : "the file is empty");
    yaml_event_delete(event);
    return node;
}

/* The events before the root node and after it. */
static struct gcal_yaml *read_document(struct reader *r)
{
    struct gcal_yaml *root;
    yaml_event_t event;

    do {
        if (next_event(r, &event) < 0)
            return NULL;
        if (event.type != YAML_STREAM_START_EVENT &&
            event.type != YAML_DOCUMENT_START_EVENT)
            break;
        yaml_event_delete(&event);
    } while (true);
    if (!(root = read_node(r, &event, 0)))
        return NULL;
    do {
        if (next_event(r, &event) < 0)
            goto fail;
        if (event.type == YAML_DOCUMENT_START_EVENT) {
            yaml_event_delete(&event);
            gcal_error_set(r->err, GCAL_EINPUT, "%s: more than one document", r->file);
            goto fail;
        }
        if (event.type == YAML_STREAM_END_EVENT)
            break;
        yaml_event_delete(&event);
    } while (true);
    yaml_event_delete(&event);
    return root;
fail:
    gcal_yaml_destroy(root);
    return NULL;
}

struct gcal_yaml *gcal_yaml_parse_part(const char *text, size_t size, const char *file,
                                       int line, struct gcal_error *err)
{
    char *name = strdup(file);
    struct reader r = { .file = name, .line = line, .err = err };
    struct gcal_yaml *root;

    if (!name || !yaml_parser_initialize(&r.parser)) {
        free(name);
        gcal_error_memory(err);
        return NULL;
    }
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, size);
    root = read_document(&r);
    yaml_parser_delete(&r.parser);
    if (root)
        root->own_file = name;
    else
        free(name);
    return root;
}

struct gcal_yaml *gcal_yaml_parse(const char *text, size_t size, const char *file,
                                  struct gcal_error *err)
{
    return gcal_yaml_parse_part(text, size, file, 1, err);
}

struct gcal_yaml *gcal_yaml_read(const char *path, size_t max_bytes,
                                 struct gcal_error *err)
{
    size_t size;
    char *text = gcal_file_read(path, max_bytes, &size, err);
    struct gcal_yaml *root = text ? gcal_yaml_parse(text, size, path, err) : NULL;

    free(text);
    return root;
}

const struct gcal_yaml *gcal_yaml_find(const struct gcal_yaml *map, const char *key)
{
    if (map->kind != GCAL_YAML_MAP)
        return NULL;
    for (size_t i = 0; i < map->n_items; i++)
        if (strcmp(map->keys[i]->text, key) == 0)
            return map->items[i];
    return NULL;
}

static bool is_one_of(const char *word, const char *const *known)
{
    while (*known && strcmp(*known, word) != 0)
        known++;
    return *known != NULL;
}

/* With the key that was probably meant, or else all keys. */
static int refuse_key(const struct gcal_yaml *key, const char *const *known,
                      struct gcal_error *err)
{
    struct gcal_similar_hint hint = gcal_similar_hint(key->text, known);
    struct gcal_buf all = { 0 };

    for (size_t i = 0; !*hint.text && known[i]; i++)
        gcal_buf_printf(&all, "%s%s", i ? ", " : "; there are: ", known[i]);
    gcal_yaml_error(key, err, "unknown key '%s'%s%s", key->text, hint.text,
                    all.data ? all.data : "");
    gcal_buf_free(&all);
    return -1;
}

int gcal_yaml_check_keys(const struct gcal_yaml *node, const char *const *known,
                         struct gcal_error *err)
{
    if (node->kind != GCAL_YAML_MAP)
        return gcal_yaml_error(node, err, "expected a map with keys such as '%s'",
                               known[0]);
    for (size_t i = 0; i < node->n_items; i++)
        if (!is_one_of(node->keys[i]->text, known))
            return refuse_key(node->keys[i], known, err);
    return 0;
}

int gcal_yaml_double(const struct gcal_yaml *node, const char *what, double *value,
                     struct gcal_error *err)
{
    char *end;
    double number;

    if (node->kind != GCAL_YAML_SCALAR || node->quoted || !*node->text)
        return gcal_yaml_error(node, err, "%s: expected a number", what);
    number = gcal_units_parse_number(node->text, &end);
    if (*end || !isfinite(number))
        return gcal_yaml_error(node, err, "%s: expected a number, found '%s'", what,
                               node->text);
    *value = number;
    return 0;
}

int gcal_yaml_integer(const struct gcal_yaml *node, const char *what, long long min,
                      long long max, long long *value, struct gcal_error *err)
{
    char *end;
    long long number;

    if (node->kind != GCAL_YAML_SCALAR || node->quoted || !*node->text)
        return gcal_yaml_error(node, err, "%s: expected an integer", what);
    errno = 0;
    number = strtoll(node->text, &end, 10);
    if (*end)
        return gcal_yaml_error(node, err, "%s: expected an integer, found '%s'", what,
                               node->text);
    if (errno || number < min || number > max)
        return gcal_yaml_error(node, err, "%s: expected %lld to %lld, found '%s'", what,
                               min, max, node->text);
    *value = number;
    return 0;
}

int gcal_yaml_bool(const struct gcal_yaml *node, const char *what, bool *value,
                   struct gcal_error *err)
{
    if (node->kind == GCAL_YAML_SCALAR && !node->quoted &&
        (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0)) {
        *value = *node->text == 't';
        return 0;
    }
    return gcal_yaml_error(node, err, "%s: expected true or false", what);
}

const char *gcal_yaml_text(const struct gcal_yaml *node, const char *what,
                           struct gcal_error *err)
{
    if (node->kind == GCAL_YAML_SCALAR)
        return node->text;
    gcal_yaml_error(node, err, "%s: expected a text", what);
    return NULL;
}

struct gcal_yaml_writer {
    yaml_emitter_t emitter;
    struct gcal_buf out;
    bool failed;
};

static int append(void *data, unsigned char *bytes, size_t size)
{
    struct gcal_buf *out = data;

    gcal_buf_put(out, bytes, size);
    return !out->failed;
}

static void emit(struct gcal_yaml_writer *w, yaml_event_t *event, int made)
{
    if (made && w->failed)
        yaml_event_delete(event);
    else if (!made || !yaml_emitter_emit(&w->emitter, event))
        w->failed = true;
}

struct gcal_yaml_writer *gcal_yaml_writer_create(struct gcal_error *err)
{
    struct gcal_yaml_writer *w = calloc(1, sizeof(*w));
    yaml_event_t event;

    if (!w || !yaml_emitter_initialize(&w->emitter)) {
        free(w);
        gcal_error_memory(err);
        return NULL;
    }
    yaml_emitter_set_output(&w->emitter, append, &w->out);
    yaml_emitter_set_unicode(&w->emitter, 1);
    yaml_emitter_set_width(&w->emitter, -1);
    emit(w, &event, yaml_stream_start_event_initialize(&event, YAML_UTF8_ENCODING));
    emit(w, &event, yaml_document_start_event_initialize(&event, NULL, NULL, NULL, 1));
    return w;
}

static void write_map(struct gcal_yaml_writer *w, yaml_mapping_style_t style)
{
    yaml_event_t event;

    emit(w, &event, yaml_mapping_start_event_initialize(&event, NULL, NULL, 1, style));
}

static void write_list(struct gcal_yaml_writer *w, yaml_sequence_style_t style)
{
    yaml_event_t event;

    emit(w, &event, yaml_sequence_start_event_initialize(&event, NULL, NULL, 1, style));
}

void gcal_yaml_write_map(struct gcal_yaml_writer *w)
{
    write_map(w, YAML_BLOCK_MAPPING_STYLE);
}

void gcal_yaml_write_flow_map(struct gcal_yaml_writer *w)
{
    write_map(w, YAML_FLOW_MAPPING_STYLE);
}

void gcal_yaml_write_list(struct gcal_yaml_writer *w)
{
    write_list(w, YAML_BLOCK_SEQUENCE_STYLE);
}

void gcal_yaml_write_flow_list(struct gcal_yaml_writer *w)
{
    write_list(w, YAML_FLOW_SEQUENCE_STYLE);
}

void gcal_yaml_write_end_map(struct gcal_yaml_writer *w)
{
    yaml_event_t event;

    emit(w, &event, yaml_mapping_end_event_initialize(&event));
}

void gcal_yaml_write_end_list(struct gcal_yaml_writer *w)
{
    yaml_event_t event;

    emit(w, &event, yaml_sequence_end_event_initialize(&event));
}

static void write_scalar(struct gcal_yaml_writer *w, const char *text,
                         yaml_scalar_style_t style)
{
    yaml_event_t event;

    emit(w, &event,
         yaml_scalar_event_initialize(&event, NULL, NULL, (const yaml_char_t *)text,
                                      (int)strlen(text), 1, 1, style));
}

/* Returns whether a plain 'text' would be read as a number, a boolean or null. */
static bool looks_typed(const char *text)
{
    static const char *const words[] = { "true", "false", "yes", "no", "on",
                                         "off",  "null",  "~",   "" };
    char *end;

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    gcal_units_parse_number(text, &end);
    return *end == '\0';
}

void gcal_yaml_write_text(struct gcal_yaml_writer *w, const char *text)
{
    write_scalar(w, text,
                 looks_typed(text) ? YAML_DOUBLE_QUOTED_SCALAR_STYLE
                                   : YAML_ANY_SCALAR_STYLE);
}

void gcal_yaml_write_block(struct gcal_yaml_writer *w, const char *text)
{
    write_scalar(w, text, YAML_LITERAL_SCALAR_STYLE);
}

void gcal_yaml_write_number(struct gcal_yaml_writer *w, double value)
{
    char text[40];

    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    write_scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}

void gcal_yaml_write_integer(struct gcal_yaml_writer *w, long long value)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", value);
    write_scalar(w, text, YAML_PLAIN_SCALAR_STYLE);
}

void gcal_yaml_write_bool(struct gcal_yaml_writer *w, bool value)
{
    write_scalar(w, value ? "true" : "false", YAML_PLAIN_SCALAR_STYLE);
}

void gcal_yaml_put_text(struct gcal_yaml_writer *w, const char *key, const char *text)
{
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_text(w, text);
}

void gcal_yaml_put_number(struct gcal_yaml_writer *w, const char *key, double value)
{
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_number(w, value);
}

void gcal_yaml_put_integer(struct gcal_yaml_writer *w, const char *key, uint64_t value)
{
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_integer(w, (long long)value);
}

void gcal_yaml_put_bool(struct gcal_yaml_writer *w, const char *key, bool value)
{
    gcal_yaml_write_text(w, key);
    gcal_yaml_write_bool(w, value);
}

char *gcal_yaml_writer_finish(struct gcal_yaml_writer *w, size_t *size,
                              struct gcal_error *err)
{
    yaml_event_t event;
    char *text = NULL;

    emit(w, &event, yaml_document_end_event_initialize(&event, 1));
    emit(w, &event, yaml_stream_end_event_initialize(&event));
    if (w->failed || !yaml_emitter_flush(&w->emitter))
        gcal_error_set(err, GCAL_EINPUT, "cannot write YAML: %s",
                       w->emitter.problem ? w->emitter.problem
                                          : "a text is not UTF-8, or out of memory");
    else {
        if (size)
            *size = w->out.size;
        text = gcal_buf_take(&w->out, err);
    }
    yaml_emitter_delete(&w->emitter);
    gcal_buf_free(&w->out);
    free(w);
    return text;
}
