#include "tests/tracer/harness.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tracer/loader.h"

#define FOLDER RFS_BUILD "/tracer-programs"

static bool is_newer(const char *made, const char *source)
{
	struct stat a, b;

	return !stat(made, &a) && !stat(source, &b) && a.st_mtime > b.st_mtime;
}

const char *program(const char *name, const char *variant, const char *flags)
{
	char source[256], made[512], command[4096], temporary[600];
	const char *compiler = "gcc";
	static char paths[8][PATH_MAX];
	static int next;
	char *path = paths[next++ % 8];

	snprintf(source, sizeof(source), "tests/tracer/programs/%s.c", name);
	if (access(source, R_OK)) {
		snprintf(source, sizeof(source), "tests/tracer/programs/%s.cc", name);
		compiler = "g++";
	}
	mkdir(RFS_BUILD, 0777);
	mkdir(FOLDER, 0777);
	snprintf(made, sizeof(made), FOLDER "/%s%s", name, variant);
	/*
	 * Tests run in parallel. Each writes to a separate temporary file, so two of them may build the same program.
	 */
	snprintf(temporary, sizeof(temporary), "%s.%d", made, (int)getpid());
	if (!is_newer(made, source)) {
		snprintf(command, sizeof(command), "%s -pthread -g -o %s %s %s", compiler, temporary, source, flags);
		cr_assert_eq(system(command), 0, "%s", command);
		cr_assert_eq(rename(temporary, made), 0);
	}
	cr_assert_not_null(realpath(made, path));
	return path;
}

void run_start(struct run *run, const struct rfs_launch *options, const char *const *argv)
{
	static const int none[] = {-1};
	static char path[] = "PATH=/usr/bin:/bin";
	char *const environment[] = {path, NULL};
	struct rfs_launch launch = {.core = -1};
	char why[512] = "";
	int r;

	if (options)
		launch = *options;
	memset(run, 0, sizeof(*run));
	run->out = memfd_create("output", MFD_CLOEXEC);
	launch.argv = (char *const *)argv;
	if (!launch.path)
		launch.path = argv[0];
	if (!launch.envp)
		launch.envp = environment;
	if (!launch.fd_in)
		launch.fd_in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (!launch.fd_out)
		launch.fd_out = run->out;
	if (!launch.fd_err)
		launch.fd_err = run->out;
	if (!launch.traced)
		launch.traced = none;
	if (!launch.enosys)
		launch.enosys = none;
	r = rfs_tracer_launch(&launch, &run->tracer, &run->info, why, sizeof(why));
	cr_assert_eq(r, 0, "%s: %s", strerror(-r), why);
}

static void note(struct run *run, const struct rfs_stop *stop)
{
	run->stops[stop->kind]++;
	if (stop->kind == RFS_STOP_EXEC && rfs_task_tid(stop->task) == rfs_tracer_pid(run->tracer))
		run->space = rfs_task_space(stop->task);
	if (rfs_task_tid(stop->task) != rfs_tracer_pid(run->tracer))
		return;
	if (stop->kind == RFS_STOP_EXITED || stop->kind == RFS_STOP_KILLED) {
		run->ended = true;
		run->status = stop->kind == RFS_STOP_EXITED ? stop->status : 128 + stop->status;
	}
}

bool run_wait(struct run *run, struct rfs_stop *stop)
{
	int r;

	do
		r = rfs_tracer_wait(run->tracer, -1, stop);
	while (r == 0);
	if (r == -ECHILD)
		return false;
	cr_assert_eq(r, 1, "wait: %s", strerror(-r));
	note(run, stop);
	return true;
}

struct rfs_stop run_next(struct run *run)
{
	struct rfs_stop stop;

	cr_assert(run_wait(run, &stop), "no task is left");
	return stop;
}

void run_resume(struct run *run, const struct rfs_stop *stop)
{
	enum rfs_resume how = stop->kind == RFS_STOP_GROUP ? RFS_RESUME_LISTEN : RFS_RESUME_RUN;
	int r;

	(void)run;
	if (stop->kind == RFS_STOP_EXITED || stop->kind == RFS_STOP_KILLED) {
		rfs_task_forget(stop->task);
		return;
	}
	r = rfs_task_resume(stop->task, how, stop->kind == RFS_STOP_SIGNAL ? stop->info.si_signo : 0);
	cr_assert(r == 0 || r == -ESRCH, "resume: %s", strerror(-r));
}

struct rfs_stop run_until(struct run *run, enum rfs_stop_kind kind)
{
	for (;;) {
		struct rfs_stop stop = run_next(run);

		if (stop.kind == kind)
			return stop;
		run_resume(run, &stop);
	}
}

void run_all(struct run *run, on_stop *f)
{
	struct rfs_stop stop;

	while (run_wait(run, &stop))
		if (!f || !f(run, &stop))
			run_resume(run, &stop);
}

void run_end(struct run *run)
{
	ssize_t n;

	rfs_tracer_free(run->tracer);
	run->tracer = NULL;
	n = pread(run->out, run->output, sizeof(run->output) - 1, 0);
	run->output[n > 0 ? n : 0] = '\0';
	close(run->out);
}

int run_program(struct run *run, const char *const *argv, on_stop *f)
{
	run_start(run, NULL, argv);
	run_all(run, f);
	run_end(run);
	cr_assert(run->ended);
	return run->status;
}

static void ignore_module(void *arg, struct rfs_module *module)
{
	(void)arg;
	(void)module;
}

bool run_modules(struct run *run, const struct rfs_stop *stop)
{
	bool changed = stop->kind == RFS_STOP_BREAKPOINT &&
		       rfs_modules_changed_here(rfs_task_space(stop->task), stop->address);

	if (!changed && stop->kind != RFS_STOP_EXEC)
		return false;
	cr_assert_eq(rfs_modules_update(stop->task, ignore_module, ignore_module, NULL), 0);
	if (changed)
		run_resume(run, stop);
	return changed;
}

rfs_addr run_symbol(struct run *run, const char *module, const char *symbol)
{
	struct rfs_module *const *modules;
	size_t n = rfs_modules(run->space, &modules);
	rfs_addr vaddr;
	uint64_t size;

	for (size_t i = 0; i < n; i++) {
		if (module ? !strstr(modules[i]->path, module) : i != 0)
			continue;
		if (rfs_elf_symbol(modules[i]->elf, symbol, &vaddr, &size))
			return vaddr + modules[i]->bias;
	}
	return 0;
}

struct rfs_breakpoint *run_break(const struct rfs_stop *stop, rfs_addr address)
{
	struct rfs_breakpoint *breakpoint;
	int r;

	cr_assert_neq(address, 0);
	r = rfs_breakpoint_add(stop->task, address, &breakpoint);
	cr_assert_eq(r, 0, "breakpoint at %#lx: %s", address, strerror(-r));
	return breakpoint;
}
