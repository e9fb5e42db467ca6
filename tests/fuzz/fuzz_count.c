/* fuzz_count.c - any text as an OpenCL C kernel: it is refused with a reason, or counted
 * to a profile that reads back the same; and work is removed from it
 *
 * The first line may have options: "// local=16,16; global=n,n; assume=n % 16 = 0;
 * kernel=name; options=-DT=float; sub=32; banks=32; index=1; estimates=1; budget=10", all
 * optional; budget: a divisor of what counting may take.
 *
 * A count that takes more than 2 s of processor time or 300 MB of memory is a failure; the
 * fuzzer's instrumentation doubles the time, and the sanitizers take ten times as long.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/allocator_interface.h>
#define HAS_SANITIZER
#endif
#endif

#include "kernels/base/error.h"
#include "kernels/base/yaml.h"
#include "kernels/model/binding.h"
#include "kernels/model/profile.h"
#include "kernels/count/count.h"
#include "kernels/includes/includes.h"
#include "kernels/remove/remove.h"
#include "kernels/source/source.h"
#include "grammar.h"
#include "mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size,
                               unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
                                 size_t b_size, uint8_t *out, size_t max_size,
                                 unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

static void broken(const char *what, const char *text)
{
    fprintf(stderr, "BROKEN: %s\n%s\n", what, text ? text : "");
    abort();
}

/* ---- limits of a count ---- */

#ifdef HAS_SANITIZER
enum { MOST_SECONDS = 30, MOST_BYTES = 300 << 20 };

static size_t held, most_held; /* bytes of memory */

static void note_malloc(const volatile void *at, size_t size)
{
    (void)at;
    held += size;
    most_held = held > most_held ? held : most_held;
}

static void note_free(const volatile void *at)
{
    size_t size = at ? __sanitizer_get_allocated_size(at) : 0;

    held -= size < held ? size : held; /* some were allocated before the hooks */
}

static void check_memory(size_t before)
{
    if (most_held > before + MOST_BYTES)
        broken("a count takes more than 300 MB", NULL);
}

static size_t begin_memory(void)
{
    static bool hooked;

    if (!hooked)
        __sanitizer_install_malloc_and_free_hooks(note_malloc, note_free);
    hooked = true;
    most_held = held;
    return held;
}
#else /* the fuzzer's -rss_limit_mb finds it */
enum { MOST_SECONDS = 4 };

static size_t begin_memory(void)
{
    return 0;
}

static void check_memory(size_t before)
{
    (void)before;
}
#endif

static double processor_seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- libclang ---- */

/* libclang crashes on some inputs, recovers, and then leaks.  All its C++ objects come
 * from libstdc++ and gpucal's memory never does, so leaks of those are ignored, and the
 * objects that gpucal has to dispose of are counted here.
 */
const char *__lsan_default_suppressions(void)
{
    return "leak:libstdc++.so";
}

/* With --wrap, gpucal's calls go to __wrap_NAME, and __real_NAME is libclang's function.
 */
CXIndex __real_clang_createIndex(int exclude, int display);
void __real_clang_disposeIndex(CXIndex index);
enum CXErrorCode __real_clang_parseTranslationUnit2(CXIndex index, const char *file,
                                                    const char *const *arguments,
                                                    int n_arguments,
                                                    struct CXUnsavedFile *unsaved,
                                                    unsigned n_unsaved, unsigned options,
                                                    CXTranslationUnit *unit);
void __real_clang_disposeTranslationUnit(CXTranslationUnit unit);

static int n_held; /* indices and translation units */

CXIndex __wrap_clang_createIndex(int exclude, int display)
{
    CXIndex index = __real_clang_createIndex(exclude, display);

    n_held += index != NULL;
    return index;
}

void __wrap_clang_disposeIndex(CXIndex index)
{
    n_held -= index != NULL;
    __real_clang_disposeIndex(index);
}

enum CXErrorCode __wrap_clang_parseTranslationUnit2(CXIndex index, const char *file,
                                                    const char *const *arguments,
                                                    int n_arguments,
                                                    struct CXUnsavedFile *unsaved,
                                                    unsigned n_unsaved, unsigned options,
                                                    CXTranslationUnit *unit)
{
    enum CXErrorCode code = __real_clang_parseTranslationUnit2(
        index, file, arguments, n_arguments, unsaved, n_unsaved, options, unit);

    n_held += *unit != NULL;
    return code;
}

void __wrap_clang_disposeTranslationUnit(CXTranslationUnit unit)
{
    n_held -= unit != NULL;
    __real_clang_disposeTranslationUnit(unit);
}

/* ---- the first line ---- */

struct input {
    char *source, *line; /* line: a copy of the first, cut at each ';' */
    struct gcal_count_request request;
};

/* The text after "name=" in 'line'; NULL without it. */
static char *find_option(char *line, const char *name)
{
    char *option = strstr(line, name);

    return option ? option + strlen(name) : NULL;
}

static void read_local(const char *text, struct gcal_count_request *r)
{
    char *end = (char *)text;

    for (r->n_dims = 0; r->n_dims < GCAL_MAX_DIMS; end++) {
        r->local_size[r->n_dims++] = strtoull(end, &end, 10);
        if (*end != ',')
            break;
    }
}

/* Cuts at commas outside parentheses. */
static void read_global(char *text, struct gcal_count_request *r)
{
    size_t n = 0;
    int depth = 0;

    r->global_size[n++] = text;
    for (char *c = text; *c && n < GCAL_MAX_DIMS; c++) {
        depth += (*c == '(') - (*c == ')');
        if (*c == ',' && depth == 0) {
            *c = '\0';
            r->global_size[n++] = c + 1;
        }
    }
}

static size_t read_number(char *line, const char *name)
{
    const char *text = find_option(line, name);

    return text ? strtoull(text, NULL, 10) : 0;
}

static void read_first_line(struct input *in)
{
    struct gcal_count_request *r = &in->request;
    char *local, *global;

    r->n_dims = 1;
    for (size_t i = 0; i < GCAL_MAX_DIMS; i++) {
        r->local_size[i] = 16;
        r->global_size[i] = "n";
    }
    if (strncmp(in->line, "//", 2) != 0)
        return;
    local = find_option(in->line, " local=");
    global = find_option(in->line, " global=");
    r->assume = find_option(in->line, " assume=");
    r->kernel = find_option(in->line, " kernel=");
    r->build_options = find_option(in->line, " options=");
    r->sub_group_size = read_number(in->line, " sub=");
    r->n_banks = r->sub_group_size ? read_number(in->line, " banks=") : 0;
    r->index_arithmetic = read_number(in->line, " index=");
    r->allow_estimates = read_number(in->line, " estimates=");
    r->budget_divisor = read_number(in->line, " budget=") % 1000000;
    for (char *c = in->line; *c; c++)
        if (*c == ';')
            *c = '\0';
    if (local)
        read_local(local, r);
    if (global)
        read_global(global, r);
}

/* ---- checks ---- */

static void check_refusal(const struct gcal_error *err)
{
    if (!err->code || !*err->text)
        broken("refused without a reason", NULL);
}

static struct gcal_profile *decode(const char *text, struct gcal_error *err)
{
    struct gcal_yaml *root = gcal_yaml_parse(text, strlen(text), "profile", err);
    struct gcal_profile *profile = root ? gcal_profile_decode(root, err) : NULL;

    gcal_yaml_destroy(root);
    return profile;
}

/* A profile that is written, read and written again is the same. */
static void check_profile(const struct gcal_profile *profile)
{
    struct gcal_error err = { 0 };
    char *once = gcal_profile_encode(profile, &err), *twice = NULL;
    struct gcal_profile *again = once ? decode(once, &err) : NULL;

    if (!again)
        broken(err.text, once);
    if (!(twice = gcal_profile_encode(again, &err)) || strcmp(once, twice) != 0)
        broken("a profile changes when it is read", once);
    gcal_profile_destroy(again);
    free(once);
    free(twice);
}

/* Every feature has a value, or a reason for an error, at sizes with many divisors. */
static void evaluate(const struct gcal_profile *profile, size_t lanes)
{
    const char **features = calloc(profile->n_entries + 1, sizeof(*features));
    double *sizes = calloc(profile->n_parameters + 1, sizeof(*sizes));
    double *values = calloc(profile->n_entries + 1, sizeof(*values));
    struct gcal_error err = { 0 };
    struct gcal_binding *binding;

    for (size_t i = 0; features && i < profile->n_entries; i++)
        features[i] = profile->entries[i].feature;
    for (size_t i = 0; sizes && i < profile->n_parameters; i++)
        sizes[i] = 5040;
    /* Models have costs of 32 banks alone. */
    if (!(binding =
              gcal_binding_create(profile, profile->n_entries, features, lanes, &err)) &&
        !strstr(err.text, "devices are calibrated for"))
        broken("a feature of the profile cannot be parsed", err.text);
    if (binding && sizes && values && gcal_binding_eval(binding, sizes, values, &err) < 0)
        check_refusal(&err);
    gcal_binding_destroy(binding);
    free(features);
    free(sizes);
    free(values);
}

static void count(const struct gcal_count_request *request)
{
    struct gcal_error err = { 0 };
    size_t before = begin_memory();
    double began = processor_seconds();
    struct gcal_profile *profile = gcal_count(request, &err);

    if (processor_seconds() - began > MOST_SECONDS)
        broken("a count takes more than 3 s without instrumentation", NULL);
    check_memory(before);
    if (!profile) {
        check_refusal(&err);
        return;
    }
    check_profile(profile);
    evaluate(profile, request->sub_group_size ? request->sub_group_size : 32);
    gcal_profile_destroy(profile);
}

static void describe(const struct gcal_count_request *request)
{
    struct gcal_error err = { 0 };
    struct gcal_count_description description;

    if (gcal_count_describe(request, &description, &err) < 0)
        check_refusal(&err);
    else
        gcal_count_description_clear(&description);
}

static void include(const struct gcal_count_request *request)
{
    struct gcal_error err = { 0 };
    char *text = gcal_includes_inline(request->source, request->file, 0, NULL, &err);

    if (!text)
        check_refusal(&err);
    free(text);
}

static void remove_work(const struct gcal_count_request *request,
                        const struct gcal_remove_options *removal)
{
    struct gcal_error err = { 0 };
    char *made = gcal_remove_work(request, removal, NULL, &err);

    if (!made)
        check_refusal(&err);
    free(made);
}

/* fuzz_grammar: the bytes choose productions, and libFuzzer's own mutations do. */
static char *make_source(const uint8_t *data, size_t size)
{
#ifdef FUZZ_GRAMMAR
    return grammar_make(data, size);
#else
    return strndup((const char *)data, size);
#endif
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct gcal_remove_options removals[] = {
        { .form = GCAL_REMOVE_KEEP_LOADS },
        { .form = GCAL_REMOVE_KEEP_LOADS, .n_accumulators = 4 },
        { .form = GCAL_REMOVE_KEEP_ONCHIP },
        { .form = GCAL_REMOVE_KEEP_MEMORY },
    };
    struct input in = { 0 };

    if ((in.source = make_source(data, size)) &&
        (in.line = strndup(in.source, strcspn(in.source, "\n")))) {
        in.request.source = in.source;
        in.request.file = "fuzz.cl";
        read_first_line(&in);
        include(&in.request);
        count(&in.request);
        if (size % 4 == 0) /* as slow as counting */
            describe(&in.request);
        remove_work(&in.request,
                    &removals[size % (sizeof(removals) / sizeof(*removals))]);
    }
    free(in.source);
    free(in.line);
    if (n_held > 2) /* the unit that was parsed last is kept, with its index */
        broken("a translation unit or an index of libclang is leaked", NULL);
    return 0;
}

#ifndef FUZZ_GRAMMAR
/* ---- mutations ---- */

static const char *const first_lines[] = {
    "// local=64; global=n;",
    "// local=16,16; global=n,n; assume=n % 16 = 0;",
    "// local=16,16; global=n,m;",
    "// local=8,4,2; global=n,n,n;",
    "// local=1; global=1;",
    "// local=61,1; global=61*n,m;",
    "// local=7; global=floor((n+6)/7)*7; assume=n >= 1;",
    "// local=33,3; global=33*n,3*m; assume=n % 2 = 1 and m > n;",
    "// local=256; global=n/4; assume=n % 1024 = 0 and n >= 1024 and n < 4096;",
    "// local=32,8; global=floor((n+31)/32)*32,floor((m+7)/8)*8;",
    "// local=1024; global=9223372036854775807;",
    "// local=64; global=n*n*n*n; assume=n = m;",
    "// local=64; global=n; options=-DT=float -DN=4;",
    "// local=64; global=n; options=-DT=double -cl-std=CL2.0;",
};

static const char *const settings[] = {
    "",
    " sub=1;",
    " sub=2; index=1;",
    " sub=3;",
    " sub=32;",
    " sub=32; banks=32; index=1;",
    " sub=64; banks=16; estimates=1;",
    " estimates=1;",
    " sub=2; budget=5;",
    " sub=32; budget=40;",
    " budget=300; estimates=1;",
    " sub=3; budget=3000;",
};

/* Replaces the first line, with the kernel's name and macros; or adds settings to it. */
static size_t change_first_line(uint8_t *data, size_t size, size_t max_size,
                                unsigned seed)
{
    const char *more = settings[seed / 4 % (sizeof(settings) / sizeof(*settings))];
    const uint8_t *end = memchr(data, '\n', size);
    char line[1000];
    size_t old = 0, n;

    if (size > 2 && memcmp(data, "//", 2) == 0 && end)
        old = (size_t)(end - data);
    n = (size_t)(seed % 4 && old && old < 900
                     ? snprintf(line, sizeof(line), "//%s%.*s", more, (int)old - 2,
                                (const char *)data + 2)
                     : snprintf(line, sizeof(line), "%s%s",
                                first_lines[seed / 64 %
                                            (sizeof(first_lines) / sizeof(*first_lines))],
                                more));
    if (size - old + n + 1 > max_size)
        return size;
    memmove(data + n, data + old, size - old);
    memcpy(data, line, n);
    return size - old + n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    if (seed % 16 < 4)
        return change_first_line(data, size, max_size, seed / 16);
    return mutate_text((char *)data, size, max_size, seed);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b,
                                 size_t b_size, uint8_t *out, size_t max_size,
                                 unsigned seed)
{
    return mutate_splice((const char *)a, a_size, (const char *)b, b_size, (char *)out,
                         max_size, seed);
}
#endif
