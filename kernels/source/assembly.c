/* assembly.c - inline assembly of NVIDIA's PTX: operations on matrices, and asynchronous copies
 *
 * libclang gives the operands of a statement, but not its text: that is read in the source, where
 * the statement or the macro that it comes from begins.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "kernels/base/error.h"
#include "kernels/source/private.h"

/* ---- the text in the source ---- */

static const char *skip_blanks(const char *p)
{
    const char *end;

    for (;;) {
        p += strspn(p, " \t\r\n\\");
        if (p[0] == '/' && p[1] == '*' && (end = strstr(p + 2, "*/")))
            p = end + 2;
        else if (p[0] == '/' && p[1] == '/')
            p += strcspn(p, "\n");
        else
            return p;
    }
}

/* Behind the literal at 'p', whose text is added; NULL: there is none. */
static const char *read_literal(const char *p, struct gcal_buf *text)
{
    const char *end;

    if (strncmp(p, "R\"(", 3) == 0) {
        if (!(end = strstr(p, ")\"")))
            return NULL;
        gcal_buf_printf(text, "%.*s", (int)(end - p - 3), p + 3);
        return end + 2;
    }
    if (*p++ != '"')
        return NULL;
    for (; *p && *p != '"'; p++) {
        if (*p == '\\' && p[1])
            p++, gcal_buf_puts(text, " "); /* of \n and \t, which are the ones in use */
        else
            gcal_buf_printf(text, "%c", *p);
    }
    return *p ? p + 1 : NULL;
}

/* Behind the parenthesis that closes the one at 'p'; NULL: none does. */
static const char *skip_parentheses(const char *p)
{
    int depth = 0;

    for (; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (!depth)
            return p + 1;
    }
    return NULL;
}

/* Fills 'text', and which operands are read although they are outputs.  Returns whether it was found,
 * in literals alone.
 */
static bool read_statement(const char *p, struct gcal_buf *text,
                           struct gcal_source_assembly *found)
{
    const char *next;
    size_t n = 0;

    if (strncmp(p, "asm", 3) != 0 && strncmp(p, "__asm", 5) != 0)
        return false;
    while (isalpha((unsigned char)*p) || *p == '_') { /* and volatile */
        p += strspn(p, "abcdefghijklmnopqrstuvwxyz_");
        p = skip_blanks(p);
    }
    if (*p++ != '(')
        return false;
    for (p = skip_blanks(p); (next = read_literal(p, text)); p = skip_blanks(next))
        ;
    while (*p == ':' || *p == ',' || *p == '[') {
        struct gcal_buf constraint = { 0 };

        if (*p == '[' && !(p = strchr(p, ']')))
            return false;
        p = skip_blanks(p + 1);
        next = read_literal(p, &constraint);
        if (next && *(next = skip_blanks(next)) == '(') {
            if (n < GCAL_SOURCE_MAX_OPERANDS)
                found->is_read[n++] = constraint.data && constraint.data[0] == '+';
            next = skip_parentheses(next);
        }
        gcal_buf_free(&constraint);
        p = next ? skip_blanks(next) : p;
        if (next && *p == ')')
            break;
        if (!next && *p != ':' && *p != '[')
            break;
    }
    return *p == ')' && text->data;
}

/* ---- instructions ---- */

/* The shapes of products (PTX ISA 8.7, sections 9.7.14.3 and 9.7.14.5): by types of elements. */
static const struct shape {
    const char *types, *name; /* in the instruction, in features */
    bool is_wmma;
    int m, n, k, times;
} shapes[] = {
    { "f16", "f16", false, 16, 8, 8, 1 },
    { "f16", "f16", false, 16, 8, 16, 1 },
    { "f16", "f16", false, 8, 8, 4, 4 },
    { "bf16", "bf16", false, 16, 8, 8, 1 },
    { "bf16", "bf16", false, 16, 8, 16, 1 },
    { "tf32", "tf32", false, 16, 8, 4, 1 },
    { "tf32", "tf32", false, 16, 8, 8, 1 },
    { "f64", "f64", false, 8, 8, 4, 1 },
    { "f64", "f64", false, 16, 8, 4, 1 },
    { "f64", "f64", false, 16, 8, 8, 1 },
    { "f64", "f64", false, 16, 8, 16, 1 },
    { "s8 u8", "int8", false, 8, 8, 16, 1 },
    { "s8 u8", "int8", false, 16, 8, 16, 1 },
    { "s8 u8", "int8", false, 16, 8, 32, 1 },
    { "e4m3 e5m2", "fp8", false, 16, 8, 16, 1 },
    { "e4m3 e5m2", "fp8", false, 16, 8, 32, 1 },
    { "s4 u4", "int4", false, 8, 8, 32, 1 },
    { "s4 u4", "int4", false, 16, 8, 32, 1 },
    { "s4 u4", "int4", false, 16, 8, 64, 1 },
    { "f16", "f16", true, 16, 16, 16, 1 },
    { "f16", "f16", true, 32, 8, 16, 1 },
    { "f16", "f16", true, 8, 32, 16, 1 },
    { "bf16", "bf16", true, 16, 16, 16, 1 },
    { "bf16", "bf16", true, 32, 8, 16, 1 },
    { "bf16", "bf16", true, 8, 32, 16, 1 },
    { "tf32", "tf32", true, 16, 16, 8, 1 },
    { "f64", "f64", true, 8, 8, 4, 1 },
    { "s8 u8", "int8", true, 16, 16, 16, 1 },
    { "s8 u8", "int8", true, 32, 8, 16, 1 },
    { "s8 u8", "int8", true, 8, 32, 16, 1 },
    { "s4 u4", "int4", true, 8, 8, 32, 1 },
};

/* "" is the end of the name's parts. */
static bool has_part(const char *name, const char *part)
{
    size_t n = strlen(part);

    for (const char *p = name; (p = strstr(p, part)); p++)
        if (p > name && p[-1] == '.' && (p[n] == '.' || !p[n]))
            return true;
    return false;
}

static bool is_among(const char *words, const char *word, size_t n)
{
    for (const char *p = words; (p = strstr(p, word)); p++)
        if ((p == words || p[-1] == ' ') && (p[n] == ' ' || !p[n]))
            return true;
    return false;
}

const char *gcal_source_matrix_type(const char *type)
{
    for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
        if (strcmp(shapes[i].name, type) == 0)
            return shapes[i].name;
    return NULL;
}

/* mma.sync.aligned.SHAPE.row.col.D.A.B.C, wmma.mma.sync.aligned.row.col.SHAPE.D.A.B.C, or of f16 D.C.
 * Returns -1 for a shape that its types do not have; other types are none that is counted.
 */
static int read_matrix(const char *name, struct gcal_source_instruction *i)
{
    static const char types[] = "f16 bf16 tf32 f32 f64 s32 s8 u8 s4 u4 b1 e4m3 e5m2";
    bool is_wmma = name[0] == 'w', known = false;
    char type[2][8] = { "f16", "" };
    int m = 0, n = 0, k = 0, found = 0;
    char *copy = strdup(name), *rest = copy;

    for (char *part; copy && (part = strsep(&rest, "."));) {
        if (part[0] == 'm' && isdigit((unsigned char)part[1]))
            sscanf(part, "m%dn%dk%d", &m, &n, &k);
        else if (is_among(types, part, strlen(part)) && ++found == 2)
            snprintf(type[1], sizeof(type[1]), "%s", part);
    }
    free(copy);
    if (found > 2)
        memcpy(type[0], type[1], sizeof(type[0]));
    for (size_t s = 0; s < sizeof(shapes) / sizeof(*shapes); s++) {
        if (!is_among(shapes[s].types, type[0], strlen(type[0])))
            continue;
        known = true;
        if (shapes[s].is_wmma != is_wmma || shapes[s].m != m || shapes[s].n != n ||
            shapes[s].k != k)
            continue;
        i->kind = GCAL_SOURCE_MATRIX;
        i->type = shapes[s].name;
        i->multiply_adds = (int64_t)m * n * k * shapes[s].times;
        return 0;
    }
    return known ? -1 : 0;
}

/* "[%2]", "[%2+64]"; gives what follows, or NULL where it is something else. */
static const char *read_address(const char *p, struct gcal_source_address *address)
{
    const char *open = strchr(p, '['), *close = open ? strchr(open, ']') : NULL;
    char sign = '+';
    int offset = 0;

    *address = (struct gcal_source_address){ .operand = -1 };
    if (!close)
        return NULL;
    if (sscanf(open, "[ %%%d %c %d", &address->operand, &sign, &offset) >= 1)
        address->offset = sign == '-' ? -offset : offset;
    return close + 1;
}

static int read_instruction(const char *p, struct gcal_source_instruction *i)
{
    static const char *const free_ones[] = { ".reg", "cvta.", "setp.", "mov.",
                                             "cp.async.commit_group" };
    char name[120];
    size_t n;

    *i = (struct gcal_source_instruction){ .kind = GCAL_SOURCE_OTHER,
                                           .to = { .operand = -1 },
                                           .from = { .operand = -1 },
                                           .bytes = { .operand = -1 } };
    if (*p == '@') {
        i->is_conditional = true;
        p += strcspn(p, " \t");
        p += strspn(p, " \t");
    }
    n = strcspn(p, " \t{[");
    snprintf(name, sizeof(name), "%.*s", (int)n, p);
    p += n;
    for (size_t k = 0; k < sizeof(free_ones) / sizeof(*free_ones); k++)
        if (strncmp(name, free_ones[k], strlen(free_ones[k])) == 0)
            i->kind = GCAL_SOURCE_FREE;
    if (strncmp(name, "mma.sync.", 9) == 0 || strncmp(name, "wmma.mma.sync.", 14) == 0)
        return read_matrix(name, i);
    if (strncmp(name, "ldmatrix.sync.", 14) == 0 && has_part(name, "m8n8")) {
        i->kind = GCAL_SOURCE_LOAD_MATRIX;
        i->lanes = has_part(name, "x4") ? 32 : has_part(name, "x2") ? 16 : 8;
        read_address(p, &i->to);
        return 0;
    }
    if (strncmp(name, "cp.async.wait_", 14) == 0) {
        i->kind = GCAL_SOURCE_WAIT;
        if (sscanf(p, " %d", &i->bytes.offset) < 1)
            sscanf(p, " %%%d", &i->bytes.operand);
        return 0;
    }
    if (strncmp(name, "cp.async.c", 10) == 0 && strchr("ag", name[10]) &&
        name[11] == '.') {
        i->kind = GCAL_SOURCE_COPY;
        i->is_uncached = name[10] == 'g';
        if ((p = read_address(p, &i->to)) && (p = read_address(p, &i->from)) &&
            sscanf(p, " , %d", &i->bytes.offset) < 1)
            sscanf(p, " , %%%d", &i->bytes.operand);
    }
    return 0;
}

int gcal_source_read_assembly(const struct gcal_source_unit *unit, CXCursor statement,
                              struct gcal_source_assembly *found, struct gcal_error *err)
{
    struct gcal_buf text = { 0 };
    char *rest, *one;
    int rc = 0;

    *found = (struct gcal_source_assembly){ 0 };
    if (!read_statement(unit->source + gcal_source_start(unit, statement), &text,
                        found) ||
        text.failed) {
        gcal_buf_free(&text);
        read_instruction("", &found->instructions[found->n++]);
        return 0;
    }
    for (rest = text.data; rc == 0 && (one = strsep(&rest, ";"));) {
        one += strspn(one, " \t\r\n{}");
        if (!*one)
            continue;
        if (found->n == GCAL_SOURCE_MAX_INSTRUCTIONS) {
            found->instructions[found->n - 1].kind = GCAL_SOURCE_OTHER;
            break;
        }
        if (read_instruction(one, &found->instructions[found->n++]) < 0)
            rc = gcal_source_error(statement, err,
                                   "'%.*s' has a shape that its types do not have: take "
                                   "one of the PTX ISA",
                                   (int)strcspn(one, " \t{"), one);
    }
    gcal_buf_free(&text);
    return rc;
}
