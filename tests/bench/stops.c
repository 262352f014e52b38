
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "disasm/elf/elf.h"
#include "tests/bench/bench.h"
#include "tests/bench/stops.h"
#include "tracer/breakpoint.h"
#include "tracer/loader.h"
#include "tracer/module.h"
#include "tracer/tracer.h"

struct bench_stops {
	pid_t bare;
	struct rfs_tracer *tracer;
	struct rfs_task *task;
};

/* Where the breakpoint is set. The instruction has a RIP-relative operand, which the copy in the slot must correct. */
extern const char bench_stops_here[];

void bench_stops_loop(void)
{
	__asm__ volatile(".pushsection .bss\n"
			 "bench_stops_word: .skip 8\n"
			 ".popsection\n"
			 ".globl bench_stops_here\n"
			 ".type bench_stops_here, @function\n"
			 "bench_stops_here:\n"
			 "addq $1, bench_stops_word(%%rip)\n"
			 "jmp bench_stops_here\n" ::
				 : "memory");
	__builtin_unreachable();
}

static pid_t start_bare(void)
{
	pid_t pid = fork();
	int status;

	if (pid < 0)
		bench_die("fork: %s", strerror(errno));
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		if (ptrace(PTRACE_TRACEME, 0, 0, 0))
			_exit(127);
		for (;;)
			__asm__ volatile("int3");
	}
	if (waitpid(pid, &status, __WALL) != pid || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		bench_die("a child cannot be traced");
	return pid;
}

static void resume(struct bench_stops *stops)
{
	if (rfs_task_resume(stops->task, RFS_RESUME_RUN, 0))
		bench_die("the traced loop is gone");
}

static void next_stop(struct bench_stops *stops, enum rfs_stop_kind kind)
{
	struct rfs_stop stop;

	while (rfs_tracer_wait(stops->tracer, -1, &stop) == 1 && stop.kind == RFS_STOP_RDTSC) {
		/* the loader executes rdtsc at its start; the instruction has two bytes */
		rfs_task_regs_mut(stop.task)->rip += 2;
		stops->task = stop.task;
		resume(stops);
	}
	if (stop.kind != kind)
		bench_die("the traced loop did not stop as it should: stop %d", stop.kind);
	stops->task = stop.task;
}

static void ignore(void *arg, struct rfs_module *module)
{
	(void)arg;
	(void)module;
}

static void start_traced(struct bench_stops *stops, const char *program, int core)
{
	static const int none[] = {-1};
	char *argv[] = {(char *)program, (char[]){BENCH_STOPS_WORD}, NULL};
	char *envp[] = {NULL};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	/* with the settings that the supervisor uses */
	struct rfs_launch launch = {
		.path = program,
		.argv = argv,
		.envp = envp,
		.fd_in = null,
		.fd_out = null,
		.fd_err = null,
		.core = core,
		.traced = none,
		.enosys = none,
		.trap_rdtsc = true,
	};
	struct rfs_module *const *modules;
	struct rfs_breakpoint *breakpoint;
	struct rfs_tracer_info info;
	rfs_addr vaddr;
	char why[256];

	if (rfs_tracer_launch(&launch, &stops->tracer, &info, why, sizeof(why)))
		bench_die("%s", why);
	close(null);
	next_stop(stops, RFS_STOP_EXEC);
	if (rfs_modules_update(stops->task, ignore, ignore, NULL) ||
	    rfs_modules(rfs_task_space(stops->task), &modules) == 0 ||
	    !rfs_elf_symbol(modules[0]->elf, "bench_stops_here", &vaddr, NULL) ||
	    rfs_breakpoint_add(stops->task, vaddr + modules[0]->bias, &breakpoint))
		bench_die("%s: no breakpoint on its loop", program);
	do {
		resume(stops);
		next_stop(stops, RFS_STOP_BREAKPOINT);
	} while (rfs_task_regs(stops->task)->rip != rfs_breakpoint_address(breakpoint));
	/* the supervisor also does this if all code is known */
	if (rfs_task_trap_rdtsc(stops->task, false))
		bench_die("%s: rdtsc cannot be let go", program);
}

struct bench_stops *bench_stops_new(const char *program, int core)
{
	struct bench_stops *stops = calloc(1, sizeof(*stops));

	if (!stops)
		bench_die("out of memory");
	start_traced(stops, program, core);
	stops->bare = start_bare();
	return stops;
}

void bench_stops_free(struct bench_stops *stops)
{
	kill(stops->bare, SIGKILL);
	waitpid(stops->bare, NULL, __WALL);
	rfs_tracer_free(stops->tracer);
	free(stops);
}

double bench_stops_bare(struct bench_stops *stops, int n)
{
	double start = bench_seconds();
	int status;

	for (int i = 0; i < n; i++)
		if (ptrace(PTRACE_CONT, stops->bare, 0, 0) || waitpid(stops->bare, &status, __WALL) != stops->bare)
			bench_die("the bare loop is gone");
	return (bench_seconds() - start) / n * 1e6;
}

double bench_stops_breakpoint(struct bench_stops *stops, int n)
{
	double start = bench_seconds();

	for (int i = 0; i < n; i++) {
		resume(stops);
		next_stop(stops, RFS_STOP_BREAKPOINT);
	}
	return (bench_seconds() - start) / n * 1e6;
}
