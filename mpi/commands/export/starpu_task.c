/* starpu_task.c - footprints as StarPU 1.3 computes them */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/expr.h"
#include "kernels/model/profile.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/starpu.h"

/* Data interfaces, by the number of their dimensions, and StarPU's numbers for them. */
enum { MATRIX = 0, BLOCK = 1, VECTOR = 2, VARIABLE = 5, MAX_DIMENSIONS = 3 };
static const uint32_t interfaces[MAX_DIMENSIONS + 1] = { VARIABLE, VECTOR, MATRIX,
                                                         BLOCK };

/* CRC-32C, most significant bit first, neither end inverted. */
static uint32_t hash_bytes(const void *bytes, size_t n, uint32_t hash)
{
    const unsigned char *p = bytes;

    for (size_t i = 0; i < n; i++) {
        hash ^= (uint32_t)p[i] << 24;
        for (int bit = 0; bit < 8; bit++)
            hash = hash << 1 ^ (hash >> 31 ? 0x1EDC6F41u : 0);
    }
    return hash;
}

/* In the byte order of the machine, as in StarPU. */
static uint32_t hash_word(uint32_t word, uint32_t hash)
{
    return hash_bytes(&word, sizeof(word), hash);
}

static uint32_t hash_handle(const uint32_t *n, size_t dimensions, uint32_t bytes)
{
    uint32_t hash = 0;

    if (dimensions == 0)
        hash = hash_word(bytes, 0);
    else if (dimensions == 2)
        hash = hash_word(n[0], n[1]); /* as StarPU: the second is the seed */
    else
        for (size_t i = 0; i < dimensions; i++)
            hash = hash_word(n[i], hash);
    return hash_word(hash, interfaces[dimensions]);
}

/* The value of 'text', an integer from 1 to 'most'; 0 with 'err'. */
static uint64_t eval_size(const struct gcal_profile *p, const char *text,
                          const double *sizes, uint64_t most, struct gcal_error *err)
{
    struct gcal_expr *expr = gcal_expr_parse_in(text, p->n_parameters,
                                                (const char *const *)p->parameters, err);
    double value = expr ? gcal_expr_eval(expr, sizes) : 0;

    gcal_expr_destroy(expr);
    if (!expr) {
        gcal_error_prefix(err, "'%s'", text);
        return 0;
    }
    if (value >= 1 && value <= (double)most && value == floor(value))
        return (uint64_t)value;
    gcal_error_set(err, GCAL_EINPUT, "'%s' is %g, not a size that StarPU takes", text,
                   value);
    return 0;
}

/* "BYTES[:NX[,NY[,NZ]]]": adds the handle to the footprint. */
static int add_handle(const struct gcal_profile *p, const char *text, const double *sizes,
                      struct gcal_export_starpu_task *task, struct gcal_error *err)
{
    char *copy = strdup(text), *rest = copy, *field;
    uint32_t n[MAX_DIMENSIONS] = { 0 };
    size_t dimensions = 0;
    uint64_t bytes, total;
    int rc = -1;

    if (!copy)
        return gcal_error_memory(err);
    field = strsep(&rest, ":");
    if (!(total = bytes = eval_size(p, field, sizes, UINT32_MAX, err)))
        goto out;
    while ((field = strsep(&rest, ",")) && dimensions < MAX_DIMENSIONS) {
        if (!(n[dimensions] = (uint32_t)eval_size(p, field, sizes, UINT32_MAX, err)))
            goto out;
        total *= n[dimensions++];
    }
    if (field) {
        gcal_error_set(err, GCAL_EINPUT, "more than %d dimensions", MAX_DIMENSIONS);
        goto out;
    }
    task->footprint =
        hash_word(hash_handle(n, dimensions, (uint32_t)bytes), task->footprint);
    task->size += total;
    rc = 0;
out:
    free(copy);
    return rc < 0 ? gcal_error_prefix(err, "--data %s", text) : 0;
}

static int take_size_base(const char *size_base, const struct gcal_profile *p,
                          const double *sizes, struct gcal_export_starpu_task *task,
                          struct gcal_error *err)
{
    size_t size = eval_size(p, size_base, sizes, (uint64_t)1 << 53, err);

    if (!size)
        return gcal_error_prefix(err, "--size-base");
    *task = (struct gcal_export_starpu_task){ hash_bytes(&size, sizeof(size), 0), size };
    return 0;
}

int gcal_export_starpu_task(const struct gcal_export *e,
                            const struct gcal_export_starpu_options *options,
                            const double *sizes, struct gcal_export_starpu_task *task,
                            struct gcal_error *err)
{
    const struct gcal_profile *p = e->kernels[0].profile;

    if (options->size_base)
        return take_size_base(options->size_base, p, sizes, task, err);
    *task = (struct gcal_export_starpu_task){ 0 };
    for (size_t i = 0; i < options->data.n; i++)
        if (add_handle(p, options->data.items[i], sizes, task, err) < 0)
            return -1;
    return 0;
}
