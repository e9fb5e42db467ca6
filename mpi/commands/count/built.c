/* built.c - what drivers say of a counted kernel: option --build */
#include "mpi/commands/count/built.h"

#include <stdio.h>
#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "mpi/cli/local_device.h"
#include "mpi/commands/count/options.h"

static int build_on(const struct gcal_count_options *o, char *source,
                    struct gcal_local_devices *devices, struct gcal_profile *profile,
                    struct gcal_error *err)
{
    struct gcal_kernel kernel = { .source = source,
                                  .entry = profile->kernel,
                                  .build_options = (char *)o->build_options };
    bool found = false;

    for (size_t i = 0; i < devices->count; i++) {
        const struct gcal_device_info *info = &devices->info[i];
        struct gcal_built built;

        if (!gcal_local_device_matches(info, o->build_on ? 1 : 0, &o->build_on))
            continue;
        found = true;
        if (gcal_local_device_build(devices, info->uid, &kernel, &built, err) < 0)
            return gcal_error_prefix(err, "kernel '%.60s' on %s", profile->kernel,
                                     info->name);
        if (gcal_built_set(profile, info->type, &built, err) < 0)
            return -1;
    }
    return found ? 0
                 : gcal_error_set(err, GCAL_EDEVICE,
                                  "--build: no OpenCL device of this machine matches "
                                  "'%s'; 'gpucal devices' lists them",
                                  o->build_on ? o->build_on : "*");
}

int gcal_count_built_add(const struct gcal_count_options *o, struct gcal_profile *profile,
                         struct gcal_error *err)
{
    struct gcal_local_devices devices = { 0 };
    char *source;
    int rc = -1;

    if (!o->build)
        return 0;
    if (!(source = gcal_count_options_source(o, err)))
        return -1;
    if (gcal_local_devices_open(&devices, err) == 0)
        rc = build_on(o, source, &devices, profile, err);
    gcal_local_devices_close(&devices);
    free(source);
    return rc;
}

/* ---- output ---- */

/* What the driver does not say is left out. */
static void print_number(const char *before, uint64_t number, const char *what)
{
    if (number)
        printf("%s%llu%s", before, (unsigned long long)number, what);
}

void gcal_count_built_print(const char *type, const struct gcal_built *built)
{
    if (!built)
        return;
    printf("built for %s: ", type);
    print_number("", built->registers, " registers, ");
    printf("%llu bytes of private memory", (unsigned long long)built->private_bytes);
    print_number(", work-groups of up to ", built->work_group_size, " work-items");
    print_number(" and multiples of ", built->multiple, "");
    putchar('\n');
}

/* null: unknown. */
static json_t *number_json(uint64_t number)
{
    return number ? json_integer((json_int_t)number) : json_null();
}

json_t *gcal_count_built_json(const struct gcal_built *built)
{
    return json_pack("{s:o, s:I, s:o, s:o}", "registers", number_json(built->registers),
                     "private_bytes", (json_int_t)built->private_bytes, "work_group_size",
                     number_json(built->work_group_size), "multiple",
                     number_json(built->multiple));
}
