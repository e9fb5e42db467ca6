/* field.h - tables that describe the members of a struct
 *
 * One table for each exchanged struct drives all of its encodings: messages and journal
 * (gcal_fields_put() and gcal_fields_get()), the columns of a record (store/record), the
 * keys of parameter files (store/params) and of JSON (mpi/commands/bench).  A table ends with an
 * entry without a name.
 */
#ifndef GCAL_KERNELS_MODEL_RUN_FIELD_H
#define GCAL_KERNELS_MODEL_RUN_FIELD_H

#include <stdbool.h>
#include <stddef.h>

struct gcal_buf;
struct gcal_wire;
struct gcal_error;

enum gcal_field_type {
    GCAL_FIELD_TEXT,          /* char *; NULL is encoded as "" */
    GCAL_FIELD_OPTIONAL_TEXT, /* char *, NULL if there is none */
    GCAL_FIELD_F64,           /* double */
    GCAL_FIELD_U64,           /* uint64_t or size_t */
    GCAL_FIELD_INT,           /* int */
    GCAL_FIELD_BOOL,
    GCAL_FIELD_ENUM, /* an enumeration without negative values */
};

struct gcal_field {
    const char *name; /* "max_clock": the column of a record */
    enum gcal_field_type type;
    size_t offset;           /* of the member in its struct */
    const char *unit;        /* "Hz", "byte", "s", "degC", "1" (a ratio); NULL: none */
    const char *description; /* a phrase */
    const char *const
        *values;     /* names of an enumeration's values from 0, ended by NULL */
    const char *key; /* "max_clock_hz": in parameter files and JSON; NULL: as 'name' */
    bool optional;   /* left out of parameter files where it is 0: unknown */
};

/* A row of a table: GCAL_FIELD(struct gcal_device_info, F64, "max_clock", max_clock_hz,
 * "Hz", "highest clock rate", .key = "max_clock_hz")
 */
#define GCAL_FIELD(STRUCT, TYPE, NAME, MEMBER, UNIT, DESCRIPTION, ...)                   \
    {                                                                                    \
        .name = NAME, .type = GCAL_FIELD_##TYPE, .offset = offsetof(STRUCT, MEMBER),     \
        .unit = UNIT, .description = DESCRIPTION, __VA_ARGS__                            \
    }

/* The key, else the name. */
const char *gcal_field_key(const struct gcal_field *field);
/* The name of an enumeration's value; "unknown" for an invalid one. */
const char *gcal_field_value_name(const char *const *values, unsigned value);
/* The number of an enumeration's values. */
size_t gcal_field_value_count(const char *const *values);

/* Frees the texts and sets them to NULL; leaves other members alone. */
void gcal_fields_clear(const struct gcal_field *fields, void *object);
/* Copies all members of the table.  'to' is cleared by the caller, after -1, too. */
int gcal_fields_copy(const struct gcal_field *fields, void *to, const void *from,
                     struct gcal_error *err);

/* The binary encoding, in the order of the table. */
void gcal_fields_put(struct gcal_buf *buf, const struct gcal_field *fields,
                     const void *object);
/* Sets wire->bad on invalid data; texts read before are the caller's to free. */
void gcal_fields_get(struct gcal_wire *wire, const struct gcal_field *fields,
                     void *object);

/* For arrays that follow their count: */
/* Reads a count of items of at least 'item_bytes' each; 0 with wire->bad if the rest of
 * the message is shorter than that.
 */
size_t gcal_fields_get_count(struct gcal_wire *wire, size_t item_bytes);
/* Zeroed items, at least one; NULL with wire->bad if memory ran out. */
void *gcal_fields_get_array(struct gcal_wire *wire, size_t count, size_t item_bytes);

#endif
