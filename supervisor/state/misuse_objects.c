/*
 * misuse_objects.c - objects that are of another type than a call needs, that were never initialised, or that are
 * initialised twice.
 *
 * Programs also give memory to another object without a call that rfsup sees. So only these objects are remembered:
 * variables of the program and of libraries, and objects in small heap blocks. A larger block may be a pool that the
 * program divides by itself, or the stack of a coroutine. Objects on stacks begin and end without a call.
 */
#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/misuse.h"
#include "supervisor/state/heap_blocks.h"
#include "supervisor/state/misuse-priv.h"
#include "supervisor/state/misuse.h"
#include "supervisor/state/modules.h"
#include "supervisor/state/run_state.h"
#include "supervisor/state/target_memory.h"
#include "supervisor/state/thread.h"

/* The size of the largest heap block whose objects are remembered. Pools have blocks of pages. */
#define SMALL_BLOCK 2048

/*
 * In a static program, functions count as the C library's because of their names (rfs_call_is_internal()). So a call of
 * sem_init() may be missed.
 */
static bool sees_all_calls(const struct rfs_run *run)
{
	for (size_t i = run->n_modules; i-- > 0;)
		if (run->modules[i]->program && !run->modules[i]->gone)
			return rfs_elf_interpreter(run->modules[i]->elf) != NULL;
	return false;
}

static struct rfs_object_life life_of(const struct rfs_run *run, rfs_addr address)
{
	const struct rfs_module_info *module = rfs_info_at(run, address);
	const struct rfs_block *block;

	if (module && module->gone)
		return (struct rfs_object_life){0};
	if (module)
		return (struct rfs_object_life){
			.number = 2 * (uint64_t)module->number + 1, .is_static = true, .complete = sees_all_calls(run)};
	if (rfs_thread_by_stack(run, address, RFS_STACK_LAST_OWNER))
		return (struct rfs_object_life){0};
	block = rfs_heap_block(run, address);
	if (!block || block->freed || block->size > SMALL_BLOCK)
		return (struct rfs_object_life){0};
	return (struct rfs_object_life){.number = 2 * (block->order + 1)};
}

static struct rfs_known_object describe(const struct rfs_run *run, const struct rfs_thread *thread,
					enum rfs_object_type type, rfs_addr object, rfs_site site)
{
	return (struct rfs_known_object){.address = object,
					 .type = type,
					 .thread = thread->number,
					 .site = site ? site : thread->next.site,
					 .life = life_of(run, object)};
}

/* site: as in struct rfs_misuse_note. */
static bool report(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_fault fault,
		   const struct rfs_known_object *now, const struct rfs_known_object *before, rfs_site site)
{
	static const enum rfs_misuse_kind kinds[] = {
		[RFS_OBJECT_WRONG_TYPE] = RFS_MISUSE_WRONG_TYPE,
		[RFS_OBJECT_IS_DESTROYED] = RFS_MISUSE_USE_DESTROYED,
		[RFS_OBJECT_UNINITIALISED] = RFS_MISUSE_UNINITIALISED,
		[RFS_OBJECT_INITIALISED_TWICE] = RFS_MISUSE_INIT_AGAIN,
	};
	static const enum rfs_misuse_earlier did[] = {
		[RFS_OBJECT_USED] = RFS_EARLIER_USED,
		[RFS_OBJECT_INITIALISED] = RFS_EARLIER_INITIALISED,
		[RFS_OBJECT_DESTROYED] = RFS_EARLIER_DESTROYED,
	};
	struct rfs_misuse_note note = {.object = now->address, .site = site, .calls = true};

	if (fault == RFS_OBJECT_FINE)
		return false;
	note.kind = kinds[fault];
	if (before->type != RFS_OBJECT_UNKNOWN) {
		note.other = before->thread == thread->number ? NULL : run->threads[before->thread];
		note.earlier_is = did[before->state];
		note.earlier = before->site;
	}
	if (fault == RFS_OBJECT_WRONG_TYPE) {
		note.is = before->type;
		note.used_as = now->type;
	}
	rfs_misuse_add(run, thread, &note);
	return true;
}

bool rfs_misuse_use(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object,
		    rfs_site site)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	const struct rfs_known_object *known = rfs_object_find(run->objects, object);
	struct rfs_known_object now, before = {0};
	enum rfs_object_fault fault = RFS_OBJECT_FINE;

	if (!known || known->type != type || known->state == RFS_OBJECT_DESTROYED) {
		now = describe(run, thread, type, object, site);
		fault = rfs_object_use(&run->objects, &now, &before);
	} else {
		now = *known;
	}
	/* after a recorded call, memory is newer */
	if (fault == RFS_OBJECT_FINE && !site && !rfs_object_is_possible(&memory, type, object)) {
		fault = RFS_OBJECT_UNINITIALISED;
		before.type = RFS_OBJECT_UNKNOWN;
	}
	return report(run, thread, fault, &now, &before, site);
}

void rfs_misuse_call(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	const struct rfs_misuse_note note = {.kind = RFS_MISUSE_UNINITIALISED, .object = object, .calls = true};

	if (!rfs_object_is_possible(&memory, type, object))
		rfs_misuse_add(run, thread, &note);
}

void rfs_misuse_object_begins(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type,
			      rfs_addr object, rfs_site site, bool quiet)
{
	struct rfs_known_object before = {0};
	const struct rfs_known_object now = describe(run, thread, type, object, site);
	const enum rfs_object_fault fault = rfs_object_init(&run->objects, &now, &before);

	if (!quiet)
		report(run, thread, fault, &now, &before, 0);
}

void rfs_misuse_object_ends(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object,
			    bool quiet)
{
	struct rfs_known_object before = {0};
	const struct rfs_known_object now = describe(run, thread, type, object, 0);
	const enum rfs_object_fault fault = rfs_object_destroy(&run->objects, &now, &before);

	if (!quiet)
		report(run, thread, fault, &now, &before, 0);
}
