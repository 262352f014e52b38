/* siteset.h - a sorted set of sites. It is sorted so that equal sets are equal bytes in a record. */
#ifndef RFS_SITESET_H
#define RFS_SITESET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A site by a name that is the same in all runs: module path, and ELF virtual address in the module. */
struct rfs_site_ref {
	const char *module;
	uint64_t offset;
};

/* Ascending by module, then offset. Owns the names. A zeroed struct is the empty set. */
struct rfs_site_set {
	struct rfs_site_ref *sites;
	size_t n;
};

/* True if the site was not in the set before. */
bool rfs_site_set_add(struct rfs_site_set *set, const char *module, uint64_t offset);
bool rfs_site_set_has(const struct rfs_site_set *set, const char *module, uint64_t offset);
/* Adds all sites of other. True if the set has grown. */
bool rfs_site_set_join(struct rfs_site_set *set, const struct rfs_site_set *other);
bool rfs_site_set_equal(const struct rfs_site_set *a, const struct rfs_site_set *b);
void rfs_site_set_release(struct rfs_site_set *set);

/* Negative, 0 or positive, like strcmp(). This is the order of the set, and of everything else that sorts sites. */
int rfs_site_compare(const char *module_a, uint64_t offset_a, const char *module_b, uint64_t offset_b);

#endif
