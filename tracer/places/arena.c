/*
 * arena.c - finds places for stubs.
 *
 * A patch is a jump to its stub: the byte e9, then the distance to the stub in four bytes, lowest byte first. If
 * instructions of the program begin inside the jump, the byte there must be one that traps (plan.h says why). Each such
 * byte is a part of the distance, so it restricts where the stub can be:
 *
 *     at offset 4:  distance = tt......   one window of 16 MiB for each trapping byte tt
 *     at offset 3:  ..tt....              64 KiB in every 16 MiB
 *     at offset 2:  ....tt..              256 bytes in every 64 KiB
 *     at offset 1:  ......tt              one byte in 256
 *
 * Blocks of 16 MiB are mapped at such places. The highest byte of the distance is always one that traps, even if it
 * need not be. The distance is then so large that the blocks are away from memory that the kernel places itself.
 * Neighbouring modules share blocks. The supervisor keeps a copy of each block, so that it can write a module's stubs
 * with a few large writes.
 */
#include "tracer/places/arena-priv.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <utlist.h>

#include "disasm/addr.h"
#include "disasm/rewrite/plan.h"
#include "tracer/places/space_places-priv.h"
#include "tracer/process/code_bytes-priv.h"
#include "tracer/process/inject-priv.h"
#include "tracer/process/space-priv.h"
#include "tracer/process/task-priv.h"

#define BLOCK_SIZE (16ul << 20)
#define GRANULE 16ul
#define GRANULES (BLOCK_SIZE / GRANULE)
#define PAGES (BLOCK_SIZE / RFS_PAGE)
#define WORD 64ul /* granules in an element of `used` */
#define ROW 64ul  /* words in a row */
/*
 * The offset in a window at which unrestricted stubs begin. Most stubs are unrestricted; they must not use up the
 * places below, which restricted stubs may need.
 */
#define UNBOUND (4ul << 20)

struct rfs_arena {
	rfs_addr start;
	uint8_t *copy; /* our copy of the block; NULL: the block cannot be mapped in the target */
	uint64_t used[GRANULES / WORD];
	/* For each word of `used`: no stub of this many granules, or more, can begin in it; 0: unknown. A program with
	 * a million stubs fills whole blocks. These must not be searched granule by granule each time. */
	uint16_t too_large[GRANULES / WORD];
	uint16_t row_too_large[GRANULES / WORD / ROW]; /* the same for each row */
	uint64_t dirty[PAGES / 64];
	size_t hint; /* the granule at which the search for an unrestricted stub begins */
	struct rfs_arena *next;
};

/* The bytes that trap: int3, and opcodes that are not valid in 64-bit mode (Intel SDM vol. 2, appendix A). */
static const uint8_t trapping[] = {0xcc, 0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27,
				   0x2f, 0x37, 0x3f, 0x60, 0x61, 0xce, 0xd4, 0x9a, 0xea};
/* Values to try for the highest byte of the distance. For programs at 0x400000, stubs are above the program and its
 * heap. For all other code, they are below it. */
static const uint8_t highest_low[] = {0x60, 0x61, 0x3f, 0x37, 0x2f};
static const uint8_t highest_other[] = {0xcc, 0xce, 0xd4, 0xea, 0x9a};

struct search {
	struct rfs_task *task;
	unsigned starts; /* bit i: an instruction begins at offset i + 1 of the jump */
	size_t size;
	struct rfs_arena *last; /* the block that was searched last; NULL: none */
	rfs_addr found;
};

static struct rfs_arena *arena_of(struct rfs_task *task, rfs_addr address)
{
	rfs_addr start = address & ~(BLOCK_SIZE - 1);
	struct rfs_arena *arena;

	LL_FOREACH(task->space->places->arenas, arena)
	if (arena->start == start)
		return arena;
	arena = calloc(1, sizeof(*arena));
	if (!arena)
		return NULL;
	arena->start = start;
	LL_PREPEND(task->space->places->arenas, arena);
	if (task->state != RFS_TASK_STOPPED || !rfs_space_map_code(task, start, BLOCK_SIZE))
		return arena;
	arena->copy =
		mmap(NULL, BLOCK_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (arena->copy == MAP_FAILED)
		arena->copy = NULL;
	return arena;
}

/* The last of the granules from `from` to `to` that is in use. GRANULES: none is. */
static size_t last_in_use(const struct rfs_arena *arena, size_t from, size_t to)
{
	for (size_t word = to / WORD;; word--) {
		uint64_t bits = arena->used[word];

		if (word == to / WORD)
			bits &= ~0ull >> (WORD - 1 - to % WORD);
		if (word == from / WORD)
			bits &= ~0ull << from % WORD;
		if (bits)
			return word * WORD + WORD - 1 - (size_t)__builtin_clzll(bits);
		if (word == from / WORD)
			return GRANULES;
	}
}

/* The block that contains the address. NULL: it cannot be used. */
static struct rfs_arena *usable_arena(struct search *search, rfs_addr address)
{
	if (!search->last || address - search->last->start >= BLOCK_SIZE)
		search->last = arena_of(search->task, address);
	return search->last && search->last->copy ? search->last : NULL;
}

/* Finds a free place in the block that begins in [low, high). Sets search->found. */
static bool find_in_block(struct search *search, struct rfs_arena *arena, rfs_addr low, rfs_addr high)
{
	const size_t granules = (search->size + GRANULE - 1) / GRANULE;
	/* the word and the row whose first granules were tried, and the row of the last granule that was tried */
	size_t whole = GRANULES, whole_row = GRANULES, last_row = GRANULES;
	rfs_addr at = low;

	while (at < high) {
		size_t from = (at - arena->start) / GRANULE, to = (at - arena->start + search->size - 1) / GRANULE, i;
		size_t word = from / WORD, row = word / ROW;

		if (row != last_row && whole_row == last_row && whole_row != GRANULES)
			arena->row_too_large[last_row] = (uint16_t)granules;
		last_row = row;
		if (to >= GRANULES)
			return false;
		if (arena->row_too_large[row] && granules >= arena->row_too_large[row]) {
			at = arena->start + (row + 1) * ROW * WORD * GRANULE;
			continue;
		}
		if (at == arena->start + row * ROW * WORD * GRANULE)
			whole_row = row;
		if (arena->too_large[word] && granules >= arena->too_large[word]) {
			at = arena->start + (word + 1) * WORD * GRANULE;
			continue;
		}
		if (at == arena->start + word * WORD * GRANULE)
			whole = word;
		/* no place that begins up to the last granule in use is large enough */
		i = last_in_use(arena, from, to);
		if (i == GRANULES) {
			for (i = from; i <= to; i++)
				arena->used[i / WORD] |= 1ull << (i % WORD);
			search->found = at;
			return true;
		}
		at = arena->start + (i + 1) * GRANULE;
		if (whole == word && (i + 1) / WORD > word)
			arena->too_large[word] = (uint16_t)granules;
	}
	return false;
}

static bool arena_find(struct search *search, rfs_addr low, rfs_addr high)
{
	while (low < high) {
		rfs_addr end = (low & ~(BLOCK_SIZE - 1)) + BLOCK_SIZE;
		struct rfs_arena *arena = usable_arena(search, low);

		if (end > high)
			end = high;
		if (arena && find_in_block(search, arena, low, end))
			return true;
		low = end;
	}
	return false;
}

/* Finds a place for an unrestricted stub. The search begins after the previous one. */
static bool find_next(struct search *search, rfs_addr low, rfs_addr high)
{
	while (low < high) {
		rfs_addr end = (low & ~(BLOCK_SIZE - 1)) + BLOCK_SIZE;
		struct rfs_arena *arena = usable_arena(search, low);

		if (end > high)
			end = high;
		if (arena) {
			rfs_addr hint = arena->start + arena->hint * GRANULE;

			low = (low + GRANULE - 1) & ~(GRANULE - 1);
			/* in the last block, the hint may be behind the window, and there may be room before it */
			if (hint > low && (hint < end || end < high))
				low = hint;
			if (find_in_block(search, arena, low, end)) {
				size_t next = (search->found - arena->start + search->size + GRANULE - 1) / GRANULE;

				/* a small stub may have filled a gap before the hint */
				if (next > arena->hint)
					arena->hint = next;
				return true;
			}
		}
		low = end;
	}
	return false;
}

/* Tries all values for byte `level` of the distance and for the bytes below it. target: where the jump leads if these
 * bytes are zero. */
static bool fix_byte(struct search *search, rfs_addr target, int level)
{
	bool bound = search->starts >> level & 1;

	if (!(search->starts & ((2u << level) - 1)))
		return arena_find(search, target, target + (1ull << 8 * (level + 1)));
	for (unsigned i = 0; i < (bound ? sizeof(trapping) : 256); i++) {
		rfs_addr next = target + ((rfs_addr)(bound ? trapping[i] : i) << 8 * level);

		if (level ? fix_byte(search, next, level - 1) : arena_find(search, next, next + 1))
			return true;
	}
	return false;
}

rfs_addr rfs_arena_get(struct rfs_task *task, rfs_addr jump, unsigned starts, size_t size)
{
	struct search search = {.task = task, .starts = starts, .size = size};
	rfs_addr behind = jump + RFS_JUMP_LENGTH;
	const uint8_t *highest = behind < 0x100000000 ? highest_low : highest_other;

	for (size_t i = 0; i < sizeof(highest_low); i++) {
		rfs_addr window = behind + ((rfs_addr)(int64_t)(int8_t)highest[i] << 24);
		bool found;

		if (window + BLOCK_SIZE < window || window < BLOCK_SIZE)
			continue;
		if (starts & 7)
			found = fix_byte(&search, window, 2);
		else
			found = find_next(&search, window + UNBOUND, window + BLOCK_SIZE);
		if (found)
			return search.found;
		if (task->state != RFS_TASK_STOPPED)
			break;
	}
	return 0;
}

void rfs_arena_write(struct rfs_space *space, rfs_addr address, const uint8_t *bytes, size_t n)
{
	struct rfs_arena *arena;
	size_t offset;

	LL_FOREACH(space->places->arenas, arena)
	if (address - arena->start < BLOCK_SIZE)
		break;
	offset = address - arena->start;
	memcpy(arena->copy + offset, bytes, n);
	for (size_t page = offset / RFS_PAGE; page <= (offset + n - 1) / RFS_PAGE; page++)
		arena->dirty[page / 64] |= 1ull << (page % 64);
}

static bool is_dirty(const struct rfs_arena *arena, size_t page)
{
	return page < PAGES && (arena->dirty[page / 64] >> (page % 64) & 1);
}

int rfs_arena_flush(struct rfs_space *space)
{
	struct rfs_arena *arena;
	int r = 0;

	LL_FOREACH(space->places->arenas, arena)
	{
		for (size_t page = 0; page < PAGES && !r; page++) {
			size_t end = page;

			if (page % 64 == 0 && !arena->dirty[page / 64]) {
				page += 63;
				continue;
			}
			while (is_dirty(arena, end))
				end++;
			if (end > page)
				r = rfs_space_poke_all(space, arena->start + page * RFS_PAGE,
						       arena->copy + page * RFS_PAGE, (end - page) * RFS_PAGE);
			page = end;
		}
		memset(arena->dirty, 0, sizeof(arena->dirty));
	}
	return r;
}

bool rfs_arena_holds(const struct rfs_space *space, rfs_addr address)
{
	const struct rfs_arena *arena;

	LL_FOREACH(space->places->arenas, arena)
	if (address - arena->start < BLOCK_SIZE)
		return arena->copy != NULL;
	return false;
}

void rfs_arenas_lend(const struct rfs_space *from, struct rfs_space *to)
{
	to->places->arenas = to->places->lent_arenas = from->places->arenas;
}

void rfs_arena_release(struct rfs_space *space)
{
	struct rfs_arena *arena, *next;

	LL_FOREACH_SAFE(space->places->arenas, arena, next)
	{
		if (arena == space->places->lent_arenas)
			break;
		if (arena->copy)
			munmap(arena->copy, BLOCK_SIZE);
		free(arena);
	}
	space->places->arenas = NULL;
}
