/*
 * kernel_objects.c - a hash table of objects, which gives each the next address. Above a number of objects, no
 * further one is followed.
 */
#include "supervisor/state/core/kernel_objects.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/state/core/run_state.h"

/*
 * Objects begin far above all addresses of user space (47 bits) and of the kernel's view of it. Most need one granule
 * of shadow memory. The content of a file has an address for each byte, up to 2^40 of them.
 */
#define FIRST (UINT64_C(1) << 60)
#define FIRST_CONTENT (UINT64_C(1) << 61)
#define END (UINT64_C(1) << 62)
#define SHIFT 4
#define CONTENT_SHIFT 40
/* At most this many objects of a run are followed. */
#define OBJECTS_MOST (1u << 20)

struct known {
	struct rfs_kernel_object object; /* the key; padding is zero */
	uint64_t number;
	UT_hash_handle hh;
};

struct rfs_kernel_objects {
	struct known *known; /* uthash */
	struct {
		enum rfs_kernel_object_kind kind;
		char *words;
	} * list; /* by number */
	size_t n;
};

static struct rfs_kernel_object key_of(const struct rfs_kernel_object *object)
{
	struct rfs_kernel_object key;

	memset(&key, 0, sizeof(key));
	key.kind = object->kind;
	key.device = object->device;
	key.inode = object->inode;
	key.detail = object->detail;
	return key;
}

static rfs_addr kernel_objects_address(enum rfs_kernel_object_kind kind, uint64_t number)
{
	return kind == RFS_OBJECT_CONTENT ? FIRST_CONTENT + (number << CONTENT_SHIFT) : FIRST + (number << SHIFT);
}

rfs_addr rfs_kernel_object(struct rfs_run *run, const struct rfs_kernel_object *object, const char *words)
{
	const struct rfs_kernel_object key = key_of(object);
	struct rfs_kernel_objects *all = run->kernel_objects;
	struct known *known;

	if (!all)
		all = run->kernel_objects = xcalloc(1, sizeof(*all));
	HASH_FIND(hh, all->known, &key, sizeof(key), known);
	if (known)
		return kernel_objects_address(key.kind, known->number);
	if (all->n == OBJECTS_MOST)
		return 0;
	if ((all->n & (all->n - 1)) == 0)
		all->list = xreallocarray(all->list, all->n ? 2 * all->n : 1, sizeof(*all->list));
	all->list[all->n].kind = key.kind;
	all->list[all->n].words = xstrdup(words);
	known = xcalloc(1, sizeof(*known));
	known->object = key;
	known->number = all->n++;
	HASH_ADD(hh, all->known, object, sizeof(key), known);
	return kernel_objects_address(key.kind, known->number);
}

bool rfs_is_kernel_object(rfs_addr address)
{
	return address >= FIRST && address < END;
}

enum rfs_kernel_object_kind rfs_kernel_object_at(const struct rfs_run *run, rfs_addr address, const char **words)
{
	const struct rfs_kernel_objects *all = run->kernel_objects;
	uint64_t number;

	*words = NULL;
	if (!all || !rfs_is_kernel_object(address))
		return RFS_OBJECT_MEMORY;
	number = address >= FIRST_CONTENT ? (address - FIRST_CONTENT) >> CONTENT_SHIFT : (address - FIRST) >> SHIFT;
	if (number >= all->n)
		return RFS_OBJECT_MEMORY;
	*words = all->list[number].words;
	return all->list[number].kind;
}

static void kernel_objects_drop(struct rfs_kernel_objects *all, struct known *known)
{
	HASH_DEL(all->known, known);
	free(known);
}

void rfs_kernel_object_forget(struct rfs_run *run, const struct rfs_kernel_object *object)
{
	const struct rfs_kernel_object key = key_of(object);
	struct known *known = NULL;

	if (run->kernel_objects)
		HASH_FIND(hh, run->kernel_objects->known, &key, sizeof(key), known);
	if (known)
		kernel_objects_drop(run->kernel_objects, known);
}

void rfs_kernel_objects_forget(struct rfs_run *run, dev_t device, ino_t inode)
{
	struct known *known, *next;

	if (!run->kernel_objects)
		return;
	HASH_ITER (hh, run->kernel_objects->known, known, next)
		if (known->object.device == device && known->object.inode == inode)
			kernel_objects_drop(run->kernel_objects, known);
}

void rfs_kernel_objects_release(struct rfs_run *run)
{
	struct rfs_kernel_objects *all = run->kernel_objects;
	struct known *known, *next;

	if (!all)
		return;
	HASH_ITER (hh, all->known, known, next)
		kernel_objects_drop(all, known);
	for (size_t i = 0; i < all->n; i++)
		free(all->list[i].words);
	free(all->list);
	free(all);
	run->kernel_objects = NULL;
}
