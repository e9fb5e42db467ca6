/* subject.h - what 'predict' and 'explain' are about: one kernel, as KERNEL.cl, a profile or
 * a kernel of the catalogue, on one calibrated device
 */
#ifndef GCAL_MPI_COMMANDS_PREDICT_SUBJECT_H
#define GCAL_MPI_COMMANDS_PREDICT_SUBJECT_H

#include "mpi/cli/local_device.h"
#include "mpi/commands/count/options.h"
#include "mpi/commands/predict/inputs.h"

struct gcal_own_options;

struct gcal_predict_subject_options {
    struct gcal_count_options count;
    struct gcal_predict_device_options published;
    const char *profile, *config;
    struct gcal_option_list profiles; /* all that were given; 'profile': the last */
    struct gcal_option_list tags, catalogue; /* of a catalogue kernel */
    /* Tags may select several kernels, of which the subject is number 'pick'; else profiles
     * and tags are of one kernel.
     */
    bool several;
    bool counts_all; /* and not just what the model needs: to say it of accesses */
    size_t pick;
};

/* For argp's 'children'; input: struct gcal_predict_subject_options. */
extern const struct argp gcal_predict_subject_argp;
/* An error of the command line where --measure, or the options of a kernel that it runs, do
 * not suit the subject.
 */
void gcal_predict_subject_check_measure(
    const struct gcal_predict_subject_options *options,
    const struct gcal_own_options *own, bool measure, const struct argp_state *state);

struct gcal_predict_subject {
    struct gcal_predict_device published;
    struct gcal_kernel_list list;     /* kernels of the catalogue that tags select */
    const struct gcal_kernel *kernel; /* one of them; NULL: no tags */
    struct gcal_predict_target target;
};

/* Before the subject of --measure is opened: what it is timed with holds for its counts, too. */
int gcal_predict_subject_prepare_measure(struct gcal_predict_subject_options *options,
                                         const struct gcal_own_options *own,
                                         struct gcal_error *err);
/* The device and the kernel; what both lack is one message.  Clear 'subject' in any case. */
int gcal_predict_subject_open(const struct gcal_predict_subject_options *options,
                              struct gcal_predict_subject *subject,
                              struct gcal_error *err);
void gcal_predict_subject_clear(struct gcal_predict_subject *subject);

/* Times the kernel, or one that is derived from it by work removal, at its only point on this
 * machine, which must have the subject's device.  Buffers of a kernel of the user's own are made up.  -1 also if the other kernel cannot be derived.
 */
int gcal_predict_subject_measure(const struct gcal_predict_subject_options *options,
                                 const struct gcal_own_options *own,
                                 const struct gcal_predict_subject *subject,
                                 enum gcal_kernel_form form, struct gcal_timed *timed,
                                 struct gcal_error *err);

/* What a launch costs now on such a device of this machine, by a small kernel of the catalogue and
 * this model.
 */
int gcal_predict_subject_measure_launch(
    const struct gcal_predict_subject_options *options,
    const struct gcal_predict_subject *subject, const char *model, double *launch_s,
    struct gcal_error *err);

#endif
