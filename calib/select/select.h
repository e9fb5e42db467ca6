/* select.h - from a configuration and the catalogue of kernels to what is measured
 *
 * Resolving a configuration that was read gives every built-in form its expression, with
 * feature classes replaced by the costs of the target kernels, and every model the
 * measurement kernels that it lacks: derived kernels (work removed) of its target
 * kernels, and microbenchmarks, until every cost is identifiable.  A configuration that
 * was written out needs no catalogue.
 */
#ifndef GCAL_CALIB_SELECT_H
#define GCAL_CALIB_SELECT_H

#include <stddef.h>

#include "calib/config/config.h"
#include "kernels/generate/generate.h"

struct gcal_error;

/* Resolves a configuration that was read.  'catalogue' may be NULL: tags are not checked
 * then, and a model that depends on the catalogue is an error.  -1 with
 * "file:line:column: ..."; the configuration can only be cleared then.
 */
int gcal_select_resolve(struct gcal_config *config,
                        const struct gcal_catalogue *catalogue, struct gcal_error *err);

/* gcal_config_read() or gcal_config_parse(), and gcal_select_resolve(). */
int gcal_select_read(const char *file, const struct gcal_catalogue *catalogue,
                     struct gcal_config *config, struct gcal_error *err);
int gcal_select_parse(const char *text, size_t size, const char *file,
                      const struct gcal_catalogue *catalogue, struct gcal_config *config,
                      struct gcal_error *err);

/* gcal_catalogue_picks() by a tag set. */
int gcal_select_picks(const struct gcal_catalogue *catalogue,
                      const struct gcal_config_tag_set *set, const char *kernel,
                      struct gcal_error *err);

/* A device's limits and sub-group size, for gcal_catalogue_generate(). */
struct gcal_kernel_limits gcal_select_device_limits(const struct gcal_device_info *info);

/* Adds to 'counting' what profiles lack otherwise of these features: passes in 32 banks,
 * traffic in sectors of 32 bytes, index arithmetic.  Passes and traffic are counted for
 * known sub-group sizes only.
 */
void gcal_select_add_counting(size_t n_features, const char *const *features,
                              struct gcal_kernel_counting *counting);

/* Appends to an empty list every kernel of every model for a device, each once, all sizes
 * of size sweeps included, counted for its sub-group size and the features of all models,
 * with its uses, all GCAL_KERNEL_FITTED.  Kernels that the device cannot run are left out, and
 * those that only models with 'kept' use.  'config' is resolved.
 */
int gcal_select_kernels(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info,
                        struct gcal_kernel_list *list, struct gcal_error *err);

/* The same of the target kernels of 'model' (NULL: any), on every kind of device, counted
 * for 'counting' as well (NULL: for nothing else).
 */
int gcal_select_targets(const struct gcal_config *config,
                        const struct gcal_catalogue *catalogue,
                        const struct gcal_device_info *info, const char *model,
                        const struct gcal_kernel_counting *counting,
                        struct gcal_kernel_list *list, struct gcal_error *err);

#endif
