/* references.h - results of kernels at their small sizes, computed on the host once
 *
 * Variants of a kernel have the same reference, and mostly the same inputs: what the host
 * computes for the first of them is kept for the others, the other devices of a run included.
 * It is found by all that it follows from: the texts that run, with the definitions that they
 * use, and kind, type, range, seed and size of each argument.  Several threads may ask; what
 * one of them computes, the others wait for.
 */
#ifndef GCAL_CALIB_PLAN_REFERENCES_H
#define GCAL_CALIB_PLAN_REFERENCES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/hash.h"

struct gcal_error;
struct gcal_geometry;
struct gcal_kernel;
struct gcal_memo;

/* Of all results that are kept; those used longest ago go first. */
#define GCAL_PLAN_REFERENCES_BYTES (64u << 20)

/* A memo of results, in which nothing is known yet; NULL with 'err' if memory runs out. */
struct gcal_memo *gcal_plan_references_create(size_t most_bytes, struct gcal_error *err);

/* A hash of what the right results of a kernel follow from, its own source apart: inputs and
 * reference.  -1 with 'err' if its sizes have no value.
 */
int gcal_plan_reference_key(const struct gcal_kernel *kernel, uint64_t seed,
                            char key[GCAL_HASH_TEXT_SIZE], struct gcal_error *err);

#endif
