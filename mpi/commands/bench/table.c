/* table.c - results of 'gpucal kernels --run' as a table and as CSV */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/base/units.h"
#include "kernels/base/utf8.h"
#include "mpi/cli/csv.h"
#include "mpi/commands/bench/bench.h"

/* ---- the table ---- */

/* A rate: a field of struct gcal_work over the time. */
struct column {
    const char *what, *unit;
    size_t offset;
};

static const struct column columns[] = {
    { "global", "GB/s", offsetof(struct gcal_work, global_bytes) },
    { "local", "GB/s", offsetof(struct gcal_work, local_bytes) },
    { "copied", "GB/s", offsetof(struct gcal_work, copied_bytes) },
    { "float", "Gop/s", offsetof(struct gcal_work, float_ops) },
    { "integer", "Gop/s", offsetof(struct gcal_work, integer_ops) },
};

enum { N_COLUMNS = sizeof(columns) / sizeof(*columns) };

static double amount(const struct gcal_bench_row *row, const struct column *column)
{
    return *(const double *)((const char *)&row->work + column->offset);
}

void gcal_bench_print_left_out(const struct gcal_kernel_list *list)
{
    for (int reason = 0; reason < GCAL_KERNEL_N_EXCLUSIONS; reason++)
        if (list->left_out[reason])
            printf("left out: %zu that need %s\n", list->left_out[reason],
                   gcal_kernel_exclusion_name((enum gcal_kernel_exclusion)reason));
    for (size_t i = 0; i < list->failed.n; i++)
        printf("left out: %s\n", list->failed.items[i]);
}

/* Columns in which no kernel has a number are not printed; "~" marks rates of estimated counts;
 * the cause of a failure is below the kernel.
 */
void gcal_bench_print(const struct gcal_bench_run *run)
{
    bool wanted[N_COLUMNS] = { false };

    for (size_t k = 0; k < N_COLUMNS; k++)
        for (size_t i = 0; i < run->list.n_kernels; i++)
            wanted[k] = wanted[k] || amount(&run->rows[i], &columns[k]) > 0;
    printf("%s\n%10s %7s", run->info->name, "", "");
    for (size_t k = 0; k < N_COLUMNS; k++)
        if (wanted[k])
            printf(" %9s", columns[k].what);
    printf("\n%10s %7s", "time", "+/-");
    for (size_t k = 0; k < N_COLUMNS; k++)
        if (wanted[k])
            printf(" %9s", columns[k].unit);
    printf(" %5s  %s\n", "runs", "kernel");
    for (size_t i = 0; i < run->list.n_kernels; i++) {
        const struct gcal_bench_row *row = &run->rows[i];
        bool good = row->status == GCAL_MEASUREMENT_GOOD;
        const char *detail = row->detail ? row->detail : "";
        char text[GCAL_UNITS_SIZE];

        if (!row->present)
            continue;
        if (good)
            printf("%10s %6.2f%%", gcal_units(row->time_s, "s", text), 100 * row->spread);
        else
            printf("%10s %7s", "-", "-");
        for (size_t k = 0; k < N_COLUMNS; k++) {
            double rate = good ? 1e-9 * amount(row, &columns[k]) / row->time_s : 0;

            snprintf(text, sizeof(text), "%s%.4g", row->work.estimated ? "~" : "", rate);
            if (wanted[k])
                printf(" %9s", rate > 0 ? text : "-");
        }
        if (good)
            printf(" %5zu", row->n_samples);
        else
            printf(" %5s", "-");
        printf("  %s\n", run->list.kernels[i]->name);
        if (!good)
            printf("%10s %s%s%.*s\n", "", gcal_measurement_status_name(row->status),
                   *detail ? ": " : "", (int)strcspn(detail, "\n"), detail);
    }
    if (run->failure)
        printf("device failed: %s\n", run->failure);
    /* "12 kernels in 3.4 s: 11 good, 1 wrong result" */
    size_t n[GCAL_MEASUREMENT_BAD_EVENTS + 1] = { 0 }, n_rows = 0;
    const char *before = ": ";
    for (size_t i = 0; i < run->list.n_kernels; i++)
        if (run->rows[i].present) {
            n[run->rows[i].status]++;
            n_rows++;
        }
    printf("%zu kernel%s in %.1f s", n_rows, n_rows == 1 ? "" : "s", run->took_s);
    for (int status = GCAL_MEASUREMENT_GOOD; status <= GCAL_MEASUREMENT_BAD_EVENTS;
         status++) {
        if (!n[status])
            continue;
        printf("%s%zu %s", before, n[status],
               gcal_measurement_status_name((enum gcal_measurement_status)status));
        before = ", ";
    }
    putchar('\n');
    gcal_bench_print_left_out(&run->list);
}

/* ---- rows as JSON, and as CSV ---- */

/* A number in nine digits, as in CSV. */
static json_t *number_json(double value)
{
    char text[32];

    snprintf(text, sizeof(text), "%.9g", value);
    return isnan(value)                                 ? json_null()
           : value == floor(value) && fabs(value) < 1e9 ? json_integer((json_int_t)value)
                                                        : json_real(strtod(text, NULL));
}

/* The first line, as UTF-8; null without a text. */
static json_t *line_json(const char *text)
{
    char *line = text && *text ? strndup(text, strcspn(text, "\n")) : NULL;
    json_t *string = line ? json_string(gcal_utf8_clean(line)) : json_null();

    free(line);
    return string;
}

json_t *gcal_bench_row_json(const struct gcal_bench_run *run, size_t i)
{
    static const char *const rates[] = { "gbytes_per_s", "local_gbytes_per_s",
                                         "copied_gbytes_per_s", "gops_per_s",
                                         "gflops_per_s" };
    static const char *const counts[] = { "bytes", "local_bytes", "copied_bytes", "ops",
                                          "flops" };
    const struct gcal_kernel *kernel = run->list.kernels[i];
    const struct gcal_bench_row *row = &run->rows[i];
    const struct gcal_work *w = &row->work;
    const double amounts[] = { w->global_bytes, w->local_bytes, w->copied_bytes,
                               w->float_ops + w->integer_ops, w->float_ops };
    const size_t n = sizeof(amounts) / sizeof(*amounts);
    const char *arguments = kernel->name + strlen(kernel->generator);
    bool good = row->status == GCAL_MEASUREMENT_GOOD;
    json_t *o =
        json_pack("{s:o, s:o, s:o, s:o}", "generator", line_json(kernel->generator),
                  "arguments", line_json(arguments + (*arguments == ' ')), "time_s",
                  number_json(good ? row->time_s : NAN), "spread",
                  number_json(good ? row->spread : NAN));

    for (size_t k = 0; k < n; k++)
        json_object_set_new(o, rates[k],
                            number_json(good ? 1e-9 * amounts[k] / row->time_s : NAN));
    for (size_t k = 0; k < n; k++)
        json_object_set_new(o, counts[k], number_json(good ? amounts[k] : NAN));
    json_object_set_new(o, "estimated", json_integer(row->work.estimated));
    json_object_set_new(o, "samples", json_integer((json_int_t)row->n_samples));
    json_object_set_new(o, "stop", line_json(gcal_measurement_stop_name(row->stop)));
    json_object_set_new(o, "status",
                        line_json(gcal_measurement_status_name(row->status)));
    /* What the driver does not say is unknown. */
    json_object_set_new(
        o, "registers",
        number_json(row->built.registers ? (double)row->built.registers : NAN));
    json_object_set_new(o, "private_bytes",
                        number_json(gcal_built_is_known(&row->built)
                                        ? (double)row->built.private_bytes
                                        : NAN));
    json_object_set_new(o, "device", line_json(run->info->name));
    json_object_set_new(o, "kernel", line_json(kernel->name));
    json_object_set_new(o, "detail", line_json(row->detail));
    return o;
}

void gcal_bench_csv_header(FILE *file)
{
    fputs("generator,arguments,time_s,spread,"
          "gbytes_per_s,local_gbytes_per_s,copied_gbytes_per_s,gops_per_s,gflops_per_s,"
          "bytes,local_bytes,copied_bytes,ops,flops,"
          "estimated,samples,stop,status,registers,private_bytes,device,kernel,detail\n",
          file);
}

/* The last three are in quotes. */
void gcal_bench_csv_rows(FILE *file, const struct gcal_bench_run *run)
{
    for (size_t i = 0; i < run->list.n_kernels; i++) {
        json_t *row = run->rows[i].present ? gcal_bench_row_json(run, i) : NULL, *cell;
        bool is_quoted = false;
        const char *key;

        json_object_foreach(row, key, cell)
        {
            is_quoted = is_quoted || strcmp(key, "device") == 0;
            if (is_quoted)
                gcal_csv_text(file, json_string_value(cell),
                              strcmp(key, "detail") == 0 ? '\n' : ',');
            else if (json_is_string(cell))
                fprintf(file, "%s,", json_string_value(cell));
            else
                gcal_csv_number(file, json_is_null(cell) ? NAN : json_number_value(cell));
        }
        json_decref(row);
    }
}
