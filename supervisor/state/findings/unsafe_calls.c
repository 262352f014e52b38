/* unsafe_calls.c - makes accesses of calls, and a misuse of a pair of such accesses. */
#include "supervisor/state/findings/unsafe_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "disasm/elf/elf.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/model/objects.h"
#include "supervisor/record/misuse.h"
#include "supervisor/state/core/kernel_objects.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/operation.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/stable_names.h"
#include "supervisor/state/core/stream.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/findings/misuse-priv.h"

/* The most calls of which a run keeps the function and the stack. */
#define CALLS_MAX 256

/* The first call at a site, by a handler or by another thread. */
struct unsafe_call {
	rfs_site site;
	bool handler;
	const char *function;
	rfs_addr frames[RFS_OBJECT_STACK]; /* innermost first: the function, then the return address of the call */
	size_t n;
};

struct rfs_unsafe_calls {
	struct unsafe_call *list;
	size_t n;
};

void rfs_unsafe_calls_begin(struct rfs_run *run)
{
	if (!run->unsafe_calls)
		run->unsafe_calls = xcalloc(1, sizeof(*run->unsafe_calls));
}

bool rfs_unsafe_calls_noted(const struct rfs_run *run)
{
	return run->unsafe_calls;
}

void rfs_unsafe_calls_release(struct rfs_run *run)
{
	if (run->unsafe_calls)
		free(run->unsafe_calls->list);
	free(run->unsafe_calls);
	run->unsafe_calls = NULL;
}

static struct unsafe_call *call_at(const struct rfs_run *run, rfs_site site, bool handler)
{
	struct rfs_unsafe_calls *calls = run->unsafe_calls;

	for (size_t i = 0; calls && i < calls->n; i++)
		if (calls->list[i].site == site && calls->list[i].handler == handler)
			return &calls->list[i];
	return NULL;
}

/* The name of the allocator that the instruction before this address calls. Static. */
static const char *allocator_before(const struct rfs_run *run, rfs_addr back)
{
	static const char *const names[] = {"malloc", "calloc", "realloc", "free", "aligned_alloc", "memalign"};
	const struct rfs_module_info *info = rfs_info_at(run, back);
	unsigned char code[6];
	const char *name = NULL;
	int32_t offset;

	if (!info || !rfs_peek(run, back - sizeof(code), code, sizeof(code)))
		return "an allocator";
	memcpy(&offset, &code[2], sizeof(offset));
	/* call rel32, or call *rel32(%rip) */
	if (code[1] == 0xe8 || (code[0] == 0xff && code[1] == 0x15))
		name = rfs_elf_plt_name(info->elf, back - info->bias + (rfs_addr)(int64_t)offset);
	for (size_t i = 0; name && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return names[i];
	return "an allocator";
}

/* False: there are too many calls. */
static bool keep(struct rfs_run *run, const struct rfs_thread *thread, const char *function, rfs_site site,
		 rfs_addr back, bool recorded)
{
	struct rfs_unsafe_calls *calls = run->unsafe_calls;
	struct unsafe_call *call = call_at(run, site, thread->handler.on);

	if (call)
		return true;
	if (calls->n == CALLS_MAX)
		return false;
	calls->list = xreallocarray(calls->list, calls->n + 1, sizeof(*calls->list));
	call = &calls->list[calls->n++];
	*call = (struct unsafe_call){.site = site,
				     .handler = thread->handler.on,
				     .function = function ? function : allocator_before(run, back)};
	if (!recorded)
		call->n = rfs_thread_stack(thread, call->frames, RFS_OBJECT_STACK);
	if (call->n < 2 || call->frames[1] != back)
		call->n = 2;
	call->frames[1] = back;
	return true;
}

/* A handler that ends with a jump to the function: the function returns to the code that calls rt_sigreturn(2). */
static bool is_jump(const struct rfs_run *run, const struct rfs_thread *thread, rfs_addr back)
{
	static const unsigned char restorer[] = {0x48, 0xc7, 0xc0, SYS_rt_sigreturn, 0, 0, 0}; /* mov $15, %rax */
	unsigned char code[sizeof(restorer)];

	return thread->handler.on && rfs_peek(run, back, code, sizeof(code)) &&
	       memcmp(code, restorer, sizeof(code)) == 0;
}

void rfs_unsafe_call(struct rfs_run *run, struct rfs_thread *thread, const char *function, uint64_t data, bool changes,
		     rfs_addr back, bool recorded)
{
	const struct rfs_thread *on = thread;
	const struct rfs_module_info *info;
	struct rfs_kernel_object object = {.kind = RFS_OBJECT_LIBRARY, .detail = data};
	struct rfs_event event = {.kind = RFS_EVENT_ACCESS, .thread = thread->number};
	rfs_site site;

	if (!run->unsafe_calls || !run->stream)
		return;
	if (is_jump(run, thread, back))
		back = thread->handler.entry + 1;
	/* what the library does for itself belongs to the function that the program has called */
	info = rfs_info_at(run, back);
	if (!info || info->libc || rfs_is_cxx_library(info))
		return;
	site = rfs_site_of(run, back);
	while (on->handler.on)
		on = on->handler.on;
	object.inode = (ino_t)on->number;
	if (!keep(run, thread, function, site, back, recorded))
		return;
	event.op = rfs_op_make(RFS_OP_ACCESS, site, rfs_kernel_object(run, &object, "data of the C library"));
	event.op.size = 1;
	event.op.access = changes ? RFS_ACCESS_WRITE : RFS_ACCESS_READ;
	if (event.op.object)
		rfs_stream_event(run->stream, &event);
}

bool rfs_is_library_data(const struct rfs_run *run, rfs_addr address)
{
	const char *words;

	return rfs_kernel_object_at(run, address, &words) == RFS_OBJECT_LIBRARY;
}

bool rfs_unsafe_calls_pair(struct rfs_run *run, const struct rfs_race_access *a, const struct rfs_race_access *b)
{
	const bool swapped = !run->threads[a->thread]->handler.signo;
	const struct rfs_race_access *by = swapped ? b : a, *with = swapped ? a : b;
	struct rfs_thread *handler = run->threads[by->thread], *thread = run->threads[with->thread];
	const struct unsafe_call *call, *other;
	struct rfs_misuse_note note = {
		.kind = RFS_MISUSE_SIGNAL_UNSAFE, .calls = true, .earlier_is = RFS_EARLIER_INTERRUPTED};
	struct rfs_kernel_object object = {.kind = RFS_OBJECT_LIBRARY};
	const char *signal;
	char words[128];

	if (!rfs_is_library_data(run, a->address))
		return false;
	call = call_at(run, by->site, true);
	other = call_at(run, with->site, thread->handler.signo != 0);
	if (!call || !other)
		return true;
	signal = sigabbrev_np(handler->handler.signo);
	if (signal)
		snprintf(words, sizeof(words), "%s in a handler of SIG%s", call->function, signal);
	else
		snprintf(words, sizeof(words), "%s in a handler of signal %d", call->function, handler->handler.signo);
	object.inode = (ino_t)handler->number;
	object.device = 1; /* it stands for the call */
	object.detail = call->site;
	note.object = rfs_kernel_object(run, &object, words);
	note.other = thread;
	note.stack = call->frames;
	note.n_stack = call->n;
	note.earlier_stack = other->frames;
	note.n_earlier_stack = other->n;
	rfs_misuse_add(run, handler, &note);
	return true;
}
