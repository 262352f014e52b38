/* siteset.c - a sorted array with binary search. It owns the names of the modules. */
#include "supervisor/base/siteset.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

int rfs_site_compare(const char *module_a, uint64_t offset_a, const char *module_b, uint64_t offset_b)
{
	int order = strcmp(module_a, module_b);

	if (order)
		return order;
	return offset_a < offset_b ? -1 : offset_a > offset_b;
}

/* The index of the site. If the set does not contain it, the index at which to insert it. */
static size_t siteset_lower_bound(const struct rfs_site_set *set, const char *module, uint64_t offset)
{
	size_t low = 0, high = set->n;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct rfs_site_ref *site = &set->sites[middle];

		if (rfs_site_compare(site->module, site->offset, module, offset) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool siteset_is_at(const struct rfs_site_set *set, size_t i, const char *module, uint64_t offset)
{
	return i < set->n && rfs_site_compare(set->sites[i].module, set->sites[i].offset, module, offset) == 0;
}

bool rfs_site_set_has(const struct rfs_site_set *set, const char *module, uint64_t offset)
{
	return siteset_is_at(set, siteset_lower_bound(set, module, offset), module, offset);
}

bool rfs_site_set_add(struct rfs_site_set *set, const char *module, uint64_t offset)
{
	size_t i = siteset_lower_bound(set, module, offset);

	if (siteset_is_at(set, i, module, offset))
		return false;
	set->sites = xreallocarray(set->sites, set->n + 1, sizeof(*set->sites));
	memmove(&set->sites[i + 1], &set->sites[i], (set->n - i) * sizeof(*set->sites));
	set->sites[i] = (struct rfs_site_ref){.module = xstrdup(module), .offset = offset};
	set->n++;
	return true;
}

bool rfs_site_set_join(struct rfs_site_set *set, const struct rfs_site_set *other)
{
	bool grown = false;

	for (size_t i = 0; i < other->n; i++)
		grown |= rfs_site_set_add(set, other->sites[i].module, other->sites[i].offset);
	return grown;
}

bool rfs_site_set_equal(const struct rfs_site_set *a, const struct rfs_site_set *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		const struct rfs_site_ref *x = &a->sites[i], *y = &b->sites[i];

		if (rfs_site_compare(x->module, x->offset, y->module, y->offset))
			return false;
	}
	return true;
}

void rfs_site_set_release(struct rfs_site_set *set)
{
	for (size_t i = 0; i < set->n; i++)
		free((char *)set->sites[i].module);
	free(set->sites);
	memset(set, 0, sizeof(*set));
}

bool rfs_generated_base(const char *name, uint64_t *base)
{
	const size_t n = sizeof(RFS_GENERATED_PREFIX) - 1;
	char *end;

	if (!name || strncmp(name, RFS_GENERATED_PREFIX, n) != 0)
		return false;
	*base = strtoull(name + n, &end, 16);
	return end != name + n && !*end;
}
