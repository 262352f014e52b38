/*
 * sleeping_forever.c - reads /proc of each thread: its system call, the descriptors in it, and who else has them
 * open. It changes nothing in the processes, and if in doubt they are not asleep.
 */
#include "supervisor/base/asleep/sleeping_forever.h"

#include <ctype.h>
#include <dirent.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY /* for the size of XXH64_state_t */
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/process.h"

struct process {
	pid_t pid, parent;
	bool ours;
};

#define FILES_MAX 16

struct look {
	const struct process *list;
	size_t n;
	XXH64_state_t hash;
	bool waits;		      /* a thread waits in futex(2), or for a descriptor */
	struct stat files[FILES_MAX]; /* pipes and sockets that threads wait for */
	char eventfds[FILES_MAX][24]; /* the same for eventfds: the kernel's number of each */
	size_t n_files, n_eventfds;
};

/* Reads the beginning of /proc/PID/NAME; "" if there is none. */
static void sleeping_forever_read_text(pid_t pid, const char *name, char *text, size_t size)
{
	char path[128];
	size_t n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "re");
	if (file) {
		n = fread(text, 1, size - 1, file);
		fclose(file);
	}
	text[n] = '\0';
}

/* ---- what a process has ---- */

static bool catches_timers(pid_t pid)
{
	char text[8192], *line;
	unsigned long long caught;

	sleeping_forever_read_text(pid, "status", text, sizeof(text));
	line = strstr(text, "SigCgt:");
	if (!line || sscanf(line, "SigCgt: %llx", &caught) != 1)
		return true;
	return caught >> (SIGALRM - 1) & 1 || caught >> (SIGVTALRM - 1) & 1 || caught >> (SIGPROF - 1) & 1;
}

/*
 * Whether a process outside may write to memory of this one. Memory without a file is shared with relatives only, and a
 * memfd without a name is rfsup's own, which the children of a controlled program inherit.
 */
static bool shares_memory(pid_t pid)
{
	char path[64], line[4096];
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	file = fopen(path, "re");
	while (file && !found && fgets(line, sizeof(line), file))
		found = strstr(line, " rw-s ") && !strstr(line, " /dev/zero (deleted)") &&
			!strstr(line, " /memfd: (deleted)");
	if (file)
		fclose(file);
	return found;
}

static bool may_be_woken(pid_t pid)
{
	char text[64];

	sleeping_forever_read_text(pid, "timers", text, sizeof(text));
	return text[0] || catches_timers(pid) || shares_memory(pid);
}

/* Reads the kernel's number of an eventfd, one line of /proc/PID/fdinfo/FD. False if the descriptor is none. */
static bool eventfd_id(pid_t pid, const char *fd, char id[24])
{
	char name[64], text[512];
	const char *line;

	snprintf(name, sizeof(name), "fdinfo/%.20s", fd);
	sleeping_forever_read_text(pid, name, text, sizeof(text));
	line = strstr(text, "eventfd-id:");
	return line && sscanf(line, "eventfd-id: %23s", id) == 1;
}

static bool has_eventfd(pid_t pid, const char *wanted)
{
	struct dirent *entry;
	char path[64], id[24];
	bool found = false;
	DIR *fds;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo", (int)pid);
	fds = opendir(path);
	while (fds && !found && (entry = readdir(fds)))
		found = entry->d_name[0] != '.' && eventfd_id(pid, entry->d_name, id) && strcmp(id, wanted) == 0;
	if (fds)
		closedir(fds);
	return found;
}

static bool is_ours(const struct look *look, pid_t pid)
{
	for (size_t i = 0; i < look->n; i++)
		if (look->list[i].pid == pid)
			return look->list[i].ours;
	return false;
}

/* ---- sockets ---- */

static bool socket_option(int fd, int option, void *value, socklen_t size)
{
	return getsockopt(fd, SOL_SOCKET, option, value, &size) == 0;
}

/* ---- what a thread waits for ---- */

static bool futex_for_good(unsigned long operation, unsigned long timeout)
{
	if (timeout)
		return false;
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	default:
		return false;
	}
}

/* The thread waits for this pipe or socket, which nobody outside may have open. */
static bool note_file(const struct stat *file, struct look *look)
{
	if (look->n_files == FILES_MAX)
		return false;
	look->files[look->n_files++] = *file;
	return true;
}

/* All eventfds are one file of the kernel. What tells them apart is their number; old kernels do not show it. */
static bool note_eventfd(pid_t pid, const char *fd, struct look *look)
{
	if (look->n_eventfds == FILES_MAX || !eventfd_id(pid, fd, look->eventfds[look->n_eventfds]))
		return false;
	look->n_eventfds++;
	return !rfs_process_uses_aio(pid);
}

static bool has_time_limit(int fd)
{
	const int options[] = {SO_RCVTIMEO, SO_SNDTIMEO};
	struct timeval limit;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (!socket_option(fd, options[i], &limit, sizeof(limit)) || limit.tv_sec || limit.tv_usec)
			return true;
	return false;
}

/*
 * The inode of the socket that a TCP socket with this name is connected to, if it is on this machine. 0: it is not, or
 * is closed. Source: proc(5), /proc/net/tcp; addresses and ports are in hexadecimal, an address in network order.
 */
static ino_t peer_of(const struct sockaddr_in *own, const struct sockaddr_in *peer)
{
	unsigned from, from_port, to, to_port;
	unsigned long inode = 0, found = 0;
	FILE *file = fopen("/proc/net/tcp", "re");
	char line[512];

	while (file && !found && fgets(line, sizeof(line), file))
		if (sscanf(line, " %*u: %x:%x %x:%x %*x %*x:%*x %*x:%*x %*x %*u %*u %lu", &from, &from_port, &to,
			   &to_port, &inode) == 5 &&
		    from == peer->sin_addr.s_addr && from_port == ntohs(peer->sin_port) && to == own->sin_addr.s_addr &&
		    to_port == ntohs(own->sin_port))
			found = inode;
	if (file)
		fclose(file);
	return found;
}

/* A connection of TCP is our own if nobody outside has the other end open either. */
static bool tcp_is_own(int fd, const struct sockaddr_in *own, struct look *look)
{
	struct sockaddr_in peer;
	socklen_t size = sizeof(peer);
	struct stat other;
	int type;

	if (!socket_option(fd, SO_TYPE, &type, sizeof(type)) || type != SOCK_STREAM || fstat(fd, &other) ||
	    getpeername(fd, (struct sockaddr *)&peer, &size) || peer.sin_family != AF_INET)
		return false;
	other.st_ino = peer_of(own, &peer);
	return other.st_ino && note_file(&other, look);
}

/* The other end is one that a process of the tree made. A datagram socket with a name receives from everybody. */
static bool unix_is_own(int fd, socklen_t name_size, const struct look *look)
{
	struct ucred peer;
	int type;

	if (!socket_option(fd, SO_TYPE, &type, sizeof(type)) || (type == SOCK_DGRAM && name_size > sizeof(sa_family_t)))
		return false;
	return socket_option(fd, SO_PEERCRED, &peer, sizeof(peer)) && is_ours(look, peer.pid);
}

/* Whether a socket, our duplicate, is connected to one of the processes, and no time limit ends a wait. */
static bool socket_is_own(int fd, struct look *look)
{
	union {
		struct sockaddr any;
		struct sockaddr_un un;
		struct sockaddr_in in;
	} name = {.any.sa_family = AF_UNSPEC};
	socklen_t size = sizeof(name);

	if (has_time_limit(fd) || getsockname(fd, &name.any, &size))
		return false;
	switch (name.any.sa_family) {
	case AF_UNIX:
		return unix_is_own(fd, size, look);
	case AF_INET:
		return tcp_is_own(fd, &name.in, look);
	default:
		return false;
	}
}

static bool has_own_socket(pid_t pid, unsigned long fd, struct look *look)
{
	int process = (int)syscall(SYS_pidfd_open, pid, 0);
	int ours = process < 0 ? -1 : (int)syscall(SYS_pidfd_getfd, process, (int)fd, 0);
	bool own = ours >= 0 && socket_is_own(ours, look);

	if (ours >= 0)
		close(ours);
	if (process >= 0)
		close(process);
	return own;
}

/* Notes what the thread waits for. False if it may be more than what processes of the tree do. */
static bool waits_for_descriptor(pid_t pid, unsigned long fd, struct look *look)
{
	char path[64], number[24];
	struct stat file;

	snprintf(number, sizeof(number), "%lu", fd);
	snprintf(path, sizeof(path), "/proc/%d/fd/%s", (int)pid, number);
	if (stat(path, &file))
		return false;
	look->waits = true;
	if (S_ISFIFO(file.st_mode))
		return note_file(&file, look);
	if (S_ISSOCK(file.st_mode))
		return has_own_socket(pid, fd, look) && note_file(&file, look);
	return note_eventfd(pid, number, look);
}

/* For poll(2) and ppoll(2) without a timeout. */
static bool waits_for_descriptors(pid_t pid, unsigned long fds, unsigned long n, struct look *look)
{
	struct pollfd polled[FILES_MAX];
	const struct iovec ours = {polled, n * sizeof(*polled)}, theirs = {(void *)fds, n * sizeof(*polled)};

	if (!n || n > FILES_MAX || process_vm_readv(pid, &ours, 1, &theirs, 1, 0) != (ssize_t)ours.iov_len)
		return false;
	for (unsigned long i = 0; i < n; i++)
		if (polled[i].fd >= 0 && !waits_for_descriptor(pid, (unsigned long)polled[i].fd, look))
			return false;
	return true;
}

/* For one set of select(2). The kernel reads sets in words of 64 bits. */
static bool waits_for_set(pid_t pid, unsigned long set, unsigned long n, struct look *look)
{
	fd_set fds;
	const struct iovec ours = {&fds, (n + 63) / 64 * 8}, theirs = {(void *)set, ours.iov_len};

	if (!set)
		return true;
	if (n > FD_SETSIZE || process_vm_readv(pid, &ours, 1, &theirs, 1, 0) != (ssize_t)ours.iov_len)
		return false;
	for (unsigned long fd = 0; fd < n; fd++)
		if (FD_ISSET(fd, &fds) && !waits_for_descriptor(pid, fd, look))
			return false;
	return true;
}

static bool waits_for_sets(pid_t pid, const unsigned long args[5], struct look *look)
{
	return args[0] && !args[4] && waits_for_set(pid, args[1], args[0], look) &&
	       waits_for_set(pid, args[2], args[0], look) && waits_for_set(pid, args[3], args[0], look);
}

/* The descriptors of an epoll instance are in /proc/PID/fdinfo/FD. */
static bool waits_for_epoll(pid_t pid, unsigned long epoll, struct look *look)
{
	char path[64], line[256];
	unsigned long fd;
	bool all = true;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%lu", (int)pid, epoll);
	file = fopen(path, "re");
	while (file && all && fgets(line, sizeof(line), file))
		if (sscanf(line, "tfd: %lu", &fd) == 1)
			all = waits_for_descriptor(pid, fd, look);
	if (file)
		fclose(file);
	return file && all;
}

/* text: /proc/PID/task/TID/syscall, a number and arguments in hexadecimal. */
static bool sleeping_forever_sleeps(pid_t pid, const char *text, struct look *look)
{
	unsigned long args[5];
	long number;

	if (sscanf(text, "%ld %lx %lx %lx %lx %lx", &number, &args[0], &args[1], &args[2], &args[3], &args[4]) != 6)
		return false;
	switch (number) {
	case SYS_wait4:
	case SYS_waitid:
		return true;
	case SYS_read:
	case SYS_readv:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_write:
	case SYS_writev:
	case SYS_sendto:
	case SYS_sendmsg:
		return waits_for_descriptor(pid, args[0], look);
	case SYS_poll:
		return (int)args[2] < 0 && waits_for_descriptors(pid, args[0], args[1], look);
	case SYS_ppoll:
		return !args[2] && waits_for_descriptors(pid, args[0], args[1], look);
	case SYS_select:
	case SYS_pselect6:
		return waits_for_sets(pid, args, look);
	case SYS_epoll_wait:
	case SYS_epoll_pwait:
		return (int)args[3] < 0 && waits_for_epoll(pid, args[0], look);
	case SYS_epoll_pwait2:
		return !args[3] && waits_for_epoll(pid, args[0], look);
	case SYS_futex:
		look->waits = true;
		return futex_for_good(args[1], args[3]);
	default:
		return false;
	}
}

static bool process_sleeps(pid_t pid, struct look *look)
{
	char path[64], name[64], text[512];
	struct dirent *entry;
	bool all = true;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = opendir(path);
	if (!tasks)
		return false;
	while (all && (entry = readdir(tasks))) {
		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		snprintf(name, sizeof(name), "task/%.20s/syscall", entry->d_name);
		sleeping_forever_read_text(pid, name, text, sizeof(text));
		all = sleeping_forever_sleeps(pid, text, look);
		XXH64_update(&look->hash, text, strlen(text));
		/* how long the thread ran, and how often it was given a core */
		snprintf(name, sizeof(name), "task/%.20s/schedstat", entry->d_name);
		sleeping_forever_read_text(pid, name, text, sizeof(text));
		XXH64_update(&look->hash, text, strlen(text));
	}
	closedir(tasks);
	return all;
}

/* ---- all processes below the caller ---- */

/* Caller frees. */
static struct process *list_processes(size_t *n)
{
	DIR *proc = opendir("/proc");
	struct process *list = NULL;
	struct dirent *entry;

	*n = 0;
	while (proc && (entry = readdir(proc))) {
		pid_t pid = (pid_t)strtol(entry->d_name, NULL, 10);

		if (!isdigit((unsigned char)entry->d_name[0]))
			continue;
		list = xreallocarray(list, *n + 1, sizeof(*list));
		list[(*n)++] = (struct process){.pid = pid, .parent = rfs_process_parent(pid)};
	}
	if (proc)
		closedir(proc);
	return list;
}

/* Whether the process is below another one in the list. */
static bool is_below(const struct process *list, size_t n, pid_t pid, pid_t top)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].pid == pid)
			return list[i].parent == top || is_below(list, n, list[i].parent, top);
	return false;
}

/* Whether the process has something open that a thread waits for. */
static bool has_awaited(pid_t pid, const struct look *look)
{
	bool found = false;

	for (size_t i = 0; i < look->n_files && !found; i++)
		found = rfs_process_has_open(pid, &look->files[i], NULL, NULL);
	for (size_t i = 0; i < look->n_eventfds && !found; i++)
		found = has_eventfd(pid, look->eventfds[i]);
	return found;
}

static bool all_sleep(struct look *look, pid_t known)
{
	const pid_t us = getpid();
	size_t n;
	struct process *list = list_processes(&n);
	bool all = true;

	/* the caller may have duplicates of what a known process has open, and may have started others that stand still
	 */
	for (size_t i = 0; i < n; i++)
		list[i].ours = is_below(list, n, list[i].pid, us) || (known && list[i].pid == us);
	look->list = list;
	look->n = n;
	for (size_t i = 0; i < n && all; i++)
		if (is_below(list, n, list[i].pid, known ? known : us))
			all = process_sleeps(list[i].pid, look) && !may_be_woken(list[i].pid);
	for (size_t i = 0; i < n && all; i++)
		all = list[i].ours || !has_awaited(list[i].pid, look);
	free(list);
	return all && (look->waits || known);
}

bool rfs_sleeping_forever(struct rfs_asleep *asleep, unsigned looks, pid_t known)
{
	struct look look = {.waits = false};
	uint64_t seen;

	XXH64_reset(&look.hash, 0);
	if (!all_sleep(&look, known)) {
		asleep->looks = 0;
		return false;
	}
	seen = XXH64_digest(&look.hash);
	asleep->looks = asleep->looks && asleep->seen == seen ? asleep->looks + 1 : 1;
	asleep->seen = seen;
	return asleep->looks >= looks;
}
