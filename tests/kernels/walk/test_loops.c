/* test_loops.c - loops with unsigned wrap, mixed signs, chosen bounds, doubling variables
 * and symbolic steps: counts equal what a run on the host does
 *
 *   test_loops BODY [ASSUMPTION]      one body (see loop_points.h), for trying things
 *   test_loops --random FIRST CASES   random ones: those that are wrong are printed
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/kernels/walk/loop_points.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static const int some_sizes[][2] = { { 40, 7 }, { 5, 20 }, { 1, 1 }, { 0, 3 } };

struct accepted {
    const char *body, *assume;
};

static void check_accepted(const struct accepted *all, size_t n)
{
    char text[LOOP_POINTS_TEXT];
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++) {
        struct loop_points_case points = { all[i].body, all[i].assume, LENGTH(some_sizes),
                                           some_sizes };

        if (all[i].assume) /* the first sizes meet all of them */
            points.n_sizes = 1;
        if (loop_points_check(&points, text) == LOOP_POINTS_EQUAL)
            continue;
        print_error("%s\n    %s\n", all[i].body, text);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

/* ---- unsigned wrap and mixed signs ---- */

static const struct accepted wraps[] = {
    { "if (g % 2 == 1) for (long j = m; j < g; j += 2) HIT;", NULL },
    { "for (uint j = g - 1; j < n; j++) HIT;", NULL },
    { "for (uint j = g - 3; j < g; j++) HIT;", NULL },
    { "for (uint j = g - 3; j < g - 1; j++) HIT;", NULL },
    { "for (int j = -3; j < get_local_size(0); j++) HIT;", NULL },
    { "int j = i - 3; for (; j < n; j++) HIT;", NULL },
    { "for (int j = i - 3; j < (int)n; j++) HIT;", NULL },
    { "int lo = h - 2; for (size_t j = lo; j < n; j++) HIT;", NULL },
    { "int lo = h - 2; for (long j = lo; j < n; j++) HIT;", NULL },
    { "for (uint j = n - 1; j < n; j--) HIT;", NULL },
    { "for (uint j = n - 1; j < n; j -= 2) HIT;", NULL },
    { "for (uint j = n - 1; j < n; --j) if (j > l) HIT;", NULL },
    { "for (uint j = g; j <= g; j--) HIT;", NULL },
    { "for (uint j = n; j-- > 0;) HIT;", NULL },
    { "for (uint j = n; j-- > l;) HIT;", NULL },
    { "for (uint j = g; j-- != 0;) HIT;", NULL },
    { "for (uint j = g; j != UINT_MAX; j--) HIT;", NULL },
    { "for (uint j = n - 1; j != (uint)-1; j--) HIT;", NULL },
    { "for (uint j = 0; j < min(g - 1, n); j++) HIT;", NULL },
    { "if (g >= 20) for (uint j = 0; j < max(g - 21, 3u) && j < n; j++) HIT;", NULL },
    { "for (uint j = min(g - 1, 5u); j < 9; j++) HIT;", NULL },
    { "for (uint j = 0; j < clamp(g - 4, 2u, 9u); j++) HIT;", NULL },
    { "for (int j = -1; j < (int)get_local_size(0); j++) HIT;", NULL },
    { "for (int j = m - 4; j < n; j++) HIT;", NULL },
    { "for (int j = 0; j - 2 < n; j++) HIT;", NULL },
    { "for (uint j = 0; j < n && j - 2 < 5; j++) HIT;", NULL },
    { "for (uint j = 0; j < n; j++) if (j - g < 4) HIT;", NULL },
    { "for (uint j = 0; j < n && 3 > l - j; j++) HIT;", NULL },
    { "uint j = l - 2; while (j < 20) { HIT; j += 3; }", NULL },
    { "uint j = l - 2; do { HIT; j++; } while (j < 20);", NULL },
    { "for (int j = h - 4; j <= 2u; j++) HIT;", NULL },
    { "for (uint j = l - 4; (int)j <= 2; j++) HIT;", NULL },
};

/* ---- types of 8 and 16 bits ---- */

static const struct accepted narrow[] = {
    { "uchar c = 200; c += 100; for (int j = 0; j < c; j++) HIT;", NULL },
    { "uchar c = l - 3; for (int j = 250; j < c; j++) HIT;", NULL },
    { "char c = 100 + 5 * h; for (int j = 0; j < c; j++) HIT;", NULL },
    { "for (uchar c = 0; c < n; c++) HIT;", NULL },
    { "ushort c = 65530; for (int j = 0; j < 10; j++, c++) if (c < 3) HIT;", NULL },
    { "uchar c = 0; c--; for (int j = 0; j < c; j++) if (j > 253) HIT;", NULL },
    { "for (int j = (uchar)(i + 250); j < 255; j++) HIT;", NULL },
    { "for (short j = i - 2; j < m; j++) HIT;", NULL },
};

/* ---- bits ---- */

static const struct accepted masked[] = {
    { "if (n & 4) HIT;", NULL },
    { "if ((n & 12) == 8 && l < 5) HIT;", NULL },
    { "if (m & 1 || n & 2) HIT;", NULL },
    { "if (i & 6) HIT;", NULL },
    { "if ((i & 5) == 4) HIT;", NULL },
    { "if ((i & 0x15) == 0x11) HIT;", NULL },
    { "if (((i ^ 1) & 3) == 2) HIT;", NULL },
    { "if ((h - 5) & 2) HIT;", NULL },
    { "if (((h - 5) | 2) == -1) HIT;", NULL },
    { "for (int j = 0; j < (i ^ 5); j++) HIT;", NULL },
    { "for (int j = 0; j < (m | 3); j++) HIT;", NULL },
    { "for (int j = 0; j < (i & ~6); j++) HIT;", NULL },
    { "for (int j = i & 2; j < (int)(n & 0x2a); j++) HIT;", NULL },
    { "uint u = l - 3; if ((u & 0xfffffffc) < 4) HIT;", NULL },
    { "uint u = l - 3; if ((u ^ 0xffffffff) < 3) HIT;", NULL },
    { "uint u = l - 3; if ((u | 6) > 100) HIT;", NULL },
};

/* ---- bounds that depend on the group or on ids ---- */

#define REGION                                                                           \
    "uint region = n / 3, start = region * get_group_id(0), stop;"                       \
    "bool last = get_group_id(0) == get_num_groups(0) - 1;"

static const struct accepted chosen[] = {
    { REGION "stop = last ? n : start + region;"
             "for (uint j = start + l; j < stop; j += 8) HIT;",
      NULL },
    { REGION "if (last) stop = n; else stop = start + region;"
             "uint j = start + l; while (j < stop) { HIT; j += 8; }",
      NULL },
    { REGION "stop = start + region; if (last) stop = n;"
             "for (uint j = start; j < stop; j++) if ((j - start) % 2 == 0) HIT;",
      NULL },
    { REGION "for (uint j = start; j < (last ? n : start + region); j++) HIT;", NULL },
    { REGION "for (uint j = last ? 2 * region : start; j < n; j++) HIT;", NULL },
    { "int e = h < 3 ? 5 : 9; for (int j = 0; j < e; j++) HIT;", NULL },
    { "int e = h < 3 ? (int)n : m + 2; for (int j = h; j < e; j++) HIT;", NULL },
    { "int s = h < 3 ? m : h; for (int j = s; j < n; j++) HIT;", NULL },
    { "int e = n; if (i > 4) e = m; if (i > 12) e = h; for (int j = 0; j < e; j++) HIT;",
      NULL },
    { "int e = n > m ? 3 * m : n; for (int j = 0; j < e; j++) HIT;", NULL },
    { "int e = i % 2 ? n : m; for (int j = 0; j < e; j++) HIT;", NULL },
    { "int e = (i == 3 || i == 5) ? n : m; for (int j = 0; j < e; j++) for (int k = j; k "
      "< e; k++) HIT;",
      NULL },
    { "int e = h > 2 ? n : m; int j = 0; while (1) { if (j >= e) break; HIT; j++; }",
      NULL },
    { "int e = h > 2 ? n : m; for (int j = 0; j < 50; j++) if (j < e) HIT;", NULL },
    { "int e = h > 2 ? n : m, k = h > 2 ? 1 : 4; if (e - k > 3) HIT;", NULL },
    { "int e = h > 2 ? n : m; e = -e; for (int j = e; j < 0; j++) HIT;", NULL },
    { "int e = h > 2 ? n : m; for (int j = 0; j < min(e, 9); j++) HIT;", NULL },
    { "uint e = l > 2 ? n : 5; do { HIT; e--; } while (e < n);", NULL },
    { "int e = get_group_id(0) ? n : m, j = 0; for (; j < e; j++) HIT; for (; j < 50; "
      "j++) "
      "HIT;",
      NULL },
    { "int e = get_group_id(0) ? n : m; for (int j = 0; j < e; j++) { int b = j > 3 ? e "
      ": "
      "m; for (int k = 0; k < b; k++) HIT; }",
      NULL },
};

/* ---- variables that double or halve ---- */

static const struct accepted scaled[] = {
    { "for (uint s = 1; s < n; s *= 2) HIT;", NULL },
    { "for (uint s = 1; s <= n; s <<= 1) HIT;", NULL },
    { "for (uint s = 4; s < n; s = s * 2) HIT;", NULL },
    { "for (uint s = 3; 2 * s < n + 1; s = 2 * s) HIT;", NULL },
    { "for (int s = 1; s < m; s *= 4) HIT;", NULL },
    { "for (int s = 5; s <= m; s <<= 3) HIT;", NULL },
    { "for (uint d = n; d > 0; d >>= 1) HIT;", NULL },
    { "for (uint d = n >> 1; d > 0; d >>= 1) HIT;", NULL },
    { "for (uint d = n / 2; d; d /= 2) HIT;", NULL },
    { "for (uint d = n / 2; d != 0; d = d >> 1) HIT;", NULL },
    { "for (uint d = 3 * n + 1; d >= 5; d /= 2) HIT;", NULL },
    { "for (uint d = n; d > 3; d /= 16) HIT;", NULL },
    { "uint d = n; while (d > 1) { HIT; d /= 2; HIT; }", NULL },
    { "int s = 1; while (s < m) { for (int j = 0; j < m; j++) HIT; s *= 2; }", NULL },
    { "for (int s = 1; s < m; s *= 2) for (int j = 0; j < h; j++) HIT;", NULL },
    { "for (int s = 1, k = 0; s < m; s *= 2, k++) for (int j = 0; j < k; j++) HIT;",
      NULL },
    { "for (int s = 1; s <= m; s <<= 1) for (int t = s / 2; t > 0; t /= 2) HIT;", NULL },
    { "for (int s = 2; s <= m; s *= 2) for (int t = s >> 1; t > 0; t >>= 1) HIT;", NULL },
    { "for (int s = 2; s <= m; s *= 2) for (int t = s; t >= 1; t >>= 1) if (h > 2) HIT;",
      NULL },
    { "for (uint s = 1; s < n; s *= 2) for (int j = 0; j < s; j++) HIT;", NULL },
    { "for (uint s = 1; s < n; s *= 2) for (int j = 2; j < 2 * s + m; j++) HIT;", NULL },
    { "for (int s = 2; s <= m; s *= 2) for (int t = s / 2; t > 0; t /= 2) for (int j = "
      "0; "
      "j < t; j++) HIT;",
      NULL },
    { "for (int s = 1; s < m && s < 50; s *= 2) HIT;", NULL },
    { "for (int s = 1, k = 0; s < m && k < 3; s *= 2, k++) HIT;", NULL },
    { "int s; for (s = 1; s < m; s *= 2) HIT; for (int j = 0; j < s; j++) HIT;", NULL },
    { "int s = 64; do { HIT; s /= 2; } while (s > 0);", NULL },
    { "for (uint d = n >> 1; d > 0; d >>= 1) if (l < d) HIT;", "n = 40" },
    { "for (uint s = 1; s < n; s *= 2) if (l % (2 * s) == 0) HIT;", "n = 40" },
};

static void variables_may_double(void **state)
{
    (void)state;
    check_accepted(scaled, LENGTH(scaled));
}

/* ---- variables that change in other ways, with tests that lanes decide ---- */

static const struct accepted guarded[] = {
    { "for (int s = n; s > 1; s = s * 2 / 3) HIT;", "n = 40" },
    { "for (int s = n; s > l; s = s * 2 / 3) HIT;", "n = 40" },
    { "for (int s = 1; s * s <= g; s++) HIT;", "n = 40" },
    { "for (int s = 1; s * s <= n; s++) if (n % s == 0) HIT;", "n = 40" },
    { "int x = i; while (x > 0) { HIT; x = x / 3 - 1; }", "n = 40" },
    { "int x = i, c = 0; while (x > 0) { x = x / 3; c++; HIT; if (c > m - 5) break; }",
      "n = 40 and m = 7" },
    { "int x = i; do { x = x / 2; if (x == 1) return; HIT; } while (x > 3); HIT;",
      "n = 40" },
    { "for (int s = i; s > 1; s = s * 2 / 3) HIT;", "n = 40" },
    { "for (uint j = 0; j < g - 1; j++) { HIT; if (j == 3) break; }", NULL },
    { "int lo = 0, hi = n; while (lo < hi) { int at = (lo + hi) / 2; if (at * at < m) lo "
      "= at + 1; else hi = at; HIT; }",
      "n = 40 and m = 7" },
    { "for (int j = 1; j < l; j = 2 * j + 1) for (int k = j; k < l; k++) HIT;",
      "n = 40" },
};

static void tests_may_differ_between_lanes(void **state)
{
    (void)state;
    check_accepted(guarded, LENGTH(guarded));
}

/* ---- steps by a size, tiles of a symbolic size ---- */

static const struct accepted stepped[] = {
    { "for (int j = 0; j < n; j += m) HIT;", "m >= 1" },
    { "for (int j = 2; j < n; j += m) HIT;", "m >= 1" },
    { "for (int j = m; j < n; j += m) HIT;", "m >= 1" },
    { "for (int j = h; j < n; j += 2 * m) HIT;", "m >= 4" },
    { "for (int j = h; j < n * m; j += m) HIT;", "m >= 7 and n >= 4" },
    { "for (int j = 0; j < n * m; j += 4 * m) HIT;", "m >= 1" },
    { "for (int j = 5 * m; j < n * m; j += 4 * m) HIT;", "m >= 1" },
    { "int j = 0; do { HIT; j += 4 * m; } while (j < n * m);", "m >= 1 and n >= 4" },
    { "for (int t = 0; t < n; t += m) for (int j = t; j < min(t + m, (int)n); j++) HIT;",
      "m >= 1" },
    { "for (int t = 0; t < n; t += m) for (int j = t; j < t + m && j < n; j++) HIT;",
      "m >= 1" },
    { "for (int t = 3; t < n; t += m) { int e = t + m < n ? t + m : n; for (int j = t; j "
      "< e; j++) HIT; }",
      "m >= 1 and n >= 3" },
    { "for (int t = 0; t < n; t += m) for (int j = t; j < min(t + m, (int)n); j++)"
      "for (int u = 0; u < n; u += m) for (int k = u; k < min(u + m, (int)n); k++) HIT;",
      "m >= 1" },
    { "for (int t = 0; t < n / m; t++) for (int j = t * m; j < t * m + m; j++) HIT;",
      "m >= 1" },
    { "for (int a = 0; a < n; a++) for (int b = a; b < n; b++) for (int o = max(b, 2); o "
      "< n; o++) for (int p = min(o, m); p < n; p++) HIT;",
      NULL },
};

static void steps_may_be_sizes(void **state)
{
    (void)state;
    check_accepted(stepped, LENGTH(stepped));
}

/* ---- quotients, which C rounds towards zero ---- */

static const struct accepted quotients[] = {
    { "int k = (m - 1) / 2; for (int j = -k; j < k; j++) HIT;", NULL },
    { "int k = (m - 9) / 2; for (int j = -k; j < k; j++) HIT;", NULL },
    { "int k = (m - 9) / 2; for (int j = k; j < m; j++) HIT;", NULL },
    { "int k = (m - 9) / -2; for (int j = k; j < m; j++) HIT;", NULL },
    { "int k = (m - 3) / 2; if (h < k) HIT;", NULL },
    { "int k = (h - 3) / 2; if (k == 0) HIT;", NULL },
    { "int k = (m - 6) % 4; for (int j = -3; j < k; j++) HIT;", NULL },
    { "int k = (h - 5) % 4; for (int j = -3; j < k; j++) HIT;", NULL },
    { "int k = (h - 5) % -4; for (int j = -3; j < k; j++) HIT;", NULL },
    { "int k = (h - m) / 3; for (int j = -3; j < k; j++) HIT;", NULL },
    { "int k = ((int)n - 5) / (m + 1); for (int j = -k; j < k; j++) HIT;", NULL },
    { "for (int k = 0; k < ((int)n - h - 1 + m) / m; k++) HIT;", NULL },
    { "for (int k = 0; k < ((int)n - i - 1 + 3) / 3; k++) HIT;", NULL },
    { "uint k = (n - 1) / 2; for (int j = 0; j < k; j++) HIT;", "n >= 1" },
};

static void quotients_round_towards_zero(void **state)
{
    (void)state;
    check_accepted(quotients, LENGTH(quotients));
}

/* ---- sizes computed in floating point ---- */

static const struct accepted rounded[] = {
    { "int b = ceil((float)n / 8.0f); for (int j = 0; j < b; j++) HIT;", NULL },
    { "int b = (int)ceil((double)n / 8); for (int j = 0; j < b; j++) HIT;", NULL },
    { "for (int j = 0; j < (int)ceil(n / 10.0f); j++) HIT;", NULL },
    { "int b = floor(n / 8.0f + 0.5f); for (int j = 0; j < b; j++) HIT;", NULL },
    { "int b = n * 0.25; for (int j = 0; j < b; j++) HIT;", NULL },
    { "int b = convert_int(n / 3.0f); for (int j = 0; j < b; j++) HIT;", NULL },
    { "int b = -floor(-(n / 3.0f)); for (int j = 0; j < b; j++) HIT;", NULL },
    { "int b = ceil(n * 1.0 / 5) - floor(m / 2.0); for (int j = 0; j < b; j++) HIT;",
      NULL },
};

static void floats_may_be_sizes(void **state)
{
    (void)state;
    check_accepted(rounded, LENGTH(rounded));
}

/* ---- refusals, whose advice helps ---- */

/* What these would be in exact arithmetic is not what they are. */
static void rounding_is_refused(void **state)
{
    static const char *const bodies[] = {
        "int b = ceil(n * 0.1f); for (int j = 0; j < b; j++) HIT;",
        "int b = ceil(n / 3.0f * 3.0f); for (int j = 0; j < b; j++) HIT;",
        "float q = 3; for (; q < m;) q += 2; for (int j = 0; j < q; j++) HIT;",
        "int b = as_int(n * 0.5f); for (int j = 0; j < b; j++) HIT;",
        "for (uchar c = 10; c < 11; c--) HIT;",
    };
    char text[LOOP_POINTS_TEXT];

    (void)state;
    for (size_t i = 0; i < LENGTH(bodies); i++) {
        struct loop_points_case points = { bodies[i], NULL, 1, some_sizes };

        if (loop_points_check(&points, text) != LOOP_POINTS_REFUSED)
            fail_msg("%s", bodies[i]);
    }
}

struct refused {
    const char *body, *because, *advice; /* NULL: none is given, and this helps */
    int size[2];
};

static const struct refused advised[] = {
    { "for (uint d = n >> 1; d > 0; d >>= 1) if (l < d) HIT;",
      "fix 'n' as a number",
      "n = 40",
      { 40, 7 } },
    { "for (uint s = 1; s < n; s *= 2) if (l < s) HIT;",
      "--assume \"n = 1024\"",
      "n = 40",
      { 40, 7 } },
    { "for (uint s = 1; s < n; s *= 2) if (2 * s * l < n) HIT;",
      "--assume \"n = 1024\"",
      "n = 40",
      { 40, 7 } },
    { "for (int s = m; s < n; s *= 2) HIT;", "--assume \"m >= 1\"", NULL, { 40, 7 } },
    { "for (int j = h; j < n; j += 2 * m) HIT;", "--assume \"n >= 8\"", NULL, { 40, 7 } },
    { "for (int j = h; j < n; j += m - 3) HIT;",
      "--assume \"m >= 11\"",
      NULL,
      { 40, 12 } },
    { "uint k = (n - 1) / 2; for (int j = 0; j < k; j++) HIT;",
      "--assume \"n >= 1\"",
      NULL,
      { 40, 7 } },
    { "int k = ((int)n - 5) / (m - 1); for (int j = -k; j < k; j++) HIT;",
      "--assume \"m >= 2\"",
      NULL,
      { 40, 7 } },
    { "for (int j = 0; j < 60 / (m - (int)n); j++) HIT;",
      "--assume \"m > n\"",
      NULL,
      { 7, 12 } },
    { "for (int j = 0; j < 60 / ((int)n - m); j++) HIT;",
      "--assume \"n > m\"",
      NULL,
      { 12, 7 } },
    { "for (int j = n; j != 0; j -= 4) HIT;", "--assume \"n % 4 = 0\"", NULL, { 40, 7 } },
    { "for (int j = n; j != m; j -= 4) HIT;",
      "--assume \"n % 4 = 0 and m % 4 = 0\"",
      NULL,
      { 40, 8 } },
    { "for (int j = 0; j < n; j++) for (int k = 0; k * k < j + m; k++) HIT;",
      "--assume \"n = 64 and m = 64\"",
      NULL,
      { 64, 64 } },
};

/* The assumption in a message, as people paste it; the caller's to free. */
static char *pasted(const char *text)
{
    const char *at = strstr(text, "it can be counted with --assume \"");
    const char *end;

    if (!at)
        return NULL;
    at = strchr(at, '"') + 1;
    end = strchr(at, '"');
    return end ? strndup(at, (size_t)(end - at)) : NULL;
}

static void advice_helps(void **state)
{
    char text[LOOP_POINTS_TEXT];

    (void)state;
    for (size_t i = 0; i < LENGTH(advised); i++) {
        struct loop_points_case points = { advised[i].body, NULL, 1, &advised[i].size };
        char *advice;

        assert_int_equal(loop_points_check(&points, text), LOOP_POINTS_REFUSED);
        if (!strstr(text, advised[i].because))
            fail_msg("%s\n%s", advised[i].body, text);
        advice = advised[i].advice ? strdup(advised[i].advice) : pasted(text);
        assert_non_null(advice);
        points.assume = advice;
        if (loop_points_check(&points, text) != LOOP_POINTS_EQUAL)
            fail_msg("%s\n%s", advised[i].body, text);
        free(advice);
    }
}

static void bits_are_counted(void **state)
{
    (void)state;
    check_accepted(masked, LENGTH(masked));
}

static void bounds_may_be_chosen(void **state)
{
    (void)state;
    check_accepted(chosen, LENGTH(chosen));
}

static void unsigned_values_wrap(void **state)
{
    (void)state;
    check_accepted(wraps, LENGTH(wraps));
}

static void narrow_values_wrap(void **state)
{
    (void)state;
    check_accepted(narrow, LENGTH(narrow));
}

/* ---- random loops ---- */

/* Prints those that are wrong; their number. */
static size_t check_random(uint64_t first, size_t n, size_t *n_equal)
{
    static const int sizes[][2] = { { 11, 4 }, { 2, 9 }, { 0, 1 } };
    char text[LOOP_POINTS_TEXT];
    size_t wrong = 0;

    for (size_t i = 0; i < n; i++) {
        char *body = loop_random(first + i);
        struct loop_points_case points = { body, NULL, LENGTH(sizes), sizes };
        enum loop_points_result result = loop_points_check(&points, text);

        *n_equal += result == LOOP_POINTS_EQUAL;
        wrong += result == LOOP_POINTS_WRONG;
        if (result == LOOP_POINTS_WRONG)
            print_error("%llu: %s\n    %s\n", (unsigned long long)(first + i), body,
                        text);
        free(body);
    }
    return wrong;
}

static void random_loops_are_right(void **state)
{
    enum { N_CASES = 60, MOST_REFUSED = 30 };
    size_t n_equal = 0;

    (void)state;
    assert_int_equal(check_random(1, N_CASES, &n_equal), 0);
    assert_true(n_equal >= N_CASES - MOST_REFUSED);
}

static int try_random(const char *first, const char *cases)
{
    size_t n_equal = 0;
    size_t n = strtoul(cases, NULL, 10);
    size_t wrong = check_random(strtoull(first, NULL, 10), n, &n_equal);

    printf("%zu of %zu equal, %zu wrong, the others refused\n", n_equal, n, wrong);
    return wrong > 0;
}

static int try_one(const char *body, const char *assume)
{
    struct loop_points_case points = { body, assume, assume ? 1 : LENGTH(some_sizes),
                                       some_sizes };
    static const char *const names[] = { "equal", "refused", "wrong" };
    char text[LOOP_POINTS_TEXT];
    enum loop_points_result result = loop_points_check(&points, text);

    printf("%s %s\n", names[result], text);
    return result != LOOP_POINTS_EQUAL;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unsigned_values_wrap),
        cmocka_unit_test(narrow_values_wrap),
        cmocka_unit_test(bounds_may_be_chosen),
        cmocka_unit_test(variables_may_double),
        cmocka_unit_test(advice_helps),
        cmocka_unit_test(tests_may_differ_between_lanes),
        cmocka_unit_test(steps_may_be_sizes),
        cmocka_unit_test(quotients_round_towards_zero),
        cmocka_unit_test(floats_may_be_sizes),
        cmocka_unit_test(rounding_is_refused),
        cmocka_unit_test(bits_are_counted),
        cmocka_unit_test(random_loops_are_right),
    };

    if (argc == 4 && strcmp(argv[1], "--random") == 0)
        return try_random(argv[2], argv[3]);
    if (argc > 1)
        return try_one(argv[1], argc > 2 ? argv[2] : NULL);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
