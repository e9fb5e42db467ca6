/* seen.c - from Oclgrind's histogram to quantities
 *
 * Lines are "  12,345 - opcode (678 bytes)"; calls name built-ins by their mangled name,
 * "call _Z4fminff()", and the functions of the source by their own.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/kernels/count/oracle/oracle.h"

static const char *const spaces[] = { "private", "global", "constant", "local" };

static bool starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(name, *names) != 0)
        names++;
    return *names != NULL;
}

static double read_number(const char *text)
{
    double number = 0;

    for (; isdigit((unsigned char)*text) || *text == ','; text++)
        number = *text == ',' ? number : 10 * number + (*text - '0');
    return number;
}

static void add(struct oracle_counts *seen, const char *name, double count)
{
    oracle_counts_get(seen, name)->value += count;
}

static void add_access(struct oracle_counts *seen, const char *space, bool load,
                       double count, double bytes)
{
    char name[60];

    snprintf(name, sizeof(name), "%s %s", space, load ? "load" : "store");
    add(seen, name, count);
    snprintf(name, sizeof(name), "%s %s bytes", space, load ? "load" : "store");
    add(seen, name, bytes);
}

/* ---- mangled types ---- */

struct mangled {
    char name[60];      /* of the function */
    const char *types;  /* of its parameters */
    size_t lanes;       /* of the first one */
    const char *scalar; /* its element's type */
};

static bool demangle(const char *call, struct mangled *m)
{
    char *rest;
    size_t length;

    if (!starts_with(call, "_Z"))
        return false;
    length = strtoul(call + 2, &rest, 10);
    if (!length || length >= sizeof(m->name) || strlen(rest) < length)
        return false;
    snprintf(m->name, sizeof(m->name), "%.*s", (int)length, rest);
    m->types = m->scalar = rest + length;
    m->lanes = 1;
    if (starts_with(m->types, "Dv")) {
        m->lanes = strtoul(m->types + 2, &rest, 10);
        m->scalar = rest + 1; /* after the '_' */
    }
    return true;
}

static size_t scalar_size(const char *type)
{
    static const char letters[] = "cahstijflmd";
    static const size_t sizes[] = { 1, 1, 1, 2, 2, 4, 4, 4, 8, 8, 8 };
    const char *at = strchr(letters, *type);

    return starts_with(type, "Dh") ? 2 : at ? sizes[at - letters] : 0;
}

static const char *float_type(const char *type)
{
    return *type == 'f'              ? "float32"
           : *type == 'd'            ? "float64"
           : starts_with(type, "Dh") ? "float16"
                                     : NULL;
}

/* The address space in a pointer's type, and its pointee. */
static size_t pointer_space(const char *types, const char **to)
{
    const char *at = strstr(types, "PU3AS");

    if (!at)
        return 0;
    *to = at + 6 + strspn(at + 6, "KV");
    return (size_t)(at[5] - '0') < 4 ? (size_t)(at[5] - '0') : 0;
}

/* ---- calls ---- */

/* Histograms have them under "call", and their access under no other line. */
static bool read_vector_access(struct oracle_counts *seen, const struct mangled *m,
                               double count)
{
    bool load = starts_with(m->name, "vload");
    const char *digits = m->name + strcspn(m->name, "0123456789"), *to = "";
    size_t width = *digits ? strtoul(digits, NULL, 10) : 1, space;

    if (!load && !starts_with(m->name, "vstore"))
        return false;
    space = pointer_space(m->types, &to);
    if (space)
        add_access(seen, spaces[space], load, count,
                   count * (double)(width * scalar_size(to)));
    return true;
}

static bool read_atomic(struct oracle_counts *seen, const struct mangled *m, double count)
{
    const char *op = strchr(m->name, '_'), *to;
    char name[60];

    if (!starts_with(m->name, "atomic_") && !starts_with(m->name, "atom_"))
        return false;
    snprintf(name, sizeof(name), "%s atomic %.20s", spaces[pointer_space(m->types, &to)],
             op + 1);
    add(seen, name, count);
    return true;
}

static void read_builtin(struct oracle_counts *seen, const struct mangled *m,
                         double count)
{
    /* of a vector, one number */
    static const char *const reducing[] = { "dot",           "length",      "distance",
                                            "fast_distance", "fast_length", NULL };
    static const char *const no_work[] = { "get_", "convert_", "as_", NULL };
    static const char *const fences[] = { "mem_fence", "read_mem_fence",
                                          "write_mem_fence", "printf", NULL };
    const char *type = float_type(m->scalar);
    double lanes = is_one_of(m->name, reducing) ? 1 : (double)m->lanes;
    char name[60];

    for (const char *const *p = no_work; *p; p++)
        if (starts_with(m->name, *p))
            return;
    if (is_one_of(m->name, fences) || read_vector_access(seen, m, count) ||
        read_atomic(seen, m, count))
        return;
    if (strcmp(m->name, "barrier") == 0) {
        add(seen, "barrier", count);
    } else if (strcmp(m->name, "fma") == 0 || strcmp(m->name, "mad") == 0) {
        snprintf(name, sizeof(name), "%s madd", type ? type : "unknown");
        add(seen, name, count * lanes);
    } else if (type) { /* integer ones may be index arithmetic */
        add(seen, m->name, count * lanes);
    }
}

/* llvm.fmuladd.f32, llvm.fmuladd.v4f32, llvm.memcpy.p0i8.p1i8.i64 */
static void read_intrinsic(struct oracle_counts *seen, const char *call, double count)
{
    static const char fused[] = "llvm.fmuladd.", copy[] = "llvm.memcpy.p";
    char name[60];

    if (starts_with(call, fused)) {
        const char *type = call + strlen(fused);
        char *rest = NULL;
        double lanes = *type == 'v' ? (double)strtoul(type + 1, &rest, 10) : 1;

        type = rest ? rest : type;
        snprintf(name, sizeof(name), "float%d madd", atoi(type + 1));
        add(seen, name, count * lanes);
    } else if (starts_with(call, copy)) {
        int to = call[strlen(copy)] - '0', from = 0;
        const char *at = strstr(call + strlen(copy), ".p");

        from = at ? at[2] - '0' : 0;
        if (to != 0 || from != 0) {
            snprintf(name, sizeof(name), "memcpy p%d p%d", to, from);
            add(seen, name, count);
        }
    }
}

/* ---- lines ---- */

static void read_access(struct oracle_counts *seen, const char *opcode, double count)
{
    bool load = starts_with(opcode, "load ");
    const char *space = strchr(opcode, ' ') + 1, *bytes = strchr(opcode, '(');

    for (size_t i = 1; i < 4; i++)
        if (starts_with(space, spaces[i]))
            add_access(seen, spaces[i], load, count, bytes ? read_number(bytes + 1) : 0);
}

/* 'returns': those from the kernel and from the functions it calls. */
static void read_line(struct oracle_counts *seen, const char *opcode, double count,
                      double *returns)
{
    static const char *const ops[][2] = { { "fadd", "add" },
                                          { "fsub", "add" },
                                          { "fmul", "mul" },
                                          { "fdiv", "div" },
                                          { "frem", "rem" } };
    struct mangled m;

    for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++)
        if (strcmp(opcode, ops[i][0]) == 0)
            add(seen, ops[i][1], count);
    if (starts_with(opcode, "load ") || starts_with(opcode, "store "))
        read_access(seen, opcode, count);
    else if (strcmp(opcode, "ret") == 0)
        *returns += count;
    else if (!starts_with(opcode, "call "))
        return;
    else if (demangle(opcode + 5, &m))
        read_builtin(seen, &m, count);
    else if (starts_with(opcode + 5, "llvm."))
        read_intrinsic(seen, opcode + 5, count);
    else
        *returns -= count;
}

void oracle_read_histogram(const char *text, size_t work_group,
                           struct oracle_counts *seen)
{
    double returns = 0;

    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        const char *dash = strstr(line, " - ");
        char opcode[200];

        end = line + strcspn(line, "\n");
        if (!dash || dash > end)
            continue;
        snprintf(opcode, sizeof(opcode), "%.*s", (int)(end - dash - 3), dash + 3);
        read_line(seen, opcode, read_number(line + strspn(line, " ")), &returns);
    }
    add(seen, "work-items", returns);
    add(seen, "work-groups", returns / (double)work_group);
}
