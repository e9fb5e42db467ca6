/* rates.c - how often checks find a loss, and how often they alarm without one, in simulated noise
 *
 *   rates DEVICES DAYS SEED
 *   rates CHECKS           a file of checks of one device that was not disturbed (store/checks)
 *
 * The rule is gpucal's own (calib/health/judge.c), on devices whose seven costs have noise of their
 * own; the others are those of sites: a fixed threshold, and a CUSUM (fit/change.c) that knows the standard
 * deviation.  Prints tables in Markdown.  A loss that is seen is measured again, and what noise is of
 * one process is another then; all other noise is taken to last as long as the check.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calib/health/health.h"
#include "fit/change.h"
#include "kernels/base/median.h"
#include "kernels/base/random.h"

enum { A_DAY = 10, COSTS = 7, MOST = 400, AGAIN = 4, TEN = 10 };

/* x of a cost at check i of its device, without a loss; states are of the cost. */
struct cost {
    double state, phase;
};

static uint64_t seed;

static double normal(void)
{
    double u = gcal_random_share(&seed), v = gcal_random_share(&seed);

    return sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
}

static double steady(struct cost *c, size_t i)
{
    (void)c;
    (void)i;
    return 0.0005 * normal();
}

static double white(struct cost *c, size_t i)
{
    (void)c;
    (void)i;
    return 0.001 * normal();
}

static double loud(struct cost *c, size_t i)
{
    (void)c;
    (void)i;
    return 0.005 * normal();
}

/* Autocorrelated: 0.9 from check to check, 0.1 % in all. */
static double wandering(struct cost *c, size_t i)
{
    c->state = i ? 0.9 * c->state + sqrt(1 - 0.81) * 0.001 * normal() : 0.001 * normal();
    return c->state;
}

/* 0.3 % up and down each day. */
static double diurnal(struct cost *c, size_t i)
{
    return 0.003 * sin(c->phase + 2 * M_PI * (double)i / A_DAY) + 0.0005 * normal();
}

/* 1 % slower in every tenth process; and in every tenth check, as long as it lasts. */
static double two_valued(struct cost *c, size_t i)
{
    (void)c;
    (void)i;
    return (gcal_random_share(&seed) < 0.1 ? 0.01 : 0) + 0.0005 * normal();
}

static const struct noise {
    const char *name;
    double (*next)(struct cost *c, size_t i);
    double deviation;
    bool of_process; /* another one if it is measured again */
} noises[] = {
    { "0.05 % from check to check", steady, 0.0005, false },
    { "0.1 %", white, 0.001, false },
    { "0.5 %", loud, 0.005, false },
    { "0.1 %, autocorrelated (0.9)", wandering, 0.001, false },
    { "diurnal, +- 0.3 %, and 0.05 %", diurnal, 0.0022, false },
    { "1 % in every tenth process, and 0.05 %", two_valued, 0.003, true },
    { "1 % in every tenth check, and 0.05 %", two_valued, 0.003, false },
};

enum { N_NOISES = sizeof(noises) / sizeof(*noises) };

static void fill(struct gcal_health_reading *reading, const double *x)
{
    for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
        reading->x[r] = r < COSTS ? x[r] : 0; /* the clock is steady */
        reading->off[r] = false;
    }
}

/* One check by gpucal's rule: whether anything is off, in which cost 0 loses 'loss'; and whether
 * it is a failure.
 */
static bool check(const struct noise *noise, struct cost *costs,
                  struct gcal_health_reading *past, size_t n, double loss, bool *failed)
{
    const struct gcal_health_policy policy = { .fail = 0.1, .warn = 0.03 };
    struct gcal_health_reading *now = &past[n];
    struct gcal_health_finding found[GCAL_HEALTH_N];
    size_t from = n > GCAL_CHECKS_KEPT ? n - GCAL_CHECKS_KEPT : 0;
    double x[COSTS];
    bool any = false;

    for (size_t r = 0; r < COSTS; r++)
        x[r] = noise->next(&costs[r], n) + (r == 0 ? loss : 0);
    fill(now, x);
    for (int again = 0; again <= AGAIN; again++) {
        gcal_health_judge(past + from, n - from, now, &policy, found);
        any = false;
        for (size_t r = 0; r < COSTS; r++) {
            any = any || found[r].off;
            if (found[r].off && noise->of_process && again < AGAIN)
                now->x[r] =
                    fmin(now->x[r], noise->next(&costs[r], n) + (r == 0 ? loss : 0));
        }
        if (!any)
            break;
    }
    *failed = false;
    for (size_t r = 0; r < COSTS; r++) {
        now->off[r] = found[r].off;
        *failed = *failed || found[r].is_failure;
    }
    return any;
}

static void begin(struct cost *costs)
{
    for (size_t r = 0; r < COSTS; r++)
        costs[r] = (struct cost){ .phase = 2 * M_PI * gcal_random_share(&seed) };
}

/* ---- the other rules, on one cost ---- */

static bool by_threshold(const double *x, size_t n, double threshold)
{
    double before[TEN];

    if (n <= TEN)
        return false;
    memcpy(before, x + n - 1 - TEN, sizeof(before));
    return x[n - 1] - gcal_median(before, TEN) > threshold;
}

static bool by_cusum(const double *x, size_t n, double deviation)
{
    const struct gcal_fit_change_policy policy = { .floor = 0.0005,
                                                   .threshold =
                                                       gcal_fit_change_threshold(1e-6),
                                                   .confirm = 1,
                                                   .of = 3 };
    struct gcal_fit_change c;
    size_t from = n > GCAL_CHECKS_KEPT ? n - GCAL_CHECKS_KEPT : 0;

    gcal_fit_change_test(x + from, n - from, deviation, &policy, &c);
    return c.state == GCAL_FIT_CHANGE_CONFIRMED && c.level > c.reference;
}

/* ---- tables ---- */

/* A device without a loss: device-days with an alarm. */
static void false_alarms(size_t devices, size_t days)
{
    puts(
        "| noise of each cost | gpucal: days with an alarm | in 100,000 device-days | "
        "after the "
        "first four days | of these, failures | threshold 1 % | threshold 5 % | CUSUM |");
    puts("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (size_t k = 0; k < N_NOISES; k++) {
        size_t n_days = 0, n_late = 0, n_failed = 0, n_one = 0, n_five = 0, n_cusum = 0,
               n_cusum_days = 0;

        for (size_t d = 0; d < devices; d++) {
            static struct gcal_health_reading past[MOST];
            struct cost costs[COSTS];
            double x[COSTS][MOST];

            begin(costs);
            for (size_t day = 0; day < days; day++) {
                bool any = false, failed = false, one = false, five = false,
                     cusum = false;

                for (size_t i = day * A_DAY; i < (day + 1) * A_DAY; i++) {
                    bool is_failure;

                    any |= check(&noises[k], costs, past, i, 0, &is_failure);
                    failed |= is_failure;
                    for (size_t r = 0; r < COSTS; r++) {
                        x[r][i] = past[i].x[r];
                        one |= by_threshold(x[r], i + 1, 0.01);
                        five |= by_threshold(x[r], i + 1, 0.05);
                        if (d % 50 == 0)
                            cusum |= by_cusum(x[r], i + 1, noises[k].deviation);
                    }
                }
                n_days += any;
                n_late += any && day >= 4;
                n_failed += failed;
                n_one += one;
                n_five += five;
                n_cusum += cusum;
                n_cusum_days += d % 50 == 0;
            }
        }
        double scale = 1e5 / (double)(devices * days);
        printf("| %s | %zu of %zu | %.3g | %.3g | %zu | %.3g | %.3g | %.3g |\n",
               noises[k].name, n_days, devices * days, scale * (double)n_days,
               1e5 * (double)n_late / (double)(devices * (days - 4)), n_failed,
               scale * (double)n_one, scale * (double)n_five,
               1e5 * (double)n_cusum / (double)n_cusum_days);
    }
}

/* Shares of devices whose loss, which begins after 'before' checks, is found within one and five. */
static void detection(size_t devices, size_t before, int n_rules)
{
    static const double losses[] = { 0.003, 0.005, 0.0075, 0.01, 0.02, 0.05 };
    enum { N = sizeof(losses) / sizeof(*losses) };

    printf("| noise of each cost, %zu checks before |", before);
    for (size_t l = 0; l < N; l++)
        printf(" %g %% |", 100 * losses[l]);
    printf("\n| --- |");
    for (size_t l = 0; l < N; l++)
        printf(" --- |");
    putchar('\n');
    for (size_t k = 0; k < N_NOISES; k++) {
        size_t first[4][N] = { 0 }, within[4][N] = { 0 };

        for (size_t l = 0; l < N; l++)
            for (size_t d = 0; d < devices; d++) {
                static struct gcal_health_reading past[MOST];
                struct cost costs[COSTS];
                double x[MOST];
                bool found[4] = { false };

                begin(costs);
                for (size_t i = 0; i < before + 5; i++) {
                    bool is[4] = { false }, failed;

                    check(&noises[k], costs, past, i, i < before ? 0 : losses[l],
                          &failed);

                    /* Alarms of cost 0 alone. */
                    is[0] = past[i].off[0];
                    x[i] = past[i].x[0];
                    if (i < before)
                        continue;
                    is[1] = by_threshold(x, i + 1, 0.01);
                    is[2] = by_threshold(x, i + 1, 0.05);
                    is[3] = by_cusum(x, i + 1, noises[k].deviation);
                    for (int rule = 0; rule < 4; rule++) {
                        found[rule] |= is[rule];
                        first[rule][l] += i == before && is[rule];
                    }
                }
                for (int rule = 0; rule < 4; rule++)
                    within[rule][l] += found[rule];
            }
        static const char *const rules[] = { "gpucal", "threshold 1 %", "threshold 5 %",
                                             "CUSUM" };
        for (int rule = 0; rule < n_rules; rule++) {
            printf("| %s: %s |", noises[k].name, rules[rule]);
            for (size_t l = 0; l < N; l++)
                printf(" %.0f / %.0f |", 100.0 * (double)first[rule][l] / (double)devices,
                       100.0 * (double)within[rule][l] / (double)devices);
            putchar('\n');
        }
    }
}

/* ---- a recorded series ---- */

/* The readings of a file; their number. */
static size_t read_series(const char *path, struct gcal_health_reading *series)
{
    FILE *file = fopen(path, "r");
    static char line[4096];
    size_t n = 0;

    if (!file)
        return 0;
    while (n < MOST && fgets(line, sizeof(line), file)) {
        if (strncmp(line, "check\t", strlen("check\t")) != 0)
            continue;
        double clock_hz = NAN;

        series[n] = (struct gcal_health_reading){ 0 };
        sscanf(line, "check\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%*[^\t]\t%lf", &clock_hz);
        for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
            char word[32], kernel[32];
            const char *at;
            double time_s;

            snprintf(word, sizeof(word), "\t%s:", gcal_health_resource_word(r));
            at = strstr(line, word);
            series[n].x[r] =
                at && sscanf(at + strlen(word), "%31[^:]:%lf", kernel, &time_s) == 2
                    ? log(time_s)
                    : NAN;
        }
        series[n].x[GCAL_HEALTH_CLOCK] = -log(clock_hz);
        n++;
    }
    fclose(file);
    return n;
}

/* Each check against the ten before it, as it is and with a loss in one resource after the other. */
static int recorded(const char *path)
{
    static struct gcal_health_reading series[MOST];
    const struct gcal_health_policy policy = { .fail = 0.1, .warn = 0.03 };
    static const double losses[] = { 0, 0.005, 0.01, 0.02, 0.05 };
    size_t n = read_series(path, series);

    if (n <= TEN)
        return fprintf(stderr, "%s: no file of more than %d checks\n", path, TEN), 1;
    puts("| resource | standard deviation | largest difference of ten in a row | median "
         "limit | alarms | "
         "0.5 % | 1 % | 2 % | 5 % |");
    puts("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for (size_t r = 0; r < GCAL_HEALTH_N; r++) {
        size_t off[5] = { 0 }, tried = 0;
        double mean = 0, sum = 0, widest = 0, limits[MOST];

        if (isnan(series[0].x[r]))
            continue;
        for (size_t i = 0; i < n; i++)
            mean += series[i].x[r] / (double)n;
        for (size_t i = 0; i < n; i++)
            sum += (series[i].x[r] - mean) * (series[i].x[r] - mean);
        for (size_t i = TEN; i < n; i++) {
            double least = INFINITY, most = -INFINITY;

            for (size_t k = i - TEN; k < i; k++) {
                least = fmin(least, series[k].x[r]);
                most = fmax(most, series[k].x[r]);
            }
            widest = fmax(widest, most - least);
            for (size_t l = 0; l < 5; l++) {
                struct gcal_health_finding found[GCAL_HEALTH_N];
                struct gcal_health_reading now = series[i];

                now.x[r] += log1p(losses[l]);
                gcal_health_judge(series + i - TEN, TEN, &now, &policy, found);
                off[l] += found[r].off;
                limits[tried] = found[r].limit;
            }
            tried++;
        }
        printf("| %s | %.2f %% | %.2f %% | %.2f %% | %zu of %zu |",
               gcal_health_resource_name(r), 100 * sqrt(sum / (double)(n - 1)),
               100 * widest, 100 * gcal_median(limits, tried), off[0], tried);
        for (size_t l = 1; l < 5; l++)
            printf(" %.0f %% |", 100.0 * (double)off[l] / (double)tried);
        putchar('\n');
    }
    return 0;
}

int main(int argc, char **argv)
{
    size_t devices = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    size_t days = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

    if (argc == 2)
        return recorded(argv[1]);
    seed = argc > 3 ? strtoul(argv[3], NULL, 10) : 1;
    if (!devices || days < 5 || days * A_DAY > MOST) {
        fprintf(stderr, "usage: rates DEVICES DAYS SEED, of 5 to %d days; rates CHECKS\n",
                MOST / A_DAY);
        return 2;
    }
    false_alarms(devices, days);
    putchar('\n');
    detection(devices < 2000 ? devices : 2000, 10, 4);
    putchar('\n');
    detection(devices < 2000 ? devices : 2000, 40, 1);
    return 0;
}
