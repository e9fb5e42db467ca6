/* flux.c - performance classes of Flux's nodes
 *
 * Fluxion's match policy "variation" reads a node's property perf_class, an integer from
 * 0 to 9999 (the default), and prefers nodes of low classes.  The class written here is
 * the percentage by which a node is slower than the fastest.
 */
#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "mpi/cli/json.h"
#include "mpi/commands/export/export.h"
#include "mpi/commands/export/speed.h"

#define UNKNOWN_CLASS 9999

static int class_of(const struct gcal_export_speed_node *node)
{
    if (isnan(node->class_speed))
        return UNKNOWN_CLASS;
    return (int)fmin(UNKNOWN_CLASS - 1, round(100 * (1 / node->class_speed - 1)));
}

static char *flux_text(const struct gcal_export *e,
                       const struct gcal_export_speeds *speeds, struct gcal_error *err)
{
    bool is_jgf = strcmp(e->layout, "jgf") == 0;
    struct gcal_buf commands = { 0 };
    json_t *jgf =
        json_object(); /* "properties" of each node's vertex, by the node's name */

    for (size_t i = 0; i < speeds->n_nodes; i++) {
        const struct gcal_export_speed_node *node = &speeds->nodes[i];

        json_object_set_new(
            jgf, node->name,
            json_pack("{s:o}", "perf_class", json_sprintf("%d", class_of(node))));
        /* "/cluster0/NODE" is Fluxion's path of a node known from R; sites with racks use jgf. */
        gcal_buf_puts(&commands, "flux ion-resource set-property ");
        gcal_export_quote(&commands,
                          gcal_arena_format(e->arena, "/cluster0/%s", node->name));
        gcal_buf_printf(&commands, " perf_class=%d\n", class_of(node));
    }
    if (is_jgf) {
        gcal_buf_free(&commands);
        return gcal_arena_own(e->arena, gcal_json_text(jgf, JSON_INDENT(2), err), free);
    }
    json_decref(jgf);
    return gcal_arena_take(e->arena, &commands);
}

static const struct argp_option options[] = {
    { "flux", 0, NULL, OPTION_DOC | OPTION_NO_USAGE,
      "Property perf_class of nodes, for match policy variation; layouts: commands "
      "(default), jgf (properties of vertices)",
      0 },
    { 0 },
};
static const struct argp argp = { .options = options };

const struct gcal_export_target gcal_export_flux = {
    .name = "flux",
    .layouts = { "commands", "jgf" },
    .argp = &argp,
    .text = flux_text,
};
