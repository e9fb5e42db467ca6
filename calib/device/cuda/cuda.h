/* cuda.h - kernels of CUDA and HIP behind the functions of OpenCL that calib/device calls
 *
 * An OpenCL object begins with the table of its driver's functions, which the ICD loader calls
 * (Khronos, cl_khr_icd).  The device here has a table of its own, over the driver interface of
 * CUDA or HIP and their run-time compilers, whose functions have the same names and
 * arguments but for the prefix.  So whatever builds, checks and times OpenCL kernels does the same
 * for these.  The libraries are loaded when they are needed; what calib/device does not call is not
 * in the table.
 *
 * A program is compiled with its kernel, whose name may have template arguments
 * ("gemm<float, 16>").  A local-memory argument is the launch's dynamic shared memory.  Events
 * are CUDA's: as OpenCL's, they include what the device takes to begin and to end a launch.
 */
#ifndef GCAL_CALIB_DEVICE_CUDA_H
#define GCAL_CALIB_DEVICE_CUDA_H

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#include "kernels/request.h"

struct gcal_error;

/* The GPU at a PCI address "0000:01:00.0", for this process; NULL with 'err' (GCAL_EDEVICE)
 * where libcuda.so.1 or NVRTC (libamdhip64.so, libhiprtc.so) or the GPU is missing.
 */
cl_device_id gcal_cuda_device(enum gcal_source_language language, const char *pci,
                              struct gcal_error *err);

/* A query of clGetKernelWorkGroupInfo() that other drivers do not know: registers of a work-item,
 * as cl_ulong.
 */
#define GCAL_CUDA_KERNEL_REGISTERS 0x67630001

/* The kernel that a program is built for, in its build options. */
#define GCAL_CUDA_ENTRY "--gpucal-entry="

/* "CUDA error 700 (CUDA_ERROR_ILLEGAL_ADDRESS)" of a code that only these drivers return; NULL: of
 * another.  Valid until the next call.
 */
const char *gcal_cuda_error_name(cl_int code);

#endif
