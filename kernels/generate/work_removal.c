/* work_removal.c - kernels of derived generators: the origin's with work removed */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/model/feature.h"
#include "kernels/generate/private.h"

/* The source with the work removed; the caller's to free. */
static char *remove_work(const struct gcal_generator_setting *s,
                         const struct gcal_kernel *kernel,
                         struct gcal_remove_element *element, struct gcal_error *err)
{
    static const enum gcal_remove_form forms[] = {
        [GCAL_KERNEL_LOADS] = GCAL_REMOVE_KEEP_LOADS,
        [GCAL_KERNEL_ONCHIP] = GCAL_REMOVE_KEEP_ONCHIP,
        [GCAL_KERNEL_MEMORY] = GCAL_REMOVE_KEEP_MEMORY,
    };
    struct gcal_count_request request = gcal_generator_setting_request(s, kernel);
    /* The kernel's source with its trips as annotations, which a derived source keeps, while
     * lines change; the caller's to free.
     */
    size_t prelude = strlen(gcal_source_tag_prelude); /* lines count from its end */
    const char *at = kernel->source + prelude;
    struct gcal_buf out = { 0 };
    int line = 1;

    gcal_buf_put(&out, kernel->source, prelude);
    for (size_t i = 0; i < kernel->n_trips; i++) {
        for (; line < kernel->trips[i].line && *at; line++) {
            size_t length = strcspn(at, "\n");

            length += at[length] == '\n';
            gcal_buf_put(&out, at, length);
            at += length;
        }
        gcal_buf_printf(&out, "#pragma gpucal trips %s\n", kernel->trips[i].parameter);
    }
    gcal_buf_puts(&out, at);
    char *annotated = gcal_buf_take(&out, err);
    const char *keep = gcal_generator_keep_value(s), *kept[GCAL_GENERATOR_MAX_KEPT];
    const char *accumulators = gcal_generator_setting_value(s, "accumulators");
    const char *barriers = gcal_generator_setting_value(s, "barriers");
    struct gcal_remove_options removal = { .form = forms[s->generator->form],
                                           .keep = kept };
    char *names = NULL, *rest, *text = NULL, *source = NULL;

    if (!annotated)
        return NULL;
    request.source = annotated;
    request.n_trips = 0;
    if (accumulators && removal.form != GCAL_REMOVE_KEEP_ONCHIP)
        removal.n_accumulators = (size_t)atoi(accumulators);
    removal.drop_barriers = removal.form == GCAL_REMOVE_KEEP_MEMORY && barriers &&
                            strcmp(barriers, "False") == 0;
    if (keep && strcmp(keep, "all") != 0) {
        if (!(names = rest = strdup(keep))) {
            gcal_error_memory(err);
            goto out;
        }
        while (removal.n_keep < GCAL_GENERATOR_MAX_KEPT && rest)
            kept[removal.n_keep++] = strsep(&rest, "+");
    }
    if ((text = gcal_remove_work(&request, &removal, element, err)) &&
        !(source = gcal_buf_format("%s%s", gcal_source_tag_prelude, text)))
        gcal_error_memory(err);
out:
    free(text);
    free(names);
    free(annotated);
    return source;
}

/* Adds the buffer of gcal_remove_work(): one element per work-item, and now the kernel's
 * only output.
 */
static int add_removed_arg(struct gcal_kernel *kernel,
                           const struct gcal_remove_element *element,
                           struct gcal_error *err)
{
    struct gcal_arg *arg = &kernel->args[kernel->n_args++];
    struct gcal_buf value = { 0 };

    for (size_t i = 0; i + 1 < kernel->n_args; i++)
        kernel->args[i].output = false;
    for (size_t i = 0; i < kernel->n_dims; i++)
        gcal_buf_printf(&value, "%s(%s)", i ? "*" : "", kernel->global_size[i]);
    if (element->n_lanes > 1) /* vectors of 3 are stored as 4 */
        gcal_buf_printf(&value, "*%zu", element->n_lanes == 3 ? 4 : element->n_lanes);
    arg->kind = GCAL_ARG_BUFFER;
    arg->output =
        element->n_lanes != 3; /* whose padding each device leaves as it likes */
    arg->value = gcal_buf_take(&value, err);
    arg->name = strdup("read_tgt_dest");
    arg->dtype = strdup(element->dtype);
    return arg->value && arg->name && arg->dtype ? 0 : gcal_error_memory(err);
}

int gcal_kernel_remove_work(const struct gcal_generator_setting *s,
                            struct gcal_kernel *kernel,
                            const struct gcal_kernel_cache_entry *counted,
                            struct gcal_remove_element *element, struct gcal_error *err)
{
    char *source;

    if (!counted)
        source = remove_work(s, kernel, element, err);
    else {
        *element = counted->element;
        if (!(source = strdup(counted->source)))
            gcal_error_memory(err);
    }
    if (!source)
        return -1;
    free(kernel->source);
    kernel->source = source;
    gcal_kernel_clear_trips(kernel); /* annotations of the source */
    return element->dtype ? add_removed_arg(kernel, element, err) : 0;
}
