/* test_rewritten.c - a record that is written again fits the same */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "calib/results/results.h"
#include "calib/select/select.h"
#include "tests/facts.h"
#include "tests/folder.h"

/* Both fit in less than a second. */
static const char *const records[] = { "two-gpus/record.h5", "h200/record.h5" };

static struct gcal_record *write_again(const struct gcal_record *from)
{
    char *path = gcal_buf_format("%s/again.h5", folder);
    struct gcal_record_writer *writer = gcal_record_create(path, NULL);
    struct gcal_run_sink sink = gcal_record_sink(writer);
    struct gcal_record *again;

    for (size_t i = 0; i < from->n_devices; i++)
        assert_int_equal(sink.device(sink.context, &from->devices[i], NULL), 0);
    for (size_t i = 0; i < from->n_kernels; i++)
        assert_int_equal(sink.kernel(sink.context, &from->kernels[i], NULL), 0);
    for (size_t i = 0; i < from->n_measurements; i++) {
        struct gcal_measurement m;

        assert_int_equal(gcal_record_measurement(from, i, &m, NULL, NULL, NULL), 0);
        assert_int_equal(sink.measurement(sink.context, &m, NULL), 0);
        gcal_measurement_clear(&m);
    }
    assert_int_equal(gcal_record_finish(writer, from->header, NULL), 0);
    assert_non_null(again = gcal_record_open(path, NULL));
    free(path);
    return again;
}

static void same_kernels(const struct gcal_record *a, const struct gcal_record *b)
{
    assert_int_equal(a->n_kernels, b->n_kernels);
    for (size_t i = 0; i < a->n_kernels; i++) {
        const struct gcal_run_kernel *x = &a->kernels[i], *y = &b->kernels[i];
        char *uses = strdup(uses_text(&x->uses));

        assert_string_equal(x->id, y->id);
        assert_string_equal(x->variant, y->variant);
        assert_int_equal(x->origin.form, y->origin.form);
        assert_int_equal(x->origin.n_accumulators, y->origin.n_accumulators);
        assert_int_equal(x->origin.barriers, y->origin.barriers);
        assert_string_equal(x->origin.generator, y->origin.generator);
        assert_string_equal(x->origin.family, y->origin.family);
        assert_string_equal(x->origin.name, y->origin.name);
        assert_string_equal(uses, uses_text(&y->uses));
        free(uses);
    }
}

/* The table, and the parameter files one after the other; the caller's to free. */
static char *fit(const struct gcal_record *record)
{
    const struct gcal_record_header *header = record->header;
    struct gcal_results results = { 0 };
    struct gcal_config config = { 0 };
    struct gcal_error err = { 0 };
    struct gcal_params *params = NULL;
    struct gcal_buf all = { 0 };
    char *text;
    size_t n = 0;

    if (gcal_select_parse(header->config, strlen(header->config), "record", NULL, &config,
                          &err) < 0 ||
        gcal_results_fit(record, &config, &results, &err) < 0 ||
        gcal_results_params(&results, record, &config, &params, &n, &err) < 0)
        fail_msg("%s", err.text);
    assert_true(n > 0);
    assert_non_null(text = gcal_results_format(&results, record, &config, NULL));
    gcal_buf_puts(&all, text);
    free(text);
    for (size_t i = 0; i < n; i++) {
        assert_non_null(text = gcal_params_encode(&params[i], NULL, NULL));
        gcal_buf_puts(&all, text);
        free(text);
    }
    gcal_results_clear(&results);
    gcal_config_clear(&config);
    return gcal_buf_take(&all, NULL);
}

static void fits_the_same(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(records) / sizeof(*records); i++) {
        char *path = gcal_buf_format("%s/%s", TEST_DATA, records[i]), *before, *after;
        struct gcal_error err = { 0 };
        struct gcal_record *record = gcal_record_open(path, &err), *again;

        if (!record)
            fail_msg("%s", err.text);
        again = write_again(record);
        same_kernels(record, again);
        before = fit(record);
        after = fit(again);
        assert_string_equal(before, after);
        free(before);
        free(after);
        gcal_record_close(record);
        gcal_record_close(again);
        free(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(fits_the_same, folder_make, folder_remove),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
