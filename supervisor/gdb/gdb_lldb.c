/*
 * gdb_lldb.c - answers the packets that only lldb sends (docs/lldb-gdb-remote.txt in LLVM's sources). Without them lldb
 * does not know the kind of machine, the process or its threads.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb_names.h"
#include "supervisor/gdb/gdb_signal.h"
#include "supervisor/gdb/gdb_threads.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

static const char triple[] = "x86_64-unknown-linux-gnu";

static unsigned number_of(const struct rfs_thread *thread)
{
	return (unsigned)thread->number + 1;
}

/* Characters that could end a value of a packet or a string of JSON become blanks. */
static void write_plain(const char *text, FILE *out)
{
	for (; *text; text++)
		fputc((unsigned char)*text < ' ' || strchr("\";\\", *text) ? ' ' : *text, out);
}

static void write_name(struct rfs_run *run, struct rfs_thread *thread, FILE *out)
{
	char *next = rfs_gdb_next(run, thread);

	fprintf(out, "thread %d, ", thread->number);
	write_plain(next, out);
	free(next);
}

static const char *reason_of(const struct rfs_gdb_stop *stop)
{
	if (stop->breakpoint)
		return "breakpoint";
	if (stop->watch)
		return "watchpoint";
	return stop->signo == SIGTRAP ? "trace" : stop->signo ? "signal" : "none";
}

static void gdb_lldb_write_threads(struct rfs_run *run, FILE *out)
{
	char separator = 'm';

	for (size_t i = 0; i < run->n_threads; i++) {
		if (!rfs_gdb_shows(run->threads[i]))
			continue;
		fprintf(out, "%c%x", separator, number_of(run->threads[i]));
		separator = ',';
	}
}

/* "T05thread:2;name:...;reason:breakpoint;", and for the thread of the stop all threads. */
void rfs_gdb_lldb_write_stop(struct rfs_run *run, struct rfs_thread *thread, FILE *out)
{
	const struct rfs_gdb_stop *stop = &run->gdb->stop;
	const bool is_cause = thread == stop->thread;
	char separator = ':';

	fprintf(out, "T%02xthread:%x;name:", is_cause ? (unsigned)rfs_gdb_signal_to(stop->signo) : 0,
		number_of(thread));
	write_name(run, thread, out);
	fputc(';', out);
	if (!is_cause)
		return;
	fputs("threads", out);
	for (size_t i = 0; i < run->n_threads; i++) {
		if (!rfs_gdb_shows(run->threads[i]))
			continue;
		fprintf(out, "%c%x", separator, number_of(run->threads[i]));
		separator = ',';
	}
	fprintf(out, ";reason:%s;", reason_of(stop));
	if (stop->watch) { /* the address, in hexadecimal text */
		char address[32];
		int n = snprintf(address, sizeof(address), "%" PRIu64, (uint64_t)stop->address);

		fputs("description:", out);
		rfs_gdb_write_hex(address, (size_t)n, out);
		fputc(';', out);
	}
	if (stop->begin || stop->end)
		fprintf(out, "replaylog:%s;", stop->begin ? "begin" : "end");
}

static void write_json(struct rfs_run *run, FILE *out)
{
	const struct rfs_gdb_stop *stop = &run->gdb->stop;
	char separator = '[';

	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];

		if (!rfs_gdb_shows(t))
			continue;
		fprintf(out, "%c{\"tid\":%u,\"name\":\"", separator, number_of(t));
		write_name(run, t, out);
		fprintf(out, "\",\"reason\":\"%s\"", t == stop->thread ? reason_of(stop) : "none");
		if (t == stop->thread && stop->signo)
			fprintf(out, ",\"signal\":%d", rfs_gdb_signal_to(stop->signo));
		fputc('}', out);
		separator = ',';
	}
	fputs(separator == '[' ? "[]" : "]", out);
}

static void write_process(const struct rfs_run *run, FILE *out)
{
	fputs("pid:1;parent-pid:0;", out);
	fprintf(out, "real-uid:%x;real-gid:%x;effective-uid:%x;effective-gid:%x;triple:", getuid(), getgid(), geteuid(),
		getegid());
	rfs_gdb_write_hex(triple, sizeof(triple) - 1, out);
	fputs(";ostype:linux;endian:little;ptrsize:8;", out);
	(void)run;
}

/* Answers qMemoryRegionInfo:ADDRESS with the mapping there, or with the gap up to the next one. */
static void write_region(const struct rfs_run *run, rfs_addr address, FILE *out)
{
	uint64_t start = 0, end = 0, last = 0;
	char line[4096], rights[8], *name, path[64];
	FILE *maps;
	int at;

	snprintf(path, sizeof(path), "/proc/%d/maps", rfs_tracer_pid(run->tracer));
	maps = fopen(path, "re");
	while (maps && fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %n", &start, &end, rights, &at) != 3)
			continue;
		if (address < end)
			break;
		last = end;
		start = end = 0;
	}
	if (maps)
		fclose(maps);
	if (end && address >= start) {
		fprintf(out, "start:%" PRIx64 ";size:%" PRIx64 ";permissions:", start, end - start);
		for (int i = 0; i < 3; i++)
			if (rights[i] != '-')
				fputc(rights[i], out);
		name = line + at;
		name[strcspn(name, "\n")] = '\0';
		if (*name) {
			fputs(";name:", out);
			rfs_gdb_write_hex(name, strlen(name), out);
		}
		fputc(';', out);
		return;
	}
	fprintf(out, "start:%" PRIx64 ";size:%" PRIx64 ";", last, (end ? start : UINT64_MAX) - last);
}

bool rfs_gdb_lldb(struct rfs_run *run, const char *request, FILE *out)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_thread *thread;

	if (strcmp(request, "QListThreadsInStopReply") == 0) {
		gdb->lldb = true;
		fputs("OK", out);
	} else if (strcmp(request, "QEnableErrorStrings") == 0) {
		fputs("OK", out);
	} else if (strcmp(request, "qHostInfo") == 0) {
		fputs("triple:", out);
		rfs_gdb_write_hex(triple, sizeof(triple) - 1, out);
		fputs(";ptrsize:8;endian:little;watchpoint_exceptions_received:after;", out);
	} else if (strcmp(request, "qProcessInfo") == 0) {
		write_process(run, out);
	} else if (strcmp(request, "qfThreadInfo") == 0 && gdb->lldb) {
		gdb_lldb_write_threads(run, out);
	} else if (strcmp(request, "qsThreadInfo") == 0 && gdb->lldb) {
		fputc('l', out);
	} else if (strncmp(request, "qThreadStopInfo", 15) == 0) {
		thread = rfs_gdb_parse_id(run, request + 15);
		if (thread)
			rfs_gdb_lldb_write_stop(run, thread, out);
		else
			fputs("E03", out);
	} else if (strcmp(request, "jThreadsInfo") == 0) {
		write_json(run, out);
	} else if (strncmp(request, "qMemoryRegionInfo:", 18) == 0) {
		write_region(run, strtoull(request + 18, NULL, 16), out);
	} else if (strcmp(request, "qMemoryRegionInfo") == 0) {
		fputs("OK", out);
	} else if (strcmp(request, "qWatchpointSupportInfo:") == 0) {
		fprintf(out, "num:%d;", RFS_DEBUG_REGISTERS);
	} else {
		return false;
	}
	return true;
}
