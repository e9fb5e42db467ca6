/* verify_ledger.c - the segments of the ledger: their ends, seals and damaged lines */
#include "kernels/base/clock.h"
#include "store/files/internal.h"
#include "store/publish/private.h"

static bool has_unsealed(const struct gcal_verify_state *state)
{
    for (size_t i = 0; i < state->lines.n_readers; i++)
        if (state->store->trusted && state->lines.readers[i].n_unsealed)
            return true;
    return false;
}

/* A publisher may be writing lines, and their seal, at this moment. */
int gcal_verify_segments(struct gcal_verify_state *state, struct gcal_error *err)
{
    if (has_unsealed(state)) {
        gcal_clock_sleep_s(0.1);
        if (gcal_ledger_lines_refresh(&state->lines, err) < 0)
            return -1;
    }
    for (size_t i = 0; i < state->lines.n_readers; i++) {
        /* Its last line without a newline. */
        if (state->lines.readers[i].is_cut)
            gcal_verify_report_interrupted(
                state,
                "%s: its last line was cut; the next publication from that host marks it",
                state->lines.readers[i].name);
        /* Where signatures are required, of all lines. */
        if (state->store->trusted && state->lines.readers[i].n_unsealed)
            gcal_verify_report_damaged(
                state,
                "%s: its last %zu lines are not signed, nor what they say of files and "
                "tracks: if all is right, 'gpucal store sign' signs them",
                state->lines.readers[i].name, state->lines.readers[i].n_unsealed);
    }
    return 0;
}

void gcal_verify_add_ledger(struct gcal_verify_state *state)
{
    const struct gcal_ledger_lines *lines = &state->lines;

    state->result->n_lines = lines->n + lines->n_bad;
    state->result->n_damaged += lines->n_bad;
    if (lines->bad.size)
        gcal_buf_put(&state->text, lines->bad.data, lines->bad.size);
    state->text.failed = state->text.failed || lines->bad.failed;
}
