/* remove.c - work removal: a kernel reduced to its global loads, to all of its global
 * accesses, or to its work on the chip
 */
#include "kernels/remove/private.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/annotations/annotations.h"

enum { MOST_ACCUMULATORS = 64 };

/* ---- the new source ---- */

/* Defines the macro for other compilers. */
static void write_macro(const char *body, struct gcal_buf *out)
{
    if (body && strstr(body, "GPUCAL_TAG("))
        gcal_buf_puts(out, "#ifndef GPUCAL_TAG\n"
                           "#define GPUCAL_TAG(name, lvalue) (lvalue)\n"
                           "#endif\n");
}

static void write_comment(const struct gcal_remove_pass *r, const char *kernel,
                          struct gcal_buf *out)
{
    const struct gcal_remove_options *removal = r->removal;

    const char *separator = removal->drop ? " but" : ":";

    gcal_buf_printf(out, "/* %s of %s ", kernel, r->unit->file);
    if (removal->form == GCAL_REMOVE_KEEP_ONCHIP) {
        gcal_buf_puts(out, "with its global accesses removed */\n");
        return;
    }
    if (removal->form == GCAL_REMOVE_KEEP_MEMORY) {
        gcal_buf_printf(out, "with all but its global accesses%s removed",
                        removal->drop_barriers ? "" : " and barriers");
        gcal_buf_puts(out, removal->n_keep ? "; accesses kept" : "");
    } else {
        gcal_buf_puts(out, "with its work removed; global loads kept");
        gcal_buf_puts(out, removal->n_keep ? "" : ": all");
    }
    if (removal->drop)
        gcal_buf_puts(out, ": all");
    for (size_t i = 0; i < removal->n_keep; i++)
        gcal_buf_printf(out, "%s %s", i ? "," : separator, removal->keep[i]);
    gcal_buf_puts(out, " */\n");
}

/* 'r->original': the source as given; 'printed': the same after printing. */
static char *remove_from(struct gcal_remove_pass *r, const char *printed,
                         const char *name)
{
    CXCursor kernel;
    const struct gcal_count_request request = { .source = printed,
                                                .file = r->original->file,
                                                .kernel = name,
                                                .build_options = r->standard };
    struct gcal_source_unit *unit = gcal_source_parse_kernel(&request, &kernel, r->err);
    struct gcal_buf body = { 0 }, tagged = { 0 }, out = { 0 };
    char *text = NULL;

    if (!unit)
        return NULL;
    r->unit = unit;
    if ((r->removal->form == GCAL_REMOVE_KEEP_ONCHIP
             ? gcal_remove_write_onchip(r, kernel, &body)
             : gcal_remove_write_reads(r, kernel, &body)) == 0) {
        if (body.data)
            gcal_remove_put_tags(body.data, body.size, &tagged);
        write_comment(r, name, &out);
        write_macro(tagged.data, &out);
        gcal_buf_puts(&out, tagged.data ? tagged.data : "");
        out.failed = out.failed || body.failed || tagged.failed;
        text = gcal_buf_take(&out, r->err);
    }
    gcal_buf_free(&body);
    gcal_buf_free(&tagged);
    gcal_buf_free(&out);
    gcal_buf_free(&r->functions);
    free(r->needed);
    free(r->doubts);
    r->report->loaded = r->loaded;
    r->report->n_loaded = r->n_loaded;
    gcal_source_close(unit);
    return text;
}

static int check_request(const struct gcal_count_request *request,
                         const struct gcal_remove_options *removal,
                         struct gcal_error *err)
{
    if (request->n_dims < 1 || request->n_dims > GCAL_MAX_DIMS)
        return gcal_error_set(err, GCAL_EINPUT,
                              "an NDRange has 1 to %d dimensions, not %zu", GCAL_MAX_DIMS,
                              request->n_dims);
    if (removal->n_accumulators > MOST_ACCUMULATORS)
        return gcal_error_set(err, GCAL_EINPUT, "expected 1 to %d accumulators, not %zu",
                              MOST_ACCUMULATORS, removal->n_accumulators);
    if (removal->form == GCAL_REMOVE_KEEP_ONCHIP &&
        (removal->n_keep || removal->n_accumulators > 1))
        return gcal_error_set(err, GCAL_EINPUT,
                              "on-chip work alone has no global loads to keep and no "
                              "accumulators");
    return 0;
}

/* Address spaces decide what is removed, and are read from types. */
static int check_spaces(const struct gcal_source_unit *unit, CXCursor kernel,
                        struct gcal_error *err)
{
    CXCursor access;

    if (!gcal_source_find_generic(unit, kernel, &access))
        return 0;
    return gcal_source_error(access, err,
                             "work cannot be removed around a generic pointer: write its "
                             "address space in its type");
}

/* What takes images cannot be measured by itself. */
static int refuse_images(CXCursor kernel, struct gcal_error *err)
{
    for (int i = 0; i < clang_Cursor_getNumArguments(kernel); i++) {
        CXCursor argument = clang_Cursor_getArgument(kernel, (unsigned)i);

        if (gcal_source_is_image(gcal_source_type(argument)))
            return gcal_source_error(argument, err,
                                     "work cannot be removed from a kernel with images: "
                                     "use buffers");
    }
    return 0;
}

static enum CXChildVisitResult visit_assembly(CXCursor c, CXCursor parent,
                                              CXClientData found)
{
    (void)parent;
    if (clang_Location_isInSystemHeader(clang_getCursorLocation(c)))
        return CXChildVisit_Continue;
    if (gcal_source_kind(c) != CXCursor_GCCAsmStmt)
        return CXChildVisit_Recurse;
    *(CXCursor *)found = c;
    return CXChildVisit_Break;
}

/* Nothing is known of what the instructions read and write. */
static int refuse_assembly(const struct gcal_source_unit *unit, struct gcal_error *err)
{
    CXCursor assembly = clang_getNullCursor();

    clang_visitChildren(clang_getTranslationUnitCursor(unit->tu), visit_assembly,
                        &assembly);
    return clang_Cursor_isNull(assembly)
               ? 0
               : gcal_source_error(assembly, err,
                                   "work cannot be removed around inline assembly: leave "
                                   "it out");
}

/* The source, with tags that are comments rewritten as GPUCAL_TAG. */
static struct gcal_source_unit *parse_source(const struct gcal_count_request *request,
                                             CXCursor *kernel, struct gcal_error *err)
{
    struct gcal_source_unit *unit = request->language == GCAL_SOURCE_OPENCL_C
                                        ? gcal_source_parse_kernel(request, kernel, err)
                                        : NULL;
    struct gcal_count_request rewritten = *request;
    char *text;

    if (request->language != GCAL_SOURCE_OPENCL_C)
        gcal_error_set(err, GCAL_EINPUT, "%s: work is removed from OpenCL C alone",
                       request->file);
    if (!unit || !strstr(request->source, "/*$"))
        return unit;
    text = gcal_annotations_rewrite_tags(unit, *kernel, err);
    gcal_source_close(unit);
    rewritten.source = text;
    unit = text ? gcal_source_parse_kernel(&rewritten, kernel, err) : NULL;
    free(text);
    return unit;
}

char *gcal_remove_work_reported(const struct gcal_count_request *request,
                                const struct gcal_remove_options *removal,
                                struct gcal_remove_report *report, struct gcal_error *err)
{
    struct gcal_remove_options checked = *removal;
    struct gcal_remove_pass r = { .removal = &checked,
                                  .standard =
                                      gcal_source_standard(request->build_options),
                                  .n_dims = request->n_dims,
                                  .err = err,
                                  .report = report };
    char *printed = NULL, *name = NULL, *text = NULL;
    struct gcal_source_unit *unit;
    CXCursor kernel;

    *report = (struct gcal_remove_report){ 0 };
    if (check_request(request, removal, err) < 0)
        return NULL;
    if (!checked.n_accumulators)
        checked.n_accumulators = 1;
    if (!(unit = parse_source(request, &kernel, err)))
        return NULL;
    r.original = unit;
    if (check_spaces(unit, kernel, err) == 0 && refuse_images(kernel, err) == 0 &&
        refuse_assembly(unit, err) == 0 &&
        (name = gcal_source_cursor_name(kernel, err)) &&
        (printed = gcal_remove_print_source(unit, kernel, r.standard, err)))
        text = remove_from(&r, printed, name);
    free(printed);
    free(name);
    gcal_source_close(unit);
    return text;
}

char *gcal_remove_work(const struct gcal_count_request *request,
                       const struct gcal_remove_options *removal,
                       struct gcal_remove_element *element, struct gcal_error *err)
{
    struct gcal_remove_report report;
    char *text = gcal_remove_work_reported(request, removal, &report, err);

    if (text && element) {
        element->dtype = report.total.dtype;
        element->n_lanes = report.total.n_lanes ? (size_t)report.total.n_lanes : 1;
    }
    free(report.loaded);
    return text;
}
