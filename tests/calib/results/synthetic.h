/* synthetic.h - records of kernels whose times follow a formula, for tests of the results
 *
 * A kernel has adds, muls and one launch.  Samples have a noise of 0.3 %, and are taken in
 * four rounds through all kernels.
 */
#ifndef GCAL_TESTS_CALIB_RESULTS_SYNTHETIC_H
#define GCAL_TESTS_CALIB_RESULTS_SYNTHETIC_H

#include "calib/results/results.h"

/* No round relation between these, so a lost factor shows. */
static const double true_add_s = 2.385e-12, true_mul_s = 3.71e-12,
                    true_launch_s = 7.19e-6;

struct kernel {
    const char *generator;
    const char *arguments; /* behind the generator in its name */
    const char *models;
    double adds, muls;
    double time_s;
};

struct maker {
    struct gcal_record_writer *writer;
    struct gcal_run_sink sink;
    uint64_t random;
    size_t n_devices;
    double slowness[100];     /* of each device against its type */
    double mul_slowness[100]; /* of its muls, where times add up */
    /* The time of a kernel on that device, of 'time_s' by the above; NaN: not measured;
     * infinite: its worker died.  NULL: the same.
     */
    double (*strange)(size_t device, const struct kernel *k, double time_s);
    uint64_t n_measured; /* kernels */
    size_t from, to;     /* the devices that measure; 0, 0: all */
    bool copies;         /* without a kernel */
    double sizes;        /* of put_ladder(), in its sizes; 0: 1 */
    /* From that launch on, that device takes 'late' times as long; 0: none does. */
    size_t late_device;
    uint64_t late_since;
    double late;
    /* What the host's time grows by the devices', 0: the host's times are unknown; and the state of all
     * devices at each launch, as a logarithm, NULL: they are steady.
     */
    double host_rate;
    const double *state;
};

/* The first launch of a round through all kernels, 0 to 3. */
uint64_t round_start(uint64_t round);
enum { MAX_LAUNCHES = 16000 };

/* Times: costs one after the other; and where the shorter work hides but for 0.3 of it.
 */
double add_up(double adds, double muls);
double hide(double adds, double muls);

/* The counts of such a kernel, sizes "a" and "m"; the caller's to free. */
char *make_profile(void);

/* A record in the test's folder: 'slowness' NULL: all devices are alike. */
struct maker make_start(size_t n_devices, const double *slowness);
/* Of another kind than a CPU. */
struct maker make_start_of(const char *device_type, size_t n_devices,
                           const double *slowness);
/* Where device i has sub-groups of sub_groups[i] work-items. */
struct maker make_start_with_sub_groups(size_t n_devices, const double *slowness,
                                        const uint64_t *sub_groups);
void put_kernel(struct maker *m, struct kernel k);
/* Four sizes n of kernels with adds*n adds and muls*n muls. */
void put_ladder(struct maker *m, const char *generator, const char *models, double adds,
                double muls, double (*time)(double, double), double factor);
/* What a model "m" would be fitted to on any device: each cost alone, and mixtures. */
void put_microbenchmarks(struct maker *m, double (*time)(double, double));
struct gcal_record *make_end(struct maker *m);

/* ---- a model "m" of several forms ---- */

#define ADDS     "p_add * f_op_float32_add"
#define MULS     "p_mul * f_op_float32_mul"
#define LAUNCHES "p_launch * f_sync_kernel_launch"

void add_form(struct gcal_config *config, const char *name, const char *expression);
/* 'linear' */
/* With one model, without forms. */
struct gcal_config empty_config(void);
struct gcal_config one_form(void);
/* and 'partial': two costs, with a share that does not hide */
struct gcal_config two_forms(void);

/* The only fit. */
const struct gcal_result_type_fit *fit(const struct gcal_record *record,
                                       const struct gcal_config *config,
                                       struct gcal_results *results);
void finish(struct gcal_results *results, struct gcal_config *config,
            struct gcal_record *record);

void within(double value, double truth, double margin);

#endif
