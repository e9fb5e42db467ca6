/* vendor.c - peak rates as vendors publish them
 *
 * A device has peaks if its OpenCL name is in a table, and no others: nothing is guessed.  The
 * tables are of NVIDIA:
 *
 * - the compute capability by name: https://developer.nvidia.com/cuda-gpus;
 * - results of a multiprocessor for each clock, by compute capability: CUDA C++ Programming
 *   Guide, "Arithmetic Instructions"; a fused multiply-add is one operation.  Shared memory
 *   serves one word of 4 bytes from each of its 32 banks for each clock, one pass (the same,
 *   "Shared Memory");
 * - multiprocessors and bandwidth of memory: the data sheets of H100, H200, A100, A40, A30, A10,
 *   L40S, V100 and P100.  They are of the whole GPU, so a part of one has no bandwidth.
 */
#include "mpi/cli/vendor.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "kernels/model/run/device_info.h"

struct capability {
    int number;                            /* 10*major + minor */
    double fp32, fp64, integer, functions; /* results for each clock */
};

static const struct capability capabilities[] = {
    { 60, 64, 32, 64, 16 }, { 70, 64, 32, 64, 16 }, { 80, 64, 32, 64, 16 },
    { 86, 128, 2, 64, 16 }, { 89, 128, 2, 64, 16 }, { 90, 128, 64, 64, 16 },
};

struct model {
    const char *name; /* as OpenCL has it */
    int capability;
    unsigned units;
    double memory; /* bytes per second */
};

static const struct model models[] = {
    { "NVIDIA H200", 90, 132, 4.8e12 },
    { "NVIDIA H100 80GB HBM3", 90, 132, 3.35e12 },
    { "NVIDIA H100 PCIe", 90, 114, 2.0e12 },
    { "NVIDIA L40S", 89, 142, 864e9 },
    { "NVIDIA A40", 86, 84, 696e9 },
    { "NVIDIA A10", 86, 72, 600e9 },
    { "NVIDIA A100-SXM4-80GB", 80, 108, 2.039e12 },
    { "NVIDIA A100 80GB PCIe", 80, 108, 1.935e12 },
    { "NVIDIA A100-SXM4-40GB", 80, 108, 1.555e12 },
    { "NVIDIA A100-PCIE-40GB", 80, 108, 1.555e12 },
    { "NVIDIA A30", 80, 56, 933e9 },
    { "Tesla V100-SXM2-16GB", 70, 80, 900e9 },
    { "Tesla V100-SXM2-32GB", 70, 80, 900e9 },
    { "Tesla V100-PCIE-16GB", 70, 80, 900e9 },
    { "Tesla V100-PCIE-32GB", 70, 80, 900e9 },
    { "Tesla P100-SXM2-16GB", 60, 56, 732e9 },
};

/* Operations of the models that gpucal brings along, by what their costs are of. */
static const struct {
    const char *counted;
    size_t results; /* in struct capability */
} operations[] = {
    { "fp32", offsetof(struct capability, fp32) },
    { "fp64", offsetof(struct capability, fp64) },
    { "integer", offsetof(struct capability, integer) },
    { "special", offsetof(struct capability, functions) },
};

static const struct model *find_model(const char *name)
{
    for (size_t i = 0; name && i < sizeof(models) / sizeof(*models); i++)
        if (strcmp(models[i].name, name) == 0)
            return &models[i];
    return NULL;
}

/* NaN: of none. */
static double results_of(int number, const char *counted)
{
    for (size_t i = 0; i < sizeof(capabilities) / sizeof(*capabilities); i++)
        for (size_t k = 0; k < sizeof(operations) / sizeof(*operations); k++)
            if (capabilities[i].number == number &&
                strcmp(operations[k].counted, counted) == 0)
                return *(const double *)((const char *)&capabilities[i] +
                                         operations[k].results);
    return NAN;
}

static double clocks_of(const struct gcal_device_info *info)
{
    return (double)info->compute_units * info->max_clock_hz;
}

double gcal_vendor_memory(const struct gcal_device_info *info)
{
    const struct model *model = find_model(info->name);

    return model && info->compute_units == model->units ? model->memory : NAN;
}

double gcal_vendor_passes(const struct gcal_device_info *info)
{
    return find_model(info->name) ? clocks_of(info) : NAN;
}

double gcal_vendor_operations(const struct gcal_device_info *info, const char *counted)
{
    const struct model *model = find_model(info->name);

    return model ? clocks_of(info) * results_of(model->capability, counted) : NAN;
}
