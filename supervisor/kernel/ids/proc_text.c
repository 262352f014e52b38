/*
 * proc_text.c - files of /proc whose text contains ids: stat, status, children, and the fdinfo of a pidfd.
 *
 * The kernel writes its own ids into these files. So the target opens a copy of the text, in which rfsup has put the
 * ids that the target sees. The copy also hides what rfsup does to the process: the tracer, the seccomp filter, and
 * that a task is stopped. In the target's own stat, what the kernel measures is replaced too: CPU times, page faults
 * and memory in use.
 *
 * Lists of processors in /sys, and /proc/cpuinfo, get the processors that the target sees (virtual_hardware.h). A
 * runtime that finds fewer there than in its affinity mask may stop with an error, as LLVM's OpenMP library does.
 */
#include "supervisor/kernel/ids/proc_text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "supervisor/kernel/ids/pids.h"
#include "supervisor/kernel/ids/pids_name.h"
#include "supervisor/kernel/ids/privileges.h"
#include "supervisor/kernel/ids/virtual_hardware.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/virtual_time.h"
#include "tracer/tracer.h"

#define LINE_MAX_BYTES 4096

enum text_kind { TEXT_NONE, TEXT_STAT, TEXT_STATUS, TEXT_CHILDREN, TEXT_FDINFO };

/* Whose file a task reads: its own or another one. OWN_OF_TARGET: its own, and it is a thread of the target. */
enum whose { OF_OTHER, OWN, OWN_OF_TARGET };

/* The kind of this file, whose name begins behind "/proc/PID/". */
static enum text_kind proc_text_kind_of(const char *name)
{
	int end = 0, id;

	if (sscanf(name, "task/%d/%n", &id, &end) == 1 && end > 0)
		name += end;
	if (strcmp(name, "stat") == 0)
		return TEXT_STAT;
	if (strcmp(name, "status") == 0)
		return TEXT_STATUS;
	if (strcmp(name, "children") == 0)
		return TEXT_CHILDREN;
	end = 0;
	return sscanf(name, "fdinfo/%d%n", &id, &end) == 1 && name[end] == '\0' ? TEXT_FDINFO : TEXT_NONE;
}

/* Whether the last component of the name fits one of the kinds. Most names do not, and need no further look. */
static bool proc_text_fits(const char *name)
{
	const char *last = strrchr(name, '/');

	last = last ? last + 1 : name;
	return strcmp(last, "stat") == 0 || strcmp(last, "status") == 0 || strcmp(last, "children") == 0 ||
	       strstr(name, "fdinfo/");
}

/* Writes the absolute name of the file, with the kernel's ids. False: the file is not in /proc. */
static bool proc_text_absolute(const struct rfs_run *run, struct rfs_task *task, int folder, const char *name,
			       char out[PATH_MAX])
{
	char text[PATH_MAX], link[64], real[PATH_MAX];
	int pid = (int)rfs_task_pid(task), n;
	ssize_t length;

	if (!rfs_pids_name(run, task, folder, name, real))
		snprintf(real, sizeof(real), "%s", name);
	if (real[0] != '/') {
		if (folder == AT_FDCWD)
			snprintf(link, sizeof(link), "/proc/%d/cwd", (int)rfs_task_tid(task));
		else
			snprintf(link, sizeof(link), "/proc/%d/fd/%d", (int)rfs_task_tid(task), folder);
		length = readlink(link, text, sizeof(text) - 1);
		if (length <= 0)
			return false;
		text[length] = '\0';
		n = snprintf(out, PATH_MAX, "%s/%s", text, real);
	} else if (strncmp(real, "/proc/self/", 11) == 0) {
		n = snprintf(out, PATH_MAX, "/proc/%d/%s", pid, real + 11);
	} else if (strncmp(real, "/proc/thread-self/", 18) == 0) {
		n = snprintf(out, PATH_MAX, "/proc/%d/task/%d/%s", pid, (int)rfs_task_tid(task), real + 18);
	} else {
		n = snprintf(out, PATH_MAX, "%s", real);
	}
	return n > 0 && n < PATH_MAX && strncmp(out, "/proc/", 6) == 0;
}

/* Copies a list of ids, with blanks as they are. */
static void put_ids(const struct rfs_run *run, const char *text, FILE *out)
{
	while (*text) {
		char *end;
		long id = strtol(text, &end, 10);

		if (end == text) {
			fputc(*text++, out);
			continue;
		}
		for (; *text == ' ' || *text == '\t'; text++)
			fputc(*text, out);
		fprintf(out, "%d", (int)rfs_pids_told(run, (pid_t)id));
		text = end;
	}
}

/* The state of a task that only the tracer has stopped. The task that reads the file is running. */
static char proc_text_state_of(char state, enum whose whose)
{
	return state != 't' ? state : whose ? 'R' : 'S';
}

/*
 * What the target reads in this field of its own stat. Fields count from 1, as in proc(5). The value is that of
 * getrusage(2) or getcpu(2), because the kernel's differs from run to run. False: the field is shown as it is.
 */
static bool own_field(const struct rfs_run *run, int number, uint64_t *value)
{
	*value = 0;
	switch (number) {
	case 14: /* utime */
		*value = rfs_clock_now(run, CLOCK_PROCESS_CPUTIME_ID) / RFS_TICK_NANOS;
		return true;
	case 24: /* rss, in pages */
		*value = RFS_RESIDENT_KIB / 4;
		return true;
	case 10 ... 13: /* page faults */
	case 15 ... 17: /* stime, and the CPU time of children */
	case 39:	/* processor */
	case 42 ... 44: /* delays by block devices, and time of guests */
		return true;
	default:
		return false;
	}
}

/* Writes the fields after the eighth one. */
static void put_fields(const struct rfs_run *run, const char *fields, enum whose whose, FILE *out)
{
	for (int number = 9; *fields == ' ' && whose == OWN_OF_TARGET; number++) {
		const size_t n = 1 + strcspn(fields + 1, " \n");
		uint64_t value;

		if (own_field(run, number, &value))
			fprintf(out, " %" PRIu64, value);
		else
			fwrite(fields, 1, n, out);
		fields += n;
	}
	fputs(fields, out);
}

/* proc(5): pid (comm) state ppid pgrp session tty_nr tpgid, and more fields without ids. */
static void put_stat(const struct rfs_run *run, const char *line, enum whose whose, FILE *out)
{
	const char *name = strchr(line, '('), *end = strrchr(line, ')');
	int pid, ppid, pgrp, session, terminal, group, rest = 0;
	char state;

	if (!name || !end || sscanf(line, "%d", &pid) != 1 ||
	    sscanf(end, ") %c %d %d %d %d %d%n", &state, &ppid, &pgrp, &session, &terminal, &group, &rest) != 6) {
		fputs(line, out);
		return;
	}
	fprintf(out, "%d %.*s) %c %d %d %d %d %d", (int)rfs_pids_shown(run, pid), (int)(end - name), name,
		proc_text_state_of(state, whose), (int)rfs_pids_shown(run, ppid), (int)rfs_pids_shown(run, pgrp),
		(int)rfs_pids_shown(run, session), terminal, (int)rfs_pids_told(run, group));
	put_fields(run, end + rest, whose, out);
}

static bool has_key(const char *line, const char *key)
{
	size_t n = strlen(key);

	return strncmp(line, key, n) == 0 && line[n + strspn(line + n, "\t ")] == ':';
}

static void put_status(const struct rfs_run *run, const char *line, enum whose whose, int filters, FILE *out)
{
	static const char *const ids[] = {"Tgid", "Ngid", "Pid", "PPid", "NStgid", "NSpid", "NSpgid", "NSsid"};

	for (size_t i = 0; i < sizeof(ids) / sizeof(*ids); i++)
		if (has_key(line, ids[i])) {
			put_ids(run, line, out);
			return;
		}
	if (has_key(line, "TracerPid"))
		fputs("TracerPid:\t0\n", out);
	else if (has_key(line, "State") && strstr(line, "t (tracing stop)"))
		fputs(whose ? "State:\tR (running)\n" : "State:\tS (sleeping)\n", out);
	else if (has_key(line, "NoNewPrivs"))
		fprintf(out, "NoNewPrivs:\t%d\n", rfs_privileges_given_up(run));
	else if (has_key(line, "Seccomp") && filters >= 0)
		fprintf(out, "Seccomp:\t%d\n", filters ? 2 : 0);
	else if (has_key(line, "Seccomp_filters") && filters >= 0)
		fprintf(out, "Seccomp_filters:\t%d\n", filters);
	else
		fputs(line, out);
}

static void proc_text_put_line(const struct rfs_run *run, enum text_kind kind, const char *line, enum whose whose,
			       int filters, FILE *out)
{
	if (kind == TEXT_STAT)
		put_stat(run, line, whose, out);
	else if (kind == TEXT_STATUS)
		put_status(run, line, whose, filters, out);
	else if (kind == TEXT_CHILDREN || has_key(line, "Pid") || has_key(line, "NSpid"))
		put_ids(run, line, out);
	else
		fputs(line, out);
}

int rfs_proc_filters(pid_t tid)
{
	char path[64], line[LINE_MAX_BYTES];
	int n = -1;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
	file = fopen(path, "re");
	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Seccomp_filters: %d", &n) == 1)
			break;
	if (file)
		fclose(file);
	return n > 0 ? n - 1 : -1;
}

static enum whose whose_file(const struct rfs_run *run, const struct rfs_task *task, pid_t pid)
{
	if (pid != rfs_task_pid(task) && pid != rfs_task_tid(task))
		return OF_OTHER;
	for (size_t i = 0; i < run->n_threads; i++)
		if (run->threads[i]->task == task)
			return OWN_OF_TARGET;
	return OWN;
}

/* A copy of the file's text in memory, with the ids that the target sees. -1: it cannot be made. */
static int copy(const struct rfs_run *run, struct rfs_task *task, const char *path, enum text_kind kind, pid_t pid)
{
	const enum whose whose = whose_file(run, task, pid);
	FILE *in = fopen(path, "re"), *out = NULL;
	int fd = in ? memfd_create("proc", MFD_CLOEXEC) : -1, file = fd >= 0 ? dup(fd) : -1, filters;
	char line[LINE_MAX_BYTES];

	out = file >= 0 ? fdopen(file, "w") : NULL;
	if (!out) {
		if (in)
			fclose(in);
		if (file >= 0)
			close(file);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	filters = kind == TEXT_STATUS ? rfs_proc_filters(pid) : -1;
	while (fgets(line, sizeof(line), in))
		proc_text_put_line(run, kind, line, whose, filters, out);
	fclose(in);
	fclose(out);
	return fd;
}

/* Writes a line of /proc/cpuinfo for this processor: each is a core of one package. */
static void put_processor_line(const char *line, unsigned processor, FILE *out)
{
	static const char *const numbers[] = {"processor", "core id", "apicid", "initial apicid"};
	const int key = (int)strcspn(line, ":");

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		if (has_key(line, numbers[i])) {
			fprintf(out, "%.*s: %u\n", key, line, processor);
			return;
		}
	if (has_key(line, "siblings") || has_key(line, "cpu cores"))
		fprintf(out, "%.*s: %d\n", key, line, RFS_CORES);
	else
		fputs(line, out);
}

/* Describes the first processor of this machine as many times as the target has processors. */
static void put_cpuinfo(FILE *out)
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	char line[LINE_MAX_BYTES];

	for (unsigned i = 0; i < RFS_CORES; i++) {
		while (in && fgets(line, sizeof(line), in) && line[0] != '\n')
			put_processor_line(line, i, out);
		fputs("\n", out);
		if (in)
			rewind(in);
	}
	if (in)
		fclose(in);
}

static bool is_cpuinfo(const char *name)
{
	return strcmp(name, "/proc/cpuinfo") == 0;
}

static bool lists_processors(const char *name)
{
	static const char *const lists[] = {"/sys/devices/system/cpu/possible", "/sys/devices/system/cpu/present",
					    "/sys/devices/system/cpu/online"};

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (strcmp(name, lists[i]) == 0)
			return true;
	return is_cpuinfo(name);
}

/* The text of the file in memory. -1: it cannot be made. */
static int list_processors(const char *name)
{
	const int fd = memfd_create("cpu", MFD_CLOEXEC), file = fd >= 0 ? dup(fd) : -1;
	FILE *out = file >= 0 ? fdopen(file, "w") : NULL;

	if (!out) {
		if (file >= 0)
			close(file);
		if (fd >= 0)
			close(fd);
		return -1;
	}
	if (is_cpuinfo(name))
		put_cpuinfo(out);
	else
		fprintf(out, "0-%d\n", RFS_CORES - 1);
	fclose(out);
	return fd;
}

/* Puts the name of our file into the call. Returns fd, or closes it and returns -1. */
static int proc_text_replace(struct rfs_task *task, int fd, rfs_addr *name)
{
	char text[64];

	snprintf(text, sizeof(text), "/proc/%d/fd/%d", (int)getpid(), fd);
	if (rfs_name_put(task, text, name))
		return fd;
	close(fd);
	return -1;
}

int rfs_proc_text_open(const struct rfs_run *run, struct rfs_task *task, int folder, rfs_addr *name)
{
	char text[PATH_MAX], path[PATH_MAX];
	enum text_kind kind;
	struct stat st;
	int pid, end = 0, fd;

	if (!rfs_name_read(task, *name, text))
		return -1;
	if (lists_processors(text)) {
		fd = list_processors(text);
		return fd < 0 ? -1 : proc_text_replace(task, fd, name);
	}
	if (!proc_text_fits(text) || !proc_text_absolute(run, task, folder, text, path) ||
	    sscanf(path, "/proc/%d/%n", &pid, &end) != 1 || !end)
		return -1;
	kind = proc_text_kind_of(path + end);
	/* another user's process could not open our copy */
	if (kind == TEXT_NONE || !rfs_pids_known(run, pid) || stat(path, &st) != 0 || st.st_uid != geteuid())
		return -1;
	fd = copy(run, task, path, kind, pid);
	return fd < 0 ? -1 : proc_text_replace(task, fd, name);
}
