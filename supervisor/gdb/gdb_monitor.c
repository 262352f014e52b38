/*
 * gdb_monitor.c - the commands of gdb's `monitor`. They show what rfsup knows about the run: the schedule, locks,
 * races.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "policy/core/op.h"
#include "policy/policy.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/text/number.h"
#include "supervisor/base/text/op_text.h"
#include "supervisor/base/text/plural.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/gdb/gdb_names.h"
#include "supervisor/gdb/gdb_threads.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/state/core/modules.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "supervisor/state/operations/trace.h"
#include "supervisor/symbols/place.h"

/*
 * How many operations `monitor schedule` shows before and after the current operation: if the user gives no number, and
 * at most.
 */
#define AROUND 10
#define AROUND_MAX 100000

static const char *gdb_monitor_mode_of(enum rfs_op_kind kind)
{
	return kind == RFS_OP_RDLOCK ? "shared" : "exclusive";
}

static void gdb_monitor_write_waiters(struct rfs_run *run, rfs_addr lock, FILE *out)
{
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];
		const rfs_addr waits = rfs_cond_woken(run, t) ? t->sync.cond.mutex : t->next.object;

		if (t->state == RFS_STATE_PARKED && waits == lock && !(t->ready(run, t) & RFS_THREAD_ENABLED))
			fprintf(out, ", thread %d waits for it", t->number);
	}
}

static void locks(struct rfs_run *run, const char *rest, FILE *out)
{
	bool any = false;

	(void)rest;
	for (size_t i = 0; i < run->n_threads; i++) {
		const struct rfs_thread *t = run->threads[i];

		for (size_t k = 0; k < t->sync.n_holds && t->state != RFS_STATE_ENDED; k++) {
			char *name = rfs_gdb_object(run, t->sync.holds[k].lock);

			fprintf(out, "thread %d holds %s, %s", t->number, name,
				gdb_monitor_mode_of(t->sync.holds[k].kind));
			if (t->sync.holds[k].count > 1)
				fprintf(out, ", %u times", t->sync.holds[k].count);
			gdb_monitor_write_waiters(run, t->sync.holds[k].lock, out);
			fputc('\n', out);
			free(name);
			any = true;
		}
	}
	if (!any)
		fputs("no lock is held\n", out);
}

static void pending(struct rfs_run *run, const char *rest, FILE *out)
{
	(void)rest;
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];
		bool parked = t->state == RFS_STATE_PARKED;
		char *next;

		if (!rfs_gdb_shows(t))
			continue;
		next = rfs_gdb_next(run, t);
		fprintf(out, "thread %d: %s%s\n", t->number, next,
			parked && !(t->ready(run, t) & RFS_THREAD_ENABLED) ? ", blocked" : "");
		free(next);
	}
}

/*
 * The object of an entry; NULL: it has no name. A heap block is not named by who allocated it, because another one may
 * be there at this moment.
 */
static char *gdb_monitor_object(struct rfs_run *run, const struct rfs_trace_entry *entry)
{
	switch (entry->name) {
	case RFS_NAME_MODULE:
		if (rfs_trace_module(entry) < run->n_modules)
			return rfs_gdb_object(run, run->modules[rfs_trace_module(entry)]->bias + entry->offset);
		return NULL;
	case RFS_NAME_STACK:
		return xasprintf("stack of thread %u", entry->index);
	case RFS_NAME_HEAP:
		return xasprintf("heap+0x%llx", (unsigned long long)entry->offset);
	default:
		return NULL;
	}
}

static char *gdb_monitor_words(struct rfs_run *run, const struct rfs_trace_entry *entry)
{
	const enum rfs_op_kind kind = (enum rfs_op_kind)entry->kind;
	char *object, *text;

	if (entry->kind == RFS_TRACE_OUTPUT)
		return xasprintf("writes %llu byte%s of output", (unsigned long long)entry->offset,
				 rfs_plural(entry->offset));
	if (kind == RFS_OP_START && entry->access) {
		object = rfs_thread_text(entry->thread, (int)entry->access);
		text = xasprintf("begins as the %s", object);
	} else {
		object = gdb_monitor_object(run, entry);
		text = rfs_op_is_access(kind) ? rfs_gdb_access_text(entry->access, 0, object)
					      : rfs_op_text(kind, entry->access, object);
	}
	free(object);
	return text;
}

static void write_entry(struct rfs_run *run, const struct rfs_trace_entry *entry, FILE *out)
{
	rfs_addr address = rfs_site_address(run, entry->site);
	char *place = address ? rfs_gdb_place(run, address, !rfs_op_is_instruction((enum rfs_op_kind)entry->kind))
			      : NULL,
	     *words = gdb_monitor_words(run, entry);

	fprintf(out, "thread %u  %s%s%s%s\n", entry->thread, words, place ? "  " : "", place ? place : "",
		entry->outcome == RFS_OUTCOME_TIMED_OUT ? "  times out" : "");
	free(place);
	free(words);
}

static void gdb_monitor_schedule(struct rfs_run *run, const char *rest, FILE *out)
{
	const struct rfs_trace_entry *entries;
	uint64_t around = AROUND;
	size_t at, n = rfs_trace_recorded(run, &entries, &at);

	if (*rest && rfs_number_parse(rest, 1, AROUND_MAX, &around) < 0) {
		fprintf(out, "'%s' is not an integer between 1 and %d\n", rest, AROUND_MAX);
		return;
	}
	if (n == 0) {
		fputs("the record has no trace of its operations\n", out);
		return;
	}
	for (size_t i = at > around ? at - around : 0; i < n && i < at + around; i++) {
		fprintf(out, "%s%6zu  ", i == at ? "=> " : "   ", i);
		write_entry(run, &entries[i], out);
	}
	if (at >= n)
		fputs("=> the recorded run ends here\n", out);
}

static void race(struct rfs_run *run, const char *rest, FILE *out)
{
	const struct rfs_run_result *result = run->result;
	const struct rfs_trace_entry *entries;
	size_t here, n = rfs_trace_recorded(run, &entries, &here);

	(void)rest;
	if (!result->n_created) {
		fprintf(out, "%s\n", run->gdb->stop.race ? run->gdb->stop.message : "no race has been created so far");
		return;
	}
	for (int i = 0; i < 2; i++) {
		const struct rfs_evidence *side = &result->created.side[i];
		char *object = rfs_gdb_object(run, side->object.address), *place, *who, *what;
		rfs_addr at = side->site.offset;

		for (size_t m = 0; side->site.module && m < run->n_modules; m++)
			if (strcmp(run->modules[m]->path, side->site.module) == 0)
				at = run->modules[m]->bias + side->site.offset;
		place = rfs_gdb_place(run, at, false);
		who = rfs_thread_text(side->thread, side->handler);
		what = rfs_gdb_access_text(side->access, 0, object);
		fprintf(out, "%s %s%s at %s, holding %zu lock%s\n", who, what, strchr(what, ',') ? "," : "", place,
			side->n_locks, rfs_plural(side->n_locks));
		free(who);
		free(what);
		free(object);
		free(place);
	}
	fprintf(out, "the race was created before operation %zu\n",
		n ? rfs_trace_row(entries, n, result->created.step) : result->created.step);
}

static void why(struct rfs_run *run, const char *rest, FILE *out)
{
	const char *cause = run->gdb->settings->cause;

	if (cause) {
		fputs(cause, out);
		return;
	}
	fputs("the folder above that of the record has no report.txt, or none that names the record; the replay itself "
	      "shows:\n",
	      out);
	race(run, rest, out);
	locks(run, rest, out);
	pending(run, rest, out);
}

/*
 * Prints the target's output so far. In a replay under gdb, as in the recorded run, the output goes to files and not to
 * the terminal.
 */
static void output(struct rfs_run *run, const char *rest, FILE *out)
{
	const int fds[] = {run->spec->process.fd_out, run->spec->process.fd_err};
	char buf[4096];

	(void)rest;
	for (size_t i = 0; i < sizeof(fds) / sizeof(*fds); i++) {
		off_t at = 0;
		ssize_t got;

		while ((got = pread(fds[i], buf, sizeof(buf), at)) > 0) {
			fwrite(buf, 1, (size_t)got, out);
			at += got;
		}
	}
}

/* Watchpoints by pages or steps work everywhere; those by debug registers see reads. */
static void gdb_monitor_watch(struct rfs_run *run, const char *rest, FILE *out)
{
	struct rfs_gdb *gdb = run->gdb;

	static const char *const words[] = {"registers", "pages", "steps"};
	static const char *const says[] = {
		"watchpoints use the debug registers of the processor\n",
		"watchpoints stop at each write to the page of the memory; reads are not seen\n",
		"watchpoints single-step the program, which is slow; reads are not seen\n",
	};
	bool found = false;

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcmp(rest, words[i]))
			continue;
		gdb->watches_by = (enum rfs_gdb_watches_by)i;
		found = true;
	}
	if (*rest && !found)
		fprintf(out, "'%s' is not 'registers', 'pages' or 'steps'\n", rest);
	fputs(says[gdb->watches_by], out);
	gdb->watches++;
}

/* ---- other moments of the run (gdb_travel.h) ---- */

static void gdb_monitor_restart(struct rfs_run *run, const char *rest, FILE *out)
{
	const struct rfs_gdb_moment start = {0};

	(void)rest;
	rfs_gdb_travel_to(run->gdb, &start);
	run->gdb->travel.waits = true;
	fputs("to the beginning of main\n", out);
}

static void gdb_monitor_goto(struct rfs_run *run, const char *rest, FILE *out)
{
	uint64_t operation;

	if (rfs_number_parse(rest, 0, UINT64_MAX, &operation) < 0) {
		fprintf(out, "'%s' is not the number of an operation; 'monitor schedule' shows them\n", rest);
		return;
	}
	rfs_gdb_travel_to_operation(run->gdb, operation);
	run->gdb->travel.waits = true;
	fprintf(out, "to operation %llu\n", (unsigned long long)operation);
}

static void checkpoint(struct rfs_run *run, const char *rest, FILE *out)
{
	struct rfs_gdb *gdb = run->gdb;

	(void)rest;
	gdb->checkpoints = xreallocarray(gdb->checkpoints, gdb->n_checkpoints + 1, sizeof(*gdb->checkpoints));
	gdb->checkpoints[gdb->n_checkpoints] = (struct rfs_gdb_moment){0};
	rfs_gdb_moment_set(&gdb->checkpoints[gdb->n_checkpoints++], &gdb->here);
	fprintf(out, "checkpoint %zu, before operation %llu; 'monitor back %zu' returns to it\n", gdb->n_checkpoints,
		(unsigned long long)rfs_trace_position(run), gdb->n_checkpoints);
}

static void back(struct rfs_run *run, const char *rest, FILE *out)
{
	struct rfs_gdb *gdb = run->gdb;
	uint64_t number;

	if (rfs_number_parse(rest, 1, gdb->n_checkpoints, &number) < 0) {
		fprintf(out, "'%s' is not the number of a checkpoint; 'monitor checkpoint' makes one\n", rest);
		return;
	}
	rfs_gdb_travel_to(gdb, &gdb->checkpoints[number - 1]);
	gdb->travel.waits = true;
	fprintf(out, "to checkpoint %llu\n", (unsigned long long)number);
}

static void help(struct rfs_run *run, const char *rest, FILE *out);

static const struct {
	const char *name, *says;
	void (*write)(struct rfs_run *run, const char *rest, FILE *out);
} commands[] = {
	{"schedule", "[N]: the N operations before and after this point, as recorded", gdb_monitor_schedule},
	{"locks", ": which thread holds each lock, and which threads wait for it", locks},
	{"pending", ": the next operation of each thread", pending},
	{"race", ": the two statements of the race that was created", race},
	{"why", ": what the report says about this run", why},
	{"output", ": the output of the program so far", output},
	{"watch", "[registers|pages|steps]: how watchpoints find accesses", gdb_monitor_watch},
	{"restart", ": go to the beginning of main", gdb_monitor_restart},
	{"goto", "N: go to operation N", gdb_monitor_goto},
	{"checkpoint", ": note this moment", checkpoint},
	{"back", "N: go to checkpoint N", back},
	{"help", ": print this list", help},
};

static void help(struct rfs_run *run, const char *rest, FILE *out)
{
	(void)run;
	(void)rest;
	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		fprintf(out, "monitor %s%s%s\n", commands[i].name, commands[i].says[0] == ':' ? "" : " ",
			commands[i].says);
}

void rfs_gdb_monitor(struct rfs_run *run, const char *command, FILE *out)
{
	size_t length = strcspn(command, " ");
	const char *rest = command + length + strspn(command + length, " ");

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (strncmp(commands[i].name, command, length) == 0 && commands[i].name[length] == '\0') {
			commands[i].write(run, rest, out);
			return;
		}
	fprintf(out, "unknown command '%s'; 'monitor help' lists the commands\n", command);
}
