/* joined_ids.c - group and local id as one global id
 *
 * Conditions and loops nearly always depend on 16*gid + lid, not on gid and lid apart.
 * Work-items are then counted over one dimension, whose bounds give min(n, global size)
 * where two would give a piece for each way in which the last group may be incomplete.
 * So are sub-groups that are whole blocks of an axis.
 */
#include "kernels/sets/private.h"

struct joining {
    struct gcal_poly_context *c;
    unsigned gid, lid;             /* atoms */
    const struct gcal_poly *value; /* of the local id: id - size*gid */
    bool failed;                   /* something depends on the ids apart */
};

static const struct gcal_poly *join(const struct gcal_poly *p, void *data)
{
    struct joining *j = data;

    if (gcal_poly_contains(j->c, p, j->lid))
        p = gcal_poly_substitute(j->c, p, j->lid, j->value);
    j->failed = j->failed || gcal_poly_contains(j->c, p, j->gid);
    return p;
}

static size_t find_dim(const struct gcal_sets_domain *domain, unsigned atom)
{
    size_t i = 0;

    while (i < domain->n_dims && domain->dims[i] != atom)
        i++;
    return i;
}

/* Returns whether what is counted along the axis is the same for the joined id. */
static bool may_join(const struct gcal_sets_domain *domain, size_t axis, size_t lid)
{
    int64_t block = domain->block[lid], size = domain->nest->local_size[axis];

    if (domain->mode == GCAL_SETS_COUNT_SUB_GROUPS)
        return !domain->linear && block < size && size % block == 0;
    return domain->mode == GCAL_SETS_COUNT_WORK_ITEMS && !domain->branch;
}

static bool join_axis(struct gcal_sets_domain *domain, size_t axis)
{
    const struct gcal_sets_nest *nest = domain->nest;
    struct gcal_poly_context *c = nest->c;
    struct joining j = { .c = c,
                         .gid = gcal_poly_atom_index(nest->gid[axis]),
                         .lid = gcal_poly_atom_index(nest->lid[axis]) };
    size_t gid = find_dim(domain, j.gid), lid = find_dim(domain, j.lid);
    struct gcal_sets_domain joined = *domain;
    const struct gcal_poly *size, *id;

    if (gid == domain->n_dims || lid == domain->n_dims || !may_join(domain, axis, lid))
        return false;
    size = gcal_poly_scale(c, nest->groups[axis], nest->local_size[axis], 1);
    id = gcal_poly_dimension(c, "id", gcal_poly_sub(c, size, gcal_poly_integer(c, 1)));
    j.value = gcal_poly_sub(
        c, id, gcal_poly_scale(c, nest->gid[axis], nest->local_size[axis], 1));
    /* Replaces the ids by 'value'; false if something depends on them apart. */
    for (size_t i = 0; i < joined.n_conditions && !j.failed; i++)
        joined.conditions[i] =
            gcal_sets_condition_map(j.c, joined.conditions[i], join, &j);
    if (joined.branch && !j.failed)
        joined.branch = gcal_sets_condition_map(j.c, joined.branch, join, &j);
    for (size_t i = 0; i < joined.n_dims && !j.failed; i++)
        joined.trips[i] = join(joined.trips[i], &j);
    if (!!j.failed)
        return false;
    joined.dims[lid] = gcal_poly_atom_index(id);
    joined.is_lid[lid] = domain->mode == GCAL_SETS_COUNT_SUB_GROUPS;
    joined.trips[lid] = size;
    joined.n_dims--;
    for (size_t i = gid; i < joined.n_dims; i++) {
        joined.dims[i] = joined.dims[i + 1];
        joined.is_lid[i] = joined.is_lid[i + 1];
        joined.block[i] = joined.block[i + 1];
        joined.trips[i] = joined.trips[i + 1];
    }
    *domain = joined;
    return true;
}

bool gcal_sets_domain_join_ids(struct gcal_sets_domain *domain)
{
    bool joined = false;

    if (domain->offset)
        return false;
    for (size_t d = 0; d < domain->nest->n_dims; d++)
        joined = join_axis(domain, d) || joined;
    domain->joined = joined;
    return joined;
}
