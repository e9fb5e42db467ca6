/* header.c - the chosen configuration as a C header */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/units.h"
#include "kernels/generate/generate.h"
#include "mpi/cli/command.h"
#include "mpi/commands/tune/private.h"

/* "GPUCAL_PRODUCT" */
static void put_guard(struct gcal_buf *out, const char *kernel)
{
    gcal_buf_puts(out, "GPUCAL_");
    for (const char *c = kernel; *c; c++)
        gcal_buf_printf(out, "%c", isalnum((unsigned char)*c) ? toupper(*c) : '_');
}

/* A text that cannot end the comment. */
static void put_comment(struct gcal_buf *out, const char *text)
{
    for (const char *c = text; *c; c++)
        if (c[0] == '*' && c[1] == '/')
            gcal_buf_puts(out, "* ");
        else
            gcal_buf_put(out, c, 1);
}

int gcal_tune_write_header(const char *path, const struct gcal_tune_space *space,
                           size_t config, double measured_s, struct gcal_error *err)
{
    const struct gcal_tune_config *c = &space->configs[config];
    const struct gcal_kernel *kernel = c->kernel;
    struct gcal_buf out = { 0 };
    char *text;
    int rc;

    char time_text[GCAL_UNITS_SIZE], low[GCAL_UNITS_SIZE], high[GCAL_UNITS_SIZE];
    char date[32] = "";
    time_t now = time(NULL);
    struct tm utc;

    if (gmtime_r(&now, &utc))
        strftime(date, sizeof(date), "%Y-%m-%d", &utc);
    gcal_buf_puts(&out, "/* ");
    put_comment(&out, space->kernel);
    gcal_buf_puts(&out, "\n * ");
    put_comment(&out, *c->name ? c->name : "the only configuration");
    gcal_buf_puts(&out, "\n *\n * Chosen by gpucal for ");
    put_comment(&out, space->device);
    gcal_buf_printf(&out, " of node %s, %s\n * Predicted by model %s: %s (%s to %s)\n",
                    space->node, date, space->model,
                    gcal_units(c->predicted_s, "s", time_text),
                    gcal_units(c->low_s, "s", low), gcal_units(c->high_s, "s", high));
    if (measured_s > 0)
        gcal_buf_printf(&out, " * Measured: %s\n",
                        gcal_units(measured_s, "s", time_text));
    gcal_buf_puts(&out, " */\n");
    gcal_buf_puts(&out, "#ifndef ");
    put_guard(&out, kernel->entry);
    gcal_buf_puts(&out, "_TUNED\n#define ");
    put_guard(&out, kernel->entry);
    gcal_buf_puts(&out, "_TUNED\n\n");
    /* "-DT=float -DN=64" as lines. */
    const char *options = kernel->build_options;
    while (*(options += strspn(options, " "))) {
        size_t length = strcspn(options, " ");
        const char *equals = memchr(options, '=', length);

        if (strncmp(options, "-D", 2) == 0 && equals)
            gcal_buf_printf(&out, "#define %.*s %.*s\n", (int)(equals - options - 2),
                            options + 2, (int)(options + length - equals - 1),
                            equals + 1);
        options += length;
    }
    gcal_buf_puts(&out, "\n/* The work-group. */\n");
    for (size_t i = 0; i < kernel->n_dims; i++) {
        gcal_buf_puts(&out, "#define ");
        put_guard(&out, kernel->entry);
        gcal_buf_printf(&out, "_LOCAL_SIZE_%zu %zu\n", i, kernel->local_size[i]);
    }
    gcal_buf_puts(&out, "/* The NDRange:");
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&out, "%s %s", i ? "," : "", kernel->global_size[i]);
    gcal_buf_puts(&out, " work-items. */\n\n#endif\n");
    text = gcal_buf_take(&out, err);
    rc = text ? gcal_command_write(path, text, err) : -1;
    free(text);
    return rc;
}
