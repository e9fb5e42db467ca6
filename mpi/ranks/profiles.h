/* profiles.h - counts that were made once, for all ranks of a run (within mpi/ranks)
 *
 * Rank 0 counts the kernels of a device of each type, or finds them in the user's cache, and
 * sends the profiles with the assignments.
 */
#ifndef GCAL_MPI_RANKS_PROFILES_H
#define GCAL_MPI_RANKS_PROFILES_H

#include <stddef.h>

struct gcal_buf;
struct gcal_count_request;
struct gcal_error;
struct gcal_profile;
struct gcal_memo;
struct gcal_wire;

/* A memo of profiles. */
struct gcal_memo *gcal_profiles_create(struct gcal_error *err);

/* What counts a catalogue's kernels, with the profiles as its context: gives one that is there,
 * or counts and adds it.  Several threads may call it.
 */
struct gcal_profile *gcal_profiles_count(void *profiles,
                                         const struct gcal_count_request *request,
                                         struct gcal_error *err);

/* All of them, for a message; adding those of a message (bad wire: it is damaged). */
void gcal_profiles_put(struct gcal_buf *buf, struct gcal_memo *profiles);
int gcal_profiles_get(struct gcal_wire *wire, struct gcal_memo *profiles,
                      struct gcal_error *err);

#endif
