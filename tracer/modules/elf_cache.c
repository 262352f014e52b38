/* The ELF files that this process has read. They are kept until it ends, because the runs of one campaign share
 * libraries. */
#include "tracer/elf_cache.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uthash.h>

#include "disasm/elf/elf.h"

struct cached {
	char *path;
	dev_t device;
	ino_t inode;
	struct timespec changed;
	struct rfs_elf *elf;
	UT_hash_handle hh;
};

/*
 * The only state of this folder that outlives a tracer. Entries are added but never changed or removed, so modules of
 * different tracers may borrow from them. If a file changes on disk, it gets a second entry, which is found before the
 * first.
 */
static struct cached *cache;

static bool same_file(const struct cached *entry, const struct stat *st)
{
	return entry->device == st->st_dev && entry->inode == st->st_ino &&
	       entry->changed.tv_sec == st->st_mtim.tv_sec && entry->changed.tv_nsec == st->st_mtim.tv_nsec;
}

static int elf_cache_remember(const char *path, const struct stat *st, struct rfs_elf *elf)
{
	struct cached *entry = calloc(1, sizeof(*entry));

	if (!entry)
		return -ENOMEM;
	entry->path = strdup(path);
	if (!entry->path) {
		free(entry);
		return -ENOMEM;
	}
	entry->device = st->st_dev;
	entry->inode = st->st_ino;
	entry->changed = st->st_mtim;
	entry->elf = elf;
	HASH_ADD_KEYPTR(hh, cache, entry->path, strlen(entry->path), entry);
	return 0;
}

int rfs_elf_cache_get(const char *path, struct rfs_elf **out, char *why, size_t n)
{
	struct cached *entry;
	struct stat st;
	int r;

	/* if stat() fails, rfs_elf_open() fails too, and says why */
	if (!stat(path, &st)) {
		HASH_FIND_STR(cache, path, entry);
		if (entry && same_file(entry, &st)) {
			*out = entry->elf;
			return 0;
		}
	} else {
		memset(&st, 0, sizeof(st));
	}
	r = rfs_elf_open(path, out, why, n);
	if (r)
		return r;
	r = elf_cache_remember(path, &st, *out);
	if (r)
		rfs_elf_free(*out);
	return r;
}
