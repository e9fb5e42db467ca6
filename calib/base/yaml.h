/* yaml.h - YAML read into a tree that knows its lines, and YAML written (libyaml)
 *
 * Read: scalars, lists and maps; one document; no aliases, no tags, no duplicate
 * keys: files from others need nothing more.  Every complaint about a node says
 * "file:line:column: ...".
 */
#ifndef GCAL_CALIB_BASE_YAML_H
#define GCAL_CALIB_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "calib/base/error.h"
#include "calib/base/file.h"

enum gcal_yaml_kind { GCAL_YAML_SCALAR, GCAL_YAML_LIST, GCAL_YAML_MAP };

struct gcal_yaml {
    enum gcal_yaml_kind kind;
    const char *file; /* as given to the parser; lives as long as the root */
    int line, column; /* from 1 */
    char *text;       /* scalar: its value, in the node's memory; else NULL */
    bool quoted;      /* scalar: written with quotes or as a block */
    size_t n_items;
    struct gcal_yaml **items; /* list: items; map: values */
    struct gcal_yaml **keys;  /* map: scalars beside 'items'; else NULL */
    char *own_file;           /* the root's, NULL in others */
};

/* Returns the root, or NULL with 'err' (GCAL_EINPUT).  'file' is copied. */
struct gcal_yaml *gcal_yaml_parse(const char *text, size_t size, const char *file,
                                  struct gcal_error *err);
/* The same for a part of a file, which begins at its line 'line'. */
struct gcal_yaml *gcal_yaml_parse_part(const char *text, size_t size, const char *file,
                                       int line, struct gcal_error *err);

/* gcal_file_read() and gcal_yaml_parse() in one. */
struct gcal_yaml *gcal_yaml_read(const char *path, size_t max_bytes,
                                 struct gcal_error *err);

void gcal_yaml_destroy(struct gcal_yaml *root);

/* gcal_yaml_error(node, err, "format", ...): puts "file:line:column: format" in 'err'
 * (GCAL_EINPUT).  Returns -1.
 */
#define gcal_yaml_error(node, err, ...)                                                  \
    (gcal_yaml_format_error((node), (err), __VA_ARGS__), gcal_error_status())
void gcal_yaml_format_error(const struct gcal_yaml *node, struct gcal_error *err,
                            const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The value of 'key' in a map, or NULL where it is absent. */
const struct gcal_yaml *gcal_yaml_find(const struct gcal_yaml *map, const char *key);

/* Complains unless 'node' is a map whose keys are all in 'known' (NULL-ended);
 * names the nearest known key.
 */
int gcal_yaml_check_keys(const struct gcal_yaml *node, const char *const *known,
                         struct gcal_error *err);

/* Of 'known' (NULL-ended, not empty) the word that is most like 'word'. */
const char *gcal_yaml_nearest(const char *word, const char *const *known);

/* The value of a scalar as a type.  0, or -1 with 'err' saying what was expected.
 * 'what' names the value in the message, e.g. "budget_s".
 */
int gcal_yaml_double(const struct gcal_yaml *node, const char *what, double *value,
                     struct gcal_error *err);
int gcal_yaml_integer(const struct gcal_yaml *node, const char *what, long long min,
                      long long max, long long *value, struct gcal_error *err);
int gcal_yaml_bool(const struct gcal_yaml *node, const char *what, bool *value,
                   struct gcal_error *err);
/* Borrowed from the tree; NULL with 'err' when 'node' is not a scalar. */
const char *gcal_yaml_text(const struct gcal_yaml *node, const char *what,
                           struct gcal_error *err);

/* Writing.  Calls come in the order of the document; the first failure sticks and
 * is told by gcal_yaml_writer_finish().
 */
struct gcal_yaml_writer;

struct gcal_yaml_writer *gcal_yaml_writer_create(struct gcal_error *err);
void gcal_yaml_write_map(struct gcal_yaml_writer *w);       /* block style */
void gcal_yaml_write_list(struct gcal_yaml_writer *w);      /* block style */
void gcal_yaml_write_flow_list(struct gcal_yaml_writer *w); /* [a, b] */
void gcal_yaml_write_flow_map(struct gcal_yaml_writer *w);  /* {a: b} */
void gcal_yaml_write_end_map(struct gcal_yaml_writer *w);
void gcal_yaml_write_end_list(struct gcal_yaml_writer *w);
void gcal_yaml_write_text(struct gcal_yaml_writer *w, const char *text);
void gcal_yaml_write_block(struct gcal_yaml_writer *w, const char *text); /* literal */
void gcal_yaml_write_number(struct gcal_yaml_writer *w,
                            double value); /* reads back exactly */
void gcal_yaml_write_integer(struct gcal_yaml_writer *w, long long value);
void gcal_yaml_write_bool(struct gcal_yaml_writer *w, bool value);
/* A key of a map and its value. */
void gcal_yaml_put_text(struct gcal_yaml_writer *w, const char *key, const char *text);
void gcal_yaml_put_number(struct gcal_yaml_writer *w, const char *key, double value);
void gcal_yaml_put_integer(struct gcal_yaml_writer *w, const char *key, uint64_t value);
void gcal_yaml_put_bool(struct gcal_yaml_writer *w, const char *key, bool value);

/* The document, the caller's to free, or NULL with 'err'.  Destroys 'w'. */
char *gcal_yaml_writer_finish(struct gcal_yaml_writer *w, size_t *size,
                              struct gcal_error *err);

#endif
