/* fields.h - the values of a map's keys
 *
 * After the first error, which is the one in 'err', a reader stays 'failed' and all
 * functions return 0 or NULL, so that a map can be read key by key with one check at the
 * end.
 */
#ifndef GCAL_STORE_PARAMS_FIELDS_H
#define GCAL_STORE_PARAMS_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gcal_error;
struct gcal_field;
struct gcal_yaml;
struct gcal_yaml_writer;

struct gcal_params_fields {
    struct gcal_error *err;
    bool failed;
};

/* Writes the members of a table as keys of a map; optional ones that are 0, or not finite, are left
 * out.
 */
void gcal_params_fields_put(struct gcal_yaml_writer *w, const struct gcal_field *fields,
                            const void *object);
/* Reads them; an optional key that is not there leaves its member as it is. */
void gcal_params_fields_get(struct gcal_params_fields *r, const struct gcal_yaml *map,
                            const struct gcal_field *fields, void *object);

/* The value of a mandatory key. */
const struct gcal_yaml *gcal_params_fields_need(struct gcal_params_fields *r,
                                                const struct gcal_yaml *map,
                                                const char *key);
/* A scalar's text, for the caller to free; 'what': its name in messages. */
char *gcal_params_fields_copy(struct gcal_params_fields *r, const struct gcal_yaml *node,
                              const char *what);
char *gcal_params_fields_text(struct gcal_params_fields *r, const struct gcal_yaml *map,
                              const char *key);
double gcal_params_fields_number(struct gcal_params_fields *r,
                                 const struct gcal_yaml *map, const char *key,
                                 double min);
uint64_t gcal_params_fields_count(struct gcal_params_fields *r,
                                  const struct gcal_yaml *map, const char *key);
bool gcal_params_fields_bool(struct gcal_params_fields *r, const struct gcal_yaml *map,
                             const char *key);
/* A list of limited length. */
const struct gcal_yaml *gcal_params_fields_list(struct gcal_params_fields *r,
                                                const struct gcal_yaml *map,
                                                const char *key);
void gcal_params_fields_check_keys(struct gcal_params_fields *r,
                                   const struct gcal_yaml *map,
                                   const struct gcal_field *const tables[2],
                                   const char *const *others);
/* Zeroed, for the caller to free. */
void *gcal_params_fields_array(struct gcal_params_fields *r, size_t count,
                               size_t item_bytes);
/* Fails when names[i] equals an earlier name. */
void gcal_params_fields_check_unique(struct gcal_params_fields *r,
                                     const struct gcal_yaml *list, char *const *names,
                                     size_t i);

#endif
