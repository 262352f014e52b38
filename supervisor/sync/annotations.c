/*
 * annotations.c - the functions of dynamic annotations are empty, and those of ThreadSanitizer need its runtime; the
 * entry of a function says what the program means. The macros of valgrind/helgrind.h and drd.h are no calls but client
 * requests: code that only Valgrind notices, with an array of words at rax.
 *
 * Annotations only inform detectors: without one, there are no breakpoints. Marks of rfsup.h that switch threads or
 * check a condition are in all runs, so that a record means the same in each.
 */
#include "supervisor/sync/annotations.h"

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "supervisor/access/calls/call.h"
#include "supervisor/access/calls/hooks.h"
#include "supervisor/base/address_set.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/family.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/events.h"
#include "supervisor/state/operations/park.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

/* ---- calls ---- */

/* The parameter with this number, from 0. */
static uint64_t parameter(const struct rfs_thread *thread, int number)
{
	const struct user_regs_struct *regs = rfs_task_regs(thread->task);
	const uint64_t values[] = {regs->rdi, regs->rsi, regs->rdx, regs->rcx};

	return values[number];
}

/* The same, if it is an address. */
static rfs_addr object(const struct rfs_run *run, const struct rfs_thread *thread, int number)
{
	return rfs_family_name(run, thread, parameter(thread, number));
}

/* What the thread did so far happens before what a thread does after order_after() of the same object. */
static void order_before(struct rfs_run *run, struct rfs_thread *thread, uint64_t object)
{
	rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_ANNOTATION, object));
}

static void order_after(struct rfs_run *run, struct rfs_thread *thread, uint64_t object)
{
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_ANNOTATION, object));
}

/*
 * The thread has acquired, or is about to release, a readers-writer lock that the program has made itself. Readers are
 * ordered only after writers. The lock itself is found by what the program does to its memory (access/word_locks.c).
 */
static void order_acquired(struct rfs_run *run, struct rfs_thread *thread, uint64_t lock, bool writes)
{
	order_after(run, thread, lock);
	if (!writes)
		return;
	rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_READERS, lock));
	rfs_address_set_add(&run->written_locks, lock);
}

/* Helgrind's request does not say whether the thread writes. If somebody writes, it is the only holder. */
static void order_released(struct rfs_run *run, struct rfs_thread *thread, uint64_t lock)
{
	if (rfs_address_set_has(run->written_locks, lock)) {
		rfs_address_set_remove(&run->written_locks, lock, 1);
		order_before(run, thread, lock);
	} else {
		rfs_emit_kind(run, thread, RFS_EVENT_SEND, rfs_message(RFS_MESSAGE_READERS, lock));
	}
}

/* AnnotateRWLockAcquired(file, line, lock, writes), AnnotateRWLockReleased() */
static enum rfs_then enter_acquired(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	order_acquired(run, thread, object(run, thread, 2), parameter(thread, 3));
	return RFS_THEN_EXECUTE;
}

static enum rfs_then enter_released(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	(void)call;
	order_released(run, thread, object(run, thread, 2));
	return RFS_THEN_EXECUTE;
}

/* param: the parameter that is the address */
static enum rfs_then enter_before(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	order_before(run, thread, object(run, thread, call->param));
	return RFS_THEN_EXECUTE;
}

static enum rfs_then enter_after(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	order_after(run, thread, object(run, thread, call->param));
	return RFS_THEN_EXECUTE;
}

/* AnnotateBenignRaceSized(file, line, address, size, text); param 1: without size, for 8 bytes */
static enum rfs_then enter_benign(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	if (run->stream)
		rfs_stream_benign(run->stream, object(run, thread, 2), call->param ? 8 : parameter(thread, 3), true);
	return RFS_THEN_EXECUTE;
}

static const struct rfs_call calls[] = {
	{"AnnotateHappensBefore", enter_before, 2, RFS_CALL_INTERNAL},
	{"AnnotateHappensAfter", enter_after, 2, RFS_CALL_INTERNAL},
	{"AnnotateRWLockAcquired", enter_acquired, 0, RFS_CALL_INTERNAL},
	{"AnnotateRWLockReleased", enter_released, 0, RFS_CALL_INTERNAL},
	{"AnnotateBenignRaceSized", enter_benign, 0, RFS_CALL_INTERNAL},
	{"AnnotateBenignRace", enter_benign, 1, RFS_CALL_INTERNAL},
	{"__tsan_release", enter_before, 0, RFS_CALL_INTERNAL},
	{"__tsan_acquire", enter_after, 0, RFS_CALL_INTERNAL},
};

/* ---- client requests of Valgrind ---- */

/* By the enums of helgrind.h and drd.h. Both have the same numbers for the first four. */
enum request {
	REQUEST_BEFORE = 0x48470121,	      /* object; _VG_USERREQ__HG_USERSO_SEND_PRE */
	REQUEST_AFTER = 0x48470122,	      /* object; _VG_USERREQ__HG_USERSO_RECV_POST */
	REQUEST_ACQUIRED = 0x48470111,	      /* lock, 1: for writing; _VG_USERREQ__HG_PTHREAD_RWLOCK_ACQUIRED */
	REQUEST_RELEASED = 0x48470112,	      /* lock; _VG_USERREQ__HG_PTHREAD_RWLOCK_RELEASED */
	REQUEST_POST = 0x48470116,	      /* semaphore; _VG_USERREQ__HG_POSIX_SEM_RELEASED */
	REQUEST_WAITED = 0x48470117,	      /* semaphore; _VG_USERREQ__HG_POSIX_SEM_ACQUIRED */
	REQUEST_WAITED_DRD = 0x4452000d,      /* semaphore; VG_USERREQ__DRD_ANNOTATE_SEM_WAIT_POST */
	REQUEST_POST_DRD = 0x4452000e,	      /* semaphore; VG_USERREQ__DRD_ANNOTATE_SEM_POST_PRE */
	REQUEST_BENIGN = 0x48470127,	      /* address, size; _VG_USERREQ__HG_ARANGE_MAKE_UNTRACKED */
	REQUEST_BENIGN_ENDS = 0x48470128,     /* _VG_USERREQ__HG_ARANGE_MAKE_TRACKED */
	REQUEST_BENIGN_DRD = 0x44520002,      /* address, size; VG_USERREQ__DRD_START_SUPPRESSION */
	REQUEST_BENIGN_DRD_ENDS = 0x44520003, /* VG_USERREQ__DRD_FINISH_SUPPRESSION */
};

static enum rfs_then enter_request(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	uint64_t words[3];

	(void)call;
	if (!run->stream || !rfs_peek(run, rfs_task_regs(thread->task)->rax, words, sizeof(words)))
		return RFS_THEN_EXECUTE;
	words[1] = rfs_family_name(run, thread, words[1]);
	switch (words[0]) {
	case REQUEST_ACQUIRED:
		order_acquired(run, thread, words[1], words[2]);
		break;
	case REQUEST_RELEASED:
		order_released(run, thread, words[1]);
		break;
	case REQUEST_BEFORE:
	case REQUEST_POST:
	case REQUEST_POST_DRD:
		order_before(run, thread, words[1]);
		break;
	case REQUEST_AFTER:
	case REQUEST_WAITED:
	case REQUEST_WAITED_DRD:
		order_after(run, thread, words[1]);
		break;
	case REQUEST_BENIGN:
	case REQUEST_BENIGN_DRD:
		rfs_stream_benign(run->stream, words[1], words[2], true);
		break;
	case REQUEST_BENIGN_ENDS:
	case REQUEST_BENIGN_DRD_ENDS:
		rfs_stream_benign(run->stream, words[1], words[2], false);
		break;
	}
	return RFS_THEN_EXECUTE;
}

static const struct rfs_call client_request = {"a client request", enter_request, 0, RFS_CALL_INTERNAL};

/* ---- marks ---- */

static enum rfs_then enter_point(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_site site = rfs_site_of(run, rfs_task_regs(thread->task)->rip);

	(void)call;
	return rfs_park(run, thread, rfs_op_make(RFS_OP_POINT, site, 0), rfs_ready_always, rfs_go_on);
}

/* The nop of an assertion is replaced by a jump to its condition. */
static enum rfs_then go_assert(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_choice *choice)
{
	struct user_regs_struct *regs = rfs_task_regs_mut(thread->task);
	const struct rfs_module_info *info = rfs_info_at(run, regs->rip);
	const struct rfs_elf_mark *mark = info ? rfs_elf_mark_at(info->elf, regs->rip - info->bias) : NULL;

	if (mark && mark->target)
		regs->rip = mark->target + info->bias;
	return rfs_go_on(run, thread, choice);
}

static enum rfs_then enter_assert(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_call *call)
{
	const rfs_site site = rfs_site_of(run, rfs_task_regs(thread->task)->rip);

	(void)call;
	return rfs_park(run, thread, rfs_op_make(RFS_OP_POINT, site, 0), rfs_ready_always, go_assert);
}

static enum rfs_then annotations_enter_region(struct rfs_run *run, struct rfs_thread *thread,
					      const struct rfs_call *call)
{
	if (run->stream)
		rfs_stream_region(run->stream, thread->number, call->param);
	return RFS_THEN_EXECUTE;
}

/* By the kinds of notes in policy/rfsup.h. */
static const struct rfs_call marks[] = {
	{"RFSUP_POINT", enter_point, 0, RFS_CALL_INTERNAL},
	{"RFSUP_ASSERT", enter_assert, 0, RFS_CALL_INTERNAL},
	{"RFSUP_REGION_BEGIN", annotations_enter_region, 1, RFS_CALL_INTERNAL},
	{"RFSUP_REGION_END", annotations_enter_region, -1, RFS_CALL_INTERNAL},
};
#define FIRST_KIND 1u
#define N_MARKS (sizeof(marks) / sizeof(*marks))

/* ---- modules ---- */

static void intercept(struct rfs_run *run, struct rfs_thread *thread, rfs_addr address, const struct rfs_call *call)
{
	struct rfs_hook *hook = rfs_hook_at(run, thread->task, address);

	if (hook && !hook->call)
		hook->call = call;
}

/* The linker may make one function of several empty ones; then a call of it says nothing. */
static bool annotations_is_alone(const struct rfs_module *module, size_t number, rfs_addr vaddr)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		rfs_addr other;

		if (i != number && rfs_elf_symbol(module->elf, calls[i].name, &other, NULL) && other == vaddr)
			return false;
	}
	return true;
}

void rfs_annotations_add_module(struct rfs_run *run, struct rfs_thread *thread, const struct rfs_module *module)
{
	const struct rfs_elf_mark *list;
	const rfs_addr *requests;
	const size_t n = rfs_elf_marks(module->elf, &list), n_requests = rfs_elf_requests(module->elf, &requests);
	rfs_addr vaddr;

	for (size_t i = 0; run->stream && i < sizeof(calls) / sizeof(*calls); i++)
		if (rfs_elf_symbol(module->elf, calls[i].name, &vaddr, NULL) && annotations_is_alone(module, i, vaddr))
			intercept(run, thread, vaddr + module->bias, &calls[i]);
	for (size_t i = 0; run->stream && i < n_requests; i++)
		intercept(run, thread, requests[i] + module->bias, &client_request);
	for (size_t i = 0; i < n; i++) {
		const struct rfs_call *mark =
			list[i].kind - FIRST_KIND < N_MARKS ? &marks[list[i].kind - FIRST_KIND] : NULL;
		const bool region = mark && mark->enter == annotations_enter_region;

		if (!mark || (region && !run->stream))
			continue;
		if (region)
			rfs_stream_has_regions(run->stream);
		intercept(run, thread, list[i].vaddr + module->bias, mark);
	}
}
