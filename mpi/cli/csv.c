/* csv.c - fields of CSV files */
#include "mpi/cli/csv.h"

#include <math.h>

void gcal_csv_text(FILE *file, const char *text, char end)
{
    fputc('"', file);
    for (; text && *text && *text != '\n'; text++) {
        if (*text == '"')
            fputc('"', file);
        fputc(*text, file);
    }
    fprintf(file, "\"%c", end);
}

void gcal_csv_number(FILE *file, double value)
{
    if (isnan(value))
        fputc(',', file);
    else
        fprintf(file, "%.9g,", value);
}
