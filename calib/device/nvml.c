/* nvml.c - clock, temperature and throttling of NVIDIA GPUs, from NVML */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>

#include "calib/device/private.h"

enum { NVML_CLOCK_SM = 1, NVML_TEMPERATURE_GPU = 0 };

struct utilization { /* of about the last second */
    unsigned kernels, memory;
};

struct gcal_device_nvml {
    void *library, *device;
    int (*clock)(void *device, int type, unsigned *mhz);
    int (*temperature)(void *device, int sensor, unsigned *celsius);
    int (*throttle)(void *device, unsigned long long *reasons);
    int (*utilization)(void *device, struct utilization *percent);
    int (*shutdown)(void);
};

struct gcal_device_nvml *gcal_device_nvml_open(const char *pci)
{
    struct gcal_device_nvml *nvml = calloc(1, sizeof(*nvml));
    int (*find)(const char *pci, void **device);
    int (*init)(void);

    if (!nvml || !*pci || !(nvml->library = dlopen("libnvidia-ml.so.1", RTLD_NOW)))
        goto fail;
    init = (int (*)(void))dlsym(nvml->library, "nvmlInit_v2");
    find = (int (*)(const char *, void **))dlsym(nvml->library,
                                                 "nvmlDeviceGetHandleByPciBusId_v2");
    nvml->shutdown = (int (*)(void))dlsym(nvml->library, "nvmlShutdown");
    nvml->clock =
        (int (*)(void *, int, unsigned *))dlsym(nvml->library, "nvmlDeviceGetClockInfo");
    nvml->temperature = (int (*)(void *, int, unsigned *))dlsym(
        nvml->library, "nvmlDeviceGetTemperature");
    nvml->throttle = (int (*)(void *, unsigned long long *))dlsym(
        nvml->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    nvml->utilization = (int (*)(void *, struct utilization *))dlsym(
        nvml->library, "nvmlDeviceGetUtilizationRates");
    if (init && find && nvml->shutdown && init() == 0 && find(pci, &nvml->device) == 0)
        return nvml;
fail:
    if (nvml && nvml->library)
        dlclose(nvml->library);
    free(nvml);
    return NULL;
}

void gcal_device_nvml_close(struct gcal_device_nvml *nvml)
{
    if (!nvml)
        return;
    nvml->shutdown();
    dlclose(nvml->library);
    free(nvml);
}

void gcal_device_nvml_read(const struct gcal_device_nvml *nvml,
                           struct gcal_measurement_sample *sample)
{
    unsigned long long reasons;
    unsigned value;

    sample->clock_hz = sample->temperature_c = NAN;
    sample->throttle = 0;
    if (!nvml)
        return;
    if (nvml->clock && nvml->clock(nvml->device, NVML_CLOCK_SM, &value) == 0)
        sample->clock_hz = 1e6 * value;
    if (nvml->temperature &&
        nvml->temperature(nvml->device, NVML_TEMPERATURE_GPU, &value) == 0)
        sample->temperature_c = value;
    if (nvml->throttle && nvml->throttle(nvml->device, &reasons) == 0)
        sample->throttle = reasons;
}

double gcal_device_nvml_busy(const struct gcal_device_nvml *nvml)
{
    struct utilization percent;

    return nvml && nvml->utilization && nvml->utilization(nvml->device, &percent) == 0
               ? percent.kernels / 100.0
               : NAN;
}
