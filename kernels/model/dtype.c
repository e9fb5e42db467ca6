/* dtype.c - data types of array elements */
#include "kernels/model/dtype.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/random.h"
#include "kernels/base/threads.h"

static const struct {
    const char *name;
    size_t size;
} known[] = {
    { "int8", 1 },    { "int16", 2 },   { "int32", 4 },   { "int64", 8 },
    { "uint8", 1 },   { "uint16", 2 },  { "uint32", 4 },  { "uint64", 8 },
    { "float16", 2 }, { "float32", 4 }, { "float64", 8 },
};

#define N_KNOWN (sizeof(known) / sizeof(*known))

size_t gcal_dtype_size(const char *dtype)
{
    for (size_t i = 0; i < N_KNOWN; i++)
        if (strcmp(dtype, known[i].name) == 0)
            return known[i].size;
    return 0;
}

const char *gcal_dtype_name(size_t i)
{
    return i < N_KNOWN ? known[i].name : NULL;
}

/* ---- ranges ---- */

static void integer_limits(const char *dtype, double *least, double *most)
{
    int bits = 8 * (int)gcal_dtype_size(dtype);
    bool is_signed = *dtype == 'i';

    *least = is_signed ? -ldexp(1, bits - 1) : 0;
    /* doubles hold integers to 2^53 */
    *most = fmin(ldexp(1, is_signed ? bits - 1 : bits) - 1, 0x1p53);
}

bool gcal_dtype_has_range(const char *dtype, const struct gcal_dtype_range *range)
{
    double least = -65504, most = 65504; /* of half */

    if (!(range->first <= range->last))
        return false;
    if (*dtype != 'f')
        integer_limits(dtype, &least, &most);
    else if (gcal_dtype_size(dtype) > 2)
        most = gcal_dtype_size(dtype) == 4 ? 3e38 : 1e308, least = -most;
    return range->first >= least && range->last <= most &&
           (*dtype == 'f' ||
            (range->first == floor(range->first) && range->last == floor(range->last)));
}

/* The bits of the half nearest to a value in its range. */
static uint16_t half_bits(double value)
{
    int exponent;
    double fraction = frexp(fabs(value), &exponent); /* [0.5, 1) */
    uint16_t sign = signbit(value) ? 0x8000 : 0;

    if (value == 0 || exponent < -13)
        return (uint16_t)(sign | (uint16_t)rint(ldexp(fabs(value), 24)));
    return (uint16_t)(sign + (uint16_t)((exponent + 13) * 1024) +
                      (uint16_t)rint(ldexp(fraction, 11)));
}

static void store_float(size_t size, double value, void *to)
{
    uint16_t half;
    float single;

    if (size == 2) {
        half = half_bits(value);
        memcpy(to, &half, size);
    } else if (size == 4) {
        single = (float)value;
        memcpy(to, &single, size);
    } else {
        memcpy(to, &value, size);
    }
}

/* On little-endian hosts; the value is in the type's range. */
static inline void store(bool is_float, size_t size, double value, void *to)
{
    int64_t whole;

    if (is_float) {
        store_float(size, value, to);
        return;
    }
    whole = (int64_t)value;
    switch (size) { /* constants, which make a store of each copy */
    case 1:
        memcpy(to, &whole, 1);
        break;
    case 2:
        memcpy(to, &whole, 2);
        break;
    case 4:
        memcpy(to, &whole, 4);
        break;
    default:
        memcpy(to, &whole, sizeof(whole));
    }
}

/* The nearest integer, half to even, of magnitudes below 2^51: as rint(), without a call. */
static inline double nearest(double value)
{
    return value + 0x1.8p52 - 0x1.8p52;
}

/* 'part': in [0, 1), if sorted in [0, 1]; 'span': of the range. */
static inline double value_at(bool is_float, const struct gcal_dtype_range *range,
                              double span, double part)
{
    double value;

    if (is_float)
        return range->first + part * span;
    if (range->sorted)
        return range->first + (span < 0x1p51 ? nearest(part * span) : rint(part * span));
    value = range->first + (double)(int64_t)(part * (span + 1));
    return value < range->last ? value : range->last;
}

/* ---- arrays ---- */

/* A thread's share of an array. */
#define PIECE ((size_t)1 << 20)

struct array {
    uint64_t seed;
    bool is_float;
    const struct gcal_dtype_range *range;
    size_t size, stride, count; /* of an element, between two, of elements */
    unsigned char *data;
};

static size_t end_of_piece(const struct array *o, size_t first)
{
    return o->count - first < PIECE ? o->count : first + PIECE;
}

static int fill_piece(void *context, size_t piece, struct gcal_error *err)
{
    const struct array *o = context;
    size_t first = piece * PIECE, end = end_of_piece(o, first);
    uint64_t state = gcal_random_skip(o->seed, first);
    unsigned char *at = o->data + first * o->stride;

    (void)err;
    for (size_t i = first; i < end; i++, at += o->stride) {
        uint64_t bits = gcal_random_next(&state);

        if (!o->is_float)
            bits &= o->size == 1 ? 0x7f : 0x3ff;
        else if (o->size == 2)
            bits = (bits & 0x3ff) | 0x3800; /* exponent of 0.5 */
        else if (o->size == 4)
            bits = (bits & 0x7fffff) | 0x3f000000;
        else
            bits = (bits & 0xfffffffffffffu) | 0x3fe0000000000000u;
        memcpy(at, &bits, o->size); /* little-endian hosts, as OpenCL devices are */
    }
    return 0;
}

void gcal_dtype_fill_element(uint64_t seed, const char *dtype,
                             const struct gcal_dtype_range *range, size_t count, size_t i,
                             void *to)
{
    uint64_t state = gcal_random_skip(seed, i);
    double part = range->sorted ? (double)i / (count > 1 ? (double)(count - 1) : 1)
                                : gcal_random_share(&state);

    store(*dtype == 'f', gcal_dtype_size(dtype),
          value_at(*dtype == 'f', range, range->last - range->first, part), to);
}

static int fill_piece_in_range(void *context, size_t piece, struct gcal_error *err)
{
    const struct array *o = context;
    const struct gcal_dtype_range *range = o->range;
    double span = range->last - range->first;
    double last = o->count > 1 ? (double)(o->count - 1) : 1;
    size_t first = piece * PIECE, end = end_of_piece(o, first);
    uint64_t state = gcal_random_skip(o->seed, first);
    unsigned char *at = o->data + first * o->stride;

    (void)err;
    for (size_t i = first; i < end; i++, at += o->stride) {
        double part = range->sorted ? (double)i / last : gcal_random_share(&state);

        store(o->is_float, o->size, value_at(o->is_float, range, span, part), at);
    }
    return 0;
}

/* 'stride' 0: the elements are one after the other. */
static int fill_array(uint64_t seed, const char *dtype,
                      const struct gcal_dtype_range *range, size_t stride, size_t count,
                      unsigned char *data)
{
    struct array o = { .seed = seed,
                       .is_float = *dtype == 'f',
                       .range = range,
                       .size = gcal_dtype_size(dtype),
                       .stride = stride ? stride : gcal_dtype_size(dtype),
                       .count = count,
                       .data = data };
    bool has_range = !isnan(range->first);

    if (!o.size || (has_range && !gcal_dtype_has_range(dtype, range)))
        return -1;
    return gcal_threads_share((count + PIECE - 1) / PIECE,
                              has_range ? fill_piece_in_range : fill_piece, &o, NULL);
}

/* ---- structures ---- */

static const struct gcal_dtype_range no_range = { .first = NAN, .last = NAN };

size_t gcal_dtype_read_member(const char **at, char dtype[GCAL_DTYPE_NAME_SIZE],
                              size_t *count)
{
    size_t size;
    int length = 0;

    *count = 1;
    if (sscanf(*at, "%7[a-z0-9]%n*%5zu%n", dtype, &length, count, &length) < 1)
        return 0;
    *at += length;
    size = strcmp(dtype, "pad") == 0 ? 1 : gcal_dtype_size(dtype);
    if (!*count || *count > GCAL_DTYPE_MOST_BYTES || (**at && **at != ' '))
        size = 0;
    *at += strspn(*at, " ");
    return size;
}

size_t gcal_dtype_members_size(const char *members)
{
    size_t bytes = 0, size = 1, count;
    char dtype[GCAL_DTYPE_NAME_SIZE];

    while (*members && size && bytes <= GCAL_DTYPE_MOST_BYTES) {
        size = gcal_dtype_read_member(&members, dtype, &count);
        bytes += size * count;
    }
    return size && bytes <= GCAL_DTYPE_MOST_BYTES ? bytes : 0;
}

static int fill_structures(uint64_t seed, const struct gcal_dtype_range *range,
                           size_t size_bytes, unsigned char *data)
{
    size_t stride = gcal_dtype_members_size(range->members), offset = 0, size, n;
    char dtype[GCAL_DTYPE_NAME_SIZE];
    int rc = stride ? 0 : -1;

    memset(data, 0, size_bytes);
    for (const char *at = range->members; rc == 0 && *at;) {
        size = gcal_dtype_read_member(&at, dtype, &n);
        for (size_t end = offset + n * size; rc == 0 && offset < end; offset += size)
            if (strcmp(dtype, "pad") != 0) /* each with numbers of its own */
                rc = fill_array(seed + ((uint64_t)offset << 32), dtype,
                                gcal_dtype_has_range(dtype, range) ? range : &no_range,
                                stride, size_bytes / stride, data + offset);
    }
    return rc;
}

int gcal_dtype_fill_range(uint64_t seed, const char *dtype,
                          const struct gcal_dtype_range *range, size_t count, void *data)
{
    return range->members
               ? fill_structures(seed, range, count * gcal_dtype_size(dtype), data)
               : fill_array(seed, dtype, range, 0, count, data);
}

int gcal_dtype_fill(uint64_t seed, const char *dtype, size_t count, void *data)
{
    return gcal_dtype_fill_range(seed, dtype, &no_range, count, data);
}

const char *gcal_dtype_fill_first(const char *dtype)
{
    return *dtype == 'f' ? "0.5" : "0";
}

const char *gcal_dtype_fill_last(const char *dtype)
{
    return *dtype == 'f' ? "1" : gcal_dtype_size(dtype) == 1 ? "127" : "1023";
}
