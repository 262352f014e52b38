/* syscall_table.c - the table of system calls, and the lists for the seccomp filter. */
#include "supervisor/kernel/syscall_table.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "supervisor/kernel/calls/blocking.h"
#include "supervisor/kernel/calls/event_order.h"
#include "supervisor/kernel/calls/poll_calls.h"
#include "supervisor/kernel/calls/process_calls.h"
#include "supervisor/kernel/calls/random_calls.h"
#include "supervisor/kernel/calls/stream_calls.h"
#include "supervisor/kernel/calls/time_calls.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/kernel_hb.h"
#include "supervisor/kernel/ids/directory.h"
#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/privileges.h"
#include "supervisor/kernel/ids/virtual_hardware.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/input/nondeterminism.h"
#include "supervisor/kernel/refused.h"
#include "supervisor/kernel/signals/signal_calls.h"
#include "supervisor/kernel/signals/signal_fd.h"
#include "supervisor/kernel/signals/timer_calls.h"
#include "supervisor/sync/futex.h"

static bool writes(unsigned long flags)
{
	return (flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC));
}

static bool open_writes(const unsigned long *args)
{
	return writes(args[1]);
}

static bool openat_writes(const unsigned long *args)
{
	return writes(args[2]);
}

static bool death_signal(const unsigned long *args)
{
	return args[0] == PR_SET_PDEATHSIG;
}

#define ROW(how, name, ...) [SYS_##name] = {.kind = RFS_SYSCALL_##how, __VA_ARGS__},
static const struct rfs_syscall rows[] = {
#define TRACED(name, ...) ROW(TRACED, name, __VA_ARGS__)
#define MAPPING(name, ...) ROW(MAPPING, name, __VA_ARGS__)
#define EVENT(name, ...) ROW(EVENT, name, __VA_ARGS__)
#define FOLLOWED(name, ...) ROW(FOLLOWED, name, __VA_ARGS__)
#define SERVER(name, ...) ROW(SERVER, name, __VA_ARGS__)
#define UNKNOWN(name, ...) ROW(UNKNOWN, name, __VA_ARGS__)
#include "supervisor/kernel/syscall_table.def"
};

const int rfs_syscalls_traced[] = {
#define TRACED(name, ...) SYS_##name,
#include "supervisor/kernel/syscall_table.def"
	-1};

const int rfs_syscalls_server[] = {
#define TRACED(name, ...) SYS_##name,
#define SERVER(name, ...) SYS_##name,
#include "supervisor/kernel/syscall_table.def"
	-1};

const int rfs_syscalls_followed[] = {
#define FOLLOWED(name, ...) SYS_##name,
#include "supervisor/kernel/syscall_table.def"
#define OBJECT_EFFECT(name, form, does) SYS_##name,
#include "supervisor/kernel/core/call_effects.def"
	-1};

const int rfs_syscalls_enosys[] = {
#define UNKNOWN(name, ...) SYS_##name,
#include "supervisor/kernel/syscall_table.def"
	-1};

const struct rfs_syscall *rfs_syscall_row(long number)
{
	static const struct rfs_syscall none;

	return number >= 0 && (size_t)number < sizeof(rows) / sizeof(*rows) ? &rows[number] : &none;
}
