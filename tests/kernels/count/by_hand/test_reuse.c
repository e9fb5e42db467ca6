/* test_reuse.c - loads that compilers leave out, as their value is in a register */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/kernels/count/by_hand/by_hand.h"

/* Loads of a that are left, of each work-item. */
static const struct body {
    const char *code;
    double left;
} bodies[] = {
    { "s = a[i] + a[i];", 1 },
    { "s = a[i]; b[i] = s; s += a[i];", 2 },
    { "s = a[i]; t[l] = s; s += a[i];", 1 },
    { "s = a[i]; barrier(CLK_LOCAL_MEM_FENCE); s += a[i];", 2 },
    /* unrolled: rows that neighbours share */
    { "for (int j = 0; j < 4; j++) for (int v = 0; v < 7; v++) s += a[n * (j + v) + i];",
      10 },
    { "for (int j = 0; j < 4; j++) for (int v = 0; v < 7; v++) s += a[n * (2 * j + v) + "
      "i];",
      13 },
    { "for (int j = 0; j < 4; j++) for (int v = 0; v < 7; v++) { s += a[n * (j + v) + "
      "i]; "
      "b[i] = s; }",
      28 },
    { "_Pragma(\"unroll 1\") for (int v = 0; v < 7; v++) for (int j = 0; j < 4; j++) s "
      "+= "
      "a[n * (j + v) + i];",
      28 },
    { "_Pragma(\"unroll\") for (int v = 0; v < 32; v++) for (int j = 0; j < 4; j++) s += "
      "a[n * (j + v) + i];",
      35 },
    /* too many instructions to be unrolled without being asked to */
    { "for (int v = 0; v < 48; v++) for (int j = 0; j < 4; j++) s += a[n * (j + v) + i];",
      192 },
    /* moved out of a loop whose length is known at run time only */
    { "for (int k = 0; k < m; k++) for (int d = 0; d < 8; d++) s += k * a[n * d + i];",
      8 },
    { "for (int k = 0; k < m; k++) { s += k * a[i]; b[i + k] = s; }", 20 },
    { "for (int k = 0; k < m; k++) { s += k * a[i]; t[l] = s; }", 1 },
    /* where it is known only at run time, not even a load of equal data is left out */
    { "for (int k = 0; k < m; k++) s += a[i + k] + a[i + k + 1];", 40 },
};

static void check_all(void **state)
{
    static const double sizes[] = { 1024, 20 };

    (void)state;
    for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++) {
        char source[800];
        const struct gcal_count_request request = { .source = source,
                                                    .file = "x.cl",
                                                    .n_dims = 1,
                                                    .local_size = { 64 },
                                                    .global_size = { "n" },
                                                    .assume =
                                                        "n % 64 = 0 and n >= 64 and "
                                                        "m >= 1",
                                                    .sub_group_size = 32,
                                                    .n_banks = 32,
                                                    .sector_bytes = 32,
                                                    .allow_estimates = true };
        struct gcal_profile *p;
        double value;

        snprintf(source, sizeof(source),
                 "kernel void f(global float *a, global float *b, global int *c, int n, "
                 "int m)\n"
                 "{ local float t[64]; int i = get_global_id(0), l = get_local_id(0); "
                 "float s = 0; %s b[n + i] = s; }",
                 bodies[i].code);
        p = by_hand_count(&request, bodies[i].code);
        value = by_hand_value(p, "f_cache_pass_global_float32_load", sizes) / (1024 / 32);
        if (value < 0.999 * bodies[i].left || value > 1.001 * bodies[i].left)
            fail_msg("%s: %g loads are left of each work-item, not %g", bodies[i].code,
                     value, bodies[i].left);
        gcal_profile_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(check_all) };

    return cmocka_run_group_tests_name("reuse", tests, NULL, NULL);
}
