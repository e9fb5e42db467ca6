/* run_header.c - the header of a record */
#include "mpi/cli/run_header.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/base/arena.h"
#include "kernels/base/buf.h"
#include "kernels/base/clock.h"
#include "kernels/base/random.h"
#include "calib/config/config.h"
#include "kernels/generate/generate.h"
#include "store/record/record.h"

/* "20261121T041705Z-1a2b3c4d": sorts by time, unique within a second. */
static char *make_run_id(const char *utc)
{
    uint64_t state = (uint64_t)(gcal_clock_now_s() * 1e9) ^ (uint64_t)getpid() << 32;
    char date[GCAL_CLOCK_UTC_SIZE];
    size_t n = 0;

    for (const char *c = utc; *c; c++)
        if (*c != '-' && *c != ':')
            date[n++] = *c;
    date[n] = '\0';
    char *id =
        gcal_buf_format("%s-%08x", date, (unsigned)(gcal_random_next(&state) >> 32));
    if (!id)
        gcal_arena_out_of_memory();
    return id;
}

const char *gcal_run_id_new(struct gcal_arena *arena)
{
    char utc[GCAL_CLOCK_UTC_SIZE];

    gcal_clock_utc(utc);
    return gcal_arena_own(arena, make_run_id(utc), free);
}

void gcal_run_header_start(struct gcal_record_header *h, const struct gcal_config *config,
                           const struct gcal_catalogue *catalogue, char *launcher,
                           uint32_t n_ranks)
{
    char utc[GCAL_CLOCK_UTC_SIZE];

    gcal_clock_utc(utc);
    h->started_utc = strdup(utc);
    h->run_id = make_run_id(utc);
    h->gpucal_version = strdup(GPUCAL_VERSION);
    h->launcher = launcher;
    h->config = strdup(config->text);
    h->config_file = strdup(config->file);
    h->catalogue = strdup(gcal_catalogue_fingerprint(catalogue));
    h->seed = config->measure.seed;
    h->n_ranks = n_ranks;
    if (!h->started_utc || !h->gpucal_version || !h->launcher || !h->config ||
        !h->config_file || !h->catalogue ||
        gcal_catalogue_files_copy(&h->catalogue_files,
                                  gcal_catalogue_added_files(catalogue), NULL) < 0)
        gcal_arena_out_of_memory();
}

void gcal_run_header_end(struct gcal_record_header *h)
{
    char utc[GCAL_CLOCK_UTC_SIZE];

    gcal_clock_utc(utc);
    free(h->finished_utc);
    if (!(h->finished_utc = strdup(utc)))
        gcal_arena_out_of_memory();
}
