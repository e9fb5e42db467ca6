/* test_params.c - parameter files: reading, writing, errors, covariances */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/model/model.h"
#include "kernels/model/named_expr.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

static double covariance_of(const struct gcal_params_model *m, size_t a, size_t b)
{
    size_t shorter = a < b ? a : b;
    double sum = 0;

    for (size_t k = 0; k <= shorter; k++)
        sum += m->root[GCAL_PARAMS_ROOT(a, k)] * m->root[GCAL_PARAMS_ROOT(b, k)];
    return sum;
}

static int decode(const char *text, size_t size, struct gcal_params *params,
                  struct gcal_error *err)
{
    return gcal_params_decode(text, size, "n1.yaml", params, err);
}

static bool close_to(double value, double expected)
{
    return fabs(value - expected) <= 1e-11 * fabs(expected);
}

static void reads_back_exactly(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.38512345678e-12), back;
    const struct gcal_params_model *a, *b;
    char *text, *again;
    size_t size, size_again;

    (void)state;
    assert_non_null(text = gcal_params_encode(&params, &size, NULL));
    assert_int_equal(decode(text, size, &back, NULL), 0);
    a = params.devices[0].models;
    b = back.devices[0].models;
    assert_string_equal(back.devices[0].info.vendor, "Test & Sons: \"GPUs\"");
    assert_int_equal(back.devices[0].info.sub_group_size, 32);
    assert_memory_equal(a->value, b->value, 2 * sizeof(double));
    for (size_t i = 0; i < GCAL_PARAMS_ROOT(2, 0); i++)
        assert_true(close_to(b->root[i], a->root[i]));
    assert_true(close_to(b->own[0], a->own[0]) && b->own_error[0] == 2.3e-15);
    assert_true(isnan(b->own[1]) && isnan(b->own_error[1]));
    assert_string_equal(back.devices[0].configuration, SAMPLE_CONFIGURATION);
    assert_string_equal(back.devices[0].catalogue, SAMPLE_CATALOGUE);
    assert_int_equal(back.devices[0].n_fitted, 3);
    assert_memory_equal(a->feature_max, b->feature_max, 3 * sizeof(double));
    assert_true(!b->at_bound[0] && b->at_bound[1] && b->factor == 1.0125);
    assert_string_equal(b->feature[2], a->feature[2]);
    assert_string_equal(b->unit[0], "s");
    /* All other fields. */
    assert_non_null(again = gcal_params_encode(&back, &size_again, NULL));
    assert_string_equal(text, again);
    free(text);
    free(again);
    gcal_params_clear(&params);
    gcal_params_clear(&back);
}

/* Only the end of the last line may be missing. */
static void refuses_every_cut(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12), back;
    struct gcal_error err;
    size_t size;
    char *text;

    (void)state;
    assert_non_null(text = gcal_params_encode(&params, &size, NULL));
    for (size_t n = 0; n < size; n++) {
        err.code = GCAL_OK;
        if (decode(text, n, &back, &err) == 0) {
            assert_true(n == size - 1);
            gcal_params_clear(&back);
        } else {
            assert_int_equal(err.code, GCAL_EINPUT);
            assert_non_null(strstr(err.text, "n1.yaml:"));
        }
    }
    free(text);
    gcal_params_clear(&params);
}

static char *replace(const char *text, const char *from, const char *to)
{
    const char *at = strstr(text, from);

    assert_non_null(at);
    return gcal_buf_format("%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
}

static void reads_back_roofs(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12), back;
    struct gcal_error err;
    size_t size;
    char *text, *with;

    (void)state;
    assert_non_null(text = gcal_params_encode(&params, &size, NULL));
    assert_null(strstr(text, "roofs"));
    with = replace(text, "form: linear\n",
                   "form: linear\nroofs:\n  madds: p_madd*f_op_float32_madd\n"
                   "spread:\n  madds: [0.5, 1.25]\n  microbenchmarks: 0.75\n");
    assert_int_equal(decode(with, strlen(with), &back, &err), 0);
    free(text);
    assert_string_equal(back.devices[0].models[0].roofs.roofs[0].name, "madds");
    assert_true(back.devices[0].models[0].spreads.spreads[0].above == 1.25);
    assert_non_null(text = gcal_params_encode(&back, &size, NULL));
    assert_string_equal(text, with);
    free(text);
    free(with);
    gcal_params_clear(&back);
    gcal_params_clear(&params);
}

/* The sample's file, changed in one place, is refused with a complaint. */
static void refuses(const char *from, const char *to, const char *complaint)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12), back;
    struct gcal_error err;
    size_t size;
    char *text, *bad;

    assert_non_null(text = gcal_params_encode(&params, &size, NULL));
    bad = replace(text, from, to);
    assert_int_equal(decode(bad, strlen(bad), &back, &err), -1);
    if (!strstr(err.text, complaint))
        fail_msg("'%s' gave: %s", to, err.text);
    free(bad);
    free(text);
    gcal_params_clear(&params);
}

static void says_where_a_file_is_wrong(void **state)
{
    static const struct {
        const char *from, *to, *complaint;
    } cases[] = {
        { "gpucal_params: 7", "gpucal_params: 8",
          "n1.yaml:1: version 8 of the format, written by another version of gpucal: "
          "calibrate again" },
        { "gpucal_params: 7", "gpucal_params: 6", "n1.yaml:1: version 6 of the format" },
        { "gpucal_params: 7", "params: 7", "n1.yaml:1: not a gpucal parameter file" },
        { "node: n1", "node: \"n1\\e[31m\"",
          "n1.yaml:2:7: node: contains a control character" },
        { "node: n1", "node: \"n1\\x9b31m\"", "node: contains a control character" },
        { "node: n1", "nude: n1", "unknown key 'nude' (did you mean 'node'?)" },
        { "factor: 1.0125", "factor: -1", "n1.yaml:42:9: factor: must be at least" },
        { "value: 7.2e-06", "value: nan", "value: expected a number" },
        { "value: 7.2e-06", "value: 1e999", "value: expected a number" },
        { "name: p_launch", "name: p_madd", "duplicate 'p_madd'" },
        { "1e-13 -64706 303173", "1e-13 -64706 303173 1", "row 2 of 2" },
        { "1e-13 -64706 303173", "1e-13 -64706 x", "row 2 of 2" },
        { "1e-13 -64706 303173", "1.5 -64706", "row 2 of 2" },
        { "1e-13 -64706 303173", "1e-999 -64706", "row 2 of 2" },
        { "1e-13 -64706 303173", "1e-13 1000000", "row 2 of 2" },
        { "  1e-13 -64706 303173\n", "", "row 2 of 2" },
        { "  1e-13", "  0\n  1e-13", "covariance: more than 2 rows" },
        { "min: 131072", "min: 9e9", "max: must be at least 9e+09" },
        { "sub_group_size: 32", "sub_group_size: -32", "sub_group_size: expected 0" },
        { "at_bound: true", "at_bound: perhaps", "expected true or false" },
        { ", own_error: 2.3e-15", "", "own and own_error must both" },
        { "kernels: 12\n", "", "n1.yaml:37:1: 'kernels' is missing" },
        { "form: linear\n", "", "'form' is missing" },
        { "form: linear\n", "form: linear\nroofs: [l2]\n", "roofs: expected a map" },
        { "error_90: 0.0461", "error_90: -1", "error_90: must be at least 0" },
        { "  fitted: 3\n", "", "'fitted' is missing" },
        { "- name: matmul", "- name: matmul\n  - name: matmul",
          "duplicate model 'matmul'" },
        { "- name: matmul", "- name: matmul\n  - name: rates",
          "names 2 models, but 1 follow" },
        { "models:\n  - name: matmul", "models: []", "names 0 models, but 1 follow" },
        { "- name: matmul", "- nome: matmul",
          "unknown key 'nome' (did you mean 'name'?)" },
        { "- name: matmul", "- {name: matmul, fitted: x}", "fitted: expected" },
        { "- name: matmul", "- matmul", "expected a map" },
        { "model: matmul", "model: rates", "n1.yaml:38:8: model: expected 'matmul'" },
        { "device: uuid:7f", "device: uuid:80", "device: expected 'uuid:7f'" },
        { "\n---\n", "\n--- \n", "more than one document" },
        { "\n...\n", "\n", "n1.yaml:63: truncated" },
        { "\n...\n", "\n...\n# comment\nx\n", "n1.yaml:65: only comments may follow" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        refuses(cases[i].from, cases[i].to, cases[i].complaint);
}

static void says_which_name_is_wrong(void **state)
{
    static const struct {
        const char *names, *complaint;
    } cases[] = {
        { "expressions: {x: p_madd*}\nexpression: x +",
          "n1.yaml:40:18: expression 'x': column 8: expected" },
        { "expressions: {p_x: 1}\nexpression: ", "that start with p_ are parameters" },
        { "expressions: {f_x: 1}\nexpression: ", "that start with f_ are features" },
        { "expressions: {max: 1}\nexpression: ", "'max': is the name of a function" },
        { "expressions: {x: 1, x: 2}\nexpression: ", "n1.yaml:40:21: " },
        { "expressions:\n  x: 2*y\n  y: x\nexpression: x + ",
          "n1.yaml:42:6: expression 'y': column 1: 'x' is used by y through x: an "
          "expression cannot contain itself" },
        { "expressions: {x: y}\nexpression: x + ",
          "n1.yaml:40:18: expression 'x': column 1: 'y' is neither" },
        { "expressions: {x: f_nothing}\nexpression: x + ", "'f_nothing'" },
        { "expressions: {x: 1}\nexpression: x + z + ",
          "n1.yaml:41:13: expression: column 5: 'z' is neither a parameter (p_...), a "
          "feature (f_...) nor a named expression (x)" },
        { "expressions: {x: 1}\nroofs: {x: x, y: z}\nexpression: x + ",
          "n1.yaml:41:18: roof 'y': column 1: 'z' is neither" },
        { "expressions: [x]\nexpression: ",
          "n1.yaml:40:14: expressions: expected a map" },
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
        refuses("expression: ", cases[i].names, cases[i].complaint);
}

/* Files that earlier versions wrote must be read for ever. */
static struct gcal_params read_stored(const char *name)
{
    struct gcal_params params = { 0 };
    struct gcal_error err = { 0 };
    size_t size;
    char *text = gcal_file_read(sample_path(TEST_DATA, name), 1 << 20, &size, &err);

    if (!text || gcal_params_decode(text, size, name, &params, &err) < 0)
        fail_msg("%s", err.text);
    free(text);
    return params;
}

static void reads_a_single_expression(void **state)
{
    struct gcal_params params = read_stored("node17.yaml");
    const struct gcal_params_model *m = params.devices[0].models;

    (void)state;
    assert_string_equal(params.node, "node17");
    assert_int_equal(params.n_devices, 2);
    assert_string_equal(params.devices[1].info.driver, "580.17");
    assert_string_equal(m->parameter[1], "p_launch");
    assert_true(m->value[0] == 2.385e-12 &&
                fabs(covariance_of(m, 1, 1) / 9.61e-16 - 1) < 1e-4);
    assert_true(m->feature_max[0] == 8589934592.0);
    assert_int_equal(m->n_samples, 713);
    assert_string_equal(m->form, "expression");
    assert_int_equal(m->n_held_out, 0);
    assert_true(fabs(m->error_90 / 0.02385 - 1.64485) < 1e-5); /* of the residual */
    gcal_params_clear(&params);
}

static void reads_a_form(void **state)
{
    struct gcal_params params = read_stored("node17-pnorm.yaml");
    const struct gcal_params_model *m = params.devices[0].models;

    (void)state;
    assert_string_equal(params.node, "node17");
    assert_string_equal(m->form, "pnorm");
    assert_string_equal(m->parameter[2], "p_overlap");
    assert_true(m->value[2] == 1.385 &&
                fabs(covariance_of(m, 2, 1) / 3.1e-17 - 1) < 1e-4);
    assert_int_equal(m->n_held_out, 24);
    assert_true(m->held_out_rms == 0.0297 && m->error_90 == 0.0461);
    gcal_params_clear(&params);
}

static void reads_models_of_two_devices(void **state)
{
    struct gcal_params params = read_stored("node17-models.yaml");
    const struct gcal_params_device *d = params.devices;
    const struct gcal_params_model *m = &d->models[1];

    (void)state;
    assert_string_equal(params.node, "node17");
    assert_int_equal(params.n_devices, 2);
    assert_string_equal(d->configuration, SAMPLE_CONFIGURATION);
    assert_int_equal(d->n_fitted, 3);
    assert_string_equal(d[1].info.uid, "pci:0000:41:00.0");
    assert_string_equal(d[1].models[0].name, "matmul");
    assert_string_equal(m->name, "tiled product");
    assert_true(m->at_bound[2] && !m->at_bound[3]);
    assert_true(m->own[3] == 1.402 && m->own_error[3] == 0.027 && isnan(m->own[1]));
    assert_true(fabs(covariance_of(m, 0, 1) / -5.26947e-29 - 1) < 1e-5);
    assert_true(covariance_of(m, 3, 2) == 0);
    assert_true(isinf(m->condition));
    gcal_params_clear(&params);
}

/* Models of three runs: one of the device's own. */
static void reads_origins(void **state)
{
    struct gcal_params params = read_stored("node17-origins.yaml");
    const struct gcal_params_device *d = params.devices;
    const struct gcal_params_origin *own = &d->models[0].origin;
    const struct gcal_params_origin *old = &d->models[1].origin;

    (void)state;
    assert_string_equal(d->run_id, "20261122T091500Z-5e6f7a8b");
    assert_string_equal(own->run_id, d->run_id);
    assert_string_equal(own->driver, d->info.driver);
    assert_string_equal(own->configuration, SAMPLE_CATALOGUE);
    assert_int_equal(own->n_fitted, 3);
    assert_string_equal(old->run_id, "20261121T041705Z-1a2b3c4d");
    assert_string_equal(old->calibrated_utc, "2026-11-21T04:27:51Z");
    assert_string_equal(old->driver, "580.1");
    assert_string_equal(old->catalogue, "");
    assert_string_equal(old->type, d->info.type);
    assert_int_equal(old->n_fitted, 5);
    assert_true(gcal_params_model_is_current(d, &d->models[0]));
    assert_false(gcal_params_model_is_current(d, &d->models[1]));
    gcal_params_clear(&params);
}

/* One of two devices whose driver says what a compute unit holds. */
static void reads_limits_of_compute_units(void **state)
{
    struct gcal_params params = read_stored("node17-limits.yaml");
    const struct gcal_params_device *d = params.devices;

    (void)state;
    assert_int_equal(d->info.resident_work_items, 2048);
    assert_int_equal(d->info.resident_work_groups, 32);
    assert_true(d->info.unit_local_memory_bytes == 233472);
    gcal_params_clear(&params);
}

static struct gcal_model *create_model(const struct gcal_params_model *m)
{
    struct gcal_model *model =
        gcal_model_create_with(m->name, m->output, m->expression, m->names, NULL);

    assert_non_null(model);
    return model;
}

/* The model of node17-limits.yaml, with named expressions. */
static void reads_named_expressions(void **state)
{
    const double p[] = { 1.4, 2e-12, 7e-12, 0 }, f[] = { 1e6, 2e6, 1 };
    struct gcal_params params = read_stored("node17-names.yaml"),
                       before = read_stored("node17-limits.yaml");
    const struct gcal_params_model *m = &params.devices[0].models[1];
    struct gcal_model *a = create_model(m),
                      *b = create_model(&before.devices[0].models[1]);
    size_t size;
    char *text;

    (void)state;
    assert_int_equal(gcal_expr_names_count(m->names), 3);
    assert_string_equal(gcal_expr_names_name(m->names, 0), "flops");
    assert_string_equal(m->roofs.roofs[0].expression, "p_madd*flops");
    assert_int_equal(a->n_features, b->n_features);
    assert_true(close_to(gcal_model_eval(a, p, f, NULL), gcal_model_eval(b, p, f, NULL)));
    assert_non_null(text = gcal_params_encode(&params, &size, NULL));
    assert_memory_equal(text, "gpucal_params: 7\n", 17);
    assert_non_null(strstr(text, "expressions:\n  flops: 2*(madds - 0.5*madds)\n"));
    free(text);
    gcal_model_destroy(a);
    gcal_model_destroy(b);
    gcal_params_clear(&params);
    gcal_params_clear(&before);
}

/* node17-names.yaml, with work that costs stand for. */
static void reads_proportions(void **state)
{
    struct gcal_params params = read_stored("node17-proportions.yaml"),
                       before = read_stored("node17-names.yaml");
    const struct gcal_params_model *m = &params.devices[1].models[0];
    size_t size;
    char *text;

    (void)state;
    assert_int_equal(m->stands_for.n, 2);
    assert_string_equal(m->stands_for.items[0].feature,
                        "f_mem_access_local_float32_load");
    assert_true(m->stands_for.items[1].min == 0.0625 &&
                m->stands_for.items[1].max == 0.125);
    assert_false(gcal_params_model_is_general(m));
    assert_true(gcal_params_model_is_general(&before.devices[1].models[0]));
    assert_non_null(text = gcal_params_encode(&params, &size, NULL));
    assert_memory_equal(text, "gpucal_params: 7\n", 17);
    assert_non_null(strstr(text,
                           "stands_for:\n- {feature: f_mem_access_local_float32_load, "
                           "min: 2, max: 2.25}\n"));
    free(text);
    gcal_params_clear(&params);
    gcal_params_clear(&before);
}

static void leaves_out_what_drivers_do_not_say(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12), back;
    struct gcal_device_info *info = &params.devices[0].info;
    size_t size;
    char *text;

    (void)state;
    assert_non_null(text = gcal_params_encode(&params, &size, NULL));
    assert_memory_equal(text, "gpucal_params: 7\n", 17);
    assert_int_equal(decode(text, size, &back, NULL), 0);
    assert_int_equal(back.devices[0].info.resident_work_items, 2048);
    assert_int_equal(back.devices[0].info.resident_work_groups, 32);
    assert_true(back.devices[0].info.unit_local_memory_bytes == 233472);
    assert_int_equal(back.devices[0].info.unit_registers, 65536);
    gcal_params_clear(&back);
    free(text);
    info->resident_work_items = info->resident_work_groups = 0;
    info->unit_local_memory_bytes = 0;
    info->unit_registers = 0;
    assert_non_null(text = gcal_params_encode(&params, &size, NULL));
    assert_memory_equal(text, "gpucal_params: 7\n", 17);
    assert_null(strstr(text, "resident"));
    assert_int_equal(decode(text, size, &back, NULL), 0);
    assert_int_equal(back.devices[0].info.resident_work_items, 0);
    gcal_params_clear(&back);
    free(text);
    gcal_params_clear(&params);
}

/* What equals the device's is not repeated, and comes back. */
static void writes_origins_that_differ(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12), back;
    struct gcal_params_origin *origin = &params.devices[0].models[0].origin;
    struct gcal_error err = { 0 };
    size_t size;
    char *text;

    (void)state;
    origin->run_id = strdup("another-run");
    origin->driver = strdup(params.devices[0].info.driver);
    origin->n_fitted = 9;
    assert_non_null(text = gcal_params_encode(&params, &size, &err));
    assert_non_null(strstr(text, "  - name: matmul\n    run_id: another-run\n"
                                 "    fitted: 9\n---\n"));
    assert_int_equal(decode(text, size, &back, &err), 0);
    assert_string_equal(back.devices[0].models[0].origin.run_id, "another-run");
    assert_string_equal(back.devices[0].models[0].origin.configuration,
                        SAMPLE_CONFIGURATION);
    assert_int_equal(back.devices[0].models[0].origin.n_fitted, 9);
    gcal_params_clear(&back);
    gcal_params_clear(&params);
    free(text);
}

/* The text of the file, for the caller to free. */
static char *stored_text(const char *name, size_t *size)
{
    return sample_file_read(sample_path(TEST_DATA, name), size);
}

static struct gcal_params_index *index_of(const char *text, struct gcal_error *err)
{
    return gcal_params_index_create(strdup(text), strlen(text), "n1.yaml", err);
}

/* A damaged model does not prevent reading another. */
static void reads_one_model_alone(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_params_index *index;
    struct gcal_params_model m;
    size_t size;
    char *text = stored_text("node17-models.yaml", &size);
    char *bad = replace(text, "form: pnorm", "from: pnorm");

    (void)state;
    assert_non_null(index = index_of(bad, &err));
    assert_string_equal(gcal_params_index_devices(index)->devices[0].models[1].name,
                        "tiled product");
    assert_int_equal(gcal_params_index_devices(index)->devices[1].n_models, 1);
    assert_int_equal(gcal_params_index_model(index, 0, 0, &m, &err), 0);
    assert_true(m.value[0] == 2.385e-12 && m.n_parameters == 2);
    gcal_params_model_clear(&m);
    assert_int_equal(gcal_params_index_model(index, 1, 0, &m, &err), 0);
    assert_true(m.value[0] == 7.13e-12);
    gcal_params_model_clear(&m);
    assert_int_equal(gcal_params_index_model(index, 0, 1, &m, &err), -1);
    assert_non_null(strstr(err.text, "n1.yaml:"));
    assert_non_null(strstr(err.text, "unknown key 'from' (did you mean 'form'?)"));
    gcal_params_index_destroy(index);
    free(bad);
    free(text);
}

static void the_index_decodes_a_model_once(void **state)
{
    struct gcal_error err = { 0 };
    struct gcal_params_index *index;
    struct gcal_params_device one, all;
    size_t size;
    char *text = stored_text("node17-models.yaml", &size);

    (void)state;
    assert_non_null(index = index_of(text, &err));
    assert_int_equal(gcal_params_index_models(index, 0, "tiled product", &one, &err), 0);
    assert_int_equal(gcal_params_index_models(index, 0, NULL, &all, &err), 0);
    assert_int_equal(one.n_models, 1);
    assert_int_equal(all.n_models, 2);
    assert_non_null(one.models[0].derived);
    assert_ptr_equal(one.models[0].derived, all.models[1].derived);
    assert_ptr_equal(one.models[0].value, all.models[1].value);
    gcal_params_index_models_clear(&one);
    gcal_params_index_models_clear(&all);
    gcal_params_index_destroy(index);
    free(text);
}

/* A signature follows the end of the file. */
static void comments_may_follow_the_end(void **state)
{
    struct gcal_params params = { 0 };
    struct gcal_error err = { 0 };
    size_t size;
    char *text = stored_text("node17-models.yaml", &size);
    char *more = gcal_buf_format("%s# gpucal-signature ed25519 AAAA BBBB\n", text);

    (void)state;
    assert_int_equal(decode(more, strlen(more), &params, &err), 0);
    gcal_params_clear(&params);
    free(more);
    free(text);
}

/* ---- covariances ---- */

#define N 6

/* Nearly collinear costs, one without variance, one that is a multiple of the first;
 * 'correlation': of the first two.
 */
static void fill_covariance(double c[N * N], double correlation)
{
    static const double root[N] = { 2.385e-12, 7.13e-6, 0, 0.0419, 3.7, 1.3e-21 };

    for (size_t i = 0; i < N; i++)
        for (size_t j = 0; j < N; j++)
            c[i * N + j] = root[i] * root[j] * (i == j ? 1 : 0.1);
    c[1] = c[N] = correlation * root[0] * root[1];
    for (size_t i = 0; i < N; i++)
        c[3 * N + i] = c[i * N + 3] = c[i] * (root[3] / root[0]);
    c[3 * N + 3] = root[3] * root[3];
}

static void set_covariance(struct gcal_params_model *m, const double *c)
{
    struct gcal_error err = { 0 };

    m->n_parameters = N;
    if (gcal_params_set_covariance(m, c, &err) < 0)
        fail_msg("%s", err.text);
}

static void covariances_may_be_singular(void **state)
{
    static const double correlations[] = { 0.1, -0.9999, -0.99999999, -1, 1 };
    double c[N * N];

    (void)state;
    for (size_t k = 0; k < sizeof(correlations) / sizeof(*correlations); k++) {
        struct gcal_params_model m = { .name = NULL };

        fill_covariance(c, correlations[k]);
        if (fabs(correlations[k]) > 0.1) /* only then is it a covariance */
            for (size_t i = 4; i < N; i++)
                for (size_t j = 0; j < N; j++)
                    c[i * N + j] = c[j * N + i] = i == j ? c[i * N + i] : 0;
        set_covariance(&m, c);
        for (size_t i = 0; i < N; i++)
            for (size_t j = 0; j < N; j++) {
                double scale = sqrt(c[i * N + i] * c[j * N + j]);

                assert_true(fabs(covariance_of(&m, i, j) - c[i * N + j]) <=
                            1e-12 * scale);
            }
        gcal_params_model_clear(&m);
    }
}

static void indefinite_matrices_are_refused(void **state)
{
    struct gcal_params_model m = { .n_parameters = N };
    struct gcal_error err;
    double c[N * N];

    (void)state;
    fill_covariance(c, -1.001);
    assert_int_equal(gcal_params_set_covariance(&m, c, &err), -1);
    assert_int_equal(err.code, GCAL_EFIT);
    fill_covariance(c, 0.1);
    c[0] = -c[0];
    assert_int_equal(gcal_params_set_covariance(&m, c, &err), -1);
    c[0] = NAN;
    assert_int_equal(gcal_params_set_covariance(&m, c, &err), -1);
    assert_null(m.root);
}

static void does_not_write_numbers_that_are_not_finite(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 0.0 / 0.0);
    struct gcal_error err;

    (void)state;
    assert_null(gcal_params_encode(&params, NULL, &err));
    assert_int_equal(err.code, GCAL_EFIT);
    gcal_params_clear(&params);
}

static void finds_devices_by_pattern(void **state)
{
    struct gcal_params params = sample_params("n1", "uuid:7f", 2.385e-12);
    struct gcal_params other = sample_params("n1", "uuid:80", 2.385e-12);
    struct gcal_error err;

    (void)state;
    assert_ptr_equal(gcal_params_find(&params, NULL, NULL), &params.devices[0]);
    assert_ptr_equal(gcal_params_find(&params, "TEST gpu", NULL), &params.devices[0]);
    assert_ptr_equal(gcal_params_find(&params, "test-gpu-?cu", NULL), &params.devices[0]);
    assert_null(gcal_params_find(&params, "h200", &err));
    assert_non_null(strstr(err.text, "uuid:7f (Test GPU)"));
    *gcal_params_add_device(&params, NULL) = other.devices[0];
    free(other.devices);
    free(other.node);
    assert_null(gcal_params_find(&params, NULL, &err));
    assert_non_null(strstr(err.text, "more than one device; devices: uuid:7f"));
    assert_ptr_equal(gcal_params_find(&params, "*:80", NULL), &params.devices[1]);
    gcal_params_clear(&params);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_back_exactly),
        cmocka_unit_test(refuses_every_cut),
        cmocka_unit_test(reads_back_roofs),
        cmocka_unit_test(says_where_a_file_is_wrong),
        cmocka_unit_test(reads_a_single_expression),
        cmocka_unit_test(reads_a_form),
        cmocka_unit_test(reads_models_of_two_devices),
        cmocka_unit_test(reads_origins),
        cmocka_unit_test(reads_limits_of_compute_units),
        cmocka_unit_test(reads_named_expressions),
        cmocka_unit_test(reads_proportions),
        cmocka_unit_test(says_which_name_is_wrong),
        cmocka_unit_test(leaves_out_what_drivers_do_not_say),
        cmocka_unit_test(writes_origins_that_differ),
        cmocka_unit_test(reads_one_model_alone),
        cmocka_unit_test(the_index_decodes_a_model_once),
        cmocka_unit_test(comments_may_follow_the_end),
        cmocka_unit_test(covariances_may_be_singular),
        cmocka_unit_test(indefinite_matrices_are_refused),
        cmocka_unit_test(does_not_write_numbers_that_are_not_finite),
        cmocka_unit_test(finds_devices_by_pattern),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
