/* doctor.c - makes each check, and prints one line for it. */
#include "supervisor/cli/doctor.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/output.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/cli/machine.h"
#include "supervisor/cli/program.h"
#include "tracer/debugreg.h"
#include "tracer/rdtsc.h"
#include "tracer/tracer.h"

/* If less memory or disk space is free, a note says so. */
#define LITTLE_MEMORY (UINT64_C(1) << 30)
#define LITTLE_DISK (UINT64_C(200) << 20)

/* The lines, and whether one of them says that rfsup cannot work. */
struct doctor {
	FILE *out;
	bool failed;
	bool watchpoints_fire, rdtsc_traps;
};

enum result { GOOD, NOTE, BAD };

static void say(struct doctor *doctor, enum result result, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void say(struct doctor *doctor, enum result result, const char *format, ...)
{
	static const char *const words[] = {[GOOD] = "ok", [NOTE] = "note", [BAD] = "FAIL"};
	va_list ap;

	fprintf(doctor->out, "%-6s", words[result]);
	va_start(ap, format);
	vfprintf(doctor->out, format, ap);
	va_end(ap);
	fputc('\n', doctor->out);
	doctor->failed |= result == BAD;
}

/* ---- the machine ---- */

/* Looks at a task that is stopped before its first instruction. */
static void check_task(struct doctor *doctor, struct rfs_tracer *tracer, const struct rfs_stop *stop)
{
	const struct rfs_watched watched = {.address = rfs_task_regs(stop->task)->rsp & ~7ull, .size = 8};

	if (rfs_task_watchpoint(stop->task, &watched, 1))
		say(doctor, NOTE,
		    "no hardware watchpoints, so with --gdb, gdb's watch is slower, and awatch and rwatch do not work");
	else if (!doctor->watchpoints_fire)
		say(doctor, NOTE,
		    "hardware watchpoints can be set, but never stop a program (a virtual machine does this), so with "
		    "--gdb, gdb's watch is slower, and awatch and rwatch do not work");
	else
		say(doctor, GOOD, "hardware watchpoints stop a program");
	if (rfs_tracer_shows_cpuid(tracer))
		say(doctor, NOTE,
		    "the processor cannot trap cpuid: code that is made at run time sees all its features, and may "
		    "need the same type of processor for --replay");
	else
		say(doctor, GOOD, "cpuid can be trapped, so programs see the same features on all processors");
}

/* Starts this file under control, as a run does, and ends it before its first instruction. */
static void check_control(struct doctor *doctor)
{
	static char name[] = "rfsup", option[] = "--version";
	char *const argv[] = {name, option, NULL};
	const int none[] = {-1};
	char file[4096] = "", why[1024];
	struct rfs_tracer_info info = {0};
	struct rfs_tracer *tracer;
	struct rfs_stop stop;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null < 0 || readlink("/proc/self/exe", file, sizeof(file) - 1) < 0) {
		say(doctor, BAD, "/dev/null or /proc/self/exe cannot be used; mount /dev and /proc");
		return;
	}
	const struct rfs_launch launch = {
		.path = file,
		.argv = argv,
		.envp = environ,
		.fd_in = null,
		.fd_out = null,
		.fd_err = null,
		.core = -1,
		.traced = none,
		.enosys = none,
		.trap_rdtsc = true,
		.trap_cpuid = true,
	};

	if (rfs_tracer_launch(&launch, &tracer, &info, why, sizeof(why))) {
		say(doctor, BAD, "%s", why);
		close(null);
		return;
	}
	say(doctor, GOOD, "ptrace and seccomp filters are permitted");
	if (doctor->rdtsc_traps)
		say(doctor, GOOD, "the processor traps rdtsc, so programs read virtual time there too");
	else
		say(doctor, NOTE,
		    "the processor does not trap rdtsc, although the kernel accepts the request (a virtual machine "
		    "does this): a program that reads its time stamp counter sees real time, and may differ in a "
		    "replay");
	if (info.aslr_on)
		say(doctor, NOTE,
		    "addresses are randomised, because personality(2) is refused: a program whose behaviour depends on "
		    "addresses may differ in a replay; let the container's seccomp profile allow personality");
	else
		say(doctor, GOOD, "addresses can be the same in all runs");
	if (rfs_tracer_wait(tracer, 10000, &stop) == 1 && stop.kind == RFS_STOP_EXEC)
		check_task(doctor, tracer, &stop);
	else
		say(doctor, BAD,
		    "a program that was started under control did not stop; look for another debugger or "
		    "a security module that hinders ptrace");
	rfs_tracer_free(tracer);
	close(null);
}

/* The free memory in bytes, as /proc/meminfo estimates it; 0: unknown. */
static uint64_t free_memory(void)
{
	char line[256];
	uint64_t kib = 0;
	FILE *in = fopen("/proc/meminfo", "re");

	while (in && !kib && fgets(line, sizeof(line), in))
		if (sscanf(line, "MemAvailable: %" SCNu64, &kib) != 1)
			kib = 0;
	if (in)
		fclose(in);
	return kib << 10;
}

static void check_room(struct doctor *doctor)
{
	uint64_t memory = free_memory();
	struct statvfs fs;
	cpu_set_t set;
	int cores = sched_getaffinity(0, sizeof(set), &set) ? 1 : CPU_COUNT(&set);

	if (cores > 1)
		say(doctor, GOOD, "%d processor cores; -j %d uses all of them", cores, cores);
	else
		say(doctor, NOTE, "1 processor core: races are searched on the core on which the program runs");
	if (memory && memory < LITTLE_MEMORY)
		say(doctor, NOTE, "only %" PRIu64 " MiB of memory are free; the search for races may need more",
		    memory >> 20);
	if (statvfs(".", &fs))
		return;
	if (access(".", W_OK))
		say(doctor, NOTE, "the working directory cannot be written; give a directory with -o DIR");
	else if ((uint64_t)fs.f_bavail * fs.f_frsize < LITTLE_DISK)
		say(doctor, NOTE, "only %" PRIu64 " MiB are free in the working directory; reports may not fit",
		    (uint64_t)fs.f_bavail * fs.f_frsize >> 20);
	else
		say(doctor, GOOD, "the working directory has room for reports");
}

static void check_machine(struct doctor *doctor)
{
	struct utsname system;
	char why[1024];

	if (uname(&system) == 0)
		say(doctor, GOOD, "%s %s on %s", system.sysname, system.release, system.machine);
	if (rfs_machine_check(why, sizeof(why))) {
		say(doctor, BAD, "%s", why);
		return;
	}
	say(doctor, GOOD, "/proc shows this machine's processes");
	check_control(doctor);
	check_room(doctor);
}

/* ---- the program ---- */

/* A call or library of a program, and what it means for control. */
struct trait {
	const char *name;
	const char *says;
};

#define CHILDREN                                                                                                       \
	"is called: child processes are not scheduled; select one of them with --follow, if it is the one to test"

static const struct trait calls[] = {
	{"fork", CHILDREN},
	{"vfork", CHILDREN},
	{"posix_spawn", CHILDREN},
	{"posix_spawnp", CHILDREN},
	{"system", CHILDREN},
	{"popen", CHILDREN},
	{"io_uring_setup",
	 "is called: rfsup refuses io_uring, as old kernels do, so the program must have another way"},
};

static const struct trait libraries[] = {
	{"liburing.so", "is used: rfsup refuses io_uring, as old kernels do, so the program must have another way"},
	{"libseccomp.so",
	 "is used: a filter that the program installs also applies to system calls that rfsup makes in it"},
	{"libtsan.so",
	 "is used: ThreadSanitizer slows runs down, and rfsup needs no instrumentation; test a build without it"},
	{"libasan.so", "is used: AddressSanitizer's reports are shown with findings"},
	{"libgomp.so", "is used: OpenMP threads are controlled, and races are searched in the program's code"},
};

static void check_calls(struct doctor *doctor, const struct rfs_elf *elf)
{
	const char *said = NULL;
	char *const *needed;
	size_t n = rfs_elf_needed(elf, &needed);

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		/* one line for all calls that make children */
		if (!rfs_elf_imports(elf, calls[i].name) || calls[i].says == said)
			continue;
		said = calls[i].says;
		say(doctor, NOTE, "%s() %s", calls[i].name, said);
	}
	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < sizeof(libraries) / sizeof(*libraries); k++)
			if (strncmp(needed[i], libraries[k].name, strlen(libraries[k].name)) == 0)
				say(doctor, NOTE, "%s %s", needed[i], libraries[k].says);
}

static void check_debug(struct doctor *doctor, const char *path)
{
	struct rfs_dwarf *dwarf;
	char why[1024] = "";

	if (rfs_dwarf_open(path, &dwarf, why, sizeof(why))) {
		say(doctor, NOTE,
		    "%s: %s: reports show offsets instead of lines, and atomics of C and C++ look like plain accesses; "
		    "build with -g",
		    path, why);
		return;
	}
	say(doctor, GOOD, "debug information: reports show lines and variables");
	rfs_dwarf_free(dwarf);
}

static void count_symbol(void *arg, const char *name, rfs_addr vaddr, uint64_t size, enum rfs_symbol_type type)
{
	(void)name;
	(void)vaddr;
	(void)size;
	*(size_t *)arg += type == RFS_SYMBOL_FUNCTION;
}

static void doctor_check_elf(struct doctor *doctor, const char *path)
{
	struct rfs_elf *elf;
	char why[1024];
	size_t functions = 0;

	if (rfs_elf_open(path, &elf, why, sizeof(why))) {
		say(doctor, BAD, "%s", why);
		return;
	}
	if (!rfs_elf_interpreter(elf)) {
		rfs_elf_each_symbol(elf, count_symbol, &functions);
		if (functions)
			say(doctor, GOOD, "a static program with symbols: its locks are found by name");
		else
			say(doctor, NOTE,
			    "a static program without symbols: pthread functions cannot be found, so locks are "
			    "recognised by their atomic instructions and futexes only; do not strip it");
	}
	if (rfs_elf_is_go(elf))
		say(doctor, NOTE,
		    "a Go program: no races are predicted, because Go's runtime schedules goroutines itself");
	check_calls(doctor, elf);
	rfs_elf_free(elf);
	check_debug(doctor, path);
}

static void check_program(struct doctor *doctor, char *const *words)
{
	struct rfs_program program;
	char why[1024];

	if (rfs_program_resolve(words, NULL, &program, why, sizeof(why))) {
		say(doctor, BAD, "%s", why);
		return;
	}
	if (program.script)
		say(doctor, NOTE,
		    "'%s' is a script: its interpreter %s is tested; with --follow, a program that it starts",
		    program.script, program.path);
	else
		say(doctor, GOOD, "%s can be started", program.path);
	doctor_check_elf(doctor, program.path);
	rfs_program_release(&program);
}

enum rfs_exit rfs_doctor(char *const *words)
{
	char *text = NULL, why[1024];
	size_t size = 0;
	struct doctor doctor = {.out = xopen_memstream(&text, &size),
				.watchpoints_fire = rfs_watchpoints_fire(),
				.rdtsc_traps = rfs_rdtsc_traps()};
	bool written;

	check_machine(&doctor);
	if (words[0])
		check_program(&doctor, words);
	fclose(doctor.out);
	written = !rfs_output_print(stdout, "standard output", text, size, why, sizeof(why));
	if (!written)
		rfs_error("%s", why);
	free(text);
	return doctor.failed || !written ? RFS_EXIT_INPUT : RFS_EXIT_CLEAN;
}
