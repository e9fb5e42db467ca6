/* test_track.c - tracks: reading, writing, damaged lines */
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "store/ledger/track.h"
#include "tests/store/sample.h"
#include "tests/unit.h"

#define RUN_1 "20261121T041705Z-1a2b3c4d" /* of sample_params() */

static const char header[] = "gpucal_track 2\n";
static const char columns[] = "columns\t0\tm/linear/p_a/s\tm/linear/p_b/s/byte\n";

/* The fields of a run before its numbers. */
#define HEAD(run, uid) "run\t" run "\tU\t" uid "\tT\tA name\t580.17\tc0ffee\t-\t0.1.0"

/* Decodes "header columns" and 'lines'; 'text' is the memory of the track. */
static int decode(const char *lines, char **text, struct gcal_track *track,
                  struct gcal_error *err)
{
    *text = gcal_buf_format("%s%s%s", header, columns, lines);
    return gcal_track_decode(*text, strlen(*text), "t.tsv", track, err);
}

static void refuses(const char *lines, const char *message)
{
    struct gcal_error err = { 0 };
    struct gcal_track track;
    char *text;

    if (decode(lines, &text, &track, &err) == 0)
        fail_msg("read: %s", lines);
    if (!strstr(err.text, message))
        fail_msg("'%s' is not in '%s'", message, err.text);
    assert_int_equal(err.code, GCAL_EINPUT);
    assert_null(track.runs);
    free(text);
}

static void reads_runs_and_values(void **state)
{
    struct gcal_track t;
    char *text;

    (void)state;
    assert_int_equal(decode(HEAD("r1", "u1") "\t0\t2.38512e-12\t1.7e-15\t-\t-\n" HEAD(
                                "r2", "u1") "\t0\t713\t0.1\t-7.2e-06\t+1e300\n",
                            &text, &t, NULL),
                     0);
    assert_int_equal(t.n_runs, 2);
    assert_string_equal(t.runs[0].run_id, "r1");
    assert_string_equal(t.runs[0].name, "A name");
    assert_string_equal(t.runs[0].driver, "580.17");
    assert_string_equal(t.runs[0].configuration, "c0ffee");
    assert_string_equal(t.runs[0].catalogue, "");
    assert_string_equal(t.runs[0].gpucal_version, "0.1.0");
    assert_int_equal(t.runs[0].columns->n, 2);
    assert_string_equal(t.runs[0].columns->column[1].parameter, "p_b");
    assert_string_equal(t.runs[0].columns->column[1].unit, "s/byte");
    assert_true(t.runs[0].value[0] == 2.38512e-12 && t.runs[0].error[0] == 1.7e-15);
    assert_true(isnan(t.runs[0].value[1]) && isnan(t.runs[0].error[1]));
    assert_true(t.runs[1].value[0] == 713 && t.runs[1].error[0] == 0.1);
    assert_true(t.runs[1].value[1] == -7.2e-06 && t.runs[1].error[1] == 1e300);
    gcal_track_clear(&t);
    free(text);
}

/* Short decimals have a fast path, which must give the result of strtod(). */
static void reads_numbers_as_the_library_does(void **state)
{
    static const char *const numbers[] = {
        "0",
        "-0",
        "1e22",
        "1e23",
        "9.99999e-17",
        "1.23456e-18",
        "2.5e-23",
        "4.94e-324",
        "123456789012345",
        "1234567890123456",
        "0.000001",
        "1e-22",
        "1e+05",
        "179769e303",
        "3.",
        ".5",
        "00000000000000000001",
    };
    struct gcal_track t;
    char *line, *text;

    (void)state;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        line =
            gcal_buf_format(HEAD("r", "u") "\t0\t%s\t1\t1\t%s\n", numbers[i], numbers[i]);
        if (decode(line, &text, &t, NULL) < 0)
            fail_msg("%s", numbers[i]);
        assert_true(t.runs[0].value[0] == strtod(numbers[i], NULL));
        assert_true(t.runs[0].error[1] == strtod(numbers[i], NULL));
        gcal_track_clear(&t);
        free(text);
        free(line);
    }
    srand(7);
    for (int i = 0; i < 20000; i++) {
        double value = ldexp(1 + rand() / (double)RAND_MAX, rand() % 200 - 100), read;

        line = gcal_buf_format(HEAD("r", "u") "\t0\t%.6g\t1\t1\t1\n", value);
        assert_int_equal(decode(line, &text, &t, NULL), 0);
        read = strtod(strstr(line, "\t0\t") + 3, NULL);
        assert_true(t.runs[0].value[0] == read);
        gcal_track_clear(&t);
        free(text);
        free(line);
    }
}

static void refuses_damaged_lines(void **state)
{
    (void)state;
    refuses("walk\n", "t.tsv:3: neither 'columns' nor 'run'");
    refuses("\n", "t.tsv:3: neither");
    refuses(HEAD("r", "u\033[31m") "\t0\t1\t1\t1\t1\n", "t.tsv:3: a control character");
    refuses("columns\t1\tm/f/p\302\233/s\n", "t.tsv:3: a control character");
    refuses("run\tr1\n", "t.tsv:3: a run with too few fields");
    refuses(HEAD("r", "u") "\n", "ID of the columns is missing");
    refuses(HEAD("r", "u") "\t1\t1\t1\n", "no columns with that ID");
    refuses(HEAD("r", "u") "\t0x\t1\t1\n", "is not a number");
    refuses(HEAD("r", "u") "\t99999999999999999999\t1\t1\n", "is not a number");
    refuses(HEAD("r", "u") "\t0\t1\t1\t1\n", "two numbers for each");
    refuses(HEAD("r", "u") "\t0\t1\t1\t1\t1\t1\n", "two numbers for each");
    refuses(HEAD("r", "u") "\t0\t1\t1\t1\tx\n", "t.tsv:3: expected a number or '-'");
    refuses(HEAD("r", "u") "\t0\t1\t1\t\t1\n", "a number or '-'");
    refuses(HEAD("r", "u") "\t0\t1\t1\t1,5\t1\n", "a number or '-'");
    refuses(HEAD("r", "u") "\t0\t1\t1\tnan\t1\n", "a number or '-'");
    refuses(HEAD("r", "u") "\t0\t1\t1\t0x10\t1\n", "a number or '-'");
    refuses(HEAD("r", "u") "\t0\t1\t1\t1e999\t1\n", "a number or '-'");
    refuses(HEAD("r", "u") "\t0\t1\t1\t1e\t1\n", "a number or '-'");
    refuses(HEAD("r", "u") "\t0\t1\t1\t--1\t1\n", "a number or '-'");
    refuses("columns\t2\tm/f/p/s\n", "count from 0");
    refuses("columns\t1\tm/f/p\n", "MODEL/FORM/PARAMETER/UNIT");
}

static void refuses_other_files(void **state)
{
    struct gcal_error err;
    struct gcal_track t;
    char other[] = "gpucal_track 3\n", zero[] = "gpucal_track 2\nrun\0x\n", none[] = "";

    (void)state;
    assert_int_equal(gcal_track_decode(other, strlen(other), "t.tsv", &t, &err), -1);
    assert_non_null(strstr(
        err.text, "t.tsv:1: not a track, or written by another version of gpucal"));
    assert_int_equal(gcal_track_decode(zero, sizeof(zero) - 1, "t.tsv", &t, &err), -1);
    assert_non_null(strstr(err.text, "t.tsv:2: a NUL byte"));
    assert_int_equal(gcal_track_decode(none, 0, "t.tsv", &t, &err), 0);
    assert_int_equal(t.n_runs, 0);
    gcal_track_clear(&t);
}

static void skips_cut_lines(void **state)
{
    struct gcal_track t;
    char *text;

    (void)state;
    assert_int_equal(decode(HEAD("r1", "u") "\t0\t1\t1\t1\t1\n" HEAD("r2", "u") "\t0\t7.",
                            &text, &t, NULL),
                     0);
    assert_int_equal(t.n_runs, 1);
    gcal_track_clear(&t);
    free(text);
    assert_int_equal(
        decode(HEAD("r1", "u") "\t0\t7.\tcut\n" HEAD("r2", "u") "\t0\t1\t1\t1\t1\n",
               &text, &t, NULL),
        0);
    assert_int_equal(t.n_runs, 1);
    assert_string_equal(t.runs[0].run_id, "r2");
    gcal_track_clear(&t);
    free(text);
}

/* Published again, for example fitted again from its record. */
static void a_run_counts_once(void **state)
{
    struct gcal_track t;
    char *text;

    (void)state;
    assert_int_equal(
        decode(
            HEAD("r1", "u1") "\t0\t1\t1\t1\t1\n" HEAD(
                "r1", "u2") "\t0\t2\t1\t1\t1\n" HEAD("r2", "u1") "\t0\t3\t1\t1\t1"
                                                                 "\n" HEAD("r1",
                                                                           "u1") "\t0\t4"
                                                                                 "\t1\t1"
                                                                                 "\t1\n",
            &text, &t, NULL),
        0);
    assert_int_equal(t.n_runs, 3);
    assert_true(t.runs[0].value[0] == 2 && t.runs[1].value[0] == 3);
    assert_true(t.runs[2].value[0] == 4);
    assert_string_equal(t.runs[2].uid, "u1");
    gcal_track_clear(&t);
    free(text);
}

/* The lines added to 'before' by a run with a model named 'model'. */
static char *encode(const char *model, const char *name, const struct gcal_track *before,
                    size_t *size)
{
    struct gcal_params p = sample_params("n1", "uuid:7f", 2.38512345e-12);
    char *text;

    free(p.devices[0].models[0].name);
    p.devices[0].models[0].name = strdup(model);
    free(p.devices[0].info.name);
    p.devices[0].info.name = strdup(name);
    text = gcal_track_encode(&p, RUN_1, before, size, NULL);
    assert_non_null(text);
    gcal_params_clear(&p);
    return text;
}

static void reads_what_it_writes(void **state)
{
    struct gcal_track t, u;
    char *first, *second;
    size_t size;

    (void)state;
    first = encode("mat\tmul/\n", "A\tGPU\n", NULL, &size);
    assert_int_equal(gcal_track_decode(first, size, "t", &t, NULL), 0);
    assert_int_equal(t.n_runs, 1);
    assert_string_equal(t.runs[0].name, "A_GPU_");
    assert_string_equal(t.runs[0].uid, "uuid:7f");
    assert_string_equal(t.runs[0].columns->column[0].model, "mat_mul__");
    assert_string_equal(t.runs[0].columns->column[0].form, "linear");
    assert_string_equal(t.runs[0].columns->column[0].parameter, "p_madd");
    /* The per-device estimate, in 6 digits, not the fit of the type. */
    assert_true(t.runs[0].value[0] == 2.43283e-12 && t.runs[0].error[0] == 2.3e-15);
    assert_true(isnan(t.runs[0].value[1]) && isnan(t.runs[0].error[1]));
    /* Known columns are not written again; others are. */
    second = encode("mat\tmul/\n", "A", &t, &size);
    assert_memory_equal(second, "run\t", 4);
    free(second);
    second = encode("other", "A", &t, &size);
    assert_memory_equal(
        second, "columns\t1\t=" SAMPLE_CONFIGURATION "\tother/linear/p_madd/s\t", 98);
    free(second);
    gcal_track_clear(&t);
    free(first);
    /* A file with only the first line complete. */
    first = strdup("gpucal_track 2\ncolu");
    assert_int_equal(gcal_track_decode(first, strlen(first), "t", &u, NULL), 0);
    second = encode("m", "A", &u, &size);
    assert_memory_equal(second, "columns\t0", 9);
    free(second);
    gcal_track_clear(&u);
    free(first);
}

/* Columns in the order of two models, and runs that have one, the other, or both. */
static void runs_have_the_models_they_measured(void **state)
{
    char text[] =
        "gpucal_track 2\n"
        "columns\t0\t=c1\ta/f/p/s\t=c2\tb/f/p/s\tb/f/q/s\n"
        "columns\t1\t=c3\tb/g/p/s\n" HEAD("r1", "u") "\t0\t1\t1\t2\t1\t3\t1\n" //
        HEAD("r2", "u") "\t1\t4\t1\n"
                        "forget\tU\tu\ta\n" //
        HEAD("r2", "u") "\t0\t5\t1\t6\t1\t7\t1\n";
    const struct gcal_track_column *c;
    struct gcal_track t;

    (void)state;
    assert_int_equal(gcal_track_decode(text, sizeof(text) - 1, "t", &t, NULL), 0);
    c = t.runs[0].columns->column;
    assert_int_equal(t.runs[0].columns->n, 3);
    assert_string_equal(c[0].configuration, "c1");
    assert_string_equal(c[1].configuration, "c2");
    assert_string_equal(c[2].configuration, "c2");
    /* The second line of r2 has all models of the first. */
    assert_int_equal(t.n_runs, 2);
    assert_true(t.runs[1].value[0] == 5);
    assert_int_equal(t.n_forgotten, 1);
    assert_int_equal(t.forgotten[0].n_runs, 1);
    assert_string_equal(t.forgotten[0].uid, "u");
    assert_string_equal(t.forgotten[0].model, "a");
    gcal_track_clear(&t);
}

/* A run that is fitted again with another model keeps the values of the first. */
static void a_run_may_have_two_lines(void **state)
{
    char text[] = "gpucal_track 2\n"
                  "columns\t0\t=c1\ta/f/p/s\n"
                  "columns\t1\t=c3\tb/g/p/s\n" HEAD("r", "u") "\t0\t1\t1\n" //
        HEAD("r", "u") "\t1\t4\t1\n";
    struct gcal_track t;

    (void)state;
    assert_int_equal(gcal_track_decode(text, sizeof(text) - 1, "t", &t, NULL), 0);
    assert_int_equal(t.n_runs, 2);
    gcal_track_clear(&t);
}

static void writes_forgotten_models(void **state)
{
    char uid[] = "u\t1", *uids[] = { uid };
    struct gcal_track t;
    size_t size;
    char *text = gcal_track_encode_forgotten(uids, 1, "a/b", NULL, &size, NULL);

    (void)state;
    assert_non_null(text);
    assert_int_equal(gcal_track_decode(text, size, "t", &t, NULL), 0);
    assert_int_equal(t.n_runs, 0);
    assert_string_equal(t.forgotten[0].uid, "u_1");
    assert_string_equal(t.forgotten[0].model, "a_b");
    gcal_track_clear(&t);
    free(text);
}

/* A decimal comma in the program that links the library. */
static void numbers_do_not_depend_on_the_locale(void **state)
{
    struct gcal_track t;
    char *text;
    size_t size;

    (void)state;
    if (!setlocale(LC_NUMERIC, "de_DE.UTF-8"))
        skip();
    text = encode("m", "A", NULL, &size);
    assert_non_null(strstr(text, "\t2.43283e-12\t"));
    assert_int_equal(gcal_track_decode(text, size, "t", &t, NULL), 0);
    assert_true(t.runs[0].value[0] == 2.43283e-12);
    gcal_track_clear(&t);
    free(text);
    assert_int_equal(
        decode(HEAD("r", "u") "\t0\t1.2345678901234567\t1.5\t1\t1\n", &text, &t, NULL),
        0);
    assert_true(t.runs[0].value[0] == 0x1.3c0ca428c59fbp+0);
    assert_true(t.runs[0].error[0] == 1.5);
    gcal_track_clear(&t);
    free(text);
    setlocale(LC_NUMERIC, "C");
}

/* 50 calibrations of 250 costs: the track of a node after a year of weekly runs. */
static void a_track_is_read_in_a_moment(void **state)
{
    struct gcal_buf buf = { 0 };
    struct timespec start, end;
    struct gcal_track t;
    double seconds;

    (void)state;
    gcal_buf_printf(&buf, "%scolumns\t0", header);
    for (int i = 0; i < 250; i++)
        gcal_buf_printf(&buf, "\tmodel/form/p_parameter%d/s", i);
    for (int r = 0; r < 50; r++) {
        gcal_buf_printf(&buf, "\n" HEAD("r%d", "u") "\t0", r);
        for (int i = 0; i < 250; i++)
            gcal_buf_printf(&buf, "\t%.6g\t%.3g", 1e-12 * (i + 1.2345678) * (r + 777),
                            1e-14 * (i + 1.2345678));
    }
    gcal_buf_puts(&buf, "\n");
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &start);
    assert_int_equal(gcal_track_decode(buf.data, buf.size, "t", &t, NULL), 0);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    seconds = (double)(end.tv_sec - start.tv_sec) +
              1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    print_message("%.1f ns per number\n", 1e9 * seconds / 25000);
    assert_int_equal(t.n_runs, 50);
    gcal_track_clear(&t);
    gcal_buf_free(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_runs_and_values),
        cmocka_unit_test(reads_numbers_as_the_library_does),
        cmocka_unit_test(refuses_damaged_lines),
        cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(runs_have_the_models_they_measured),
        cmocka_unit_test(a_run_may_have_two_lines),
        cmocka_unit_test(writes_forgotten_models),
        cmocka_unit_test(skips_cut_lines),
        cmocka_unit_test(a_run_counts_once),
        cmocka_unit_test(reads_what_it_writes),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(a_track_is_read_in_a_moment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
