/* test_select.c - forms of cost groups, and measurement kernels that follow from target
 * kernels
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/profile.h"
#include "calib/select/select.h"
#include "tests/facts.h"

static struct gcal_catalogue *catalogue;

static int open_catalogue(void **state)
{
    struct gcal_error err = { 0 };

    (void)state;
    catalogue = gcal_catalogue_open(SOURCE_DIR "/kernels/catalogue", &err);
    if (!catalogue)
        print_error("%s\n", err.text);
    return catalogue ? 0 : -1;
}

static int close_catalogue(void **state)
{
    (void)state;
    gcal_catalogue_close(catalogue);
    return 0;
}

static void read_with(const char *text, const struct gcal_catalogue *from,
                      struct gcal_config *config)
{
    struct gcal_error err = { 0 };

    if (gcal_select_parse(text, strlen(text), "site.yaml", from, config, &err) < 0)
        fail_msg("%s", err.text);
}

/* 'text' is refused, with an error at its place. */
static void refuses(const char *text, const char *where, const char *what)
{
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    assert_int_equal(
        gcal_select_parse(text, strlen(text), "site.yaml", catalogue, &config, &err), -1);
    if (strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, what))
        fail_msg("\"%s\" is not \"%s ... %s\"", err.text, where, what);
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_null(config.models);
}

static bool has_parameter(const struct gcal_model *model, const char *name)
{
    return gcal_model_parameter_find(model, name) != NULL;
}

static bool has_feature(const struct gcal_model *model, const char *name)
{
    for (size_t i = 0; i < model->n_features; i++)
        if (strcmp(model->features[i], name) == 0)
            return true;
    return false;
}

/* Whether some tag set of the model has 'tag'. */
static bool is_fitted_to(const struct gcal_config_model *m, const char *tag)
{
    for (size_t i = 0; i < m->n_tag_sets; i++)
        for (size_t k = 0; k < m->tag_sets[i].n_tags; k++)
            if (strcmp(m->tag_sets[i].tags[k], tag) == 0)
                return true;
    return false;
}

#define BEGIN "version: 1\nmodels:\n  - name: m\n"
#define TAGS  "    kernels: [{tags: [flops_add_pattern]}]\n"

/* ---- written by hand ---- */

static void assert_fingerprint(const char *text, const char *than, bool same)
{
    struct gcal_config config = { 0 };

    read_with(text, NULL, &config);
    assert_int_equal(strlen(config.fingerprint), GCAL_HASH_TEXT_SIZE - 1);
    assert_true((strcmp(config.fingerprint, than) == 0) == same);
    gcal_config_clear(&config);
}

/* Calibrations are alike that measure and fit alike. */
static void a_fingerprint_is_of_what_is_measured_and_fitted(void **state)
{
#define MODEL BEGIN "    expression: p_add * f_op_float32_add\n" TAGS
    struct gcal_config config = { 0 };

    (void)state;
    read_with(MODEL, NULL, &config);
    assert_fingerprint("# a remark\n" MODEL, config.fingerprint, true);
    assert_fingerprint(MODEL "store: /elsewhere\naudit: {warn: 0.03}\n"
                             "devices: {names: ['*H200*']}\n"
                             "measure: {budget_s: 7, seed: 3}\n",
                       config.fingerprint, true);
    assert_fingerprint(MODEL "measure: {noise: 0.02}\n", config.fingerprint, false);
    assert_fingerprint(MODEL "    parameters: {p_add: {max: 1}}\n", config.fingerprint,
                       false);
    gcal_config_clear(&config);
#undef MODEL
}

/* A model's own fingerprint does not depend on the other models. */
static void models_have_fingerprints(void **state)
{
#define OTHER(x)                                                                         \
    "  - {name: o, expression: p_a * " x ", kernels: [{tags: [empty_kernel]}]}\n"
#define MODEL BEGIN "    expression: p_add * f_op_float32_add\n" TAGS
    struct gcal_config one = { 0 }, two = { 0 }, changed = { 0 };

    (void)state;
    read_with(MODEL, NULL, &one);
    read_with(MODEL OTHER("f_op_float32_mul"), NULL, &two);
    assert_string_equal(one.models[0].fingerprint, two.models[0].fingerprint);
    assert_string_not_equal(two.models[1].fingerprint, two.models[0].fingerprint);
    read_with(MODEL OTHER("f_op_float32_madd") "measure: {budget_s: 7}\n", NULL,
              &changed);
    assert_string_equal(changed.models[0].fingerprint, two.models[0].fingerprint);
    assert_string_not_equal(changed.models[1].fingerprint, two.models[1].fingerprint);
    gcal_config_clear(&changed);
    read_with(MODEL "measure: {noise: 0.02}\n", NULL, &changed);
    assert_string_not_equal(changed.models[0].fingerprint, one.models[0].fingerprint);
    gcal_config_clear(&changed);
    gcal_config_clear(&one);
    gcal_config_clear(&two);
#undef MODEL
#undef OTHER
}

static void forms_may_be_written_out(void **state)
{
    static const char text[] =
        "version: 1\n"
        "expressions:\n"
        "  both: add + p_mul * f_op_float32_mul\n"
        "  add: p_add * f_op_float32_add\n"
        "models:\n"
        "  - name: m\n"
        "    forms:\n"
        "      sum: both + p_launch * f_sync_kernel_launch\n"
        "      most: max(add, p_mul * f_op_float32_mul) ^ p_power\n"
        "    parameters: {p_add: {max: 1.7e-9}, p_power: {unit: '1', initial: "
        "1.3}}\n" TAGS;
    struct gcal_config config = { 0 };
    const struct gcal_config_model *m;

    (void)state;
    read_with(text, NULL, &config);
    m = &config.models[0];
    assert_int_equal(m->n_forms, 2);
    assert_string_equal(m->forms[0].name, "sum");
    assert_string_equal(m->forms[1].name, "most");
    assert_ptr_equal(m->model, m->forms[0].model);
    assert_string_equal(m->model->output, "f_cl_wall_time");
    assert_int_equal(m->forms[0].model->n_parameters, 3);
    for (size_t i = 0; i < 2; i++)
        assert_true(gcal_model_parameter_find(m->forms[i].model, "p_add")->max == 1.7e-9);
    assert_true(gcal_model_parameter_find(m->forms[1].model, "p_power")->initial == 1.3);
    assert_string_equal(config.text, text); /* nothing followed from the catalogue */
    gcal_config_clear(&config);
}

/* Groups that name no class need no catalogue.  That of launches overlaps with none, wherever it
 * stands.
 */
static void built_in_forms_are_made_of_groups(void **state)
{
    static const char text[] =
        BEGIN "    forms: [linear, overlap]\n"
              "    groups:\n"
              "      memory: ['p_load * f_mem_access_global_float32_load']\n"
              "      launch: ['p_group * f_thread_groups']\n"
              "      onchip: ['p_add * f_op_float32_add', 'p_mul * f_op_float32_mul']\n"
              "      local: [p_local * f_mem_access_local]\n"
              "    overhead: p_launch * f_sync_kernel_launch\n"
              "    parameters: {p_edge: {max: 73}}\n" TAGS;
    struct gcal_config config = { 0 };
    const struct gcal_model_parameter *edge;
    const struct gcal_model *linear, *overlap;

    (void)state;
    read_with(text, NULL, &config);
    assert_int_equal(config.models[0].n_forms, 2);
    linear = config.models[0].forms[0].model;
    overlap = config.models[0].forms[1].model;
    assert_string_equal(
        linear->expression,
        "(p_load * f_mem_access_global_float32_load)"
        " + (p_add * f_op_float32_add + p_mul * f_op_float32_mul)"
        " + (p_local * f_mem_access_local)"
        " + (p_group * f_thread_groups) + p_launch * f_sync_kernel_launch");
    assert_string_equal(
        overlap->expression,
        "overlap((p_load * f_mem_access_global_float32_load), "
        "(p_add * f_op_float32_add + p_mul * f_op_float32_mul)"
        " + (p_local * f_mem_access_local), p_edge)"
        " + (p_group * f_thread_groups) + p_launch * f_sync_kernel_launch");
    edge = gcal_model_parameter_find(overlap, "p_edge");
    assert_true(edge->initial == 8 && edge->min == 1 && edge->max == 73);
    assert_string_equal(edge->unit, "1");
    gcal_config_clear(&config);
}

static void errors_about_forms_name_the_place(void **state)
{
#define SUM   "    expression: p_a * f_op_float32_add\n"
#define LIN   "    forms: [linear]\n"
#define GROUP "    groups: {a: ['p_a * f_op_float32_add']}\n"
    (void)state;
    refuses(BEGIN TAGS, "site.yaml:3:5: ", "neither an 'expression' nor 'forms'");
    refuses(BEGIN SUM LIN GROUP TAGS, "site.yaml:5:12: ", "already");
    refuses(BEGIN SUM GROUP TAGS, "site.yaml:5:13: ", "built-in forms");
    refuses(BEGIN SUM "    overhead: p_b\n" TAGS, "site.yaml:5:15: ", "built-in forms");
    refuses(BEGIN "    forms: linear\n" TAGS,
            "site.yaml:4:12: ", "list of built-in forms");
    refuses(BEGIN "    forms: []\n" TAGS, "site.yaml:4:12: ", "at least one");
    refuses(BEGIN "    forms: [liner]\n" GROUP TAGS,
            "site.yaml:4:13: ", "linear and overlap");
    refuses(BEGIN "    forms: [tailored]\n" GROUP TAGS,
            "site.yaml:4:13: ", "no form 'tailored': there are linear and overlap");
    refuses(BEGIN "    forms: [overlap]\n"
                  "    groups: {a: ['p_edge * f_op_float32_add'], b: [p_b]}\n" TAGS,
            "site.yaml:4:13: ", "give the cost another name");
    refuses(BEGIN LIN "    groups: {}\n" TAGS, "site.yaml:5:13: ", "at least one");
    refuses(BEGIN "    forms: [linear, linear]\n" GROUP TAGS,
            "site.yaml:4:21: ", "twice");
    refuses(BEGIN LIN TAGS, "site.yaml:4:13: ", "needs 'groups'");
    refuses(BEGIN LIN "    groups: [a]\n" TAGS, "site.yaml:5:13: ", "map");
    refuses(BEGIN LIN "    groups: {a: []}\n" TAGS, "site.yaml:5:17: ", "'a' is empty");
    refuses(BEGIN LIN "    groups: {a: b}\n" TAGS, "site.yaml:5:17: ", "list of costs");
    refuses(BEGIN LIN "    groups: {a: [operation]}\n" TAGS,
            "site.yaml:5:18: ", "did you mean 'operations'");
    refuses(BEGIN LIN "    groups: {a: ['p_a * * 3']}\n" TAGS,
            "site.yaml:5:18: ", "column 7");
    refuses(BEGIN LIN GROUP "    parameters: {p_b: {}}\n" TAGS, "site.yaml:6:", "p_b");
    refuses(BEGIN "    forms: [overlap]\n" GROUP TAGS, "site.yaml:4:13: ", "group");
    refuses(BEGIN "    forms: {a: p_a * }\n" TAGS, "site.yaml:4:16: ", "'m'");
    refuses(BEGIN LIN GROUP, "site.yaml:3:5: ", "no kernels");
}

static void errors_about_expressions_name_the_place(void **state)
{
#define MODELS "models: [{name: m, expression: x, kernels: [{tags: [empty_kernel]}]}]\n"
    (void)state;
    refuses("version: 1\nexpressions: {x: y, y: z + 1, z: x}\n" MODELS,
            "site.yaml:2:", "expression '");
    refuses("version: 1\nexpressions: {x: p_a, y: q}\n" MODELS,
            "site.yaml:2:26: ", "'q'");
    refuses("version: 1\nexpressions: {x: p_a +}\n" MODELS, "site.yaml:2:18: ", "'x'");
    refuses("version: 1\nexpressions: [x]\n" MODELS, "site.yaml:2:14: ", "map");
    refuses("version: 1\n" MODELS, "site.yaml:2:32: ", "'x'");
}

static void errors_about_predictions_name_the_place(void **state)
{
#define FOR(tags) "    predicts: [{tags: [" tags "]}]\n"
    (void)state;
    refuses(BEGIN SUM "    predicts: []\n" TAGS, "site.yaml:5:15: ", "empty");
    refuses(BEGIN SUM FOR("matmul_sqr"), "site.yaml:5:23: ", "'matmul_sq'");
    refuses(BEGIN SUM FOR("matmul_sq, 'n:15'"), "site.yaml:5:23: ", "n");
    refuses(BEGIN SUM FOR("matmul_sq, 'n:99999999999999999999'"),
            "site.yaml:5:23: ", "takes");
    refuses(BEGIN SUM FOR("matmul_sq, 'n:1000000000000'"), "site.yaml:5:", "n:1000000");
    refuses(BEGIN SUM FOR("matmul_sq, 'lsize_0:8', 'lsize_1:16'"),
            "site.yaml:5:23: ", "no kernel");
    /* As records have them that were made with such models. */
    refuses(BEGIN SUM "    tailored: [cpu]\n" TAGS,
            "site.yaml:5:15: ", "no longer fitted");
    refuses(BEGIN SUM "    checked: [gpu]\n" TAGS,
            "site.yaml:5:14: ", "learn the kernels");
    /* Barriers in kernels without, and what none of the catalogue's kernels does. */
    refuses(BEGIN LIN "    groups: {a: [barriers]}\n" FOR("matmul_sq, 'prefetch:False'"),
            "site.yaml:5:17: ", "'a' is empty");
    refuses(BEGIN "    expression: p_a * f_op_float32_lgamma\n" FOR("matmul_sq"),
            "site.yaml:5:15: ", "f_op_float32_lgamma");
}

/* ---- what follows from the catalogue ---- */

static void assert_same_models(const struct gcal_config *a, const struct gcal_config *b)
{
    assert_int_equal(a->n_models, b->n_models);
    for (size_t i = 0; i < a->n_models; i++) {
        const struct gcal_config_model *m = &a->models[i], *o = &b->models[i];

        assert_string_equal(m->model->name, o->model->name);
        assert_int_equal(m->n_forms, o->n_forms);
        for (size_t k = 0; k < m->n_forms; k++) {
            const struct gcal_model *x = m->forms[k].model, *y = o->forms[k].model;

            assert_string_equal(m->forms[k].name, o->forms[k].name);
            assert_string_equal(x->expression, y->expression);
            for (size_t p = 0; p < x->n_parameters; p++) {
                assert_string_equal(x->parameters[p].unit, y->parameters[p].unit);
                assert_true(x->parameters[p].min == y->parameters[p].min);
                assert_true(x->parameters[p].max == y->parameters[p].max);
            }
        }
        assert_int_equal(m->n_tag_sets, o->n_tag_sets);
        for (size_t k = 0; k < m->n_tag_sets; k++) {
            assert_int_equal(m->tag_sets[k].match, o->tag_sets[k].match);
            assert_int_equal(m->tag_sets[k].n_tags, o->tag_sets[k].n_tags);
            for (size_t t = 0; t < m->tag_sets[k].n_tags; t++)
                assert_string_equal(m->tag_sets[k].tags[t], o->tag_sets[k].tags[t]);
        }
        assert_int_equal(m->n_targets, o->n_targets);
    }
}

/* The record's text gives the same models without a catalogue, and again with one. */
static void assert_written_out(const struct gcal_config *config)
{
    struct gcal_config again = { 0 };

    read_with(config->text, NULL, &again);
    assert_same_models(config, &again);
    assert_string_equal(again.text, config->text);
    assert_string_equal(again.fingerprint, config->fingerprint);
    gcal_config_clear(&again);
    read_with(config->text, catalogue, &again);
    assert_same_models(config, &again);
    assert_string_equal(again.text, config->text);
    gcal_config_clear(&again);
}

static void single_costs_are_identified_by_microbenchmarks(void **state)
{
    struct gcal_config config = { 0 };
    const struct gcal_config_model *m;

    (void)state;
    read_with("version: 1\n"
              "expressions: {rate: p_fma * f_op_float32_madd}\n"
              "models:\n"
              "  - name: m\n"
              "    forms: [overlap]\n"
              "    groups:\n"
              "      memory: [global_accesses]\n"
              "      onchip: [local_accesses, operations, barriers, rate]\n"
              "      launch: [work_groups]\n"
              "    overhead: launches\n"
              "    parameters: {p_barrier: {max: 3.7e-6}}\n"
              "    predicts: [{tags: [matmul_sq, 'dtype:float32', 'prefetch:True']}]\n"
              "    kernels: [{tags: [overlap_pattern, 'dtype:float32']}]\n",
              catalogue, &config);
    m = &config.models[0];
    assert_true(has_parameter(m->model, "p_fma")); /* that feature has its parameter */
    assert_false(has_parameter(m->model, "p_madd"));
    assert_true(has_parameter(m->model, "p_aPF") && has_parameter(m->model, "p_cPF"));
    assert_true(has_parameter(m->model, "p_local_stride0_load"));
    assert_true(has_parameter(m->model, "p_local_stride1_store"));
    assert_true(gcal_model_parameter_find(m->model, "p_barrier")->max == 3.7e-6);
    assert_string_equal(m->tag_sets[0].tags[0], "overlap_pattern");
    assert_true(is_fitted_to(m, "keep:each") && is_fitted_to(m, "keep:all"));
    assert_true(is_fitted_to(m, "flops_madd_pattern"));
    assert_true(is_fitted_to(m, "barrier_pattern"));
    assert_true(is_fitted_to(m, "lmem_broadcast_pattern"));
    assert_true(is_fitted_to(m, "empty_kernel"));
    assert_false(is_fitted_to(m, "flops_mul_pattern")); /* nothing multiplies */
    assert_written_out(&config);
    gcal_config_clear(&config);
}

/* Of a configuration that depends on the catalogue: names that models use stay names. */
static void named_expressions_are_written_out_by_name(void **state)
{
    struct gcal_config config = { 0 };
    struct gcal_expr_names *names;

    (void)state;
    read_with(BEGIN "    forms: [linear]\n"
                    "    groups: {all: [operations, global_accesses, local_accesses]}\n"
                    "    predicts: [{tags: [matmul_sq, 'dtype:float32']}]\n"
                    "  - name: named\n"
                    "    expression: twice + p_launch * f_sync_kernel_launch\n"
                    "    roofs: [twice]\n"
                    "    kernels: [{tags: [flops_madd_pattern]}]\n"
                    "expressions: {unused: rate, twice: 2 * rate,\n"
                    "              rate: p_fma * f_op_float32_madd}\n",
              catalogue, &config);
    assert_written_out(&config);
    assert_non_null(strstr(config.text, "expressions:\n  twice: 2 * rate\n  rate: "));
    assert_null(strstr(config.text, "unused"));
    assert_string_equal(config.models[1].model->expression,
                        "twice + p_launch * f_sync_kernel_launch");
    names = gcal_config_model_names(&config.models[0], NULL, NULL);
    assert_int_equal(gcal_expr_names_count(names), 0);
    gcal_expr_names_destroy(names);
    gcal_config_clear(&config);
}

/* Accesses without tags, of a kernel that has two sizes: which are reused depends on the
 * one that the profile names first.
 */
static void untagged_accesses_are_distinguished_by_stride_and_reuse(void **state)
{
    struct gcal_config config = { 0 };
    const struct gcal_model *model;

    (void)state;
    read_with(BEGIN "    forms: [linear]\n"
                    "    groups: {memory: [global_accesses], launch: [work_groups]}\n"
                    "    overhead: launches\n" FOR("dense, 'F:1', 'x_local:1'"),
              catalogue, &config);
    model = config.models[0].model;
    assert_true(has_parameter(model, "p_global_stride1_load_reused"));
    assert_true(has_parameter(model, "p_global_stride1_load_once"));
    assert_true(has_parameter(model, "p_global_stride1_store_once"));
    assert_true(
        has_feature(model, "f_mem_access_global_float32_load_lstrides:{0:1}_afr:>1"));
    assert_true(is_fitted_to(&config.models[0], "dense_loads"));
    gcal_config_clear(&config);
}

/* Strides are in elements: scalars with the distance of vectors do not show their cost. */
static void vectors_have_costs_of_their_own(void **state)
{
    (void)state;
    refuses(BEGIN "    forms: [linear]\n"
                  "    groups: {onchip: [local_accesses], launch: [work_groups]}\n"
                  "    overhead: launches\n" FOR("min_plus, 'version:V4'"),
            "site.yaml:7:15",
            "distinguishes the cost of "
            "f_mem_access_local_float32_load_width:4_lstrides:{0:0} from the others");
}

/* Two types of data have two costs, and each gets its kernels. */
static void parameters_of_two_types_have_longer_names(void **state)
{
    struct gcal_config config = { 0 };
    const struct gcal_config_model *m;

    (void)state;
    read_with(BEGIN "    forms: [linear]\n"
                    "    groups: {onchip: [operations], launch: [work_groups]}\n"
                    "    overhead: p_madd * f_sync_kernel_launch\n" FOR(
                        "matmul_sq, 'dtype:float32,float64', 'prefetch:False'"),
              catalogue, &config);
    m = &config.models[0];
    assert_true(has_parameter(m->model, "p_float32_madd"));
    assert_true(has_parameter(m->model, "p_float64_madd"));
    assert_true(is_fitted_to(m, "dtype:float32") && is_fitted_to(m, "dtype:float64"));
    assert_written_out(&config);
    gcal_config_clear(&config);
}

/* An expression of the user's own gets its kernels, too. */
static void an_expression_may_predict(void **state)
{
    struct gcal_config config = { 0 };
    const struct gcal_config_model *m;

    (void)state;
    read_with(BEGIN
              "    expression: p_a * f_op_float32_madd + p_b * f_thread_groups\n" FOR(
                  "matmul_sq, 'dtype:float32', 'prefetch:False'"),
              catalogue, &config);
    m = &config.models[0];
    assert_true(is_fitted_to(m, "flops_madd_pattern"));
    assert_true(is_fitted_to(m, "empty_kernel"));
    assert_string_equal(m->forms[0].name, "expression");
    assert_written_out(&config);
    gcal_config_clear(&config);
}

static void what_follows_from_the_catalogue_needs_it(void **state)
{
    static const char text[] =
        BEGIN "    forms: [linear]\n"
              "    groups: {onchip: [operations]}\n" FOR("matmul_sq");
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(
        gcal_select_parse(text, strlen(text), "site.yaml", NULL, &config, &err), -1);
    assert_non_null(strstr(err.text, "site.yaml:3:5: model 'm'"));
}

/* ---- kernels on a device ---- */

/* The models of the kernel whose name begins with 'name', or NULL. */
static const char *models_of(const struct gcal_kernel_list *list, const char *name)
{
    for (size_t i = 0; i < list->n_kernels; i++)
        if (strncmp(list->kernels[i]->name, name, strlen(name)) == 0)
            return uses_text(&list->kernels[i]->uses);
    return NULL;
}

/* Those that another model uses as well stay, with all their uses. */
static void kernels_of_kept_models_are_left_out(void **state)
{
    static const char text[] =
        BEGIN "    expression: p_a * f_op_float32_madd\n"
              "    kernels: [{tags: [matmul_sq, 'prefetch:True', 'n:512']}]\n"
              "  - {name: other, expression: p_a * f_op_float32_madd, kernels: [{tags: "
              "[matmul_sq, 'n:512']}]}\n";
    struct gcal_device_info info = { .max_work_group_size = 1024, .device_type = "gpu" };
    struct gcal_kernel_list list = { 0 };
    struct gcal_config config = { 0 };

    (void)state;
    read_with(text, catalogue, &config);
    config.models[1].kept = true;
    assert_int_equal(gcal_select_kernels(&config, catalogue, &info, &list, NULL), 0);
    assert_string_equal(models_of(&list, "matmul_tiled"), "m,other");
    assert_null(models_of(&list, "matmul_plain"));
    gcal_kernel_list_clear(&list);
    config.models[0].kept = true;
    assert_int_equal(gcal_select_kernels(&config, catalogue, &info, &list, NULL), 0);
    assert_int_equal(list.n_kernels, 0);
    gcal_kernel_list_clear(&list);
    gcal_config_clear(&config);
}

/* Passes and traffic in the counts of the model's kernels, for what its forms name. */
static void kernels_have_the_features_of_all_models(void **state)
{
    static const char text[] =
        BEGIN "    forms: {sum: p_a * f_op_float32_madd, other: p_a * f_sector_global}\n"
              "    kernels: [{tags: [matmul_sq, 'prefetch:True', 'n:512']}]\n"
              "  - {name: other, expression: p_a * f_local_pass, kernels: [{tags: "
              "[empty_kernel]}]}\n";
    static const char plain[] =
        BEGIN "    expression: p_a * f_op_float32_madd\n"
              "    kernels: [{tags: [matmul_sq, 'prefetch:True', 'n:512']}]\n";
    struct gcal_device_info info = { .max_work_group_size = 1024,
                                     .device_type = "gpu",
                                     .sub_group_size = 16 };
    struct gcal_kernel_list list = { 0 };
    struct gcal_config config = { 0 };

    (void)state;
    read_with(text, catalogue, &config);
    assert_int_equal(gcal_select_kernels(&config, catalogue, &info, &list, NULL), 0);
    for (size_t i = 0; i < list.n_kernels; i++) {
        assert_int_equal(list.kernels[i]->counting.sub_group_size, 16);
        assert_int_equal(list.kernels[i]->profile->sector_bytes, 32);
        assert_int_equal(list.kernels[i]->profile->n_banks, 32);
        assert_false(list.kernels[i]->profile->index_arithmetic);
    }
    gcal_kernel_list_clear(&list);
    gcal_config_clear(&config);
    read_with(plain, catalogue, &config);
    assert_int_equal(gcal_select_kernels(&config, catalogue, &info, &list, NULL), 0);
    assert_int_equal(list.kernels[0]->counting.sub_group_size, 16);
    assert_int_equal(list.kernels[0]->profile->sector_bytes, 0);
    assert_int_equal(list.kernels[0]->profile->n_banks, 0);
    gcal_kernel_list_clear(&list);
    gcal_config_clear(&config);
}

static size_t count_kernels(const struct gcal_config *config, char *kind)
{
    struct gcal_device_info info = { .max_work_group_size = 1024, .device_type = kind };
    struct gcal_kernel_list list = { 0 };
    size_t n;

    assert_int_equal(gcal_select_kernels(config, catalogue, &info, &list, NULL), 0);
    n = list.n_kernels;
    gcal_kernel_list_clear(&list);
    return n;
}

/* Sizes for one kind of device take the place of the others there. */
static void kernels_may_be_of_device_kinds(void **state)
{
#define KERNELS(kinds)                                                                   \
    BEGIN "    expression: p_a * f_op_float32_madd\n"                                    \
          "    kernels:\n"                                                               \
          "      - {tags: [flops_madd_pattern, 'm:64']}\n"                               \
          "      - {tags: [flops_madd_pattern, 'm:4,8']" kinds "}\n"
    struct gcal_config config = { 0 }, again = { 0 };

    (void)state;
    read_with(KERNELS(", kinds: [cpu]"), catalogue, &config);
    read_with(config.text, catalogue, &again); /* as a record has it */
    assert_int_equal(count_kernels(&config, "gpu"), 1);
    assert_int_equal(count_kernels(&config, "cpu"), 2);
    assert_int_equal(count_kernels(&again, "cpu"), 2);
    assert_fingerprint(KERNELS(""), config.fingerprint, false);
    gcal_config_clear(&again);
    gcal_config_clear(&config);
#undef KERNELS
}

/* Measurement kernels are chosen by their traffic. */
static void costs_may_be_those_of_traffic(void **state)
{
    static const char text[] =
        BEGIN "    forms: [linear]\n"
              "    groups: {memory: [p_sector * f_sector_global], onchip: [operations]}\n"
              "    predicts: [{tags: [matmul_sq, 'prefetch:True', 'n:512']}]\n";
    struct gcal_device_info info = { .max_work_group_size = 1024,
                                     .device_type = "gpu",
                                     .sub_group_size = 32 };
    struct gcal_kernel_list list = { 0 };
    struct gcal_config config = { 0 };

    (void)state;
    read_with(text, catalogue, &config);
    assert_int_equal(gcal_select_kernels(&config, catalogue, &info, &list, NULL), 0);
    assert_true(list.n_kernels > 1);
    for (size_t i = 0; i < list.n_kernels; i++)
        assert_int_equal(list.kernels[i]->profile->sector_bytes, 32);
    gcal_kernel_list_clear(&list);
    gcal_config_clear(&config);
}

/* Calibrations leave them alone. */
static void target_kernels_are_those_that_models_predict(void **state)
{
    static const char text[] =
        BEGIN "    expression: p_a * f_op_float32_madd\n"
              "    predicts: [{tags: [matmul_sq, 'n:512,1024']}]\n"
              "    kernels: [{tags: [matmul_sq, 'prefetch:True', 'n:512']}]\n"
              "  - {name: other, expression: p_a * f_op_float32_madd, kernels: [{tags: "
              "[empty_kernel]}]}\n";
    struct gcal_device_info info = { .max_work_group_size = 1024, .device_type = "gpu" };
    struct gcal_kernel_list list = { 0 };
    struct gcal_config config = { 0 };

    (void)state;
    read_with(text, catalogue, &config);
    assert_int_equal(gcal_select_kernels(&config, catalogue, &info, &list, NULL), 0);
    assert_string_equal(models_of(&list, "matmul_tiled"), "m");
    assert_null(models_of(&list, "matmul_plain"));
    gcal_kernel_list_clear(&list);
    assert_int_equal(
        gcal_select_targets(&config, catalogue, &info, NULL, NULL, &list, NULL), 0);
    assert_int_equal(list.n_kernels, 4);
    assert_string_equal(models_of(&list, "matmul_tiled"), "m:target");
    gcal_kernel_list_clear(&list);
    assert_int_equal(
        gcal_select_targets(&config, catalogue, &info, "other", NULL, &list, NULL), 0);
    assert_int_equal(list.n_kernels, 0);
    gcal_kernel_list_clear(&list);
    gcal_config_clear(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fingerprint_is_of_what_is_measured_and_fitted),
        cmocka_unit_test(models_have_fingerprints),
        cmocka_unit_test(kernels_of_kept_models_are_left_out),
        cmocka_unit_test(forms_may_be_written_out),
        cmocka_unit_test(built_in_forms_are_made_of_groups),
        cmocka_unit_test(errors_about_forms_name_the_place),
        cmocka_unit_test(errors_about_expressions_name_the_place),
        cmocka_unit_test(errors_about_predictions_name_the_place),
        cmocka_unit_test(single_costs_are_identified_by_microbenchmarks),
        cmocka_unit_test(named_expressions_are_written_out_by_name),
        cmocka_unit_test(untagged_accesses_are_distinguished_by_stride_and_reuse),
        cmocka_unit_test(vectors_have_costs_of_their_own),
        cmocka_unit_test(parameters_of_two_types_have_longer_names),
        cmocka_unit_test(an_expression_may_predict),
        cmocka_unit_test(what_follows_from_the_catalogue_needs_it),
        cmocka_unit_test(target_kernels_are_those_that_models_predict),
        cmocka_unit_test(kernels_have_the_features_of_all_models),
        cmocka_unit_test(kernels_may_be_of_device_kinds),
        cmocka_unit_test(costs_may_be_those_of_traffic),
    };

    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
