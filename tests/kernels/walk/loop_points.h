/* loop_points.h - loops of OpenCL C, counted in symbols and by running them on the host
 *
 * A case is the body of a kernel with the sizes n and m, 'uint g, l' and 'int i, h' (the
 * global and the local id of either sign), in which HIT marks what is counted.
 */
#ifndef GCAL_TESTS_KERNELS_WALK_LOOP_POINTS_H
#define GCAL_TESTS_KERNELS_WALK_LOOP_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LOOP_POINTS_LOCAL = 8, LOOP_POINTS_TEXT = 4096 };

struct loop_points_case {
    const char *body;
    const char *assume; /* or NULL */
    size_t n_sizes;
    const int (*sizes)[2]; /* of n and m, which meet the assumption */
};

enum loop_points_result {
    LOOP_POINTS_EQUAL,
    LOOP_POINTS_REFUSED, /* 'text': the message */
    LOOP_POINTS_WRONG,   /* 'text': where, and both numbers */
};

/* Counts the case and runs it at its sizes; an estimate is a refusal. */
enum loop_points_result loop_points_check(const struct loop_points_case *points,
                                          char text[LOOP_POINTS_TEXT]);

/* The body of random case 'number', which the caller frees. */
char *loop_random(uint64_t number);

#endif
