/*
 * misuse_objects.c - objects that are of another type than a call needs, that were never initialised, or that are
 * initialised twice.
 *
 * Programs also give memory to another object without a call that rfsup sees. So only these objects are remembered:
 * variables of the program and of libraries, objects in small heap blocks, and objects on stacks that a call has
 * initialised. A larger block may be a pool that the program divides by itself, or the stack of a coroutine.
 *
 * An object on a stack ends without a call, at the latest when its function returns. sync/pthread_init.c watches for
 * that (member `life` of struct rfs_pending_return). Within a call of the function, two variables may share a place.
 * Only debug information tells which variable it is, so the campaign decides (campaign/executions/misuses.c).
 */
#include <stdbool.h>
#include <stdint.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/memory_name.h"
#include "supervisor/model/memory.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/misuse.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/heap_blocks.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/misuse-priv.h"
#include "supervisor/state/findings/misuse.h"
#include "tracer/tracer.h"
#include "tracer/unwind.h"

/* The size of the largest heap block whose objects are remembered. Pools have blocks of pages. */
#define SMALL_BLOCK 2048
/* Marks the number of a life on a stack. */
#define ON_STACK (1ull << 63)
/* The most objects of a run whose stacks are kept, because each takes time. */
#define STACKS_MAX 2048

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

/* The call of a function whose frame contains the object. NULL: not known, or the object is not on a stack. */
static const struct rfs_pending_return *frame_call(const struct rfs_run *run, rfs_addr object)
{
	const struct rfs_thread *owner = rfs_thread_by_stack(run, object, RFS_STACK_LAST_OWNER);
	const rfs_addr at = rfs_memory_address(object);
	rfs_addr back;

	for (size_t i = owner && owner->task ? owner->n_returns : 0; i-- > 0;) {
		const struct rfs_pending_return *call = &owner->returns[i];

		if (!call->life || at >= call->rsp)
			continue;
		/* A jump of another kind may have left the function. At its return, recorded calls are looked at. */
		return at >= call->low && rfs_task_regs(owner->task)->rsp <= call->rsp &&
				       rfs_peek(run, rfs_family_name(run, owner, call->rsp - sizeof(back)), &back,
						sizeof(back)) &&
				       back == call->address
			       ? call
			       : NULL;
	}
	return NULL;
}

static struct rfs_object_life life_of(const struct rfs_run *run, rfs_addr address)
{
	const struct rfs_module_info *module = rfs_info_at(run, rfs_memory_address(address));
	const struct rfs_pending_return *call;
	const struct rfs_block *block;

	if (module && module->gone)
		return (struct rfs_object_life){0};
	if (module)
		return (struct rfs_object_life){.number = 2 * (uint64_t)module->number + 1,
						.is_static = !module->cxx,
						/* a process may use what was initialised before it was forked */
						.complete = !rfs_memory_process(address) && sees_all_calls(run)};
	if (rfs_thread_by_stack(run, address, RFS_STACK_LAST_OWNER)) {
		call = frame_call(run, address);
		return (struct rfs_object_life){.number = call ? ON_STACK | call->life : 0};
	}
	block = rfs_heap_block(run, address);
	if (!block || block->freed || block->size > SMALL_BLOCK)
		return (struct rfs_object_life){0};
	return (struct rfs_object_life){.number = 2 * (block->order + 1)};
}

/*
 * The code of the frame that contains the object, which is on a stack, as `call` says. 0: not known. recorded: where
 * the function was called, if a stub recorded the call; the thread may have continued.
 */
static rfs_addr frame_code(const struct rfs_run *run, const struct rfs_thread *thread,
			   const struct rfs_pending_return *call, rfs_addr object, rfs_site recorded)
{
	const struct rfs_thread *owner = rfs_thread_by_stack(run, object, RFS_STACK_LAST_OWNER);
	const rfs_addr at = recorded ? rfs_site_address(run, recorded) - 1 : 0;
	const struct rfs_module_info *module = rfs_info_at(run, at);
	struct rfs_stack_frame frame;

	if (!recorded)
		return rfs_misuse_frame(thread, owner, object, &frame) ? frame.code : 0;
	/* then the function with the object must have made the call itself */
	return module && owner == thread && module == rfs_info_at(run, call->arg) &&
			       rfs_elf_function_at(module->elf, at - module->bias) ==
				       rfs_elf_function_at(module->elf, call->arg - module->bias)
		       ? at
		       : 0;
}

/* site: where the program has made the call; 0: at thread->next. at_call: the thread is at the function's entry. */
static struct rfs_known_object misuse_objects_describe(struct rfs_run *run, const struct rfs_thread *thread,
						       enum rfs_object_type type, rfs_addr object, rfs_site site,
						       bool at_call)
{
	struct rfs_known_object now = {.address = object,
				       .type = type,
				       .thread = thread->number,
				       .site = site ? site : thread->next.site,
				       .life = life_of(run, object)};

	if (now.life.number & ON_STACK) {
		const struct rfs_pending_return *call = frame_call(run, object);

		now.cfa = rfs_family_name(run, rfs_thread_by_stack(run, object, RFS_STACK_LAST_OWNER), call->rsp);
		now.frame = frame_code(run, thread, call, object, at_call ? 0 : site);
		if (!now.frame)
			now.life.number = 0;
	}
	if (at_call && now.life.number && run->spec->detector && run->n_object_stacks < STACKS_MAX) {
		now.n_stack = (unsigned)rfs_thread_stack(thread, now.stack, RFS_OBJECT_STACK);
		run->n_object_stacks++;
	}
	return now;
}

/* site: as in struct rfs_misuse_note. */
static bool misuse_objects_report(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_fault fault,
				  const struct rfs_known_object *now, const struct rfs_known_object *before,
				  rfs_site site)
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
	struct rfs_misuse_note note = {
		.object = now->address, .site = site, .calls = true, .earlier_frame = before->frame};

	if (fault == RFS_OBJECT_FINE)
		return false;
	if (now->frame)
		note.frame = (struct rfs_stack_frame){.code = now->frame, .cfa = now->cfa};
	note.kind = kinds[fault];
	if (before->type != RFS_OBJECT_UNKNOWN) {
		note.other = before->thread == thread->number ? NULL : run->threads[before->thread];
		note.earlier_is = did[before->state];
		note.earlier = before->site;
		note.earlier_stack = before->stack;
		note.n_earlier_stack = before->n_stack;
	}
	if (fault == RFS_OBJECT_WRONG_TYPE) {
		note.is = before->type;
		note.used_as = now->type;
	}
	rfs_misuse_add(run, thread, &note);
	return true;
}

/* Whether memory cannot be an object of this type. Says so. */
static bool misuse_objects_check_memory(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type,
					rfs_addr object)
{
	const struct rfs_model_memory memory = rfs_target_memory(run);
	const struct rfs_misuse_note note = {.kind = RFS_MISUSE_UNINITIALISED, .object = object, .calls = true};

	if (rfs_object_is_possible(&memory, type, object))
		return false;
	rfs_misuse_add(run, thread, &note);
	return true;
}

bool rfs_misuse_use(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object,
		    rfs_site site)
{
	const struct rfs_known_object *known = rfs_object_find(run->objects, object);
	struct rfs_known_object now, before = {0};
	enum rfs_object_fault fault = RFS_OBJECT_FINE;

	if (!known || known->type != type || known->state == RFS_OBJECT_DESTROYED) {
		now = misuse_objects_describe(run, thread, type, object, site, !site);
		fault = rfs_object_use(&run->objects, &now, &before);
	} else {
		now = *known;
	}
	/* after a recorded call, memory is newer */
	if (fault == RFS_OBJECT_FINE && !site)
		return misuse_objects_check_memory(run, thread, type, object);
	return misuse_objects_report(run, thread, fault, &now, &before, site);
}

void rfs_misuse_call(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object)
{
	const struct rfs_known_object *known = rfs_object_find(run->objects, object);

	/* if another type of object is there, the use will say so */
	if (!known || known->type == type || known->state == RFS_OBJECT_DESTROYED)
		misuse_objects_check_memory(run, thread, type, object);
}

void rfs_misuse_object_begins(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type,
			      rfs_addr object, rfs_site site, bool quiet)
{
	struct rfs_known_object before = {0};
	const struct rfs_known_object now = misuse_objects_describe(run, thread, type, object, site, true);
	const enum rfs_object_fault fault = rfs_object_init(&run->objects, &now, &before);

	if (!quiet)
		misuse_objects_report(run, thread, fault, &now, &before, 0);
}

void rfs_misuse_object_ends(struct rfs_run *run, struct rfs_thread *thread, enum rfs_object_type type, rfs_addr object,
			    bool quiet)
{
	struct rfs_known_object before = {0};
	const struct rfs_known_object now = misuse_objects_describe(run, thread, type, object, 0, true);
	enum rfs_object_fault fault = rfs_object_destroy(&run->objects, &now, &before);
	const struct rfs_model_memory memory = rfs_target_memory(run);

	if (fault == RFS_OBJECT_FINE && rfs_misuse_is_destroyed(run, type, object) &&
	    rfs_object_is_possible(&memory, type, object)) {
		fault = RFS_OBJECT_IS_DESTROYED;
		if (before.type != type || before.state != RFS_OBJECT_DESTROYED)
			before = (struct rfs_known_object){0};
		before.frame = 0; /* memory is proof enough */
	}
	if (!quiet && !misuse_objects_report(run, thread, fault, &now, &before, 0))
		misuse_objects_check_memory(run, thread, type, object);
}
