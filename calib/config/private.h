/* private.h - the parts of the reader; internal to calib/config */
#ifndef GCAL_CALIB_CONFIG_PRIVATE_H
#define GCAL_CALIB_CONFIG_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/embed.h"
#include "calib/config/config.h"

/* The source tree's models.yaml. */
extern const struct gcal_embedded_file gcal_config_builtin[];

#define GCAL_CONFIG_VERSION 1

/* ---- settings.c ---- */

/* The value of a key; NULL if the key is absent, or its value empty, ~ or null. */
const struct gcal_yaml *gcal_config_find(const struct gcal_yaml *map, const char *key);
/* 'node' if it is a list, or NULL with 'err', which names its items ('what'). */
const struct gcal_yaml *gcal_config_need_list(const struct gcal_yaml *node,
                                              const char *what, struct gcal_error *err);
/* A list of non-empty texts. */
int gcal_config_read_strings(struct gcal_arena *arena, const struct gcal_yaml *node,
                             const char *what, char ***strings, size_t *count,
                             struct gcal_error *err);
/* A list of device kinds, if 'key' is there. */
int gcal_config_read_kinds(struct gcal_arena *arena, const struct gcal_yaml *map,
                           const char *key, char ***kinds, size_t *count,
                           struct gcal_error *err);

/* A section of numbers above 0 and of counts: its name, and then its keys. */
struct gcal_config_key {
    const char *name; /* NULL ends them */
    size_t offset;    /* in struct gcal_config: a double, or a size_t */
    bool is_count;
    long long min, max; /* of a count */
};
extern const struct gcal_config_key gcal_config_measure_section[];
extern const struct gcal_config_key gcal_config_audit_section[];
/* In no record: no fit depends on it. */
extern const struct gcal_config_key gcal_config_links_section[];

/* All keys but models and expressions.  'recorded': from a record, whose folders of kernels are not needed. */
int gcal_config_read_all_settings(const struct gcal_yaml *root, bool recorded,
                                  struct gcal_config *config, struct gcal_error *err);

/* ---- model.c ---- */

/* Appends the model at 'node', for which there is room. */
int gcal_config_read_model(struct gcal_config *config, const struct gcal_yaml *node,
                           struct gcal_error *err);
/* By enum gcal_config_match, ended by NULL. */
extern const char *const gcal_config_match_names[];

/* ---- forms.c ---- */

/* expression, forms, groups and overhead of m->node. */
int gcal_config_read_forms(struct gcal_config_model *m, struct gcal_error *err);

#endif
