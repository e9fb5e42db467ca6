/* formula.c - the expression of a model, for people and as JSON */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "kernels/model/named_expr.h"
#include "mpi/commands/show/private.h"
#include "store/params/params.h"

/* Lines end here where they can: names of features may be longer. */
#define WIDTH 100

#define INDENT       6
#define INDENT_NAMES 8
#define INDENT_MORE  4 /* of a continued line */

/* ---- lines ---- */

/* The end of a piece that no line break divides: to the next white space or after a comma,
 * but for those in braces, which are part of names.
 */
static const char *piece_end(const char *at, bool divide_names)
{
    int depth = 0;

    for (; *at && (depth > 0 || !isspace((unsigned char)*at)); at++) {
        depth += (*at == '{') - (*at == '}');
        if (*at == ',' && (divide_names || depth <= 0))
            return at + 1;
    }
    return at;
}

static const char *skip_space(const char *at)
{
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

/* After 'column' characters of the line.  Names that are longer than a line are divided. */
static void print_wrapped(const char *text, int indent, int column)
{
    const int margin = indent + INDENT_MORE;
    const char *divided = text; /* pieces up to here are parts of a name */
    bool gap = false;

    for (const char *at = skip_space(text), *end; *at; at = skip_space(end)) {
        end = piece_end(at, at < divided);
        if (end - at > WIDTH - margin) {
            divided = end;
            end = piece_end(at, true);
        }
        if (column > margin && column + gap + (end - at) > WIDTH) {
            printf("\n%*s", margin, "");
            column = margin;
            gap = false;
        }
        column += printf("%s%.*s", gap ? " " : "", (int)(end - at), at);
        gap = isspace((unsigned char)*end);
    }
    printf("\n");
}

static void print_definition(const char *name, const char *text, int indent)
{
    int column = printf("%*s%s = ", indent, "", name);

    print_wrapped(text, indent, column);
}

void gcal_formula_print(const struct gcal_params_model *model)
{
    const struct gcal_expr_names *names = model->names;
    size_t n = gcal_expr_names_count(names);

    if (!n && strlen(model->expression) <= WIDTH) {
        printf(" %s\n", model->expression);
        return;
    }
    printf("\n");
    print_definition("time", model->expression, INDENT);
    if (n)
        printf("%*swhere\n", INDENT, "");
    for (size_t i = 0; i < n; i++)
        print_definition(gcal_expr_names_name(names, i), gcal_expr_names_text(names, i),
                         INDENT_NAMES);
}

/* ---- JSON ---- */

static void add_text(json_t *map, const char *key, const char *text)
{
    json_object_set_new(map, key, json_string(text));
}

void gcal_formula_add_json(json_t *all, const struct gcal_params_model *model)
{
    size_t n = gcal_expr_names_count(model->names);
    json_t *names = json_object(), *roofs = json_object();

    add_text(all, "expression", model->expression);
    for (size_t i = 0; i < n; i++)
        add_text(names, gcal_expr_names_name(model->names, i),
                 gcal_expr_names_text(model->names, i));
    for (size_t i = 0; i < model->roofs.n; i++)
        add_text(roofs, model->roofs.roofs[i].name, model->roofs.roofs[i].expression);
    if (n)
        json_object_set(all, "expressions", names);
    if (model->roofs.n)
        json_object_set(all, "roofs", roofs);
    json_decref(names);
    json_decref(roofs);
}
