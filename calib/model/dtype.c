/* dtype.c - data types of array elements */
#include "calib/model/dtype.h"

#include <string.h>

#include "calib/base/random.h"

size_t gcal_dtype_size(const char *dtype)
{
    static const struct {
        const char *name;
        size_t size;
    } known[] = {
        { "int8", 1 },    { "int16", 2 },   { "int32", 4 },   { "int64", 8 },
        { "uint8", 1 },   { "uint16", 2 },  { "uint32", 4 },  { "uint64", 8 },
        { "float16", 2 }, { "float32", 4 }, { "float64", 8 },
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(dtype, known[i].name) == 0)
            return known[i].size;
    return 0;
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
