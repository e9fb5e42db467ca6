/* contents.c - arrays of .npy files, as numpy.save() writes them
 *
 * Format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#include "mpi/commands/count/contents.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/model/dtype.h"
#include "kernels/request.h"

enum { MOST_BYTES = 128 << 20, HEAD_BYTES = 10 };

/* The value of "'key': value" in the header; NULL: it has none. */
static const char *find_key(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    if (!at || !(at = strchr(at, ':')))
        return NULL;
    return at + 1 + strspn(at + 1, " ");
}

/* "'<i4'" to "int32"; false: no type of a buffer's elements. */
static bool find_dtype(const char *descr, const char **dtype)
{
    char name[40];

    if (strlen(descr) < 5 || *descr != '\'' || !strchr("<|", descr[1]) ||
        !strchr("iuf", descr[2]))
        return false;
    snprintf(name, sizeof(name), "%s%ld",
             descr[2] == 'i'   ? "int"
             : descr[2] == 'u' ? "uint"
                               : "float",
             8 * strtol(descr + 3, NULL, 10));
    for (size_t i = 0; (*dtype = gcal_dtype_name(i)); i++)
        if (strcmp(*dtype, name) == 0)
            return true;
    return false;
}

/* The elements of "(3, 4)"; 0: none. */
static size_t count_elements(const char *shape, size_t *n_dims)
{
    size_t n = 1, extent;
    char *end;

    *n_dims = 0;
    if (*shape++ != '(')
        return 0;
    for (;; shape = end) {
        shape += strspn(shape, ", ");
        if (*shape == ')')
            return n;
        extent = strtoull(shape, &end, 10);
        if (end == shape || __builtin_mul_overflow(n, extent, &n))
            return 0;
        ++*n_dims;
    }
}

/* The least and the largest of integers, as texts. */
static void set_range(struct gcal_arena *arena, struct gcal_count_buffer *b)
{
    size_t size = gcal_dtype_size(b->dtype);
    bool is_signed = *b->dtype == 'i';
    const unsigned char *data = b->data;
    int64_t least = INT64_MAX, largest = INT64_MIN;

    for (size_t at = 0; at < b->data_bytes; at += size) {
        uint64_t bits = 0;
        int64_t value;

        memcpy(&bits, data + at, size); /* little-endian hosts */
        value = is_signed && size < 8
                    ? (int64_t)(bits << (64 - 8 * size)) >> (64 - 8 * size)
                    : (int64_t)bits;
        least = value < least ? value : least;
        largest = value > largest ? value : largest;
    }
    b->first = gcal_arena_format(arena, "%lld", (long long)least);
    b->last = gcal_arena_format(arena, "%lld", (long long)largest);
}

int gcal_count_contents_read(struct gcal_arena *arena, const char *file,
                             struct gcal_count_buffer *b, struct gcal_error *err)
{
    size_t size, length, start, n = 0, n_dims = 0;
    unsigned char *text =
        gcal_arena_own(arena, gcal_file_read(file, MOST_BYTES, &size, err), free);
    const char *descr, *order, *shape, *header;

    if (!text)
        return -1;
    start = HEAD_BYTES + (size > 6 && text[6] > 1 ? 2 : 0); /* of version 1, and later */
    if (size < start || memcmp(text, "\x93NUMPY", 6) != 0)
        return gcal_error_set(err, GCAL_EINPUT, "%s: not an array of numpy.save()", file);
    length = text[8] | (size_t)text[9] << 8;
    if (start > HEAD_BYTES)
        length |= (size_t)text[10] << 16 | (size_t)text[11] << 24;
    if (length > size - start)
        return gcal_error_set(err, GCAL_EINPUT, "%s: the file ends in its header", file);
    header = gcal_arena_format(arena, "%.*s", (int)length, (char *)text + start);
    descr = find_key(header, "'descr'");
    order = find_key(header, "'fortran_order'");
    shape = find_key(header, "'shape'");
    if (!descr || !order || !shape || !(n = count_elements(shape, &n_dims)))
        return gcal_error_set(err, GCAL_EINPUT, "%s: not an array with elements", file);
    if (!find_dtype(descr, &b->dtype))
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: elements of %.*s: expected little-endian integers or "
                              "floating-point numbers, such as numpy.int32",
                              file, (int)strcspn(descr, ","), descr);
    if (*order == 'T' && n_dims > 1)
        return gcal_error_set(err, GCAL_EINPUT,
                              "%s: the array is in Fortran order: save "
                              "numpy.ascontiguousarray() of it",
                              file);
    if (__builtin_mul_overflow(n, gcal_dtype_size(b->dtype), &n) ||
        n != size - start - length)
        return gcal_error_set(
            err, GCAL_EINPUT,
            "%s: %zu bytes follow the header, and its shape has %zu: the file "
            "is damaged",
            file, size - start - length, n);
    memmove(text, text + start + length, n);
    b->data = text;
    b->data_bytes = n;
    b->first = b->last = NULL;
    if (*b->dtype != 'f')
        set_range(arena, b);
    return 0;
}
