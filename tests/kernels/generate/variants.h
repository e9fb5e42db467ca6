/* variants.h - a small sample of a generator's variants that covers its arguments
 *
 * For every value of the argument 'dtype' (or once, without one) the sample has the
 * defaults, all words and the first, last and middle number that each other argument
 * allows, and at least three variants if there are three.  Values that only some
 * combinations allow occur in one of these.  The same catalogue gives the same sample on
 * every machine.
 */
#ifndef GCAL_TESTS_KERNELS_GENERATE_VARIANTS_H
#define GCAL_TESTS_KERNELS_GENERATE_VARIANTS_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/base/strings.h"
#include "kernels/generate/private.h"

struct gcal_error;

struct variants {
    size_t n, capacity;
    const char ***values; /* n settings: one value per argument, borrowed from 'texts' */
    size_t n_arguments;
    struct gcal_strings *texts; /* by argument: the values of the sample */
};

/* 'other_dtypes' false: only the default dtype. */
int variants_choose(const struct gcal_generator *generator, bool other_dtypes,
                    struct variants *variants, struct gcal_error *err);
/* All variants that are allowed; of ranges and powers of two, with the values above. */
int variants_all(const struct gcal_generator *generator, struct variants *variants,
                 struct gcal_error *err);
void variants_clear(struct variants *variants);

/* Whether 'name' is among 'names', which a command line gives; without any, all are wanted. */
bool variants_is_wanted(const char *name, int n_names, char **names);

#endif
