/* interrupt.h - what a run says last when it is interrupted (within mpi/ranks)
 *
 * Ctrl-C sends SIGINT; a launcher that was interrupted, and Slurm at a time limit, SIGTERM.
 */
#ifndef GCAL_MPI_RANKS_INTERRUPT_H
#define GCAL_MPI_RANKS_INTERRUPT_H

struct gcal_error;
struct gcal_ranks_options;

/* From now on, an interrupt prints how to continue the run whose record is 'record', and
 * ends the process as it would have.
 */
int gcal_interrupt_offer_resume(const struct gcal_ranks_options *options,
                                const char *record, struct gcal_error *err);
/* The same once the record is written: how to fit it and publish to 'store' (NULL: none). */
int gcal_interrupt_offer_fit(const struct gcal_ranks_options *options, const char *record,
                             const char *store, struct gcal_error *err);
/* An interrupt prints nothing any more. */
void gcal_interrupt_offer_nothing(void);

#endif
