/* test_serial.c - work of work-items one after another, in kernels counted by hand */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kernels/count/by_hand/by_hand.h"

#define START                                                                            \
    "kernel void f(global float *a, global float4 *v, global int *k, int n)\n"           \
    "{ local float t[64]; int i = get_global_id(0), l = get_local_id(0); float s = 0;\n"
#define END "a[i] = s; }"

enum { N = 10, ITEMS = 640 }; /* of n; of the NDRange */

static const struct serial {
    const char *body;
    double op, index; /* of a work-item; of f_serial_op and f_serial_index */
    const char *feature;
    double one; /* of the feature */
} kernels[] = {
    /* without a loop; one that is unrolled, or runs once */
    { "s = a[i] * 2;", 0, 0, "f_serial_op_float32_mul", 0 },
    { "_Pragma(\"unroll\") for (int j = 0; j < 4; j++) s += a[i + j];", 0, 0,
      "f_serial_op_float32_add", 0 },
    { "for (int j = 0; j < 1; j++) s += a[i + j];", 0, 0, "f_serial_op_float32_add", 0 },
    /* a loop makes all of a kernel without barriers serial: loads, sums, the store; the loop's
     * condition is tested once more
     */
    { "for (int j = 0; j < n; j++) s += a[i];", 2 * N + 1, 2 * N + 1,
      "f_serial_op_float32_load", N },
    { "s = a[i + 1]; for (int j = 0; j < 3; j++) s = s * 2; s = sqrt(s);", 1 + 3 + 1 + 1,
      8, "f_serial_op_float32_sqrt", 1 },
    /* vectors count once */
    { "float4 w = 0; for (int j = 0; j < n; j++) w = w * 2 + v[i]; s = w.x;", 2 * N + 1,
      2 * N + 1, "f_serial_op_float32_madd", N },
    { "for (int j = 0; j < n; j++) atomic_inc(k + l);", N + 1, 2 * N + 1,
      "f_serial_op_int32_atomic", N },
    /* half of the work-items */
    { "if (l < 32) for (int j = 0; j < n; j++) s += a[i];", N + 1, N + 1.5,
      "f_serial_op_float32_add", N / 2 },
    /* in kernels with barriers: loops without one, themselves alone */
    { "t[l] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); s = t[63 - l];", 0, 0,
      "f_serial_op_float32_load", 0 },
    { "for (int j = 0; j < n; j++) { t[l] = s; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "s += t[63 - l]; barrier(CLK_LOCAL_MEM_FENCE); }",
      0, 0, "f_serial_op_float32_load", 0 },
    { "for (int j = 0; j < n; j++) { t[l] = s; barrier(CLK_LOCAL_MEM_FENCE);\n"
      "for (int m = 0; m < 8; m++) s += t[m]; barrier(CLK_LOCAL_MEM_FENCE); }",
      2 * 8 * N, 2 * 8 * N, "f_serial_op_float32_load", 8 * N },
};

static struct gcal_profile *count(const char *body, size_t sector_bytes)
{
    char source[1500];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 64 },
                                    .global_size = { "640" },
                                    .sub_group_size = 32,
                                    .assume = "n >= 1",
                                    .index_arithmetic = true,
                                    .sector_bytes = sector_bytes };

    snprintf(source, sizeof(source), "%s%s%s", START, body, END);
    return by_hand_count(&r, body);
}

static double value_of(const struct gcal_profile *p, const char *feature)
{
    const double sizes[2] = { N, N };

    return by_hand_value(p, feature, sizes) / ITEMS;
}

static void counts_serial_work(void **state)
{
    bool failed = false;

    (void)state;
    for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++) {
        const struct serial *k = &kernels[i];
        struct gcal_profile *p = count(k->body, 32);
        double op = value_of(p, "f_serial_op"), one = value_of(p, k->feature);
        double index = value_of(p, "f_serial_index");

        if (fabs(op - k->op) > 1e-9 || fabs(one - k->one) > 1e-9 ||
            fabs(index - k->index) > 1e-9) {
            print_error("%s: %g, index %g, %s %g, not %g, %g, %g\n", k->body, op, index,
                        k->feature, one, k->op, k->index, k->one);
            failed = true;
        }
        gcal_profile_destroy(p);
    }
    assert_false(failed);
}

static void is_counted_with_traffic(void **state)
{
    struct gcal_profile *p = count(kernels[3].body, 0);

    (void)state;
    for (size_t i = 0; i < p->n_entries; i++)
        assert_true(strncmp(p->entries[i].feature, "f_serial", 8) != 0);
    gcal_profile_destroy(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_serial_work),
                                        cmocka_unit_test(is_counted_with_traffic) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
