/*
 * contain.c - a seccomp filter and a limit of memory. A filter needs no privileges, and the process cannot remove it.
 *
 * The fork server of rfsup copies a process with clone(CLONE_PARENT), and threads are made with clone(CLONE_THREAD).
 * Both are allowed. The flags of clone3 are in memory, which a filter cannot read. So clone3 does not exist, and the C
 * library uses clone.
 *
 * A socket is allowed if its other end is in the same process: socketpair(). In a private network, those of the
 * internet protocols are allowed too. Otherwise local ones are allowed, which could only be used with connect() and
 * bind(), and these are refused. A library may test what kinds of sockets there are.
 */
#include "supervisor/generate/driver/contain.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

/* Directories that removing files may open at the same time. */
#define OPEN_MAX_AT_ONCE 16

/* Refuses call NR. */
#define REFUSE(nr) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (nr), 0, 1), BPF_STMT(BPF_RET | BPF_K, 0)
/* The action of a refusal is written there. */
#define IS_REFUSAL(line) ((line)->code == (BPF_RET | BPF_K) && (line)->k == 0)

static const struct sock_filter of_processes[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	REFUSE(SYS_fork),
	REFUSE(SYS_vfork),
	REFUSE(SYS_execve),
	REFUSE(SYS_execveat),
	REFUSE(SYS_kill), /* the number may be that of any process */
	REFUSE(SYS_tkill),
	REFUSE(SYS_rt_sigqueueinfo),
	REFUSE(SYS_rt_tgsigqueueinfo),
	REFUSE(SYS_pidfd_send_signal),
	REFUSE(SYS_ptrace),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone, 0, 4),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, CLONE_THREAD | CLONE_PARENT, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static const struct sock_filter without_network[] = {
	REFUSE(SYS_connect),
	REFUSE(SYS_bind),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_UNIX, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
static const struct sock_filter with_network[] = {
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 4),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET, 2, 0),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};
#define LENGTH(lines) (sizeof(lines) / sizeof(*(lines)))
#define LINES_MAX (LENGTH(of_processes) + LENGTH(without_network) + LENGTH(with_network))

static uint64_t *counts;

/* The handler of SIGSYS: runs in place of a refused call. */
static void contain_count(int signal, siginfo_t *info, void *context)
{
	const int number = info->si_syscall;
	bool network = number == SYS_connect || number == SYS_bind || number == SYS_socket;

	(void)signal;
	counts[network ? RFS_DRIVER_NETWORK : RFS_DRIVER_PROCESS]++;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_RAX] = -EPERM;
}

static void refuse_calls(const struct sock_filter *network, size_t n_network, uint32_t action)
{
	struct sock_filter lines[LINES_MAX];
	const struct sock_fprog program = {(unsigned short)(LENGTH(of_processes) + n_network), lines};

	memcpy(lines, of_processes, sizeof(of_processes));
	memcpy(lines + LENGTH(of_processes), network, n_network * sizeof(*network));
	for (size_t i = 0; i < program.len; i++)
		if (IS_REFUSAL(&lines[i]))
			lines[i].k = action;
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0);
}

void rfs_driver_contain(bool private_network, uint64_t refused[RFS_DRIVER_N_REFUSED])
{
	const struct rlimit memory = {RFS_DRIVER_MEMORY, RFS_DRIVER_MEMORY}, none = {0, 0},
			    file = {RFS_DRIVER_FILE_BYTES, RFS_DRIVER_FILE_BYTES};
	const struct sigaction action = {.sa_sigaction = contain_count, .sa_flags = SA_SIGINFO};

	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_DATA, &memory);
	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &file);
	counts = refused;
	if (refused)
		sigaction(SIGSYS, &action, NULL);
	refuse_calls(private_network ? with_network : without_network,
		     private_network ? LENGTH(with_network) : LENGTH(without_network),
		     refused ? SECCOMP_RET_TRAP : SECCOMP_RET_ERRNO | EPERM);
}

/* ---- afterwards ---- */

static bool is_among(pid_t pid, const pid_t *numbers, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (numbers[i] == pid)
			return true;
	return false;
}

/* Kills the children of this process, whose only thread is the main thread, and waits for them. Returns how many. */
static size_t end_children(const pid_t *spared, size_t n_spared)
{
	char path[64];
	size_t n = 0;
	pid_t child;
	FILE *in;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	in = fopen(path, "re");
	while (in && fscanf(in, "%d", &child) == 1) {
		if (is_among(child, spared, n_spared))
			continue;
		kill(child, SIGKILL);
		n += waitpid(child, NULL, 0) == child;
	}
	if (in)
		fclose(in);
	return n;
}

void rfs_driver_end_orphans(const pid_t *spared, size_t n)
{
	/* the children of a killed process become children of this one */
	while (end_children(spared, n))
		;
}

static int contain_remove_entry(const char *path, const struct stat *status, int kind, struct FTW *ftw)
{
	(void)status;
	(void)kind;
	if (ftw->level > 0)
		(void)remove(path);
	return 0;
}

/* Whether the working directory has no files. Without opendir(), which allocates much memory. */
static bool is_empty(void)
{
	char entries[1024] __attribute__((aligned(8)));
	bool empty = true;
	int folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ssize_t n = folder >= 0 ? getdents64(folder, entries, sizeof(entries)) : 0;

	for (ssize_t at = 0; at < n;) {
		const struct dirent64 *entry = (const struct dirent64 *)(entries + at);

		empty &= strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
		at += entry->d_reclen;
	}
	if (folder >= 0)
		close(folder);
	return empty;
}

void rfs_driver_clean(void)
{
	if (!is_empty())
		nftw(".", contain_remove_entry, OPEN_MAX_AT_ONCE, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}
