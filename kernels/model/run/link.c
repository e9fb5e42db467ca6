/* link.c - measured and published times of messages */
#include "kernels/model/run/link.h"

#include <stdlib.h>

#include "kernels/base/error.h"
#include "kernels/base/wire.h"

#define LINK(...) GCAL_FIELD(struct gcal_run_link, __VA_ARGS__)
#define TIME(...) GCAL_FIELD(struct gcal_run_link_time, __VA_ARGS__)

const struct gcal_field gcal_run_link_fields[] = {
    LINK(TEXT, "from", from, NULL, "node that sends first"),
    LINK(TEXT, "to", to, NULL, "node that answers; the same: two ranks of it"),
    LINK(U64, "round", round, NULL,
         "pairs of the same round were measured at the same time"),
    { 0 },
};

const struct gcal_field gcal_run_link_time_fields[] = {
    TIME(U64, "bytes", bytes, "byte", "size of a message"),
    TIME(U64, "messages", messages, NULL, "messages of the batch, one after the other"),
    TIME(F64, "time", time_s, "s", "mean time of a message: half of a round trip"),
    { 0 },
};

/* Of a time in a message. */
#define TIME_BYTES 24

void gcal_run_link_clear(struct gcal_run_link *link)
{
    gcal_fields_clear(gcal_run_link_fields, link);
    free(link->times);
    *link = (struct gcal_run_link){ 0 };
}

void gcal_run_link_put(struct gcal_buf *buf, const struct gcal_run_link *link)
{
    gcal_fields_put(buf, gcal_run_link_fields, link);
    gcal_wire_put_u64(buf, link->n_times);
    for (size_t i = 0; i < link->n_times; i++)
        gcal_fields_put(buf, gcal_run_link_time_fields, &link->times[i]);
}

int gcal_run_link_get(struct gcal_wire *wire, struct gcal_run_link *link,
                      struct gcal_error *err)
{
    *link = (struct gcal_run_link){ 0 };
    gcal_fields_get(wire, gcal_run_link_fields, link);
    link->n_times = gcal_fields_get_count(wire, TIME_BYTES);
    link->times = gcal_fields_get_array(wire, link->n_times, sizeof(*link->times));
    for (size_t i = 0; i < link->n_times && !wire->bad; i++)
        gcal_fields_get(wire, gcal_run_link_time_fields, &link->times[i]);
    if (gcal_wire_done(wire, "link", err) == 0)
        return 0;
    gcal_run_link_clear(link);
    return -1;
}

size_t gcal_link_regime_of(const struct gcal_link_curve *curve, double bytes)
{
    size_t i = 0;

    while (i + 1 < curve->n && bytes >= curve->regimes[i + 1].from_bytes)
        i++;
    return i;
}

double gcal_link_time_s(const struct gcal_link_curve *curve, double bytes)
{
    const struct gcal_link_regime *r = &curve->regimes[gcal_link_regime_of(curve, bytes)];

    return r->from_s + r->byte_s * (bytes - r->from_bytes);
}
