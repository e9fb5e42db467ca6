/* profile_private.h - what profile*.c and binding.c share */
#ifndef GCAL_MODEL_PROFILE_PRIVATE_H
#define GCAL_MODEL_PROFILE_PRIVATE_H

#define GCAL_PROFILE_VERSION 1

/* Stands where a stride is not affine. */
#define GCAL_PROFILE_UNKNOWN "?"

/* Of a profile from outside, and of the values that a binding keeps on the stack. */
#define GCAL_PROFILE_MAX_PARAMETERS 32
#define GCAL_PROFILE_MAX_ENTRIES    10000
#define GCAL_PROFILE_MAX_LOOPS      32
#define GCAL_PROFILE_MAX_NOTES      10000

/* By their enumerations. */
extern const char *const gcal_granularity_names[4];
extern const char *const gcal_space_names[4];
extern const char *const gcal_direction_names[3];

#endif
