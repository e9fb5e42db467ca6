/* fuzz_reference.c - any bytes as a reference of a type: refused, or printed and read again the
 * same, and mixed with itself still a distribution
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "calib/health/health.h"
#include "kernels/base/arena.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const struct gcal_health_reference *reference)
{
    for (size_t i = 0; i < reference->n; i++) {
        const struct gcal_health_quantiles *q = &reference->costs[i];

        for (size_t k = 0; k < GCAL_HEALTH_QUANTILES; k++)
            if (!(q->time_s[k] > 0) || !isfinite(q->time_s[k]) ||
                (k && q->time_s[k] < q->time_s[k - 1]))
                abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct gcal_arena *arena = gcal_arena_create();
    char *text = memcpy(gcal_arena_alloc(arena, size + 1, 1), data, size);
    struct gcal_health_reference once, twice;

    if (gcal_health_reference_parse(arena, text, "fuzz", &once, NULL) == 0) {
        check(&once);
        if (gcal_health_reference_parse(arena, gcal_health_reference_text(arena, &once),
                                        "fuzz", &twice, NULL) < 0 ||
            once.n != twice.n)
            abort();
        gcal_health_reference_merge(arena, &once, &twice);
        check(&once);
        for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
            size_t n;
            double share = gcal_health_reference_slowest(&once, r, "abc", 1.5e-3, &n);

            if (share < 0 || share > 1)
                abort();
        }
    }
    gcal_arena_destroy(arena);
    return 0;
}
