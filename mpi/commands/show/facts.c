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

void gcal_facts_print(const struct gcal_params_device *d)
{
    struct gcal_fact facts[GCAL_FACTS_MAX];
    size_t n = gcal_facts_find(d, facts);
    char text[GCAL_UNITS_SIZE];

    /* What is known without measuring. */
    printf("  %.0f compute units at %s, sub-groups of %.0f",
           (double)d->info.compute_units, gcal_units(d->info.max_clock_hz, "Hz", text),
           (double)d->info.sub_group_size);
    if (d->info.resident_work_items)
        printf("; a unit holds %.0f work-items", (double)d->info.resident_work_items);
    if (d->info.unit_local_memory_bytes > 0)
        printf(", %s of local memory",
               gcal_units(d->info.unit_local_memory_bytes, "B", text));
    if (d->info.unit_registers)
        printf(", %.0f registers", (double)d->info.unit_registers);
    putchar('\n');
    for (size_t i = 0; i < n; i++) {
        char value[GCAL_UNITS_SIZE], error[GCAL_UNITS_SIZE] = "", peak[48] = "";
        double vendor = vendor_peak(&facts[i], &d->info);

        if (isfinite(facts[i].error))
            gcal_units_percent(facts[i].error / facts[i].value, error);
        printf("  %14s %s %-7s %s", gcal_units(facts[i].value, facts[i].unit, value),
               isfinite(facts[i].error) ? "+-" : "  ", error, facts[i].text);
        if (isfinite(vendor))
            printf(" (%.0f %% of the vendor's %s)", 100 * facts[i].value / vendor,
                   gcal_units(vendor, facts[i].unit, peak));
        putchar('\n');
    }
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
