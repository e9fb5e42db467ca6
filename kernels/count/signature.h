/* signature.h - the arguments of a kernel: their types, and the extents of its buffers
 *
 * The extent of a buffer follows from the accesses that are counted: one more than the
 * largest subscript, as an expression in the sizes.  Where conditions or strides make
 * that inexact it is larger, never smaller.
 */
#ifndef GCAL_KERNELS_COUNT_SIGNATURE_H
#define GCAL_KERNELS_COUNT_SIGNATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "kernels/request.h"

struct gcal_error;

enum gcal_count_signature_kind {
    GCAL_COUNT_SIGNATURE_BUFFER, /* __global or __constant */
    GCAL_COUNT_SIGNATURE_LOCAL,
    GCAL_COUNT_SIGNATURE_SCALAR, /* an integer or floating-point number */
    GCAL_COUNT_SIGNATURE_IMAGE,  /* of one to three dimensions, or an array of images */
    GCAL_COUNT_SIGNATURE_SAMPLER,
    GCAL_COUNT_SIGNATURE_STRUCT, /* or a vector, by value: its numbers follow as members */
    GCAL_COUNT_SIGNATURE_OTHER,  /* a pipe, a structure with what is no number, .. */
};

struct gcal_count_signature_arg {
    char *name, *type; /* type: as written, "__global const float4 *" */
    enum gcal_count_signature_kind kind;
    char *dtype;   /* "float32": of a scalar; of a buffer's vector components, or of the
                        widest members of its structures; of a channel of an image, as it
                        is accessed; NULL: OTHER */
    char *members; /* of structures, as in struct gcal_dtype_range; NULL: numbers alone */
    size_t
        per_item; /* buffer: elements of 'dtype' in what the pointer points to; STRUCT: its
                        bytes */
    bool
        is_member; /* a number in the STRUCT before it, named "part_first" as in counts, and
                        no argument of its own */
    size_t offset; /* of a member, in bytes */
    size_t
        n_extents; /* of an image: width, height, depth; the last of an array: its images */
    bool is_layered; /* an array of images */
    char *
        extents[GCAL_MAX_DIMS]; /* one more than the largest coordinate; NULL: unknown, or
                                     not accessed */
    bool read, written;
    char *elements; /* buffer: its extent in elements of 'dtype', a multiple of per_item;
                       image: those of four channels; NULL: unknown, or not accessed */
    char *unknown;  /* "FILE:LINE:COLUMN: why" the extent is unknown; or NULL */
};

struct gcal_count_signature {
    char *kernel;
    char *device_text; /* CUDA: the source without what runs on the host; else NULL */
    size_t n_dims;
    size_t local_size[GCAL_MAX_DIMS];
    char *global_size[GCAL_MAX_DIMS]; /* the request's, where a quotient that is rounded
                                         down has a floor() */
    size_t n_args;
    struct gcal_count_signature_arg *args;
};

/* The arguments of the request's kernel; clear 'signature' in any case.  -1 with 'err'
 * (GCAL_EINPUT, "file:line:column: reason") if the source does not parse or cannot be
 * followed.
 */
int gcal_count_signature_read(const struct gcal_count_request *request,
                              struct gcal_count_signature *signature,
                              struct gcal_error *err);
void gcal_count_signature_clear(struct gcal_count_signature *signature);

#endif
