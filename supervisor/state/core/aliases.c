/*
 * aliases.c - the table of shared memory that is mapped at several addresses.
 *
 * It is made from /proc/PID/maps at the first stop after each call that may change it. Until then, no other thread has
 * run, and the records of stubs are handled afterwards. A program without shared mappings of a file has no table.
 */
#include "supervisor/state/core/aliases.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "supervisor/base/alloc.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

/* Of more shared mappings of files, the oldest count. Each call that maps a file compares all of them. */
#define MAPPINGS_MOST 256

/* A shared mapping of a file. */
struct mapping {
	rfs_addr start, end;
	uint64_t offset, inode;
	unsigned major, minor;
	uint64_t age; /* smaller is older */
};

/* A part of a mapping whose pages are in an older mapping too. */
struct alias {
	rfs_addr start, end;
	rfs_addr location; /* of start */
};

struct rfs_aliases {
	struct mapping mappings[MAPPINGS_MOST]; /* the oldest first */
	size_t n_mappings;
	uint64_t last_age;
	struct alias *list; /* ascending; they do not overlap */
	size_t n;
	int caller; /* the thread that has made a call after which the table may be wrong; 0: it is right */
};

static int compare_age(const void *a, const void *b)
{
	const uint64_t x = ((const struct mapping *)a)->age, y = ((const struct mapping *)b)->age;

	return x < y ? -1 : x > y;
}

static int compare_start(const void *a, const void *b)
{
	const rfs_addr x = ((const struct alias *)a)->start, y = ((const struct alias *)b)->start;

	return x < y ? -1 : x > y;
}

static const struct alias *alias_at(const struct rfs_aliases *aliases, rfs_addr address)
{
	size_t low = 0, high = aliases->n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const struct alias *alias = &aliases->list[middle];

		if (address < alias->start)
			high = middle;
		else if (address >= alias->end)
			low = middle + 1;
		else
			return alias;
	}
	return NULL;
}

rfs_addr rfs_location(const struct rfs_run *run, rfs_addr address)
{
	const struct alias *alias = run->aliases ? alias_at(run->aliases, address) : NULL;

	return alias ? alias->location + (address - alias->start) : address;
}

bool rfs_aliases_any(const struct rfs_run *run)
{
	return run->aliases && run->aliases->n;
}

bool rfs_aliases_share(const struct rfs_run *run, rfs_addr address, uint64_t size)
{
	for (size_t i = 0; run->aliases && i < run->aliases->n; i++) {
		const struct alias *alias = &run->aliases->list[i];
		const uint64_t n = alias->end - alias->start;

		if ((address < alias->end && alias->start < address + size) ||
		    (address < alias->location + n && alias->location < address + size))
			return true;
	}
	return false;
}

/* ---- what is mapped ---- */

static bool is_same_file(const struct mapping *a, const struct mapping *b)
{
	return a->inode == b->inode && a->major == b->major && a->minor == b->minor;
}

/* The kernel cuts a mapping in two, and joins neighbours. What is left of a mapping keeps its age. */
static uint64_t age_of(struct rfs_aliases *aliases, const struct mapping *mapping)
{
	for (size_t i = 0; i < aliases->n_mappings; i++) {
		const struct mapping *old = &aliases->mappings[i];

		if (is_same_file(old, mapping) && old->start < mapping->end && mapping->start < old->end &&
		    old->offset - old->start == mapping->offset - mapping->start)
			return old->age;
	}
	return ++aliases->last_age;
}

static bool read_mapping(const char *line, struct mapping *out)
{
	char access[5];

	*out = (struct mapping){0};
	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64, &out->start, &out->end, access,
		      &out->offset, &out->major, &out->minor, &out->inode) == 7 &&
	       access[3] == 's' && out->inode;
}

/* Adds what of [start, end) of mapping m is in mapping i as well, or in those after i. */
static void add_aliases(struct rfs_aliases *aliases, const struct mapping *m, rfs_addr start, rfs_addr end, size_t i)
{
	for (; start < end && &aliases->mappings[i] < m; i++) {
		const struct mapping *older = &aliases->mappings[i];
		const uint64_t from = m->offset + (start - m->start), to = m->offset + (end - m->start);
		const uint64_t older_to = older->offset + (older->end - older->start);
		const uint64_t low = from > older->offset ? from : older->offset;
		const uint64_t high = to < older_to ? to : older_to;
		struct alias *alias;

		if (!is_same_file(m, older) || low >= high)
			continue;
		add_aliases(aliases, m, start, start + (low - from), i + 1);
		add_aliases(aliases, m, end - (to - high), end, i + 1);
		aliases->list = xreallocarray(aliases->list, aliases->n + 1, sizeof(*aliases->list));
		alias = &aliases->list[aliases->n++];
		alias->start = start + (low - from);
		alias->end = end - (to - high);
		alias->location = older->start + (low - older->offset);
		return;
	}
}

void rfs_aliases_read(struct rfs_run *run, FILE *maps)
{
	struct rfs_aliases *aliases = run->aliases;
	struct mapping *found = xcalloc(MAPPINGS_MOST, sizeof(*found));
	size_t n = 0, size = 0;
	char *line = NULL;

	if (!aliases)
		aliases = run->aliases = xcalloc(1, sizeof(*aliases));
	while (n < MAPPINGS_MOST && getline(&line, &size, maps) > 0)
		if (read_mapping(line, &found[n])) {
			found[n].age = age_of(aliases, &found[n]);
			n++;
		}
	free(line);
	qsort(found, n, sizeof(*found), compare_age);
	memcpy(aliases->mappings, found, n * sizeof(*found));
	aliases->n_mappings = n;
	free(found);
	aliases->n = 0;
	for (size_t i = 1; i < n; i++)
		add_aliases(aliases, &aliases->mappings[i], aliases->mappings[i].start, aliases->mappings[i].end, 0);
	if (aliases->n)
		qsort(aliases->list, aliases->n, sizeof(*aliases->list), compare_start);
}

/* Whether the table may be wrong after the call. */
static bool changes_table(const struct rfs_run *run, long number, const unsigned long *args)
{
	switch (number) {
	case SYS_mmap:
		if (!(args[3] & MAP_ANONYMOUS) && (args[3] & MAP_TYPE) != MAP_PRIVATE)
			return true;
		return run->aliases && (args[3] & MAP_FIXED);
	case SYS_shmat:
		return true;
	case SYS_mremap:
		return run->aliases || args[1] == 0; /* 0: the same pages are then at two addresses */
	case SYS_munmap:
	case SYS_shmdt:
		return run->aliases != NULL;
	default:
		return false;
	}
}

void rfs_aliases_call(struct rfs_run *run, const struct rfs_thread *thread, long number, const unsigned long *args)
{
	if (!changes_table(run, number, args))
		return;
	if (!run->aliases)
		run->aliases = xcalloc(1, sizeof(*run->aliases));
	run->aliases->caller = rfs_task_tid(thread->task);
}

void rfs_aliases_stop(struct rfs_run *run, int tid)
{
	char path[64];
	FILE *maps;

	if (!run->aliases || run->aliases->caller != tid)
		return;
	run->aliases->caller = 0;
	snprintf(path, sizeof(path), "/proc/%d/maps", tid);
	maps = fopen(path, "re");
	if (!maps)
		return; /* the process has ended */
	rfs_aliases_read(run, maps);
	fclose(maps);
}

void rfs_aliases_release(struct rfs_run *run)
{
	if (run->aliases)
		free(run->aliases->list);
	free(run->aliases);
	run->aliases = NULL;
}

void rfs_aliases_copy(const struct rfs_run *from, struct rfs_run *to)
{
	if (!from->aliases)
		return;
	to->aliases = xcalloc(1, sizeof(*to->aliases));
	*to->aliases = *from->aliases;
	to->aliases->list = xcalloc(from->aliases->n + 1, sizeof(*to->aliases->list));
	if (from->aliases->n)
		memcpy(to->aliases->list, from->aliases->list, from->aliases->n * sizeof(*to->aliases->list));
}
