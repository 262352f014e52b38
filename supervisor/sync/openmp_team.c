/*
 * openmp_team.c - parallel regions, barriers and work-sharing constructs.
 *
 * libgomp itself is executed as it is: the futex layer schedules its waits. The handlers tell the model what each call
 * orders, and park the thread where the construct leaves a choice: which thread begins the region first, which one gets
 * the next chunk, section or single.
 *
 *   program                 libgomp                            handler
 *   GOMP_parallel(f, d)     wakes the team                     rfs_enter_omp_parallel(): fork
 *                           each thread calls f(d)             openmp_team_enter_region(): begin
 *                           f returns to libgomp               region_left(): end
 *   continues               waits for the team, returns        region_joined(): join
 *
 * A team has no address, so the address of the region's function is used. Operations on work-sharing constructs have
 * the place of the call that starts them.
 */
#include "supervisor/sync/openmp_team.h"

#include <string.h>
#include <xxhash.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/model/openmp.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "supervisor/sync/openmp_layer.h"
#include "tracer/tracer.h"

/* doacross loops may have more dimensions; the first ones then stand for all, and edges that do not exist are seen */
#define DIMENSIONS_MAX 5

static bool is_openmp(const struct rfs_run *run, rfs_addr address)
{
	const struct rfs_module_info *info = rfs_info_at(run, address);

	return info && info->openmp;
}

/* ---- parallel regions ---- */

/*
 * Two functions of libgomp load a member of its thread-local variable:
 *
 *   omp_get_thread_num:   [endbr64]  mov offset(%rip),%rax  mov %fs:MEMBER(%rax),%eax  ret
 *   omp_get_num_threads:  [endbr64]  mov offset(%rip),%rax  mov %fs:MEMBER(%rax),%rdx  ...    a pointer to the number
 *
 * Returns the address of the member in this thread. 0: the code is different.
 */
static rfs_addr member_of(const struct rfs_run *run, const struct rfs_thread *thread,
			  const struct rfs_module_info *info, const char *function)
{
	static const uint8_t endbr[4] = {0xf3, 0x0f, 0x1e, 0xfa}, load[3] = {0x48, 0x8b, 0x05};
	static const uint8_t narrow[3] = {0x64, 0x8b, 0x40}, wide[4] = {0x64, 0x48, 0x8b, 0x50};
	uint8_t code[16];
	rfs_addr at, member;
	uint64_t offset;
	int32_t slot;

	if (!rfs_elf_symbol(info->elf, function, &at, NULL) ||
	    rfs_elf_read(info->elf, at, code, sizeof(code)) != sizeof(code))
		return 0;
	if (memcmp(code, endbr, sizeof(endbr)) == 0) {
		at += sizeof(endbr);
		if (rfs_elf_read(info->elf, at, code, sizeof(code)) != sizeof(code))
			return 0;
	}
	if (memcmp(code, load, sizeof(load)) != 0)
		return 0;
	memcpy(&slot, code + 3, sizeof(slot));
	if (memcmp(code + 7, narrow, sizeof(narrow)) == 0)
		member = code[10];
	else if (memcmp(code + 7, wide, sizeof(wide)) == 0)
		member = code[11];
	else
		return 0;
	if (!rfs_peek(run, info->bias + at + 7 + (rfs_addr)(int64_t)slot, &offset, sizeof(offset)))
		return 0;
	return thread->tls + offset + member;
}

/* What omp_get_thread_num() and omp_get_num_threads() would say to the thread. Size 0: unknown. */
static struct rfs_team_place openmp_team_of(const struct rfs_run *run, struct rfs_thread *thread)
{
	const struct rfs_module_info *info = rfs_info_at(run, rfs_call_back(run, thread));
	struct rfs_team_place place = {0};
	rfs_addr number, team, pointer = 0;

	if (!info || !info->openmp)
		return place;
	number = member_of(run, thread, info, "omp_get_thread_num");
	team = member_of(run, thread, info, "omp_get_num_threads");
	if (!number || !team || !rfs_peek(run, team, &pointer, sizeof(pointer)))
		return place;
	if (!pointer || !rfs_peek(run, pointer, &place.size, sizeof(place.size)) ||
	    !rfs_peek(run, number, &place.number, sizeof(place.number)) || place.number >= place.size)
		return (struct rfs_team_place){0};
	return place;
}

/* call->arg: the place that the thread had in the region around this one */
static void region_left(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			uint64_t value)
{
	(void)value;
	thread->openmp.team = (struct rfs_team_place){(uint32_t)(call->arg >> 32), (uint32_t)call->arg};
	rfs_openmp_end(rfs_openmp_of(run, thread), thread->number);
}

static enum rfs_then go_region(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	const int creator = thread->creator ? thread->creator->number : -1;
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_openmp_begin(rfs_openmp_of(run, thread), thread->number, creator, regs->rip, regs->rdi)) {
		rfs_call_on_return(run, thread, region_left,
				   (uint64_t)thread->openmp.team.number << 32 | thread->openmp.team.size);
		thread->openmp.team = openmp_team_of(run, thread);
		if (thread->openmp.team.size)
			thread->openmp.last_team = thread->openmp.team;
	}
	return rfs_openmp_begin_code(run, thread);
}

/* The thread is at the entry of a region's function. The program may also call this function itself. */
static enum rfs_then openmp_team_enter_region(struct rfs_run *run, struct rfs_thread *thread,
					      const struct rfs_call *call)
{
	const rfs_addr function = rfs_task_regs(thread->task)->rip;

	(void)call;
	if (!is_openmp(run, rfs_call_back(run, thread)))
		return rfs_openmp_begin_code(run, thread);
	return rfs_park(run, thread, rfs_op_make(RFS_OP_BARRIER_LEAVE, rfs_site_of(run, function), function),
			rfs_ready_always, go_region);
}

static const struct rfs_call region = {"region", openmp_team_enter_region, 0, RFS_CALL_INTERNAL};

static void region_joined(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			  uint64_t value)
{
	(void)call;
	(void)value;
	rfs_openmp_join(rfs_openmp_of(run, thread), thread->number);
}

/* param: 0 the call executes the whole region, 1 it only begins it (GCC before 4.9), and the caller executes its part.
 */
enum rfs_then rfs_enter_omp_parallel(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	struct rfs_hook *hook = rfs_call_hook(run, thread->task, regs->rdi);

	if (!hook)
		return RFS_THEN_EXECUTE;
	if (!hook->call)
		hook->call = &region;
	rfs_openmp_fork(rfs_openmp_of(run, thread), thread->number, regs->rdi, regs->rsi);
	if (call->param == 1)
		(void)rfs_openmp_begin(rfs_openmp_of(run, thread), thread->number, -1, regs->rdi, regs->rsi);
	else
		rfs_call_on_return(run, thread, region_joined, 0);
	return RFS_THEN_EXECUTE;
}

enum rfs_then rfs_enter_omp_parallel_end(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	rfs_openmp_end(rfs_openmp_of(run, thread), thread->number);
	rfs_call_on_return(run, thread, region_joined, 0);
	return RFS_THEN_EXECUTE;
}

/* ---- barriers ---- */

static void barrier_left(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			 uint64_t value)
{
	(void)call;
	(void)value;
	rfs_openmp_leave(rfs_openmp_of(run, thread), thread->number);
}

static enum rfs_then go_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_openmp_arrive(rfs_openmp_of(run, thread), thread->number);
	rfs_call_on_return(run, thread, barrier_left, 0);
	return RFS_THEN_EXECUTE;
}

/* Parks the thread before an operation on its team, or on a work-sharing construct. */
static enum rfs_then park_in_region(struct rfs_run *run, struct rfs_thread *thread, enum rfs_op_kind kind,
				    rfs_addr object, rfs_go_fn go)
{
	const rfs_site site = rfs_site_of(run, rfs_call_back(run, thread));

	return rfs_park(run, thread, rfs_op_make(kind, site, object), rfs_ready_always, go);
}

static enum rfs_then park_taker(struct rfs_run *run, struct rfs_thread *thread, rfs_addr object, rfs_go_fn go)
{
	return rfs_openmp_park_taker(run, thread, rfs_site_of(run, rfs_call_back(run, thread)), object, go);
}

enum rfs_then rfs_enter_omp_barrier(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_addr function = rfs_openmp_region_of(run, thread);

	(void)call;
	if (!function)
		return RFS_THEN_EXECUTE;
	return park_in_region(run, thread, RFS_OP_BARRIER_WAIT, function, go_barrier);
}

/* value: NULL for the thread that executes the single region, else what it gave to the others at its end. */
static void copy_started(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			 uint64_t value)
{
	(void)call;
	if (value)
		rfs_openmp_leave(rfs_openmp_of(run, thread), thread->number);
}

static enum rfs_then go_copy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_openmp_taken(run, thread);
	rfs_openmp_share(rfs_openmp_of(run, thread), thread->number);
	rfs_openmp_arrive(rfs_openmp_of(run, thread), thread->number);
	rfs_call_on_return(run, thread, copy_started, 0);
	return RFS_THEN_EXECUTE;
}

/*
 * single copyprivate. All threads meet one barrier: the thread that executes the region at its end, in a call that the
 * table has as a barrier; the others in this call.
 */
enum rfs_then rfs_enter_omp_copy(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	if (!rfs_openmp_region_of(run, thread))
		return RFS_THEN_EXECUTE;
	return park_taker(run, thread, rfs_call_back(run, thread), go_copy);
}

/* ---- work-sharing ---- */

static enum rfs_then go_share(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_openmp_share(rfs_openmp_of(run, thread), thread->number);
	rfs_openmp_taken(run, thread);
	thread->openmp.shared = thread->next.object;
	return RFS_THEN_EXECUTE;
}

static enum rfs_then go_next(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_openmp_taken(run, thread);
	return RFS_THEN_EXECUTE;
}

/* param: 0 the first share of a loop, of sections or of a single construct; 1 the next one */
enum rfs_then rfs_enter_omp_share(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	if (!rfs_openmp_region_of(run, thread))
		return RFS_THEN_EXECUTE;
	if (call->param == 1)
		return park_taker(run, thread, thread->openmp.shared, go_next);
	return park_taker(run, thread, rfs_call_back(run, thread), go_share);
}

/* ---- ordered ---- */

static void ordered_begun(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			  uint64_t value)
{
	(void)call;
	(void)value;
	rfs_openmp_ordered_begin(rfs_openmp_of(run, thread), thread->number);
}

static enum rfs_then go_ordered(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_call_on_return(run, thread, ordered_begun, 0);
	return RFS_THEN_EXECUTE;
}

static enum rfs_then go_ordered_end(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_openmp_ordered_end(rfs_openmp_of(run, thread), thread->number);
	return RFS_THEN_EXECUTE;
}

/* param: 0 the begin of an ordered region, 1 its end */
enum rfs_then rfs_enter_omp_ordered(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	if (!rfs_openmp_region_of(run, thread))
		return RFS_THEN_EXECUTE;
	if (call->param == 1)
		return park_in_region(run, thread, RFS_OP_SEM_POST, thread->openmp.shared, go_ordered_end);
	return park_in_region(run, thread, RFS_OP_SEM_WAIT, thread->openmp.shared, go_ordered);
}

/* ---- ordered depend(source), depend(sink: ...) ---- */

static enum rfs_then go_doacross(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_openmp_share(rfs_openmp_of(run, thread), thread->number);
	rfs_openmp_taken(run, thread);
	thread->openmp.shared = thread->next.object;
	thread->openmp.dimensions = (unsigned)thread->args[0];
	return RFS_THEN_EXECUTE;
}

static uint64_t iteration(const struct rfs_thread *thread, const uint64_t *numbers)
{
	return XXH64(numbers, thread->openmp.dimensions * sizeof(*numbers), 0);
}

static void sink_reached(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_pending_return *call,
			 uint64_t value)
{
	(void)value;
	rfs_openmp_wait(rfs_openmp_of(run, thread), thread->number, call->arg);
}

static uint64_t sink_of(const struct rfs_thread *thread)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const uint64_t numbers[DIMENSIONS_MAX] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx, regs->r8};

	return iteration(thread, numbers);
}

/* The compiler calls this only for iterations that exist, so each one is posted. libgomp would spin until then. */
static unsigned ready_sink(struct rfs_run *run, struct rfs_thread *thread)
{
	bool posted = rfs_openmp_posted(rfs_openmp_of(run, thread), thread->number, sink_of(thread));

	return posted ? RFS_THREAD_ENABLED : 0;
}

static enum rfs_then go_sink(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	rfs_executed(run, thread, &thread->next, choice->outcome);
	rfs_call_on_return(run, thread, sink_reached, sink_of(thread));
	return RFS_THEN_EXECUTE;
}

static enum rfs_then go_source(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	uint64_t numbers[DIMENSIONS_MAX] = {0};

	rfs_executed(run, thread, &thread->next, choice->outcome);
	if (rfs_peek(run, rfs_task_regs(thread->task)->rdi, numbers, thread->openmp.dimensions * sizeof(*numbers)))
		rfs_openmp_post(rfs_openmp_of(run, thread), thread->number, iteration(thread, numbers));
	return RFS_THEN_EXECUTE;
}

/* param: 0 the loop starts, with the number of its dimensions; 1 source, with an array; 2 sink, with numbers */
enum rfs_then rfs_enter_omp_doacross(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	uint64_t dimensions = rfs_task_regs(thread->task)->rdi;

	if (!rfs_openmp_region_of(run, thread))
		return RFS_THEN_EXECUTE;
	if (call->param == 1)
		return park_in_region(run, thread, RFS_OP_SEM_POST, thread->openmp.shared, go_source);
	if (call->param == 2)
		return rfs_park(run, thread,
				rfs_op_make(RFS_OP_SEM_WAIT, rfs_site_of(run, rfs_call_back(run, thread)),
					    thread->openmp.shared),
				ready_sink, go_sink);
	thread->args[0] = dimensions < DIMENSIONS_MAX ? dimensions : DIMENSIONS_MAX;
	return park_taker(run, thread, rfs_call_back(run, thread), go_doacross);
}
