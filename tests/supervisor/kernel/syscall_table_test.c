/*
 * syscall_table_test.c - the table of system calls: the calls at which the filter stops, and rows without
 * contradictions. Some rows are checked in detail.
 */
#include <criterion/criterion.h>
#include <sys/syscall.h>

#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/syscall_table.h"

TestSuite(syscall_table, .timeout = 60);

/* Greater than any system call's number. */
#define NUMBERS 1024

static const int traced[] = {
	SYS_futex,
	SYS_exit,
	SYS_exit_group,
	SYS_sched_yield,
	SYS_nanosleep,
	SYS_clock_nanosleep,
	SYS_clock_gettime,
	SYS_gettimeofday,
	SYS_time,
	SYS_adjtimex,
	SYS_clock_adjtime,
	SYS_getrandom,
	SYS_kill,
	SYS_tkill,
	SYS_tgkill,
	SYS_rt_sigqueueinfo,
	SYS_rt_tgsigqueueinfo,
	SYS_rt_sigaction,
	SYS_rt_sigreturn,
	SYS_setitimer,
	SYS_alarm,
	SYS_getitimer,
	SYS_timer_create,
	SYS_timer_settime,
	SYS_timer_gettime,
	SYS_timer_getoverrun,
	SYS_timer_delete,
	SYS_timerfd_settime,
	SYS_timerfd_gettime,
	SYS_getdents64,
	SYS_sysinfo,
	SYS_getrusage,
	SYS_times,
	SYS_getcpu,
	SYS_sched_getaffinity,
	SYS_sched_setaffinity,
	SYS_getpid,
	SYS_gettid,
	SYS_getppid,
	SYS_getpgrp,
	SYS_getpgid,
	SYS_getsid,
	SYS_setsid,
	SYS_setpgid,
	SYS_sched_setscheduler,
	SYS_sched_getscheduler,
	SYS_sched_setparam,
	SYS_sched_getparam,
	SYS_sched_rr_get_interval,
	SYS_prlimit64,
	SYS_getpriority,
	SYS_setpriority,
	SYS_pidfd_open,
	SYS_sched_setattr,
	SYS_sched_getattr,
	SYS_ioprio_get,
	SYS_ioprio_set,
	SYS_get_robust_list,
	SYS_kcmp,
	SYS_process_vm_readv,
	SYS_process_vm_writev,
	SYS_ioctl,
	SYS_semctl,
	SYS_shmctl,
	SYS_msgctl,
	SYS_capget,
	SYS_capset,
	SYS_stat,
	SYS_lstat,
	SYS_newfstatat,
	SYS_statx,
	SYS_access,
	SYS_faccessat,
	SYS_faccessat2,
	SYS_chdir,
	SYS_readlink,
	SYS_readlinkat,
	SYS_munmap,
	SYS_mprotect,
	SYS_pkey_mprotect,
	SYS_shmat,
	SYS_set_tid_address,
	SYS_arch_prctl,
	SYS_prctl,
	SYS_read,
	SYS_readv,
	SYS_recvfrom,
	SYS_recvmsg,
	SYS_recvmmsg,
	SYS_accept,
	SYS_accept4,
	SYS_write,
	SYS_writev,
	SYS_sendto,
	SYS_sendmsg,
	SYS_sendmmsg,
	SYS_bind,
	SYS_listen,
	SYS_connect,
	SYS_getpeername,
	SYS_getsockname,
	SYS_getsockopt,
	SYS_shutdown,
	SYS_signalfd,
	SYS_signalfd4,
	SYS_poll,
	SYS_ppoll,
	SYS_select,
	SYS_pselect6,
	SYS_epoll_ctl,
	SYS_epoll_wait,
	SYS_epoll_pwait,
	SYS_epoll_pwait2,
	SYS_wait4,
	SYS_waitid,
	SYS_pause,
	SYS_rt_sigsuspend,
	SYS_rt_sigtimedwait,
	SYS_flock,
	SYS_fcntl,
	SYS_open,
	SYS_openat,
	SYS_openat2,
	SYS_creat,
	SYS_splice,
	SYS_tee,
	SYS_vmsplice,
	SYS_sendfile,
	SYS_msgrcv,
	SYS_msgsnd,
	SYS_semop,
	SYS_semtimedop,
	SYS_mq_timedreceive,
	SYS_mq_timedsend,
	SYS_ptrace,
	SYS_membarrier,
};

static const int server_only[] = {
	SYS_mknod,    SYS_mknodat,   SYS_mkdir,	   SYS_mkdirat,	   SYS_rmdir,	 SYS_unlink,
	SYS_unlinkat, SYS_rename,    SYS_renameat, SYS_renameat2,  SYS_link,	 SYS_linkat,
	SYS_symlink,  SYS_symlinkat, SYS_truncate, SYS_chmod,	   SYS_fchmodat, SYS_chown,
	SYS_fchownat, SYS_utimensat, SYS_socket,   SYS_socketpair, SYS_io_setup, SYS_shmget,
	SYS_semget,   SYS_msgget,    SYS_mlock,	   SYS_mlock2,	   SYS_mlockall,
};

static const int followed[] = {
	SYS_rt_sigprocmask, SYS_close,		 SYS_close_range, SYS_dup2,   SYS_dup3,	     SYS_dup,
	SYS_lseek,	    SYS_pread64,	 SYS_pwrite64,	  SYS_preadv, SYS_pwritev,   SYS_preadv2,
	SYS_pwritev2,	    SYS_copy_file_range, SYS_fstat,	  SYS_fsync,  SYS_fdatasync, SYS_ftruncate,
	SYS_fallocate,	    SYS_setsockopt,
};

/* Calls on kernel objects, which are in the list of followed calls too. */
static const int objects[] = {
	SYS_fchmod,   SYS_fchown, SYS_unlink,	SYS_rmdir,     SYS_unlinkat, SYS_mkdir,	   SYS_mkdirat, SYS_mknod,
	SYS_mknodat,  SYS_rename, SYS_renameat, SYS_renameat2, SYS_link,     SYS_linkat,   SYS_symlink, SYS_symlinkat,
	SYS_truncate, SYS_chmod,  SYS_fchmodat, SYS_chown,     SYS_lchown,   SYS_fchownat, SYS_umask,	SYS_fchdir,
	SYS_chroot,   SYS_mmap,	  SYS_mremap,	SYS_madvise,   SYS_brk,
};

static size_t length(const int *list)
{
	size_t n = 0;

	while (list[n] >= 0)
		n++;
	return n;
}

static void check_list(const char *name, const int *list, const int *expected, size_t n)
{
	cr_expect_eq(length(list), n, "%s: %zu calls, not %zu", name, length(list), n);
	for (size_t i = 0; i < n && list[i] >= 0; i++)
		cr_expect_eq(list[i], expected[i], "%s: %d at place %zu, not %d", name, list[i], i, expected[i]);
}

Test(syscall_table, the_filter_stops_at_these_in_this_order)
{
	static const int enosys[] = {SYS_rseq, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register,
				     SYS_futex_waitv};
	const size_t n = sizeof(traced) / sizeof(*traced), more = sizeof(server_only) / sizeof(*server_only);
	const size_t n_followed = sizeof(followed) / sizeof(*followed), n_objects = sizeof(objects) / sizeof(*objects);

	check_list("traced", rfs_syscalls_traced, traced, n);
	check_list("enosys", rfs_syscalls_enosys, enosys, sizeof(enosys) / sizeof(*enosys));
	cr_assert_eq(length(rfs_syscalls_followed), n_followed + n_objects);
	for (size_t i = 0; i < n_followed; i++)
		cr_expect_eq(rfs_syscalls_followed[i], followed[i]);
	check_list("objects", rfs_syscalls_followed + n_followed, objects, n_objects);
	cr_assert_eq(length(rfs_syscalls_server), n + more);
	check_list("server", rfs_syscalls_server + n, server_only, more);
	for (size_t i = 0; i < n; i++)
		cr_expect_eq(rfs_syscalls_server[i], traced[i]);
}

/*
 * No call is in two lists, or twice in one list. Each row has the kind of its list. A call on a kernel object stops for
 * no other reason, unless under a fork server.
 */
Test(syscall_table, each_call_has_one_row)
{
	const struct {
		const int *list;
		enum rfs_syscall_kind kind;
	} lists[] = {
		{rfs_syscalls_traced, RFS_SYSCALL_TRACED},
		{rfs_syscalls_server + length(rfs_syscalls_traced), RFS_SYSCALL_SERVER},
		{rfs_syscalls_followed, RFS_SYSCALL_FOLLOWED},
		{rfs_syscalls_enosys, RFS_SYSCALL_UNKNOWN},
	};
	bool seen[NUMBERS] = {false}, in_objects[NUMBERS] = {false};
	const int *first_object = rfs_syscalls_followed + sizeof(followed) / sizeof(*followed);

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (const int *number = lists[i].list; *number >= 0 && number != first_object; number++) {
			cr_assert_lt(*number, NUMBERS);
			cr_expect_not(seen[*number], "call %d twice", *number);
			cr_expect_eq(rfs_syscall_row(*number)->kind, lists[i].kind, "call %d", *number);
			seen[*number] = true;
		}
	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		const enum rfs_syscall_kind kind = rfs_syscall_row(objects[i])->kind;

		cr_expect(kind == RFS_SYSCALL_SERVER || kind == RFS_SYSCALL_UNLISTED || kind == RFS_SYSCALL_MAPPING,
			  "call %d", objects[i]);
		cr_expect_not(in_objects[objects[i]], "call %d twice", objects[i]);
		in_objects[objects[i]] = true;
	}
}

/* Calls that do not stop at their entry must not have members that need a stop. */
static void check_traced(long number, const struct rfs_syscall *row)
{
	cr_expect(!row->enter || row->kind == RFS_SYSCALL_EVENT, "call %ld is not traced and has a handler", number);
	cr_expect_not(row->returned, "call %ld is not traced and has a handler of its exit", number);
	cr_expect_eq(row->waits, RFS_WAITS_NOT, "call %ld is not traced and may wait", number);
	cr_expect_not(row->ports || row->flags, "call %ld is not traced and has ports or flags", number);
	cr_expect(!row->ids || row->kind == RFS_SYSCALL_EVENT, "call %ld is not traced and has ids", number);
}

static void check_row(long number, const struct rfs_syscall *row)
{
	const bool polls =
		row->waits == RFS_WAITS_POLL || row->waits == RFS_WAITS_SELECT || row->waits == RFS_WAITS_EPOLL;
	const bool moves =
		row->waits == RFS_WAITS_READ || row->waits == RFS_WAITS_WRITE || row->waits == RFS_WAITS_MOVE;

	cr_expect(!row->waits || row->enter, "call %ld may wait and has no handler", number);
	cr_expect_eq(polls, row->timeout != 0, "call %ld: only polls have a timeout, and all do", number);
	cr_expect(row->timeout || row->timeout_as == 0, "call %ld has a kind of timeout and no timeout", number);
	cr_expect(polls || !row->mask, "call %ld has a mask and is no poll", number);
	cr_expect(polls || !(row->flags & RFS_CALL_IS_REPEATED), "call %ld is repeated and is no poll", number);
	cr_expect(row->mask || !(row->flags & RFS_CALL_MASK_IN_PAIR), "call %ld has no mask", number);
	cr_expect(moves || row->data == RFS_DATA_NONE, "call %ld has data, and neither reads nor writes", number);
	cr_expect(row->waits == RFS_WAITS_MOVE || !(row->from || row->to), "call %ld moves nothing", number);
	cr_expect(!(row->ports & RFS_PORT_TOLD) || row->counted || row->data, "call %ld tells no address", number);
	cr_expect(!(row->ports & RFS_PORT_NAMED) || row->address, "call %ld names no port", number);
	cr_expect(!row->address || (row->ports & RFS_PORT_PICKED), "call %ld is given an address", number);
	cr_expect(!(row->ids & RFS_ID_LINK) || (row->ids & RFS_ID_NAMES), "call %ld has a link without a name", number);
	cr_expect(!(row->ids & RFS_ID_ANSWERED) || row->enter, "call %ld asks for an id and is not answered", number);
	cr_expect(!row->not_copied_if || row->not_copied, "call %ld has a condition without a reason", number);
	cr_expect(row->from < 6 && row->to < 6 && row->how < 6 && row->address < 6 && row->counted < 5 &&
			  row->timeout < 6 && row->mask < 6,
		  "call %ld has more than six arguments", number);
}

Test(syscall_table, rows_are_consistent)
{
	for (long number = 0; number < NUMBERS; number++) {
		const struct rfs_syscall *row = rfs_syscall_row(number);

		check_row(number, row);
		if (row->kind != RFS_SYSCALL_TRACED && row->kind != RFS_SYSCALL_MAPPING)
			check_traced(number, row);
		if (row->kind == RFS_SYSCALL_SERVER)
			cr_expect(row->not_copied, "call %ld stops a server for nothing", number);
		if (row->kind == RFS_SYSCALL_FOLLOWED)
			cr_expect(row->fds || number == SYS_rt_sigprocmask,
				  "call %ld is followed and has no descriptor", number);
	}
}

Test(syscall_table, calls_without_a_row_are_zero)
{
	static const long none[] = {-1, SYS_getuid, SYS_umask, NUMBERS, 1l << 40};

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		const struct rfs_syscall *row = rfs_syscall_row(none[i]);

		cr_assert_not_null(row);
		cr_expect_eq(row->kind, RFS_SYSCALL_UNLISTED);
		cr_expect_not(row->enter || row->ids || row->not_copied);
	}
}

Test(syscall_table, some_rows)
{
	const struct rfs_syscall *row = rfs_syscall_row(SYS_pselect6);
	const unsigned long reads[6] = {0, 0, 0, 0}, writes[6] = {0, 1, 1, 0};

	cr_expect(row->waits == RFS_WAITS_SELECT && row->timeout == 4 && row->timeout_as == RFS_TIMEOUT_TIMESPEC);
	cr_expect(row->mask == 5 && row->flags == (RFS_CALL_MASK_IN_PAIR | RFS_CALL_TIME_LEFT));
	row = rfs_syscall_row(SYS_recvfrom);
	cr_expect(row->waits == RFS_WAITS_READ && row->data == RFS_DATA_BYTES && row->how == 3 && row->counted == 4);
	row = rfs_syscall_row(SYS_sendfile);
	cr_expect(row->waits == RFS_WAITS_MOVE && row->from == 1 && row->to == 0 && row->how == 0);
	row = rfs_syscall_row(SYS_tgkill);
	cr_expect(row->ids == (RFS_ID_ARG0 | RFS_ID_ARG1) && row->enter != rfs_syscall_row(SYS_kill)->enter);
	row = rfs_syscall_row(SYS_clone3);
	cr_expect(row->kind == RFS_SYSCALL_EVENT && row->ids == RFS_ID_RESULT);
	row = rfs_syscall_row(SYS_mmap);
	cr_expect(row->kind == RFS_SYSCALL_MAPPING && row->enter);
	row = rfs_syscall_row(SYS_openat);
	cr_expect_str_eq(row->not_copied, "opens a file for writing");
	cr_expect(row->not_copied_if(writes) && rfs_syscall_row(SYS_open)->not_copied_if(writes));
	cr_expect_not(rfs_syscall_row(SYS_open)->not_copied_if(reads));
	cr_expect_not(rfs_syscall_row(SYS_openat2)->not_copied_if, "its flags are in memory");
}
