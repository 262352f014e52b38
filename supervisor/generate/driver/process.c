/*
 * process.c - reads the calls from shared memory, executes them in the order of their threads, and stops between the
 * parts.
 */
#include "supervisor/generate/driver/process.h"

#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "supervisor/generate/driver/contain.h"
#include "supervisor/generate/driver/files.h"
#include "supervisor/generate/driver/script.h"

#define PROCESS_CPU_S 10 /* the CPU time of all tests of a process */

static struct rfs_driver_script script;
static struct rfs_driver_progress *progress;
static pid_t driver;

/* Of the guard heap; NULL: there is none. Makes it guard blocks; how many blocks this thread has allocated and freed.
 */
static void (*guard_begin)(void);
static void (*guard_counts)(unsigned long counts[2]);

/* The RESULT of the call (main.c). */
static uint64_t process_result_of(const struct rfs_driver_call *call)
{
	if (call->slot >= 0)
		return script.slots[call->slot];
	for (size_t i = 0; i < call->n_values; i++)
		if (call->values[i].kind == RFS_DRIVER_SLOT_ADDRESS)
			return script.slots[call->values[i].integer];
	return 0;
}

/* The arguments whose objects cannot be accessed any more, as bits. */
static unsigned ended_arguments(const struct rfs_driver_call *call)
{
	unsigned ended = 0;

	for (size_t i = 0; i < call->n_values && i < RFS_DRIVER_ENDS_MAX; i++) {
		char byte;
		const struct iovec here = {&byte, 1},
				   there = {(void *)script.slots[call->values[i].integer % RFS_DRIVER_SLOTS], 1};

		if (call->values[i].kind == RFS_DRIVER_SLOT && there.iov_base &&
		    process_vm_readv(getpid(), &here, 1, &there, 1, 0) != 1)
			ended |= 1u << (RFS_DRIVER_ENDS + i);
	}
	return ended;
}

static void process_execute(const struct rfs_driver_call *call)
{
	struct rfs_driver_done *done = &progress->done;
	unsigned long before[2] = {0, 0}, after[2] = {0, 0};
	unsigned effects;

	if (guard_counts)
		guard_counts(before);
	rfs_driver_execute(&script, call, NULL);
	if (guard_counts)
		guard_counts(after);
	effects = (after[0] != before[0] ? RFS_DRIVER_ALLOCATES : 0) | (after[1] != before[1] ? RFS_DRIVER_FREES : 0);
	if (effects & RFS_DRIVER_FREES)
		effects |= ended_arguments(call);
	done->calls[done->n].result = process_result_of(call);
	done->calls[done->n++].effects = effects;
}

/* Reads the text of the test from `at` on, and executes its calls. */
static void execute_from(size_t at)
{
	struct rfs_driver_done *done = &progress->done;
	size_t executed[RFS_DRIVER_SECTIONS];

	memcpy(executed, script.n, sizeof(executed));
	if (!rfs_driver_script_read(progress->text + at, progress->size - at, &script, done->why, sizeof(done->why)))
		_exit(RFS_DRIVER_STATUS_NO_TEST);
	done->why[0] = '\0';
	for (size_t section = 0; section < RFS_DRIVER_SECTIONS; section++)
		for (size_t i = executed[section]; i < script.n[section]; i++)
			process_execute(&script.calls[section][i]);
}

/* Puts this process into a new group, and asks the kernel to kill this process when the driver ends. */
static void process_begin(void)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != driver)
		_exit(RFS_DRIVER_STATUS_NO_TEST);
}

/*
 * Makes a copy, which is a child of the driver. True: this process is the copy. The system call allows the flag, and
 * fork() does not. It also keeps what the C library knows of the current thread, so a lock that the thread holds is
 * still its own in the copy.
 */
static bool is_copy(void)
{
	const pid_t pid = (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		process_begin();
	else
		progress->copy = pid;
	return pid == 0;
}

void rfs_driver_process_prepare(void)
{
	guard_begin = (void (*)(void))dlsym(RTLD_DEFAULT, "rfs_guard_begin");
	guard_counts = (void (*)(unsigned long[2]))dlsym(RTLD_DEFAULT, "rfs_guard_counts");
}

void rfs_driver_process_main(struct rfs_driver_progress *shared, pid_t parent, bool private_network, int file_rules)
{
	const struct rlimit time = {PROCESS_CPU_S, PROCESS_CPU_S};

	progress = shared;
	driver = parent;
	process_begin();
	close(RFS_DRIVER_TESTS);
	close(RFS_DRIVER_ANSWERS);
	setrlimit(RLIMIT_CPU, &time);
	rfs_driver_contain(private_network, progress->done.refused);
	rfs_driver_files_protect(file_rules);
	if (guard_begin)
		guard_begin();
	for (size_t at = 0;;) {
		size_t end = progress->size;

		if (end > at)
			execute_from(at);
		at = end;
		progress->done.is_finished = true;
		raise(SIGSTOP);
		while (progress->is_copied && !is_copy())
			raise(SIGSTOP);
	}
}
