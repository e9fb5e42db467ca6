/* flux.c - performance classes of Flux's nodes
 *
 * Fluxion's match policy "variation" reads a node's property perf_class, an integer from
 * 0 to 9999 (the default), and prefers nodes of low classes.  The class written here is
 * the percentage by which a node is slower than the fastest.
 */
#include <argp.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* "/cluster0/NODE" is Fluxion's path of a node known from R; sites with racks use jgf. */
static char *commands(const struct gcal_export_speeds *speeds, struct gcal_error *err)
{
    struct gcal_buf buf = { 0 };

    for (size_t i = 0; i < speeds->n_nodes; i++) {
        const struct gcal_export_speed_node *node = &speeds->nodes[i];
        char *path = gcal_buf_format("/cluster0/%s", node->name);

        if (!path) {
            gcal_buf_free(&buf);
            gcal_error_memory(err);
            return NULL;
        }
        gcal_buf_puts(&buf, "flux ion-resource set-property ");
        gcal_export_quote(&buf, path);
        gcal_buf_printf(&buf, " perf_class=%d\n", class_of(node));
        free(path);
    }
    return gcal_buf_take(&buf, err);
}

/* "properties" for the metadata of each node's vertex, by the node's name. */
static char *jgf(const struct gcal_export_speeds *speeds, struct gcal_error *err)
{
    json_t *all = json_object();

    for (size_t i = 0; i < speeds->n_nodes; i++) {
        const struct gcal_export_speed_node *node = &speeds->nodes[i];

        json_object_set_new(
            all, node->name,
            json_pack("{s:o}", "perf_class", json_sprintf("%d", class_of(node))));
    }
    return gcal_json_text(all, JSON_INDENT(2), err);
}

static char *flux_text(const struct gcal_export *e,
                       const struct gcal_export_speeds *speeds, struct gcal_error *err)
{
    return strcmp(e->layout, "jgf") == 0 ? jgf(speeds, err) : commands(speeds, err);
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
