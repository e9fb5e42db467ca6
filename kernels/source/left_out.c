/* left_out.c - what of a CUDA source is not read: included files that are not there, and parts of cuda.cuh
 * that it cannot need
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/strings.h"
#include "kernels/source/private.h"

/* ---- included files ---- */

/* After the word of a directive that reads a file; NULL: another line. */
static char *after_include(char *line)
{
    static const char *const words[] = { "include_next", "include", "import", "embed",
                                         "__include_macros" };
    char *c = line + strspn(line, " \t\f\v");

    if (*c != '#')
        return NULL;
    c += 1 + strspn(c + 1, " \t\f\v");
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        if (strncmp(c, words[i], strlen(words[i])) == 0 &&
            !isalnum((unsigned char)c[strlen(words[i])]) && c[strlen(words[i])] != '_')
            return c + strlen(words[i]) + strspn(c + strlen(words[i]), " \t\f\v");
    return NULL;
}

const char *gcal_source_included_name(char *line)
{
    const char *name = after_include(line);

    return name && (*name == '<' || *name == '"') ? name + 1 : NULL;
}

/* Headers of the standard libraries, of the toolkit's run time and of systems, of which device code needs
 * no more than cuda.cuh has.
 */
static bool is_for_hosts(const char *name)
{
    static const char names[] =
        "assert.h complex.h ctype.h cuda.h errno.h err.h dirent.h fcntl.h "
        "float.h getopt.h iso646.h libgen.h limits.h malloc.h math.h memory.h "
        "omp.h pthread.h signal.h stdarg.h stdio.h stdlib.h string.h strings.h "
        "time.h unistd.h cuda_fp16.h cuda_bf16.h cuda_fp8.h mma.h "
        "cuda_pipeline.h cuComplex.h math_constants.h device_launch_parameters.h "
        "cooperative_groups.h";

    return !strpbrk(name, "./") || strncmp(name, "sys/", 4) == 0 ||
           strncmp(name, "hip/", 4) == 0 ||
           strncmp(name, "cooperative_groups/", 19) == 0 ||
           strncmp(name, "cuda_runtime", 12) == 0 || gcal_strings_have_word(names, name);
}

void gcal_source_leave_out_includes(char *source, struct gcal_strings *missing)
{
    for (char *line = source, *next; *line; line = next) {
        char *name = after_include(line), *end;
        char quote = name && *name == '<' ? '>' : '"';

        next = line + strcspn(line, "\n");
        end = name ? name + strcspn(name, "\n") : next;
        next += *next == '\n';
        if (!name)
            continue;
        if (*name == '<' || *name == '"') {
            char *close = memchr(name + 1, quote, (size_t)(end - name - 1));
            char *file = close ? strndup(name + 1, (size_t)(close - name - 1)) : NULL;
            bool is_kept = file && gcal_source_has_header(file);

            if (file && !is_kept && !is_for_hosts(file))
                gcal_strings_include(missing, file, NULL);
            free(file);
            if (is_kept)
                continue;
        }
        memset(line, ' ', (size_t)(end - line));
    }
}

/* ---- parts of cuda.cuh ---- */

static bool has_any(const char *source, const char *const *words)
{
    while (*words)
        if (strstr(source, *words++))
            return true;
    return false;
}

int gcal_source_leave_out_declarations(const char *source, struct gcal_strings *arguments,
                                       struct gcal_error *err)
{
    /* A macro may paste a name together.  Complex numbers need what is rare, as half does. */
    static const struct {
        const char *option, *words[56];
    } parts[] = {
        { "-DGPUCAL_NO_HALF", { "half", "bf16", "bfloat", "fp16", "fp8", "wmma", "##" } },
        { "-DGPUCAL_NO_ROUNDED", { "_rn", "_rz", "_ru", "_rd", "##" } },
        { "-DGPUCAL_NO_GROUPS", { "cooperative_groups" } },
        { "-DGPUCAL_NO_MATRICES", { "wmma" } },
        { "-DGPUCAL_NO_TEXTURES", { "tex", "surf", "##" } },
        { "-DGPUCAL_NO_COMPLEX", { "cuC", "hipC", "omplex", "##" } },
        { "-DGPUCAL_NO_RARE",
          { "cbrt",    "exp2",   "exp10",    "expm1",     "log2",  "log10", "log1p",
            "logb",    "atan",   "tanh",     "tan(",      "tanf",  "asin",  "acos",
            "sinh",    "cosh",   "sinpi",    "cospi",     "erf(",  "erff",  "erfc",
            "gamma",   "trunc",  "round",    "rint(",     "rintf", "fmod",  "remainder",
            "hypot",   "fdim",   "copysign", "nextafter", "ldexp", "ilogb", "frexp",
            "modf",    "remquo", "scalb",    "nearby",    "norm3", "norm4", "sincos",
            "signbit", "omplex", "cuC",      "hipC",      "half",  "bf16",  "bfloat",
            "fp16",    "##" } },
        { "-DGPUCAL_NO_SPECIAL",
          { "erfinv", "erfcinv", "erfcx", "normcdf", "j0", "j1", "y0", "y1", "bessel",
            "##" } },
        { "-DGPUCAL_NO_SIMD", { "__v", "__dp", "##" } },
        { "-DGPUCAL_NO_LAUNCH", { "LaunchKernel", "LaunchCooperative", "##" } },
        { "-DGPUCAL_NO_SCOPES", { "_block", "_system", "##" } },
        { "-DGPUCAL_NO_STD", { "std", "::", "typename" } },
    };

    for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
        if (!has_any(source, parts[i].words) &&
            gcal_strings_add(arguments, parts[i].option, err) < 0)
            return -1;
    return 0;
}
