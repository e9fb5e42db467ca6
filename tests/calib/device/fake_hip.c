/* fake_hip.c - the GPU of fake_cuda.c as a libamdhip64.so
 *
 * HIP's functions have CUDA's arguments under other names.
 */
#define cuInit                   hipInit
#define cuDeviceGetByPCIBusId    hipDeviceGetByPCIBusId
#define cuDevicePrimaryCtxRetain hipDevicePrimaryCtxRetain
#define cuCtxSetCurrent          hipCtxSetCurrent
#define cuStreamCreate           hipStreamCreateWithFlags
#define cuStreamDestroy_v2       hipStreamDestroy
#define cuStreamSynchronize      hipStreamSynchronize
#define cuEventCreate            hipEventCreateWithFlags
#define cuEventDestroy_v2        hipEventDestroy
#define cuEventRecord            hipEventRecord
#define cuEventSynchronize       hipEventSynchronize
#define cuEventElapsedTime       hipEventElapsedTime
#define cuMemAlloc_v2            hipMalloc
#define cuMemFree_v2             hipFree
#define cuMemcpyHtoDAsync_v2     hipMemcpyHtoDAsync
#define cuMemcpyDtoHAsync_v2     hipMemcpyDtoHAsync
#define cuMemcpyDtoDAsync_v2     hipMemcpyDtoDAsync
#define cuModuleLoadData         hipModuleLoadData
#define cuModuleUnload           hipModuleUnload
#define cuModuleGetFunction      hipModuleGetFunction
#define cuFuncGetAttribute       hipFuncGetAttribute
#define cuLaunchKernel           hipModuleLaunchKernel

#include "fake_cuda.c"
