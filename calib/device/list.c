/* list.c - listing devices and identifying them */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/hash.h"
#include "kernels/base/log.h"
#include "kernels/base/utf8.h"
#include "calib/device/private.h"

/* From vendors' extension headers, which not every system has installed. */
#define DEVICE_UUID_KHR            0x106A
#define DEVICE_PCI_BUS_INFO_KHR    0x410F
#define DEVICE_PCI_BUS_ID_NV       0x4008
#define DEVICE_PCI_SLOT_ID_NV      0x4009
#define DEVICE_PCI_DOMAIN_ID_NV    0x400A
#define DEVICE_REGISTERS_NV        0x4002 /* of a work-group */
#define DEVICE_WARP_SIZE_NV        0x4003
#define DEVICE_TOPOLOGY_AMD        0x4037
#define DEVICE_WAVEFRONT_WIDTH_AMD 0x4043
#define DEVICE_UNIT_LOCAL_SIZE_AMD 0x4047
#define PLATFORM_NOT_FOUND_KHR     (-1001)

#define MAX_DEVICES 64 /* of a platform */

static char *device_text(cl_device_id id, cl_device_info what)
{
    size_t size = 0;
    char *text;

    if (clGetDeviceInfo(id, what, 0, NULL, &size) != CL_SUCCESS)
        return strdup("");
    if (!(text = calloc(1, size + 1)))
        return NULL;
    if (clGetDeviceInfo(id, what, size, text, NULL) != CL_SUCCESS)
        *text = '\0';
    return gcal_utf8_clean(text);
}

static char *platform_text(cl_platform_id id, cl_platform_info what)
{
    char text[1024] = "";

    clGetPlatformInfo(id, what, sizeof(text) - 1, text, NULL);
    return strdup(gcal_utf8_clean(text));
}

/* 0 if the device does not support the query. */
static uint64_t device_number(cl_device_id id, cl_device_info what)
{
    uint64_t value = 0; /* also for numbers of 4 bytes, on little-endian hosts */

    return clGetDeviceInfo(id, what, sizeof(value), &value, NULL) == CL_SUCCESS ? value
                                                                                : 0;
}

bool gcal_device_has_extension(cl_device_id id, const char *name)
{
    char *all = device_text(id, CL_DEVICE_EXTENSIONS);
    bool found = all && strstr(all, name);

    free(all);
    return found;
}

static char *pci_address(cl_device_id id)
{
    uint32_t khr[4]; /* domain, bus, device, function */
    unsigned char amd[24];
    uint32_t bus, slot;

    if (gcal_device_has_extension(id, "cl_khr_pci_bus_info") &&
        clGetDeviceInfo(id, DEVICE_PCI_BUS_INFO_KHR, sizeof(khr), khr, NULL) ==
            CL_SUCCESS)
        return gcal_buf_format("%04x:%02x:%02x.%x", khr[0], khr[1], khr[2], khr[3]);
    if (gcal_device_has_extension(id, "cl_nv_device_attribute_query") &&
        clGetDeviceInfo(id, DEVICE_PCI_BUS_ID_NV, 4, &bus, NULL) == CL_SUCCESS &&
        clGetDeviceInfo(id, DEVICE_PCI_SLOT_ID_NV, 4, &slot, NULL) == CL_SUCCESS)
        return gcal_buf_format("%04x:%02x:%02x.%x",
                               (unsigned)device_number(id, DEVICE_PCI_DOMAIN_ID_NV), bus,
                               slot >> 3, slot & 7);
    if (gcal_device_has_extension(id, "cl_amd_device_attribute_query") &&
        clGetDeviceInfo(id, DEVICE_TOPOLOGY_AMD, sizeof(amd), amd, NULL) == CL_SUCCESS)
        return gcal_buf_format("0000:%02x:%02x.%x", amd[21], amd[22], amd[23]);
    return strdup("");
}

/* Without a better id from the driver: made of platform, name and index. */
static char *compose_uid(const struct gcal_device_entry *d, size_t index)
{
    char hash[GCAL_HASH_TEXT_SIZE],
        *key = gcal_buf_format("%s/%s/%zu", d->info.platform, d->info.name, index);

    if (!key)
        return NULL;
    gcal_hash(key, strlen(key), hash);
    free(key);
    return gcal_buf_format("cl:%.16s", hash);
}

/* The id of a physical device, the same for every process on the node.  A UUID is written
 * as vendors' tools do, in groups of 4, 2, 2, 2 and 6 bytes.
 */
static char *unique_id(const struct gcal_device_entry *d, size_t index)
{
    unsigned char uuid[16], any = 0;
    char text[37], *at = text;

    if (gcal_device_has_extension(d->id, "cl_khr_device_uuid") &&
        clGetDeviceInfo(d->id, DEVICE_UUID_KHR, sizeof(uuid), uuid, NULL) == CL_SUCCESS) {
        for (int i = 0; i < 16; i++) {
            any |= uuid[i];
            at += snprintf(at, (size_t)(text + sizeof(text) - at), "%s%02x",
                           i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", uuid[i]);
        }
        if (any)
            return gcal_buf_format("uuid:%s", text);
    }
    if (*d->info.pci)
        return gcal_buf_format("pci:%s", d->info.pci);
    return compose_uid(d, index);
}

/* "nvidia-cuda-nvidia-h200-132cu": lower case, runs of other characters as one dash. */
static char *type_name(const struct gcal_device_info *info)
{
    char *text = gcal_buf_format("%s-%s-%llucu", info->platform, info->name,
                                 (unsigned long long)info->compute_units);
    size_t n = 0;

    for (char *c = text; c && *c; c++) {
        if (isalnum((unsigned char)*c))
            text[n++] = (char)tolower((unsigned char)*c);
        else if (n && text[n - 1] != '-')
            text[n++] = '-';
    }
    if (text)
        text[n] = '\0';
    return text;
}

/* The preferred multiple of work-group sizes of a tiny kernel: the sub-group size if
 * there is no vendor query.  'built': whether the device could be asked.  Nothing is released, as
 * a driver may hang in that: the worker that lists devices is killed when it has answered.
 */
static uint64_t preferred_multiple(cl_device_id id, bool *built)
{
    static const char *source =
        "__kernel void p(__global int *a) { a[get_global_id(0)] = 1; }";
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, NULL);
    cl_program program = NULL;
    cl_kernel kernel = NULL;
    size_t multiple = 0;

    if (context)
        program = clCreateProgramWithSource(context, 1, &source, NULL, NULL);
    if (program && clBuildProgram(program, 1, &id, "", NULL, NULL) == CL_SUCCESS)
        kernel = clCreateKernel(program, "p", NULL);
    *built = kernel != NULL;
    if (kernel)
        clGetKernelWorkGroupInfo(kernel, id, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
                                 sizeof(multiple), &multiple, NULL);
    return multiple;
}

static int fill(struct gcal_device_entry *d, size_t index, bool probe,
                struct gcal_error *err)
{
    struct gcal_device_info *info = &d->info;

    info->platform = platform_text(d->platform, CL_PLATFORM_NAME);
    info->vendor = device_text(d->id, CL_DEVICE_VENDOR);
    info->name = device_text(d->id, CL_DEVICE_NAME);
    info->driver = device_text(d->id, CL_DRIVER_VERSION);
    info->version = device_text(d->id, CL_DEVICE_VERSION);
    uint64_t type = device_number(d->id, CL_DEVICE_TYPE);
    info->device_type = strdup(type & CL_DEVICE_TYPE_GPU           ? "gpu"
                               : type & CL_DEVICE_TYPE_ACCELERATOR ? "accelerator"
                               : type & CL_DEVICE_TYPE_CPU         ? "cpu"
                                                                   : "custom");
    info->pci = pci_address(d->id);
    info->compute_units = device_number(d->id, CL_DEVICE_MAX_COMPUTE_UNITS);
    info->max_work_group_size = device_number(d->id, CL_DEVICE_MAX_WORK_GROUP_SIZE);
    info->max_clock_hz =
        1e6 * (double)device_number(d->id, CL_DEVICE_MAX_CLOCK_FREQUENCY);
    info->global_memory_bytes = (double)device_number(d->id, CL_DEVICE_GLOBAL_MEM_SIZE);
    info->max_alloc_bytes = (double)device_number(d->id, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
    info->local_memory_bytes = (double)device_number(d->id, CL_DEVICE_LOCAL_MEM_SIZE);
    info->cache_bytes = (double)device_number(d->id, CL_DEVICE_GLOBAL_MEM_CACHE_SIZE);
    info->timer_resolution_s =
        1e-9 * (double)device_number(d->id, CL_DEVICE_PROFILING_TIMER_RESOLUTION);
    info->fp64 = device_number(d->id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0;
    info->fp16 = gcal_device_has_extension(d->id, "cl_khr_fp16");
    if (gcal_device_has_extension(d->id, "cl_amd_device_attribute_query"))
        info->unit_local_memory_bytes =
            (double)device_number(d->id, DEVICE_UNIT_LOCAL_SIZE_AMD);
    if (gcal_device_has_extension(d->id, "cl_nv_device_attribute_query"))
        info->unit_registers = device_number(d->id, DEVICE_REGISTERS_NV);
    if (probe) {
        /* A guess would be a factor in all counts per sub-group. */
        uint64_t size = 0;
        bool built = true;

        if (gcal_device_has_extension(d->id, "cl_nv_device_attribute_query"))
            size = device_number(d->id, DEVICE_WARP_SIZE_NV);
        if (!size && gcal_device_has_extension(d->id, "cl_amd_device_attribute_query"))
            size = device_number(d->id, DEVICE_WAVEFRONT_WIDTH_AMD);
        if (!size)
            size = preferred_multiple(d->id, &built);
        info->sub_group_size = size || !built ? size : 1;
    }
    if (info->pci)
        gcal_device_cuda_ask(info);
    if (!info->platform || !info->vendor || !info->name || !info->driver ||
        !info->version || !info->device_type || !info->pci ||
        !(info->uid = unique_id(d, index)) || !(info->type = type_name(info)))
        return gcal_error_memory(err);
    return 0;
}

/* Partitions of one device may have the same UUID; on a platform they are separate
 * devices.
 */
static int make_unique(const struct gcal_device_entry *devices, size_t count,
                       struct gcal_device_entry *device, size_t index,
                       struct gcal_error *err)
{
    for (size_t i = 0; i < count; i++) {
        char *uid;

        if (strcmp(devices[i].info.uid, device->info.uid) != 0)
            continue;
        if (!(uid = compose_uid(device, index)))
            return gcal_error_memory(err);
        free(device->info.uid);
        device->info.uid = uid;
        break;
    }
    return 0;
}

/* Returns 1 with 'device' filled, 0 if it is left out. */
static int describe(const struct gcal_device_entry *devices, size_t count,
                    struct gcal_device_entry *device, size_t index, bool probe,
                    struct gcal_error *err)
{
    if (!device_number(device->id, CL_DEVICE_AVAILABLE) ||
        !device_number(device->id, CL_DEVICE_COMPILER_AVAILABLE)) {
        char *name = device_text(device->id, CL_DEVICE_NAME);

        gcal_log(GCAL_LOG_WARN,
                 "left out: device %zu '%s' is not available or cannot "
                 "compile",
                 index, name ? name : "");
        free(name);
        return 0;
    }
    if (fill(device, index, probe, err) == 0 &&
        make_unique(devices, count, device, index, err) == 0)
        return 1;
    gcal_device_info_clear(&device->info);
    return -1;
}

static int list_platform(cl_platform_id platform, bool probe,
                         struct gcal_device_entry **devices, size_t *count,
                         struct gcal_error *err)
{
    cl_device_id ids[MAX_DEVICES];
    cl_uint n = 0;
    cl_int code = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MAX_DEVICES, ids, &n);
    int rc = 0;

    if (code != CL_SUCCESS) {
        char *name = platform_text(platform, CL_PLATFORM_NAME);

        gcal_log(code == CL_DEVICE_NOT_FOUND ? GCAL_LOG_DEBUG : GCAL_LOG_WARN,
                 "OpenCL platform '%s' has no device: %s", name ? name : "",
                 gcal_device_error_name(code));
        free(name);
        return 0;
    }
    if (n > MAX_DEVICES)
        n = MAX_DEVICES;
    if (!(*devices = calloc(n + 1, sizeof(**devices))))
        return gcal_error_memory(err);
    for (cl_uint i = 0; i < n && rc >= 0; i++) {
        struct gcal_device_entry *device = &(*devices)[*count];

        device->platform = platform;
        device->id = ids[i];
        rc = describe(*devices, *count, device, i, probe, err);
        if (rc > 0)
            ++*count;
    }
    if (rc >= 0)
        return 0;
    gcal_device_list_free(*devices, *count);
    return -1;
}

int gcal_device_list(size_t platform, bool probe, struct gcal_device_entry **devices,
                     size_t *count, size_t *n_platforms, struct gcal_error *err)
{
    cl_platform_id platforms[GCAL_DEVICE_MAX_PLATFORMS];
    cl_uint n = 0;
    cl_int code = clGetPlatformIDs(GCAL_DEVICE_MAX_PLATFORMS, platforms, &n);

    *devices = NULL;
    *count = 0;
    if (code != CL_SUCCESS && code != PLATFORM_NOT_FOUND_KHR)
        return gcal_error_set(err, GCAL_EDEVICE, "no OpenCL platform: %s",
                              gcal_device_error_name(code));
    if (n == 0)
        return gcal_error_set(
            err, GCAL_EDEVICE,
            "no OpenCL platform: install a driver with its .icd file in "
            "/etc/OpenCL/vendors (pocl-opencl-icd runs on any CPU)");
    *n_platforms = n < GCAL_DEVICE_MAX_PLATFORMS ? n : GCAL_DEVICE_MAX_PLATFORMS;
    if (platform >= *n_platforms)
        return 0;
    return list_platform(platforms[platform], probe, devices, count, err);
}

void gcal_device_list_free(struct gcal_device_entry *devices, size_t count)
{
    for (size_t i = 0; i < count; i++)
        gcal_device_info_clear(&devices[i].info);
    free(devices);
}
