/* test_joined.c - operations that are one instruction with the one that uses their result
 *
 * What is left of bitwise operations and shifts are the instructions LOP3 and SHF that NVIDIA's
 * compiler (CUDA 13, sm_90) makes of them, but for the expressions with another number beside them;
 * wide products are IMAD.WIDE.
 */
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
    "#define TURN(v, k) ((v << k) | (v >> (32 - k)))\n"                                  \
    "uint turned(uint v, uint k) { return (v << k) | (v >> (32 - k)); }\n"               \
    "kernel void f(global uint *o, global const uint *in, uint k)\n"                     \
    "{ int l = get_local_id(0); uint a = in[l], b = in[l + 1], c = in[l + 2];\n"         \
    "uint d = in[l + 3], e = in[l + 4], v[4], r; ulong x = a * (ulong)b, y = x + d;\n"   \
    "int s = (int)a; for (int i = 0; i < 4; i++) v[i] = in[l + 5 + i];\n"
#define END "o[l] = r; }"

static const struct expression {
    const char *body;
    double operations, left; /* bitwise ones and shifts */
} all[] = {
    { "r = a ^ b;", 1, 1 },
    { "r = a ^ b ^ c;", 2, 1 },
    { "r = a ^ b ^ c ^ d;", 3, 2 },
    { "r = a ^ b ^ c ^ d ^ e;", 4, 2 },
    { "r = (a & b) ^ (c & d);", 3, 2 },
    { "r = (a & b) ^ (c & d) ^ (e | a);", 5, 3 },
    { "r = (a & 0xff00ff) | (b & 0xff00ff00);", 3, 2 },
    { "r = (a | b | c) & d;", 3, 2 },
    /* a value that is used twice is one */
    { "r = (a & b) | (~a & c);", 4, 1 },
    { "r = c ^ (a & (b ^ c));", 3, 1 },
    { "r = (v[0] & v[1]) | (~v[0] & v[2]);", 4, 1 },
    { "r = (a & b) | (c & (a | b));", 4, 1 },
    { "r = (a & b) ^ (a & c) ^ (b & c);", 5, 1 },
    { "r = ((a & ~b) | (~a & c)) ^ b;", 6, 1 },
    { "r = ((a & b) | (~a & c)) ^ d;", 5, 2 },
    { "r = c ^ (a | ~b);", 3, 1 },
    { "r = a; r ^= b & c;", 2, 1 },
    /* other operations are values */
    { "r = (a + b) ^ c ^ (d * e);", 2, 1 },
    { "r = a ^ (a >> 3) ^ (b & 255);", 4, 3 }, /* NVIDIA's: 2, as it loads a byte */
    { "r = (a ^ b) + (c ^ d);", 2, 2 },
    { "r = a ^ (b << 5);", 2, 2 },
    { "r = a ^ b; r = r ^ c;", 2, 2 },  /* which may have other uses; NVIDIA's: 1 */
    { "r = (uint)(x ^ y) ^ c;", 2, 2 }, /* NVIDIA's: 1 */
    { "r = (uint)((x & y) ^ ~x);", 3, 1 },
    /* shifts that put bits together */
    { "r = (a << 5) | (a >> 27);", 3, 1 },
    { "r = (a << 5) + (a >> 27);", 2, 0 }, /* the addition is left */
    { "r = (a >> 27) ^ (a << 5);", 3, 1 },
    { "r = (a << 5) | (a >> 26);", 3, 3 },
    { "r = (a << 5) | (b >> 27);", 3, 1 },
    { "r = (uint)((s << 5) | (s >> 27));", 3, 3 },
    { "r = TURN(a, 7) ^ TURN(a, 18) ^ (a >> 3);", 9, 4 },
    { "r = TURN(a, 7) ^ TURN(b, 18) ^ TURN(c, 3);", 11, 4 },
    { "r = turned(a, k);", 3, 1 },
    { "r = turned(a ^ b, 9);", 4, 2 },
    { "r = TURN(v[1], 9);", 3, 1 },
    { "r = TURN((a ^ b), 9);", 5, 3 }, /* a macro has written it twice; NVIDIA's: 2 */
    { "x = (x << 13) | (x >> 51); r = (uint)x + (uint)(x >> 33) * 3;", 4, 2 },
    /* the other half of 64 bits is another register */
    { "r = (uint)(x >> 32) + (uint)(y << 32);", 2, 0 },
};

/* Of START is one product of 32-bit factors to 64 bits. */
static const struct product {
    const char *body;
    double products, wide;
} products[] = {
    { "r = 0;", 1, 1 },
    { "y = (ulong)c * 0xd256d193u; r = (uint)y;", 2, 2 },
    { "y = (ulong)(c + d) * e; r = (uint)(y >> 32);", 2, 2 },
    { "y = (ulong)((uint2)(a, b)).y * e; r = (uint)(y >> 32);", 2, 2 },
    { "y = c * 5ul; r = (uint)y;", 2, 2 },
    { "y = x * c; r = (uint)y;", 2, 1 },
    { "y = c * 0x100000001ul; r = (uint)y;", 2, 1 },
};

static double sum(const struct gcal_profile *p, const char *kind)
{
    static const char *const names[] = { "and", "or", "xor", "not", "shl", "shr" };
    static const char *const types[] = { "uint32", "uint64", "int32" };
    char name[64];
    double of = 0;

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++) {
            snprintf(name, sizeof(name), "%s_%s_%s", kind, types[t], names[i]);
            of += by_hand_value(p, name, NULL);
        }
    return of;
}

static struct gcal_profile *count_body(const char *body)
{
    char source[1500];
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 32 },
                                    .global_size = { "32" },
                                    .sub_group_size = 32,
                                    .sector_bytes = 32 };

    snprintf(source, sizeof(source), "%s%s%s", START, body, END);
    return by_hand_count(&r, body);
}

static void counts_what_is_left(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
        struct gcal_profile *p = count_body(all[i].body);
        double operations, left;

        operations = sum(p, "f_op");
        left = operations - sum(p, "f_joined");
        if (operations != all[i].operations || left != all[i].left)
            fail_msg("%s: %g operations, %g left, not %g, %g", all[i].body, operations,
                     left, all[i].operations, all[i].left);
        gcal_profile_destroy(p);
    }
}

static void counts_wide_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(products) / sizeof(*products); i++) {
        struct gcal_profile *p = count_body(products[i].body);
        double n = by_hand_value(p, "f_op_uint64_mul", NULL),
               wide = by_hand_value(p, "f_joined_uint64_mul", NULL);

        if (n != products[i].products || wide != products[i].wide)
            fail_msg("%s: %g products, %g wide, not %g, %g", products[i].body, n, wide,
                     products[i].products, products[i].wide);
        gcal_profile_destroy(p);
    }
}

/* Values that are used hundreds of times are not looked at again and again. */
static void is_fast_on_long_expressions(void **state)
{
    enum { N = 400 };
    char *source = calloc(1, 16 * N + 200);
    struct gcal_count_request r = { .source = source,
                                    .file = "x.cl",
                                    .n_dims = 1,
                                    .local_size = { 32 },
                                    .global_size = { "32" },
                                    .sub_group_size = 32,
                                    .sector_bytes = 32 };
    struct gcal_profile *p;
    size_t n;

    (void)state;
    assert_non_null(source);
    n = (size_t)sprintf(source, "kernel void f(global uint *o, uint a, uint b)\n"
                                "{ uint v = o[get_local_id(0)]; o[get_local_id(0)] = v");
    for (int i = 0; i < N; i++)
        n += (size_t)sprintf(source + n, i % 2 ? " ^ v" : " ^ b");
    sprintf(source + n, "; }");
    p = by_hand_count(&r, "a long expression");
    assert_true(sum(p, "f_joined") >= N / 2 - 1);
    gcal_profile_destroy(p);
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(counts_what_is_left),
                                        cmocka_unit_test(counts_wide_products),
                                        cmocka_unit_test(is_fast_on_long_expressions) };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
