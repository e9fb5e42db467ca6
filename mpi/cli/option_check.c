/* option_check.c - options and values that do not exist, with the ones probably meant
 *
 * argp, by getopt_long(), takes any unique beginning of an option's name; so does this.
 */
#include "mpi/cli/option_check.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "kernels/base/similar.h"
#include "mpi/cli/option_rows.h"

enum { MAX_WORDS = 16 }; /* that an argument names */

struct check {
    const char *command;
    size_t n;
    struct gcal_option_row *rows;
    const char **names; /* n + 3, and NULL */
};

/* argp has these by itself, and -h is --help. */
static const char *const own[] = { "help", "usage", "version" };
static const char own_letters[] = "?hV";
enum { N_OWN = sizeof(own) / sizeof(*own) };

static bool is_option(const struct argp_option *o)
{
    return !(o->flags & OPTION_DOC);
}

/* The option whose name is 'text' up to 'length', or begins with it; NULL: none. */
static const char *find_name(const struct check *c, const char *text, size_t length)
{
    const char *found = NULL;

    for (const char **name = c->names; *name; name++)
        if (strncmp(*name, text, length) == 0 && (!found || !(*name)[length]))
            found = *name;
    return found;
}

static const struct argp_option *find_long(const struct check *c, const char *name)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_option(c->rows[i].option) && c->rows[i].option->name &&
            strcmp(c->rows[i].option->name, name) == 0)
            return c->rows[i].option;
    return NULL;
}

static const struct argp_option *find_letter(const struct check *c, char letter)
{
    for (size_t i = 0; i < c->n; i++)
        if (is_option(c->rows[i].option) && c->rows[i].option->key == letter)
            return c->rows[i].option;
    return NULL;
}

static _Noreturn void refuse(const struct check *c)
{
    fprintf(stderr, "Try '%s --help' or '%s --usage' for more information.\n", c->command,
            c->command);
    exit(GCAL_EINPUT);
}

static bool contains(const char *const *words, const char *word)
{
    while (*words && strcmp(*words, word) != 0)
        words++;
    return *words;
}

static void check_value(const struct check *c, const struct argp_option *o,
                        const char *value)
{
    char *words = o->arg && strchr(o->arg, '|') ? strdup(o->arg) : NULL, *rest = words;
    const char *known[MAX_WORDS + 1] = { NULL };
    size_t n = 0;

    while (rest && n < MAX_WORDS)
        known[n++] = strsep(&rest, "|");
    if (n && !contains(known, value)) {
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
    const char *name = find_name(c, text, length);
    const struct argp_option *o = name ? find_long(c, name) : NULL;
    bool takes_next = o && o->arg && !value && !(o->flags & OPTION_ARG_OPTIONAL);

    if (!name)
        refuse_long(c, text, length);
    if (o && o->arg && (value || (takes_next && argv[1])))
        check_value(c, o, value ? value + 1 : argv[1]);
    return takes_next && argv[1];
}

static _Noreturn void refuse_letter(const struct check *c, char letter)
{
    fprintf(stderr, "%s: unknown option '-%c'\n", c->command, letter);
    refuse(c);
}

/* The same of "-abc" and "-nVALUE". */
static int check_letters(const struct check *c, char **argv)
{
    for (const char *letter = argv[0] + 1; *letter; letter++) {
        const struct argp_option *o = find_letter(c, *letter);

        if (!o && !strchr(own_letters, *letter))
            refuse_letter(c, *letter);
        if (!o || !o->arg)
            continue;
        if (letter[1] || (!(o->flags & OPTION_ARG_OPTIONAL) && argv[1]))
            check_value(c, o, letter[1] ? letter + 1 : argv[1]);
        return !letter[1] && !(o->flags & OPTION_ARG_OPTIONAL) && argv[1];
    }
    return 0;
}

void gcal_option_check(const struct argp *argp, int argc, char **argv)
{
    struct check c = { .command = argv[0] };
    size_t n = 0;

    if (!(c.rows = gcal_option_rows(argp, &c.n)) ||
        !(c.names = calloc(c.n + N_OWN + 1, sizeof(*c.names))))
        goto out; /* argp is going to find that memory ran out */
    for (size_t i = 0; i < c.n; i++)
        if (is_option(c.rows[i].option) && c.rows[i].option->name)
            c.names[n++] = c.rows[i].option->name;
    memcpy(c.names + n, own, sizeof(own));
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--", 2) == 0)
            i += check_long(&c, argv + i);
        else if (argv[i][0] == '-')
            i += check_letters(&c, argv + i);
out:
    free(c.rows);
    free(c.names);
}
