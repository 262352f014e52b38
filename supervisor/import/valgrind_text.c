/*
 * valgrind_text.c - reads the text of Helgrind and DRD. Each line begins with the number of its process.
 *
 *     ==4711== Possible data race during write of size 4 at 0x10C0C8 by thread #3
 *     ==4711== Locks held: none
 *     ==4711==    at 0x1092E8: add (list.c:38)
 *     ==4711==    by 0x484C7D6: ??? (in /usr/libexec/valgrind/vgpreload_helgrind-amd64-linux.so)
 *     ==4711==
 *     ==4711== This conflicts with a previous read of size 4 by thread #2
 *     ==4711==    at 0x10935C: ...
 *
 *     ==4711== Conflicting store by thread 3 at 0x0010c0c8 size 4
 *     ==4711==    at 0x1092E8: add (list.c:38)
 *
 * The second access of a report of DRD is only known to be between two places of the other thread, so it is not read.
 */
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/import/import-priv.h"

/* What one process has written so far. */
struct rfs_import_process {
	uint64_t pid; /* key */
	enum rfs_import_tool tool;
	struct rfs_import_report *report; /* under construction; NULL: none */
	struct rfs_import_stack *stack;	  /* where frames go; NULL: they are not kept */
	char *heading;			  /* the first line of a paragraph; NULL: it is not new */
	unsigned heading_line;
	UT_hash_handle hh;
};

bool rfs_import_valgrind_access(struct rfs_import_line line, struct rfs_import_access *out, bool *first)
{
	bool conflicting = rfs_import_skip(&line, "Conflicting ");
	uint64_t number;

	*out = (struct rfs_import_access){0};
	*first = conflicting;
	if (!conflicting) {
		*first = rfs_import_skip(&line, "Possible data race during ");
		if (!*first && !rfs_import_skip(&line, "This conflicts with a previous "))
			return false;
		out->writes = rfs_import_skip(&line, "write of size ");
		return (out->writes || rfs_import_skip(&line, "read of size ")) &&
		       rfs_import_skip_number(&line, 10, &out->size) &&
		       (!rfs_import_skip(&line, " at 0x") || rfs_import_skip_number(&line, 16, &out->address));
	}
	out->writes = rfs_import_skip(&line, "store ");
	if ((!out->writes && !rfs_import_skip(&line, "load ")) || !rfs_import_skip_to(&line, " at 0x") ||
	    !rfs_import_skip_number(&line, 16, &number))
		return false;
	out->address = number;
	return rfs_import_skip(&line, " size ") && rfs_import_skip_number(&line, 10, &out->size);
}

static void valgrind_text_finish(struct rfs_import_process *process, struct rfs_import_builder *builder)
{
	rfs_import_add(builder, process->report);
	process->report = NULL;
	process->stack = NULL;
}

static void valgrind_text_begin(struct rfs_import_process *process, struct rfs_import_builder *builder,
				enum rfs_import_kind kind, const char *title, unsigned line)
{
	valgrind_text_finish(process, builder);
	process->report = rfs_import_begin(process->tool, kind, title, line);
	process->report->process = process->pid;
}

static bool valgrind_text_take_access(struct rfs_import_process *process, struct rfs_import_builder *builder,
				      struct rfs_import_line line)
{
	struct rfs_import_access access;
	bool first;

	if (!rfs_import_valgrind_access(line, &access, &first))
		return false;
	if (first) {
		process->tool = line.text[0] == 'C' ? RFS_IMPORT_DRD : RFS_IMPORT_HELGRIND;
		valgrind_text_begin(process, builder, RFS_IMPORT_RACE,
				    line.text[0] == 'C' ? "conflicting access" : "data race", line.number);
	}
	process->stack = NULL;
	if (process->report && process->report->kind == RFS_IMPORT_RACE && process->report->n_accesses < 2) {
		struct rfs_import_access *out = &process->report->access[process->report->n_accesses++];

		*out = access;
		process->stack = &out->stack;
	}
	return true;
}

/* The lines of a lock order that was violated. The observed order is the first part, the required one the second. */
static bool take_order(struct rfs_import_process *process, struct rfs_import_builder *builder,
		       struct rfs_import_line line)
{
	struct rfs_import_line rest = line;
	struct rfs_import_part *part;

	if (rfs_import_skip(&rest, "Thread #") && rfs_import_skip_to(&rest, ": lock order \"")) {
		process->tool = RFS_IMPORT_HELGRIND;
		valgrind_text_begin(process, builder, RFS_IMPORT_DEADLOCK, "lock order violated", line.number);
		return true;
	}
	if (!process->report || process->report->kind != RFS_IMPORT_DEADLOCK)
		return false;
	if (rfs_import_skip(&line, "Observed (incorrect) order is: acquisition of lock at") ||
	    rfs_import_skip(&line, "Required order was established by acquisition of lock at")) {
		part = rfs_import_add_part(process->report);
		process->stack = part ? &part->held : NULL;
		return true;
	}
	if (!rfs_import_skip(&line, "followed by a later acquisition of lock at"))
		return false;
	process->stack = process->report->n_parts ? &process->report->parts[process->report->n_parts - 1].wanted : NULL;
	return true;
}

/* "0x1092E8: add(list*) (list.c:38)", "0x484C7D6: ??? (in /usr/lib/libwork.so)" */
static void valgrind_text_take_frame(struct rfs_import_process *process, struct rfs_import_line line)
{
	struct rfs_import_frame *frame = rfs_import_add_frame(process->stack);
	size_t open, colon, inside_n;
	const char *inside;
	uint64_t address;

	if (!frame || !rfs_import_skip(&line, "0x") || !rfs_import_skip_number(&line, 16, &address) ||
	    !rfs_import_skip(&line, ": "))
		return;
	frame->address = address;
	open = line.n;
	if (line.n && line.text[line.n - 1] == ')')
		for (size_t i = line.n - 1; i-- > 0 && open == line.n;)
			if (line.text[i] == '(' && (i == 0 || line.text[i - 1] == ' '))
				open = i;
	if (line.n >= 3 && memcmp(line.text, "???", 3) != 0)
		frame->function = rfs_import_copy(line.text, open && open < line.n ? open - 1 : open);
	if (open == line.n)
		return;
	inside = line.text + open + 1;
	inside_n = line.n - open - 2;
	if (inside_n > 3 && memcmp(inside, "in ", 3) == 0) {
		frame->module = rfs_import_copy(inside + 3, inside_n - 3);
		return;
	}
	for (colon = inside_n; colon > 0 && inside[colon - 1] != ':'; colon--)
		;
	if (colon > 1) {
		struct rfs_import_line digits = {inside + colon, inside_n - colon, 0};
		uint64_t number;

		if (rfs_import_skip_number(&digits, 10, &number) && !digits.n && number < INT32_MAX) {
			frame->file = rfs_import_copy(inside, colon - 1);
			frame->line = (unsigned)number;
		}
	}
}

/* Lines before a stack that is no report, or only a part of one. */
static bool is_known_heading(const char *heading)
{
	static const char *const known[] = {
		" was created",
		"Process terminating",
		"Other segment",
		"Required order",
		"Observed (",
		"This conflicts",
		"Lock at ",
		"Address ",
		"Location ",
		"Allocation context",
		" was first observed",
		"But before",
		"Block was alloc",
		"Thread-Announcement",
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (strstr(heading, known[i]))
			return true;
	return false;
}

/* A stack follows a line that begins a paragraph, and no report that is known: it is a report of something else. */
static void valgrind_text_take_other(struct rfs_import_process *process, struct rfs_import_builder *builder)
{
	if (!process->heading)
		return;
	if (*process->heading && !is_known_heading(process->heading)) {
		valgrind_text_begin(process, builder, RFS_IMPORT_OTHER, process->heading, process->heading_line);
		valgrind_text_finish(process, builder);
	}
	free(process->heading);
	process->heading = NULL;
}

static void take_line(struct rfs_import_process *process, struct rfs_import_builder *builder,
		      struct rfs_import_line line, bool indented)
{
	const bool dashes = rfs_import_skip(&line, "----");

	if (dashes || (!line.n && process->tool == RFS_IMPORT_DRD))
		valgrind_text_finish(process, builder);
	if (dashes || !line.n) {
		free(process->heading);
		/* the next line begins a paragraph */
		process->heading = dashes ? NULL : xstrdup("");
		process->stack = NULL;
		return;
	}
	if (rfs_import_skip(&line, "at ") || rfs_import_skip(&line, "by ")) {
		if (indented && !process->stack)
			valgrind_text_take_other(process, builder);
		if (indented && process->stack)
			valgrind_text_take_frame(process, line);
		return;
	}
	if (rfs_import_skip(&line, "Helgrind, a "))
		process->tool = RFS_IMPORT_HELGRIND;
	if (rfs_import_skip(&line, "drd, a "))
		process->tool = RFS_IMPORT_DRD;
	if (rfs_import_skip(&line, "ERROR SUMMARY: ") || rfs_import_skip(&line, "For lists of "))
		valgrind_text_finish(process, builder);
	if (valgrind_text_take_access(process, builder, line) || take_order(process, builder, line)) {
		free(process->heading);
		process->heading = NULL;
		return;
	}
	if (rfs_import_skip(&line, "Locks held:") || rfs_import_skip(&line, "Lock at "))
		return;
	process->stack = NULL;
	if (process->heading && !*process->heading) {
		free(process->heading);
		process->heading = rfs_import_copy(line.text, line.n);
		process->heading_line = line.number;
	} else {
		free(process->heading);
		process->heading = NULL;
	}
}

/* The log of many tests has many processes, so the last one is looked at first, and the others are in a table. */
static struct rfs_import_process *valgrind_text_process_of(struct rfs_import_valgrind *valgrind, uint64_t pid)
{
	struct rfs_import_process *process = valgrind->last;

	if (process && process->pid == pid)
		return process;
	HASH_FIND(hh, valgrind->processes, &pid, sizeof(pid), process);
	if (!process) {
		process = xcalloc(1, sizeof(*process));
		process->pid = pid;
		process->tool = RFS_IMPORT_VALGRIND;
		HASH_ADD(hh, valgrind->processes, pid, sizeof(process->pid), process);
	}
	valgrind->last = process;
	return process;
}

void rfs_import_valgrind_line(struct rfs_import_valgrind *valgrind, struct rfs_import_builder *builder,
			      struct rfs_import_line line)
{
	struct rfs_import_process *process;
	uint64_t pid;
	size_t blanks = 0;

	/* with --time-stamp=yes, a time is before the number: "==00:00:00:01.234 4711== " */
	if (!rfs_import_skip_to(&line, "=="))
		return;
	if (line.n > 16 && line.text[2] == ':' && line.text[5] == ':')
		(void)rfs_import_skip_to(&line, " ");
	if (!rfs_import_skip_number(&line, 10, &pid) || !rfs_import_skip(&line, "=="))
		return;
	process = valgrind_text_process_of(valgrind, pid);
	(void)rfs_import_skip(&line, " ");
	while (blanks < line.n && line.text[blanks] == ' ')
		blanks++;
	line.text += blanks;
	line.n -= blanks;
	take_line(process, builder, line, blanks >= 3);
}

void rfs_import_valgrind_end(struct rfs_import_valgrind *valgrind, struct rfs_import_builder *builder)
{
	struct rfs_import_process *process, *next;

	HASH_ITER (hh, valgrind->processes, process, next) {
		/* Valgrind ends with a summary, so a report that is still open is cut if it lacks a stack */
		if (process->report)
			process->report->cut = true;
		valgrind_text_finish(process, builder);
		HASH_DEL(valgrind->processes, process);
		free(process->heading);
		free(process);
	}
	*valgrind = (struct rfs_import_valgrind){0};
}
