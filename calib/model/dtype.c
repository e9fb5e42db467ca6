/* dtype.c - data types of array elements */
#include "calib/model/dtype.h"

#include <math.h>
#include <string.h>

#include "calib/base/random.h"

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

int gcal_dtype_fill(uint64_t seed, const char *dtype, size_t count, void *data)
{
    size_t size = gcal_dtype_size(dtype);
    unsigned char *at = data;

    if (!size)
        return -1;
    for (size_t i = 0; i < count; i++, at += size) {
        uint64_t bits = gcal_random_next(&seed);

        if (*dtype != 'f')
            bits &= size == 1 ? 0x7f : 0x3ff;
        else if (size == 2)
            bits = (bits & 0x3ff) | 0x3800; /* exponent of 0.5 */
        else if (size == 4)
            bits = (bits & 0x7fffff) | 0x3f000000;
        else
            bits = (bits & 0xfffffffffffffu) | 0x3fe0000000000000u;
        memcpy(at, &bits, size); /* little-endian hosts, as OpenCL devices are */
    }
    return 0;
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
    if (is_float)
        return range->first + part * span;
    if (range->sorted)
        return range->first + (span < 0x1p51 ? nearest(part * span) : rint(part * span));
    return fmin(range->first + (double)(int64_t)(part * (span + 1)), range->last);
}

int gcal_dtype_fill_range(uint64_t seed, const char *dtype,
                          const struct gcal_dtype_range *range, size_t count, void *data)
{
    size_t size = gcal_dtype_size(dtype);
    bool is_float = *dtype == 'f';
    double span = range->last - range->first;
    unsigned char *at = data;

    if (isnan(range->first))
        return gcal_dtype_fill(seed, dtype, count, data);
    if (!size || !gcal_dtype_has_range(dtype, range))
        return -1;
    for (size_t i = 0; i < count; i++, at += size) {
        double part = range->sorted ? (count > 1 ? (double)i / (double)(count - 1) : 0)
                                    : (double)(gcal_random_next(&seed) >> 11) * 0x1p-53;

        store(is_float, size, value_at(is_float, range, span, part), at);
    }
    return 0;
}
