/* run_sink.h - receiver of a run's data: a journal, a record, messages to rank 0 */
#ifndef GCAL_KERNELS_MODEL_RUN_RUN_SINK_H
#define GCAL_KERNELS_MODEL_RUN_RUN_SINK_H

struct gcal_run_device;
struct gcal_run_kernel;
struct gcal_measurement;
struct gcal_run_link;
struct gcal_error;

/* Each function copies what it keeps, and returns 0 or -1 with 'err'. */
struct gcal_run_sink {
    void *context;
    int (*device)(void *context, const struct gcal_run_device *device,
                  struct gcal_error *err);
    int (*kernel)(void *context, const struct gcal_run_kernel *kernel,
                  struct gcal_error *err);
    int (*measurement)(void *context, const struct gcal_measurement *m,
                       struct gcal_error *err);
    int (*link)(void *context, const struct gcal_run_link *link, struct gcal_error *err);
    int (*lost)(void *context, const char *node, int rank, const char *reason,
                struct gcal_error *err);
};

#endif
