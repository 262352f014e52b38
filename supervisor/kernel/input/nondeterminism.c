/*
 * nondeterminism.c - notes input of a run that the seed does not determine, by kind.
 *
 * The kinds are the network, terminals, other processes, memory shared with other processes, files that change,
 * devices, and the kernel. They show a user what could differ between runs. Two kinds are noted elsewhere: the real
 * time (in time_calls.c), and randomised addresses (at the start of the run).
 */
#include "supervisor/kernel/input/nondeterminism.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/input_fd.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/record/nondet.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/outcome.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/operations/events.h"
#include "tracer/tracer.h"

/*
 * A file that the program opened. name: a hash of the file's name. state: a hash of the file's size and date when the
 * program opened it and could see what was in it; ABSENT: the program has created it; 0: the program saw nothing.
 */
struct rfs_opened {
	uint64_t name, state;
	char *text; /* the file's name, if the program itself wrote it; otherwise NULL */
};
#define ABSENT 1

struct rfs_files {
	struct timespec started; /* CLOCK_REALTIME when the run began */
	struct rfs_opened *list;
	size_t n;
	char *created; /* the first file that the target created; NULL: none */
};

void rfs_nondet_init(struct rfs_run *run)
{
	run->kernel->files = xcalloc(1, sizeof(*run->kernel->files));
	clock_gettime(CLOCK_REALTIME, &run->kernel->files->started);
}

void rfs_nondet_release(struct rfs_run *run)
{
	for (size_t i = 0; i < run->kernel->files->n; i++)
		free(run->kernel->files->list[i].text);
	free(run->kernel->files->list);
	free(run->kernel->files->created);
	free(run->kernel->files);
}

static void nondeterminism_note(struct rfs_run *run, enum rfs_nondet kind)
{
	/* a replay gets this input from the record */
	if (!rfs_input_replays(run))
		run->result->nondet.kinds |= 1u << kind;
}

/*
 * If the run records its input, ends it as uncontrolled, because it depends on another program that a replay would not
 * have.
 */
static void nondeterminism_refuse(struct rfs_run *run, const char *what)
{
	if (run->kernel->input && !rfs_input_replays(run))
		rfs_run_uncontrolled(run, "cannot record %s", what);
}

void rfs_nondet_read(struct rfs_run *run, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return;
	if (S_ISCHR(st.st_mode) && isatty(fd))
		nondeterminism_note(run, RFS_NONDET_TERMINAL);
	else if (rfs_fd_is_device(fd))
		nondeterminism_note(run, RFS_NONDET_DEVICES);
	else if (S_ISFIFO(st.st_mode) && (rfs_fd_is_fifo(fd) || run->n_children))
		nondeterminism_note(run, RFS_NONDET_PROCESSES);
}

/* ---- calls that have returned ---- */

static void connected(struct rfs_run *run, int descriptor)
{
	int fd = rfs_fd_duplicate(run, descriptor);

	if (fd < 0)
		return;
	if (rfs_fd_peer_is_outside(run, fd))
		nondeterminism_note(run, RFS_NONDET_NETWORK);
	close(fd);
}

void rfs_nondet_accepted(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	(void)thread;
	if (result >= 0)
		connected(run, (int)result);
}

void rfs_nondet_connected(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	if (result == 0 || result == -EINPROGRESS)
		connected(run, (int)thread->args[0]);
}

/* The call may have received a datagram: checks who sent it. */
void rfs_nondet_received(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	const unsigned counted = thread->call->row->counted;
	struct sockaddr_storage from = {0};
	int fd;

	if (result <= 0 || (run->result->nondet.kinds & 1u << RFS_NONDET_NETWORK))
		return;
	fd = rfs_fd_duplicate(run, (int)thread->args[0]);
	if (fd < 0)
		return;
	if (counted && thread->args[counted])
		(void)rfs_peek(run, thread->args[counted], &from, sizeof(struct sockaddr_in6));
	if (rfs_fd_datagram_is_outside(run, fd, &from))
		nondeterminism_note(run, RFS_NONDET_NETWORK);
	close(fd);
}

/* The result says how a child ended, and when. */
void rfs_nondet_waited(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	if (result >= 0)
		nondeterminism_note(run, RFS_NONDET_PROCESSES);
	/* the signal of the child has come before */
	if (result >= 0)
		rfs_emit_kind(run, thread, RFS_EVENT_RECEIVE, rfs_message(RFS_MESSAGE_HANDLED, SIGCHLD));
}

/* The call received from a message queue: checks whether the last sender is the target. */
void rfs_nondet_message(struct rfs_run *run, struct rfs_thread *thread, long result)
{
	struct msqid_ds queue;

	if (result < 0 || msgctl((int)thread->args[0], IPC_STAT, &queue) != 0 ||
	    queue.msg_lspid == rfs_tracer_pid(run->tracer))
		return;
	nondeterminism_note(run, RFS_NONDET_PROCESSES);
	nondeterminism_refuse(run, "msgrcv(2) of a message from another process");
}

/* Whether the descriptor, which is ours, is a socket that accepts connections, or that is connected with the outside.
 */
static bool gets_from_outside(struct rfs_run *run, int fd)
{
	int domain = 0, listens = 0;
	socklen_t size = sizeof(int);

	if (getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &size) != 0 ||
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &size) != 0)
		return false;
	if (domain == AF_UNIX)
		return listens || rfs_input_is_outside(run, fd);
	return (domain == AF_INET || domain == AF_INET6) && rfs_fd_peer_is_outside(run, fd);
}

bool rfs_nondet_foreign(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
			const unsigned long *args)
{
	const bool reads = run->kernel->input && row->waits == RFS_WAITS_READ;
	const int fd = reads ? rfs_fd_duplicate_from(rfs_task_pid(task), (int)args[0]) : -1;
	const bool gets = fd >= 0 && gets_from_outside(run, fd);

	if (fd >= 0)
		close(fd);
	return gets;
}

void rfs_nondet_unrecorded(struct rfs_run *run)
{
	const unsigned bit = 1u << RFS_NONDET_UNRECORDED;

	if (run->result->nondet.kinds & bit)
		return;
	run->result->nondet.kinds |= bit;
	rfs_run_warn(run,
		     "a process that is not controlled uses a socket; what it gets from outside is not recorded, so a "
		     "replay may differ");
}

/* ---- memory ---- */

static void nondeterminism_map_file(struct rfs_run *run, const struct rfs_thread *thread, int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return;
	if (rfs_fd_is_device(fd))
		nondeterminism_note(run, RFS_NONDET_DEVICES);
	/* a file without a name (from memfd_create(2), or unlinked) belongs to the program */
	if (!S_ISREG(st.st_mode) || st.st_nlink == 0 || !(thread->args[2] & PROT_WRITE))
		return;
	nondeterminism_note(run, RFS_NONDET_SHARED_MEMORY);
	if (run->kernel->input && !rfs_input_replays(run))
		rfs_run_warn(run, "shared memory (mmap(2) of a file with MAP_SHARED) is not recorded; if another "
				  "process writes to it, a replay diverges");
}

void rfs_nondet_map(struct rfs_run *run, struct rfs_thread *thread)
{
	int fd;

	if (thread->args[3] & MAP_ANONYMOUS)
		return;
	fd = rfs_fd_duplicate(run, (int)thread->args[4]);
	if (fd < 0)
		return;
	nondeterminism_map_file(run, thread, fd);
	close(fd);
}

void rfs_nondet_attach(struct rfs_run *run, const struct rfs_thread *thread)
{
	struct shmid_ds segment;

	if (shmctl((int)thread->args[0], IPC_STAT, &segment) != 0 || segment.shm_cpid == rfs_tracer_pid(run->tracer))
		return;
	nondeterminism_note(run, RFS_NONDET_SHARED_MEMORY);
	nondeterminism_refuse(run, "shmat(2) of a segment that another process created");
}

/* ---- files ---- */

static struct rfs_opened *opened(struct rfs_run *run, const char *text)
{
	struct rfs_files *files = run->kernel->files;
	uint64_t name = XXH3_64bits(text, strlen(text));

	for (size_t i = 0; i < files->n; i++)
		if (files->list[i].name == name)
			return &files->list[i];
	files->list = xreallocarray(files->list, files->n + 1, sizeof(*files->list));
	files->list[files->n] = (struct rfs_opened){.name = name};
	return &files->list[files->n++];
}

/* Whether the file is in /proc or /sys. If the name is absolute, the name alone decides. */
static bool is_made_up(const char *name, const struct stat *st)
{
	struct stat proc;

	if (*name == '/')
		return strncmp(name, "/proc/", 6) == 0 || strncmp(name, "/sys/", 5) == 0;
	return stat("/proc", &proc) == 0 && proc.st_dev == st->st_dev;
}

/* Whether the file is in the run's copy of a folder, so that no other run sees it. */
static bool nondeterminism_is_own(const struct rfs_run *run, const char *name)
{
	const char *cwd = run->spec->process.cwd;
	size_t n = cwd ? strlen(cwd) : 0;

	return cwd && (*name != '/' || (strncmp(name, cwd, n) == 0 && name[n] == '/'));
}

/*
 * Whether a file in /proc may differ in the next run even if the target behaves in the same way. `steady` lists the
 * files that do not differ: how a process was started, what it has mapped, and facts about the machine.
 */
static bool tells_of_the_moment(const char *name)
{
	static const char *const steady[] = {
		"cmdline", "environ",	  "auxv",    "comm",	"exe",	     "cwd",  "root",
		"maps",	   "limits",	  "cgroup",  "mounts",	"mountinfo", "fd",   "task",
		"sys",	   "filesystems", "version", "devices", "modules",   "self", "thread-self",
	};
	const char *rest = name + strlen("/proc/");
	size_t n = strcspn(rest, "/");

	if (strncmp(name, "/proc", 5) != 0 || (name[5] && name[5] != '/'))
		return false;
	if (!name[5] || !*rest)
		return true; /* lists the processes of this machine */
	if (strspn(rest, "0123456789") == n || strncmp(rest, "self/", 5) == 0 || strncmp(rest, "thread-self/", 12) == 0)
		rest += n + strspn(rest + n, "/");
	if (strncmp(rest, "task/", 5) == 0) {
		rest += 5;
		rest += strcspn(rest, "/");
		rest += strspn(rest, "/");
	}
	n = strcspn(rest, "/");
	for (size_t i = 0; i < sizeof(steady) / sizeof(*steady); i++)
		if (strlen(steady[i]) == n && strncmp(rest, steady[i], n) == 0)
			return false;
	return n > 0;
}

void rfs_nondet_open(struct rfs_run *run, const char *name, unsigned long flags, const struct stat *st)
{
	const struct timespec *changed = &st->st_mtim, *started = &run->kernel->files->started;
	uint64_t state[3] = {(uint64_t)st->st_size, (uint64_t)changed->tv_sec, (uint64_t)changed->tv_nsec};
	/* such an open sees that the file exists */
	const bool exclusive = (flags & O_CREAT) && (flags & O_EXCL);
	const bool reads = (flags & O_ACCMODE) != O_WRONLY && !(flags & O_TRUNC);
	struct rfs_opened *file;

	if (tells_of_the_moment(name))
		nondeterminism_note(run, RFS_NONDET_KERNEL);
	if (is_made_up(name, st) || nondeterminism_is_own(run, name))
		return;
	file = opened(run, name);
	if (!file->text && S_ISREG(st->st_mode) && (reads || exclusive)) {
		if ((flags & O_ACCMODE) == O_RDONLY &&
		    (changed->tv_sec > started->tv_sec ||
		     (changed->tv_sec == started->tv_sec && changed->tv_nsec > started->tv_nsec)))
			nondeterminism_note(run, RFS_NONDET_FILES);
		file->state = XXH3_64bits(state, sizeof(state));
	}
	if (!file->text && (flags & O_ACCMODE) != O_RDONLY && !exclusive)
		file->text = xstrdup(name);
}

void rfs_nondet_create(struct rfs_run *run, const char *name)
{
	struct rfs_files *files = run->kernel->files;
	struct rfs_opened *file;

	if (!files->created)
		files->created = xstrdup(name);
	if (nondeterminism_is_own(run, name))
		return;
	file = opened(run, name);
	if (file->text)
		return;
	file->state = ABSENT;
	file->text = xstrdup(name);
}

bool rfs_nondet_created(const struct rfs_run *run)
{
	return run->kernel->files->created;
}

void rfs_nondet_collect(struct rfs_run *run)
{
	const struct rfs_files *files = run->kernel->files;
	uint64_t *pairs = xcalloc(files->n + 1, 2 * sizeof(*pairs));
	struct rfs_blob names = {0};
	char *text = NULL;
	size_t n = 0;
	FILE *out = xopen_memstream(&text, &names.size);

	for (size_t i = 0; i < files->n; i++)
		if (files->list[i].state) {
			pairs[n++] = files->list[i].name;
			pairs[n++] = files->list[i].state;
			fprintf(out, "%s%c", files->list[i].text ? files->list[i].text : "", '\0');
		}
	fclose(out);
	if (run->result->end == RFS_END_RESTART && files->created)
		run->result->message = xstrdup(files->created);
	names.data = text;
	run->result->nondet.files = (struct rfs_blob){.data = pairs, .size = n * sizeof(*pairs)};
	run->result->nondet.names = names;
}
