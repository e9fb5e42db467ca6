/* facts.c - what the calibration found of a device, beside the vendor's peaks */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/base/units.h"
#include "mpi/cli/vendor.h"
#include "mpi/commands/show/private.h"
#include "store/facts/facts.h"
#include "store/params/params.h"

/* What vendors publish: operations by their name in the general model.  Not of integers: compilers
 * make one instruction of two additions.
 */
static const struct {
    const char *key, *operations;
    double scale;
} peaks[] = {
    { "rate_fp32", "fp32", 2 }, /* a multiply-add is two */
    { "rate_fp64", "fp64", 2 },
};

#define PASS_BYTES 128

/* In the unit of the fact; NaN: unknown. */
static double vendor_peak(const struct gcal_fact *f, const struct gcal_device_info *info)
{
    if (strcmp(f->key, "rate_dram") == 0)
        return gcal_vendor_memory(info);
    if (strcmp(f->key, "rate_l1") == 0)
        return PASS_BYTES * gcal_vendor_passes(info);
    for (size_t i = 0; i < sizeof(peaks) / sizeof(*peaks); i++)
        if (strcmp(f->key, peaks[i].key) == 0)
            return peaks[i].scale * gcal_vendor_operations(info, peaks[i].operations);
    return NAN;
}

static void print_fact(const struct gcal_fact *f, const struct gcal_device_info *info)
{
    char value[GCAL_UNITS_SIZE], error[GCAL_UNITS_SIZE] = "", peak[48] = "";
    double vendor = vendor_peak(f, info);

    if (isfinite(f->error))
        gcal_units_percent(f->error / f->value, error);
    printf("  %14s %s %-7s %s", gcal_units(f->value, f->unit, value),
           isfinite(f->error) ? "+-" : "  ", error, f->text);
    if (isfinite(vendor))
        printf(" (%.0f %% of the vendor's %s)", 100 * f->value / vendor,
               gcal_units(vendor, f->unit, peak));
    putchar('\n');
}

/* What is known without measuring. */
static void print_info(const struct gcal_device_info *info)
{
    char text[GCAL_UNITS_SIZE];

    printf("  %.0f compute units at %s, sub-groups of %.0f", (double)info->compute_units,
           gcal_units(info->max_clock_hz, "Hz", text), (double)info->sub_group_size);
    if (info->resident_work_items)
        printf("; a unit holds %.0f work-items", (double)info->resident_work_items);
    if (info->unit_local_memory_bytes > 0)
        printf(", %s of local memory",
               gcal_units(info->unit_local_memory_bytes, "B", text));
    if (info->unit_registers)
        printf(", %.0f registers", (double)info->unit_registers);
    putchar('\n');
}

void gcal_facts_print(const struct gcal_params_device *d)
{
    struct gcal_fact facts[GCAL_FACTS_MAX];
    size_t n = gcal_facts_find(d, facts);

    print_info(&d->info);
    for (size_t i = 0; i < n; i++)
        print_fact(&facts[i], &d->info);
    if (!n)
        printf("  no model of the default configuration is published: no rates\n");
}

json_t *gcal_facts_json(const struct gcal_params_device *d)
{
    struct gcal_fact facts[GCAL_FACTS_MAX];
    size_t n = gcal_facts_find(d, facts);
    json_t *all = json_object(), *one;

    for (size_t i = 0; i < n; i++) {
        double vendor = vendor_peak(&facts[i], &d->info);

        one = json_pack("{s:f, s:s, s:s}", "value", facts[i].value, "unit", facts[i].unit,
                        "text", facts[i].text);
        if (isfinite(facts[i].error))
            json_object_set_new(one, "standard_error", json_real(facts[i].error));
        if (isfinite(vendor))
            json_object_set_new(one, "vendor", json_real(vendor));
        json_object_set_new(all, facts[i].key, one);
    }
    return all;
}
