/* named_kernel.h - kernels of records whose variant, origin and uses follow from their names
 *
 * What a kernel is derived from is the ending of its generator's name (_loads, _onchip,
 * _memory) and the arguments of derived kernels (keep:, accumulators:, barriers:); its uses are
 * a text, "a,b:whole,c:check".
 */
#ifndef GCAL_TESTS_CALIB_RESULTS_NAMED_KERNEL_H
#define GCAL_TESTS_CALIB_RESULTS_NAMED_KERNEL_H

#include "kernels/model/run/run_kernel.h"
#include "kernels/model/run/run_sink.h"

void sink_kernel(const struct gcal_run_sink *sink, struct gcal_run_kernel *kernel,
                 const char *models);

#endif
