/* fake_driver.c - preloaded, every device reports the driver version $TEST_DRIVER */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *size_ret)
{
    __typeof__(&clGetDeviceInfo) real =
        (__typeof__(&clGetDeviceInfo))dlsym(RTLD_NEXT, "clGetDeviceInfo");
    const char *driver = getenv("TEST_DRIVER");

    if (what != CL_DRIVER_VERSION || !driver)
        return real(device, what, size, value, size_ret);
    if (value && size <= strlen(driver))
        return CL_INVALID_VALUE;
    if (value)
        strcpy(value, driver);
    if (size_ret)
        *size_ret = strlen(driver) + 1;
    return CL_SUCCESS;
}
