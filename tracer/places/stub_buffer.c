/*
 * stub_buffer.c - the memory that stubs write to, shared by target and supervisor:
 *
 *     base      control blocks, one for each task
 *     buffer    RFS_RECORDS_ROOM records
 *     guard     an inaccessible page: a fault there means that the buffer is full
 *     table     of the filter (disasm/rewrite/stub_control.h); smaller or left out if there is no room
 *
 * A stub counts dropped accesses by a pointer to the last bytes of the buffer, which it reads. So the guard also ends a
 * long sequence of dropped accesses.
 *
 * The target creates the file for this memory (memfd_create), because it might not be able to open a file of ours. The
 * supervisor opens that file through /proc/PID/fd.
 */
#include "tracer/places/stub_buffer-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "disasm/rewrite/stub.h"
#include "tracer/places/space_places-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"
#include "tracer/tracer.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#define GRANULE 8ul
#define USER_BITS 47 /* of an address */
#define BLOCKS 4096ul
#define CONTROL_SIZE (BLOCKS * sizeof(struct rfs_stub_control))
#define BUFFER_SIZE (RFS_RECORDS_ROOM * sizeof(struct rfs_stub_record))
#define SIZE (CONTROL_SIZE + BUFFER_SIZE)
#define TABLE (SIZE + RFS_PAGE)
#define WHOLE (TABLE + RFS_FILTER_SIZE) /* of our mapping; the target may have less */
/* RFS_FILTER_PLACES: the slots of a task without the filter. Only the first one of short and of long ones is used. */
#define PLACES_ALL (2 * RFS_PLACE_SLOTS)
/* RFS_STUB_PASS: slots that are all 0. */
#define PLACES_NONE (4 * RFS_PLACE_SLOTS)
/* RFS_FILTER_REPEATS: the bits of an address that are its slot. */
#define MASK_BYTES (RFS_FILTER_SLOTS - 1)
/*
 * RFS_FILTER_PLACES and RFS_STUB_PASS: the bits of an address that are its slot. The low ones distinguish granules of 8
 * MiB. The high ones distinguish the heaps of threads: glibc gives each thread heaps that begin at multiples of 64 MiB
 * (malloc/arena.c). Threads that do the same work use the same low bits of their heaps.
 */
#define LOW_BITS 20
#define HIGH_BITS 2
#define HIGH_FROM 26
#define MASK_LOW(shift) ((1ul << (LOW_BITS - (shift))) - 1)
#define MASK_HIGH ((1ul << HIGH_BITS) - 1)
/* The most segments that begin between two stops of a task: each takes a record, and a stop may begin one. */
#define SEGMENTS_MOST ((RFS_RECORDS_ROOM + 2) * RFS_FILTER_SEGMENT)

_Static_assert(LOW_BITS + HIGH_BITS == 22 && RFS_PLACE_SLOTS == 1 << 22, "each slot is used");
_Static_assert(16 * RFS_FILTER_SLOTS <= RFS_FILTER_SIZE, "the table has room for the slots of reads and writes");
_Static_assert(RFS_DROPS_ROOM <= BUFFER_SIZE, "the count of dropped accesses points into the buffer");

/* Addresses to try for the memory. They are above those of the gate page, and trampoline.c gives the reasons. */
static const rfs_addr places[] = {0x550001000000, 0x550011000000, 0x540001000000, 0x530001000000};

struct rfs_stub_buffer {
	rfs_addr base;
	struct rfs_stub_control *control; /* the control blocks, and the start of our mapping */
	struct rfs_stub_record *buffer;
	uint64_t used[BLOCKS / 64]; /* bit i is set if control block i is in use */
	bool given_up;
	uint8_t *table;		     /* of the filter; NULL: there is none */
	uint8_t *marked;	     /* RFS_FILTER_PLACES and RFS_STUB_PASS: what we have written into the table */
	enum rfs_stub_filter filter; /* what the table is for */
	uint64_t segment;	     /* the last one that was given to a task */
	bool segment_ended;	     /* no task may continue it */
	struct rfs_place_range places[RFS_PLACES_MOST]; /* RFS_STUB_PASS: marked in the table */
	size_t n_places;
	unsigned shift; /* the table is smaller by this power of 2: 0 or RFS_FILTER_SMALLER */
	bool lent;	/* in a copy: the mapping belongs to the original (forker.h) */
};

static rfs_addr buffer_of(const struct rfs_stub_buffer *records)
{
	return records->base + CONTROL_SIZE;
}

/* A stub adds to this address what it drops. */
static rfs_addr nothing_dropped(const struct rfs_stub_buffer *records)
{
	return buffer_of(records) + BUFFER_SIZE - RFS_DROPS_ROOM;
}

static uint64_t table_size(const struct rfs_stub_buffer *records)
{
	return RFS_FILTER_SIZE >> records->shift;
}

/* RFS_FILTER_REPEATS: neighbouring accesses of one size have neighbouring slots. */
static uint64_t mask_of_size(const struct rfs_stub_buffer *records, unsigned size)
{
	const unsigned low = size < 3 && !records->shift ? size : 3;

	return MASK_BYTES & ~((1ull << low) - 1);
}

static uint64_t mask_of_places(const struct rfs_stub_buffer *records)
{
	return MASK_LOW(records->shift) * GRANULE | MASK_HIGH << HIGH_FROM;
}

/* Switches the filter off for the owner of a control block. */
static void stop_filter(const struct rfs_stub_buffer *records, struct rfs_stub_control *control)
{
	control->segment = RFS_FILTER_NO_SEGMENT;
	control->off = RFS_FILTER_NO_KEY;
	control->table =
		records->base + TABLE + (records->filter == RFS_FILTER_PLACES ? PLACES_ALL >> records->shift : 0);
	control->dropped = nothing_dropped(records);
	control->sum = 0;
	for (unsigned i = 0; i < RFS_FILTER_SIZES; i++)
		control->mask[i] = records->filter == RFS_FILTER_PLACES ? 0
				   : records->filter			? mask_of_size(records, i)
									: mask_of_places(records);
	for (unsigned i = 0; i < RFS_STUB_PASSES; i++)
		control->pass[i] =
			(struct rfs_stub_pass){.table = records->base + TABLE + (PLACES_NONE >> records->shift)};
}

static struct rfs_stub_control new_control(const struct rfs_stub_buffer *records)
{
	struct rfs_stub_control control = {.next = buffer_of(records)};

	stop_filter(records, &control);
	return control;
}

/* Maps `size` bytes in the target, at one of the places. Returns 0 and *base, or -errno. */
static int map_size(struct rfs_task *task, long fd, unsigned long size, rfs_addr *base)
{
	long result = -ENOMEM;

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		const unsigned long map[6] = {
			places[i],	   size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
			(unsigned long)fd, 0};
		const unsigned long protect[6] = {places[i] + SIZE, RFS_PAGE, PROT_NONE};
		int r = rfs_task_inject(task, SYS_mmap, map, &result);

		if (r)
			return r;
		if ((rfs_addr)result != places[i])
			continue; /* the place is in use, or a kernel before 4.17 ignored MAP_FIXED_NOREPLACE */
		r = rfs_task_inject(task, SYS_mprotect, protect, &result);
		*base = places[i];
		return r ? r : (int)result;
	}
	return result < 0 ? (int)result : -ENOMEM;
}

/* Maps the memory in the target, with the largest possible table. Returns 0, *base, *table and *shift, or -errno. */
static int map_there(struct rfs_task *task, long fd, rfs_addr *base, bool *table, unsigned *shift)
{
	int r;

	for (*shift = 0; *shift <= RFS_FILTER_SMALLER; *shift += RFS_FILTER_SMALLER) {
		r = map_size(task, fd, TABLE + (RFS_FILTER_SIZE >> *shift), base);
		*table = r == 0;
		if (r == 0 || r == -ESRCH)
			return r;
	}
	*shift = 0;
	return map_size(task, fd, TABLE, base);
}

/* Makes the file of the target's descriptor fd large enough, and maps it here. Returns 0 and *out, or -errno. */
static int map_here(struct rfs_task *task, long fd, void **out)
{
	char path[64];
	int ours, r = 0;

	snprintf(path, sizeof(path), "/proc/%d/fd/%ld", task->tid, fd);
	ours = open(path, O_RDWR | O_CLOEXEC);
	if (ours < 0)
		return -errno;
	if (ftruncate(ours, WHOLE))
		r = -errno;
	if (!r) {
		*out = mmap(NULL, WHOLE, PROT_READ | PROT_WRITE, MAP_SHARED, ours, 0);
		r = *out == MAP_FAILED ? -errno : 0;
	}
	close(ours);
	return r;
}

int rfs_stub_buffer_open(struct rfs_task *task)
{
	struct rfs_space *space = task->space;
	/* the file's name does not matter: the gate page ends with zeroes, so this is an empty string */
	const unsigned long create[6] = {space->gate + RFS_PAGE - 1, MFD_CLOEXEC};
	unsigned long close_it[6] = {0};
	struct rfs_stub_buffer *records;
	struct rlimit limit;
	void *ours = NULL;
	unsigned shift = 0;
	bool table = false;
	long fd, closed;
	int r;

	if (rfs_task_regs(task)->gs_base)
		return -EEXIST;
	/* a program with limited address space may need all of it */
	if (prlimit(task->pid, RLIMIT_AS, NULL, &limit) || limit.rlim_cur != RLIM_INFINITY)
		return -ENOMEM;
	r = rfs_task_inject(task, SYS_memfd_create, create, &fd);
	if (!r && fd < 0)
		r = (int)fd;
	if (r)
		return r;
	records = calloc(1, sizeof(*records));
	if (records) /* most of it is never used */
		records->marked = calloc(1, RFS_FILTER_SIZE);
	r = records && records->marked ? map_here(task, fd, &ours) : -ENOMEM;
	if (!r)
		r = map_there(task, fd, &records->base, &table, &shift);
	close_it[0] = (unsigned long)fd;
	if (task->state == RFS_TASK_STOPPED && rfs_task_inject(task, SYS_close, close_it, &closed) && !r)
		r = -ESRCH;
	if (r) {
		if (ours)
			munmap(ours, WHOLE);
		if (records)
			free(records->marked);
		free(records);
		return r;
	}
	records->control = ours;
	records->buffer = (struct rfs_stub_record *)((char *)ours + CONTROL_SIZE);
	records->table = table ? (uint8_t *)ours + TABLE : NULL;
	records->shift = shift;
	space->places->records = records;
	(void)rfs_stub_buffer_join(task); /* cannot fail: all control blocks are free */
	return 0;
}

static bool take_block(struct rfs_task *task)
{
	struct rfs_stub_buffer *records = task->space->places->records;

	for (size_t i = 0; i < BLOCKS / 64 && !records->given_up; i++) {
		size_t block;

		if (!~records->used[i])
			continue;
		block = 64 * i + (size_t)__builtin_ctzll(~records->used[i]);
		records->used[i] |= 1ull << (block % 64);
		task->stub->control = &records->control[block];
		*task->stub->control = new_control(records);
		rfs_task_regs_mut(task)->gs_base = records->base + block * sizeof(*task->stub->control);
		return true;
	}
	return false;
}

bool rfs_stub_buffer_join(struct rfs_task *task)
{
	bool joined = true;

	if (task->space->places->records && !task->stub->control)
		joined = take_block(task);
	else if (task->stub->foreign_gs)
		rfs_task_regs_mut(task)->gs_base = 0;
	task->stub->foreign_gs = false;
	return joined;
}

bool rfs_stub_buffer_set_given_up(struct rfs_space *space)
{
	if (!space->places->records || space->places->records->given_up)
		return false;
	space->places->records->given_up = true;
	return true;
}

/* Whether the kernel still has the program's action for SIGSEGV: a handler or, if `ignored`, to ignore it. */
static bool is_kept(const struct rfs_task *task, bool ignored)
{
	const char *const name = ignored ? "SigIgn:" : "SigCgt:";
	unsigned long long signals = ~0ull;
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", task->tid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		if (strncmp(line, name, strlen(name)) == 0) {
			signals = strtoull(line + strlen(name), NULL, 16);
			break;
		}
	if (f)
		fclose(f);
	return signals >> (SIGSEGV - 1) & 1;
}

int rfs_stub_buffer_repair(struct rfs_task *task, const uint64_t action[4])
{
	const bool ignored = action[0] == (uint64_t)(uintptr_t)SIG_IGN;
	unsigned long args[6] = {SIGSEGV, 0, 0, 8};
	uint64_t mask;
	long result;
	int r;

	if (!task->stub->control || is_kept(task, ignored))
		return 0;
	/* only the kernel can have reset the action, because the thread blocks or ignores the signal */
	args[1] = task->space->places->records->base +
		  (unsigned long)((char *)task->stub->control->unused - (char *)task->space->places->records->control);
	memcpy(task->stub->control->unused, action, 4 * sizeof(*action));
	r = rfs_task_inject(task, SYS_rt_sigaction, args, &result);
	/* a signal with a handler was blocked, and the kernel has unblocked it. A signal that is ignored need not be */
	if (r || ignored)
		return r;
	if (ptrace(PTRACE_GETSIGMASK, task->tid, sizeof(mask), &mask))
		return -ESRCH;
	mask |= 1ull << (SIGSEGV - 1);
	return ptrace(PTRACE_SETSIGMASK, task->tid, sizeof(mask), &mask) ? -ESRCH : 0;
}

/* How many records the task has written since they were last taken. */
static size_t stub_buffer_count(const struct rfs_stub_buffer *records, const struct rfs_task *task)
{
	size_t n = (task->stub->control->next - buffer_of(records)) / sizeof(struct rfs_stub_record);

	/* do not trust the number, because the target can write to its control block */
	return n <= RFS_RECORDS_ROOM ? n : 0;
}

/* Takes what was dropped into the task, and what is left of its counters, and switches its filter off. */
static void take_dropped(struct rfs_stub_buffer *records, struct rfs_task *task)
{
	const uint64_t n = task->stub->control->dropped - nothing_dropped(records);

	for (unsigned i = 0; i < RFS_STUB_PASSES; i++)
		task->stub->passes[i] = task->stub->control->pass[i].left;
	/* do not trust the numbers, because the target can write to its control block */
	if (n <= RFS_DROPS_ROOM + 1) {
		task->stub->dropped.n += n;
		task->stub->dropped.sum += task->stub->control->sum;
	}
	/* segments that began while the filter was off have no numbers */
	if (task->stub->control->off)
		records->segment_ended |= task->stub->control->segment != RFS_FILTER_NO_SEGMENT;
	else if (task->stub->control->segment - records->segment <= SEGMENTS_MOST)
		records->segment = task->stub->control->segment;
	stop_filter(records, task->stub->control);
}

void rfs_stub_buffer_part(struct rfs_task *task)
{
	struct rfs_stub_buffer *records = task->space ? task->space->places->records : NULL;
	size_t block, n;

	if (!records || !task->stub->control)
		return;
	n = stub_buffer_count(records, task);
	take_dropped(records, task);
	free(task->stub->left);
	task->stub->left = n ? malloc(n * sizeof(*task->stub->left)) : NULL;
	task->stub->n_left = task->stub->left ? n : 0;
	if (task->stub->left)
		memcpy(task->stub->left, records->buffer, n * sizeof(*task->stub->left));
	block = (size_t)(task->stub->control - records->control);
	records->used[block / 64] &= ~(1ull << (block % 64));
	task->stub->control = NULL;
}

size_t rfs_stub_buffer_take(struct rfs_task *task, const struct rfs_stub_record **out)
{
	struct rfs_stub_buffer *records = task->space ? task->space->places->records : NULL;
	size_t n = task->stub->n_left;

	if (n) {
		task->stub->n_left = 0;
		*out = task->stub->left;
		return n;
	}
	free(task->stub->left);
	task->stub->left = NULL;
	if (!records || !task->stub->control)
		return 0;
	n = stub_buffer_count(records, task);
	task->stub->control->next = buffer_of(records);
	task->stub->control->lent = (struct rfs_stub_lent){0};
	take_dropped(records, task);
	*out = records->buffer;
	return n;
}

void rfs_stub_buffer_close(struct rfs_task *task)
{
	if (!task->stub->control)
		return;
	/* in the guard, and behind what stub_buffer_count() accepts */
	task->stub->control->next =
		buffer_of(task->space->places->records) + BUFFER_SIZE + sizeof(struct rfs_stub_record);
}

void rfs_stub_buffer_lend(struct rfs_task *task, const struct rfs_stub_lent *lent)
{
	if (task->stub->control)
		task->stub->control->lent = *lent;
}

bool rfs_stub_buffer_filter_open(struct rfs_space *space, enum rfs_stub_filter filter)
{
	struct rfs_stub_buffer *records = space->places->records;

	if (!records || !records->table)
		return false;
	records->filter = filter;
	if (filter == RFS_FILTER_PLACES) {
		for (unsigned i = 0; i < 2; i++) {
			const uint64_t slot = (PLACES_ALL + i * RFS_FILTER_LONG) >> records->shift;

			records->table[slot] = records->marked[slot] = 1;
		}
	}
	for (size_t i = 0; i < BLOCKS; i++)
		if (records->used[i / 64] >> (i % 64) & 1)
			stop_filter(records, &records->control[i]);
	return true;
}

/* The slot of a granule: what stubs compute with mask_of_places(). */
static uint64_t stub_buffer_slot_of(uint64_t granule, unsigned shift)
{
	return (granule & MASK_LOW(shift)) | (granule * GRANULE >> HIGH_FROM & MASK_HIGH) << (LOW_BITS - shift);
}

/* Sets the slots of granules first to last. */
static void set_slots_of(uint8_t *slots, unsigned shift, uint64_t first, uint64_t last, uint8_t value)
{
	if (last - first >= RFS_PLACE_SLOTS >> shift) {
		memset(slots, value, RFS_PLACE_SLOTS >> shift);
		return;
	}
	for (uint64_t granule = first; granule != last + 1; granule++)
		slots[stub_buffer_slot_of(granule, shift)] = value;
}

/* offset: where the slots begin in the table */
static void set_slots(struct rfs_stub_buffer *records, uint64_t offset, uint64_t first, uint64_t last, uint8_t value)
{
	set_slots_of(records->table + (offset >> records->shift), records->shift, first, last, value);
	set_slots_of(records->marked + (offset >> records->shift), records->shift, first, last, value);
}

/* An access is looked up by the granule of its first byte, so earlier granules are set too. */
static void stub_buffer_set_place(struct rfs_stub_buffer *records, rfs_addr address, uint64_t size, uint8_t value)
{
	const uint64_t first = address / GRANULE, last = (address + size - 1) / GRANULE;

	set_slots(records, 0, first - 1, last, value);
	set_slots(records, RFS_FILTER_LONG, first - RFS_FILTER_LONGEST / GRANULE, last, value);
}

void rfs_stub_buffer_filter_place(struct rfs_space *space, rfs_addr address, uint64_t size)
{
	stub_buffer_set_place(space->places->records, address, size, 1);
}

bool rfs_stub_buffer_can_pass(const struct rfs_space *space)
{
	return space->places->records && !space->places->records->given_up && space->places->records->table &&
	       !space->places->records->filter;
}

void rfs_stub_buffer_places(struct rfs_space *space, const struct rfs_place_range *list, size_t n)
{
	struct rfs_stub_buffer *records = space->places->records;

	if (!records || !records->table)
		return;
	for (size_t i = 0; i < records->n_places; i++)
		stub_buffer_set_place(records, records->places[i].address, records->places[i].size, 0);
	records->n_places = n < RFS_PLACES_MOST ? n : RFS_PLACES_MOST;
	for (size_t i = 0; i < records->n_places; i++) {
		records->places[i] = list[i];
		stub_buffer_set_place(records, list[i].address, list[i].size, 1);
	}
}

bool rfs_stub_buffer_pass(struct rfs_task *task, unsigned counter, uint64_t left, bool stops)
{
	struct rfs_stub_buffer *records = task->space->places->records;

	if (!task->stub->control)
		return false;
	task->stub->control->pass[counter].left = left;
	task->stub->control->pass[counter].table = records->base + TABLE + (stops ? 0 : PLACES_NONE >> records->shift);
	return true;
}

uint64_t rfs_stub_buffer_passes(const struct rfs_task *task, unsigned counter)
{
	return task->stub->passes[counter];
}

/* Whether a task with this segment can begin all segments until its next stop. */
static bool has_room(uint64_t segment)
{
	return (segment & RFS_FILTER_EARLY) + SEGMENTS_MOST <= RFS_FILTER_EARLY;
}

/* The number of a new segment. When no number is left, the table is emptied. */
static uint64_t next_segment(struct rfs_stub_buffer *records)
{
	uint64_t next = records->segment + RFS_FILTER_SEGMENT;

	if (!has_room(next))
		next = (next & ~RFS_FILTER_EARLY) + RFS_FILTER_LATE;
	if (next & RFS_FILTER_NO_KEY) {
		/* most of the table was never used */
		if (madvise(records->table, table_size(records), MADV_REMOVE))
			memset(records->table, 0, table_size(records));
		next = 0;
	}
	records->segment = next;
	records->segment_ended = false;
	return next;
}

void rfs_stub_buffer_filter(struct rfs_task *task, bool same_segment)
{
	struct rfs_stub_buffer *records = task->space->places->records;

	if (!task->stub->control || !records->filter)
		return;
	task->stub->control->table = records->base + TABLE;
	for (unsigned i = 0; i < RFS_FILTER_SIZES; i++)
		task->stub->control->mask[i] =
			records->filter == RFS_FILTER_PLACES ? mask_of_places(records) : mask_of_size(records, i);
	same_segment = same_segment && !records->segment_ended && has_room(records->segment);
	task->stub->control->segment = same_segment ? records->segment : next_segment(records);
	task->stub->control->off = 0;
}

struct rfs_stub_dropped rfs_stub_buffer_dropped(struct rfs_task *task)
{
	const struct rfs_stub_dropped dropped = task->stub->dropped;

	task->stub->dropped = (struct rfs_stub_dropped){0};
	return dropped;
}

bool rfs_stub_buffer_add(struct rfs_task *task, const struct rfs_stub_record *more, size_t n)
{
	struct rfs_stub_buffer *records = task->space->places->records;
	size_t at = stub_buffer_count(records, task);

	if (at + n > RFS_RECORDS_ROOM)
		return false;
	memcpy(records->buffer + at, more, n * sizeof(*more));
	task->stub->control->next = buffer_of(records) + (at + n) * sizeof(*more);
	return true;
}

/* ---- what else has written to the table ---- */

/*
 * RFS_FILTER_REPEATS: whether a stub can have written this. A slot has the complement of a key (stub_control.h). The
 * key of an address of user space has free bits between the sum of address and segment, and the segment's late part.
 */
static bool is_slot(uint64_t word)
{
	const uint64_t key = ~word, free_bits = RFS_FILTER_LATE - (1ull << (USER_BITS + 4));

	return !word || (key && (key & 7) < RFS_FILTER_SIZES && !(key & free_bits) &&
			 !(key & RFS_FILTER_NO_KEY) == !(key & RFS_FILTER_NO_SEGMENT));
}

static bool is_page_as_left(const struct rfs_stub_buffer *records, uint64_t offset)
{
	const uint8_t *page = records->table + offset;

	if (records->filter != RFS_FILTER_REPEATS)
		return memcmp(page, records->marked + offset, RFS_PAGE) == 0;
	for (uint64_t i = 0; i < RFS_PAGE; i += sizeof(uint64_t)) {
		uint64_t word;

		memcpy(&word, page + i, sizeof(word));
		if (!is_slot(word))
			return false;
	}
	return true;
}

bool rfs_stub_buffer_overwritten(const struct rfs_space *space)
{
	const struct rfs_stub_buffer *records = space->places->records;
	unsigned char resident[RFS_FILTER_SIZE / RFS_PAGE];
	const uint64_t size = records ? table_size(records) : 0;

	if (!records || !records->table || !(records->filter || records->n_places))
		return false;
	/* a page that nobody has used is in no memory, and this look would put it there */
	if (mincore(records->table, size, resident))
		return false;
	for (uint64_t i = 0; i < size / RFS_PAGE; i++)
		if ((resident[i] & 1) && !is_page_as_left(records, i * RFS_PAGE))
			return true;
	return false;
}

unsigned rfs_stub_buffer_shift(const struct rfs_space *space)
{
	return space->places->records ? space->places->records->shift : 0;
}

bool rfs_stub_buffer_given_up(const struct rfs_space *space)
{
	return space->places->records && space->places->records->given_up;
}

bool rfs_stub_buffer_full_at(const struct rfs_space *space, rfs_addr address)
{
	return space->places->records && address - buffer_of(space->places->records) - BUFFER_SIZE < RFS_PAGE;
}

void rfs_stub_buffer_release(struct rfs_space *space)
{
	if (!space->places->records)
		return;
	/* the next copy uses the same table */
	rfs_stub_buffer_places(space, NULL, 0);
	if (!space->places->records->lent) {
		munmap(space->places->records->control, WHOLE);
		free(space->places->records->marked);
	}
	free(space->places->records);
	space->places->records = NULL;
}

int rfs_stub_buffer_copy(const struct rfs_task *from, struct rfs_task *to, struct rfs_space *space)
{
	if (!from->space->places->records)
		return 0;
	space->places->records = malloc(sizeof(*space->places->records));
	if (!space->places->records)
		return -ENOMEM;
	*space->places->records = *from->space->places->records;
	space->places->records->lent = true;
	to->stub->control = from->stub->control;
	if (to->stub->control)
		*to->stub->control = new_control(space->places->records);
	return 0;
}

bool rfs_stub_buffer_hold(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_stub_buffer *records = space->places->records;

	return records && address - records->base < TABLE + (records->table ? table_size(records) : 0);
}
