/* test_roofs.c - roofs: read, written, evaluated, refused */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/model.h"
#include "kernels/model/named_expr.h"
#include "kernels/model/roofs/roofs.h"

#define EXPRESSION "pnorm(p_norm, p_add*f_op_float32_add, p_l2*f_sector_global)"

static struct gcal_expr_names *make_names(void)
{
    struct gcal_expr_names *names = gcal_expr_names_create(NULL);

    assert_int_equal(gcal_expr_names_add(names, "adds", "p_add*f_op_float32_add", NULL),
                     0);
    assert_int_equal(gcal_expr_names_add(names, "l2", "p_l2*f_sector_global", NULL), 0);
    return names;
}

static int read(const char *text, const struct gcal_expr_names *names,
                struct gcal_roofs *roofs, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "m.yaml", err);
    int rc = gcal_roofs_read(root, names, roofs, err);

    gcal_yaml_destroy(root);
    return rc;
}

static void reads_names_and_expressions(void **state)
{
    struct gcal_expr_names *names = make_names();
    struct gcal_roofs roofs;

    (void)state;
    assert_int_equal(read("roofs: [l2, adds]", names, &roofs, NULL), 0);
    assert_int_equal(roofs.n, 2);
    assert_string_equal(roofs.roofs[0].name, "l2");
    assert_string_equal(roofs.roofs[1].expression, "adds");
    gcal_roofs_clear(&roofs);

    assert_int_equal(read("roofs: {cache: 2*l2}", names, &roofs, NULL), 0);
    assert_string_equal(roofs.roofs[0].name, "cache");
    assert_string_equal(roofs.roofs[0].expression, "2*l2");
    gcal_roofs_clear(&roofs);

    assert_int_equal(read("other: 1", names, &roofs, NULL), 0);
    assert_int_equal(roofs.n, 0);
    gcal_roofs_clear(&roofs);
    gcal_expr_names_destroy(names);
}

static void reads_back_what_it_writes(void **state)
{
    struct gcal_expr_names *names = make_names();
    struct gcal_roofs roofs, back;
    struct gcal_yaml_writer *w = gcal_yaml_writer_create(NULL);
    char *text;

    (void)state;
    assert_int_equal(read("roofs: {l2: l2, both: adds + l2}", names, &roofs, NULL), 0);
    gcal_yaml_write_map(w);
    gcal_roofs_write(w, &roofs);
    gcal_yaml_write_end_map(w);
    text = gcal_yaml_writer_finish(w, NULL, NULL);
    assert_int_equal(read(text, names, &back, NULL), 0);
    assert_int_equal(back.n, 2);
    for (size_t i = 0; i < 2; i++) {
        assert_string_equal(back.roofs[i].name, roofs.roofs[i].name);
        assert_string_equal(back.roofs[i].expression, roofs.roofs[i].expression);
    }
    free(text);
    gcal_roofs_clear(&back);
    gcal_roofs_clear(&roofs);
    gcal_expr_names_destroy(names);
}

static void refuses(const char *text, const struct gcal_expr_names *names,
                    const char *expected)
{
    struct gcal_roofs roofs;
    struct gcal_error err = { 0 };

    assert_int_equal(read(text, names, &roofs, &err), -1);
    if (!strstr(err.text, expected))
        fail_msg("\"%s\" lacks \"%s\"", err.text, expected);
    gcal_roofs_clear(&roofs);
}

static void refuses_what_is_no_roof(void **state)
{
    struct gcal_expr_names *names = make_names();

    (void)state;
    refuses("roofs: [l3]", names, "m.yaml:1:9: roof 'l3' is not a name in 'expressions'");
    refuses("roofs: [l2, l2]", names, "m.yaml:1:13: the roof 'l2' is listed twice");
    refuses("roofs: {l2: l3}", names, "m.yaml:1:13: roof 'l2': column 1");
    refuses("roofs: {'l 2': l2}", names, "only letters, digits and '_'");
    refuses("roofs: {'': l2}", names, "only letters, digits and '_'");
    refuses("roofs: l2", names, "expected a map of name: expression, or a list");
    refuses("roofs: [l2]", NULL, "expected a map of name: expression");
    refuses("roofs: {l2: [1]}", NULL, "m.yaml:1:13");
    gcal_expr_names_destroy(names);
}

static size_t eval(const struct gcal_roofs_program *program, const double *parameters,
                   const double *features, double *seconds)
{
    gcal_model_parts_eval(gcal_roofs_parts(program), parameters, features, seconds);
    return gcal_roofs_longest(program, seconds);
}

static void the_longest_binds(void **state)
{
    struct gcal_model *model = gcal_model_create("m", "f_cl_wall_time", EXPRESSION, NULL);
    struct gcal_expr_names *names = make_names();
    struct gcal_roofs roofs;
    struct gcal_roofs_program *program;
    /* p_norm, p_add, p_l2; additions, sectors */
    const double parameters[] = { 2, 1e-9, 1e-8 };
    double features[] = { 100, 20 }, seconds[3];

    (void)state;
    assert_int_equal(
        read("roofs: {adds: adds, l2: l2, none: adds/(l2 - l2)}", names, &roofs, NULL),
        0);
    program = gcal_roofs_compile(&roofs, names, model, NULL);
    gcal_roofs_clear(&roofs);
    assert_int_equal(gcal_roofs_count(program), 3);
    assert_int_equal(eval(program, parameters, features, seconds), 1);
    assert_string_equal(gcal_roofs_name(program, 1), "l2");
    assert_true(fabs(seconds[0] - 1e-7) < 1e-18 && fabs(seconds[1] - 2e-7) < 1e-18);
    assert_true(seconds[2] == 0); /* is not finite */
    features[1] = 0;
    assert_int_equal(eval(program, parameters, features, seconds), 0);
    features[0] = 0; /* nothing binds */
    assert_int_equal(eval(program, parameters, features, seconds), 3);
    gcal_roofs_program_destroy(program);
    gcal_model_destroy(model);
    gcal_expr_names_destroy(names);
}

static void a_roof_has_names_of_the_model(void **state)
{
    struct gcal_model *model = gcal_model_create("m", "f_cl_wall_time", EXPRESSION, NULL);
    struct gcal_roofs roofs;
    struct gcal_error err = { 0 };

    (void)state;
    assert_int_equal(read("roofs: {muls: p_add*f_op_float32_mul}", NULL, &roofs, NULL),
                     0);
    assert_null(gcal_roofs_compile(&roofs, NULL, model, &err));
    assert_non_null(strstr(err.text, "roof 'muls': "));
    assert_non_null(strstr(err.text, "f_op_float32_mul"));
    gcal_roofs_clear(&roofs);
    gcal_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_names_and_expressions),
        cmocka_unit_test(reads_back_what_it_writes),
        cmocka_unit_test(refuses_what_is_no_roof),
        cmocka_unit_test(the_longest_binds),
        cmocka_unit_test(a_roof_has_names_of_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
