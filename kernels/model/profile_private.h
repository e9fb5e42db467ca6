/* profile_private.h - shared by profile*.c and binding.c */
#ifndef GCAL_KERNELS_MODEL_PROFILE_PRIVATE_H
#define GCAL_KERNELS_MODEL_PROFILE_PRIVATE_H

#include "kernels/model/profile.h"
#include "kernels/model/shared.h"

#define GCAL_PROFILE_VERSION 6

/* Assumptions of a profile that was counted for sub-groups of a size have it after this. */
#define GCAL_PROFILE_SIZE_CLAUSE GCAL_SUB_GROUP_SIZE " = "

/* In place of a stride that is not affine. */
#define GCAL_PROFILE_UNKNOWN "?"

/* Limits for profiles from outside. */
#define GCAL_PROFILE_MAX_ENTRIES     10000
#define GCAL_PROFILE_MAX_LOOPS       32
#define GCAL_PROFILE_MAX_ARGUMENTS   1000
#define GCAL_PROFILE_MAX_NOTES       10000
#define GCAL_PROFILE_MAX_DEFINITIONS 1000
#define GCAL_PROFILE_MAX_EXPANDED    (16u << 20) /* characters of all expressions together */

/* Returns whether all of two entries is the same. */
bool gcal_profile_same_entry(const struct gcal_profile_entry *a,
                             const struct gcal_profile_entry *b);

/* ---- decoding: functions return -1 (or NULL) with 'err', which has the node's position */

struct gcal_profile_decoder {
    struct gcal_profile *profile;
    size_t n_symbols; /* names that expressions may contain */
    const char *symbols[GCAL_PROFILE_MAX_PARAMETERS + GCAL_PROFILE_DEVICE_NAMES];
    struct gcal_shared definitions;
    size_t n_expanded; /* characters of expressions with definitions so far */
    struct gcal_error *err;
};

/* Copies 'text'; -1 if it is NULL, because reading it failed. */
int gcal_profile_copy_text(char **to, const char *text, struct gcal_error *err);
/* The node of 'key'; its list of 'min' to 'max' items. */
const struct gcal_yaml *gcal_profile_need(const struct gcal_yaml *map, const char *key,
                                          struct gcal_error *err);
const struct gcal_yaml *gcal_profile_need_list(const struct gcal_yaml *map,
                                               const char *key, size_t min, size_t max,
                                               struct gcal_error *err);
/* An absent key leaves the value unchanged. */
int gcal_profile_take_text(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           const char *key, char **to);
int gcal_profile_take_count(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                            const char *key, size_t *count); /* above 0 */
int gcal_profile_take_flag(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                           const char *key, bool *flag);
/* An expression in the sizes, parsed here so that the message has its line. */
int gcal_profile_take_expr(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                           const char *what, char **to);
/* Conditions on the sizes, as in assume.h. */
int gcal_profile_take_assumptions(struct gcal_profile_decoder *d,
                                  const struct gcal_yaml *node, const char *what,
                                  char **to);
int gcal_profile_take_choice(struct gcal_profile_decoder *d, const struct gcal_yaml *node,
                             const char *what, const char *const *names, size_t n,
                             size_t *choice);
int gcal_profile_take_entry(struct gcal_profile_decoder *d, const struct gcal_yaml *map,
                            struct gcal_profile_entry *entry);

#endif
