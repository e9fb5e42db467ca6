/* clang.c - parsing with libclang: its command line, and errors */
#include "kernels/source/private.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "kernels/base/array.h"
#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/base/file.h"
#include "kernels/base/strings.h"
#include "kernels/includes/includes.h"

/* ---- the command line ---- */

/* Only these are passed on, as clang refuses some options of vendors' compilers, and all that -I
 * leads to is in the text (kernels/includes).
 */
static bool is_known_option(const char *option)
{
    static const char *const flags[] = {
        "-cl-single-precision-constant",
        "-cl-denorms-are-zero",
        "-cl-fp32-correctly-rounded-divide-sqrt",
        "-cl-opt-disable",
        "-cl-mad-enable",
        "-cl-no-signed-zeros",
        "-cl-unsafe-math-optimizations",
        "-cl-finite-math-only",
        "-cl-fast-relaxed-math",
        "-cl-std=CL1.0",
        "-cl-std=CL1.1",
        "-cl-std=CL1.2",
        "-cl-std=CL2.0",
        "-cl-std=CL3.0",
    };

    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++)
        if (strcmp(option, flags[i]) == 0)
            return true;
    return option[0] == '-' && strchr("DU", option[1]) && option[1] && option[2];
}

static int add_build_options(struct gcal_strings *arguments, const char *options,
                             struct gcal_error *err)
{
    struct gcal_strings all = { 0 };
    int rc = gcal_strings_add_options(&all, options, err);

    for (size_t i = 0; i < all.n && rc == 0; i++)
        if (is_known_option(all.items[i]))
            rc = gcal_strings_add(arguments, all.items[i], err);
    gcal_strings_clear(&all);
    return rc;
}

/* The expression that gcal_source_find_tag() recognises, which no program contains by
 * chance.
 */
static const char tag_option[] = "-DGPUCAL_TAG(name,lvalue)=(*((void)#name,&(lvalue)))";

static int add_all(struct gcal_strings *arguments, const char *const *more, size_t n,
                   struct gcal_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (gcal_strings_add(arguments, more[i], err) < 0)
            return -1;
    return 0;
}

/* Those of OpenCL or CUDA, by their path: a file of that name beside the source, in the
 * working folder or in one of $CPATH would go before clang's own.
 */
static int add_declarations(struct gcal_strings *arguments, const char *folder,
                            const char *name, struct gcal_error *err)
{
    char *path = gcal_buf_format("%s/%s", folder, name);

    if (!path)
        return gcal_error_memory(err);
    if (gcal_strings_add(arguments, "-include", err) == 0)
        return gcal_strings_take(arguments, path, err);
    free(path);
    return -1;
}

/* Whatever the environment, the working folder and the clock are, clang reads the text and its
 * own headers: variables such as $CPATH only add folders behind the one here,
 * check_includes() refuses what is found there, and a text without a word by which files
 * are looked for (gcal_includes_may_remain()) cannot put one together.
 */
static int make_arguments(enum gcal_source_language language, const char *source,
                          const char *build_options, struct gcal_strings *arguments,
                          struct gcal_error *err)
{
    static const char *const no_files[] = { "-U__has_include", "-U__has_include_next",
                                            "-U__has_embed" };
    /* No file is looked for: see left_out.c. */
    static const char *const none[] = { "-D__has_include(name)=0",
                                        "-D__has_include_next(name)=0" };
    static const char *const opencl[] = { "-x",
                                          "cl",
                                          "-cl-std=CL1.2",
                                          "-target",
                                          "spir64-unknown-unknown",
                                          tag_option,
                                          "-cl-no-stdinc",
                                          "-Xclang",
                                          "-fdeclare-opencl-builtins",
                                          NULL };
    static const char *const c[] = { "-x", "c", "-std=c11", NULL };
    /* For the device alone, with its sizes of types; the toolkit is not looked for. */
    static const char *const cuda[] = { "-x",
                                        "cuda",
                                        "-std=c++17",
                                        "-target",
                                        "x86_64-unknown-linux-gnu",
                                        "--cuda-device-only",
                                        "--cuda-gpu-arch=sm_90",
                                        "-nocudainc",
                                        "-nocudalib",
                                        tag_option,
                                        NULL };
    static const char *const *const languages[] = {
        [GCAL_SOURCE_OPENCL_C] = opencl, [GCAL_SOURCE_C] = c, [GCAL_SOURCE_CUDA] = cuda
    };
    static const char *const declarations[] = { [GCAL_SOURCE_OPENCL_C] =
                                                    "opencl-c-base.h",
                                                [GCAL_SOURCE_C] = NULL,
                                                [GCAL_SOURCE_CUDA] = "cuda.cuh" };
    static const char *const all[] = {
        "-Wno-everything",
        "-ferror-limit=0",
        "--no-default-config",
        "-nostdinc",
        "-Xclang",
        "-disable-pragma-debug-crash",
        "-D__STDC_HOSTED__=0", /* clang's stdint.h would include the next one */
        "-D__DATE__=\"Jan  1 1970\"",
        "-D__TIME__=\"00:00:00\"",
        "-D__TIMESTAMP__=\"Thu Jan  1 00:00:00 1970\"",
        "-I",
    };
    char *folder = gcal_source_include_folder(err);
    const char *const *own = languages[language];
    size_t n = 0;
    int rc = -1;

    while (own[n])
        n++;
    if (folder && add_all(arguments, own, n, err) == 0 &&
        add_all(arguments, all, sizeof(all) / sizeof(all[0]), err) == 0 &&
        gcal_strings_add(arguments, folder, err) == 0 &&
        (!declarations[language] ||
         add_declarations(arguments, folder, declarations[language], err) == 0))
        rc = 0;
    free(folder);
    if (rc < 0)
        return -1;
    if (language == GCAL_SOURCE_CUDA) {
        if (add_all(arguments, none, sizeof(none) / sizeof(none[0]), err) < 0 ||
            gcal_source_leave_out_declarations(source, arguments, err) < 0)
            return -1;
    } else if (!gcal_includes_may_remain(source) &&
               !gcal_includes_may_remain(build_options) &&
               add_all(arguments, no_files, sizeof(no_files) / sizeof(no_files[0]), err) <
                   0) {
        return -1;
    }
    return build_options ? add_build_options(arguments, build_options, err) : 0;
}

/* ---- locations ---- */

/* "#line 3 "k.cl"", where an included file was put in, names the source without its
 * folder: then 'file', which has it.
 */
static const char *whole_name(const char *presumed, const char *file)
{
    const char *slash = file ? strrchr(file, '/') : NULL;

    return slash && presumed && strcmp(slash + 1, presumed) == 0 ? file : presumed;
}

static int report(CXSourceLocation where, const char *text, struct gcal_error *err)
{
    unsigned line, column;
    CXString presumed, name;
    CXFile file;

    clang_getPresumedLocation(where, &presumed, &line, &column);
    clang_getExpansionLocation(where, &file, NULL, NULL, NULL);
    name = clang_getFileName(file);
    gcal_error_set(err, GCAL_EINPUT, "%s:%u:%u: %s",
                   whole_name(clang_getCString(presumed), clang_getCString(name)), line,
                   column, text);
    clang_disposeString(name);
    clang_disposeString(presumed);
    return -1;
}

int gcal_source_error_at(const struct gcal_source_unit *unit, size_t offset,
                         struct gcal_error *err, const char *text)
{
    CXFile file = clang_getFile(unit->tu, unit->file);

    return report(clang_getLocationForOffset(unit->tu, file, (unsigned)offset), text,
                  err);
}

/* ---- parsing ---- */

static void add_hint(struct gcal_error *err, const struct gcal_source_unit *unit)
{
    static const char cuda[] =
        "this is CUDA or HIP: name the file .cu or .hip, or give --language=cuda";
    bool is_cuda = unit->language == GCAL_SOURCE_OPENCL_C &&
                   strstr(unit->source, "__global__") &&
                   !strstr(unit->source, "kernel void");
    struct gcal_buf hint = { 0 };

    if (is_cuda)
        gcal_buf_puts(&hint, cuda);
    else if (strstr(err->text, "file not found"))
        gcal_buf_puts(&hint, "give its folder by --include");
    for (size_t i = 0; i < unit->missing.n; i++)
        gcal_buf_printf(&hint, "%s%s", i ? ", " : "not found: ", unit->missing.items[i]);
    if (unit->missing.n)
        gcal_buf_printf(&hint, ": give %s by --include",
                        unit->missing.n > 1 ? "their folders" : "its folder");
    if (hint.data && !hint.failed)
        gcal_error_set(err, err->code, "%s (%s)", strdupa(err->text), hint.data);
    gcal_buf_free(&hint);
}

/* gcal_includes_inline() has put in whatever may be read. */
static const char not_opened[] =
    "this file is not read: write its name in quotes in an #include, and give its "
    "folder by --include";

/* Whether the name of a file follows its #include: no other way to name one is read. */
static bool follows_include(const struct gcal_source_unit *unit, CXSourceLocation at)
{
    static const char word[] = "include";
    const size_t length = sizeof(word) - 1;
    CXFile file;
    unsigned from;

    clang_getFileLocation(at, &file, NULL, NULL, &from);
    if (from >= strlen(unit->source) || !strchr("\"<", unit->source[from]))
        return false;
    while (from && (unit->source[from - 1] == ' ' || unit->source[from - 1] == '\t'))
        from--;
    return from >= length && strncmp(unit->source + from - length, word, length) == 0;
}

/* In a process that may open no file, clang says that it cannot open one that is not there. */
static int report_text(const struct gcal_source_unit *unit, CXSourceLocation at,
                       const char *text, struct gcal_error *err)
{
    static const char unopened[] = "cannot open file '";
    const char *name =
        strncmp(text, unopened, strlen(unopened)) == 0 ? text + strlen(unopened) : NULL;
    const char *end = name ? strstr(name, "': ") : NULL;
    char *path = end ? strndup(name, (size_t)(end - name)) : NULL, *missing = NULL;
    int rc;

    if (path && follows_include(unit, at) && access(path, F_OK) < 0)
        missing = gcal_buf_format("'%s' file not found",
                                  path + (strncmp(path, "./", 2) == 0 ? 2 : 0));
    rc = report(at, missing ? missing : path ? not_opened : text, err);
    if (err)
        add_hint(err, unit);
    free(missing);
    free(path);
    return rc;
}

/* Of clang's own developers: it can crash clang, or print. */
static int refuse_debug(const char *source, const char *file, struct gcal_error *err)
{
    static const char word[] = "__debug";
    int line = 1;

    for (const char *p = source; *p; p++) {
        line += *p == '\n';
        if (strncmp(p, word, strlen(word)) == 0 && p > source &&
            strchr(" \t\f\v", p[-1]) && strchr(" \t\f\v\r\n\"\\/", p[strlen(word)]))
            return gcal_error_set(err, GCAL_EINPUT,
                                  "%s:%d: clang's pragma __debug is refused: remove it",
                                  file, line);
    }
    return 0;
}

/* clang's time grows by the square of an array's dimensions. */
static int refuse_dimensions(const char *source, const char *file, struct gcal_error *err)
{
    enum { MOST = 256 };
    size_t n[MOST] = { 0 }; /* brackets that follow each other, by how deep they are */
    size_t depth = 0;
    int line = 1;

    for (const char *p = source; *p; p++) {
        line += *p == '\n';
        if (*p == '[' && depth + 1 < MOST)
            n[++depth] = 0;
        if (*p != ']' || !depth)
            continue;
        depth--;
        n[depth] = p[1 + strspn(p + 1, " \t\f\v\r\n\\")] == '[' ? n[depth] + 1 : 0;
        if (n[depth] >= MOST)
            return gcal_error_set(err, GCAL_EINPUT,
                                  "%s:%d: more than %d pairs of brackets follow each "
                                  "other: give arrays fewer dimensions",
                                  file, line, MOST);
    }
    return 0;
}

/* Of inline assembly: which letters are registers depends on the device, which clang does not know of
 * OpenCL C.  The tree has the statement all the same.
 */
static bool is_of_registers(CXDiagnostic diagnostic)
{
    CXString spelling = clang_getDiagnosticSpelling(diagnostic);
    const char *text = clang_getCString(spelling);
    bool is = strncmp(text, "invalid ", 8) == 0 && strstr(text, "put constraint '") &&
              strstr(text, "' in asm");

    clang_disposeString(spelling);
    return is;
}

int gcal_source_check_errors(const struct gcal_source_unit *unit,
                             gcal_source_ignore *ignore, void *data,
                             struct gcal_error *err)
{
    bool is_cuda = unit->language == GCAL_SOURCE_CUDA; /* whose parser goes on */
    unsigned n = clang_getNumDiagnostics(unit->tu);
    int rc = 0;

    for (unsigned i = 0; i < n && rc == 0; i++) {
        CXDiagnostic diagnostic = clang_getDiagnostic(unit->tu, i);
        enum CXDiagnosticSeverity severity = clang_getDiagnosticSeverity(diagnostic);
        CXSourceLocation at = clang_getDiagnosticLocation(diagnostic);

        bool matters =
            severity == CXDiagnostic_Error || (severity == CXDiagnostic_Fatal && is_cuda);

        if (!is_cuda && matters && is_of_registers(diagnostic))
            matters = false;
        if ((severity == CXDiagnostic_Fatal && !is_cuda) ||
            (matters && !(ignore && ignore(at, data)))) {
            CXString text = clang_getDiagnosticSpelling(diagnostic);

            rc = report_text(unit, at, clang_getCString(text), err);
            clang_disposeString(text);
        }
        clang_disposeDiagnostic(diagnostic);
    }
    return rc;
}

struct includes {
    const char *system_folder;
    struct gcal_error *err;
    int rc;
};

/* Returns whether the file is one of clang's headers, by the path that clang found it under. */
static bool is_own_header(const char *path, const char *folder)
{
    size_t n = strlen(folder);

    return path && strncmp(path, folder, n) == 0 && path[n] == '/' &&
           !strstr(path + n, "/..");
}

/* 'from': where it is included, and where the files around it are. */
static void check_include(CXFile file, CXSourceLocation *from, unsigned depth,
                          CXClientData data)
{
    struct includes *includes = data;
    CXString name = clang_getFileName(file);
    const char *text = clang_getCString(name);

    if (depth > 0 && includes->rc == 0 && !is_own_header(text, includes->system_folder))
        includes->rc = report(from[depth - 1],
                              "a file is included by a macro: write its name in quotes",
                              includes->err);
    clang_disposeString(name);
}

/* Offsets are looked up in the text, so it must have all of the program: included files
 * were put into it, except for names that come from macros.
 */
static int check_includes(const struct gcal_source_unit *unit, struct gcal_error *err)
{
    char *folder = gcal_source_include_folder(err);
    struct includes includes = { .system_folder = folder, .err = err };

    if (!folder)
        return -1;
    clang_getInclusions(unit->tu, check_include, &includes);
    free(folder);
    return includes.rc;
}

static void destroy(struct gcal_source_unit *unit)
{
    if (unit->tu)
        clang_disposeTranslationUnit(unit->tu);
    if (unit->index)
        clang_disposeIndex(unit->index);
    gcal_source_names_destroy(unit->names);
    gcal_strings_clear(&unit->missing);
    free(unit->source);
    free(unit->file);
    free(unit->key);
    free(unit);
}

static int longest_s; /* a parse; 0: any */

void gcal_source_limit_parses(int seconds)
{
    longest_s = seconds;
}

static void set_timer(int seconds)
{
    const struct itimerval timer = { .it_value.tv_sec = seconds };

    if (longest_s)
        setitimer(ITIMER_PROF, &timer, NULL);
}

static struct gcal_source_unit *parse(enum gcal_source_language language,
                                      const char *source, const char *file,
                                      const char *build_options, struct gcal_error *err)
{
    struct gcal_strings arguments = { 0 };
    struct gcal_source_unit *unit = NULL;
    struct CXUnsavedFile *files = NULL;
    enum CXErrorCode code;
    size_t n_headers;
    const struct CXUnsavedFile *headers = gcal_source_read_texts(&n_headers);
    int rc = -1;

    if (language == GCAL_SOURCE_HIP) {
        language = GCAL_SOURCE_CUDA;
        if (gcal_strings_add(&arguments, "-DGPUCAL_HIP=1", err) < 0)
            return NULL;
    }
    if (!(unit = calloc(1, sizeof(*unit))) ||
        !(files = calloc(n_headers + 1, sizeof(*files))) ||
        !(unit->source = strdup(source)) || !(unit->file = strdup(file)) ||
        !(unit->names = gcal_source_names_create())) {
        gcal_error_memory(err);
        goto out;
    }
    if (language == GCAL_SOURCE_CUDA)
        gcal_source_leave_out_includes(unit->source, &unit->missing);
    if (refuse_debug(unit->source, unit->file, err) < 0 ||
        refuse_dimensions(unit->source, unit->file, err) < 0 ||
        make_arguments(language, unit->source, build_options, &arguments, err) < 0)
        goto out;
    if (n_headers)
        memcpy(files, headers, n_headers * sizeof(*files));
    files[n_headers] =
        (struct CXUnsavedFile){ unit->file, unit->source, strlen(unit->source) };
    unit->language = language;
    unit->index = clang_createIndex(0, 0);
    set_timer(longest_s);
    code = clang_parseTranslationUnit2(
        unit->index, unit->file, (const char *const *)arguments.items, (int)arguments.n,
        files, (unsigned)n_headers + 1,
        language == GCAL_SOURCE_CUDA ? CXTranslationUnit_KeepGoing
                                     : CXTranslationUnit_None,
        &unit->tu);
    set_timer(0);
    if (code == CXError_Success && unit->tu)
        rc = check_includes(unit, err);
    else
        gcal_error_set(err, GCAL_EINPUT,
                       "%s: libclang %s (error %d): check that a compiler accepts it "
                       "with the same build options",
                       unit->file,
                       code == CXError_Crashed ? "crashed on it" : "cannot parse it",
                       (int)code);
out:
    free(files);
    gcal_strings_clear(&arguments);
    if (rc == 0)
        return unit;
    if (unit)
        destroy(unit);
    return NULL;
}

/* The one that was parsed last, with one user more; or NULL. */
static _Thread_local struct gcal_source_unit *last;

struct gcal_source_unit *gcal_source_open(enum gcal_source_language language,
                                          const char *source, const char *file,
                                          const char *build_options,
                                          struct gcal_error *err)
{
    char *key;

    file = file ? file : "kernel.cl";
    key = gcal_buf_format("%d\n%s\n%s\n%s", (int)language, file,
                          build_options ? build_options : "", source);
    if (!key) {
        gcal_error_memory(err);
        return NULL;
    }
    if (!last || strcmp(last->key, key) != 0) {
        gcal_source_close(last);
        if (!(last = parse(language, source, file, build_options, err))) {
            free(key);
            return NULL;
        }
        last->key = key;
        last->n_users = 1;
    } else {
        free(key);
    }
    last->n_users++;
    return last;
}

/* libclang returns a partial tree for a source with errors. */
struct gcal_source_unit *gcal_source_parse(enum gcal_source_language language,
                                           const char *source, const char *file,
                                           const char *build_options,
                                           struct gcal_error *err)
{
    struct gcal_source_unit *unit =
        gcal_source_open(language, source, file, build_options, err);

    if (!unit || gcal_source_check_errors(unit, NULL, NULL, err) == 0)
        return unit;
    gcal_source_close(unit);
    return NULL;
}

void gcal_source_close(struct gcal_source_unit *unit)
{
    if (unit && --unit->n_users == 0)
        destroy(unit);
}

int gcal_source_error(CXCursor at, struct gcal_error *err, const char *fmt, ...)
{
    char text[800];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return report(clang_getCursorLocation(at), text, err);
}

void gcal_source_location(CXCursor at, int *line, int *column)
{
    unsigned l, c;
    CXString file;

    clang_getPresumedLocation(clang_getCursorLocation(at), &file, &l, &c);
    clang_disposeString(file);
    *line = (int)l;
    *column = (int)c;
}
