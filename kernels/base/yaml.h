/* yaml.h - YAML as a tree with positions, and output of YAML (libyaml)
 *
 * Input: one document of scalars, lists and maps, without aliases, tags or duplicate keys.
 * Error messages about a node begin with "file:line:column: ".
 */
#ifndef GCAL_KERNELS_BASE_YAML_H
#define GCAL_KERNELS_BASE_YAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/error.h"
#include "kernels/base/file.h"

enum gcal_yaml_kind { GCAL_YAML_SCALAR, GCAL_YAML_LIST, GCAL_YAML_MAP };

struct gcal_yaml {
    enum gcal_yaml_kind kind;
    const char *file; /* as given to the parser; valid as long as the root */
    int line, column; /* from 1 */
    char *text;       /* scalar: its value, part of the node's memory; else NULL */
    bool quoted;      /* scalar: written with quotes or as a block */
    size_t n_items;
    struct gcal_yaml **items; /* list: items; map: values */
    struct gcal_yaml **keys;  /* map: scalars beside 'items'; else NULL */
    char *own_file;           /* of the root; NULL in other nodes */
};

/* Returns the root, or NULL with 'err' (GCAL_EINPUT).  'file' is copied. */
struct gcal_yaml *gcal_yaml_parse(const char *text, size_t size, const char *file,
                                  struct gcal_error *err);
/* The same for part of a file that begins in line 'line'. */
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

/* The value of 'key' in a map; NULL if it is absent or 'map' is not a map. */
const struct gcal_yaml *gcal_yaml_find(const struct gcal_yaml *map, const char *key);

/* -1 unless 'node' is a map with keys of 'known' (NULL-ended) only; the message suggests the
 * most similar known key.
 */
int gcal_yaml_check_keys(const struct gcal_yaml *node, const char *const *known,
                         struct gcal_error *err);

/* The value of a scalar as a type: 0, or -1 with 'err', which says what was expected.
 * 'what' names the value in the message, e.g. "budget_s".
 */
int gcal_yaml_double(const struct gcal_yaml *node, const char *what, double *value,
                     struct gcal_error *err);
int gcal_yaml_integer(const struct gcal_yaml *node, const char *what, long long min,
                      long long max, long long *value, struct gcal_error *err);
int gcal_yaml_bool(const struct gcal_yaml *node, const char *what, bool *value,
                   struct gcal_error *err);
/* Owned by the tree; NULL with 'err' if 'node' is not a scalar. */
const char *gcal_yaml_text(const struct gcal_yaml *node, const char *what,
                           struct gcal_error *err);

/* Output.  Calls follow the order of the document; gcal_yaml_writer_finish() reports the
 * first failure.
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
