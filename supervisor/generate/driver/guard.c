/*
 * guard.c - a heap that makes errors fail where they happen, as a library for LD_PRELOAD. Each block has its own pages
 * and ends where they end. The next page cannot be accessed. A freed block cannot be accessed any more, and its
 * addresses are never used again. So a use after free or behind the end is a SIGSEGV at its instruction, and freeing
 * twice aborts.
 *
 * With RFSUP_GUARD_PLACES in the environment (--guard-heap), it also remembers where each block was allocated and
 * freed. rfsup reads that when a thread gets SIGSEGV (supervisor/state/findings/guard_heap.c).
 *
 * Large blocks come from the C library, and so do all blocks while too many are live.
 *
 * A process that is copied again and again has RFSUP_GUARD_LATE in its environment. A copy costs more with each page.
 * So until rfs_guard_begin(), which the copies call, all blocks come from the C library.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE ((size_t)4096)
#define PAGES ((size_t)1 << 22) /* address space for blocks */
#define BLOCK_MAX ((size_t)1 << 20)
/*
 * Where they begin, if nothing is there. The kernel would choose the place below the libraries. Then no stub has a
 * place near the code of a library, and each process is asked a thousand times where one is.
 */
#define REGION_START ((void *)0x100000000000)
#define LIVE_MAX 12000 /* a process has at most 65,530 mappings, and each block has two */
#define ALIGNMENT 16
#define CHUNK ((size_t)256) /* pages that become accessible at once */
/*
 * The first blocks of a page each, and the page behind each, come from a region of their own in a process that is
 * copied. It has marked the pages behind them, and the copies have the marks.
 */
#define SLOTS ((size_t)256)
#define SLOT_PAGES ((size_t)2)
/* The first pages, which marks guard. The limit of memory (contain.c) counts all of them, freed ones too. */
#define MARKED ((size_t)1 << 13)
#define FRESH 0x5a /* bytes of a new block */
#define FREED UINT32_MAX

/* Since Linux 6.13. It makes pages inaccessible and needs no mapping for them. Otherwise each block is a mapping. */
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

#define EXPORTED __attribute__((visibility("default")))

/* of the C library */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

/* for rfsup: of the block whose first page has this number */
struct place {
	const void *allocated, *freed; /* return addresses; NULL: not yet */
	size_t size;		       /* plus 1; 0: no block */
};

/* for the driver (main.c) */
void rfs_guard_counts(unsigned long counts[2]);
void rfs_guard_begin(void);

static char *region;		 /* PAGES pages; NULL: not there yet, or not possible */
static size_t next_page, n_live; /* changed by atomic operations */
static size_t next_slot = SLOTS; /* SLOTS: there are none; changed by atomic operations */
static size_t n_open;		 /* the first pages, which can be accessed; changed by atomic operations */
static int is_late;		 /* rfs_guard_begin() was not called yet */
static int has_marks;		 /* the kernel knows MADV_GUARD_INSTALL */
/* of the current thread; a model that never allocates memory */
static __thread unsigned long n_taken, n_freed __attribute__((tls_model("initial-exec")));
static uint32_t states[PAGES]; /* of the block whose first page this is: 0: none, FREED, or its size plus 1 */

EXPORTED struct {
	char *region;
	struct place *places; /* NULL: nobody wants to know */
} rfs_guard_info;

static void reserve_places(void)
{
	void *at;

	if (!getenv("RFSUP_GUARD_PLACES"))
		return;
	at = mmap(NULL, PAGES * sizeof(struct place), PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	rfs_guard_info.region = region;
	rfs_guard_info.places = at == MAP_FAILED ? NULL : at;
}

__attribute__((constructor)) static void reserve(void)
{
	void *at = mmap(REGION_START, PAGES * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (at == MAP_FAILED)
		return;
	region = at;
	is_late = getenv("RFSUP_GUARD_LATE") != NULL;
	/* the last page belongs to no block */
	has_marks = madvise(region + (PAGES - 1) * PAGE, PAGE, MADV_GUARD_INSTALL) == 0;
	reserve_places();
}

/* Makes the first pages accessible, in steps of CHUNK. Two threads may do the same, and the larger count stays. */
static int open_pages(size_t end)
{
	size_t before = __atomic_load_n(&n_open, __ATOMIC_RELAXED), after = (end + CHUNK - 1) / CHUNK * CHUNK;

	if (end <= before)
		return 0;
	if (mprotect(region + before * PAGE, (after - before) * PAGE, PROT_READ | PROT_WRITE))
		return -1;
	while (before < after &&
	       !__atomic_compare_exchange_n(&n_open, &before, after, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	return 0;
}

/* The first pages become slots. */
static void mark_slots(void)
{
	if (!has_marks || open_pages(SLOTS * SLOT_PAGES))
		return;
	next_page = SLOTS * SLOT_PAGES; /* even if not all can be marked */
	for (size_t slot = 0; slot < SLOTS; slot++)
		if (madvise(region + (slot * SLOT_PAGES + 1) * PAGE, PAGE, MADV_GUARD_INSTALL))
			return;
	next_slot = 0;
}

EXPORTED void rfs_guard_begin(void)
{
	is_late = 0;
	mark_slots();
}

/* Whether marks guard these pages and the next one. */
static int is_marked(size_t first, size_t pages)
{
	return has_marks && first + pages < MARKED;
}

/* Makes the pages of a block accessible, and the page behind them not. */
static int open_block(size_t first, size_t pages)
{
	if (!is_marked(first, pages))
		return mprotect(region + first * PAGE, pages * PAGE, PROT_READ | PROT_WRITE);
	return open_pages(first + pages + 1) || madvise(region + (first + pages) * PAGE, PAGE, MADV_GUARD_INSTALL);
}

static void close_block(size_t first, size_t pages)
{
	if (is_marked(first, pages) && madvise(region + first * PAGE, pages * PAGE, MADV_GUARD_INSTALL) == 0)
		return;
	madvise(region + first * PAGE, pages * PAGE, MADV_DONTNEED);
	mprotect(region + first * PAGE, pages * PAGE, PROT_NONE);
}

static int guard_is_ours(const void *block)
{
	return region && (const char *)block >= region && (const char *)block < region + PAGES * PAGE;
}

static size_t rounded(size_t size)
{
	return ((size ? size : 1) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
}

static size_t guard_pages_of(size_t size)
{
	return (rounded(size) + PAGE - 1) / PAGE;
}

static int take_slot(size_t pages, size_t *first)
{
	size_t slot = SLOTS;

	if (pages < SLOT_PAGES && __atomic_load_n(&next_slot, __ATOMIC_RELAXED) < SLOTS)
		slot = __atomic_fetch_add(&next_slot, 1, __ATOMIC_RELAXED);
	*first = slot * SLOT_PAGES;
	return slot < SLOTS;
}

/* NULL: the caller must get the block from the C library. */
static void *guard_take(size_t size, const void *from)
{
	size_t pages = guard_pages_of(size), first;

	if (!region || is_late || size > BLOCK_MAX || __atomic_load_n(&n_live, __ATOMIC_RELAXED) >= LIVE_MAX ||
	    __atomic_load_n(&next_page, __ATOMIC_RELAXED) + pages + 1 >= PAGES)
		return NULL;
	if (!take_slot(pages, &first)) {
		first = __atomic_fetch_add(&next_page, pages + 1, __ATOMIC_RELAXED);
		if (first + pages + 1 >= PAGES || open_block(first, pages))
			return NULL;
	}
	__atomic_fetch_add(&n_live, 1, __ATOMIC_RELAXED);
	states[first] = (uint32_t)size + 1;
	if (rfs_guard_info.places)
		rfs_guard_info.places[first] = (struct place){.allocated = from, .size = size + 1};
	n_taken++;
	return region + (first + pages) * PAGE - rounded(size);
}

/* How many blocks the current thread has allocated and freed. */
EXPORTED void rfs_guard_counts(unsigned long counts[2])
{
	counts[0] = n_taken;
	counts[1] = n_freed;
}

static void __attribute__((noreturn)) guard_refuse(const char *why)
{
	ssize_t written = write(STDERR_FILENO, why, strlen(why));

	(void)written;
	abort();
}

/* The first page of a live block. */
static size_t page_of(const void *block)
{
	size_t page = (size_t)((const char *)block - region) / PAGE;

	if (states[page] == FREED)
		guard_refuse("free(): the block was freed before\n");
	if (!states[page] || (const char *)block != region + (page + guard_pages_of(states[page] - 1)) * PAGE -
							    rounded(states[page] - 1))
		guard_refuse("free(): not the address of a block\n");
	return page;
}

static void *guard_allocate(size_t size, const void *from)
{
	void *block = guard_take(size, from);

	return block ? memset(block, FRESH, size) : __libc_malloc(size);
}

static void guard_release(void *block, const void *from)
{
	size_t page, pages;

	if (!block || !guard_is_ours(block)) {
		__libc_free(block);
		return;
	}
	page = page_of(block);
	pages = guard_pages_of(states[page] - 1);
	states[page] = FREED;
	if (rfs_guard_info.places)
		rfs_guard_info.places[page].freed = from;
	n_freed++;
	__atomic_fetch_sub(&n_live, 1, __ATOMIC_RELAXED);
	close_block(page, pages);
}

EXPORTED void *malloc(size_t size)
{
	return guard_allocate(size, __builtin_return_address(0));
}

EXPORTED void *calloc(size_t n, size_t size)
{
	size_t bytes;
	void *block;

	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	block = guard_take(bytes, __builtin_return_address(0)); /* new pages are zero */
	return block ? block : __libc_calloc(n, size);
}

EXPORTED void free(void *block)
{
	guard_release(block, __builtin_return_address(0));
}

EXPORTED void *realloc(void *old, size_t size)
{
	const void *from = __builtin_return_address(0);
	size_t kept;
	void *block;

	if (!old)
		return guard_allocate(size, from);
	if (!guard_is_ours(old))
		return __libc_realloc(old, size);
	if (!size) {
		guard_release(old, from);
		return NULL;
	}
	kept = states[page_of(old)] - 1;
	block = guard_allocate(size, from);
	if (!block)
		return NULL;
	memcpy(block, old, kept < size ? kept : size);
	guard_release(old, from);
	return block;
}

EXPORTED void *memalign(size_t alignment, size_t size)
{
	return alignment <= ALIGNMENT ? guard_allocate(size, __builtin_return_address(0))
				      : __libc_memalign(alignment, size);
}

EXPORTED void *aligned_alloc(size_t alignment, size_t size)
{
	return alignment <= ALIGNMENT ? guard_allocate(size, __builtin_return_address(0))
				      : __libc_memalign(alignment, size);
}

EXPORTED int posix_memalign(void **out, size_t alignment, size_t size)
{
	void *block = alignment <= ALIGNMENT ? guard_allocate(size, __builtin_return_address(0))
					     : __libc_memalign(alignment, size);

	if (!block)
		return ENOMEM;
	*out = block;
	return 0;
}

/* Those of C++, so that the place is that of `new` and `delete`. If memory is exhausted, the library's own throws. */
static void *make(size_t size, const void *from, const char *name)
{
	void *block = guard_allocate(size, from);
	void *(*of_library)(size_t);

	if (block)
		return block;
	of_library = (void *(*)(size_t))dlsym(RTLD_NEXT, name);
	return of_library ? of_library(size) : NULL;
}

void *_Znwm(size_t size);
void *_Znam(size_t size);
void _ZdlPv(void *block);
void _ZdlPvm(void *block, size_t size);
void _ZdaPv(void *block);
void _ZdaPvm(void *block, size_t size);

EXPORTED void *_Znwm(size_t size)
{
	return make(size, __builtin_return_address(0), "_Znwm");
}

EXPORTED void *_Znam(size_t size)
{
	return make(size, __builtin_return_address(0), "_Znam");
}

EXPORTED void _ZdlPv(void *block)
{
	guard_release(block, __builtin_return_address(0));
}

EXPORTED void _ZdlPvm(void *block, size_t size)
{
	(void)size;
	guard_release(block, __builtin_return_address(0));
}

EXPORTED void _ZdaPv(void *block)
{
	guard_release(block, __builtin_return_address(0));
}

EXPORTED void _ZdaPvm(void *block, size_t size)
{
	(void)size;
	guard_release(block, __builtin_return_address(0));
}

EXPORTED size_t malloc_usable_size(void *block)
{
	size_t (*of_library)(void *);

	if (block && guard_is_ours(block))
		return states[page_of(block)] - 1;
	of_library = (size_t(*)(void *))dlsym(RTLD_NEXT, "malloc_usable_size");
	return block && of_library ? of_library(block) : 0;
}
