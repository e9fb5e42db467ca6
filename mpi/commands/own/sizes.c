/* sizes.c - which sizes a kernel can be launched with, and small ones for checks */
#include <math.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/assume.h"
#include "kernels/model/dtype.h"
#include "kernels/model/expr.h"
#include "mpi/commands/own/own.h"

size_t gcal_own_sizes_find(const struct gcal_own_kernel *own, const char *name,
                           size_t length)
{
    size_t i = 0;

    while (i < own->n_sizes && (strlen(own->sizes[i].name) != length ||
                                strncmp(own->sizes[i].name, name, length) != 0))
        i++;
    return i;
}

static bool is_count(double value)
{
    return value >= 1 && value < 0x1p53 && value == floor(value);
}

int gcal_own_sizes_check(const struct gcal_own_kernel *own, const double *sizes,
                         struct gcal_error *err)
{
    const struct gcal_count_signature *s = &own->signature;

    if (gcal_assume_check(own->assume, sizes, err) < 0)
        return -1;
    for (size_t d = 0; d < s->n_dims; d++) {
        double global = gcal_expr_eval(own->global[d], sizes);

        if (!is_count(global) || fmod(global, (double)s->local_size[d]) != 0)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "the global size %s = %g is not a positive multiple of "
                                  "the work-group size %zu",
                                  s->global_size[d], global, s->local_size[d]);
    }
    for (size_t i = 0; i < s->n_args; i++)
        if (own->extents[i] && !is_count(gcal_expr_eval(own->extents[i], sizes)))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "the buffer '%s' would have %s = %g elements",
                                  s->args[i].name, own->args[i].value,
                                  gcal_expr_eval(own->extents[i], sizes));
    return 0;
}

double gcal_own_sizes_bytes(const struct gcal_own_kernel *own, const double *sizes)
{
    const struct gcal_count_signature *s = &own->signature;
    double bytes = 0;

    for (size_t i = 0; i < s->n_args; i++)
        if (s->args[i].kind == GCAL_COUNT_SIGNATURE_BUFFER ||
            s->args[i].kind == GCAL_COUNT_SIGNATURE_IMAGE)
            bytes += gcal_expr_eval(own->extents[i], sizes) *
                     (double)gcal_dtype_size(s->args[i].dtype);
    return bytes;
}

/* ---- small sizes ---- */

/* Neither the first nor all are multiples of usual work-group sizes, so that guards of
 * incomplete work-groups are tried where the NDRange allows it.
 */
static const double candidates[] = {
    20,    24,    32,    36,   48,   50,   64,   72,   96,   100,   128,
    144,   160,   192,   200,  224,  256,  300,  320,  384,  448,   500,
    512,   576,   600,   640,  768,  896,  1000, 1024, 1152, 1280,  1536,
    1792,  2000,  2048,  2560, 3072, 4096, 5120, 6144, 8192, 10240, 12288,
    16384, 32768, 65536, 16,   12,   8,    4,    2,    1,
};

enum { N_CANDIDATES = sizeof(candidates) / sizeof(*candidates), MOST_TRIES = 200000 };

/* Work-groups beyond the first are needed to see races between them; too many take the
 * interpreter long.
 */
static bool suits(const struct gcal_own_kernel *own, const double *sizes)
{
    const struct gcal_count_signature *s = &own->signature;
    double groups = 1, items = 1;

    if (gcal_own_sizes_check(own, sizes, NULL) < 0)
        return false;
    for (size_t d = 0; d < s->n_dims; d++) {
        double global = gcal_expr_eval(own->global[d], sizes);

        items *= global;
        groups *= global / (double)s->local_size[d];
    }
    return groups >= 2 && items <= 1 << 17 && gcal_own_sizes_bytes(own, sizes) < 0x1p28;
}

/* All free sizes alike; those that only loops depend on stay small. */
static bool try_alike(const struct gcal_own_kernel *own, double value, double *sizes,
                      bool any)
{
    for (size_t i = 0; i < own->n_sizes; i++)
        sizes[i] = !isnan(own->sizes[i].fixed) ? own->sizes[i].fixed
                   : own->sizes[i].in_extents  ? value
                                               : fmin(value, 16);
    return any ? gcal_own_sizes_check(own, sizes, NULL) == 0 : suits(own, sizes);
}

/* All combinations, of which a limited number is tried. */
static bool try_combinations(const struct gcal_own_kernel *own, double *sizes,
                             size_t *wheel)
{
    size_t i = 0;

    for (long tries = 0; i < own->n_sizes && tries < MOST_TRIES; tries++) {
        for (size_t k = 0; k < own->n_sizes; k++)
            sizes[k] =
                isnan(own->sizes[k].fixed) ? candidates[wheel[k]] : own->sizes[k].fixed;
        if (suits(own, sizes))
            return true;
        for (i = 0; i < own->n_sizes; i++) {
            if (isnan(own->sizes[i].fixed) && ++wheel[i] < N_CANDIDATES)
                break;
            wheel[i] = 0;
        }
    }
    return false;
}

int gcal_own_sizes_find_check(struct gcal_own_kernel *own, struct gcal_error *err)
{
    size_t *wheel = gcal_arena_alloc(own->arena, own->n_sizes, sizeof(*wheel));
    struct gcal_error why = { 0 };

    own->check = gcal_arena_alloc(own->arena, own->n_sizes, sizeof(*own->check));
    for (size_t i = 0; i < N_CANDIDATES; i++)
        if (try_alike(own, candidates[i], own->check, false))
            return 0;
    if (try_combinations(own, own->check, wheel))
        return 0;
    for (size_t i = 0; i < N_CANDIDATES; i++) /* one work-group, or many */
        if (try_alike(own, candidates[i], own->check, true))
            return 0;
    try_alike(own, 1024, own->check, false);
    gcal_own_sizes_check(own, own->check, &why);
    return gcal_error_set(err, GCAL_EINPUT,
                          "no small sizes found with which kernel '%s' can be "
                          "launched: %s",
                          own->signature.kernel, why.text);
}
