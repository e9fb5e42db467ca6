/* checksum.h - FNV-1a of 64 bits: detects damage, not forgery */
#ifndef GCAL_KERNELS_BASE_CHECKSUM_H
#define GCAL_KERNELS_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

#define GCAL_CHECKSUM_START 0xcbf29ce484222325u

/* Continues from 'sum', which starts as GCAL_CHECKSUM_START. */
static inline uint64_t gcal_checksum(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *bytes = data;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ bytes[i]) * 0x100000001b3u;
    return sum;
}

#endif
