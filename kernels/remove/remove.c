/* remove.c - work removal: a kernel reduced to its global loads, to all of its global
 * accesses, or to its work on the chip
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/annotations/annotations.h"
#include "kernels/base/array.h"
#include "kernels/remove/private.h"

/* ---- the source printed without macros, from which work removal copies ---- */

/* ---- #pragma gpucal ---- */

/* Compilers ignore it, so it is not in the tree: it is taken from the line before a given
 * loop and put before the printed one.
 */
static const char gpucal_pragma[] = "#pragma gpucal";

struct loops {
    const struct gcal_source_unit *unit;
    size_t n, capacity;
    unsigned *places; /* offsets of a function's loops, in the order of the text */
    struct gcal_error *err;
    bool failed;
};

static enum CXChildVisitResult add_loop(CXCursor c, CXCursor parent, CXClientData data)
{
    struct loops *l = data;
    enum CXCursorKind kind = clang_getCursorKind(c);
    unsigned *moved;

    (void)parent;
    if (kind != CXCursor_ForStmt && kind != CXCursor_WhileStmt && kind != CXCursor_DoStmt)
        return CXChildVisit_Recurse;
    moved = gcal_array_grow(l->places, l->n, &l->capacity, sizeof(*moved), l->err);
    l->failed = !moved;
    if (!moved)
        return CXChildVisit_Break;
    l->places = moved;
    clang_getExpansionLocation(clang_getRangeStart(clang_getCursorExtent(c)), NULL, NULL,
                               NULL, &moved[l->n++]);
    return CXChildVisit_Recurse;
}

/* The pragma in the line before the one that 'place' is in, or NULL. */
static const char *find_pragma(const char *source, unsigned place)
{
    const char *at = source + place;

    for (int line = 0; line < 2 && at > source; line++) {
        at -= line; /* over the line's end */
        while (at > source && at[-1] != '\n')
            at--;
    }
    at += strspn(at, " \t");
    return strncmp(at, gpucal_pragma, strlen(gpucal_pragma)) == 0 ? at : NULL;
}

struct insertion {
    unsigned place;
    const char *text; /* to the end of its line */
};

struct insertions {
    size_t n, capacity;
    struct insertion *all;
};

static int match_loops(struct loops *given, struct loops *printed,
                       struct insertions *insertions)
{
    struct insertion *moved;
    const char *text;

    if (given->failed || printed->failed)
        return -1;
    for (size_t i = 0; i < given->n && i < printed->n; i++) {
        if (!(text = find_pragma(given->unit->source, given->places[i])))
            continue;
        if (!(moved = gcal_array_grow(insertions->all, insertions->n,
                                      &insertions->capacity, sizeof(*moved), given->err)))
            return -1;
        insertions->all = moved;
        moved[insertions->n++] = (struct insertion){ printed->places[i], text };
    }
    return 0;
}

/* The pragmas of one function, which has the same name in the given source. */
static int find_insertions(const struct gcal_source_unit *given,
                           const struct gcal_source_unit *printed, CXCursor function,
                           struct insertions *insertions, struct gcal_error *err)
{
    struct loops a = { .unit = given, .err = err }, b = { .unit = printed, .err = err };
    char *name = gcal_source_cursor_name(function, err);
    CXCursor same;
    int rc = name ? 0 : -1;

    if (name && gcal_source_find_function(given, name, &same, NULL) == 0) {
        clang_visitChildren(same, add_loop, &a);
        clang_visitChildren(function, add_loop, &b);
        rc = match_loops(&a, &b, insertions);
    }
    free(a.places);
    free(b.places);
    free(name);
    return rc;
}

/* Takes 'text', the printed source, and returns it with the pragmas. */
static char *carry_pragmas(const struct gcal_source_unit *given, char *text,
                           const char *standard, struct gcal_error *err)
{
    CXCursor kernel;
    const struct gcal_count_request request = { .source = text,
                                                .file = given->file,
                                                .build_options = standard };
    struct gcal_source_unit *printed = gcal_source_parse_kernel(&request, &kernel, err);
    struct gcal_source_children all = { 0 };
    struct insertions insertions = { 0 };
    struct gcal_buf out = { 0 };
    int rc = -1;

    if (printed)
        rc = gcal_source_get_children(clang_getTranslationUnitCursor(printed->tu), &all,
                                      err);
    for (size_t i = 0; i < all.n && rc == 0; i++)
        if (clang_getCursorKind(all.cursors[i]) == CXCursor_FunctionDecl)
            rc = find_insertions(given, printed, all.cursors[i], &insertions, err);
    if (rc == 0) {
        unsigned position = 0;

        for (size_t i = 0; i < insertions.n; i++) {
            const struct insertion *one = &insertions.all[i];

            gcal_buf_put(&out, text + position, one->place - position);
            gcal_buf_puts(&out, "\n");
            gcal_buf_put(&out, one->text, strcspn(one->text, "\n"));
            gcal_buf_puts(&out, "\n");
            position = one->place;
        }
        gcal_buf_puts(&out, text + position);
    }
    free(text);
    text = rc == 0 ? gcal_buf_take(&out, err) : NULL;
    free(insertions.all);
    free(all.cursors);
    gcal_source_close(printed);
    return text;
}

/* ---- declarations ---- */

static void print_declaration(CXCursor c, struct gcal_buf *out)
{
    bool function = clang_getCursorKind(c) == CXCursor_FunctionDecl;

    gcal_remove_print(c, out);
    if (!function || !clang_equalCursors(clang_getCursorDefinition(c), c))
        gcal_buf_puts(out, ";");
    gcal_buf_puts(out, "\n");
}

static bool is_kernel(const struct gcal_source_unit *unit, CXCursor c)
{
    CXCursor found;
    char *name;
    bool kernel;

    if (clang_getCursorKind(c) != CXCursor_FunctionDecl)
        return false;
    name = gcal_source_cursor_name(c, NULL);
    kernel = name && gcal_source_find_kernel(unit, name, &found, NULL) == 0;
    free(name);
    return kernel;
}

/* "typedef struct { ... } name;" is printed as two unrelated declarations: puts the first
 * one into the second.
 */
static bool print_nameless(CXCursor c, CXCursor next, struct gcal_buf *out)
{
    struct gcal_buf text = { 0 };
    bool nameless;

    gcal_remove_print(c, &text);
    nameless =
        text.data &&
        (strncmp(text.data, "struct {", 8) == 0 ||
         strncmp(text.data, "union {", 7) == 0 || strncmp(text.data, "enum {", 6) == 0) &&
        clang_getCursorKind(next) == CXCursor_TypedefDecl;
    if (nameless) {
        char *name = gcal_source_cursor_name(next, NULL);

        gcal_buf_printf(out, "typedef %s %s;\n", text.data, name ? name : "");
        free(name);
    }
    gcal_buf_free(&text);
    return nameless;
}

/* Blanks the end of each 'wrong', which libclang prints but does not parse. */
static void mend(char *text, const char *wrong, size_t n_right)
{
    while (text && (text = strstr(text, wrong)))
        memset(text + n_right, ' ', strlen(wrong) - n_right);
}

/* The source's declarations without other kernels and without macros, and the kernel
 * last: helpers may follow it in the source.  A GPUCAL_TAG is printed in the form that
 * gcal_source_find_tag() reads.  'standard': of r->standard.
 */
static char *print_source(const struct gcal_source_unit *unit, CXCursor kernel,
                          const char *standard, struct gcal_error *err)
{
    struct gcal_source_children all;
    struct gcal_buf out = { 0 };
    char *text;

    if (gcal_source_get_children(clang_getTranslationUnitCursor(unit->tu), &all, err) < 0)
        return NULL;
    /* Printing omits these pragmas, and half needs one.  An #ifdef around it is lost: it is
     * written again, for devices without the extension.
     */
    const char *source = unit->source;
    for (const char *line = source; *line; line += *line == '\n') {
        const char *start = line + strspn(line, " \t");
        char name[64] = "";

        line += strcspn(line, "\n");
        if (strncmp(start, "#pragma OPENCL", 14) != 0)
            continue;
        sscanf(start, "#pragma OPENCL EXTENSION %63[a-z0-9_]", name);
        if (strncmp(name, "cl_", 3) == 0)
            gcal_buf_printf(&out, "#ifdef %s\n%.*s\n#endif\n", name, (int)(line - start),
                            start);
        else
            gcal_buf_printf(&out, "%.*s\n", (int)(line - start), start);
    }
    for (size_t i = 0; i < all.n; i++) {
        /* Included files are part of the text. */
        CXCursor c = all.cursors[i];
        CXFile file;
        CXString name;
        bool same;

        clang_getExpansionLocation(clang_getCursorLocation(c), &file, NULL, NULL, NULL);
        name = clang_getFileName(file);
        same = clang_getCString(name) && strcmp(clang_getCString(name), unit->file) == 0;
        clang_disposeString(name);
        if (!same || is_kernel(unit, all.cursors[i]))
            continue;
        if (i + 1 < all.n && print_nameless(all.cursors[i], all.cursors[i + 1], &out))
            i++;
        else
            print_declaration(all.cursors[i], &out);
    }
    print_declaration(kernel, &out);
    free(all.cursors);
    mend(out.data, "#pragma unroll (enable)", strlen("#pragma unroll"));
    mend(out.data, "opencl_unroll_hint(0)", strlen("opencl_unroll_hint"));
    text = gcal_buf_take(&out, err);
    if (text && strstr(unit->source, gpucal_pragma))
        text = carry_pragmas(unit, text, standard, err);
    return text;
}

/* ---- a kernel reduced to its global loads (Stevens and Kloeckner 2020,
 * algorithm 3), or to all of its global accesses
 */

static int check_names(struct gcal_remove_pass *r, bool has_result)
{
    const struct gcal_remove_options *removal = r->removal;
    bool stores = removal->drop || removal->form == GCAL_REMOVE_KEEP_MEMORY;
    struct gcal_buf names = { 0 };
    const char *unknown = NULL;

    for (size_t i = 0; i < removal->n_keep && !unknown; i++) {
        unknown = removal->keep[i];
        for (size_t j = 0; j < r->n_loaded; j++)
            if (strcmp(r->loaded[j].text, removal->keep[i]) == 0)
                unknown = NULL;
    }
    if (!unknown && has_result)
        return 0;
    for (size_t j = 0; j < r->n_loaded; j++)
        gcal_buf_printf(&names, "%s%s", j ? ", " : "", r->loaded[j].text);
    if (unknown)
        gcal_error_set(r->err, GCAL_EINPUT,
                       "%s: no global %s of an array or with a tag named '%s'; the "
                       "%s are: %s%s",
                       r->unit->file, stores ? "access" : "load", unknown,
                       stores ? "accesses" : "loads", names.size ? names.data : "none",
                       stores ? "" : " (--memory keeps stores, too)");
    else
        gcal_error_set(r->err, GCAL_EINPUT, "%s: the kernel has no global load to keep",
                       r->unit->file);
    gcal_buf_free(&names);
    return -1;
}

static int write_reads(struct gcal_remove_pass *r, CXCursor kernel, struct gcal_buf *out)
{
    struct gcal_remove_frame frame = { 0 };
    struct gcal_buf text = { 0 };
    unsigned from, to;
    int rc = -1;

    r->frame = &frame;
    if (gcal_remove_write_function(r, gcal_remove_body(kernel), &text) < 0)
        goto out;
    if (r->n_doubts) {
        gcal_remove_error(r, r->doubts[0].at, r->doubts[0].why);
        goto out;
    }
    if (check_names(r, r->stores || frame.sums.n) < 0)
        goto out;
    gcal_remove_extent(kernel, &from, &to);
    gcal_remove_put_range(r, 0, from, out); /* types, constants, helpers */
    gcal_buf_puts(out, r->functions.data ? r->functions.data : "");
    gcal_remove_put_signature(r, kernel, &frame.sums, out);
    gcal_buf_puts(out, "{\n");
    gcal_remove_sums_declare(r, &frame.sums, out);
    gcal_buf_puts(out, text.data ? text.data : "");
    if (!r->stores) {
        gcal_buf_puts(out, "    ");
        gcal_remove_sums_put_store(r, &frame.sums, out);
        gcal_buf_puts(out, ";\n");
    }
    gcal_buf_puts(out, "}\n");
    rc = 0;
out:
    gcal_buf_free(&text);
    return rc;
}

/* ---- work removal: a kernel reduced to its global loads, to all of its global ---- */

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
             : write_reads(r, kernel, &body)) == 0) {
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
        (printed = print_source(unit, kernel, r.standard, err)))
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
