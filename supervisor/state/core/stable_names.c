/*
 * stable_names.c - names for locks, functions and addresses that mean the same in every run.
 *
 * Policies that learn from run to run need such names. DrFinder (FSE 2015, sections 3 and 4) uses the types of lock
 * objects, and methods. C has neither; docs/internals/determinism.md, "Stable names", says what replaces them. A name
 * is a hash. If address-space randomisation cannot be disabled, a lock that is neither static nor in a known heap block
 * has another name in each run.
 */
#include "supervisor/state/core/stable_names.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/state/core/family.h"

#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/address_name.h"
#include "supervisor/base/path.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"

/* The kind of a name. It is part of the hash, so that equal numbers of two kinds give different names. */
enum name_kind { NAME_STATIC = 1, NAME_HEAP, NAME_STACK, NAME_OTHER, NAME_FUNCTION };

struct name {
	uint64_t kind, file, place, offset;
};

/* Never 0. */
static uint64_t stable_names_hash_of(struct name name)
{
	uint64_t hash = XXH64(&name, sizeof(name), 0);

	return hash ? hash : 1;
}

static uint64_t stable_names_file_of(const struct rfs_module_info *info)
{
	return info ? XXH64(info->path, strlen(info->path), 0) : 0;
}

/* What distinguishes a static object of a process from those of others; 0: it is one of the program, or of all. */
static uint64_t stable_names_process_of(rfs_addr address)
{
	const unsigned process = rfs_memory_process(address);

	return process ? XXH64(&process, sizeof(process), 0) : 0;
}

uint64_t rfs_lock_class(const struct rfs_run *run, rfs_addr lock)
{
	const struct rfs_module_info *info = rfs_info_at(run, rfs_memory_address(lock));
	const struct rfs_thread *owner;
	const struct rfs_block *block;
	rfs_addr allocation;

	if (info)
		return stable_names_hash_of((struct name){NAME_STATIC, stable_names_file_of(info),
							  rfs_memory_address(lock) - info->bias, 0});
	block = rfs_heap_block(run, lock);
	if (block && block->n_stack) {
		allocation = block->stack[0];
		info = rfs_info_at(run, allocation);
		return stable_names_hash_of((struct name){NAME_HEAP, stable_names_file_of(info),
							  allocation - (info ? info->bias : 0), lock - block->address});
	}
	owner = rfs_thread_by_stack(run, lock, RFS_STACK_FIRST_OWNER);
	if (owner)
		return stable_names_hash_of((struct name){NAME_STACK, 0, 0, owner->stack_high - lock});
	return stable_names_hash_of((struct name){NAME_OTHER, 0, lock, 0});
}

/* The name of a block, made from the place that allocated it, or 0 if that place is unknown. The block keeps its name,
 * because searches compare the names of all blocks. */
static uint64_t stable_names_object_of(const struct rfs_run *run, struct rfs_block *block)
{
	const struct rfs_module_info *caller;
	uint64_t thread;

	if (block->object || !block->n_stack || (size_t)block->thread >= run->n_threads)
		return block->object;
	caller = rfs_info_at(run, block->stack[0]);
	thread = run->threads[block->thread]->names.self;
	block->object = stable_names_hash_of((struct name){NAME_HEAP, stable_names_file_of(caller) ^ thread,
							   block->stack[0] - (caller ? caller->bias : 0), block->nth});
	return block->object;
}

bool rfs_name_address(const struct rfs_run *run, rfs_addr address, struct rfs_address_name *out)
{
	const struct rfs_module_info *info = rfs_info_at(run, rfs_memory_address(address));
	const struct rfs_thread *owner;
	struct rfs_block *block;

	*out = (struct rfs_address_name){0};
	if (info) {
		*out = (struct rfs_address_name){RFS_ADDRESS_STATIC,
						 stable_names_file_of(info) ^ stable_names_process_of(address),
						 rfs_memory_address(address) - info->bias};
		return true;
	}
	owner = rfs_thread_by_stack(run, address, RFS_STACK_LAST_OWNER);
	if (owner) {
		*out = (struct rfs_address_name){RFS_ADDRESS_STACK, owner->names.self, owner->stack_high - address};
		return true;
	}
	block = rfs_heap_block(run, address);
	if (!block || !stable_names_object_of(run, block))
		return false;
	*out = (struct rfs_address_name){RFS_ADDRESS_HEAP, stable_names_object_of(run, block),
					 address - block->address};
	return true;
}

bool rfs_names_address(const struct rfs_run *run, const struct rfs_address_name *names, size_t n, rfs_addr address,
		       uint64_t size)
{
	struct rfs_address_name own;

	if (!n || !rfs_name_address(run, address, &own))
		return false;
	for (size_t i = 0; i < n; i++) {
		/* offsets on a stack count downwards */
		uint64_t ahead =
			own.kind == RFS_ADDRESS_STACK ? own.offset - names[i].offset : names[i].offset - own.offset;

		if (names[i].kind == own.kind && names[i].object == own.object && ahead < size)
			return true;
	}
	return false;
}

static bool has_name(const struct rfs_run *run, rfs_addr address, const struct rfs_address_name *name)
{
	struct rfs_address_name own;

	return rfs_name_address(run, address, &own) && own.kind == name->kind && own.object == name->object &&
	       own.offset == name->offset;
}

static rfs_addr find_in_heap(const struct rfs_run *run, const struct rfs_address_name *name)
{
	struct rfs_block *block, *next;

	if (HASH_COUNT(run->heap.blocks) > RFS_FIND_BLOCKS)
		return 0;
	HASH_ITER (hh, run->heap.blocks, block, next)
		if (!block->freed && name->offset < block->size && stable_names_object_of(run, block) == name->object &&
		    has_name(run, block->address + name->offset, name))
			return block->address + name->offset;
	return 0;
}

/* The address in the module, in the memory of one of the processes. */
static rfs_addr find_in_module(const struct rfs_run *run, const struct rfs_module_info *info,
			       const struct rfs_address_name *name)
{
	const rfs_addr address = info->bias + name->offset;

	for (unsigned process = 0; !info->gone && process <= rfs_family_processes(run); process++)
		if (has_name(run, rfs_memory_name(process, address), name))
			return rfs_memory_name(process, address);
	return 0;
}

rfs_addr rfs_find_address(const struct rfs_run *run, const struct rfs_address_name *name)
{
	rfs_addr address;

	for (size_t i = 0; name->kind == RFS_ADDRESS_STATIC && i < run->n_modules; i++) {
		address = find_in_module(run, run->modules[i], name);
		if (address)
			return address;
	}
	for (size_t i = 0; name->kind == RFS_ADDRESS_STACK && i < run->n_threads; i++) {
		address = run->threads[i]->stack_high - name->offset;
		if (run->threads[i]->names.self == name->object && has_name(run, address, name))
			return address;
	}
	return name->kind == RFS_ADDRESS_HEAP ? find_in_heap(run, name) : 0;
}

bool rfs_is_cxx_library(const struct rfs_module_info *info)
{
	const char *name = info ? rfs_base_name(info->path) : "";

	return strncmp(name, "libstdc++.", 10) == 0 || strncmp(name, "libc++", 6) == 0;
}

uint64_t rfs_function_name(const struct rfs_run *run, rfs_addr back)
{
	/* looks up the address of the call, because another function may begin right after a call that never returns */
	const struct rfs_module_info *info = rfs_info_at(run, back - 1);
	const struct rfs_function *function;
	rfs_addr vaddr;

	if (!info || info->libc || rfs_is_cxx_library(info))
		return 0;
	vaddr = back - 1 - info->bias;
	function = info->elf ? rfs_elf_function_at(info->elf, vaddr) : NULL;
	return stable_names_hash_of(
		(struct name){NAME_FUNCTION, stable_names_file_of(info), function ? function->start : vaddr, 0});
}
