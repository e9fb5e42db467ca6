/* count_cache.h - profiles of earlier counts, in files of the user's
 *
 * A profile follows from the source with all that it includes, the request and the
 * counting program; its file is named for the hash of these, without macros that the
 * source does not use.  A source that the compiler
 * might read other files or the clock for is counted anew.  The cache never fails: what
 * cannot be read or written is counted.
 */
#ifndef GCAL_MPI_CLI_COUNT_CACHE_H
#define GCAL_MPI_CLI_COUNT_CACHE_H

struct gcal_count_request;
struct gcal_error;
struct gcal_profile;

/* gcal_count(), or the profile of an earlier one of the same request; for any thread. */
struct gcal_profile *gcal_command_count_cached(const struct gcal_count_request *request,
                                               struct gcal_error *err);

#endif
