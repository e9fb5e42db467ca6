/* test_unknown_places.c - traffic of accesses whose places are random or unknown: in local
 * memory by banks, in images, in private arrays; and of neighbours of such places
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/count/private.h"
#include "tests/kernels/count/by_hand/by_hand.h"

/* One work-group of 256 work-items, 8 sub-groups. */
static struct gcal_profile *count(const char *source, size_t n_extents,
                                  const struct gcal_count_buffer *extents)
{
    const struct gcal_count_request r = { .source = source,
                                          .file = "x.cl",
                                          .n_dims = 2,
                                          .local_size = { 64, 4 },
                                          .global_size = { "64", "4" },
                                          .sub_group_size = 32,
                                          .n_banks = 32,
                                          .sector_bytes = 32,
                                          .allow_estimates = true,
                                          .n_buffers = n_extents,
                                          .buffers = extents };

    return by_hand_count(&r, source);
}

static void expect_near(const struct gcal_profile *p, const char *feature,
                        double expected, double tolerance, const char *what)
{
    static const double sizes[] = { 4096, 4096, 4096 };
    double value = by_hand_value(p, feature, sizes);

    if (fabs(value - expected) > tolerance * expected + 1e-9)
        fail_msg("%s: %s is %g, not %g", what, feature, value, expected);
}

/* ---- banks ---- */

/* The expected largest number of distinct words in a bank, by enumeration of all ways in which
 * a few lanes can be at words.
 */
static double enumerate(size_t n_lanes, size_t words, size_t n_banks, bool atomic)
{
    int64_t offset[8];
    double sum = 0, all = pow((double)words, (double)n_lanes);

    for (size_t k = 0; k < (size_t)all; k++) {
        size_t rest = k;

        for (size_t i = 0; i < n_lanes; i++, rest /= words)
            offset[i] = 4 * (int64_t)(rest % words);
        sum += (double)gcal_count_bank_conflict(n_lanes, offset, 4, n_banks, atomic);
    }
    return sum / all;
}

static void random_banks_have_the_expected_conflict(void **state)
{
    static const struct {
        size_t lanes, words, banks;
    } small[] = { { 4, 4, 4 }, { 4, 8, 4 }, { 5, 6, 2 }, { 3, 16, 4 }, { 6, 2, 4 } };
    static const int64_t apart[32] = { 0 };
    int64_t own[32];

    (void)state;
    for (size_t i = 0; i < sizeof(small) / sizeof(*small); i++)
        for (int atomic = 0; atomic < 2; atomic++) {
            double exact =
                enumerate(small[i].lanes, small[i].words, small[i].banks, atomic);
            double mean = gcal_count_random_bank_conflict(small[i].lanes, apart, NULL,
                                                          (int64_t)small[i].words, 4, 4,
                                                          small[i].banks, atomic);

            if (fabs(mean - exact) > 0.03 * exact)
                fail_msg("%zu lanes, %zu words, %zu banks: %g, not %g", small[i].lanes,
                         small[i].words, small[i].banks, mean, exact);
        }
    /* 32 balls in 32 bins */
    assert_float_equal(
        gcal_count_random_bank_conflict(32, apart, NULL, 1 << 24, 4, 4, 32, false), 3.53,
        0.04);
    /* a table that no bank has two words of; one place; columns of the lanes' own */
    assert_float_equal(
        gcal_count_random_bank_conflict(32, apart, NULL, 32, 4, 4, 32, false), 1, 0);
    assert_float_equal(
        gcal_count_random_bank_conflict(32, apart, NULL, 1, 4, 4, 32, true), 32, 0);
    for (size_t i = 0; i < 32; i++)
        own[i] = 4 * (int64_t)i;
    assert_float_equal(
        gcal_count_random_bank_conflict(32, own, NULL, 100, 128, 4, 32, true), 1, 0);
}

static void random_local_accesses_are_not_free(void **state)
{
    static const struct {
        const char *body, *feature;
        double passes; /* of each of 8 sub-groups */
    } cases[] = {
        { "x[g] = t[x[g] & 1023];", "f_local_pass_uint32_load", 3.45 },
        { "x[g] = t[x[g] & 31];", "f_local_pass_uint32_load", 1 },
        { "x[g] = t[x[g] & 63];", "f_local_pass_uint32_load", 2 },
        { "x[g] = t[x[g]];", "f_local_pass_uint32_load", 3.45 },
        { "x[g] = t[(x[g] & 31) * 32];", "f_local_pass_uint32_load", 20.4 },
        { "x[g] = t[(x[g] & 15) * 64 + l];", "f_local_pass_uint32_load", 1 },
        { "t[x[g] & 1023] = g;", "f_local_pass_uint32_store", 3.45 },
        { "atomic_add(&t[x[g] & 1023], 2u);", "f_atomic_pass_local", 3.53 },
        { "atomic_add(&t[x[g] & 255], 2u);", "f_atomic_pass_local", 3.53 },
        { "atomic_dec(&t[x[g]]);", "f_atomic_pass_local", 3.53 },
        /* ones at one word are added up: as loads of it */
        { "atomic_add(&t[x[g] & 15], 1u);", "f_atomic_pass_local", 1 },
        { "atomic_inc(&t[32 * (l & 1)]);", "f_atomic_pass_local", 2 },
        { "atomic_add(&t[32 * (l & 1)], 2u);", "f_atomic_pass_local", 32 },
        { "uint s = g; for (int k = 0; k < n; k++) { s ^= s << 13; s ^= s >> 17; }"
          " x[g] = t[s & 1023];",
          "f_local_pass_uint32_load", 3.45 },
        { "x[g] = t[x[0] + l];", "f_local_pass_uint32_load", 1 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char source[600];
        struct gcal_profile *p;

        snprintf(source, sizeof(source),
                 "kernel void f(global uint *x, int n) { local uint t[1024];\n"
                 "int l = get_local_id(0), g = l + 64 * get_local_id(1);\n%s }",
                 cases[i].body);
        p = count(source, 0, NULL);
        expect_near(p, cases[i].feature, 8 * cases[i].passes, 0.03, cases[i].body);
        gcal_profile_destroy(p);
    }
}

/* ---- images ---- */

static void images_have_traffic(void **state)
{
    static const struct {
        const char *body;
        double sectors, launch; /* of loads */
        double stores;
    } cases[] = {
        /* 256 texels of 16 bytes */
        { "write_imagef(o, c, read_imagef(a, s, c));", 128, 128, 128 },
        { "write_imagef(o, c, read_imagef(a, c));", 128, 128, 128 },
        { "write_imagef(o, c, read_imagef(a, s, convert_float2(c) + 0.5f));", 128, 128,
          128 },
        { "write_imageui(p, c, read_imageui(u, c));", 128, 128, 128 },
        /* lanes in one column: a row, and so a sector, for each */
        { "write_imagef(o, c.yx, read_imagef(a, s, c.yx));", 256, 128, 256 },
        /* random places */
        { "write_imagef(o, c, read_imagef(a, s, where[c.x]));", 256, 256, 128 },
        { "x[c.x] = read_imagef(v, (int4)(c, 1, 0)).x;", 128, 128, 0 },
        { "x[c.x] = read_imagef(l, c.x + 64 * c.y).x;", 128, 128, 0 },
        { "x[c.x] = read_imagef(b, c.x + 64 * c.y).x;", 128, 128, 0 },
        { "x[c.x] = read_imagef(r, s, (int4)(c, 3, 0)).x;", 128, 128, 0 },
        { "float4 t = 0; for (int k = -1; k < 2; k++) t += read_imagef(a, s, c + "
          "(int2)(0, "
          "k)); write_imagef(o, c, t);",
          3 * 128, 6 * 32, 128 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char source[1000];
        struct gcal_profile *p;

        snprintf(
            source, sizeof(source),
            "kernel void f(read_only image2d_t a, read_only image2d_t u, read_only "
            "image3d_t v, read_only image1d_t l, read_only image1d_buffer_t b, "
            "read_only image2d_array_t r, write_only image2d_t o, write_only image2d_t "
            "p, sampler_t s, global const int2 *where, global float *x)\n"
            "{ int2 c = (int2)(get_local_id(0), get_local_id(1)); %s }",
            cases[i].body);
        p = count(source, 0, NULL);
        expect_near(p, "f_sector_image_load", cases[i].sectors, 0, cases[i].body);
        expect_near(p, "f_footprint_launch_image_load", cases[i].launch, 0,
                    cases[i].body);
        expect_near(p, "f_sector_image_store", cases[i].stores, 0, cases[i].body);
        for (size_t k = 0; k < p->n_entries; k++)
            if (p->entries[k].kind == GCAL_FEATURE_SECTOR &&
                p->entries[k].space == GCAL_FEATURE_SPACE_IMAGE)
                assert_true(p->entries[k].estimated);
        gcal_profile_destroy(p);
    }
}

/* As an array with rows that begin where lines do. */
static void data_move_images_as_they_move_arrays(void **state)
{
    static const char *const places[][2] = {
        { "x + (k & 1)", "y" },        { "x", "y + (k & 1)" },
        { "x + (k > 7)", "y" },        { "x + (k & 7)", "y + (k >> 3 & 3)" },
        { "x + c[x]", "y" },           { "x ^ (k & 3)", "y" },
        { "x + k % 20", "2 * y + 1" }, { "k & 255", "y" },
    };
    static const char *const kinds[] = { "f_sector", "f_line", "f_footprint_launch" };

    (void)state;
    for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
        double counted[2][3];

        for (size_t array = 0; array < 2; array++) {
            char source[1000], access[200], feature[64];
            const char *x = places[i][0], *y = places[i][1];
            struct gcal_profile *p;
            static const double sizes[] = { 4096, 4096, 4096 };

            snprintf(access, sizeof(access),
                     array ? "b[(%s) + 4096 * (%s)]" : "read_imagef(a, (int2)(%s, %s))",
                     x, y);
            snprintf(source, sizeof(source),
                     "kernel void f(read_only image2d_t a, constant float4 *b, "
                     "global int *d, local uchar *c, global float *o) { "
                     "int x = get_local_id(0), y = get_local_id(1), k = d[x + 64 * y]; "
                     "o[x + 64 * y] = %s.x; }",
                     access);
            p = count(source, 0, NULL);
            for (size_t f = 0; f < 3; f++) {
                snprintf(feature, sizeof(feature), "%s_%s", kinds[f],
                         array ? "constant_load" : "image_load");
                counted[array][f] = by_hand_value(p, feature, sizes);
            }
            gcal_profile_destroy(p);
        }
        for (size_t f = 0; f < 3; f++)
            if (fabs(counted[0][f] - counted[1][f]) > 1e-6 * counted[1][f] ||
                !(counted[0][f] > 0))
                fail_msg("%s, %s: %s is %g, of an array %g", places[i][0], places[i][1],
                         kinds[f], counted[0][f], counted[1][f]);
    }
}

static void formats_of_images_are_known_from_extents(void **state)
{
    static const struct {
        size_t bytes;
        unsigned channels;
        double sectors;
    } formats[] = { { 4, 4, 128 }, { 2, 4, 64 }, { 1, 4, 32 }, { 4, 1, 32 },
                    { 2, 1, 16 },  { 1, 1, 8 },  { 0, 0, 128 } };
    static const char source[] = "kernel void f(read_only image2d_t a, global float *x)\n"
                                 "{ int2 c = (int2)(get_local_id(0), get_local_id(1));"
                                 "x[c.x] = read_imagef(a, c).x; }";

    (void)state;
    for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
        const struct gcal_count_buffer extent = { .argument = "a",
                                                  .elements = "4*4096",
                                                  .bytes = formats[i].bytes,
                                                  .channels = formats[i].channels };
        struct gcal_profile *p = count(source, formats[i].channels ? 1 : 0, &extent);

        expect_near(p, "f_sector_image_load", formats[i].sectors, 0, "format");
        expect_near(p, "f_footprint_launch_image_load", formats[i].sectors, 0, "format");
        gcal_profile_destroy(p);
    }
}

/* Image reads wait for each other as loads do. */
static void images_are_loads_that_wait(void **state)
{
    struct gcal_profile *p =
        count("kernel void f(read_only image2d_t a, global float *x)\n"
              "{ int2 c = (int2)(get_local_id(0), get_local_id(1));"
              "c = read_imagei(a, c).xy; x[c.x] = read_imagef(a, c).x; }",
              0, NULL);

    (void)state;
    expect_near(p, "f_load_chain", 2, 0, "two reads");
    gcal_profile_destroy(p);
}

/* ---- private arrays ---- */

static void private_arrays_have_traffic(void **state)
{
    static const struct {
        const char *body, *feature;
        double value; /* of each of 8 sub-groups */
        double tolerance;
    } cases[] = {
        /* one line with a word of each lane */
        { "s = a[n & 15];", "f_sector_private_load", 4, 0 },
        { "s = a[n & 15];", "f_line_private_load", 1, 0 },
        { "a[n & 15] = 1;", "f_sector_private_store", 4, 0 },
        { "a[n & 15] = 1; s = a[1];", "f_partial_sector_private", 0, 0 },
        { "double d[16]; d[n & 15] = 1; s = d[2];", "f_sector_private_store", 8, 0 },
        { "float4 d[16]; d[n & 15] = 1; s = d[2].x;", "f_sector_private_store", 16, 0 },
        { "uchar d[16]; d[n & 15] = 1; s = d[2];", "f_sector_private_store", 4, 0 },
        /* random ones of 16 lines */
        { "s = a[where[l] & 15];", "f_line_private_load", 13.97, 0.001 },
        { "s = a[where[l] & 15];", "f_sector_private_load", 25.81, 0.001 },
        { "a[where[l] & 15] = 1; s = a[1];", "f_partial_sector_private_store", 25.81,
          0.001 },
        /* of 16 places of a longer array; as many as there are, where they are unknown */
        { "float d[64]; d[n & 3] = 1; s = d[where[l] & 15];", "f_line_private_load",
          13.97, 0.001 },
        { "float d[64]; d[n & 3] = 1; s = d[(uint)where[l] % 16];", "f_line_private_load",
          13.97, 0.001 },
        { "float d[64]; d[n & 3] = 1; s = d[(uint)where[l] >> 28];",
          "f_line_private_load", 13.97, 0.001 },
        { "float d[64]; d[n & 3] = 1; s = d[min((uint)where[l], 15u)];",
          "f_line_private_load", 13.97, 0.001 },
        { "float d[64]; d[n & 3] = 1; s = d[where[l]];", "f_line_private_load", 25.33,
          0.001 },
        { "s = a[where[l] & n];", "f_line_private_load", 13.97, 0.001 },
        /* words of two elements, which more lanes share */
        { "ushort d[16]; d[where[l] & 15] = 1; s = d[2];", "f_line_private_store", 7.889,
          0.001 },
        /* the place in a window, the top of a stack: lanes stay together */
        { "int at = 0; for (int i = 0; i < n; i++) { s += a[at]; at = at + 1 < where[0] "
          "? "
          "at + 1 : 0; }",
          "f_sector_private_load", 4 * 4096, 0 },
        { "int top = 0; for (int i = 0; i < n; i++) { if (where[i] & 1) { top = top - 1; "
          "} else { top = top + 1; a[top] = s; } s += a[top]; }",
          "f_partial_sector_private", 0, 0 },
        /* but not at a number that is loaded, or that a loop mixes from a lane's own */
        { "int at = 0; for (int i = 0; i < n; i++) { at = where[at]; s += a[at]; }",
          "f_sector_private_load", 25.81 * 4096, 0.001 },
        { "uint at = l; for (int i = 0; i < n; i++) { at ^= at << 13; s += a[at]; }",
          "f_sector_private_load", 25.81 * 4096, 0.001 },
        /* lines of the lanes' own */
        { "float d[64]; d[l] = 1; s = d[n & 3];", "f_sector_private_store", 32, 0 },
        /* in registers */
        { "for (int i = 0; i < 16; i++) a[i] = i; for (int i = 0; i < 16; i++) s += "
          "a[i];",
          "f_sector_private", 0, 0 },
        { "for (int i = 0; i < 16; i++) a[i] = i; for (int i = 0; i < 16; i++) s += "
          "a[i];",
          "f_register_access_load", 16, 0 },
        { "for (int i = 0; i < 16; i++) a[i] = i; for (int i = 0; i < 16; i++) s += "
          "a[i];",
          "f_register_access_float32_store", 16, 0 },
        { "double d[4]; d[0] = s; d[1] = d[0]; s = d[1];", "f_register_access_store", 4,
          0 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char source[600];
        struct gcal_profile *p;

        snprintf(source, sizeof(source),
                 "kernel void f(global float *x, global const int *where, int n) {\n"
                 "int l = get_local_id(0); float a[16], s = 0; %s x[l] = s; }",
                 cases[i].body);
        p = count(source, 0, NULL);
        expect_near(p, cases[i].feature, 8 * cases[i].value, cases[i].tolerance,
                    cases[i].body);
        gcal_profile_destroy(p);
    }
}

/* ---- neighbours of places that are data ---- */

/* Distinct sectors of 't' for each of 256 work-items. */
static void neighbours_of_unknown_places_share_sectors(void **state)
{
    static const struct {
        const char *body;
        double sectors;
    } cases[] = {
        { "int a = v[i]; s = t[a] + t[a + 1];", 9.0 / 8 },
        { "int a = v[i]; s = t[a] + t[a + 100];", 2 },
        { "s = t[(int)v[i]] + t[(int)v[i + 256]];", 2 },
        { "int a = v[i], b = v[i + 256]; s = t[a] + t[b];", 2 },
        { "int a = v[i] + w * (int)v[i + 256]; s = t[a] + t[a + 1] + t[a + w] + t[a + w "
          "+ "
          "1];",
          9.0 / 4 },
        { "int a = (int)v[i] + 1024 * (int)v[i + 256]; s = t[a] + t[a + 1] + t[a + 1024] "
          "+ "
          "t[a + 1025];",
          9.0 / 4 },
        { "int2 a = convert_int2(f[i]); s = t[w * a.y + a.x] + t[w * a.y + a.x + 1];",
          9.0 / 8 },
        { "uint h = u[i] * 0x9e3779b9u; h ^= h >> 16; for (int k = 0; k < 4; k++) s += "
          "t[(h "
          "+ k) & 0xfffffff];",
          11.0 / 8 },
        { "int a = v[i]; for (int k = 0; k < 16; k++) s += t[a + k];", 23.0 / 8 },
        { "int a = v[i]; for (int k = 0; k < 16; k++) s += t[a + 64 * k];", 16 },
        { "int a = v[i]; for (int k = 0; k < 16; k++) a = 2 * a + (t[2 * a] < t[2 * a + "
          "1]); s = a;",
          16 },
        { "int a = v[i]; s = t[4 * a] + t[4 * a + 1] + t[4 * a + 3];", 1 },
        { "global const uint *p = t + (int)v[i]; s = p[0] + p[1];", 9.0 / 8 },
        { "int a = v[i]; s = q[a].x + q[a].y + q[a + 1].z;", 3.0 / 2 },
        { "s = t[u[i]] + t[u[i] + 1];", 9.0 / 8 },
        { "s = t[u[i]] + t[u[i + 256]];", 2 },
        { "s = t[i + u[i]] + t[i + u[i] + 1];", 9.0 / 8 },
        /* the ends of a clamp are not where most are */
        { "int a = v[i]; if (a < 0) a = 0; if (a > w - 1) a = w - 1; s = t[a];", 1 },
        { "int a = v[i]; a = a < 0 ? 0 : a; s = t[a] + t[a + 1];", 9.0 / 8 },
        { "s = t[max(0, min((int)v[i], w - 1))];", 1 },
    };
    static const double sizes[] = { 4096 };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char source[600];
        struct gcal_profile *p;
        double found;

        snprintf(
            source, sizeof(source),
            "kernel void f(global float *x, global const float *v, global const float2 "
            "*f, global const int *u, global const uint *t, global const uint4 *q, int "
            "w) { int i = get_global_id(0) + 64 * get_global_id(1); uint s = 0; %s "
            "x[i] = s; }",
            cases[i].body);
        p = count(source, 0, NULL);
        found = by_hand_value(p, "f_footprint_launch_global_uint32_load", sizes) / 256;
        if (fabs(found - cases[i].sectors) > 1e-9)
            fail_msg("%s: %g sectors, not %g", cases[i].body, found, cases[i].sectors);
        found = by_hand_value(p, "f_loop_sector_global_uint32_load", sizes) / 256;
        if (fabs(found - cases[i].sectors) > 1e-9)
            fail_msg("%s: %g sectors in loops, not %g", cases[i].body, found,
                     cases[i].sectors);
        gcal_profile_destroy(p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_banks_have_the_expected_conflict),
        cmocka_unit_test(random_local_accesses_are_not_free),
        cmocka_unit_test(images_have_traffic),
        cmocka_unit_test(data_move_images_as_they_move_arrays),
        cmocka_unit_test(formats_of_images_are_known_from_extents),
        cmocka_unit_test(images_are_loads_that_wait),
        cmocka_unit_test(private_arrays_have_traffic),
        cmocka_unit_test(neighbours_of_unknown_places_share_sectors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
