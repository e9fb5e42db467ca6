/* option_describe.c - the options of a command as JSON */
#include "mpi/cli/option_describe.h"

#include <stdlib.h>
#include <string.h>

#include "mpi/cli/json.h"
#include "mpi/cli/option_rows.h"

/* Null for NULL. */
static json_t *text_json(const char *text)
{
    return text ? json_string(text) : json_null();
}

/* The parts of 'text' between 'separator's. */
static json_t *split(const char *text, char separator)
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

static json_t *row_json(const struct gcal_option_row *row)
{
    const struct argp_option *o = row->option;

    return json_pack("{s:s, s:o, s:o, s:b, s:o, s:o, s:s}", "name",
                     o->name ? o->name : "", "letter", letter_json(o->key), "argument",
                     text_json(o->arg), "optional",
                     (int)!!(o->flags & OPTION_ARG_OPTIONAL), "values",
                     o->arg && strchr(o->arg, '|') ? split(o->arg, '|') : json_null(),
                     "text", text_json(o->doc), "header", row->header);
}

/* What is no option, but a word that an argument may be. */
static json_t *word_json(const struct argp_option *o)
{
    return json_pack("{s:s, s:o}", "name", o->name ? o->name : "", "text",
                     text_json(o->doc));
}

/* argp's text before and after '\v' */
static void add_texts(json_t *all, const char *doc)
{
    const char *after = doc ? strchr(doc, '\v') : NULL;
    size_t length = after ? (size_t)(after - doc) : doc ? strlen(doc) : 0;

    json_object_set_new(all, "purpose", json_stringn(doc ? doc : "", length));
    json_object_set_new(all, "notes", json_string(after ? after + 1 : ""));
}

void gcal_option_describe(const struct argp *argp, const char *command)
{
    size_t n;
    struct gcal_option_row *rows = gcal_option_rows(argp, &n);
    json_t *options = json_array(), *words = json_array(), *all;

    for (size_t i = 0; rows && i < n; i++)
        if (rows[i].option->flags & OPTION_DOC)
            json_array_append_new(words, word_json(rows[i].option));
        else
            json_array_append_new(options, row_json(&rows[i]));
    all = json_pack("{s:s, s:o, s:o, s:o}", "command", command, "usage",
                    split(argp->args_doc ? argp->args_doc : "", '\n'), "options", options,
                    "words", words);
    add_texts(all, argp->doc);
    gcal_json_print(all, "help");
    json_decref(all);
    free(rows);
}
