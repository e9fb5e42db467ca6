/* count_cache.h - profiles and descriptions of earlier counts, in files of the user's
 *
 * They follow from the source with all that it includes, the rest of the request, the counting program
 * and clang's own header; a file is named for the hash of these.  A source that may have the compiler read
 * or look for other files is counted anew.  The cache never fails: what cannot be read or written is
 * counted.
 */
#ifndef GCAL_MPI_CLI_COUNT_CACHE_H
#define GCAL_MPI_CLI_COUNT_CACHE_H

#include <stdbool.h>

#include "kernels/base/hash.h"

struct gcal_count_description;
struct gcal_count_request;
struct gcal_error;
struct gcal_profile;

/* gcal_count(), or the profile of an earlier one of the same request; for any thread.  A
 * gcal_catalogue_counter, without context.
 */
struct gcal_profile *gcal_command_count_cached(void *none,
                                               const struct gcal_count_request *request,
                                               struct gcal_error *err);

/* gcal_count_describe(), or the description of an earlier one. */
int gcal_command_describe_cached(const struct gcal_count_request *request,
                                 struct gcal_count_description *description,
                                 struct gcal_error *err);

#define GCAL_COUNT_KEY_SIZE GCAL_HASH_TEXT_SIZE

/* A text that is the same for two requests only if their profiles are, counted by the same
 * front end; false if there is none, as the source may depend on other files.
 */
bool gcal_command_count_key(const struct gcal_count_request *request,
                            char key[GCAL_COUNT_KEY_SIZE]);

#endif
