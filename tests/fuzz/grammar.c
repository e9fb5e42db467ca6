/* grammar.c - kernels that OpenCL's grammar makes of bytes
 *
 * Bytes choose the productions, so that each input is a kernel that parses, or nearly, and a change of
 * a byte changes a part of its tree.  fuzz_count.c checks what comes of it.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/buf.h"
#include "tests/fuzz/grammar.h"

struct grammar {
    const uint8_t *at, *end;
    struct gcal_buf out;
    int depth;
};

static unsigned choose(struct grammar *g, unsigned n)
{
    return g->at < g->end ? *g->at++ % n : 0;
}

/* Productions: a capital letter stands for another one, and the first of each ends.
 * S statement, E integer, F floating-point number, C condition, V integer variable, A array,
 * T type, N number, O operator, Z work-item function, D directive.
 */
static const struct production {
    char name;
    unsigned n;
    const char *const *texts;
} productions[] = {
#define TEXTS(...)                                                                       \
    sizeof((const char *const[]){ __VA_ARGS__ }) / sizeof(char *), (const char *const[]) \
    {                                                                                    \
        __VA_ARGS__                                                                      \
    }
    { 'S',
      TEXTS("x[E] = F;", "y[E] += F;", "V = E;", "{ S S }", "if (C) S", "if (C) S else S",
            "for (int j = E; C; j += N) S", "for (int k = 0; k < E; k++) { S S }",
            "while (C) { S V O= N; }", "do { S V++; } while (C);", "if (C) return;",
            "for (int j = 0; j < E; j++) { if (C) break; S }",
            "switch (E) { case N: S break; case 1N: S default: S }", "l[E] = F;",
            "barrier(CLK_LOCAL_MEM_FENCE);", "p[E] = F;", "{ T t = E; S y[t] = F; }",
            "atomic_add(&z[E], E);", "vstore4((float4)(F), E, x);", "goto out;", "S S",
            "\n#pragma unroll N\nfor (int k = 0; k < N; k++) S", "h(x, E);",
            "q = C ? x : y; q[E] = F;", "V = V O E;", "\nD\nS") },
    { 'E', TEXTS("i", "V", "N", "Z", "(E O E)", "(C ? E : E)", "z[E]", "min(E, E)", "-E",
                 "(T)E", "(int)F", "mad24(E, N, E)", "sizeof(T)", "V++", "E << N",
                 "E / N", "E % N", "M(E)", "h2(E)", "clz(E)") },
    { 'F', TEXTS("1.0f", "x[E]", "y[E]", "l[E]", "p[E]", "(F + F)", "(F * F)", "F / F",
                 "fma(F, F, F)", "sqrt(F)", "(float)E", "(C ? F : F)", "-F", "s",
                 "dot(vload4(E, x), (float4)(F))", "v.x", "native_exp(F)", "c[E]") },
    { 'C', TEXTS("i < n", "E < E", "E == E", "E >= E", "C && C", "C || C", "!C", "E",
                 "F > F", "E != N") },
    { 'V', TEXTS("a", "b", "i", "n", "m", "u", "w") },
    { 'T', TEXTS("int", "uint", "long", "uchar", "size_t", "short", "float") },
    { 'N', TEXTS("1", "2", "0", "3", "16", "64", "-1", "255", "2147483647", "4294967296u",
                 "7") },
    { 'O', TEXTS("+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>") },
    { 'Z', TEXTS("get_global_id(0)", "get_local_id(0)", "get_group_id(0)",
                 "get_global_size(0)", "get_local_size(0)", "get_local_id(1)",
                 "get_global_id(N)", "get_num_groups(0)") },
    { 'D', TEXTS("#if N", "#endif", "#else", "#undef M", "#define M(e) ((e) O N)",
                 "#line N", "#pragma gpucal trips m") },
};

static void put(struct grammar *g, const char *text);

static void put_name(struct grammar *g, char name)
{
    for (size_t i = 0; i < sizeof(productions) / sizeof(*productions); i++)
        if (productions[i].name == name) {
            bool deep = g->depth > 24 || g->out.size > 6000;

            put(g, productions[i].texts[deep ? 0 : choose(g, productions[i].n)]);
            return;
        }
    gcal_buf_put(&g->out, &name, 1);
}

static void put(struct grammar *g, const char *text)
{
    g->depth++;
    for (size_t i = 0; text[i]; i++) {
        bool alone = !i || !strchr("_ABCDEFGHIJKLMNOPQRSTUVWXYZ", text[i - 1]);
        bool ends = !text[i + 1] ||
                    !strchr("_ABCDEFGHIJKLMNOPQRSTUVWXYZ(", text[i + 1]) ||
                    (text[i + 1] == '(' && text[i] != 'M');

        if (alone && ends)
            put_name(g, text[i]);
        else
            gcal_buf_put(&g->out, &text[i], 1);
    }
    g->depth--;
}

char *grammar_make(const uint8_t *data, size_t size)
{
    static const char *const first_lines[] = {
        "// local=64; global=n; sub=32; banks=32; index=1;\n",
        "// local=16,16; global=n,m; assume=n % 16 = 0;\n",
        "// local=7; global=floor((n+6)/7)*7; sub=32; estimates=1;\n",
        "// local=61,1; global=61*n,m; sub=3; budget=300;\n",
    };
    struct grammar g = { .at = data, .end = data + size };

    gcal_buf_puts(&g.out, first_lines[choose(&g, 4)]);
    gcal_buf_puts(&g.out,
                  "#define M(e) ((e) * 2)\n"
                  "void h(__global float *x, int i) { x[i] = i; }\n"
                  "int h2(int i) { return i > 3 ? i - 1 : i * i; }\n"
                  "__constant float c[16] = { 1 };\n"
                  "__kernel void f(__global float *x, __global float *y,\n"
                  "                __global int *z, __local float *l, int n, int m)\n"
                  "{\n    int i = get_global_id(0), a = 0, b = n;\n"
                  "    uint u = m;\n    long w = n;\n    float s = 0, p[8];\n"
                  "    float4 v = 0;\n    __global float *q = x;\n    ");
    do
        put(&g, "S\n    ");
    while (g.at < g.end && g.out.size < 6000);
    gcal_buf_puts(&g.out, "y[i] = s;\n}\n");
    return gcal_buf_take(&g.out, NULL);
}
