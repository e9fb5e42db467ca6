/* test_trace.c - traffic of styles against the accesses that Oclgrind sees
 *
 *   test_trace FILE [[-]KERNEL]...
 *
 * The kernels of a file of styles (styles/README.md), or those named, or those not named with
 * -KERNEL, at their sizes: sectors, lines and partly stored sectors of all their loads and all
 * their stores.  Left out are kernels that are refused, estimates, and what work-items of one
 * sub-group execute in different numbers.
 *
 * Kernels that differ for another reason: Oclgrind loads the initial values of private arrays
 * from constant memory; and work-items that leave out one iteration each, but not the same one,
 * are as even as if they left out none.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/count/signature.h"
#include "tests/kernels/count/styles/styles.h"
#include "tests/kernels/count/traffic/trace.h"

static const struct quantity {
    enum gcal_feature_kind kind;
    const char *name;
} quantities[] = /* the last one of stores only */ { { GCAL_FEATURE_SECTOR, "sectors" },
                                                     { GCAL_FEATURE_LINE, "lines" },
                                                     { GCAL_FEATURE_PARTIAL_SECTOR,
                                                       "partial sectors" } };
enum { N_QUANTITIES = 3 };

static size_t n_equal, n_wrong, n_left_out;

/* ---- comparing ---- */

/* Of all entries; false where one is estimated, or cannot be evaluated. */
static bool sum(const struct gcal_profile *profile, const struct style_run *run,
                enum gcal_feature_kind kind, enum gcal_feature_direction direction,
                double *total, struct gcal_error *err)
{
    *total = 0;
    for (size_t i = 0; i < profile->n_entries; i++) {
        const struct gcal_profile_entry *e = &profile->entries[i];
        double count;

        if (e->kind != kind || e->direction != direction)
            continue;
        if (e->estimated ||
            oracle_value(e->count, run->n_sizes, run->sizes, &count, err) < 0)
            return false;
        *total += count;
    }
    return true;
}

static int compare_direction(const struct gcal_profile *profile,
                             const struct style_run *run,
                             enum gcal_feature_direction direction, const char *text,
                             struct gcal_error *err)
{
    const char *name = direction == GCAL_FEATURE_LOAD ? "load" : "store";
    size_t n = direction == GCAL_FEATURE_STORE ? N_QUANTITIES : N_QUANTITIES - 1;
    unsigned long seen[N_QUANTITIES], n_uneven;
    char start[20];

    snprintf(start, sizeof(start), "trace %s", name);
    if (!(text = strstr(text, start)) || sscanf(text, "%*s %*s %lu %lu %lu %lu", &seen[0],
                                                &seen[1], &seen[2], &n_uneven) != 4)
        return gcal_error_set(err, GCAL_EINPUT, "no trace of %ss", name);
    for (size_t q = 0; q < n; q++) {
        double counted;

        if (n_uneven ||
            !sum(profile, run, quantities[q].kind, direction, &counted, err)) {
            n_left_out++;
        } else if (fabs(counted - (double)seen[q]) <= 1e-3) {
            n_equal++;
        } else {
            n_wrong++;
            printf("  WRONG %s of %ss: counted %.15g, seen %lu\n", quantities[q].name,
                   name, counted, seen[q]);
        }
    }
    return err->text[0] ? -1 : 0;
}

static int check_style(const struct style *style, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, TRACE_LANES);
    struct gcal_count_signature signature = { 0 };
    char *texts[STYLE_MOST_RUNS] = { NULL };
    struct gcal_profile *profile;
    int rc = -1;

    request.sector_bytes = TRACE_SECTOR;
    profile = gcal_count(&request, err);
    if (profile && gcal_count_signature_read(&request, &signature, err) == 0 &&
        style_run(style, &signature, texts, err) == 0)
        rc = 0;
    for (size_t i = 0; i < style->n_runs && rc == 0; i++)
        if (compare_direction(profile, &style->runs[i], GCAL_FEATURE_LOAD, texts[i],
                              err) < 0 ||
            compare_direction(profile, &style->runs[i], GCAL_FEATURE_STORE, texts[i],
                              err) < 0)
            rc = -1;
    for (size_t i = 0; i < STYLE_MOST_RUNS; i++)
        free(texts[i]);
    gcal_count_signature_clear(&signature);
    gcal_profile_destroy(profile);
    return rc;
}

static bool is_wanted(const struct style *style, int n_names, char **names)
{
    bool named = false, excludes = n_names && names[0][0] == '-';

    for (int i = 0; i < n_names; i++)
        named = named || strcmp(names[i] + excludes, style->name) == 0;
    return n_names && !excludes ? named : !named && !style->refused && !style->no_lanes;
}

int main(int argc, char **argv)
{
    struct styles styles = { 0 };
    struct gcal_error err = { 0 };
    size_t n_failed = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: test_trace FILE [[-]KERNEL]...\n");
        return 1;
    }
    if (!style_platform_open())
        return 77; /* no Oclgrind */
    if (styles_read(argv[1], &styles, &err) < 0) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < styles.n; i++) {
        struct gcal_error failed = { 0 };

        if (!is_wanted(&styles.items[i], argc - 2, argv + 2))
            continue;
        printf("%s\n", styles.items[i].name);
        if (check_style(&styles.items[i], &failed) < 0) {
            n_failed++;
            printf("  FAILED %s\n", failed.text);
        }
    }
    printf("%zu equal, %zu wrong, %zu left out, %zu styles failed\n", n_equal, n_wrong,
           n_left_out, n_failed);
    styles_clear(&styles);
    return n_failed || n_wrong || !n_equal ? 1 : 0;
}
