/* fake_space.c - the memory of the target, its breakpoints, and its one module: the C library of this system. */
#include "tests/supervisor/fake_tracer/fake_space.h"

#include <criterion/criterion.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "tests/supervisor/fake_tracer/fake_tracer.h"
#include "tracer/breakpoint.h"
#include "tracer/loader.h"
#include "tracer/memory.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

#define LIBRARY UINT64_C(0x7f0000000000) /* where the C library is mapped */
#define FUNCTIONS_MAX 32

struct rfs_breakpoint {
	rfs_addr address;
	unsigned uses;
	void *data;
	struct rfs_breakpoint *next;
};

struct rfs_space {
	unsigned char bytes[FAKE_MEMORY_SIZE];
	uint64_t writes;
	struct rfs_breakpoint *breakpoints;
	struct rfs_module library, *modules[1];
	bool mapped; /* the library was reported */
	struct {
		const char *name;
		rfs_addr address;
	} functions[FUNCTIONS_MAX]; /* those that a thread may call */
	size_t n_functions;
};

static struct rfs_space the_space;

struct rfs_space *fake_space(void)
{
	return &the_space;
}

void fake_space_release(void)
{
	while (the_space.breakpoints) {
		struct rfs_breakpoint *next = the_space.breakpoints->next;

		free(the_space.breakpoints);
		the_space.breakpoints = next;
	}
	if (the_space.library.elf)
		rfs_elf_free(the_space.library.elf);
	free(the_space.library.path);
	the_space.library = (struct rfs_module){0};
}

void fake_space_clear(void)
{
	const struct rfs_segment *segments;
	struct rfs_module *library = &the_space.library;
	char why[256];
	Dl_info info;
	size_t n;

	fake_space_release();
	memset(&the_space, 0, sizeof(the_space));
	cr_assert(dladdr((void *)(uintptr_t)&qsort, &info));
	cr_assert_eq(rfs_elf_open(info.dli_fname, &library->elf, why, sizeof(why)), 0, "%s", why);
	n = rfs_elf_segments(library->elf, &segments);
	library->path = strdup("/lib/libc.so.6");
	library->bias = library->start = LIBRARY;
	library->end = LIBRARY + segments[n - 1].vaddr + segments[n - 1].memsz;
	library->number = 1;
	the_space.modules[0] = library;
	/* the supervisor makes threads call these */
	(void)fake_function("pthread_mutex_lock");
	(void)fake_function("pthread_mutex_unlock");
	(void)fake_function("pthread_testcancel");
}

rfs_addr fake_function(const char *name)
{
	rfs_addr vaddr;

	for (size_t i = 0; i < the_space.n_functions; i++)
		if (strcmp(the_space.functions[i].name, name) == 0)
			return the_space.functions[i].address;
	cr_assert_lt(the_space.n_functions, FUNCTIONS_MAX);
	cr_assert(rfs_elf_symbol(the_space.library.elf, name, &vaddr, NULL), "the C library has no %s", name);
	the_space.functions[the_space.n_functions].name = name;
	the_space.functions[the_space.n_functions].address = LIBRARY + vaddr;
	return the_space.functions[the_space.n_functions++].address;
}

const char *fake_function_at(rfs_addr address)
{
	for (size_t i = 0; i < the_space.n_functions; i++)
		if (the_space.functions[i].address == address)
			return the_space.functions[i].name;
	return NULL;
}

static unsigned char *bytes_at(struct rfs_space *space, rfs_addr address, size_t n)
{
	bool there = address >= FAKE_MEMORY && n <= FAKE_MEMORY_SIZE && address - FAKE_MEMORY <= FAKE_MEMORY_SIZE - n;

	return there ? space->bytes + (address - FAKE_MEMORY) : NULL;
}

void fake_put(rfs_addr address, const void *object, size_t n)
{
	unsigned char *to = bytes_at(&the_space, address, n);

	cr_assert(to, "address %#lx is not mapped", (unsigned long)address);
	memcpy(to, object, n);
}

int fake_word(rfs_addr address)
{
	int word = -1;

	(void)!rfs_space_read(&the_space, address, &word, sizeof(word));
	return word;
}

size_t rfs_space_read_mapped(struct rfs_space *space, rfs_addr address, void *buf, size_t n)
{
	return rfs_space_read(space, address, buf, n) ? 0 : n;
}

int rfs_space_read(struct rfs_space *space, rfs_addr address, void *buf, size_t n)
{
	const unsigned char *from = bytes_at(space, address, n);

	if (!from)
		return -EFAULT;
	memcpy(buf, from, n);
	return 0;
}

int rfs_space_write(struct rfs_space *space, rfs_addr address, const void *buf, size_t n)
{
	unsigned char *to = bytes_at(space, address, n);

	if (!to)
		return -EFAULT;
	space->writes++;
	memcpy(to, buf, n);
	return 0;
}

uint64_t rfs_space_writes(const struct rfs_space *space)
{
	return space->writes;
}

size_t rfs_space_read_pieces(struct rfs_space *space, const struct rfs_piece *pieces, size_t n)
{
	size_t i = 0;

	while (i < n && rfs_space_read(space, pieces[i].address, pieces[i].buf, pieces[i].n) == 0)
		i++;
	return i;
}

int rfs_space_read_string(struct rfs_space *space, rfs_addr address, char *buf, size_t n)
{
	size_t i = 0;

	buf[0] = 0;
	while (i + 1 < n && rfs_space_read(space, address + i, buf + i, 1) == 0 && buf[i])
		i++;
	buf[i] = 0;
	return i || bytes_at(space, address, 1) ? 0 : -EFAULT;
}

bool rfs_space_mapping(struct rfs_space *space, rfs_addr address, struct rfs_mapping *out)
{
	if (!bytes_at(space, address, 1))
		return false;
	memset(out, 0, sizeof(*out));
	out->start = FAKE_MEMORY;
	out->end = FAKE_MEMORY + FAKE_MEMORY_SIZE;
	out->read = out->write = true;
	return true;
}

int rfs_breakpoint_add(struct rfs_task *task, rfs_addr address, struct rfs_breakpoint **out)
{
	struct rfs_space *space = rfs_task_space(task);
	struct rfs_breakpoint *b = rfs_breakpoint_at(space, address);

	if (!b) {
		b = calloc(1, sizeof(*b));
		cr_assert(b);
		b->address = address;
		b->next = space->breakpoints;
		space->breakpoints = b;
	}
	b->uses++;
	*out = b;
	return 0;
}

int rfs_breakpoint_add_many(struct rfs_task *task, const rfs_addr *addresses, size_t n, struct rfs_breakpoint **out)
{
	for (size_t i = 0; i < n; i++)
		(void)!rfs_breakpoint_add(task, addresses[i], &out[i]);
	return 0;
}

void rfs_breakpoint_remove(struct rfs_space *space, struct rfs_breakpoint *breakpoint)
{
	struct rfs_breakpoint **at = &space->breakpoints;

	if (--breakpoint->uses)
		return;
	while (*at != breakpoint)
		at = &(*at)->next;
	*at = breakpoint->next;
	free(breakpoint);
}

struct rfs_breakpoint *rfs_breakpoint_at(struct rfs_space *space, rfs_addr address)
{
	struct rfs_breakpoint *b = space->breakpoints;

	while (b && b->address != address)
		b = b->next;
	return b;
}

rfs_addr rfs_breakpoint_address(const struct rfs_breakpoint *breakpoint)
{
	return breakpoint->address;
}

const struct rfs_insn *rfs_breakpoint_insn(struct rfs_breakpoint *breakpoint)
{
	(void)breakpoint;
	return NULL;
}

void rfs_breakpoint_set_data(struct rfs_breakpoint *breakpoint, void *data)
{
	breakpoint->data = data;
}

void *rfs_breakpoint_data(const struct rfs_breakpoint *breakpoint)
{
	return breakpoint->data;
}

size_t rfs_breakpoint_count(const struct rfs_space *space, size_t *stepped)
{
	size_t n = 0;

	*stepped = 0;
	for (const struct rfs_breakpoint *b = space->breakpoints; b; b = b->next)
		n++;
	return n;
}

struct rfs_module *rfs_module_at(const struct rfs_space *space, rfs_addr address)
{
	struct rfs_module *library = space->modules[0];

	return space->mapped && address >= library->start && address < library->end ? library : NULL;
}

size_t rfs_modules(const struct rfs_space *space, struct rfs_module *const **out)
{
	*out = space->modules;
	return space->mapped;
}

int rfs_modules_update(struct rfs_task *task, void (*added)(void *arg, struct rfs_module *module),
		       void (*gone)(void *arg, struct rfs_module *module), void *arg)
{
	struct rfs_space *space = rfs_task_space(task);

	(void)gone;
	if (!space->mapped)
		added(arg, &space->library);
	space->mapped = true;
	return 0;
}
