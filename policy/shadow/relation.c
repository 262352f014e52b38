/* relation.c - how two accesses are related, by the rules of history.h, and what is reported if they race. */
#include "policy/shadow/history-priv.h"

static bool relation_is_write(const struct rfs_descriptor_data *access)
{
	return access->access & (RFS_ACCESS_WRITE | RFS_ACCESS_FREE);
}

/* Whether n takes the place of e by the rules of history.h, if e held `locks`. Does not check order and bytes. */
static bool stands_for(const struct rfs_history *history, const struct rfs_descriptor_data *n,
		       const struct rfs_descriptor_data *e, rfs_lockset locks)
{
	if (relation_is_write(n) < relation_is_write(e) || (n->access & ~e->access & RFS_ACCESS_ATOMIC))
		return false;
	return history->rule == RFS_HISTORY_FASTTRACK ||
	       (n->site == e->site && rfs_locksets_within(history->sets, n->locks, locks));
}

static bool is_ordered(const struct rfs_adding *adding, const struct rfs_descriptor_data *earlier)
{
	return earlier->time <= rfs_vclock_get(adding->knows, earlier->thread);
}

/* Whether the new access may make an earlier one superfluous, which is ordered before it. */
static bool may_replace(const struct rfs_adding *adding, const struct rfs_descriptor_data *earlier)
{
	return earlier->time <= rfs_vclock_get(adding->clock, earlier->thread);
}

/* Whether both conflict and no lock protects them. The caller checks the order. */
static bool is_unprotected(const struct rfs_adding *adding, const struct rfs_descriptor_data *earlier,
			   rfs_lockset locks)
{
	const struct rfs_descriptor_data *new = &adding->new;
	const struct rfs_history *history = adding->history;

	return (relation_is_write(earlier) || relation_is_write(new)) &&
	       !(earlier->access & new->access &RFS_ACCESS_ATOMIC) &&
	       (history->rule == RFS_HISTORY_FASTTRACK || !rfs_locksets_protect(history->sets, locks, new->locks));
}

/* Whether earlier makes new superfluous. The caller has checked that both are of the same thread and time. */
static bool covers(const struct rfs_history *history, const struct rfs_descriptor_data *earlier,
		   const struct rfs_descriptor_data *new)
{
	if (history->rule == RFS_HISTORY_FASTTRACK)
		return earlier->site == new->site && earlier->access == new->access;
	return !(earlier->access & RFS_KNEW_MORE) && stands_for(history, earlier, new, new->locks);
}

enum rfs_relation rfs_relate(const struct rfs_adding *adding, const struct rfs_descriptor_data *earlier,
			     rfs_lockset core)
{
	const struct rfs_descriptor_data *new = &adding->new;
	const struct rfs_history *history = adding->history;

	if (!is_ordered(adding, earlier))
		return is_unprotected(adding, earlier, earlier->locks) ? RFS_RACES : RFS_UNRELATED;
	if (earlier->thread == new->thread && earlier->time == new->time &&covers(history, earlier, new))
		return RFS_COVERS;
	return may_replace(adding, earlier) && stands_for(history, new, earlier, core) ? RFS_YIELDS : RFS_UNRELATED;
}

enum rfs_relation rfs_relate_cell(const struct rfs_adding *adding, const struct rfs_cell *cell,
				  struct rfs_origin *racing)
{
	const struct rfs_history *history = adding->history;
	const struct rfs_descriptor_data *all = history->stamps.all, *last = &all[cell->stamp];
	const struct rfs_superseded *older = cell->older ? &history->olders.lists[cell->older] : NULL;
	enum rfs_relation relation = rfs_relate(adding, last, older ? older->core : last->locks);

	*racing = (struct rfs_origin){cell->stamp, cell->part, cell->start};
	if (!older || relation != RFS_UNRELATED || is_ordered(adding, last) ||
	    !is_unprotected(adding, last, older->core))
		return relation;
	for (size_t i = older->n; i-- > 0;) {
		const struct rfs_superseded_access *item = &older->items[i];

		if (is_ordered(adding, &all[item->stamp]))
			break;
		*racing = (struct rfs_origin){item->stamp, item->part, item->start};
		if (is_unprotected(adding, &all[item->stamp], all[item->stamp].locks))
			return RFS_RACES;
	}
	return RFS_UNRELATED;
}

static struct rfs_history_access relation_access_of(const struct rfs_descriptor_data *data, rfs_addr address)
{
	return (struct rfs_history_access){.site = data->site,
					   .address = address,
					   .size = data->size,
					   .time = data->time,
					   .thread = data->thread,
					   .locks = data->locks,
					   .access = data->access & ~RFS_KNEW_MORE};
}

/* The access of `data` is the earlier one. */
static struct rfs_history_access relation_earlier(const struct rfs_adding *adding,
						  const struct rfs_descriptor_data *data, rfs_addr address)
{
	struct rfs_history_access earlier = relation_access_of(data, address);

	earlier.ordered = adding->full && data->full <= rfs_vclock_get(adding->full, data->thread);
	return earlier;
}

static void relation_report(const struct rfs_adding *adding, const struct rfs_history_access *earlier)
{
	const struct rfs_history_access later = relation_access_of(&adding->new, adding->first);

	adding->history->race(adding->history->arg, earlier, &later);
}

void rfs_report_cell(const struct rfs_adding *adding, rfs_addr granule, const struct rfs_origin *origin, uint8_t mask)
{
	struct rfs_history_access earlier =
		relation_earlier(adding, &adding->history->stamps.all[origin->stamp],
				 granule - ((rfs_addr)origin->part << RFS_GRANULE_SHIFT) + origin->start);

	if (origin->part == RFS_CELL_FAR) { /* one end of a long access: reports only its part in this granule */
		earlier.address = granule + origin->start;
		earlier.size = (1u << RFS_GRANULE_SHIFT) - origin->start;
	}
	if (origin->start == RFS_CELL_ALIGNED)
		earlier.address = granule + ((unsigned)__builtin_ctz(mask) & ~(unsigned)(earlier.size - 1));
	relation_report(adding, &earlier);
}

static void suspect_all(const struct rfs_adding *adding, rfs_addr page, const struct rfs_granule_set *granules)
{
	struct rfs_history *history = adding->history;
	struct rfs_region *region = rfs_shadow_at(&history->shadow, page);

	for (unsigned g = rfs_granules_next(granules, 0); g < RFS_GRANULES; g = rfs_granules_next(granules, g + 1))
		rfs_granule_suspect(history, region, page + ((rfs_addr)g << RFS_GRANULE_SHIFT));
}

void rfs_report_range(const struct rfs_adding *adding, rfs_addr page, const struct rfs_range_access *range,
		      const struct rfs_granule_set *granules)
{
	struct rfs_history_access part =
		relation_earlier(adding, &adding->history->stamps.all[range->stamp], range->address);
	unsigned first = rfs_granules_next(granules, 0), end = first;

	if (rfs_history_finds_places(adding->history)) {
		suspect_all(adding, page, granules);
		return;
	}
	while (end < RFS_GRANULES && rfs_granules_has(granules, end))
		end++;
	part.address = page + ((rfs_addr)first << RFS_GRANULE_SHIFT);
	part.size = (uint64_t)(end - first) << RFS_GRANULE_SHIFT;
	relation_report(adding, &part);
}
