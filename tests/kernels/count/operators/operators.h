/* operators.h - each operator, built-in function and statement of OpenCL C as a row
 *
 * A row is the body of a kernel, counted with all index arithmetic and auxiliary
 * operations, and run by Oclgrind without optimisation, for each of the row's types.
 * Quantities of both sides, per work-item and with all lanes:
 *
 *   "global load", "global load bytes", ..      as in oracle.h, atomics and barriers too
 *   "float32 madd"                              the same
 *   "add", "mul", "div", "rem", "shl", "shr",   integers and floating point together;
 *   "and", "or", "xor"                          ~x is an xor, -x of integers an add
 *   "cmp", "neg", "convert"                     auxiliary operations
 *   the name of a built-in function
 *
 * Oclgrind sees ?: as branches, so that selections are not compared.
 */
#ifndef GCAL_TESTS_KERNELS_COUNT_OPERATORS_H
#define GCAL_TESTS_KERNELS_COUNT_OPERATORS_H

#include "tests/kernels/count/oracle/oracle.h"

enum { OPERATORS_ITEMS = 8 };

/* Types of rows: bits. */
enum operators_types {
    OPERATORS_NARROW = 1 << 0,      /* char ushort */
    OPERATORS_INTEGER = 1 << 1,     /* int uint long */
    OPERATORS_FLOAT = 1 << 2,       /* float double half */
    OPERATORS_INT_LANES = 1 << 3,   /* int4 uint2 */
    OPERATORS_FLOAT_LANES = 1 << 4, /* float4 double2 half4 */
    OPERATORS_INT = 1 << 5,         /* int alone */
    OPERATORS_FLOAT32 = 1 << 6,     /* float alone */
    OPERATORS_FLOAT4 = 1 << 7,      /* float4 alone */
    OPERATORS_INTEGERS = OPERATORS_NARROW | OPERATORS_INTEGER,
    OPERATORS_SCALARS = OPERATORS_INTEGERS | OPERATORS_FLOAT,
    OPERATORS_LANES = OPERATORS_INT_LANES | OPERATORS_FLOAT_LANES,
    OPERATORS_ALL = OPERATORS_SCALARS | OPERATORS_LANES,
};

struct operators_type {
    unsigned in;               /* of enum operators_types */
    const char *name, *run_as; /* Oclgrind has no arithmetic of half */
    double width;
};

extern const struct operators_type operators_types[]; /* ends with name NULL */

/* A kernel 'k', a format for printf() with the row's text; T is the type. */
extern const char operators_frame[];

/* What unoptimised code has besides what is written: "cmp 1, convert -1" per lane. */
struct operators_row {
    unsigned types;
    const char *text; /* uses x, y, i, T, the arrays a, b, r, h, t and s */
    const char *more; /* or NULL */
};

extern const struct operators_row operators_rows[]; /* ends with text NULL */

/* The quantities in Oclgrind's histogram, whose instructions are of 'width' lanes. */
void operators_read_histogram(const char *text, double width, struct oracle_counts *seen);
int operators_read_profile(const struct gcal_profile *profile,
                           struct oracle_counts *counted, struct gcal_error *err);

#endif
