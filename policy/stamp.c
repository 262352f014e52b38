#include "policy/stamp.h"

#include <stdlib.h>

#include "policy/alloc.h"

static rfs_stamp new_stamp(struct rfs_stamps *stamps, const struct rfs_stamp_data *data)
{
	rfs_stamp stamp = stamps->first_free;

	if (stamp) {
		stamps->first_free = stamps->all[stamp].count;
	} else {
		stamp = stamps->n ? (rfs_stamp)stamps->n : 1;
		stamps->n = (size_t)stamp + 1;
		stamps->all = rfs_policy_grow(stamps->all, &stamps->capacity, stamps->n, sizeof(*stamps->all));
	}
	stamps->all[stamp] = *data;
	stamps->all[stamp].count = 1;
	return stamp;
}

rfs_stamp rfs_stamps_new(struct rfs_stamps *stamps, const struct rfs_stamp_data *data)
{
	rfs_stamp *last;

	if (data->thread >= stamps->n_tables)
		stamps->tables = rfs_policy_grow(stamps->tables, &stamps->n_tables, (size_t)data->thread + 1,
						 sizeof(*stamps->tables));
	last = &stamps->tables[data->thread].last[rfs_stamp_place(data->site)];
	if (*last)
		rfs_stamps_drop(stamps, *last);
	*last = new_stamp(stamps, data);
	return *last;
}

void rfs_stamps_release(struct rfs_stamps *stamps)
{
	free(stamps->all);
	free(stamps->tables);
	*stamps = (struct rfs_stamps){0};
}
