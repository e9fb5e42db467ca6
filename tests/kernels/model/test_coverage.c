/* test_coverage.c - work that a model has no cost for */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/binding.h"
#include "kernels/model/model.h"
#include "kernels/model/profile.h"

static const struct gcal_binding_device device = { .sub_group_size = 32,
                                                   .compute_units = 7,
                                                   .work_items = 2048,
                                                   .work_groups = 32,
                                                   .local_memory_bytes = 65536,
                                                   .cache_bytes = 3e6 };

/* n work-items in groups of 64.  Executions by work-items: 4 n additions, n loads and n
 * stores of global memory, 2 n local loads, 3 n met barriers, n/4 words copied.  Comparisons need no cost.
 */
static const char profile_text[] =
    "gpucal_profile: 6\n"
    "kernel: k\n"
    "fingerprint: 0123\n"
    "parameters: [n]\n"
    "local_size: [64]\n"
    "groups: [1/64*n]\n"
    "banks: 32\n"
    "sector_bytes: 32\n"
    "index_arithmetic: true\n"
    "entries:\n"
    "- {feature: f_op_float32_add, count: 4*n/sub_group_size, per: sub-group,\n"
    "   dtype: float32, op: add}\n"
    "- {feature: f_aux_float32_cmp, count: 4*n/sub_group_size, per: sub-group,\n"
    "   dtype: float32, op: cmp}\n"
    "- {feature: f_index_int32_cmp, count: 4*n/sub_group_size, per: sub-group,\n"
    "   dtype: int32, op: cmp}\n"
    "- {feature: 'f_mem_access_global_float32_load_lstrides:{0:n}', count: n,\n"
    "   per: work-item, dtype: float32, array: x, memory: global, direction: load,\n"
    "   vector_width: 1, lid_strides: [n], gid_strides: ['64'], afr: '1'}\n"
    "- {feature: 'f_mem_access_global_float32_store_lstrides:{0:1}', count: n,\n"
    "   per: work-item, dtype: float32, array: y, memory: global, direction: store,\n"
    "   vector_width: 1, lid_strides: ['1'], gid_strides: ['64'], afr: '1'}\n"
    "- {feature: 'f_mem_access_local_float32_load_lstrides:{0:2}',\n"
    "   count: 2*n/sub_group_size, per: sub-group, dtype: float32, array: s,\n"
    "   memory: local, direction: load, vector_width: 1, lid_strides: ['2'],\n"
    "   gid_strides: ['0'], afr: '1'}\n"
    "- {feature: f_local_pass_float32_load, count: 4*n/sub_group_size, per: sub-group,\n"
    "   dtype: float32, array: s, memory: local, direction: load, vector_width: 1,\n"
    "   lid_strides: ['2'], gid_strides: ['0']}\n"
    "- {feature: f_sector_global_float32_load, count: n, per: sub-group, dtype: "
    "float32,\n"
    "   array: x, memory: global, direction: load, vector_width: 1, lid_strides: ['?'],\n"
    "   gid_strides: ['?']}\n"
    "- {feature: f_line_global_float32_store, count: 1/32*n, per: sub-group,\n"
    "   dtype: float32, array: y, memory: global, direction: store, vector_width: 1,\n"
    "   lid_strides: ['?'], gid_strides: ['?']}\n"
    "- {feature: f_sync_barrier_local, count: '3', per: kernel}\n"
    "- {feature: f_sync_kernel_launch, count: '1', per: kernel}\n"
    "- {feature: f_thread_groups, count: 1/64*n, per: kernel}\n"
    "- {feature: f_work_items, count: n, per: kernel}\n"
    "- {feature: f_transfer_bytes_to_device_pinned, count: n, per: kernel,\n"
    "   direction: to_device, memory: pinned}\n"
    "- {feature: 'f_memory_tag:k', count: 2*n, per: kernel, tag: k}\n"
    "- {feature: 'f_onchip_tag:k', count: 10*n, per: kernel, tag: k}\n";

#define ALL (4 + 1 + 1 + 2 + 3 + 0.25)

#define CHEAP    "p_add * f_op_float32_add + p_copy * f_transfer_bytes"
#define BARRIERS " + p_barrier * f_sync_barrier_local * f_thread_groups"

static struct gcal_profile *profile;

static struct gcal_profile *decode(const char *text)
{
    struct gcal_error err;
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "p", &err);
    struct gcal_profile *p = root ? gcal_profile_decode(root, &err) : NULL;

    gcal_yaml_destroy(root);
    if (!p)
        fprintf(stderr, "%s\n", err.text);
    return p;
}

static int read_profile(void **state)
{
    (void)state;
    profile = decode(profile_text);
    return profile ? 0 : -1;
}

static int free_profile(void **state)
{
    (void)state;
    gcal_profile_destroy(profile);
    return 0;
}

/* The share without a cost at n, and the feature with most of it. */
static double share_of(const char *expression, const char *component, bool measured,
                       double n, const char **largest, size_t *n_gaps)
{
    static const double parameters[16] = {
        2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2
    };
    struct gcal_error err = { 0 };
    struct gcal_model *model = gcal_model_create("m", "f_cl_wall_time", expression, &err);
    struct gcal_binding_subject subject = { .model = model,
                                            .parameters = parameters,
                                            .component = component,
                                            .measured = measured };
    struct gcal_binding_gap gaps[16];
    struct gcal_binding *binding;
    static char name[100];
    const char *feature;
    double share, sum = 0;

    if (!model)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < model->n_parameters; i++)
        if (strcmp(model->parameters[i].name, "p_hidden") == 0)
            memcpy(model->parameters[i].unit, "1", 2);
    if (!(binding = gcal_binding_create_for(profile, &subject, &device, &err)))
        fail_msg("%s", err.text);
    share = gcal_binding_gaps(binding, &n, gaps, &feature);
    for (size_t i = 0; i < gcal_binding_gap_count(binding); i++)
        sum += gaps[i].share;
    assert_true(fabs(sum - share) < 1e-12);
    if (largest)
        *largest = feature ? strcpy(name, feature) : NULL;
    if (n_gaps)
        *n_gaps = gcal_binding_gap_count(binding);
    gcal_binding_destroy(binding);
    gcal_model_destroy(model);
    return share;
}

#define assert_share(expression, executions)                                             \
    assert_true(fabs(share_of(expression, NULL, false, 640, NULL, NULL) -                \
                     (executions) / ALL) < 1e-12)

static void every_kind_of_work_is_compared(void **state)
{
    const char *largest;

    (void)state;
    assert_share("p_launch * f_sync_kernel_launch", ALL);
    assert_share("p_add * f_op_float32_add", ALL - 4);
    assert_share("p_mul * f_op_float32_mul", ALL);
    assert_share("p_add * f_op_float32_add / p_units", ALL - 4); /* no cost of 0 */
    assert_share(CHEAP, ALL - 4.25);
    assert_share(CHEAP BARRIERS, ALL - 4.25 - 3);
    assert_share(CHEAP " + p_g * f_mem_access_global", ALL - 4.25 - 2);
    assert_share(CHEAP " + p_g * f_mem_access_global_load", ALL - 4.25 - 1);
    share_of(CHEAP, NULL, false, 640, &largest, NULL);
    assert_string_equal(largest, "f_sync_barrier_local");
}

/* Passes and accesses are two counts of the same work. */
static void passes_cover_their_accesses(void **state)
{
    (void)state;
    assert_share("p_l * f_local_pass", ALL - 2);
    assert_share("p_l * f_mem_access_local", ALL - 2);
    assert_share("p_l * f_local_pass_float64", ALL);
}

/* Sectors and lines of memory likewise. */
static void traffic_covers_its_accesses(void **state)
{
    (void)state;
    assert_share("p_s * f_sector", ALL - 1);
    assert_share("p_s * f_sector_global_load + p_l * f_line", ALL - 2);
    assert_share("p_s * f_sector_global_store", ALL);
    assert_share("p_s * f_sector + p_l * f_local_pass", ALL - 3);
}

static void covered_kernels_have_no_gap(void **state)
{
    size_t n_gaps;

    (void)state;
    assert_true(share_of(CHEAP BARRIERS " + p_m * f_mem_access", NULL, false, 640, NULL,
                         &n_gaps) == 0);
    assert_int_equal(n_gaps, 0);
}

/* Features that only choose between parameters do not cover their work. */
static void a_feature_without_seconds_covers_nothing(void **state)
{
    (void)state;
    assert_share("max(p_add * f_op_float32_add, p_g * f_mem_access_tag:no) + "
                 "p_hidden * min(1, f_sync_barrier_local) * "
                 "min(p_add * f_op_float32_add, p_g * f_mem_access_tag:no)",
                 ALL - 4);
}

/* n = 64 only: there the stride is 64. */
static void constraints_hold_at_some_sizes(void **state)
{
    const char *expression = "p_a * f_mem_access_global_load_lstrides:{0:64} + " CHEAP;

    (void)state;
    assert_true(fabs(share_of(expression, NULL, false, 64, NULL, NULL) -
                     (ALL - 5.25) / ALL) < 1e-12);
    assert_true(fabs(share_of(expression, NULL, false, 128, NULL, NULL) -
                     (ALL - 4.25) / ALL) < 1e-12);
}

/* Its own components cover all but transfers; those of another kernel, nothing. */
static void components_belong_to_one_kernel(void **state)
{
    const char *expression = "p_a * f_memory_tag:other + p_b * f_onchip_tag:other";

    (void)state;
    assert_true(fabs(share_of(expression, "other", true, 640, NULL, NULL) - 0.25 / ALL) <
                1e-12);
    assert_true(share_of(expression, NULL, false, 640, NULL, NULL) == 1);
    assert_true(share_of("p_a * f_memory_tag:k", NULL, false, 640, NULL, NULL) == 1);
}

/* Calls 'visit' for all orders of the first 'n' of 'order', n! of them (Heap). */
static void permute(size_t n, size_t *order, void (*visit)(const size_t *order))
{
    if (n < 2)
        visit(order);
    for (size_t i = 0; i < n && n > 1; i++) {
        size_t *a = &order[n % 2 ? 0 : i], *b = &order[n - 1], kept;

        permute(n - 1, order, visit);
        kept = *a;
        *a = *b;
        *b = kept;
    }
}

/* Of 't[x[i] & 1023]' and others: index arithmetic of several kinds beside operations. */
static const char *const mixed[] = {
    "- {feature: f_index_int32_and, count: n, per: sub-group, dtype: int32, op: and}\n",
    ("- {feature: f_index_int32_convert, count: n, per: sub-group, dtype: int32, op: "
     "convert}\n"),
    "- {feature: f_index_uint32_shr, count: n, per: sub-group, dtype: uint32, op: shr}\n",
    "- {feature: f_aux_int32_cmp, count: n, per: sub-group, dtype: int32, op: cmp}\n",
    "- {feature: f_op_int32_and, count: n, per: sub-group, dtype: int32, op: and}\n",
    "- {feature: f_op_int32_shl, count: 3*n, per: sub-group, dtype: int32, op: shl}\n",
};

/* By each model: a cost of all operations; of one; of index arithmetic, too. */
static void check_order(const size_t *order)
{
    static const struct {
        const char *expression;
        double share;
    } models[] = {
        { "p_o * f_op", 0 },
        { "p_o * f_op_int32_and", 0.75 },
        { "p_o * f_op + p_i * f_index", 0 },
        { "p_o * f_op_{*int*}_{!shl} + p_i * f_index_{*int32}_{!mul*} + p_a * f_aux",
          0.75 },
        { "p_i * f_index", 1 },
    };
    struct gcal_profile *whole = profile;
    char text[2000];
    int n = snprintf(text, sizeof(text),
                     "gpucal_profile: 6\nkernel: k\nfingerprint: 0123\n"
                     "parameters: [n]\nlocal_size: [64]\ngroups: [1/64*n]\n"
                     "index_arithmetic: true\nentries:\n");

    for (size_t i = 0; i < sizeof(mixed) / sizeof(*mixed); i++)
        n += snprintf(text + n, sizeof(text) - (size_t)n, "%s", mixed[order[i]]);
    assert_true(n < (int)sizeof(text));
    profile = decode(text);
    assert_non_null(profile);
    for (size_t i = 0; i < sizeof(models) / sizeof(*models); i++) {
        double share = share_of(models[i].expression, NULL, false, 640, NULL, NULL);

        if (fabs(share - models[i].share) > 1e-12)
            fail_msg("%s leaves %g of %s", models[i].expression, share, text);
    }
    gcal_profile_destroy(profile);
    profile = whole;
}

static void the_order_of_entries_does_not_matter(void **state)
{
    size_t order[] = { 0, 1, 2, 3, 4, 5 };

    (void)state;
    permute(sizeof(order) / sizeof(*order), order, check_order);
}

/* The binding of a model of additions alone, with such proportions. */
static struct gcal_binding *bind_adds(const struct gcal_profile *p,
                                      const struct gcal_proportions *proportions)
{
    static const double two = 2;
    struct gcal_error err = { 0 };
    struct gcal_model *model =
        gcal_model_create("m", "f_cl_wall_time", "p_add * f_op_float32_add", &err);
    struct gcal_binding_subject subject = { .model = model,
                                            .parameters = &two,
                                            .proportions = proportions };
    struct gcal_binding *binding = gcal_binding_create_for(p, &subject, &device, &err);

    if (!binding)
        fail_msg("%s", err.text);
    gcal_model_destroy(model);
    return binding;
}

/* The profile with so many additions, of which the others are 7 and a copy. */
static struct gcal_profile *with_additions(const char *count)
{
    char text[sizeof(profile_text) + 20], *at;
    const char *from =
        strstr(profile_text, "4*n/sub_group_size, per: sub-group,\n   dtype: "
                             "float32, op: add");

    memcpy(text, profile_text, (size_t)(from - profile_text));
    at = text + (from - profile_text);
    sprintf(at, "%s%s", count, from + 1);
    return decode(text);
}

/* Gap and lack of the profile with so many additions by a model that was fitted to it. */
static void shares_with(const char *additions, double *gap, double *lack,
                        const char **feature)
{
    struct gcal_proportions proportions = { 0 };
    struct gcal_binding *fitted = bind_adds(profile, NULL), *other;
    struct gcal_profile *p = with_additions(additions);
    const double sizes[] = { 640, 1280 };
    const char *gaps_in, *lacks;

    for (size_t i = 0; i < 2; i++)
        assert_int_equal(
            gcal_binding_add_proportions(fitted, &sizes[i], i, &proportions, NULL), 1);
    assert_non_null(p);
    other = bind_adds(p, &proportions);
    *gap = gcal_binding_gaps(other, sizes, NULL, &gaps_in);
    *lack = gcal_binding_lack(other, sizes, &lacks);
    *feature = *lack > 0 ? strstr(lacks, "barrier") : gaps_in;
    gcal_binding_destroy(other);
    gcal_binding_destroy(fitted);
    gcal_profile_destroy(p);
    gcal_proportions_clear(&proportions);
}

/* All but the copy, which is the launch's, is in proportion to the additions. */
static void costs_stand_for_what_all_kernels_had(void **state)
{
    double gap, lack;
    const char *feature;

    (void)state;
    shares_with("4", &gap, &lack, &feature);
    assert_true(fabs(gap - 0.25 / ALL) < 1e-12 && lack == 0);
    shares_with("3.3", &gap, &lack, &feature);
    assert_true(fabs(gap - 0.25 / (ALL - 0.7)) < 1e-12 && lack == 0);
    /* a quarter of the additions: 1.25 * 7/4 of the 7 others are covered */
    shares_with("1", &gap, &lack, &feature);
    assert_true(fabs(gap - (7 - 1.25 * 7 / 4 + 0.25) / (ALL - 3)) < 1e-12 && lack == 0);
    /* ten times the additions would have 70/1.25 others */
    shares_with("40", &gap, &lack, &feature);
    assert_true(fabs(gap - 0.25 / (ALL + 36)) < 1e-12);
    assert_true(fabs(lack - 49 / (ALL + 36 + 49)) < 1e-12);
    assert_non_null(feature);
}

static void a_kernel_without_free_work_ends_proportions(void **state)
{
    struct gcal_proportions proportions = { 0 };
    struct gcal_profile *many = with_additions("1000");
    struct gcal_binding *few = bind_adds(many, NULL);
    const double n = 640;

    (void)state;
    assert_int_equal(gcal_binding_add_proportions(few, &n, 0, &proportions, NULL), 0);
    gcal_binding_destroy(few);
    gcal_profile_destroy(many);
    gcal_proportions_clear(&proportions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_work_is_compared),
        cmocka_unit_test(passes_cover_their_accesses),
        cmocka_unit_test(traffic_covers_its_accesses),
        cmocka_unit_test(covered_kernels_have_no_gap),
        cmocka_unit_test(a_feature_without_seconds_covers_nothing),
        cmocka_unit_test(constraints_hold_at_some_sizes),
        cmocka_unit_test(components_belong_to_one_kernel),
        cmocka_unit_test(the_order_of_entries_does_not_matter),
        cmocka_unit_test(costs_stand_for_what_all_kernels_had),
        cmocka_unit_test(a_kernel_without_free_work_ends_proportions),
    };

    return cmocka_run_group_tests(tests, read_profile, free_profile);
}
