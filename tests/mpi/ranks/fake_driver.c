/* fake_driver.c - preloaded, every device reports the driver version $TEST_DRIVER and the name
 * $TEST_NAME, and with $TEST_UNITS as many compute units as a number can have; with $TEST_NO_LOCKS, nobody
 * else holds a lock
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *size_ret)
{
    __typeof__(&clGetDeviceInfo) real =
        (__typeof__(&clGetDeviceInfo))dlsym(RTLD_NEXT, "clGetDeviceInfo");
    const char *driver = getenv("TEST_DRIVER"), *name = getenv("TEST_NAME");
    const char *text = what == CL_DRIVER_VERSION ? driver
                       : what == CL_DEVICE_NAME  ? name
                                                 : NULL;

    if (what == CL_DEVICE_MAX_COMPUTE_UNITS && getenv("TEST_UNITS") && value) {
        memset(value, 0xff, size);
        return CL_SUCCESS;
    }
    if (!text)
        return real(device, what, size, value, size_ret);
    if (value && size <= strlen(text))
        return CL_INVALID_VALUE;
    if (value)
        strcpy(value, text);
    if (size_ret)
        *size_ret = strlen(text) + 1;
    return CL_SUCCESS;
}

int fcntl(int fd, int command, ...)
{
    int (*real)(int, int, ...) = (int (*)(int, int, ...))dlsym(RTLD_NEXT, "fcntl");
    void *argument;
    va_list args;

    va_start(args, command);
    argument = va_arg(args, void *);
    va_end(args);
    if (command != F_OFD_GETLK || !getenv("TEST_NO_LOCKS"))
        return real(fd, command, argument);
    ((struct flock *)argument)->l_type = F_UNLCK;
    return 0;
}
