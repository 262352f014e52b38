/*
 * reverse_test.c - gdb goes forward to a moment, on to another one, and back. Registers, thread and memory must then be
 * those that the forward replay had.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"
#include "tracer/debugreg.h"

TestSuite(reverse, .timeout = 600);

/* Commands of gdb, by "; ". They begin at main, without breakpoints. */
struct scenario {
	const char *name;
	const char *there; /* to the moment */
	const char *away;  /* to a later one */
	const char *back;
};

/* the short check does the first ones only */
static const struct scenario in_c[] = {
	{"three hits of a breakpoint", "break add; continue", "continue; continue",
	 "reverse-continue; reverse-continue"},
	{"the thread that wrote last", "watch -l last; continue; continue; continue",
	 "delete; tbreak finish; continue; watch -l last", "reverse-continue; stepi"},
	{"the start of history", "", "tbreak finish; continue", "reverse-continue"},
	{"the end of history", "continue", "tbreak spun; reverse-continue", "continue"},
	{"one instruction", "break add; continue", "stepi", "reverse-stepi"},
	{"twenty instructions", "break add; continue", "stepi 20", "reverse-stepi 20"},
	{"a line", "break add; continue; delete; next", "next", "reverse-next"},
	{"over a call", "tbreak main; continue; next", "next", "reverse-next"},
	{"over three calls", "tbreak main; continue", "next 3", "reverse-next 3"},
	{"into a call", "tbreak add; continue; next; next", "next", "reverse-step"},
	{"out of a function", "tbreak add; continue; up; tbreak *($pc - 5); monitor restart; continue", "stepi; next",
	 "reverse-finish"},
	{"out of a recursion",
	 "tbreak fib if n == 0; continue; up; set $at = $pc - 5; set $frame = $rsp; delete; "
	 "break *$at if $rsp == $frame; monitor restart; continue",
	 "delete; stepi; next", "reverse-finish"},
	{"a condition", "break add if total == 3; continue", "delete; tbreak spun; continue; break add if total == 3",
	 "reverse-continue"},
	{"a condition in a recursion", "break fib if n == 1; continue", "continue; continue",
	 "reverse-continue; reverse-continue"},
	{"a watchpoint, three times", "watch -l total; continue", "continue; continue",
	 "reverse-continue; reverse-continue; reverse-continue; stepi"},
	{"a watchpoint with a condition", "tbreak spun; continue; watch -l total if total > 50; continue",
	 "delete; tbreak finish; continue; watch -l total if total < 50", "reverse-continue; stepi"},
	{"a variable that is read", "tbreak spun; continue; awatch last; continue; continue", "continue",
	 "reverse-continue; reverse-continue; stepi"},
	{"before a long loop", "break spin; continue", "tbreak spun; continue", "reverse-continue"},
	{"over a long loop", "tbreak spin; continue; up; tbreak *($pc - 5); monitor restart; continue",
	 "tbreak spun; continue; break spin", "reverse-continue; reverse-finish"},
	{"a handler", "break on_signal; continue", "tbreak finish; continue", "reverse-continue"},
	{"out of a handler", "tbreak on_signal; continue; stepi", "stepi 3", "reverse-stepi 3"},
	{"before a signal", "break spun; continue", "tbreak on_signal; continue", "reverse-continue"},
	{"a signal", "handle SIGUSR1 stop print; continue", "tbreak on_signal; continue",
	 "reverse-continue; continue; handle SIGUSR1 nostop noprint"},
	{"the start of a thread", "break worker; continue; continue", "tbreak finish; continue", "reverse-continue"},
	{"the other thread", "tbreak worker; continue; break add; continue", "continue; continue; continue",
	 "reverse-continue; reverse-continue; reverse-continue"},
	{"steps of a thread", "tbreak worker; continue; tbreak add; continue", "stepi 12", "reverse-stepi 12"},
	{"a call that rfsup watches", "break pthread_mutex_unlock; continue", "continue; continue",
	 "reverse-continue; reverse-continue"},
	{"an operation", "monitor goto 4", "monitor goto 9", "monitor goto 4"},
	{"a checkpoint", "break add; continue; continue; monitor checkpoint", "continue; continue", "monitor back 1"},
	{"forward again", "tbreak add; continue; stepi", "break add; continue", "reverse-continue; stepi"},
};

static const struct scenario in_cxx[] = {
	{"a method", "break account::put; continue", "continue; continue", "reverse-continue; reverse-continue"},
	{"a member", "watch -l shared.balance_; continue; continue",
	 "delete; tbreak finish; continue; watch -l shared.balance_",
	 "reverse-continue; reverse-continue; reverse-continue; reverse-continue; reverse-continue; stepi"},
	{"a virtual function", "break square::area; continue", "tbreak caught; continue", "reverse-continue"},
	{"a template", "break largest<int>; continue", "tbreak finish; continue", "reverse-continue"},
	{"before an exception", "break refuse if value == 3; continue", "tbreak caught; continue", "reverse-continue"},
	{"into a catch block", "break caught; continue", "tbreak finish; continue", "reverse-continue"},
	{"a destructor", "break shape::~shape; continue", "tbreak finish; continue", "reverse-continue"},
	{"out of a method", "tbreak account::put; continue; up; tbreak *($pc - 5); monitor restart; continue",
	 "stepi; next", "reverse-finish"},
	{"into a lock of the library", "tbreak account::put; continue; tbreak pthread_mutex_lock; continue", "stepi 30",
	 "reverse-stepi 30"},
};

static const struct scenario in_forks[] = {
	{"over a fork", "break add; continue; continue", "continue; continue", "reverse-continue; reverse-continue"},
	{"after a fork", "break forked; continue", "continue", "reverse-continue"},
	{"steps after a fork", "tbreak forked; continue", "stepi 5", "reverse-stepi 5"},
	{"what was written between two forks", "watch -l last; continue",
	 "delete; tbreak finish; continue; watch -l last", "reverse-continue; reverse-continue; stepi"},
};

static const char setup[] = "set pagination off\n"
			    "set confirm off\n"
			    "handle SIGUSR1 nostop noprint pass\n"
			    "define at\n"
			    "thread\n"
			    "printf \"AT %#lx %#lx %#lx %#lx %d %d\\n\", $pc, $rsp, $rax, $rcx, total, last\n"
			    "end\n";

static void put_commands(const char *commands, FILE *out)
{
	while (*commands) {
		size_t n = strcspn(commands, ";");

		fprintf(out, "%.*s\n", (int)n, commands);
		commands += n + strspn(commands + n, "; ");
	}
}

/* Without debug registers, the server refuses to watch reads. */
static bool is_possible(const struct scenario *scenario)
{
	return !strstr(scenario->there, "awatch") || rfs_watchpoints_fire();
}

static void write_script(const char *path, const struct scenario *list, size_t n)
{
	FILE *out = fopen(path, "w");

	cr_assert_not_null(out);
	fputs(setup, out);
	for (size_t i = 0; i < n; i++) {
		if (!is_possible(&list[i]))
			continue;
		fprintf(out, "echo SCENARIO %zu\\n\ndelete\nmonitor restart\n", i);
		put_commands(list[i].there, out);
		fputs("at\n", out);
		put_commands(list[i].away, out);
		fputs("at\n", out);
		put_commands(list[i].back, out);
		fputs("at\n", out);
	}
	fputs("echo SCENARIO end\\n\nkill\n", out);
	fclose(out);
}

/* The next "(Thread 1.2)" with the line that begins with AT. Moves *text behind it. Caller frees; NULL: none. */
static char *next_at(const char **text, const char *end)
{
	const char *thread = strstr(*text, "[Current thread is "), *at = thread ? strstr(thread, "\nAT ") : NULL;
	char *found;

	if (!at || at > end)
		return NULL;
	thread = strchr(thread, '(');
	*text = at + 4 + strcspn(at + 4, "\n");
	cr_assert_gt(asprintf(&found, "%.*s %.*s", (int)strcspn(thread, "\n"), thread, (int)(*text - at - 4), at + 4),
		     0);
	return found;
}

static void judge(struct e2e *e2e, const struct scenario *scenario, const char *text, const char *end)
{
	char *at[3];

	for (int i = 0; i < 3; i++)
		at[i] = next_at(&text, end);
	e2e_expect(e2e, at[2] && strcmp(at[0], at[2]) == 0 && strcmp(at[0], at[1]) != 0,
		   "%s:\n  there  %s\n  away   %s\n  back   %s", scenario->name, at[0] ? at[0] : "?",
		   at[1] ? at[1] : "?", at[2] ? at[2] : "?");
	for (int i = 0; i < 3; i++)
		free(at[i]);
}

static void play(const char *source, const char *argument, const struct scenario *list, size_t n)
{
	char record[PATH_MAX], path[PATH_MAX], *program;
	const char *text;
	struct e2e e2e;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, source, "-O0 -g -pthread");
	e2e_run(&e2e, WORDS("--policy=random", "--runs=1", "--keep-records", program, argument));
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", e2e.folder);
	snprintf(path, sizeof(path), "%s/script", e2e.folder);
	write_script(path, list, n);
	e2e_say(&e2e, WORDS("--replay", record, "--gdb", "--stop-at=0", "--", "-nx", "-batch", "-x", path));
	text = e2e.said.out;
	for (size_t i = 0; i < n; i++) {
		const char *begin = strstr(text, "SCENARIO "), *end = begin ? strstr(begin + 9, "SCENARIO ") : NULL;

		if (!is_possible(&list[i]))
			continue;
		e2e_expect(&e2e, end != NULL, "the script ended before '%s':\n%s\n%s", list[i].name, e2e.said.out,
			   e2e.said.err);
		if (!end)
			break;
		judge(&e2e, &list[i], begin, end);
		text = end;
	}
	free(program);
	e2e_end(&e2e);
}

#define COUNT(list) (sizeof(list) / sizeof(*(list)))

Test(reverse, c)
{
	play("backwards.c", e2e_full() ? "1000000" : "100", in_c, e2e_rows(2, COUNT(in_c)));
}

Test(reverse, cxx)
{
	play("backwards_cxx.cc", NULL, in_cxx, e2e_rows(1, COUNT(in_cxx)));
}

Test(reverse, forks)
{
	play("backwards_fork.c", NULL, in_forks, e2e_rows(1, COUNT(in_forks)));
}
