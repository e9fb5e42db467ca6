/* expr_private.h - an expression as a graph of nodes and as a program */
#ifndef GCAL_KERNELS_MODEL_EXPR_PRIVATE_H
#define GCAL_KERNELS_MODEL_EXPR_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gcal_error;
struct gcal_expr;
struct gcal_expr_names;

/* Limits far above honest expressions, which protect the stack from hostile ones. */
#define GCAL_EXPR_MAX_NESTING 100       /* parentheses, signs and powers in each other */
#define GCAL_EXPR_MAX_DEPTH   6000      /* of the graph: a sum of n terms is n deep */
#define GCAL_EXPR_MAX_LENGTH  (1 << 17) /* characters */
#define GCAL_EXPR_MAX_PROGRAM (1 << 18) /* instructions */
#define GCAL_EXPR_MAX_STACK   192       /* values on the evaluation stack */
#define GCAL_EXPR_MAX_ARGS    64        /* of one function */
#define GCAL_EXPR_MAX_KEPT    512       /* values of one evaluation that are used again */

enum gcal_expr_op {
    GCAL_EXPR_OP_NUMBER,
    GCAL_EXPR_OP_SYMBOL,
    GCAL_EXPR_OP_ADD,
    GCAL_EXPR_OP_SUB,
    GCAL_EXPR_OP_MUL,
    GCAL_EXPR_OP_DIV,
    GCAL_EXPR_OP_POW,
    GCAL_EXPR_OP_NEG,
    GCAL_EXPR_OP_POWI, /* programs only, as the next two: a small integer power */
    GCAL_EXPR_OP_KEEP, /* keeps the value on top of the stack */
    GCAL_EXPR_OP_KEPT, /* a value that was kept */
    /* functions: name(...) */
    GCAL_EXPR_OP_MIN,
    GCAL_EXPR_OP_MAX,
    GCAL_EXPR_OP_EXP,
    GCAL_EXPR_OP_LOG,
    GCAL_EXPR_OP_LOG2,
    GCAL_EXPR_OP_SQRT,
    GCAL_EXPR_OP_TANH,
    GCAL_EXPR_OP_FLOOR,
    GCAL_EXPR_OP_CEIL,
    GCAL_EXPR_OP_STEP,
    GCAL_EXPR_OP_SMOOTHSTEP,
    GCAL_EXPR_OP_OVERLAP,
    GCAL_EXPR_OP_PNORM,
    GCAL_EXPR_OP_SMOOTHMAX,
    /* of derivatives only; finite where logarithms of 0 would not be */
    GCAL_EXPR_OP_SELECT,    /* select(a, b, x, y): x where a <= b, else y */
    GCAL_EXPR_OP_POW_D,     /* pow_d(a, b): a^b log(a), the derivative of a^b by b */
    GCAL_EXPR_OP_OVERLAP_T, /* overlap_t(g, c, edge): the step's tanh */
    GCAL_EXPR_OP_OVERLAP_D, /* overlap_d(k, g, c, edge, t): overlap by argument k, from 0
                             */
    GCAL_EXPR_OP_PNORM_L,   /* pnorm_l(p, norm, a, n): log(a / norm), of n arguments */
    GCAL_EXPR_OP_PNORM_D,   /* pnorm_d(p, l): pnorm by the argument of that logarithm */
    GCAL_EXPR_OP_PNORM_E,   /* pnorm_e(a, slope, l): a slope l */
    GCAL_EXPR_OP_SMOOTHMAX_W, /* smoothmax_w(k, max, a, scale, n): the weight of argument
                                 a */
    GCAL_EXPR_OP_SMOOTHMAX_S, /* smoothmax_s(k, max, mean, scale, n): smoothmax by its
                                 scale */
    GCAL_EXPR_OP_COUNT,
};

struct gcal_expr_builtin {
    const char *name;
    size_t min_args, max_args;
};

/* By enum gcal_expr_op; operators have no name. */
extern const struct gcal_expr_builtin gcal_expr_builtins[GCAL_EXPR_OP_COUNT];

struct gcal_expr_node {
    enum gcal_expr_op op;
    int depth;
    size_t index;   /* of its expression's nodes, in the order in which they were made */
    uint64_t holds; /* bit 'symbol % 64' of every symbol in it */
    size_t symbol;
    double number;
    size_t n_args;
    struct gcal_expr_node *args[];
};

struct gcal_expr_instruction {
    uint16_t op;
    uint16_t n_args; /* of a function; the power of GCAL_EXPR_OP_POWI */
    uint32_t symbol; /* or the place of a kept value */
    double number;
};

/* Nodes are many and small, and are freed together. */
struct gcal_expr_node_block {
    struct gcal_expr_node_block *next;
    size_t used, size; /* bytes */
    max_align_t bytes[];
};

struct gcal_expr {
    char **symbols;
    size_t n_symbols, symbols_capacity;
    struct gcal_expr_node_block *nodes; /* the newest first */
    size_t n_nodes;
    bool shares; /* a named expression is used several times */
    bool
        keeps_extremes; /* a minimum of minima stays one: its arguments are wanted whole */
    struct gcal_expr_node *root;
    struct gcal_expr_instruction *program;
    size_t n_instructions, program_capacity;
};

/* Functions that make nodes simplify them, without changing their value (expr_node.c).
 * They return NULL if memory runs out, the graph gets too deep, or an argument is NULL, so
 * that a chain of calls needs one check; the first failure fills 'err'.
 */
struct gcal_expr_builder {
    struct gcal_expr *expr;
    struct gcal_error *err;
    /* While a derivative is made: those of nodes 0 .. n_slopes - 1, NULL where not made. */
    struct gcal_expr_node **slopes;
    size_t n_slopes;
    bool failed; /* to make one of them */
};

struct gcal_expr_node *gcal_expr_node_number(struct gcal_expr_builder *b, double number);
struct gcal_expr_node *gcal_expr_node_symbol(struct gcal_expr_builder *b, size_t symbol);
struct gcal_expr_node *gcal_expr_node_make(struct gcal_expr_builder *b,
                                           enum gcal_expr_op op, size_t n_args,
                                           struct gcal_expr_node *const *args);
struct gcal_expr_node *gcal_expr_node_unary(struct gcal_expr_builder *b,
                                            enum gcal_expr_op op,
                                            struct gcal_expr_node *a);
struct gcal_expr_node *gcal_expr_node_binary(struct gcal_expr_builder *b,
                                             enum gcal_expr_op op,
                                             struct gcal_expr_node *a,
                                             struct gcal_expr_node *c);

/* The derivative of a node of 'expr' by a symbol; it contains parts of 'node', and each node
 * is derived once.  The indices of its own nodes follow those of 'expr'.
 */
struct gcal_expr_node *gcal_expr_node_derivative(struct gcal_expr_builder *b,
                                                 const struct gcal_expr *expr,
                                                 struct gcal_expr_node *node,
                                                 size_t symbol);
void gcal_expr_nodes_free(struct gcal_expr *expr);

/* An expression with these symbols and without nodes. */
struct gcal_expr *gcal_expr_create(size_t n_symbols, const char *const *symbols,
                                   struct gcal_error *err);

/* Names that mean graphs while a text is parsed. */
struct gcal_expr_lookup {
    /* NULL: the name is none of them. */
    struct gcal_expr_node *(*find)(struct gcal_expr_lookup *lookup, const char *name,
                                   size_t length);
};

/* The graph of a text in 'expr', whose symbols are all that are allowed if they are fixed;
 * 'lookup' may be NULL.
 */
struct gcal_expr_node *gcal_expr_parse_node(struct gcal_expr *expr, const char *text,
                                            bool fixed_symbols,
                                            struct gcal_expr_lookup *lookup,
                                            struct gcal_error *err);

/* The slot of a symbol, which is added if it is new; SIZE_MAX with 'err'. */
size_t gcal_expr_add_symbol(struct gcal_expr *expr, const char *name, size_t length,
                            struct gcal_error *err);

/* Makes 'root' (-1 if it is NULL) the expression's root, and makes its program. */
int gcal_expr_compile(struct gcal_expr *expr, struct gcal_expr_node *root,
                      struct gcal_error *err);

/* Makes roots[i] the graph of texts[i] with these names (NULL: none), in one expression, which has no program and has these
 * symbols alone.  A maximum that is an argument of another remains one node, so that each use of it
 * is found.  NULL with 'err'; '*failed', which starts as 0, is then the text that it is about.
 */
struct gcal_expr *gcal_expr_parse_roots(size_t n, const char *const *texts,
                                        const struct gcal_expr_names *names,
                                        size_t n_symbols, const char *const *symbols,
                                        struct gcal_expr_node **roots, size_t *failed,
                                        struct gcal_error *err);

/* The function of that name; GCAL_EXPR_OP_COUNT: none. */
enum gcal_expr_op gcal_expr_find_builtin(const char *name, size_t length);

/* The value of an operator or function. */
double gcal_expr_op_apply(enum gcal_expr_op op, size_t n_args, const double *args);

/* Powers that are evaluated as products. */
static inline bool gcal_expr_is_integer_power(double exponent)
{
    return exponent >= 2 && exponent <= 8 && exponent == (int)exponent;
}

static inline bool gcal_expr_node_is_integer_power(const struct gcal_expr_node *node)
{
    const struct gcal_expr_node *exponent =
        node->op == GCAL_EXPR_OP_POW ? node->args[1] : NULL;

    return exponent && exponent->op == GCAL_EXPR_OP_NUMBER &&
           gcal_expr_is_integer_power(exponent->number);
}

static inline double gcal_expr_integer_power(double x, unsigned power)
{
    double result = x;

    while (--power)
        result *= x;
    return result;
}

#endif
