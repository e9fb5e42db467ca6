/* test_config.c - reading models.yaml, and the kernels of simple models */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "calib/select/select.h"
#include "tests/facts.h"

static const char section_8[] = SOURCE_DIR "/docs/examples/stevens-kloeckner/models.yaml";

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

#define MODEL                                                                            \
    "models:\n"                                                                          \
    "  - name: add\n"                                                                    \
    "    output: f_cl_wall_time\n"                                                       \
    "    expression: p_add * f_op_float32_add + p_launch * f_sync_kernel_launch\n"       \
    "    parameters:\n"                                                                  \
    "      p_add: {initial: 2.385e-12, max: 1.7e-9}\n"                                   \
    "    kernels:\n"                                                                     \
    "      - tags: [flops_add_pattern, \"dtype:float32\"]\n"

static int parse(const char *text, struct gcal_config *config, struct gcal_error *err)
{
    return gcal_select_parse(text, strlen(text), "site.yaml", catalogue, config, err);
}

/* 'text' is refused, with an error at its place. */
static void refuses(const char *text, const char *where, const char *what)
{
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    assert_int_equal(parse(text, &config, &err), -1);
    if (strncmp(err.text, where, strlen(where)) != 0 || !strstr(err.text, what))
        fail_msg("\"%s\" is not \"%s ... %s\"", err.text, where, what);
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_null(config.models);
}

static void reads_every_key(void **state)
{
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(
        parse("version: 1\nstore: /shared/gpucal\n"
              "devices: {kinds: [gpu], vendors: ['NVIDIA*'], names: ['*H200*', a100]}\n"
              "measure: {budget_s: 61.7, min_time_s: 0.0013, max_time_s: 0.17,\n"
              "  min_samples: 7, max_samples: 53, noise: 0.0047, kernel_limit_s: 19,\n"
              "  rungs: 5, seed: 977}\n"
              "audit: {warn: 0.037, fail: 0.13, false_alarms: 0.0027, confirm: 3, of: "
              "5}\n" MODEL,
              &config, &err),
        0);
    assert_string_equal(config.file, "site.yaml");
    assert_string_equal(config.store, "/shared/gpucal");
    assert_int_equal(config.devices.n_kinds, 1);
    assert_int_equal(config.devices.n_names, 2);
    assert_string_equal(config.devices.names[1], "a100");
    assert_true(config.measure.budget_s == 61.7 && config.measure.min_time_s == 0.0013);
    assert_true(config.measure.max_time_s == 0.17 && config.measure.noise == 0.0047);
    assert_true(config.measure.kernel_limit_s == 19);
    assert_int_equal(config.measure.min_samples, 7);
    assert_int_equal(config.measure.max_samples, 53);
    assert_int_equal(config.measure.sizes, 5);
    assert_int_equal(config.measure.seed, 977);
    assert_true(config.audit_warn == 0.037 && config.audit_fail == 0.13);
    assert_true(config.audit_false_alarms == 0.0027);
    assert_true(config.audit_confirm == 3 && config.audit_of == 5);
    assert_int_equal(config.n_models, 1);
    assert_true(config.models[0].model->parameters[0].max == 1.7e-9);
    assert_string_equal(config.models[0].tag_sets[0].tags[1], "dtype:float32");
    assert_int_equal(config.models[0].tag_sets[0].node->line, 15);
    gcal_config_clear(&config);
}

static void absent_keys_have_defaults(void **state)
{
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(parse("version: 1\nstore: ~\ndevices:\n" MODEL, &config, &err), 0);
    assert_null(config.store);
    assert_true(config.measure.budget_s == 60 && config.measure.max_time_s == 0.2);
    assert_int_equal(config.measure.sizes, 3);
    assert_true(config.audit_fail == 0.1 && config.audit_of == 3);
    gcal_config_clear(&config);
}

static void errors_name_the_place(void **state)
{
    (void)state;
    refuses("version: 2\nfuture: 1\n", "site.yaml:1:10: ", "reads version 1");
    refuses(MODEL, "site.yaml:1:1: ", "no 'version'");
    refuses("version: 1\n", "site.yaml:1:1: ", "models");
    refuses("version: 1\nmeasures: {}\n" MODEL, "site.yaml:2:1: ", "measure");
    refuses("version: 1\nmeasure: {budget_s: -3}\n" MODEL, "site.yaml:2:21: ", "above 0");
    refuses("version: 1\nmeasure: {min_time_s: 0.3}\n" MODEL,
            "site.yaml:2:10: ", "not below max_time_s");
    refuses("version: 1\nmeasure: {min_samples: 70}\n" MODEL,
            "site.yaml:2:10: ", "above max_samples");
    refuses("version: 1\naudit: {warn: 0.2}\n" MODEL, "site.yaml:2:8: ", "above fail");
    refuses("version: 1\naudit: {confirm: 4}\n" MODEL, "site.yaml:2:8: ", "above of");
    refuses("version: 1\naudit: {false_alarms: 1}\n" MODEL,
            "site.yaml:2:8: ", "probability");
    refuses("version: 1\ndevices: {kinds: [gpu, fpga]}\n" MODEL,
            "site.yaml:2:24: ", "'fpga'");
    refuses("version: 1\ndevices: gpu\n" MODEL, "site.yaml:2:10: ", "map");
}

static void errors_about_models_name_the_place(void **state)
{
#define BEGIN "version: 1\nmodels:\n  - name: m\n    output: f_cl_wall_time\n"
#define SUM   "    expression: p_a * f_op_float32_add\n"
#define TAGS  "    kernels:\n      - tags: [flops_add_pattern]\n"
    (void)state;
    refuses("version: 1\nmodels: []\n", "site.yaml:2:9: ", "empty");
    refuses(BEGIN SUM, "site.yaml:3:5: ", "no kernels");
    refuses(BEGIN SUM "    kernels: []\n", "site.yaml:6:14: ", "empty");
    refuses(BEGIN SUM "    kernels:\n      - {tags: []}\n", "site.yaml:7:16: ", "empty");
    refuses(BEGIN SUM "    kernels:\n      - {tags: [flops_ad]}\n",
            "site.yaml:7:16: ", "flops_ad");
    refuses(BEGIN SUM "    kernels:\n      - {tags: [flops_add_pattern], match: all}\n",
            "site.yaml:7:44: ", "superset");
    refuses(BEGIN SUM TAGS "    roofs: [l2]\n", "site.yaml:", "'l2' is not a name in");
    refuses(BEGIN SUM TAGS "    spread: {l2: 0.3}\n",
            "site.yaml:8:14: ", "neither a roof of the model");
    refuses(BEGIN SUM TAGS "    roofs: {l2: p_other}\n",
            "site.yaml:", "roof 'l2': column 1");
    refuses(BEGIN SUM
            "    kernels:\n      - {tags: [flops_add_pattern], kinds: [fpga]}\n",
            "site.yaml:7:45: ", "'fpga'");
    refuses(BEGIN "    expression: p_a * * f_op_float32_add\n" TAGS,
            "site.yaml:5:17: ", "column 7");
    refuses(BEGIN SUM "    parameters: {p_b: {min: 1}}\n" TAGS, "site.yaml:6:", "p_b");
    refuses(BEGIN SUM "    parameters: {p_a: {min: 5, max: 3}}\n" TAGS,
            "site.yaml:6:", "min");
    refuses("version: 1\nmodels:\n  - name: a b\n    output: f_cl_wall_time\n" SUM TAGS,
            "site.yaml:3:11: ", "only letters");
    refuses(BEGIN "    errors: some\n" SUM TAGS,
            "site.yaml:5:13: ", "expected relative or absolute, found 'some'");
    refuses(BEGIN SUM TAGS "  - name: m\n    output: f_cl_wall_time\n" SUM TAGS,
            "site.yaml:8:11: ", "two models");
    refuses(BEGIN SUM
            "    kinds: [cpu, gpu]\n" TAGS
            "  - name: m\n    output: f_cl_wall_time\n    kinds: [cpu]\n" SUM TAGS,
            "site.yaml:9:11: ", "two models");
    refuses(BEGIN SUM "    kinds: [fpga]\n" TAGS, "site.yaml:6:13: ", "'fpga'");
}

/* Of two models of one name each device has that of its kind. */
static void models_of_one_name_are_for_different_kinds(void **state)
{
    struct gcal_device_info gpu = { .device_type = "gpu", .max_work_group_size = 1024 };
    struct gcal_device_info cpu = { .device_type = "cpu", .max_work_group_size = 1024 };
    struct gcal_kernel_list list = { 0 };
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };
    char *text;

    (void)state;
    if (parse(BEGIN SUM TAGS "  - name: m\n    output: f_cl_wall_time\n    kinds: [cpu]\n"
                             "    errors: absolute\n"
                             "    expression: p_b*f_thread_groups\n"
                             "    kernels: [{tags: [empty_kernel, 'ngroups:16']}]\n",
              &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(gcal_config_model_applies(&config.models[0], &gpu));
    assert_false(gcal_config_model_applies(&config.models[0], &cpu));
    assert_false(gcal_config_model_applies(&config.models[1], &gpu));
    assert_true(gcal_config_model_applies(&config.models[1], &cpu));
    if (gcal_select_kernels(&config, catalogue, &cpu, &list, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(list.n_kernels, 1);
    assert_string_equal(list.kernels[0]->generator, "empty");
    gcal_kernel_list_clear(&list);
    assert_non_null(text = gcal_config_encode(&config, &err));
    assert_non_null(strstr(text, "kinds: [cpu]"));
    assert_true(!config.models[0].absolute && config.models[1].absolute);
    assert_non_null(strstr(text, "errors: absolute"));
    free(text);
    gcal_config_clear(&config);
}

/* Built-in forms are named, not expanded. */
static void reading_needs_no_catalogue(void **state)
{
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };
    const struct gcal_config_model *m;

    (void)state;
    if (gcal_config_read(section_8, &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(config.state, GCAL_CONFIG_READ);
    m = &config.models[config.n_models - 1];
    assert_true(m->n_groups > 0 && m->n_targets > 0);
    assert_null(m->model);
    assert_null(m->forms[0].model);
    assert_string_equal(config.fingerprint, "");
    gcal_config_clear(&config);
}

/* From the folder of the configuration; a record has the files instead. */
static void folders_of_kernels_are_beside_the_file(void **state)
{
    static const char text[] = "version: 1\ncatalogue: [own, /site/kernels]\n" MODEL;
    char path[] = "/tmp/gpucal-config-XXXXXX";
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };
    int fd = mkstemp(path);

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    close(fd);
    if (gcal_config_read_settings(path, &config, &err) < 0)
        fail_msg("%s", err.text);
    unlink(path);
    assert_int_equal(config.n_catalogues, 2);
    assert_string_equal(config.catalogues[0], "/tmp/own");
    assert_string_equal(config.catalogues[1], "/site/kernels");
    gcal_config_clear(&config);
    if (gcal_config_parse(text, strlen(text), "record", &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(config.n_catalogues, 0);
    gcal_config_clear(&config);
}

/* 'file' NULL: the built-in one. */
static void is_right(const char *file)
{
    struct gcal_config config = { 0 }, again = { 0 };
    struct gcal_error err = { 0 };

    if (gcal_select_read(file, catalogue, &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(config.state, GCAL_CONFIG_RESOLVED);
    assert_int_equal(strlen(config.fingerprint), GCAL_HASH_TEXT_SIZE - 1);
    assert_true(config.n_models > 0);
    for (size_t i = 0; i < config.n_models; i++)
        assert_ptr_equal(config.models[i].model, config.models[i].forms[0].model);
    /* What a record keeps of it. */
    if (gcal_select_parse(config.text, strlen(config.text), "record", NULL, &again,
                          &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(again.n_models, config.n_models);
    for (size_t i = 0; i < config.n_models; i++) {
        assert_string_equal(again.models[i].model->expression,
                            config.models[i].model->expression);
        assert_int_equal(again.models[i].n_tag_sets, config.models[i].n_tag_sets);
    }
    gcal_config_clear(&again);
    gcal_config_clear(&config);
}

static void the_files_of_the_source_tree_are_right(void **state)
{
    (void)state;
    is_right(NULL);
    is_right(section_8);
}

/* Kernels that nobody has seen get the model that has no targets. */
static void the_built_in_model_is_general(void **state)
{
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    if (gcal_config_read(NULL, &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(config.n_models, 4); /* that of CPUs, of transfers, of sweeps */
    for (size_t i = 0; i < config.n_models; i++) {
        assert_string_equal(config.models[i].name, i < 2    ? "general"
                                                   : i == 2 ? "transfer"
                                                            : "sweeps");
        assert_int_equal(config.models[i].n_targets, 0);
    }
    gcal_config_clear(&config);
    if (gcal_config_read(section_8, &config, &err) < 0)
        fail_msg("%s", err.text);
    for (size_t i = 0; i < config.n_models; i++)
        assert_true(config.models[i].n_targets > 0);
    gcal_config_clear(&config);
}

static void settings_are_read_without_the_models(void **state)
{
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    if (gcal_config_read_settings(NULL, &config, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(config.n_models, 0);
    assert_int_equal(config.measure.sizes, 4); /* the file's, not the default */
    gcal_config_clear(&config);
}

static void filters_match_globs_of_any_case(void **state)
{
    char *kinds[] = { "gpu" }, *names[] = { "*h200*", "a100" };
    struct gcal_config_device_filter filter = { .n_kinds = 1, .kinds = kinds };
    struct gcal_device_info info = { .device_type = "gpu",
                                     .vendor = "NVIDIA",
                                     .name = "NVIDIA H200 NVL" };

    (void)state;
    assert_true(gcal_config_device_filter_matches(&filter, &info));
    filter.n_names = 2;
    filter.names = names;
    assert_true(gcal_config_device_filter_matches(&filter, &info));
    info.name = "NVIDIA H100";
    assert_false(gcal_config_device_filter_matches(&filter, &info));
    info.name = "A100";
    info.device_type = "cpu";
    assert_false(gcal_config_device_filter_matches(&filter, &info));
}

/* Two models that share a kernel get it once, with both names; if one of them fixes its
 * size, that size is always measured.
 */
static void kernels_come_once_with_the_models_that_asked(void **state)
{
#define PICK(name, tags)                                                                 \
    "  - {name: " name ", output: f_cl_wall_time, expression: p_a*f_op_float32_add,\n"   \
    "     kernels: [{tags: [empty_kernel" tags "]}]}\n"
    struct gcal_device_info info = { .max_work_group_size = 1024 };
    struct gcal_kernel_list list = { 0 };
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(parse("version: 1\nmodels:\n" PICK("one", ", 'ngroups:16,256'")
                               PICK("other", ", 'ngroups:256'"),
                           &config, &err),
                     0);
    if (gcal_select_kernels(&config, catalogue, &info, &list, &err) < 0)
        fail_msg("%s", err.text);
    assert_int_equal(list.n_kernels, 2);
    assert_string_equal(uses_text(&list.kernels[0]->uses), "one");
    assert_string_equal(uses_text(&list.kernels[1]->uses), "one,other");
    gcal_kernel_list_clear(&list);
    gcal_config_clear(&config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_key),
        cmocka_unit_test(absent_keys_have_defaults),
        cmocka_unit_test(errors_name_the_place),
        cmocka_unit_test(errors_about_models_name_the_place),
        cmocka_unit_test(models_of_one_name_are_for_different_kinds),
        cmocka_unit_test(reading_needs_no_catalogue),
        cmocka_unit_test(folders_of_kernels_are_beside_the_file),
        cmocka_unit_test(the_files_of_the_source_tree_are_right),
        cmocka_unit_test(the_built_in_model_is_general),
        cmocka_unit_test(settings_are_read_without_the_models),
        cmocka_unit_test(filters_match_globs_of_any_case),
        cmocka_unit_test(kernels_come_once_with_the_models_that_asked),
    };

    return cmocka_run_group_tests(tests, open_catalogue, close_catalogue);
}
