/* vendor.h - peak rates as vendors publish them, of devices whose OpenCL name is in a table
 *
 * NaN for other devices, and for what the table lacks: nothing is guessed.
 */
#ifndef GCAL_MPI_CLI_VENDOR_H
#define GCAL_MPI_CLI_VENDOR_H

struct gcal_device_info;

/* Bytes per second from and to memory; NaN for a part of a GPU. */
double gcal_vendor_memory(const struct gcal_device_info *info);
/* Passes per second over the banks of local memory, of all compute units. */
double gcal_vendor_passes(const struct gcal_device_info *info);
/* Operations per second of what the general model counts as "fp32", "fp64", "integer" or
 * "special"; a multiply-add is one.
 */
double gcal_vendor_operations(const struct gcal_device_info *info, const char *counted);

#endif
