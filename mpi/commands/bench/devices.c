/* devices.c - gpucal devices: lists the OpenCL devices of this machine */
#include <argp.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "mpi/cli/command.h"
#include "mpi/cli/local_device.h"
#include "mpi/cli/json.h"
#include "mpi/cli/options.h"
#include "mpi/cli/parse.h"

struct devices_command {
    const char *device; /* pattern, or NULL */
    bool json;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct devices_command *c = state->input;

    if (key == ARGP_KEY_INIT)
        GCAL_OPTION_VALUES(state, &c->device, &c->json);
    else if (key == ARGP_KEY_ARG)
        argp_error(state, "unexpected argument '%s'", arg);
    else
        return ARGP_ERR_UNKNOWN;
    return 0;
}

static const struct argp_child children[] = { GCAL_OPTION(device),
                                              GCAL_OPTION(json),
                                              { 0 } };
static const struct argp argp = {
    .parser = parse,
    .children = children,
    .doc = "Lists the OpenCL devices of this machine with their fingerprints.\v"
           "Examples:\n"
           "  gpucal devices\n"
           "  gpucal devices --device cpu --json",
};

static void print_device(const struct gcal_device_info *d)
{
    char memory[GCAL_UNITS_SIZE], local[GCAL_UNITS_SIZE], clock[GCAL_UNITS_SIZE],
        cache[GCAL_UNITS_SIZE];

    printf("%s\n", d->name);
    printf("  uid           %s\n", d->uid);
    printf("  type          %s\n", d->type);
    printf("  kind          %s, %s, %s\n", d->device_type, d->vendor, d->version);
    printf("  platform      %s, driver %s\n", d->platform, d->driver);
    if (*d->pci)
        printf("  pci           %s\n", d->pci);
    printf("  compute units %llu at %s, sub-groups of ",
           (unsigned long long)d->compute_units,
           gcal_units(d->max_clock_hz, "Hz", clock));
    if (d->sub_group_size)
        printf("%llu", (unsigned long long)d->sub_group_size);
    else
        printf("unknown size (no program can be built)");
    printf(", work-groups up to %llu\n", (unsigned long long)d->max_work_group_size);
    if (d->resident_work_items)
        printf("  resident      %llu work-items, %llu work-groups, %s of local memory in "
               "a compute unit\n",
               (unsigned long long)d->resident_work_items,
               (unsigned long long)d->resident_work_groups,
               gcal_units(d->unit_local_memory_bytes, "B", local));
    if (d->resident_work_items && d->unit_registers)
        printf("  registers     %llu in a compute unit\n",
               (unsigned long long)d->unit_registers);
    printf("  memory        %s, cache %s, local %s\n",
           gcal_units(d->global_memory_bytes, "B", memory),
           gcal_units(d->cache_bytes, "B", cache),
           gcal_units(d->local_memory_bytes, "B", local));
    printf("  types         float32%s%s\n", d->fp64 ? ", float64" : "",
           d->fp16 ? ", float16" : "");
}

static json_t *member_json(const struct gcal_field *field, const void *member)
{
    switch (field->type) {
    case GCAL_FIELD_U64:
        return json_integer((json_int_t) * (const uint64_t *)member);
    case GCAL_FIELD_F64:
        return gcal_json_number(*(const double *)member);
    case GCAL_FIELD_BOOL:
        return json_boolean(*(const bool *)member);
    default:
        return json_string(*(char *const *)member);
    }
}

static json_t *device_json(const struct gcal_device_info *d)
{
    json_t *object = json_object();

    for (const struct gcal_field *f = gcal_device_info_fields; f->name; f++)
        json_object_set_new(object, gcal_field_key(f),
                            member_json(f, (const char *)d + f->offset));
    return object;
}

int gcal_command_devices(int argc, char **argv)
{
    struct gcal_local_devices devices = { 0 };
    struct gcal_error err = { 0 };
    struct devices_command c = { 0 };
    size_t n_listed = 0;
    json_t *all;

    gcal_command_parse(&argp, argc, argv, &c);
    if (gcal_local_devices_open(&devices, &err) < 0)
        return gcal_command_fail(&err);
    all = json_array();
    for (size_t i = 0; i < devices.count; i++) {
        if (!gcal_local_device_matches(&devices.info[i], c.device ? 1 : 0, &c.device))
            continue;
        n_listed++;
        if (c.json)
            json_array_append_new(all, device_json(&devices.info[i]));
        else
            print_device(&devices.info[i]);
    }
    if (c.json && n_listed)
        gcal_json_print(all, "devices");
    json_decref(all);
    if (!n_listed)
        gcal_error_set(&err, GCAL_EDEVICE, "none of the %zu OpenCL devices matches '%s'",
                       devices.count, c.device);
    gcal_local_devices_close(&devices);
    return n_listed ? 0 : gcal_command_fail(&err);
}
