/* trace.h - memory traffic of kernels that Oclgrind runs in this process
 *
 * Oclgrind tells its plugins of each access and each instruction through functions of its
 * shared library.  A program that defines these functions itself (trace.c), and exports them,
 * is called in their place, and passes the calls on.  An *execution* of an instruction by a
 * sub-group of TRACE_LANES work-items is the n-th one of each of them.
 *
 * At the end of each launch these lines are printed to stdout, behind Oclgrind's own output:
 *
 *     trace load SECTORS LINES 0 UNEVEN
 *     trace store SECTORS LINES PARTIAL UNEVEN
 *
 * SECTORS, LINES: blocks of TRACE_SECTOR and TRACE_LINE bytes of global and constant memory,
 * summed over all executions; PARTIAL: sectors that an execution does not cover completely.
 * UNEVEN: instructions that work-items of one sub-group execute in different numbers (0 if they
 * do not at all), so that it is not known which executions belong together.
 */
#ifndef GCAL_TESTS_KERNELS_COUNT_TRAFFIC_TRACE_H
#define GCAL_TESTS_KERNELS_COUNT_TRAFFIC_TRACE_H

enum { TRACE_LANES = 32, TRACE_SECTOR = 32, TRACE_LINE = 128 };

#endif
