/* built.h - what drivers say of a counted kernel: option --build */
#ifndef GCAL_MPI_COMMANDS_COUNT_BUILT_H
#define GCAL_MPI_COMMANDS_COUNT_BUILT_H

#include <jansson.h>

struct gcal_built;
struct gcal_count_options;
struct gcal_error;
struct gcal_profile;

/* With --build, builds the kernel on the devices of this machine that match, and adds to
 * 'profile' what their drivers say; else does nothing.  -1 with 'err' (GCAL_EDEVICE) if no
 * device matches, or one cannot build it.
 */
int gcal_count_built_add(const struct gcal_count_options *options,
                         struct gcal_profile *profile, struct gcal_error *err);

/* "built for TYPE: 116 registers, .."; NULL 'built': nothing is printed. */
void gcal_count_built_print(const char *type, const struct gcal_built *built);
json_t *gcal_count_built_json(const struct gcal_built *built);

#endif
