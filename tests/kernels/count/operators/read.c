/* read.c - quantities of rows, in histograms and in profiles */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/model/profile.h"
#include "tests/kernels/count/operators/operators.h"

static void add(struct oracle_counts *counts, const char *name, double value)
{
    oracle_counts_get(counts, name)->value += value;
}

/* ---- Oclgrind's histogram ---- */

static const char *const instructions[][2] = {
    { "add", "add" },        { "sub", "add" },        { "fadd", "add" },
    { "fsub", "add" },       { "mul", "mul" },        { "fmul", "mul" },
    { "sdiv", "div" },       { "udiv", "div" },       { "fdiv", "div" },
    { "srem", "rem" },       { "urem", "rem" },       { "frem", "rem" },
    { "shl", "shl" },        { "ashr", "shr" },       { "lshr", "shr" },
    { "and", "and" },        { "or", "or" },          { "xor", "xor" },
    { "icmp", "cmp" },       { "fcmp", "cmp" },       { "fneg", "neg" },
    { "zext", "convert" },   { "sext", "convert" },   { "trunc", "convert" },
    { "fptosi", "convert" }, { "fptoui", "convert" }, { "sitofp", "convert" },
    { "uitofp", "convert" }, { "fpext", "convert" },  { "fptrunc", "convert" },
};

/* Functions of vectors with one number as the result. */
static const char *const reducing[] = {
    "dot", "length", "distance", "fast_distance", "fast_length", "any", "all"
};

/* Whether oracle_read_histogram() reads the call. */
static bool is_read(const char *name)
{
    static const char *const read[] = { "vload",     "vstore",  "atomic_", "atom_",
                                        "get_",      "as_",     "mem_",    "read_mem",
                                        "write_mem", "barrier", "prefetch" };

    for (size_t i = 0; i < sizeof(read) / sizeof(*read); i++)
        if (strncmp(name, read[i], strlen(read[i])) == 0)
            return true;
    return strcmp(name, "fma") == 0 || strcmp(name, "mad") == 0;
}

/* "_Z4sqrtDv4_f()" */
static void read_call(struct oracle_counts *seen, const char *call, double count)
{
    char *rest, name[60];
    size_t length = strtoul(call + 2, &rest, 10);
    double lanes =
        strncmp(rest + length, "Dv", 2) == 0 ? strtod(rest + length + 2, NULL) : 1;

    if (length >= sizeof(name))
        abort();
    snprintf(name, sizeof(name), "%.*s", (int)length, rest);
    for (size_t i = 0; i < sizeof(reducing) / sizeof(*reducing); i++)
        if (strcmp(name, reducing[i]) == 0)
            lanes = 1;
    if (strncmp(name, "convert_", 8) == 0)
        add(seen, "convert", count * lanes);
    else if (!is_read(name))
        add(seen, name, count * lanes);
}

static void read_line(struct oracle_counts *seen, const char *opcode, double count,
                      double width)
{
    for (size_t i = 0; i < sizeof(instructions) / sizeof(*instructions); i++)
        if (strcmp(opcode, instructions[i][0]) == 0)
            add(seen, instructions[i][1], count * width);
    if (strncmp(opcode, "call _Z", 7) == 0)
        read_call(seen, opcode + 5, count);
}

/* What oracle_read_histogram() reads in the same way. */
static bool is_shared(const char *name)
{
    return strstr(name, " load") || strstr(name, " store") || strstr(name, " madd") ||
           strstr(name, " atomic ") || strcmp(name, "barrier") == 0;
}

void operators_read_histogram(const char *text, double width, struct oracle_counts *seen)
{
    struct oracle_counts all = { 0 };

    oracle_read_histogram(text, OPERATORS_ITEMS, &all);
    for (size_t i = 0; i < all.n; i++)
        if (is_shared(all.items[i].name))
            add(seen, all.items[i].name, all.items[i].value);
    oracle_counts_clear(&all);
    for (const char *line = text, *end; *line; line = *end ? end + 1 : end) {
        const char *dash = strstr(line, " - ");
        char opcode[200];

        end = line + strcspn(line, "\n");
        if (!dash || dash > end)
            continue;
        snprintf(opcode, sizeof(opcode), "%.*s", (int)(end - dash - 3), dash + 3);
        read_line(seen, opcode, strtod(line + strspn(line, " "), NULL), width);
    }
}

/* ---- profiles ---- */

static bool is_integer(const char *dtype)
{
    return strncmp(dtype, "float", 5) != 0;
}

static void add_counted(struct oracle_counts *counted, const char *name, double count,
                        bool estimated)
{
    struct oracle_quantity *q = oracle_counts_get(counted, name);

    q->value += count;
    q->n_estimated += estimated;
}

static void read_entry(struct oracle_counts *counted, const struct gcal_profile_entry *e,
                       double count)
{
    if (e->kind != GCAL_FEATURE_OP && e->kind != GCAL_FEATURE_INDEX_OP &&
        e->kind != GCAL_FEATURE_AUXILIARY_OP)
        return;
    if (strcmp(e->op, "madd") == 0)
        return;
    if (e->kind != GCAL_FEATURE_OP && strcmp(e->op, "select") == 0)
        return;
    if (strcmp(e->op, "not") == 0)
        add_counted(counted, "xor", count, e->estimated);
    else if (strcmp(e->op, "neg") == 0 && is_integer(e->dtype))
        add_counted(counted, "add", count, e->estimated);
    else if (strstr(e->op, "_constant")) /* as unoptimised code has it: a division */
        add_counted(counted, *e->op == 'd' ? "div" : "rem", count, e->estimated);
    else
        add_counted(counted, e->op, count, e->estimated);
}

int operators_read_profile(const struct gcal_profile *profile,
                           struct oracle_counts *counted, struct gcal_error *err)
{
    struct oracle_counts all = { 0 };
    int rc = oracle_read_profile(profile, 0, NULL, &all, err);

    for (size_t i = 0; i < all.n; i++)
        if (is_shared(all.items[i].name))
            add_counted(counted, all.items[i].name, all.items[i].value,
                        all.items[i].n_estimated > 0);
    oracle_counts_clear(&all);
    for (size_t i = 0; i < profile->n_entries && rc == 0; i++) {
        double count = 0;

        rc = oracle_value(profile->entries[i].count, 0, NULL, &count, err);
        read_entry(counted, &profile->entries[i], count);
    }
    return rc;
}
