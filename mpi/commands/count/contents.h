/* contents.h - what a buffer holds, from a file of NumPy's */
#ifndef GCAL_MPI_COMMANDS_COUNT_CONTENTS_H
#define GCAL_MPI_COMMANDS_COUNT_CONTENTS_H

struct gcal_arena;
struct gcal_count_buffer;
struct gcal_error;

/* Fills the buffer's data and its type; and the range of its values if they are
 * integers.
 */
int gcal_count_contents_read(struct gcal_arena *arena, const char *file,
                             struct gcal_count_buffer *buffer, struct gcal_error *err);

#endif
