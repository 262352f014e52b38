/* nothing.c - functions of the tracer of which the target of the tests has no use: code that is patched, processes. */
#include <errno.h>
#include <string.h>

#include "disasm/elf/elf.h"
#include "tracer/closed_code.h"
#include "tracer/debugreg.h"
#include "tracer/elf_cache.h"
#include "tracer/forker.h"
#include "tracer/loader.h"
#include "tracer/module.h"
#include "tracer/onlooker.h"
#include "tracer/patch.h"
#include "tracer/stub_buffer.h"
#include "tracer/tracer.h"
#include "tracer/unwind.h"

int rfs_elf_cache_get(const char *path, struct rfs_elf **out, char *why, size_t n)
{
	return rfs_elf_open(path, out, why, n);
}

int rfs_forker_new(struct rfs_task *task, rfs_addr clear_tid, pid_t shown, struct rfs_forker **out, char *why, size_t n)
{
	(void)task, (void)clear_tid, (void)shown, (void)out, (void)why, (void)n;
	return -ENOTSUP;
}
int rfs_forker_fork(struct rfs_forker *forker, struct rfs_tracer **out, struct rfs_task **task)
{
	(void)forker, (void)out, (void)task;
	return -EAGAIN;
}
void rfs_forker_free(struct rfs_forker *forker)
{
	(void)forker;
}
int rfs_onlooker_seize(const struct rfs_onlooker *watch, pid_t child)
{
	(void)watch, (void)child;
	return -ESRCH;
}
void rfs_onlooker_take(struct rfs_onlooker *watch, pid_t pid, int status)
{
	(void)watch, (void)pid, (void)status;
}
int rfs_process_file(pid_t pid, char *path, size_t n)
{
	(void)pid, (void)path, (void)n;
	return -ESRCH;
}

bool rfs_modules_changed_here(const struct rfs_space *space, rfs_addr address)
{
	(void)space, (void)address;
	return false;
}
bool rfs_modules_left_out(const struct rfs_space *space)
{
	(void)space;
	return false;
}

int rfs_patches_add(struct rfs_task *task, const struct rfs_plan_group *const *groups, size_t n, uint64_t bias,
		    uint32_t first, bool *done)
{
	(void)task, (void)groups, (void)n, (void)bias, (void)first, (void)done;
	return -ENOTSUP;
}
int rfs_patch_add_hot(struct rfs_task *task, const struct rfs_plan_group *group, uint64_t bias)
{
	(void)task, (void)group, (void)bias;
	return -ENOSPC;
}
bool rfs_patch_at(const struct rfs_space *space, rfs_addr address, rfs_addr *start, rfs_addr *end)
{
	(void)space, (void)address, (void)start, (void)end;
	return false;
}
int rfs_code_close_all(struct rfs_task *task, rfs_addr start, rfs_addr end,
		       bool (*skip)(void *arg, const struct rfs_mapping *mapping), void *arg)
{
	(void)task, (void)start, (void)end, (void)skip, (void)arg;
	return 0;
}
void rfs_code_open_all(struct rfs_space *space)
{
	(void)space;
}
void rfs_code_forget(struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	(void)space, (void)start, (void)end;
}
int rfs_code_move(struct rfs_space *space, rfs_addr from, rfs_addr to, uint64_t size)
{
	(void)space, (void)from, (void)to, (void)size;
	return 0;
}
bool rfs_code_was_closed(const struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	(void)space, (void)start, (void)end;
	return false;
}
size_t rfs_code_opened(const struct rfs_space *space)
{
	(void)space;
	return 0;
}
bool rfs_breakpoint_is_fault(const struct rfs_breakpoint *breakpoint)
{
	(void)breakpoint;
	return false;
}
void rfs_patches_remove(struct rfs_space *space, rfs_addr start, rfs_addr end)
{
	(void)space, (void)start, (void)end;
}
void rfs_patches_give_up(struct rfs_space *space)
{
	(void)space;
}
size_t rfs_patches_count(const struct rfs_space *space)
{
	(void)space;
	return 0;
}

int rfs_stub_buffer_open(struct rfs_task *task)
{
	(void)task;
	return -ENOMEM;
}
size_t rfs_stub_buffer_take(struct rfs_task *task, const struct rfs_stub_record **out)
{
	(void)task;
	*out = NULL;
	return 0;
}
void rfs_stub_buffer_lend(struct rfs_task *task, const struct rfs_stub_lent *lent)
{
	(void)task, (void)lent;
}
bool rfs_stub_buffer_filter_open(struct rfs_space *space, enum rfs_stub_filter filter)
{
	(void)space, (void)filter;
	return false;
}
void rfs_stub_buffer_filter_place(struct rfs_space *space, rfs_addr address, uint64_t size)
{
	(void)space, (void)address, (void)size;
}
void rfs_stub_buffer_filter(struct rfs_task *task, bool same_segment)
{
	(void)task, (void)same_segment;
}
bool rfs_stub_buffer_overwritten(const struct rfs_space *space)
{
	(void)space;
	return false;
}
bool rfs_stub_buffer_can_pass(const struct rfs_space *space)
{
	(void)space;
	return false;
}
void rfs_stub_buffer_places(struct rfs_space *space, const struct rfs_place_range *list, size_t n)
{
	(void)space, (void)list, (void)n;
}
bool rfs_stub_buffer_pass(struct rfs_task *task, unsigned counter, uint64_t left, bool stops)
{
	(void)task, (void)counter, (void)left, (void)stops;
	return false;
}
uint64_t rfs_stub_buffer_passes(const struct rfs_task *task, unsigned counter)
{
	(void)task, (void)counter;
	return 0;
}
struct rfs_stub_dropped rfs_stub_buffer_dropped(struct rfs_task *task)
{
	(void)task;
	return (struct rfs_stub_dropped){0};
}
void rfs_stub_buffer_close(struct rfs_task *task)
{
	(void)task;
}
int rfs_stub_buffer_repair(struct rfs_task *task, const uint64_t action[4])
{
	(void)task, (void)action;
	return 0;
}
bool rfs_stub_buffer_hold(const struct rfs_space *space, rfs_addr address)
{
	(void)space, (void)address;
	return false;
}
bool rfs_stub_buffer_given_up(const struct rfs_space *space)
{
	(void)space;
	return false;
}

bool rfs_watchpoints_fire(void)
{
	return false;
}

bool rfs_task_passes(struct rfs_task *task)
{
	(void)task;
	return false;
}
int rfs_task_inject(struct rfs_task *task, long number, const unsigned long args[6], long *result)
{
	(void)task, (void)number, (void)args, (void)result;
	return -EIO;
}
int rfs_task_execute_write(struct rfs_task *task, rfs_addr page)
{
	(void)task, (void)page;
	return -EINVAL;
}
int rfs_task_watchpoint(struct rfs_task *task, const struct rfs_watched *list, size_t n)
{
	(void)task, (void)list, (void)n;
	return 0;
}
int rfs_task_watchpoint_hit(struct rfs_task *task)
{
	(void)task;
	return -1;
}
int rfs_task_vector(struct rfs_task *task, int n, bool mask, void *out)
{
	(void)task, (void)n, (void)mask;
	memset(out, 0, 64);
	return 0;
}
int rfs_task_fpregs(struct rfs_task *task, struct user_fpregs_struct *out)
{
	(void)task;
	memset(out, 0, sizeof(*out));
	return 0;
}
int rfs_task_set_fpregs(struct rfs_task *task, const struct user_fpregs_struct *regs)
{
	(void)task, (void)regs;
	return 0;
}
int rfs_task_trap_rdtsc(struct rfs_task *task, bool trap)
{
	(void)task, (void)trap;
	return 0;
}
int rfs_task_trap_cpuid(struct rfs_task *task, bool trap)
{
	(void)task, (void)trap;
	return 0;
}
bool rfs_tracer_shows_cpuid(const struct rfs_tracer *tracer)
{
	(void)tracer;
	return false;
}
void rfs_tracer_follow(struct rfs_tracer *tracer, const struct rfs_task *task)
{
	(void)tracer, (void)task;
}
void rfs_task_set_siginfo(struct rfs_task *task, const siginfo_t *info)
{
	(void)task, (void)info;
}
pid_t rfs_task_parent(const struct rfs_task *task)
{
	(void)task;
	return 0;
}
int rfs_task_queued_signals(struct rfs_task *task, unsigned long *mask)
{
	(void)task;
	*mask = 0;
	return 0;
}
int rfs_task_pending_signals(struct rfs_task *task, unsigned long *mask)
{
	(void)task;
	*mask = 0;
	return 0;
}
int rfs_task_blocked_signals(struct rfs_task *task, unsigned long *mask)
{
	(void)task;
	*mask = 0;
	return 0;
}
bool rfs_task_frame_at(struct rfs_task *task, rfs_addr at, rfs_addr address, struct rfs_stack_frame *out)
{
	(void)task, (void)at, (void)address, (void)out;
	return false;
}
