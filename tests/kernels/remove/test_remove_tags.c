/* test_remove_tags.c - work removal of kernels whose tags are comments: a tag picks a
 * load and stays with it, so that the load is counted as before
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/remove/remove.h"

static const char source[] =
    "struct body { float x; int kind; float v[4]; };\n"
    "#define LATER(p) (1.5f * (p))\n"
    "float scaled(__global const float *p, int i) { return p/*$called*/[i] * 2.0f; }\n"
    "float unused(__global const float *p, int i) { return p/*$unused*/[i] * 2.0f; }\n"
    "__kernel void k(__global float *a, __global const float *b,\n"
    "                __global const int *ix, __global const struct body *s,\n"
    "                __global const float4 *w, __local float *t, int n)\n"
    "{\n"
    "    int g = get_global_id(0), l = get_local_id(0);\n"
    "    float f = a/*$plain*/[g] + *(b + g)/*$followed*/;\n"
    "    f += a/*$outer*/[ix /*$inner*/ [g]] + LATER(b/*$argument*/[g + 1]);\n"
    "    float4 q = vload4(g, b + 4 * n /*$quad*/);\n"
    "    f += q.x + w/*$lane*/[g].y;\n"
    "    f += s/*$member*/[g].x + s/*$array*/[g].v[2] + (s/*$bracket*/[g + 2]).x;\n"
    "    __global const struct body *r = s + n;\n"
    "    f += r/*$arrow*/->x + scaled(b, g + 7);\n"
    "    t/*$here*/[l] = f;\n"
    "    f *= t[l];\n"
    "    vstore4(q, g, a/*$put*/);\n"
    "    a/*$sum*/[g] += f;\n"
    "}\n";

static struct gcal_error err;

static char *reduce(const char *text, enum gcal_remove_form form, size_t n_keep,
                    const char *const *keep)
{
    struct gcal_count_request request = { .source = text, .file = "k.cl", .n_dims = 1 };
    struct gcal_remove_options removal = { .form = form, .n_keep = n_keep, .keep = keep };

    return gcal_remove_work(&request, &removal, NULL, &err);
}

static struct gcal_profile *count(const char *text)
{
    struct gcal_count_request request = { .source = text,
                                          .file = "k.cl",
                                          .n_dims = 1,
                                          .local_size = { 64 },
                                          .global_size = { "n" },
                                          .sub_group_size = 1 };
    struct gcal_profile *p = gcal_count(&request, &err);

    if (!p)
        fail_msg("%s\n%s", err.text, text);
    return p;
}

static bool is_load(const struct gcal_profile_entry *e)
{
    return e->kind == GCAL_FEATURE_MEM_ACCESS && e->space == GCAL_FEATURE_SPACE_GLOBAL &&
           e->direction == GCAL_FEATURE_LOAD;
}

static const struct gcal_profile_entry *load_with(const struct gcal_profile *p,
                                                  const char *tag)
{
    for (size_t i = 0; i < p->n_entries; i++)
        if (is_load(&p->entries[i]) && p->entries[i].tag &&
            strcmp(p->entries[i].tag, tag) == 0)
            return &p->entries[i];
    fail_msg("no load has the tag '%s'", tag);
    return NULL;
}

static void a_tag_picks_its_access_alone(void **state)
{
    static const struct {
        const char *tag, *text;
    } kept[] = {
        { "plain", "GPUCAL_TAG(plain, a[g])" },
        { "followed", "GPUCAL_TAG(followed, *(b + g))" },
        { "inner", "GPUCAL_TAG(inner, ix[g])" },
        { "argument", "GPUCAL_TAG(argument, b[g + 1])" },
        { "quad", "vload4(g, &GPUCAL_TAG(quad, *(b + 4 * n)))" },
        { "lane", "GPUCAL_TAG(lane, w[g]).y" },
        { "member", "GPUCAL_TAG(member, s[g].x)" },
        { "array", "GPUCAL_TAG(array, s[g].v[2])" },
        { "bracket", "GPUCAL_TAG(bracket, (s[g + 2]).x)" },
        { "arrow", "GPUCAL_TAG(arrow, r->x)" },
        { "called", "GPUCAL_TAG(called, p[i])" },
        { "sum", "GPUCAL_TAG(sum, a[g])" },
    };
    struct gcal_profile *before = count(source);

    (void)state;
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        char *text = reduce(source, GCAL_REMOVE_KEEP_LOADS, 1, &kept[i].tag);
        struct gcal_profile *after;
        size_t n_loads = 0;

        if (!text)
            fail_msg("%s", err.text);
        if (!strstr(text, kept[i].text) || strstr(text, "(void)"))
            fail_msg("expected %s:\n%s", kept[i].text, text);
        after = count(text);
        for (size_t j = 0; j < after->n_entries; j++)
            n_loads += is_load(&after->entries[j]);
        assert_int_equal(n_loads, 1);
        assert_string_equal(load_with(after, kept[i].tag)->feature,
                            load_with(before, kept[i].tag)->feature);
        assert_string_equal(load_with(after, kept[i].tag)->count,
                            load_with(before, kept[i].tag)->count);
        gcal_profile_destroy(after);
        free(text);
    }
    gcal_profile_destroy(before);
}

static void an_address_keeps_its_tags(void **state)
{
    static const char *const keep[] = { "outer", "inner" };
    char *text = reduce(source, GCAL_REMOVE_KEEP_LOADS, 2, keep);

    (void)state;
    if (!text)
        fail_msg("%s", err.text);
    assert_non_null(strstr(text, "GPUCAL_TAG(outer, a[GPUCAL_TAG(inner, ix[g])])"));
    free(text);
}

static void work_on_the_chip_keeps_local_tags(void **state)
{
    char *text = reduce(source, GCAL_REMOVE_KEEP_ONCHIP, 0, NULL);

    (void)state;
    if (!text)
        fail_msg("%s", err.text);
    assert_non_null(strstr(text, "    GPUCAL_TAG(here, t[l]) = f;\n"));
    assert_non_null(strstr(text, "#define GPUCAL_TAG(name, lvalue) (lvalue)\n"));
    free(text);
}

static void expect_refusal(const char *text, const char *keep, const char *where,
                           const char *why)
{
    char *made = reduce(text, GCAL_REMOVE_KEEP_LOADS, 1, &keep);

    if (made)
        fail_msg("%s", made);
    if (strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, why))
        fail_msg("got: %s", err.text);
}

static void messages_name_the_given_lines(void **state)
{
    (void)state;
    expect_refusal(source, "outer", "k.cl:11:", "keep it too");
    expect_refusal(source, "put", "k.cl: ", "the loads are: a, plain, ");
    expect_refusal("__kernel void k(__global float *a) {\n"
                   "a/*$odd*/[0] = a[1/*$lost*/];\n"
                   "}\n",
                   "a", "k.cl:2:19: ", "belongs to no access");
    expect_refusal("#define LOAD a/*$t*/[1]\n"
                   "__kernel void k(__global float *a) {\n"
                   "a[0] = LOAD;\n"
                   "}\n",
                   "a", "k.cl:1:15: ", "GPUCAL_TAG");
    expect_refusal("#define PART s\n"
                   "struct body { __global float *p; };\n"
                   "__kernel void k(__global float *a) {\n"
                   "struct body s; s.p = a;\n"
                   "a[0] = PART.p/*$t*/[1];\n"
                   "}\n",
                   "a", "k.cl:5:14: ", "GPUCAL_TAG(t, ...)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tag_picks_its_access_alone),
        cmocka_unit_test(an_address_keeps_its_tags),
        cmocka_unit_test(work_on_the_chip_keeps_local_tags),
        cmocka_unit_test(messages_name_the_given_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
