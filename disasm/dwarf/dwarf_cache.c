/*
 * dwarf_cache.c - tables of debug information in files.
 *
 * The name of a file is a hash of what its content depends on: the debug file, the module, and the program that reads
 * (size, times and inode of each). So a new version of any of them never meets old tables. The last 8 bytes of a file
 * are a hash of the others; a file that was cut short or changed is not used. A file is written under another name and
 * then renamed, so several processes may write the same one.
 */
#include "disasm/dwarf/dwarf-priv.h"
#include "disasm/dwarf/dwarf_cache-priv.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* Smaller debug files are read in less than about 10 ms. */
#define DEBUG_BYTES_MIN (256 << 10)
/* All kept tables together. The C library needs 5 MiB. */
#define CACHE_BYTES_MAX (256ll << 20)
#define SUFFIX ".tables"

/* What identifies the content of a file without reading it. */
struct identity {
	uint64_t device, inode, size;
	int64_t changed[2], modified[2];
};

static void identify(struct identity *identity, const struct stat *st)
{
	memset(identity, 0, sizeof(*identity));
	identity->device = st->st_dev;
	identity->inode = st->st_ino;
	identity->size = (uint64_t)st->st_size;
	identity->changed[0] = st->st_ctim.tv_sec;
	identity->changed[1] = st->st_ctim.tv_nsec;
	identity->modified[0] = st->st_mtim.tv_sec;
	identity->modified[1] = st->st_mtim.tv_nsec;
}

/* Opens the folder, and makes it and the one above it if they are not there. Returns -1 if that cannot be done. */
static int open_folder(void)
{
	const char *xdg = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	const bool own = xdg && xdg[0] == '/';
	char path[PATH_MAX];
	int n;

	if (!own && (!home || home[0] != '/'))
		return -1;
	n = snprintf(path, sizeof(path), "%s%s", own ? xdg : home, own ? "" : "/.cache");
	if (n < 0 || (size_t)n + sizeof("/rfsup") > sizeof(path))
		return -1;
	(void)mkdir(path, 0700);
	strcpy(path + n, "/rfsup");
	(void)mkdir(path, 0700);
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

void rfs_dwarf_cache_open(struct rfs_dwarf_cache *cache, int debug, const char *path)
{
	struct identity identity[3];
	XXH128_hash_t hash;
	struct stat st[3];

	cache->folder = -1;
	if (fstat(debug, &st[0]) || st[0].st_size < DEBUG_BYTES_MIN || stat(path, &st[1]) ||
	    stat("/proc/self/exe", &st[2]))
		return;
	for (int i = 0; i < 3; i++)
		identify(&identity[i], &st[i]);
	hash = XXH3_128bits(identity, sizeof(identity));
	snprintf(cache->name, sizeof(cache->name), "%016llx%016llx" SUFFIX, (unsigned long long)hash.high64,
		 (unsigned long long)hash.low64);
	cache->folder = open_folder();
}

/* Maps the file at fd if it is a regular file of this user. Returns its size, 0 if it cannot be used. */
static size_t dwarf_cache_map_file(int fd, void **map)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_uid != geteuid() || st.st_size < 8)
		return 0;
	*map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	return *map == MAP_FAILED ? 0 : (size_t)st.st_size;
}

bool rfs_dwarf_cache_load(const struct rfs_dwarf_cache *cache, int out)
{
	uint64_t hash;
	void *map = NULL;
	bool good = false;
	size_t n;
	int fd;

	if (cache->folder < 0)
		return false;
	fd = openat(cache->folder, cache->name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return false;
	n = dwarf_cache_map_file(fd, &map);
	if (n) {
		memcpy(&hash, (char *)map + n - sizeof(hash), sizeof(hash));
		good = hash == XXH3_64bits(map, n - sizeof(hash)) && !rfs_dwarf_write_all(out, map, n - sizeof(hash));
		munmap(map, n);
	}
	if (good) {
		(void)futimens(fd, NULL); /* used files are removed last */
	} else {
		(void)!ftruncate(out, 0);
		(void)lseek(out, 0, SEEK_SET);
	}
	close(fd);
	return good;
}

struct kept {
	char name[64];
	struct timespec used;
	long long bytes;
};

static int compare_use(const void *a, const void *b)
{
	const struct timespec *x = &((const struct kept *)a)->used, *y = &((const struct kept *)b)->used;

	if (x->tv_sec != y->tv_sec)
		return x->tv_sec < y->tv_sec ? -1 : 1;
	return (x->tv_nsec > y->tv_nsec) - (x->tv_nsec < y->tv_nsec);
}

/* Lists the files of the folder, those not used for longest first. Caller frees. */
static struct kept *dwarf_cache_list(int folder, size_t *n, long long *bytes)
{
	struct kept *all = NULL, *more;
	int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	struct stat st;

	*n = 0;
	*bytes = 0;
	while (dir && (entry = readdir(dir))) {
		if (strlen(entry->d_name) >= sizeof(all->name) ||
		    fstatat(folder, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode))
			continue;
		more = realloc(all, (*n + 1) * sizeof(*all));
		if (!more)
			break;
		all = more;
		strcpy(all[*n].name, entry->d_name);
		all[*n].used = st.st_mtim;
		all[*n].bytes = st.st_size;
		*bytes += st.st_size;
		++*n;
	}
	if (dir)
		closedir(dir);
	if (*n)
		qsort(all, *n, sizeof(*all), compare_use);
	return all;
}

static void remove_oldest(int folder)
{
	long long bytes;
	size_t n;
	struct kept *all = dwarf_cache_list(folder, &n, &bytes);

	for (size_t i = 0; i < n && bytes > CACHE_BYTES_MAX; i++) {
		if (!unlinkat(folder, all[i].name, 0))
			bytes -= all[i].bytes;
	}
	free(all);
}

void rfs_dwarf_cache_keep(const struct rfs_dwarf_cache *cache, int tables)
{
	char name[96];
	uint64_t hash;
	void *map = NULL;
	size_t n;
	int fd;

	if (cache->folder < 0)
		return;
	n = dwarf_cache_map_file(tables, &map);
	if (!n)
		return;
	snprintf(name, sizeof(name), "%.40s.%d", cache->name, (int)getpid());
	fd = openat(cache->folder, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0) {
		hash = XXH3_64bits(map, n);
		if (rfs_dwarf_write_all(fd, map, n) || rfs_dwarf_write_all(fd, &hash, sizeof(hash)) ||
		    renameat(cache->folder, name, cache->folder, cache->name))
			(void)unlinkat(cache->folder, name, 0);
		close(fd);
		remove_oldest(cache->folder);
	}
	munmap(map, n);
}
