/* table.c - a table of columns as an HDF5 group */
#include <stdlib.h>
#include <string.h>

#include "kernels/base/error.h"
#include "store/record/file.h"

static int is_text(const struct gcal_field *column)
{
    return column->type == GCAL_FIELD_TEXT || column->type == GCAL_FIELD_OPTIONAL_TEXT;
}

int gcal_record_hdf5_start(struct gcal_error *err)
{
    /* HDF5 must not print, a record must not load code, and HDF5 must not clean up at the
     * end of the program: see give_up() in write.c.
     */
    H5dont_atexit();
    if (H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0 ||
        H5PLset_loading_state(0) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "HDF5 cannot be started");
    return 0;
}

hid_t gcal_record_text_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    if (type >= 0 &&
        (H5Tset_size(type, H5T_VARIABLE) < 0 || H5Tset_cset(type, H5T_CSET_UTF8) < 0)) {
        H5Tclose(type);
        return -1;
    }
    return type;
}

/* The column's type in the file; the caller's to close. */
static hid_t file_type(const struct gcal_field *column)
{
    switch (column->type) {
    case GCAL_FIELD_F64:
        return H5Tcopy(H5T_IEEE_F64LE);
    case GCAL_FIELD_U64:
        return H5Tcopy(H5T_STD_U64LE);
    case GCAL_FIELD_INT:
        return H5Tcopy(H5T_STD_I32LE);
    case GCAL_FIELD_BOOL:
        return H5Tcopy(H5T_STD_U8LE);
    case GCAL_FIELD_ENUM: {
        /* An enumeration over unsigned bytes with the names of the values. */
        hid_t type = H5Tenum_create(H5T_STD_U8LE);

        for (unsigned char i = 0; type >= 0 && column->values[i]; i++)
            if (H5Tenum_insert(type, column->values[i], &i) < 0) {
                H5Tclose(type);
                return -1;
            }
        return type;
    }
    default:
        return gcal_record_text_type();
    }
}

/* A cell in memory: all numbers but enumerations have 8 bytes. */
union cell {
    char *text;
    double f64;
    uint64_t u64;
    int64_t i64;
    unsigned char u8;
};

static hid_t memory_type(const struct gcal_field *column)
{
    switch (column->type) {
    case GCAL_FIELD_F64:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case GCAL_FIELD_U64:
        return H5Tcopy(H5T_NATIVE_UINT64);
    case GCAL_FIELD_INT:
    case GCAL_FIELD_BOOL:
        return H5Tcopy(H5T_NATIVE_INT64);
    default:
        return file_type(column);
    }
}

static size_t cell_bytes(const struct gcal_field *column)
{
    return column->type == GCAL_FIELD_ENUM ? 1 : sizeof(union cell);
}

static void cell_from_row(const struct gcal_field *column, const char *row,
                          union cell *cell)
{
    const void *member = row + column->offset;

    switch (column->type) {
    case GCAL_FIELD_TEXT:
    case GCAL_FIELD_OPTIONAL_TEXT:
        cell->text = *(char *const *)member;
        if (!cell->text)
            cell->text = "";
        break;
    case GCAL_FIELD_F64:
        cell->f64 = *(const double *)member;
        break;
    case GCAL_FIELD_U64:
        cell->u64 = *(const uint64_t *)member;
        break;
    case GCAL_FIELD_INT:
        cell->i64 = *(const int *)member;
        break;
    case GCAL_FIELD_BOOL:
        cell->i64 = *(const bool *)member;
        break;
    case GCAL_FIELD_ENUM:
        cell->u8 = (unsigned char)*(const unsigned *)member;
        break;
    }
}

/* -1 for a value that the member cannot hold. */
static int cell_to_row(struct gcal_arena *arena, const struct gcal_field *column,
                       const union cell *cell, char *row)
{
    void *member = row + column->offset;

    switch (column->type) {
    case GCAL_FIELD_TEXT:
        *(char **)member = gcal_arena_strdup(arena, cell->text ? cell->text : "");
        return 0;
    case GCAL_FIELD_OPTIONAL_TEXT:
        if (cell->text && *cell->text)
            *(char **)member = gcal_arena_strdup(arena, cell->text);
        return 0;
    case GCAL_FIELD_F64:
        *(double *)member = cell->f64;
        return 0;
    case GCAL_FIELD_U64:
        *(uint64_t *)member = cell->u64;
        return 0;
    case GCAL_FIELD_INT:
        *(int *)member = (int)cell->i64;
        return cell->i64 == (int)cell->i64 ? 0 : -1;
    case GCAL_FIELD_BOOL:
        *(bool *)member = cell->i64 != 0;
        return cell->i64 == 0 || cell->i64 == 1 ? 0 : -1;
    case GCAL_FIELD_ENUM:
        *(unsigned *)member = cell->u8;
        return cell->u8 < gcal_field_value_count(column->values) ? 0 : -1;
    }
    return -1;
}

static int fail(const struct gcal_record_table *table, const struct gcal_field *column,
                const char *what, struct gcal_error *err)
{
    return gcal_error_set(err, GCAL_EINPUT, "%s/%s: %s", table->layout->name,
                          column->name, what);
}

/* ---- creating and opening ---- */

static int put_attribute(hid_t dataset, const char *name, const char *value)
{
    hid_t type = gcal_record_text_type(), space = H5Screate(H5S_SCALAR);
    hid_t attribute = H5Acreate2(dataset, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    int rc = attribute < 0 || H5Awrite(attribute, type, &value) < 0 ? -1 : 0;

    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
    return rc;
}

static hid_t create_dataset(hid_t group, const struct gcal_field *column, hsize_t chunk)
{
    hsize_t none = 0, unlimited = H5S_UNLIMITED;
    hid_t type = file_type(column), space = H5Screate_simple(1, &none, &unlimited);
    hid_t options = H5Pcreate(H5P_DATASET_CREATE), dataset = -1;

    /* Without times, the same run gives the same bytes. */
    if (H5Pset_chunk(options, 1, &chunk) >= 0 && H5Pset_shuffle(options) >= 0 &&
        H5Pset_deflate(options, 4) >= 0 && H5Pset_obj_track_times(options, 0) >= 0)
        dataset = H5Dcreate2(group, column->name, type, space, H5P_DEFAULT, options,
                             H5P_DEFAULT);
    if (dataset >= 0 &&
        (put_attribute(dataset, "description", column->description) < 0 ||
         (column->unit && put_attribute(dataset, "units", column->unit) < 0))) {
        H5Dclose(dataset);
        dataset = -1;
    }
    H5Pclose(options);
    H5Sclose(space);
    H5Tclose(type);
    return dataset;
}

/* Sets the columns of all parts of a layout, with their offsets in a row. */
static void table_init(struct gcal_record_table *table,
                       const struct gcal_record_table_layout *layout)
{
    *table = (struct gcal_record_table){ .layout = layout };
    for (const struct gcal_record_part *p = layout->parts; p->fields; p++)
        for (const struct gcal_field *f = p->fields; f->name; f++) {
            table->columns[table->n_columns] = *f;
            table->columns[table->n_columns++].offset += p->offset;
        }
}

int gcal_record_table_create(struct gcal_record_table *table, hid_t file,
                             enum gcal_record_table_id id, struct gcal_error *err)
{
    const struct gcal_record_table_layout *layout = &gcal_record_layout[id];
    hid_t options = H5Pcreate(H5P_GROUP_CREATE), group = -1;
    int rc = 0;

    table_init(table, layout);
    if (H5Pset_obj_track_times(options, 0) >= 0)
        group = H5Gcreate2(file, layout->name, H5P_DEFAULT, options, H5P_DEFAULT);
    for (size_t i = 0; rc == 0 && i < table->n_columns; i++) {
        hid_t dataset = create_dataset(group, &table->columns[i], layout->chunk_rows);

        if (dataset < 0)
            rc = fail(table, &table->columns[i], "cannot be created", err);
        else
            table->datasets[i] = dataset;
    }
    H5Gclose(group);
    H5Pclose(options);
    return rc;
}

/* Reads only chunked datasets of one dimension and of the column's class, so that a
 * manipulated file cannot refer to other files or shapes.
 */
static int check_dataset(hid_t dataset, const struct gcal_field *column, hsize_t *rows)
{
    hid_t type = H5Dget_type(dataset), want = file_type(column);
    hid_t space = H5Dget_space(dataset), options = H5Dget_create_plist(dataset);
    int rc = -1;

    if (H5Tget_class(type) == H5Tget_class(want) &&
        (!is_text(column) || H5Tis_variable_str(type) > 0) &&
        H5Pget_layout(options) == H5D_CHUNKED && H5Sget_simple_extent_ndims(space) == 1 &&
        H5Sget_simple_extent_dims(space, rows, NULL) == 1)
        rc = 0;
    H5Pclose(options);
    H5Sclose(space);
    H5Tclose(want);
    H5Tclose(type);
    return rc;
}

int gcal_record_table_open(struct gcal_record_table *table, hid_t file,
                           enum gcal_record_table_id id, struct gcal_error *err)
{
    const struct gcal_record_table_layout *layout = &gcal_record_layout[id];
    hid_t group;
    int rc = 0;

    table_init(table, layout);
    if ((group = H5Gopen2(file, layout->name, H5P_DEFAULT)) < 0)
        return gcal_error_set(err, GCAL_EINPUT, "no group %s", layout->name);
    for (size_t i = 0; rc == 0 && i < table->n_columns; i++) {
        const struct gcal_field *column = &table->columns[i];
        hid_t dataset = H5Dopen2(group, column->name, H5P_DEFAULT);
        hsize_t rows = 0;

        if (dataset < 0) {
            rc = fail(table, column, "is missing or damaged", err);
            break;
        }
        table->datasets[i] = dataset;
        if (check_dataset(dataset, column, &rows) < 0)
            rc = fail(table, column, "is not of the documented type and shape", err);
        else if (i && rows != table->n_rows)
            rc = fail(table, column, "has another number of rows than the columns before",
                      err);
        table->n_rows = rows;
    }
    H5Gclose(group);
    return rc;
}

int gcal_record_table_close(struct gcal_record_table *table, struct gcal_error *err)
{
    int rc = 0;

    for (size_t i = 0; i < table->n_columns; i++) {
        if (table->datasets[i] > 0 && H5Dclose(table->datasets[i]) < 0)
            rc = fail(table, &table->columns[i], "cannot be written", err);
        table->datasets[i] = 0;
    }
    return rc;
}

/* ---- rows ---- */

typedef herr_t transfer(hid_t dataset, hid_t type, hid_t memory, hid_t file, void *cells);

static herr_t write_cells(hid_t dataset, hid_t type, hid_t memory, hid_t file,
                          void *cells)
{
    return H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, cells);
}

static herr_t read_cells(hid_t dataset, hid_t type, hid_t memory, hid_t file, void *cells)
{
    return H5Dread(dataset, type, memory, file, H5P_DEFAULT, cells);
}

static int move_cells(hid_t dataset, hid_t type, hsize_t first, size_t count,
                      transfer *move, void *cells)
{
    hsize_t start = first, n = count;
    hid_t file = H5Dget_space(dataset), memory = H5Screate_simple(1, &n, NULL);
    int rc = -1;

    if (H5Sselect_hyperslab(file, H5S_SELECT_SET, &start, NULL, &n, NULL) >= 0 &&
        move(dataset, type, memory, file, cells) >= 0)
        rc = 0;
    H5Sclose(memory);
    H5Sclose(file);
    return rc;
}

/* Writes the cells of column 'i' to the file, which has room for them. */
static int put_column(const struct gcal_record_table *table, size_t i, hsize_t first,
                      const char *rows, size_t count, char *cells, struct gcal_error *err)
{
    const struct gcal_field *column = &table->columns[i];
    size_t step = cell_bytes(column);
    hid_t type = memory_type(column);
    int rc;

    for (size_t k = 0; k < count; k++) {
        union cell cell;

        cell_from_row(column, rows + k * table->layout->row_bytes, &cell);
        memcpy(cells + k * step, &cell, step);
    }
    rc = move_cells(table->datasets[i], type, first, count, write_cells, cells);
    H5Tclose(type);
    return rc < 0 ? fail(table, column, "cannot be written", err) : 0;
}

int gcal_record_table_append(struct gcal_record_table *table, const void *rows,
                             size_t count, struct gcal_error *err)
{
    hsize_t size = table->n_rows + count;
    struct gcal_arena *arena;
    union cell *cells;
    int rc = 0;

    if (!count)
        return 0;
    arena = gcal_arena_create();
    cells = gcal_arena_alloc(arena, count, sizeof(*cells));
    for (size_t i = 0; rc == 0 && i < table->n_columns; i++) {
        if (H5Dset_extent(table->datasets[i], &size) < 0)
            rc = fail(table, &table->columns[i], "cannot grow", err);
        else
            rc = put_column(table, i, table->n_rows, rows, count, (char *)cells, err);
    }
    gcal_arena_destroy(arena);
    if (rc == 0)
        table->n_rows = size;
    return rc;
}

int gcal_record_table_rewrite(struct gcal_record_table *table, hsize_t row_index,
                              const char *column, const void *row, struct gcal_error *err)
{
    union cell cell;

    for (size_t i = 0; i < table->n_columns; i++)
        if (strcmp(table->columns[i].name, column) == 0)
            return put_column(table, i, row_index, row, 1, (char *)&cell, err);
    return -1;
}

static int get_column(struct gcal_arena *arena, const struct gcal_record_table *table,
                      size_t i, hsize_t first, char *rows, size_t count, char *cells,
                      struct gcal_error *err)
{
    const struct gcal_field *column = &table->columns[i];
    size_t step = cell_bytes(column);
    hid_t type = memory_type(column);
    int rc = 0;

    memset(cells, 0, count * step);
    if (move_cells(table->datasets[i], type, first, count, read_cells, cells) < 0)
        rc = fail(table, column, "cannot be read: the file is damaged", err);
    for (size_t k = 0; k < count; k++) {
        union cell cell = { 0 };

        memcpy(&cell, cells + k * step, step);
        if (rc == 0 &&
            cell_to_row(arena, column, &cell, rows + k * table->layout->row_bytes) < 0)
            rc = fail(table, column, "holds an impossible value", err);
        if (is_text(column))
            H5free_memory(cell.text);
    }
    H5Tclose(type);
    return rc;
}

int gcal_record_table_read(struct gcal_arena *arena,
                           const struct gcal_record_table *table, hsize_t first,
                           size_t count, void *rows, struct gcal_error *err)
{
    struct gcal_arena *own;
    union cell *cells;
    int rc = 0;

    if (first > table->n_rows || count > table->n_rows - first)
        return gcal_error_set(err, GCAL_EINPUT, "%s: rows beyond its end",
                              table->layout->name);
    if (!count)
        return 0;
    own = gcal_arena_create();
    cells = gcal_arena_alloc(own, count, sizeof(*cells));
    for (size_t i = 0; rc == 0 && i < table->n_columns; i++)
        rc = get_column(arena, table, i, first, rows, count, (char *)cells, err);
    gcal_arena_destroy(own);
    return rc;
}
