/* parse.c - the command line of a command: its options as a table, as JSON, and those that do
 * not exist, with the ones probably meant
 */
#include "mpi/cli/parse.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/arena.h"
#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "mpi/cli/json.h"
#include "mpi/cli/quiet.h"

/* ---- the options as one table ---- */

/* An option of a command, of its own or of a child. */
struct row {
    const struct argp_option *option;
    const char *header; /* of its group in --help, "" if none */
};

struct rows {
    size_t n, capacity;
    struct row *all;
};

/* Rows in the order of the tables, with descriptions (OPTION_DOC). */
static void add_rows(struct gcal_arena *arena, const struct argp *argp,
                     const char *header, struct rows *rows)
{
    for (const struct argp_option *o = argp->options; o && (o->name || o->key || o->doc);
         o++)
        if (!(o->flags & OPTION_HIDDEN)) {
            rows->all = gcal_arena_grow(arena, rows->all, rows->n, &rows->capacity,
                                        sizeof(*rows->all));
            rows->all[rows->n++] = (struct row){ o, header };
        }
    for (const struct argp_child *child = argp->children; child && child->argp; child++)
        add_rows(arena, child->argp, child->header ? child->header : header, rows);
}

/* ---- as JSON ---- */

/* Null for NULL. */
static json_t *text_json(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* The parts of 'text' between 'separator's. */
static json_t *split_json(const char *text, char separator)
{
    json_t *parts = json_array();

    for (;;) {
        size_t length = (size_t)(strchrnul(text, separator) - text);

        json_array_append_new(parts, json_stringn(text, length));
        if (!text[length])
            return parts;
        text += length + 1;
    }
}

/* The keys of argp_option above ' ' are letters if they are ASCII. */
static json_t *letter_json(int key)
{
    char letter[2] = { (char)key, '\0' };

    return key > ' ' && key < 127 ? json_string(letter) : json_null();
}

static json_t *row_json(const struct row *row)
{
    const struct argp_option *o = row->option;

    return json_pack(
        "{s:s, s:o, s:o, s:b, s:o, s:o, s:s}", "name", o->name ? o->name : "", "letter",
        letter_json(o->key), "argument", text_json(o->arg), "optional",
        (int)!!(o->flags & OPTION_ARG_OPTIONAL), "values",
        o->arg && strchr(o->arg, '|') ? split_json(o->arg, '|') : json_null(), "text",
        text_json(o->doc), "header", row->header);
}

/* What is no option, but a word that an argument may be. */
static json_t *word_json(const struct argp_option *o)
{
    return json_pack("{s:s, s:o}", "name", o->name ? o->name : "", "text",
                     text_json(o->doc));
}

/* The tables as one object: command, usage (a text for each form), purpose and notes (argp's text
 * before and after '\v'), and options (name, letter, argument, optional, values, text, header;
 * null where there is none).
 */
static void describe_options(const struct argp *argp, const char *command)
{
    struct gcal_arena *arena = gcal_arena_create();
    json_t *options = json_array(), *words = json_array(), *all;
    const char *doc = argp->doc ? argp->doc : "", *after = strchr(doc, '\v');
    struct rows rows = { 0 };

    add_rows(arena, argp, "", &rows);
    for (size_t i = 0; i < rows.n; i++)
        if (rows.all[i].option->flags & OPTION_DOC)
            json_array_append_new(words, word_json(rows.all[i].option));
        else
            json_array_append_new(options, row_json(&rows.all[i]));
    all = json_pack("{s:s, s:o, s:o, s:o}", "command", command, "usage",
                    split_json(argp->args_doc ? argp->args_doc : "", '\n'), "options",
                    options, "words", words);
    json_object_set_new(all, "purpose",
                        json_stringn(doc, after ? (size_t)(after - doc) : strlen(doc)));
    json_object_set_new(all, "notes", json_string(after ? after + 1 : ""));
    gcal_json_print(all, "help");
    json_decref(all);
    gcal_arena_destroy(arena);
}

/* ---- what does not exist ----
 *
 * argp, by getopt_long(), takes any unique beginning of an option's name; so does this.
 */

enum { MAX_WORDS = 16 }; /* that an argument names */

struct check {
    const char *command;
    struct rows rows;
    const char **names; /* of rows and argp's own, and NULL */
};

/* argp has these by itself, and -h is --help. */
static const char *const own[] = { "help", "usage", "version" };
static const char own_letters[] = "?hV";
enum { N_OWN = sizeof(own) / sizeof(*own) };

static bool is_option(const struct argp_option *o)
{
    return !(o->flags & OPTION_DOC);
}

static const struct argp_option *find_long(const struct check *c, const char *name)
{
    for (size_t i = 0; i < c->rows.n; i++)
        if (is_option(c->rows.all[i].option) && c->rows.all[i].option->name &&
            strcmp(c->rows.all[i].option->name, name) == 0)
            return c->rows.all[i].option;
    return NULL;
}

static const struct argp_option *find_letter(const struct check *c, char letter)
{
    for (size_t i = 0; i < c->rows.n; i++)
        if (is_option(c->rows.all[i].option) && c->rows.all[i].option->key == letter)
            return c->rows.all[i].option;
    return NULL;
}

static _Noreturn void refuse(const struct check *c)
{
    fprintf(stderr, "Try '%s --help' or '%s --usage' for more information.\n", c->command,
            c->command);
    exit(GCAL_EINPUT);
}

static void check_value(const struct check *c, const struct argp_option *o,
                        const char *value)
{
    char *words = o->arg && strchr(o->arg, '|') ? strdup(o->arg) : NULL, *rest = words;
    const char *known[MAX_WORDS + 1] = { NULL };
    bool found = false;
    size_t n = 0;

    for (; rest && n < MAX_WORDS; n++) {
        known[n] = strsep(&rest, "|");
        found = found || strcmp(known[n], value) == 0;
    }
    if (n && !found) {
        fprintf(stderr, "%s: --%s: expected ", c->command, o->name);
        for (size_t i = 0; i < n; i++)
            fprintf(stderr, "%s%s", i == 0 ? "" : i + 1 < n ? ", " : " or ", known[i]);
        fprintf(stderr, ", found '%s'%s\n", value, gcal_similar_hint(value, known).text);
        refuse(c);
    }
    free(words);
}

static _Noreturn void refuse_long(const struct check *c, const char *text, size_t length)
{
    char *word = strndup(text, length);
    const char *found = word ? gcal_similar(word, c->names) : NULL;

    fprintf(stderr, "%s: unknown option '--%.*s'", c->command, (int)length, text);
    if (found)
        fprintf(stderr, " (did you mean '--%s'?)", found);
    fputs("\n", stderr);
    refuse(c);
}

/* How many further arguments 'text', "--NAME" or "--NAME=VALUE" at argv[0], takes. */
static int check_long(const struct check *c, char **argv)
{
    const char *text = argv[0] + 2, *value = strchr(text, '=');
    size_t length = value ? (size_t)(value - text) : strlen(text);
    /* The option whose name is 'text' up to 'length', or begins with it; NULL: none. */
    const char *found = NULL;
    for (const char **name = c->names; *name; name++)
        if (strncmp(*name, text, length) == 0 && (!found || !(*name)[length]))
            found = *name;
    const char *name = found;
    const struct argp_option *o = name ? find_long(c, name) : NULL;
    bool takes_next = o && o->arg && !value && !(o->flags & OPTION_ARG_OPTIONAL);

    if (!name)
        refuse_long(c, text, length);
    if (o && o->arg && (value || (takes_next && argv[1])))
        check_value(c, o, value ? value + 1 : argv[1]);
    return takes_next && argv[1];
}

/* The same of "-abc" and "-nVALUE". */
static int check_letters(const struct check *c, char **argv)
{
    for (const char *letter = argv[0] + 1; *letter; letter++) {
        const struct argp_option *o = find_letter(c, *letter);

        if (!o && !strchr(own_letters, *letter)) {
            fprintf(stderr, "%s: unknown option '-%c'\n", c->command, *letter);
            refuse(c);
        }
        if (!o || !o->arg)
            continue;
        if (letter[1] || (!(o->flags & OPTION_ARG_OPTIONAL) && argv[1]))
            check_value(c, o, letter[1] ? letter + 1 : argv[1]);
        return !letter[1] && !(o->flags & OPTION_ARG_OPTIONAL) && argv[1];
    }
    return 0;
}

/* ---- parsing ---- */

/* argp has -?, as -h is free for programs; here it is free in all commands. */
static const struct argp_option common[] = {
    { "quiet", 'q', NULL, 0,
      "Print errors and the result only; of output for programs, all", 0 },
    { NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0 },
    { 0 },
};

static error_t parse_common(int key, char *arg, struct argp_state *state)
{
    (void)arg;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = state->input;
        return 0;
    case 'q':
        gcal_quiet_start();
        return 0;
    case 'h':
        argp_state_help(state, state->out_stream, ARGP_HELP_STD_HELP);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

void gcal_command_parse(const struct argp *argp, int argc, char **argv, void *input)
{
    struct argp alone = *argp, all = *argp;
    const struct argp_child children[] = { { &alone, 0, NULL, 0 }, { 0 } };

    alone.doc = alone.args_doc = NULL; /* or --help has them twice */
    all.options = common;
    all.parser = parse_common;
    all.children = children;
    for (const struct argp_option *o = argp->options; o && o->name; o++)
        if (o->key == 'q') /* some say what 'quiet' is to them */
            all.options = common + 1;
    if (argc == 3 && strcmp(argv[1], "--help") == 0 && strcmp(argv[2], "--json") == 0) {
        describe_options(&all, argv[0]);
        exit(0);
    }
    struct gcal_arena *arena = gcal_arena_create();
    struct check c = { .command = argv[0] };
    size_t n = 0;
    add_rows(arena, &all, "", &c.rows);
    c.names = gcal_arena_alloc(arena, c.rows.n + N_OWN + 1, sizeof(*c.names));
    for (size_t i = 0; i < c.rows.n; i++)
        if (is_option(c.rows.all[i].option) && c.rows.all[i].option->name)
            c.names[n++] = c.rows.all[i].option->name;
    memcpy(c.names + n, own, sizeof(own));
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--", 2) == 0)
            i += check_long(&c, argv + i);
        else if (argv[i][0] == '-')
            i += check_letters(&c, argv + i);
    gcal_arena_destroy(arena);
    argp_parse(&all, argc, argv, 0, NULL, input);
}
