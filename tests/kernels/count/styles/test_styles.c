/* test_styles.c - styles counted symbolically, against Oclgrind at several sizes
 *
 *   test_styles [--sampled] FILE [KERNEL]...
 *
 * --sampled: loops are not counted symbolically, but by running them, at each run's sizes.
 * What is not marked as an estimate then must still be right.
 *
 * Counts of work-items are those of sub-groups of one work-item, which are exact below any
 * condition.  Those of larger sub-groups are compared with an enumeration.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/count/signature.h"
#include "tests/kernels/count/styles/styles.h"

/* ---- comparing ---- */

/* A style's counts while they are compared. */
struct comparison {
    struct style *style;
    const struct style_run *run;
    struct oracle_counts counted, seen;
    size_t n_quantities, n_marked, n_wrong;
};

/* What Oclgrind would have seen of code as it is written. */
static int correct(const struct comparison *c, const char *quantity, double *seen,
                   struct gcal_error *err)
{
    struct gcal_size sizes[STYLE_MOST_SIZES + 1];
    size_t n = c->run->n_sizes;

    memcpy(sizes, c->run->sizes, n * sizeof(*sizes));
    sizes[n] = (struct gcal_size){ "seen", *seen };
    for (size_t i = 0; i < c->style->n_seen; i++)
        if (strcmp(c->style->seen[i].quantity, quantity) == 0)
            return oracle_value(c->style->seen[i].value, n + 1, sizes, seen, err);
    return 0;
}

static int compare_quantity(struct comparison *c, const struct oracle_quantity *q,
                            struct gcal_error *err)
{
    double seen = oracle_counts_value(&c->seen, q->name), right = seen;
    bool expected = style_lists(&c->style->marked, q->name);

    if (correct(c, q->name, &right, err) < 0)
        return -1;
    if (q->n_estimated && (expected || c->style->sampled)) {
        c->n_marked++;
        return 0;
    }
    c->n_quantities++;
    if (!q->n_estimated && fabs(q->value - right) <= 1e-3)
        return 0;
    c->n_wrong++;
    printf("  %s %s: counted %.15g, seen %.15g", q->n_estimated ? "MARKED" : "WRONG",
           q->name, q->value, seen);
    if (right != seen)
        printf(", right %.15g", right);
    printf("\n");
    return 0;
}

static int compare_run(struct comparison *c, const struct gcal_profile *profile,
                       const char *text, struct gcal_error *err)
{
    size_t work_group = 1;

    for (size_t d = 0; d < c->style->n_dims; d++)
        work_group *= c->style->local_size[d];
    oracle_read_histogram(text, work_group, &c->seen);
    if (oracle_read_profile(profile, c->run->n_sizes, c->run->sizes, &c->counted, err) <
        0)
        return -1;
    for (size_t i = 0; i < c->seen.n; i++) /* those that were not counted at all */
        oracle_counts_get(&c->counted, c->seen.items[i].name);
    for (size_t i = 0; i < c->counted.n; i++)
        if (compare_quantity(c, &c->counted.items[i], err) < 0)
            return -1;
    return 0;
}

static void print_run(const struct style_run *run)
{
    printf(" at");
    for (size_t i = 0; i < run->n_sizes; i++)
        printf(" %s=%.10g", run->sizes[i].name, run->sizes[i].value);
}

static int compare(struct style *style, const struct gcal_profile *profile,
                   char *const *texts, struct gcal_error *err)
{
    size_t n_wrong = 0, n_marked = 0;

    for (size_t i = 0; i < style->n_runs; i++) {
        struct comparison c = { .style = style, .run = &style->runs[i] };
        int rc = compare_run(&c, profile, texts[i], err);

        oracle_counts_clear(&c.counted);
        oracle_counts_clear(&c.seen);
        printf("  %zu equal, %zu marked, %zu wrong", c.n_quantities - c.n_wrong,
               c.n_marked, c.n_wrong);
        print_run(c.run);
        printf("\n");
        if (rc < 0)
            return -1;
        n_wrong += c.n_wrong;
        n_marked += c.n_marked;
    }
    if (style->marked.n && !n_marked && !style->sampled)
        return gcal_error_set(err, GCAL_EINPUT, "nothing is marked: remove that line");
    return n_wrong ? gcal_error_set(err, GCAL_EINPUT, "%zu wrong counts", n_wrong) : 0;
}

/* ---- one style ---- */

static int check_lanes(const struct style *style,
                       const struct gcal_count_signature *signature,
                       struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, STYLE_LANES);
    struct gcal_profile *profile = gcal_count(&request, err);
    bool enumerated = true;
    int rc = profile ? 0 : gcal_error_prefix(err, "sub-groups of %d", STYLE_LANES);

    for (size_t i = 0; i < style->n_runs && rc == 0 && enumerated; i++)
        rc = style_check_lanes(style, signature, profile, &style->runs[i], &enumerated,
                               err);
    gcal_profile_destroy(profile);
    return rc;
}

static int check_counts(struct style *style, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, 1);
    struct gcal_profile *profile = gcal_count(&request, err);
    struct gcal_count_signature signature = { 0 };
    char *texts[STYLE_MOST_RUNS] = { NULL };
    int rc = -1;

    request.prefers_samples = false; /* averages are no extents */
    if (profile && gcal_count_signature_read(&request, &signature, err) == 0 &&
        style_run(style, &signature, texts, err) == 0 &&
        compare(style, profile, texts, err) == 0)
        rc = style->no_lanes ? 0 : check_lanes(style, &signature, err);
    for (size_t i = 0; i < STYLE_MOST_RUNS; i++)
        free(texts[i]);
    gcal_count_signature_clear(&signature);
    gcal_profile_destroy(profile);
    return rc;
}

/* Each run by itself, with its sizes as numbers. */
static int check_at_sizes(const struct style *style, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < style->n_runs && rc == 0; i++) {
        const struct style_run *run = &style->runs[i];
        struct style one = *style;
        struct gcal_buf text = { 0 };

        one.n_runs = 1;
        one.runs[0] = *run;
        for (size_t k = 0; k < run->n_sizes; k++)
            gcal_buf_printf(&text, "%s%s = %.0f", k ? " and " : "", run->sizes[k].name,
                            run->sizes[k].value);
        one.assume = text.data;
        rc = check_counts(&one, err);
        gcal_buf_free(&text);
    }
    return rc;
}

static int check_refused(struct style *style, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, 1);
    struct gcal_profile *profile = gcal_count(&request, err);

    if (profile) {
        gcal_profile_destroy(profile);
        return gcal_error_set(err, GCAL_EINPUT, "it is counted, not refused");
    }
    if (!strstr(err->text, style->refused))
        return -1;
    printf("  refused: %s\n", err->text);
    return 0;
}

/* Its counts are marked, and a note says what to do. */
static int check_noted(struct style *style, struct gcal_error *err)
{
    struct gcal_count_request request = style_request(style, 1);
    struct gcal_profile *profile = gcal_count(&request, err);
    const char *found = NULL;

    if (!profile)
        return -1;
    for (size_t i = 0; i < profile->n_notes && !found; i++)
        if (strstr(profile->notes[i], style->noted))
            found = profile->notes[i];
    if (found && profile->estimated)
        printf("  noted: %s\n", found);
    else
        gcal_error_set(err, GCAL_EINPUT, "no note contains '%s', but \"%s\"",
                       style->noted, profile->n_notes ? profile->notes[0] : "");
    gcal_profile_destroy(profile);
    return found ? 0 : -1;
}

/* Kernels with loops on data, and with more loops than are sampled, say nothing. */
static int check_sampled(struct style *style, struct gcal_error *err)
{
    if (style->refused || style->noted || style->n_trips)
        return 0;
    style->sampled = true;
    if (check_at_sizes(style, err) == 0)
        return 0;
    if (!strstr(err->text, "samples are preferred"))
        return -1;
    printf("  not sampled\n");
    *err = (struct gcal_error){ 0 };
    return 0;
}

static int check_style(struct style *style, struct gcal_error *err)
{
    if (style->refused || style->noted) {
        if ((style->refused ? check_refused : check_noted)(style, err) < 0)
            return -1;
        if (!style->advice.n && style->refused)
            return 0;
        *err = (struct gcal_error){ 0 };
        if (style_take_advice(style, err) < 0)
            return -1;
    }
    return style->at_sizes ? check_at_sizes(style, err) : check_counts(style, err);
}

static bool is_wanted(const char *name, int n_names, char **names)
{
    for (int i = 0; i < n_names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return n_names == 0;
}

int main(int argc, char **argv)
{
    struct styles styles = { 0 };
    struct gcal_error err = { 0 };
    int (*check)(struct style *, struct gcal_error *) = check_style;
    size_t n_run = 0, n_failed = 0;

    if (argc > 1 && strcmp(argv[1], "--sampled") == 0) {
        check = check_sampled;
        argc--;
        argv++;
    }
    if (argc < 2) {
        fprintf(stderr, "usage: test_styles FILE [KERNEL]...\n");
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

        if (!is_wanted(styles.items[i].name, argc - 2, argv + 2))
            continue;
        n_run++;
        printf("%s\n", styles.items[i].name);
        if (check(&styles.items[i], &failed) < 0) {
            n_failed++;
            printf("  FAILED %s\n", failed.text);
        }
        fflush(stdout);
    }
    printf("%zu styles, %zu failed\n", n_run, n_failed);
    styles_clear(&styles);
    return n_failed || !n_run ? 1 : 0;
}
