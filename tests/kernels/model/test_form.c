/* test_form.c - ready forms and their expressions */
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
#include "kernels/model/form.h"
#include "kernels/model/model.h"

#define assert_near(a, b) assert_true(fabs((a) - (b)) <= 1e-14 * fabs(b))

static const struct gcal_form_part loads[] = { { "p_a", "f_mem_access_global_load",
                                                 true } };
static const struct gcal_form_part madds[] = { { "p_madd", "f_op_float32_madd", false } };

static const struct gcal_form_cost_group groups[] = {
    { "memory", "p_a*f_mem_access_global_load + p_b*f_mem_access_global_store", 1,
      loads },
    { "launch", "p_group*f_thread_groups", 0, NULL },
    { "onchip", "p_madd*f_op_float32_madd", 1, madds },
    { "local", "p_local*f_mem_access_local", 0, NULL },
};

static const struct {
    const char *name;
    double value;
} values[] = {
    { "p_a", 2.385e-12 },
    { "p_b", 7.13e-12 },
    { "p_group", 5.9e-10 },
    { "p_madd", 1.07e-12 },
    { "p_local", 3.1e-12 },
    { "p_launch", 4.7e-6 },
    { "p_edge", 6.5 },
    { "p_overlap", 1.37 },
    { "p_sharpness", 9.5 },
    { "p_hidden", 0.31 },
    { "p_hidden_memory", 0.63 },
    { "p_hidden_barrier", 0.47 },
    { "p_hidden_cached", 0.87 },
    { "p_start", 2.9 },
    { "p_fill", 45814 },
    { "p_units", 132 },
    { "p_a_fill", 5.3 },
    { "p_a_aligned", 0.7 },
    { "p_madd_fill", 1.9 },
    { "f_mem_access_global_float64_lstrides:{0:%16}", 0 },
    { "f_mem_access_global_float64_lstrides:{1:%16}", 0 },
    { "f_mem_access_global_lstrides:{0:%32}", 0 },
    { "f_mem_access_global_load", 1.3e8 },
    { "f_mem_access_global", 1.71e8 },
    { "f_mem_access_global_store", 4.1e7 },
    { "f_op_float32_madd", 3.9e8 },
    { "f_mem_access_local", 9.7e7 },
    { "f_sync_kernel_launch", 1 },
};

/* What decides how much of the shorter work hides. */
struct kind {
    double barriers, cached_loads;
    double aligned; /* accesses whole cache lines apart */
};

static const struct kind plain, barrier = { 3, 0, 0 }, tiles = { 3, 1.2e8, 0 },
                                apart = { 0, 0, 1.3e8 };

static double number(const char *name, double n_groups, struct kind kind)
{
    if (strcmp(name, "f_thread_groups") == 0)
        return n_groups;
    if (strcmp(name, "f_work_items") == 0)
        return 256 * n_groups;
    if (strcmp(name, "f_sync_barrier_local") == 0)
        return kind.barriers;
    if (strcmp(name, "f_mem_access_global_load_afr:>16") == 0)
        return kind.cached_loads;
    if (strcmp(name, "f_mem_access_global_lstrides:{1:%32}") == 0)
        return kind.aligned;
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        if (strcmp(values[i].name, name) == 0)
            return values[i].value;
    fail_msg("no value for %s", name);
    return NAN;
}

/* Of the form in 'n' groups, by way of a model, with every parameter's own value. */
static double evaluate_groups(const struct gcal_form_cost_group *of, const char *form,
                              size_t n, double n_groups, struct kind kind)
{
    struct gcal_error err = { 0 };
    char *text = gcal_form_expression(form, n, of, "p_launch*f_sync_kernel_launch", &err);
    struct gcal_model *model =
        text ? gcal_model_create("m", "f_cl_wall_time", text, &err) : NULL;
    double parameters[24], features[24], result;

    if (!model)
        fail_msg("%s: %s", form, err.text);
    for (size_t i = 0; i < model->n_parameters; i++)
        parameters[i] = number(model->parameters[i].name, n_groups, kind);
    for (size_t i = 0; i < model->n_features; i++)
        features[i] = number(model->features[i], n_groups, kind);
    result = gcal_model_eval(model, parameters, features, NULL);
    gcal_model_destroy(model);
    free(text);
    return result;
}

static double evaluate(const char *form, size_t n, double n_groups, struct kind kind)
{
    return evaluate_groups(groups, form, n, n_groups, kind);
}

static const double m = 2.385e-12 * 1.3e8 + 7.13e-12 * 4.1e7, c = 1.07e-12 * 3.9e8,
                    l = 3.1e-12 * 9.7e7, launch = 4.7e-6;

static void are_what_the_table_says(void **state)
{
    const double g = 5.9e-10 * 65536, s = m + c + l;
    const double step = (tanh(6.5 * (m - c - l) / s) + 1) / 2;
    const double pnorm = pow(m, 1.37) + pow(c, 1.37) + pow(l, 1.37) + pow(g, 1.37);
    const double k = 9.5 / (s + g);
    const double sum = exp(k * m) + exp(k * c) + exp(k * l) + exp(k * g);

    (void)state;
    assert_near(evaluate("linear", 4, 65536, plain), s + g + launch);
    assert_near(evaluate("overlap", 4, 65536, plain),
                m * step + (c + l) * (1 - step) + g + launch);
    assert_near(evaluate("pnorm", 4, 65536, plain), pow(pnorm, 1 / 1.37) + launch);
    assert_near(evaluate("smoothmax", 4, 65536, plain), log(sum) / k + launch);
}

static double beside_launches(double work, double n_groups)
{
    return pow(pow(work, 2.9) + pow(5.9e-10 * n_groups, 2.9), 1 / 2.9) + launch;
}

/* How much hides depends on the kind of kernel; without work-groups' launches, the launch
 * alone is added.
 */
static void partial_knows_kinds_of_kernels(void **state)
{
    (void)state;
    assert_near(evaluate("partial", 4, 65536, plain),
                beside_launches(m + 0.31 * (c + l), 65536));
    assert_near(evaluate("partial", 3, 65536, plain),
                beside_launches(m + 0.31 * c, 65536));
    assert_near(evaluate("partial", 3, 65536, barrier),
                beside_launches(m + 0.47 * c, 65536));
    assert_near(evaluate("partial", 3, 65536, tiles),
                beside_launches(m + 0.87 * c, 65536));
}

/* What is loaded is waited for, so the first group hides less behind the others than they
 * behind it.
 */
static void partial_hides_memory_less(void **state)
{
    const struct gcal_form_cost_group turned[] = { groups[2], groups[1], groups[0],
                                                   groups[3] };

    (void)state;
    assert_near(evaluate_groups(turned, "partial", 3, 65536, plain),
                beside_launches(m + 0.63 * c, 65536));
    assert_near(evaluate_groups(turned, "partial", 4, 65536, plain),
                beside_launches(m + 0.63 * (c + l), 65536));
}

static void latency_has_a_floor(void **state)
{
    const double r = 45814. / 4096;

    (void)state;
    assert_near(evaluate("latency", 3, 65536, plain),
                beside_launches(m + 0.31 * c, 65536));
    assert_near(evaluate("latency", 3, 16, plain),
                beside_launches(r * (m + 0.31 * c), 16));
    assert_near(evaluate("latency", 4, 16, tiles),
                beside_launches(r * (m + 0.87 * (c + l)), 16));
}

static double occupied(double n_groups, double fill)
{
    return pow(pow(ceil(n_groups / 132), 1.6) + pow(fill, 1.6), 1 / 1.6) * 132 / n_groups;
}

/* One work-group on each unit, one more than that, and many. */
static void occupancy_counts_the_busiest_unit(void **state)
{
    static const double n_groups[] = { 16, 132, 133, 65536 };

    (void)state;
    for (size_t i = 0; i < sizeof(n_groups) / sizeof(*n_groups); i++) {
        double n = n_groups[i];

        assert_near(
            evaluate("occupancy", 3, n, plain),
            beside_launches(m * occupied(n, 5.3) + 0.31 * c * occupied(n, 1.9), n));
    }
}

static void occupancy_knows_aligned_sizes(void **state)
{
    (void)state;
    assert_near(
        evaluate("occupancy", 3, 65536, apart),
        beside_launches(1.7 * m * occupied(65536, 5.3) + 0.31 * c * occupied(65536, 1.9),
                        65536));
}

static void shapes_belong_to_costs(void **state)
{
    size_t length = 0;

    (void)state;
    assert_string_equal(gcal_form_shape("p_a_fill", &length)->name, "_fill");
    assert_int_equal(length, 3);
    assert_false(gcal_form_shape("p_a_fill", &length)->by_long);
    assert_true(gcal_form_shape("p_a_aligned", &length)->by_long);
    assert_null(gcal_form_shape("p_fill_a", &length));
    assert_null(gcal_form_shape("_fill", &length));
}

/* Every form, every parameter: in the expression, with a range that holds its start. */
static void parameters_are_in_the_expression(void **state)
{
    const char *name;
    size_t n_forms = 0;

    (void)state;
    for (; (name = gcal_form_name(n_forms)); n_forms++) {
        struct gcal_error err = { 0 };
        char *text = gcal_form_expression(name, 4, groups, NULL, &err);
        struct gcal_model *model = gcal_model_create("m", "f_cl_wall_time", text, &err);
        size_t n;
        const struct gcal_form_parameter *own = gcal_form_parameters(name, &n);

        for (size_t i = 0; i < n; i++) {
            size_t found = 0;

            for (size_t k = 0; k < model->n_parameters; k++)
                found += gcal_form_parameter_is(&own[i], model->parameters[k].name);
            assert_int_equal(found, strcmp(own[i].name, "_fill") == 0 ? 2 : 1);
            assert_true(own[i].min < own[i].initial && own[i].initial < own[i].max);
        }
        assert_int_equal(model->n_parameters, 5 + n + (strcmp(name, "occupancy") == 0));
        gcal_model_destroy(model);
        free(text);
    }
    assert_int_equal(n_forms, 7);
}

static void one_group_is_enough_for_linear(void **state)
{
    struct gcal_error err = { 0 };
    char *text = gcal_form_expression("linear", 1, groups + 1, "p_o", &err);

    (void)state;
    assert_string_equal(text, "(p_group*f_thread_groups) + p_o");
    free(text);
}

static void says_what_is_wrong(void **state)
{
    static const struct gcal_form_cost_group broken[] = {
        { .name = "memory", .expression = "p_a *" },
        { .name = "onchip", .expression = "1" }
    };
    static const struct gcal_form_cost_group twice[] = {
        { .name = "memory", .expression = "p_a" }, { .name = "memory", .expression = "1" }
    };
    static const struct gcal_form_cost_group taken[] = {
        { .name = "memory", .expression = "p_hidden" },
        { .name = "onchip", .expression = "1" }
    };
    static const struct {
        const char *form;
        size_t n;
        const struct gcal_form_cost_group *groups;
        const char *overhead, *complaint;
    } cases[] = {
        { "porm", 2, groups, NULL,
          "unknown form 'porm'; forms are linear, overlap, pnorm, smoothmax, "
          "partial, "
          "latency, occupancy" },
        { "overlap", 2, groups, NULL,
          "form overlap: it needs at least 2 groups of costs beside 'launch', there is "
          "1; "
          "the form linear takes any" },
        { "partial", 1, groups, NULL, "form partial: it needs at least 2 groups" },
        { "pnorm", 1, groups, NULL,
          "form pnorm: it needs at least 2 groups of costs, there is 1" },
        { "linear", 0, NULL, NULL,
          "form linear: it needs at least 1 group of costs, there are 0" },
        { "linear", 2, broken, NULL, "form linear: memory: column 6: " },
        { "linear", 2, groups, "2 +", "form linear: overhead: column 4: " },
        { "pnorm", 2, twice, NULL, "form pnorm: two groups are named 'memory'" },
        { "partial", 2, taken, NULL,
          "form partial: memory: p_hidden is a parameter of the form" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct gcal_error err = { 0 };

        assert_null(gcal_form_expression(cases[i].form, cases[i].n, cases[i].groups,
                                         cases[i].overhead, &err));
        if (strncmp(err.text, cases[i].complaint, strlen(cases[i].complaint)) != 0)
            fail_msg("%s", err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(are_what_the_table_says),
        cmocka_unit_test(partial_knows_kinds_of_kernels),
        cmocka_unit_test(partial_hides_memory_less),
        cmocka_unit_test(latency_has_a_floor),
        cmocka_unit_test(occupancy_counts_the_busiest_unit),
        cmocka_unit_test(occupancy_knows_aligned_sizes),
        cmocka_unit_test(shapes_belong_to_costs),
        cmocka_unit_test(parameters_are_in_the_expression),
        cmocka_unit_test(one_group_is_enough_for_linear),
        cmocka_unit_test(says_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
