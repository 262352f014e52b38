/*
 * access_descriptor.c - hands out stamps, renews them when time has advanced, and takes back those that nothing uses.
 */
#include "policy/shadow/access_descriptor.h"

#include <stdlib.h>

#include "policy/core/alloc.h"

struct rfs_descriptor_table *rfs_descriptors_table(struct rfs_descriptors *stamps, uint32_t thread, uint64_t time,
						   uint64_t full, rfs_lockset locks, uint64_t known)
{
	struct rfs_descriptor_table *table;

	stamps->tables = rfs_policy_grow(stamps->tables, &stamps->n_tables, (size_t)thread + 1,
					 sizeof(struct rfs_descriptor_table *));
	if (!stamps->tables[thread]) {
		stamps->tables[thread] = rfs_policy_zalloc(1, sizeof(**stamps->tables));
		*stamps->bytes += sizeof(**stamps->tables);
	}
	table = stamps->tables[thread];
	if (table->context && table->time == time && table->full == full && table->locks == locks &&
	    table->known == known)
		return table;
	table->context = ++stamps->last_context;
	table->thread = thread;
	table->time = time;
	table->full = full;
	table->locks = locks;
	table->known = known;
	return table;
}

static rfs_access_descriptor new_stamp(struct rfs_descriptors *stamps, const struct rfs_descriptor_data *data)
{
	rfs_access_descriptor stamp = stamps->first_free;

	if (stamp) {
		stamps->first_free = stamps->all[stamp].count;
	} else {
		stamp = stamps->n ? (rfs_access_descriptor)stamps->n : 1;
		stamps->n = (size_t)stamp + 1;
		stamps->all = rfs_policy_grow(stamps->all, &stamps->capacity, stamps->n, sizeof(*stamps->all));
	}
	stamps->all[stamp] = *data;
	*stamps->bytes += sizeof(*data);
	return stamp;
}

void rfs_descriptors_renew(struct rfs_descriptors *stamps, const struct rfs_descriptor_table *table,
			   struct rfs_descriptor_entry *entry, rfs_site site, uint64_t size, unsigned access)
{
	const struct rfs_descriptor_data data = {
		.site = site,
		.time = table->time,
		.full = table->full,
		.size = size,
		.thread = table->thread,
		.locks = table->locks,
		.access = access,
		.count = 1, /* the reference of the table */
	};
	struct rfs_descriptor_data *before = &stamps->all[entry->stamp];

	if (entry->stamp && before->time == data.time && before->locks == data.locks) {
		before->full = data.full;
		if (entry->known != table->known)
			entry->serial = ++stamps->last_serial;
	} else {
		if (entry->stamp)
			rfs_descriptors_drop(stamps, entry->stamp);
		entry->stamp = new_stamp(stamps, &data);
		entry->serial = ++stamps->last_serial;
	}
	entry->known = table->known;
	entry->context = table->context;
	entry->site = site;
	entry->size = size;
	entry->access = access;
}

struct rfs_descriptor_entry *rfs_descriptors_other(struct rfs_descriptors *stamps, struct rfs_descriptor_table *table,
						   size_t place, rfs_site site, uint64_t size, unsigned access)
{
	struct rfs_descriptor_entry *entry = &table->last[place], *other = &table->last[place ^ 1];

	if (rfs_descriptors_is_of(other, site, size, access))
		return other;
	if (other->stamp)
		rfs_descriptors_drop(stamps, other->stamp);
	*other = *entry;
	*entry = (struct rfs_descriptor_entry){0};
	return entry;
}

void rfs_descriptors_drop_table(struct rfs_descriptors *stamps, uint32_t thread)
{
	struct rfs_descriptor_table *table = thread < stamps->n_tables ? stamps->tables[thread] : NULL;

	if (!table)
		return;
	for (size_t i = 0; i < 1u << RFS_DESCRIPTOR_TABLE_SHIFT; i++)
		if (table->last[i].stamp)
			rfs_descriptors_drop(stamps, table->last[i].stamp);
	free(table);
	stamps->tables[thread] = NULL;
	*stamps->bytes -= sizeof(*table);
}

void rfs_descriptors_drop_others(struct rfs_descriptors *stamps, uint32_t thread)
{
	for (uint32_t i = 0; i < stamps->n_tables; i++)
		if (i != thread)
			rfs_descriptors_drop_table(stamps, i);
}

void rfs_descriptors_release(struct rfs_descriptors *stamps)
{
	for (size_t i = 0; i < stamps->n_tables; i++)
		free(stamps->tables[i]);
	free(stamps->all);
	free(stamps->tables);
	*stamps = (struct rfs_descriptors){0};
}
