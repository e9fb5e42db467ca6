/* test_forced.c - loops that have closed forms, counted by running them: within the standard
 * errors that the notes state
 *
 *   test_forced FOLDER FACTOR [-v] [GENERATOR]...
 *
 * Each kernel of a catalogue, with its defaults, at the sizes of its check times FACTOR, is
 * counted with and without closed forms.  What is not marked must be equal; what is may be off
 * by 4 standard errors, the largest of the kernel's notes, if these have no other reason.
 * Compilers' work on integers is left out: more of it is folded in loops that are unrolled.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/generate/private.h"
#include "tests/kernels/count/oracle/oracle.h"
#include "tests/kernels/generate/variants.h"

#define STANDARD_ERRORS 4

static struct {
    bool verbose;
    size_t n_equal, n_near, n_wrong, n_unsampled;
} tally;

struct sum {
    char name[120];
    double value[2]; /* closed, sampled */
    bool estimated[2];
};

struct sums {
    size_t n, capacity;
    struct sum *all;
};

static struct sum *find_sum(struct sums *sums, const char *name)
{
    struct sum *moved;

    for (size_t i = 0; i < sums->n; i++)
        if (strcmp(sums->all[i].name, name) == 0)
            return &sums->all[i];
    moved = gcal_array_grow(sums->all, sums->n, &sums->capacity, sizeof(*moved), NULL);
    if (!moved)
        abort();
    sums->all = moved;
    moved[sums->n] = (struct sum){ .value = { 0, 0 } };
    snprintf(moved[sums->n].name, sizeof(moved->name), "%s", name);
    return &moved[sums->n++];
}

/* Work of all arrays and places together: what is known of these may be less. */
static int add_entry(struct sums *sums, const struct gcal_profile_entry *e, int which,
                     const struct gcal_kernel *k, const struct gcal_size *sizes,
                     bool by_item, struct gcal_error *err)
{
    bool is_float = e->dtype && strncmp(e->dtype, "float", 5) == 0;
    char name[120];
    double value;
    struct sum *sum;

    if (!(e->kind == GCAL_FEATURE_OP && is_float) &&
        !(e->kind == GCAL_FEATURE_MEM_ACCESS && by_item) &&
        e->kind != GCAL_FEATURE_ATOMIC && e->kind != GCAL_FEATURE_BARRIER_LOCAL)
        return 0;
    if (e->space ==
        GCAL_FEATURE_SPACE_PRIVATE) /* in registers where loops are unrolled */
        return 0;
    snprintf(name, sizeof(name), "%d %s %s space %d direction %d", e->kind,
             e->dtype ? e->dtype : "", e->op ? e->op : "", e->space, e->direction);
    if (oracle_value(e->count, k->n_check_sizes, sizes, &value, err) < 0)
        return -1;
    sum = find_sum(sums, name);
    sum->value[which] += value * (double)(e->vector_width ? e->vector_width : 1);
    sum->estimated[which] = sum->estimated[which] || e->estimated;
    return 0;
}

/* The largest that a note has; NaN: there are others. */
static double find_error(const struct gcal_profile *p)
{
    static const char words[] = "standard error ";
    double error = 0;

    for (size_t i = 0; i < p->n_notes; i++) {
        const char *at = strstr(p->notes[i], words);

        if (!at)
            return NAN;
        error = fmax(error, atof(at + strlen(words)) / 100);
    }
    return error;
}

static void judge(const struct sum *s, double error)
{
    double off = fabs(s->value[1] - s->value[0]), allowed = 1e-9 * s->value[0] + 1e-6;

    if (s->estimated[0] || (s->estimated[1] && isnan(error)))
        return;
    if (s->estimated[1])
        allowed += STANDARD_ERRORS * error * s->value[0];
    if (off <= 1e-9 * s->value[0] + 1e-6)
        tally.n_equal++;
    else if (off <= allowed)
        tally.n_near++;
    else
        tally.n_wrong++;
    if (off > allowed || (tally.verbose && off > 1e-6))
        printf("  %s %s: %.10g, closed %.10g%s, standard error %.2g %%\n",
               off > allowed ? "WRONG" : "near", s->name, s->value[1], s->value[0],
               s->estimated[1] ? "" : ", not marked", 100 * error);
}

static int compare(const struct gcal_kernel *k, double factor, size_t sub_group_size,
                   struct gcal_error *err)
{
    struct gcal_count_request request = gcal_kernel_request(k);
    struct gcal_size sizes[32];
    struct gcal_buf assume = { 0 };
    struct sums sums = { 0 };
    double error = 0;
    int rc = 0;

    for (size_t i = 0; i < k->n_check_sizes; i++) {
        sizes[i] = k->check_sizes[i];
        sizes[i].value *= factor;
        gcal_buf_printf(&assume, "%s%s = %.0f", i ? " and " : "", sizes[i].name,
                        sizes[i].value);
    }
    request.assume = assume.data;
    request.sub_group_size = sub_group_size;
    request.allow_estimates = true;
    for (int which = 0; which < 2 && rc == 0; which++) {
        struct gcal_profile *p;

        request.prefers_samples = which;
        if (!(p = gcal_count(&request, err))) {
            rc = which ? 1 : -1;
            break;
        }
        for (size_t i = 0; i < p->n_entries && rc == 0; i++)
            rc = add_entry(&sums, &p->entries[i], which, k, sizes, sub_group_size == 1,
                           err);
        error = find_error(p);
        gcal_profile_destroy(p);
    }
    for (size_t i = 0; i < sums.n && rc == 0; i++)
        judge(&sums.all[i], error);
    if (rc == 1) {
        tally.n_unsampled++;
        if (tally.verbose)
            printf("  not sampled: %s\n", err ? err->text : "");
        rc = 0;
    }
    free(sums.all);
    gcal_buf_free(&assume);
    return rc;
}

static int check(const struct gcal_generator *g, double factor, struct gcal_error *err)
{
    struct variants variants = { 0 };
    struct gcal_kernel *k = NULL;
    int rc = variants_choose(g, false, &variants, err);

    if (rc == 0 && variants.n) {
        struct gcal_generator_setting setting = { .generator = g,
                                                  .values = variants.values[0] };

        if (!(k = gcal_kernel_create(&setting, err)))
            rc = -1;
        else if (!gcal_kernel_is_transfer(k) && k->source) {
            rc = compare(k, factor, 1, err);
            rc = rc < 0 ? rc : compare(k, factor, 32, err);
        }
    }
    gcal_kernel_destroy(k);
    variants_clear(&variants);
    return rc;
}

int main(int argc, char **argv)
{
    struct gcal_error err = { 0 };
    struct gcal_catalogue *catalogue;
    size_t n_failed = 0;

    if (argc < 3) {
        fprintf(stderr, "usage: test_forced FOLDER FACTOR [-v] [GENERATOR]...\n");
        return 1;
    }
    tally.verbose = argc > 3 && strcmp(argv[3], "-v") == 0;
    argc -= 3 + tally.verbose;
    if (!(catalogue =
              gcal_catalogue_open(strcmp(argv[1], "-") == 0 ? NULL : argv[1], &err))) {
        fprintf(stderr, "%s\n", err.text);
        return 1;
    }
    for (size_t i = 0; i < catalogue->n_generators; i++) {
        const struct gcal_generator *g = catalogue->generators[i];
        struct gcal_error failed = { 0 };

        if (g->origin || /* derived kernels have the same loops */
            !variants_is_wanted(g->name, argc, argv + 3 + tally.verbose))
            continue;
        printf("%s\n", g->name);
        fflush(stdout);
        if (check(g, atof(argv[2]), &failed) < 0) {
            n_failed++;
            printf("  FAILED %s\n", failed.text);
        }
    }
    printf("%zu equal, %zu near, %zu wrong, %zu counts not sampled, %zu kernels failed\n",
           tally.n_equal, tally.n_near, tally.n_wrong, tally.n_unsampled, n_failed);
    gcal_catalogue_close(catalogue);
    return tally.n_wrong || n_failed || !tally.n_equal ? 1 : 0;
}
