/* catalogue_space.h - a space of a catalogue entry's kernels, without predictions */
#ifndef GCAL_TESTS_MPI_TUNE_CATALOGUE_SPACE_H
#define GCAL_TESTS_MPI_TUNE_CATALOGUE_SPACE_H

#include "kernels/generate/generate.h"
#include "mpi/commands/tune/tune.h"

struct catalogue_space {
    struct gcal_catalogue *catalogue;
    struct gcal_kernel_list kernels;
    struct gcal_tune_space space;
};

/* Fails the program with a message on stderr. */
void catalogue_space_open(struct catalogue_space *s, const char *folder,
                          const struct gcal_kernel_limits *limits, size_t n_tags,
                          const char *const *tags);
void catalogue_space_close(struct catalogue_space *s);

#endif
