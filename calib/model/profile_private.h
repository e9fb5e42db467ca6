/* profile_private.h - what profile*.c and binding.c share */
#ifndef GCAL_CALIB_MODEL_PROFILE_PRIVATE_H
#define GCAL_CALIB_MODEL_PROFILE_PRIVATE_H

#include "calib/model/profile.h"

#define GCAL_PROFILE_VERSION 1

/* Stands where a stride is not affine. */
#define GCAL_PROFILE_UNKNOWN "?"

/* Of a profile from outside. */
#define GCAL_PROFILE_MAX_ENTRIES 10000
#define GCAL_PROFILE_MAX_LOOPS   32
#define GCAL_PROFILE_MAX_NOTES   10000

/* By their enumerations. */
extern const char *const gcal_profile_granularity_names[4];
extern const char *const gcal_profile_space_names[4];
extern const char *const gcal_profile_direction_names[3];

/* ---- reading; all functions return -1 (or NULL) with 'err' and the node's place ---- */

struct gcal_profile_decoder {
    struct gcal_profile *profile;
    size_t n_symbols; /* what expressions may contain */
    const char *symbols[GCAL_PROFILE_MAX_PARAMETERS + 1];
    struct gcal_error *err;
};

/* A copy of 'text', which may be NULL where reading it failed. */
int gcal_profile_copy_text(char **to, const char *text, struct gcal_error *err);
/* The node of 'key'; the list of 'key' with so many items. */
const struct gcal_yaml *gcal_profile_need(const struct gcal_yaml *map, const char *key,
                                          struct gcal_error *err);
const struct gcal_yaml *gcal_profile_need_list(const struct gcal_yaml *map,
                                               const char *key, size_t min, size_t max,
                                               struct gcal_error *err);
/* These may be absent, which leaves the value as it is. */
int gcal_profile_take_text(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           const char *key, char **to);
int gcal_profile_take_count(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                            const char *key, size_t *count); /* above 0 */
int gcal_profile_take_flag(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           const char *key, bool *flag);
/* An expression in the sizes, checked here so that the complaint has its line. */
int gcal_profile_take_expr(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                           const char *what, char **to);
int gcal_profile_take_choice(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                             const char *what, const char *const *names, size_t n,
                             size_t *choice);
int gcal_profile_take_entry(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                            struct gcal_profile_entry *entry);

#endif
