/* source.h - OpenCL C, CUDA or C, as libclang's syntax tree */
#ifndef GCAL_KERNELS_SOURCE_H
#define GCAL_KERNELS_SOURCE_H

#include <clang-c/Index.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/base/strings.h"
#include "kernels/model/feature.h"
#include "kernels/request.h"

struct gcal_error;

/* A parsed source. */
struct gcal_source_unit {
    enum gcal_source_language language; /* CUDA of HIP, too */
    CXIndex index;
    CXTranslationUnit tu;
    char *source; /* the text that offsets refer to */
    char *file;
    struct gcal_source_names *names; /* of vectors' components */
    struct gcal_strings missing;     /* included files that were not found, of CUDA */
    char *key;                       /* all that it was parsed from */
    size_t n_users;
};

/* Reads clang's headers, which the first parse does otherwise: a process that has read them needs no
 * file any more to parse.
 */
void gcal_source_read_headers(void);

/* A parse that takes more seconds of a processor ends the process by SIGPROF: clang has no limit of
 * what macros and templates expand to.
 */
void gcal_source_limit_parses(int seconds);

/* 'build_options' (or NULL) are OpenCL's.  Macros, include folders and the standard take
 * effect; options that only vendors' compilers know are ignored.  GPUCAL_TAG is defined
 * in the form that gcal_source_find_tag() recognises.  NULL with 'err' (GCAL_EINPUT,
 * "file:line:column: message") for the first error in the source.
 */
struct gcal_source_unit *gcal_source_parse(enum gcal_source_language language,
                                           const char *source, const char *file,
                                           const char *build_options,
                                           struct gcal_error *err);
/* The same for the request's kernel, which is given in '*kernel': errors in functions that it does
 * not call are ignored.
 */
struct gcal_source_unit *
gcal_source_parse_kernel(const struct gcal_count_request *request, CXCursor *kernel,
                         struct gcal_error *err);
/* The same whatever errors it has, for its names: code with errors is missing. */
struct gcal_source_unit *gcal_source_parse_any(const struct gcal_count_request *request,
                                               struct gcal_error *err);
/* The unit that was parsed last is kept, as it is often described before it is counted. */
void gcal_source_close(struct gcal_source_unit *unit);

/* The last "-cl-std=..." of build options, or NULL: what the source printed again, without
 * macros, is to be parsed with.
 */
const char *gcal_source_standard(const char *build_options);

/* Fills 'err' (GCAL_EINPUT) with "file:line:column: " and the text.  Returns -1. */
int gcal_source_error(CXCursor at, struct gcal_error *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The same for an offset in the text. */
int gcal_source_error_at(const struct gcal_source_unit *unit, size_t offset,
                         struct gcal_error *err, const char *text);
void gcal_source_location(CXCursor at, int *line, int *column);
/* Offsets of the beginning and the end of 'c' in the text. */
size_t gcal_source_start(const struct gcal_source_unit *unit, CXCursor c);
size_t gcal_source_end(const struct gcal_source_unit *unit, CXCursor c);
bool gcal_source_is_within(const struct gcal_source_unit *unit, CXCursor c,
                           CXCursor outer);

/* Adds the names of all kernels, in the order of the source. */
int gcal_source_kernel_names(const struct gcal_source_unit *unit,
                             struct gcal_strings *names, struct gcal_error *err);

/* The kernel or function with that name and a body; NULL 'name': the only one.  Returns
 * 0, or -1 with 'err', which lists the names.
 */
int gcal_source_find_kernel(const struct gcal_source_unit *unit, const char *name,
                            CXCursor *kernel, struct gcal_error *err);
int gcal_source_find_function(const struct gcal_source_unit *unit, const char *name,
                              CXCursor *function, struct gcal_error *err);

/* A kernel's reqd_work_group_size; false: it has none. */
bool gcal_source_work_group(CXCursor kernel, size_t size[GCAL_MAX_DIMS]);

/* The first launch of the kernel by the source's host code that can be read; its texts are the caller's to
 * free.
 */
struct gcal_count_launch gcal_source_find_launch(const struct gcal_source_unit *unit,
                                                 CXCursor kernel);
/* Adds the instances of a template that the source refers to, "name<float, 16>". */
void gcal_source_instances(const struct gcal_source_unit *unit, CXCursor kernel,
                           const char *name, struct gcal_strings *names);

/* The children of a cursor without attributes and names of types, of a structure or union its fields,
 * with those that have no name; of a call the function (a constructor: a null cursor), for a method
 * the object or a pointer to it (a null cursor: the method's own that calls), and the arguments, with
 * those that are left out.  'cursors' is the caller's to free.
 */
struct gcal_source_children {
    size_t n;
    CXCursor *cursors;
};
int gcal_source_get_children(CXCursor of, struct gcal_source_children *children,
                             struct gcal_error *err);

/* From how many classes it is derived. */
size_t gcal_source_bases(CXType record);

/* In bits, of a member of 'record' or of a member without a name in it; negative: unknown. */
long long gcal_source_member_offset(CXType record, CXCursor field);
/* The function that is called, an argument of a template too; or a null cursor, or what it points to. */
CXCursor gcal_source_called(CXCursor call);
/* The name of the function that is called, in OpenCL C if CUDA has another for it; the caller's to
 * free, NULL with 'err'.
 */
char *gcal_source_called_name(CXCursor call, struct gcal_error *err);
/* A copy of a cursor's name (its spelling; "" if it has none); the caller's to free, NULL with 'err'. */
char *gcal_source_cursor_name(CXCursor cursor, struct gcal_error *err);

/* The kernel and every function, variable and type of the user's that it uses, as the
 * compiler has read them: without comments and macros, and without the kernel's name.
 * The caller's to free; NULL with 'err'.
 */
char *gcal_source_canonical_text(CXCursor kernel, struct gcal_error *err);

/* 'source', the text of a CUDA unit, without what runs on the host, for run-time compilers; the
 * caller's to free.  NULL with 'err'.
 */
char *gcal_source_device_text(const struct gcal_source_unit *unit, CXCursor kernel,
                              const char *source, struct gcal_error *err);

/* Inline assembly of NVIDIA's PTX, as far as it works on matrices or copies to local memory while the
 * kernel goes on.
 */
enum { GCAL_SOURCE_MAX_OPERANDS = 64, GCAL_SOURCE_MAX_INSTRUCTIONS = 32 };
struct gcal_source_address {
    int operand; /* of the statement; -1: none */
    int offset;  /* bytes from there */
};
struct gcal_source_instruction {
    enum {
        GCAL_SOURCE_OTHER,       /* not known here */
        GCAL_SOURCE_FREE,        /* of names and moves */
        GCAL_SOURCE_WAIT,        /* for all copies but the last 'bytes' groups of them */
        GCAL_SOURCE_MATRIX,      /* a product of matrices, of 'type' */
        GCAL_SOURCE_LOAD_MATRIX, /* rows of 16 bytes from 'to' on, by the first 'lanes' */
        GCAL_SOURCE_COPY         /* 'bytes' to local memory */
    } kind;
    bool is_conditional;
    bool is_uncached; /* a copy that the first-level cache does not serve */
    const char *type;
    int64_t multiply_adds;
    int lanes;
    struct gcal_source_address to, from, bytes; /* 'bytes': an operand, or a number */
};
struct gcal_source_assembly {
    size_t n;
    struct gcal_source_instruction instructions[GCAL_SOURCE_MAX_INSTRUCTIONS];
    bool is_read[GCAL_SOURCE_MAX_OPERANDS]; /* outputs that are inputs, too */
};
/* Fails for matrices of a shape that does not exist. */
int gcal_source_read_assembly(const struct gcal_source_unit *unit, CXCursor statement,
                              struct gcal_source_assembly *found, struct gcal_error *err);
/* The word for a type of elements of matrices (f16, bf16, tf32, f64, int8), the same each time; NULL:
 * there is none.
 */
const char *gcal_source_matrix_type(const char *type);

/* The canonical type of 'c'; invalid where it has none. */
CXType gcal_source_type(CXCursor c);

/* In bytes; negative: it has none, or is not known.  libclang crashes on types of code with errors. */
long long gcal_source_size(CXType type);

/* The address space of 'type': global, local, constant, or ANY for private. */
enum gcal_feature_space gcal_source_address_space(CXType type);

/* Returns whether memory of 'type' is in the generic address space of OpenCL C 2.0 or of CUDA, whose
 * pointers point to global, local or private memory.
 */
bool gcal_source_is_generic(CXType type);
/* An access through such a pointer in the kernel or a function that it calls. */
bool gcal_source_find_generic(const struct gcal_source_unit *unit, CXCursor kernel,
                              CXCursor *access);

/* The address space of what an expression or a declaration names, in any language; ANY for private
 * memory, and where only the walk can tell, as it is known by a pointer or a reference.
 */
enum gcal_feature_space gcal_source_space(CXCursor c);
bool gcal_source_is_pointed_to(CXCursor c);

/* As clang_getCursorKind(), with the kinds of C for what C++ has of its own: casts, methods. */
enum CXCursorKind gcal_source_kind(CXCursor c);
bool gcal_source_is_reference(CXType type);
/* Returns whether it is called for an object. */
bool gcal_source_is_method(CXCursor function);
/* What child 'i' of a call, from 1 on, is given to: a parameter, or the method itself for its object. */
CXCursor gcal_source_parameter(CXCursor function, size_t i);

bool gcal_source_is_image(CXType type);
/* Of a canonical type. */
bool gcal_source_is_array(CXType type);

/* How many elements a vector has, of OpenCL C or the structure that is one in CUDA; 0: it is no
 * vector.  NULL 'element': not asked for.
 */
long long gcal_source_vector(CXType type, CXType *element);

/* "float32", "int64", ... of a scalar or of a vector's elements; NULL for other types. */
const char *gcal_source_dtype(CXType type);

enum { GCAL_SOURCE_MAX_COMPONENTS = 16 };
/* Returns whether 'c', whose only child is 'of', is v.xy or p->xy. */
bool gcal_source_is_component(const struct gcal_source_unit *unit, CXCursor c,
                              CXCursor of);
/* The numbers of the components of 'vector' that such an expression names, in its order.
 * Returns how many; 0 where their names are not found.
 */
size_t gcal_source_component(const struct gcal_source_unit *unit, CXCursor c,
                             CXCursor vector,
                             signed char lanes[GCAL_SOURCE_MAX_COMPONENTS]);
/* The same for a name ("xyz", "s01", "lo", "rgb") in a vector of 'count'. */
size_t gcal_source_component_lanes(const char *name, size_t length, size_t count,
                                   signed char lanes[GCAL_SOURCE_MAX_COMPONENTS]);

/* Returns whether 'c', which the tree shows as an implicit cast of 'operand', is as_float(operand)
 * or the like.
 */
bool gcal_source_is_reinterpreted(CXCursor c, CXCursor operand);

/* Returns whether the operand of a cast from array to pointer, without parentheses, is a pointer
 * already, by a cast or an operator of its own, and no array.
 */
bool gcal_source_has_decayed(CXCursor array);

/* Init, condition, increment and body of a for; omitted ones are null cursors. */
int gcal_source_for_clauses(CXCursor loop, CXCursor parts[4], struct gcal_error *err);

/* Returns whether 'c' is the expansion of GPUCAL_TAG(name, lvalue); gives the lvalue (often in
 * parentheses) and the name, cut at 'room' bytes.
 */
bool gcal_source_find_tag(CXCursor c, CXCursor *lvalue, char *tag, size_t room);

#endif
