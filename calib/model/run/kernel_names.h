/* kernel_names.h - facts about a kernel from its names, for records of version 1
 *
 * Those records have neither gcal_run_kernel.variant nor .origin nor .uses.  What a
 * kernel is derived from was the ending of its generator's name (_loads, _onchip,
 * _memory) and the arguments of derived kernels (keep:, accumulators:, barriers:); its
 * uses were a text, "a,b:whole,c:check".  Nothing else reads names in this way.
 */
#ifndef GCAL_CALIB_MODEL_RUN_KERNEL_NAMES_H
#define GCAL_CALIB_MODEL_RUN_KERNEL_NAMES_H

#include "calib/model/run/run_kernel.h"

/* Fills the three members, which are empty, from the other ones and from 'models': NAME
 * is a fitted kernel of that model, NAME:whole a target, NAME:check a check.  After -1,
 * too, 'kernel' is the caller's to clear.
 */
int gcal_run_kernel_set_facts(struct gcal_run_kernel *kernel, const char *models,
                              struct gcal_error *err);

#endif
