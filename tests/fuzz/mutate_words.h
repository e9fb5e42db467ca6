/* mutate_words.h - tokens, expressions and statements of OpenCL C for mutate.c */
#ifndef GCAL_TESTS_FUZZ_MUTATE_WORDS_H
#define GCAL_TESTS_FUZZ_MUTATE_WORDS_H

/* clang-format off */
static const char *const identifiers[] = {
    "get_global_id(0)", "get_local_id(0)", "get_group_id(0)", "get_global_size(0)",
    "get_local_size(0)", "get_num_groups(0)", "get_global_id(1)", "get_local_id(1)",
    "get_global_offset(0)", "get_work_dim()", "int", "uint", "long", "ulong", "size_t",
    "char", "half", "float", "double", "float2", "float4", "int4", "uchar16", "void",
    "__global", "__local", "__constant", "__private", "const", "volatile", "restrict",
    "fma", "mad", "mad24", "min", "max", "clamp", "sqrt", "native_sin", "pow", "select",
    "vload4", "vstore4", "atomic_add", "atomic_inc", "as_int", "convert_float4", "if",
    "for", "while", "do", "switch", "return", "break", "continue", "goto", "sizeof",
    "static", "inline", "struct",
};

static const char *const numbers[] = {
    "0", "1", "2", "3", "4", "5", "7", "8", "15", "16", "17", "31", "32", "33", "64",
    "255", "256", "1000", "4096", "65536", "1000003", "2147483647", "2147483648",
    "4294967295u", "9223372036854775807", "18446744073709551615ul", "0x7fffffffffffffffL",
    "-1", "-2", "-16", "(-2147483647-1)", "(-9223372036854775807L-1)", "1u", "1ul",
    "0.0f", "1.5f", "2.0", "1e30f", "3.0h", "'a'",
};

static const char *const operators[] = {
    "+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "<", "<=", ">", ">=",
    "==", "!=", "=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^=", "++",
    "--", "!", "~", "?", ":", ",", ".", "->", "[", "]", "(", ")",
    "/*$t*/",
};
enum { N_BINARY = 29 }; /* the first of them, with two operands */

/* '@' is the replaced text. */
static const char *const expressions[] = {
    "(@ + 1)", "(@ - 1)", "(2 * @)", "(@ / 3)", "(@ % 4)", "(@ / 16)", "(@ % 16)",
    "(@ >> 2)", "(@ << 3)", "(@ & 15)", "(@ | 1)", "(@ ^ 1)", "(-@)", "(~@)", "(!@)",
    "min(@, 7)", "max(@, 3)", "min(@, n)", "max(@, get_local_id(0))", "clamp(@, 0, n - 1)",
    "clamp(@, 3, 30)", "min(max(@, 0), 15)", "max(min(@, n - 1), 0)", "min(n, max(@, 2))",
    "(@ < 0 ? 0 : @)", "(@ >= n ? n - 1 : @)", "(@ % 2)", "(@ % 3 == 1)", "(@ & 1)", "abs(@)", "(@ * @)", "(@ + @)", "(@ - @)", "(@ / @)",
    "(@ < 5 ? @ : 3)", "(@ > 0 && @ < 9)", "(@ == 0 || @ > 9)", "(int)@", "(float)@",
    "(uint)@", "(uchar)@", "(long)@", "@++", "--@", "(&@)", "(*@)", "@[0]", "@[@]",
    "(@, 1)", "(@ = 1)", "(@ += 2)", "mad24(@, 4, 1)", "(@ * 1000003)",
    "(@ * 2147483647)", "sizeof(@)", "get_local_id(@)", "@.x", "@.s01", "(float4)(@)",
    "fma(@, @, @)", "GPUCAL_TAG(t, @)", "((1 - @) * (2 + @))", "((@ + 15) / 16 * 16)",
    "((@ + 3) % 5 - 2)", "@(@)",
};

static const char *const statements[] = {
    "if (get_local_id(0) < 5) { @ }", "if (get_global_id(0) >= 7) { @ } else { @ }",
    "if (get_local_id(0) % 3 == 1) { @ }", "if (get_global_id(0) > 3) return; @",
    "for (int q = 0; q < 7; q++) { @ }", "for (int q = 20; q > 0; q -= 3) { @ }",
    "for (int q = get_local_id(0); q < 100; q += 16) { @ }",
    "for (int q = 0; q < 5; q++) for (int r = q; r < 9; r++) { @ }",
    "for (int q = 1; q < 64; q *= 2) { @ }", "for (int q = 64; q > 0; q >>= 1) { @ }",
    "for (;;) { @ break; }", "for (int q = 0; q < 1000000000; q++) { @ }",
    "#pragma unroll 4\nfor (int q = 0; q < 8; q++) { @ }",
    "#pragma unroll\nfor (int q = 0; q < 8; q++) { @ }",
    "int w = 0; while (w < 9) { @ w += 2; }", "int w = 9; do { @ w--; } while (w > 0);",
    "for (int q = 0; q < n; q++) { int p9 = q + 1; int o9 = min(p9, 7); @ }",
    "for (int q = 0; q < n; q++) { int o9; o9 = max(q - 3, 0); for (int r = o9; r < n; r++) { @ } }",
    "for (int q = -2; q <= 2; q++) { int o9 = clamp((int)get_global_id(0) + q, 0, n - 1); @ }",
    "for (int q = 0; q < n; q++) if (q % 3 == get_local_id(0) % 2) { @ }",
    "if (get_global_id(0) % 2 == 1) { @ } else { @ }", "if (get_global_id(0) & 1) { @ }",
    "switch (get_global_id(0) % 3) { case 1: @ break; case 2: @ }",
    "for (uint q = get_global_id(0) - 1; q < n; q++) { @ }",
    "switch (get_local_id(0)) { case 1: @ break; case 2: default: @ }", "{ @ }", "@ @",
    "{ int n = 3; @ }", "{ float m = 0; @ }", "return; @", "@ return;", "@ break;",
    "@ continue;", "barrier(CLK_LOCAL_MEM_FENCE); @", "again: @ goto again;",
    "__local float t9[16][17]; t9[get_local_id(0)][3] = 1; @",
    "float v9[8]; v9[2] = 3; @", "float4 f9 = (float4)(1, 2, 3, 4); f9.xy = f9.zw; @",
    "struct { int a; float b; } s9; s9.a = 3; @", "int a9 = 3, *p9 = &a9; *p9 = 4; @",
    "__local int c9; atomic_inc(&c9); @", "#define Q9(x) (x + x)\n @",
};
/* clang-format on */

#endif
