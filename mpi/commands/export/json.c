/* json.c - gpucal export --json: all that is known of the speeds of nodes */
#include <jansson.h>

#include "mpi/cli/json.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/speed.h"

static json_t *device_json(const struct gcal_export_speed_device *d)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "uid", d->uid,
                     "name", d->name, "type", d->type, "calibrated", d->utc, "run_id",
                     d->run_id, "speed", gcal_json_number(d->speed), "error",
                     gcal_json_number(d->error), "memory_bytes_per_s",
                     gcal_json_number(d->memory_bytes_per_s), "fp32_flop_per_s",
                     gcal_json_number(d->fp32_flop_per_s));
}

static json_t *node_json(const struct gcal_export_speed_node *n)
{
    json_t *devices = json_array();

    for (size_t i = 0; i < n->n_devices; i++)
        json_array_append_new(devices, device_json(&n->devices[i]));
    return json_pack("{s:s, s:o, s:o, s:o, s:o, s:s?, s:o}", "node", n->name, "speed",
                     gcal_json_number(n->speed), "settled", gcal_json_number(n->settled),
                     "error", gcal_json_number(n->error), "class_speed",
                     gcal_json_number(n->class_speed), "class", gcal_export_class_name(n),
                     "devices", devices);
}

int gcal_export_print_json(const struct gcal_export *e, struct gcal_error *err)
{
    struct gcal_export_speeds speeds = { 0 };
    json_t *nodes = json_array(), *costs = json_array(), *all;
    int rc = gcal_export_speeds_find(e, &speeds, err);

    for (size_t i = 0; rc == 0 && i < speeds.n_nodes; i++)
        json_array_append_new(nodes, node_json(&speeds.nodes[i]));
    for (size_t i = 0; rc == 0 && i < speeds.costs.n; i++)
        json_array_append_new(costs, json_string(speeds.costs.items[i]));
    all = json_pack("{s:o, s:o}", "nodes", nodes, "costs", costs);
    if (rc == 0)
        gcal_json_print(all, "export");
    json_decref(all);
    gcal_export_speeds_clear(&speeds);
    return rc;
}
