/* fake_driver.c - preloaded, devices are others than those of this machine
 *
 *   TEST_DRIVER, TEST_NAME, TEST_VENDOR, TEST_PLATFORM   texts
 *   TEST_UNITS       number of compute units
 *   TEST_PCI         the only device is at fffe:3b:00.0
 *   TEST_MULTIPLE    what work-group sizes are best a multiple of: the sub-group size
 *
 * What is not set is the real device's.  With TEST_NO_LOCKS, nobody else holds a lock.  With
 * TEST_ENDS, MPI ends the process as it starts, without a word.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define PCI_BUS_INFO 0x410F /* cl_khr_pci_bus_info */

#define REAL(f) ((__typeof__(&f))dlsym(RTLD_NEXT, #f))

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided);

int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    if (getenv("TEST_ENDS"))
        exit(1);
    return REAL(MPI_Init_thread)(argc, argv, required, provided);
}

static cl_int answer_text(const char *text, size_t size, void *value, size_t *size_ret)
{
    if (value && size <= strlen(text))
        return CL_INVALID_VALUE;
    if (value)
        strcpy(value, text);
    if (size_ret)
        *size_ret = strlen(text) + 1;
    return CL_SUCCESS;
}

/* In the first bytes of the number, as on hosts with the low ones first. */
static cl_int answer_number(const char *text, size_t size, void *value)
{
    cl_ulong number = strtoull(text, NULL, 10);

    memcpy(value, &number, size < sizeof(number) ? size : sizeof(number));
    return CL_SUCCESS;
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size,
                         void *value, size_t *size_ret)
{
    const char *name = getenv("TEST_PLATFORM");

    return name && what == CL_PLATFORM_NAME
               ? answer_text(name, size, value, size_ret)
               : REAL(clGetPlatformInfo)(platform, what, size, value, size_ret);
}

/* As by cl_khr_pci_bus_info. */
static cl_int answer_pci(cl_device_info what, size_t size, void *value, size_t *size_ret)
{
    static const cl_uint pci[] = { 0xfffe, 0x3b, 0, 0 };

    if (what == CL_DEVICE_EXTENSIONS)
        return answer_text("cl_khr_pci_bus_info cl_khr_fp64", size, value, size_ret);
    if (size != sizeof(pci))
        return CL_INVALID_VALUE;
    memcpy(value, pci, sizeof(pci));
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value,
                       size_t *size_ret)
{
    const char *units = getenv("TEST_UNITS");
    const char *text = what == CL_DRIVER_VERSION  ? getenv("TEST_DRIVER")
                       : what == CL_DEVICE_NAME   ? getenv("TEST_NAME")
                       : what == CL_DEVICE_VENDOR ? getenv("TEST_VENDOR")
                                                  : NULL;

    if (getenv("TEST_PCI") && (what == PCI_BUS_INFO || what == CL_DEVICE_EXTENSIONS))
        return answer_pci(what, size, value, size_ret);
    if (units && what == CL_DEVICE_MAX_COMPUTE_UNITS && value)
        return answer_number(units, size, value);
    return text ? answer_text(text, size, value, size_ret)
                : REAL(clGetDeviceInfo)(device, what, size, value, size_ret);
}

cl_int clGetKernelWorkGroupInfo(cl_kernel kernel, cl_device_id device,
                                cl_kernel_work_group_info what, size_t size, void *value,
                                size_t *size_ret)
{
    const char *multiple = getenv("TEST_MULTIPLE");

    if (multiple && what == CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE && value)
        return answer_number(multiple, size, value);
    return REAL(clGetKernelWorkGroupInfo)(kernel, device, what, size, value, size_ret);
}

int fcntl(int fd, int command, ...)
{
    void *argument;
    va_list args;

    va_start(args, command);
    argument = va_arg(args, void *);
    va_end(args);
    if (command != F_OFD_GETLK || !getenv("TEST_NO_LOCKS"))
        return REAL(fcntl)(fd, command, argument);
    ((struct flock *)argument)->l_type = F_UNLCK;
    return 0;
}
