/* test_operators.c - each operator, built-in function and statement against Oclgrind
 *
 *   test_operators [WORD]   rows whose text has the word
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/count/signature.h"
#include "tests/kernels/count/operators/operators.h"
#include "tests/kernels/count/styles/styles.h"

static const struct refused_row {
    const char *text, *words;
} refused[] = {
    { "goto end; end: r[i] = x;", "goto cannot be counted" },
    { "again: r[i] = x; if (x > 3) goto again;", "goto cannot be counted" },
    { "while (x > 3) x /= 2;", "depends on data" },
    { "event_t e = async_work_group_copy(s, a, a[i], 0);", "elements is unknown" },
};

/* ---- one row with one type ---- */

static struct style make_style(char *source, const char *options)
{
    struct style style = { .name = "k",
                           .file = "k.cl",
                           .source = source,
                           .n_dims = 1,
                           .local_size = { OPERATORS_ITEMS },
                           .global_size = { "8" },
                           .options = (char *)options,
                           .n_runs = 1,
                           .n_arguments = 5,
                           .arguments = { { "a", "256", "5 + i - 16*floor(i/16)" },
                                          { "b", "256", "1 + i - 2*floor(i/2)" },
                                          { "r", "256", "1" },
                                          { "h", "256", "1" },
                                          { "t", "256", "1" } } };

    return style;
}

static struct gcal_profile *count(const struct style *style, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, 1);

    request.index_arithmetic = true;
    return gcal_count(&request, err);
}

static char *run(const struct style *style, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, 1);
    struct gcal_count_signature signature = { 0 };
    char *texts[STYLE_MOST_RUNS] = { NULL };

    if (gcal_count_signature_read(&request, &signature, err) == 0)
        style_run(style, &signature, texts, err);
    gcal_count_signature_clear(&signature);
    return texts[0];
}

/* What the row says of the quantity, per lane. */
static double more_of(const struct operators_row *row, const char *quantity)
{
    const char *at = row->more ? strstr(row->more, quantity) : NULL;

    return at ? strtod(at + strlen(quantity), NULL) : 0;
}

static bool is_half_bytes(const struct operators_type *type, const char *name)
{
    return strncmp(type->name, "half", 4) == 0 && strstr(name, " bytes");
}

static void rename_half(struct oracle_counts *counted)
{
    for (size_t i = 0; i < counted->n; i++)
        if (strcmp(counted->items[i].name, "float16 madd") == 0)
            strcpy(counted->items[i].name, "float32 madd");
}

static size_t compare(const struct operators_row *row, const struct operators_type *type,
                      struct oracle_counts *counted, const struct oracle_counts *seen)
{
    size_t n_wrong = 0;

    if (strncmp(type->name, "half", 4) == 0)
        rename_half(counted);
    for (size_t i = 0; i < counted->n; i++)
        if (counted->items[i].n_estimated) {
            n_wrong++;
            printf("WRONG %s: '%s' %s: it is marked as an estimate\n", type->name,
                   row->text, counted->items[i].name);
        }
    for (size_t i = 0; i < seen->n; i++)
        oracle_counts_get(counted, seen->items[i].name);
    for (size_t i = 0; i < counted->n; i++) {
        const char *name = counted->items[i].name;
        double value = counted->items[i].value / OPERATORS_ITEMS;
        double saw = oracle_counts_value(seen, name) / OPERATORS_ITEMS;

        if (is_half_bytes(type, name))
            value *= 2;
        if (fabs(value + more_of(row, name) * type->width - saw) < 1e-9)
            continue;
        n_wrong++;
        printf("WRONG %s: '%s' %s: counted %g, Oclgrind saw %g\n", type->name, row->text,
               name, value, saw);
    }
    return n_wrong;
}

static bool check(const struct operators_row *row, const struct operators_type *type)
{
    char source[4000], options[100], run_options[100];
    struct style style = make_style(source, options);
    struct oracle_counts counted = { 0 }, seen = { 0 };
    struct gcal_error err = { 0 };
    struct gcal_profile *profile;
    char *text = NULL;
    bool good = false;

    snprintf(source, sizeof(source), operators_frame, row->text);
    snprintf(options, sizeof(options), "-cl-std=CL1.2 -DT=%s", type->name);
    snprintf(run_options, sizeof(run_options), "-cl-std=CL1.2 -DT=%s", type->run_as);
    profile = count(&style, &err);
    style.options = run_options;
    if (profile && (text = run(&style, &err)) &&
        operators_read_profile(profile, &counted, &err) == 0) {
        operators_read_histogram(text, type->width, &seen);
        good = compare(row, type, &counted, &seen) == 0;
    }
    if (err.text[0])
        printf("FAILED %s: '%s': %s\n", type->name, row->text, err.text);
    oracle_counts_clear(&counted);
    oracle_counts_clear(&seen);
    gcal_profile_destroy(profile);
    free(text);
    return good;
}

static bool check_refused(const struct refused_row *row)
{
    char source[4000];
    struct style style = make_style(source, "-cl-std=CL1.2 -DT=int");
    struct gcal_error err = { 0 };
    struct gcal_profile *profile;

    snprintf(source, sizeof(source), operators_frame, row->text);
    profile = count(&style, &err);
    if (!profile && strstr(err.text, row->words))
        return true;
    printf("WRONG '%s': %s\n", row->text, profile ? "it is counted" : err.text);
    gcal_profile_destroy(profile);
    return false;
}

int main(int argc, char **argv)
{
    size_t n = 0, n_failed = 0;

    if (!style_platform_open())
        return 77; /* no Oclgrind */
    for (const struct operators_row *row = operators_rows; row->text; row++)
        for (const struct operators_type *t = operators_types; t->name; t++) {
            if (!(row->types & t->in) || (argc > 1 && !strstr(row->text, argv[1])))
                continue;
            n++;
            n_failed += !check(row, t);
        }
    for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++)
        n_failed += !check_refused(&refused[i]);
    printf("%zu rows and types, %zu failed\n", n, n_failed);
    return n_failed || !n;
}
