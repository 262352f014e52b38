/*
 * gdb_test.c - rfsup --replay RECORD --gdb, with Debian's gdb and a script. gdb opens at the race, shows both
 * statements, sets and reaches breakpoints, steps, and continues to the recorded failure. No process survives.
 */
#include <criterion/criterion.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/harness.h"
#include "tracer/debugreg.h"

TestSuite(gdb, .timeout = 300);

/* A program with a finding, and the record of that finding. */
struct debugged {
	struct e2e e2e;
	char *program, *record;
};

/*
 * Runs a campaign on a copy of the target, so that no other process has the same file. d->record is the first finding
 * of this kind. copy is the command that copies.
 */
static void begin(struct debugged *d, const char *copy, const char *target, const char *kind)
{
	char command[3 * PATH_MAX], *original = e2e_target("O2g", target);
	json_t *finding = NULL;

	e2e_begin(&d->e2e);
	cr_assert_gt(asprintf(&d->program, "%s/prog", d->e2e.folder), 0);
	snprintf(command, sizeof(command), "%s '%s' '%s'", copy, original, d->program);
	cr_assert_eq(system(command), 0, "%s", command); // NOLINT(cert-env33-c): no foreign input
	e2e_run(&d->e2e, WORDS("--explore=40", "--runs=20", d->program));
	for (size_t i = 0; i < e2e_count(&d->e2e, kind) && !finding; i++) {
		json_t *item = e2e_item(&d->e2e, kind, i);
		const char *verdict = json_string_value(json_object_get(item, "verdict"));

		if (json_object_get(item, "record") && (!verdict || strcmp(verdict, "harmful") == 0))
			finding = item;
	}
	cr_assert_not_null(finding, "no %s\n%s", kind, d->e2e.said.out);
	d->record = e2e_record(&d->e2e, finding);
	free(original);
}

/* The number of processes that run the program. */
static size_t alive(const struct debugged *d)
{
	struct dirent *entry;
	DIR *proc = opendir("/proc");
	size_t n = 0;

	while (proc && (entry = readdir(proc))) {
		char link[PATH_MAX], path[PATH_MAX];
		ssize_t length;

		snprintf(link, sizeof(link), "/proc/%s/exe", entry->d_name);
		length = readlink(link, path, sizeof(path) - 1);
		path[length > 0 ? length : 0] = '\0';
		n += strcmp(path, d->program) == 0;
	}
	if (proc)
		closedir(proc);
	return n;
}

static void end(struct debugged *d)
{
	e2e_expect(&d->e2e, alive(d) == 0, "%zu processes of the target are left", alive(d));
	free(d->program);
	free(d->record);
	e2e_end(&d->e2e);
}

/* The text must be in standard output or in standard error, because gdb uses both. */
static void expect_said(struct debugged *d, const char *text)
{
	e2e_expect(&d->e2e, strstr(d->e2e.said.out, text) || strstr(d->e2e.said.err, text),
		   "'%s' was not said:\n%s\n%s", text, d->e2e.said.out, d->e2e.said.err);
}

static void expect_silent_on(struct debugged *d, const char *text)
{
	e2e_expect(&d->e2e, !strstr(d->e2e.said.out, text) && !strstr(d->e2e.said.err, text), "'%s' was said:\n%s\n%s",
		   text, d->e2e.said.out, d->e2e.said.err);
}

#define GDB(d, ...) e2e_say(&(d)->e2e, WORDS("--replay", (d)->record, "--gdb", __VA_ARGS__))
#define BATCH "--", "-nx", "-batch"

/* Lets gdb execute these lines. */
static void say(struct debugged *d, const char *lines)
{
	char path[PATH_MAX];
	FILE *out;

	snprintf(path, sizeof(path), "%s/lines", d->e2e.folder);
	out = fopen(path, "w");
	cr_assert_not_null(out);
	fputs(lines, out);
	fclose(out);
	GDB(d, BATCH, "-x", path);
}

Test(gdb, stands_at_both_statements_and_goes_on_to_the_failure)
{
	struct debugged d;

	begin(&d, "cp", "figure1", "pairs");
	GDB(&d, BATCH, "-ex", "thread apply all bt", "-ex", "print z", "-ex", "print $mxcsr", "-ex", "info threads",
	    "-ex", "continue", "-ex", "bt", "-ex", "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "in thread2 (arg=0x0) at targets/figure1.c:38");
	expect_said(&d, "thread1 (arg=<optimized out>) at targets/figure1.c:24");
	expect_said(&d, "$1 = 0");
	expect_said(&d, "$2 = [ IM DM ZM OM UM PM ]");
	expect_said(&d, "\"thread 2\" (writes 4 bytes of z at figure1.c:38)");
	expect_said(&d, "\"thread 1\" (reads 4 bytes of z at figure1.c:24)");
	expect_said(&d, "received signal SIGABRT");
	expect_said(&d, "in thread1 (arg=<optimized out>) at targets/figure1.c:25");
	expect_said(&d, "Program terminated with signal SIGABRT");
	expect_said(&d, "replay: same as the recorded run: signal (SIGABRT)");
	end(&d);
}

Test(gdb, steps_and_meets_breakpoints)
{
	struct debugged d;

	begin(&d, "cp", "figure1", "pairs");
	GDB(&d, BATCH, "-ex", "break figure1.c:40", "-ex", "break fail", "-ex", "stepi", "-ex", "print z", "-ex",
	    "next", "-ex", "continue", "-ex", "continue", "-ex", "frame", "-ex", "delete", "-ex", "continue", "-ex",
	    "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "$1 = 1"); /* the parked thread was at the instruction that writes */
	expect_said(&d, "Thread 3 \"thread 2\" hit Breakpoint 1, thread2");
	expect_said(&d, "Thread 2 \"thread 1\" hit Breakpoint 2, fail (what=");
	expect_said(&d, "fprintf(stderr, \"FAIL: %s\\n\", what);");
	/* gdb has not changed the run */
	expect_said(&d, "replay: same as the recorded run: signal (SIGABRT)");
	end(&d);
}

Test(gdb, says_what_only_rfsup_knows)
{
	struct debugged d;

	begin(&d, "cp", "figure1", "pairs");
	GDB(&d, BATCH, "-ex", "monitor schedule 2", "-ex", "monitor pending", "-ex", "monitor race", "-ex",
	    "monitor locks", "-ex", "monitor why", "-ex", "monitor help", "-ex", "monitor nonsense", "-ex", "kill");
	expect_said(&d, "thread 2  writes z  figure1.c:38");
	expect_said(&d, "thread 0: join of thread 1 at target.h:83, blocked");
	expect_said(&d, "thread 1 reads z at figure1.c:24, holding 0 locks");
	expect_said(&d, "no lock is held");
	expect_said(&d, "HARMFUL race on z");
	expect_said(&d, "if the write goes first, the program fails: SIGABRT.");
	expect_said(&d, "monitor schedule [N]: ");
	expect_said(&d, "unknown command 'nonsense'");
	end(&d);
}

/* Before the handler of the race begins, gdb has the thread that it interrupts. */
Test(gdb, stops_before_a_handler)
{
	struct debugged d;

	begin(&d, "cp", "handler_half", "pairs");
	GDB(&d, BATCH, "-ex", "bt", "-ex", "tbreak tick", "-ex", "continue", "-ex", "thread 1", "-ex",
	    "info symbol $pc", "-ex", "monitor pending", "-ex", "monitor goto 0", "-ex", "bt", "-ex", "continue", "-ex",
	    "monitor race", "-ex", "monitor schedule", "-ex", "continue", "-ex", "continue", "-ex", "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, " begins as the handler of SIGALRM");
	expect_said(&d, "#0  0x");
	expect_said(&d, "\"thread 1\" hit Temporary breakpoint 1");
	expect_said(&d, "main + ");
	expect_said(&d, "thread 0: waits at handler_half.c:");
	expect_said(&d, " for the end of the handler of SIGALRM, blocked");
	expect_said(&d, "handler of SIGALRM reads served.requests at handler_half.c:");
	expect_said(&d, "thread 1  begins as the handler of SIGALRM\n");
	expect_said(&d, "Program terminated with signal SIGABRT");
	end(&d);
}

/* If gdb kills the target, detaches or quits, the target ends too. No finding is claimed. */
Test(gdb, nothing_outlives_it)
{
	static const char *const last[] = {"kill", "detach", "quit"};
	struct debugged d;

	begin(&d, "cp", "figure1", "pairs");
	for (size_t i = 0; i < sizeof(last) / sizeof(*last); i++) {
		GDB(&d, BATCH, "-ex", last[i]);
		e2e_expect_status(&d.e2e, 4);
		expect_said(&d, "replay: ended in the debugger");
		e2e_expect(&d.e2e, alive(&d) == 0, "%s left %zu processes", last[i], alive(&d));
	}
	end(&d);
}

/* Memory can be changed, and the run then takes the other branch. Registers of a parked thread cannot be changed. */
Test(gdb, changes_what_can_be_changed)
{
	struct debugged d;

	begin(&d, "cp", "figure1", "pairs");
	GDB(&d, BATCH, "-ex", "print (int)getpid()", "-ex", "break figure1.c:39", "-ex", "continue", "-ex",
	    "print (int)getpid() > 0", "-ex", "set var z = 5", "-ex", "delete", "-ex", "continue", "-ex", "continue");
	e2e_expect_status(&d.e2e, 3);
	expect_said(&d, "rfsup has parked this thread");
	expect_said(&d, "$1 = 1");
	expect_said(&d, "the replay diverged from the recorded run");
	expect_said(&d, "likely cause: a change made in the debugger");
	expect_silent_on(&d, "SIGABRT");
	end(&d);
}

Test(gdb, opens_after_n_operations)
{
	struct debugged d;

	begin(&d, "cp", "figure1", "pairs");
	GDB(&d, "--stop-at=2", BATCH, "-ex", "monitor schedule 1", "-ex", "monitor race");
	expect_said(&d, "replay: before operation 2");
	expect_said(&d, "=>      2");
	expect_said(&d, "no race has been created so far");
	/* there is no such operation, so gdb opens at the failure */
	GDB(&d, "--stop-at=1000000", BATCH, "-ex", "echo here:", "-ex", "frame", "-ex", "bt", "-ex", "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "receives SIGABRT");
	/* not in a function of the C library */
	expect_said(&d, "here:#4");
	expect_said(&d, "#4  0x");
	expect_said(&d, "in thread1 (arg=<optimized out>) at targets/figure1.c:25");
	end(&d);
}

Test(gdb, stands_in_a_deadlock)
{
	struct debugged d;

	begin(&d, "cp", "abba", "deadlocks");
	GDB(&d, BATCH, "-ex", "echo here:", "-ex", "frame", "-ex", "monitor locks", "-ex", "thread apply all bt", "-ex",
	    "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "replay: a deadlock");
	expect_said(&d, "here:#1");
	expect_said(&d, "waits for it");
	expect_said(&d, "abba.c:");
	expect_said(&d, "replay: same as the recorded run: deadlock");
	end(&d);
}

/* A thread whose condition wait was signalled waits for its mutex. gdb sees its call. */
Test(gdb, stands_in_a_deadlock_behind_a_condition)
{
	struct debugged d;

	begin(&d, "cp", "deadlock_condition", "deadlocks");
	GDB(&d, BATCH, "-ex", "monitor locks", "-ex", "monitor pending", "-ex", "thread 2", "-ex", "bt", "-ex",
	    "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "thread 1 holds stats, exclusive, thread 3 waits for it\n");
	expect_said(&d, "thread 3 holds queue, exclusive, thread 1 waits for it\n");
	expect_said(&d, "thread 1: lock of queue after the wait for filled at deadlock_condition.c:");
	expect_said(&d, "pthread_cond_wait");
	expect_said(&d, " in consumer (arg=0x0) at targets/deadlock_condition.c:27\n");
	end(&d);
}

Test(gdb, needs_no_symbols)
{
	struct debugged d;

	begin(&d, "f() { strip -s -o \"$2\" \"$1\"; }; f", "figure1", "pairs");
	GDB(&d, BATCH, "-ex", "info threads", "-ex", "x/i $pc", "-ex", "stepi", "-ex", "x/2i $pc", "-ex", "continue",
	    "-ex", "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "\"thread 1\" (reads 4 bytes of prog+0x");
	expect_said(&d, "movl");
	expect_said(&d, "received signal SIGABRT");
	expect_said(&d, "replay: same as the recorded run: signal (SIGABRT)");
	end(&d);
}

/* Watchpoints stop at the write and the read of the race, by debug registers. No breakpoint is set. */
Test(gdb, watches_memory)
{
	struct debugged d;

	if (!rfs_watchpoints_fire())
		cr_skip_test("the debug registers of this machine stop no program");
	begin(&d, "cp", "figure1", "pairs");
	GDB(&d, BATCH, "-ex", "watch z", "-ex", "continue", "-ex", "delete", "-ex", "awatch z", "-ex", "continue",
	    "-ex", "delete", "-ex", "continue", "-ex", "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "Hardware watchpoint 1: z");
	expect_said(&d, "Thread 3 \"thread 2\" hit Hardware watchpoint 1: z");
	expect_said(&d, "Old value = 0");
	expect_said(&d, "New value = 1");
	expect_said(&d, "Thread 2 \"thread 1\" hit Hardware access (read/write) watchpoint 2: z");
	expect_said(&d, "Value = 1");
	expect_said(&d, "replay: same as the recorded run: signal (SIGABRT)");
	end(&d);
}

/* gdb shows each thread's own copies: of a variable of the program, and of one of a library that was loaded later. */
Test(gdb, knows_thread_local_variables)
{
	char *user, *library, record[PATH_MAX];
	struct debugged d = {0};

	e2e_begin(&d.e2e);
	user = e2e_program(&d.e2e, "tls_user.c", "-O0 -g");
	library = e2e_program(&d.e2e, "tls_library.c", "-O0 -g -fPIC -shared");
	e2e_run(&d.e2e, WORDS("--policy=random", "--runs=1", "--keep-records", user, library));
	e2e_expect_silent(&d.e2e);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", d.e2e.folder);
	e2e_say(&d.e2e, WORDS("--replay", record, "--gdb", "--stop-at=0", BATCH, "-ex", "break touched", "-ex",
			      "continue", "-ex", "up 2", "-ex", "print in_program + *(int *)by * 100", "-ex",
			      "print in_library + *(int *)by * 1000", "-ex", "continue", "-ex", "up 2", "-ex",
			      "print in_program + *(int *)by * 100", "-ex", "print in_library + *(int *)by * 1000",
			      "-ex", "continue", "-ex", "continue"));
	e2e_expect_status(&d.e2e, 0);
	/* thread 1 adds 1 and thread 2 adds 2; either may be first */
	expect_said(&d, "= 111\n");
	expect_said(&d, "= 1041\n");
	expect_said(&d, "= 212\n");
	expect_said(&d, "= 2042\n");
	expect_said(&d, "replay: same as the recorded run: a clean exit");
	free(user);
	free(library);
	e2e_end(&d.e2e);
}

/* At the failure: who wrote z, what was before, and is the way back the same as the way there? */
Test(gdb, goes_back)
{
	struct debugged d;

	begin(&d, "cp", "figure1", "pairs");
	say(&d, "break fail\ncontinue\nwatch -l z\nreverse-continue\ninfo threads\nmonitor checkpoint\nstepi\n"
		"print z + 100\nset $at = $pc\nstepi\nset $next = $pc\nreverse-stepi\nprint $pc == $at\nreverse-stepi\n"
		"print z + 200\nstepi\nstepi\nprint $pc == $next\nreverse-continue\nreverse-continue\nbt\n"
		"reverse-continue\ndelete\nmonitor back 1\nprint z + 300\nbreak thread1\nreverse-continue\ndelete\n"
		"continue\ncontinue\n");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "\"thread 1\" hit Breakpoint 1, fail (what=");
	expect_said(&d, "\"thread 2\" hit Hardware watchpoint 2: -location z");
	expect_said(&d, "Old value = 1\nNew value = 0\n");
	expect_said(&d, "thread2 (arg=0x0) at targets/figure1.c:38");
	expect_said(&d, "\"thread 1\" (reads 4 bytes of z at figure1.c:24)");
	expect_said(&d, "= 101\n");
	expect_said(&d, "$2 = 1\n");
	expect_said(&d, "= 200\n");
	expect_said(&d, "$4 = 1\n");
	expect_said(&d, "No more reverse-execution history.");
	expect_said(&d, "#0  main () at targets/figure1.c:");
	expect_said(&d, "= 300\n");
	expect_said(&d, "\"thread 1\" hit Breakpoint 3, thread1 (arg=0x0)");
	expect_said(&d, "replay: same as the recorded run: signal (SIGABRT)");
	end(&d);
}

/* A thread was stopped where no breakpoint was. One that is set there later, while another thread stops, stops it. */
Test(gdb, stops_where_it_was_stopped_before)
{
	struct debugged d = {0};

	e2e_begin(&d.e2e);
	d.program = e2e_program(&d.e2e, "stops_again.c", "-O1 -g -pthread");
	e2e_run(&d.e2e, WORDS("--policy=random", "--runs=1", "--keep-records", d.program));
	cr_assert_gt(asprintf(&d.record, "%s/out/records/sample-seed-1.json", d.e2e.folder), 0);
	say(&d, "monitor goto 999999\ninfo threads\nmonitor goto 0\nbreak work\ncontinue\ndelete\nstepi\nset $at = "
		"$pc\nbreak mark\ncontinue\ndelete\n"
		"break *$at\ncontinue\nprint rounds + 100\ndelete\ncontinue\n");
	expect_said(&d, "the run ends before operation 999999; this is its last moment");
	expect_said(&d, "(between two operations)");
	expect_said(&d, "hit Breakpoint 2, mark ()");
	expect_said(&d, "hit Breakpoint 3");
	expect_said(&d, "= 101\n");
	end(&d);
}

Test(gdb, goes_anywhere)
{
	struct debugged d;

	begin(&d, "cp", "abba", "deadlocks");
	GDB(&d, BATCH, "-ex", "monitor restart", "-ex", "info threads", "-ex", "monitor goto 1", "-ex",
	    "monitor schedule 1", "-ex", "continue", "-ex", "reverse-stepi", "-ex", "continue", "-ex", "monitor goto x",
	    "-ex", "monitor back 1", "-ex", "continue");
	e2e_expect_status(&d.e2e, 1);
	expect_said(&d, "main () at targets/");
	expect_said(&d, "* 1    Thread 1.1 \"thread 0\" (between two operations) main ()");
	expect_said(&d, "=>      1  thread");
	expect_said(&d, "a deadlock: no thread can continue");
	expect_said(&d, "'x' is not the number of an operation");
	expect_said(&d, "'1' is not the number of a checkpoint");
	expect_said(&d, "replay: same as the recorded run: deadlock");
	end(&d);
}

/* A goal behind the end leads to the last moment: before the signal that kills, or before the exit. */
Test(gdb, goes_no_further_than_the_end)
{
	static const struct {
		const char *target, *kind, *at, *end;
	} cases[] = {
		{"figure1", "pairs", "received signal SIGABRT", "signal (SIGABRT)"},
		{"abba", "deadlocks", "a deadlock: no thread can continue", "deadlock"},
		{"handler_half", "pairs", "received signal SIGABRT", "signal (SIGABRT)"},
	};
	char end_text[100];

	for (size_t i = 0; i < e2e_rows(2, sizeof(cases) / sizeof(*cases)); i++) {
		struct debugged d;

		begin(&d, "cp", cases[i].target, cases[i].kind);
		GDB(&d, BATCH, "-ex", "monitor goto 999999", "-ex", "continue", "-ex", "echo here:", "-ex",
		    "reverse-stepi", "-ex", "info threads", "-ex", "continue", "-ex", "continue");
		e2e_expect_status(&d.e2e, 1);
		expect_said(&d, "the run ends before operation 999999; this is its last moment");
		expect_said(&d, cases[i].at);
		expect_said(&d, "here:");
		if (strcmp(cases[i].kind, "pairs") == 0)
			expect_said(&d, "\"thread 1\"");
		snprintf(end_text, sizeof(end_text), "replay: same as the recorded run: %s", cases[i].end);
		expect_said(&d, end_text);
		end(&d);
	}
}

/* By debug registers, and by single steps: the write of a thread, and that of a system call. */
Test(gdb, watches_system_calls)
{
	static const char *const how[] = {"registers", "steps"};
	struct debugged d = {0};
	char lines[1024];

	e2e_begin(&d.e2e);
	d.program = e2e_program(&d.e2e, "watched.c", "-O1 -g -pthread");
	e2e_run(&d.e2e, WORDS("--policy=random", "--runs=1", "--keep-records", d.program));
	cr_assert_gt(asprintf(&d.record, "%s/out/records/sample-seed-1.json", d.e2e.folder), 0);
	for (size_t i = rfs_watchpoints_fire() ? 0 : 1; i < sizeof(how) / sizeof(*how); i++) {
		/* rfsup itself executes the operation at which a thread is parked; that is one step */
		snprintf(lines, sizeof(lines),
			 "monitor goto 0\nstepi\nset $one = $pc\nstepi\nset $two = $pc\nstepi\nreverse-stepi\n"
			 "print $pc == $two\nreverse-stepi\nprint $pc == $one\ndelete\nmonitor restart\nmonitor watch "
			 "%s\nwatch -l seen\nwatch -l got\ncontinue\nprint seen + 10\n"
			 "continue\nprint got[2]\nreverse-continue\nprint got[2] + 0\nreverse-continue\n"
			 "print seen + 20\nreverse-continue\n",
			 how[i]);
		say(&d, lines);
		expect_said(&d, "\"thread 1\" hit Hardware watchpoint 1: -location seen");
		expect_said(&d, "$3 = 11\n");
		expect_said(&d, "Hardware watchpoint 2: -location got\n\nOld value = \"\\000");
		expect_said(&d, "$4 = 99 'c'");
		expect_said(&d, "$5 = 0\n");
		expect_said(&d, "seen = 1;");
		expect_said(&d, "$6 = 20\n");
		expect_said(&d, "$1 = 1\n");
		expect_said(&d, "$2 = 1\n");
		expect_said(&d, "No more reverse-execution history.");
	}
	end(&d);
}

/* Without debug registers and without steps: each write of a variable, by what it wrote and which thread did. */
Test(gdb, watches_each_kind_of_write)
{
	static const char *const writes[] = {
		"thread 1: 0x1\n",		  /* a store; the next one has the same value */
		"thread 1: 0x303030303030303\n",  /* memcpy */
		"thread 1: 0x404040404040404\n",  /* rep stos */
		"thread 2: 0x404040400000007\n",  /* 4 bytes, by the other thread */
		"thread 2: 0x404040400000009\n",  /* 1 byte */
		"thread 1: 0x40404040000000e\n",  /* lock xadd; the next cmpxchg fails */
		"thread 1: 0x4e\n",		  /* lock cmpxchg */
		"thread 1: 0x6867666564636261\n", /* read(2) */
	};
	struct debugged d = {0};
	char lines[2048] = "monitor restart\nmonitor watch pages\nwatch -l elements[1].field\n";

	e2e_begin(&d.e2e);
	d.program = e2e_program(&d.e2e, "writes.c", "-O1 -g -pthread");
	e2e_run(&d.e2e, WORDS("--policy=random", "--runs=1", "--keep-records", d.program));
	cr_assert_gt(asprintf(&d.record, "%s/out/records/sample-seed-1.json", d.e2e.folder), 0);
	/* memcpy may write the variable in two parts */
	for (size_t i = 0; i <= sizeof(writes) / sizeof(*writes); i++)
		strcat(lines, "continue\nprintf \"write by thread %d: %#lx\\n\", $_thread, elements[1].field\n");
	strcat(lines, "continue\nreverse-continue\nprintf \"before: %#lx\\n\", elements[1].field\n");
	say(&d, lines);
	for (size_t i = 0; i < sizeof(writes) / sizeof(*writes); i++)
		expect_said(&d, writes[i]);
	expect_said(&d, "before: 0x4e\n");
	end(&d);
}

Test(gdb, is_missed)
{
	const char *binary = getenv("RFSUP");
	char command[4 * PATH_MAX], path[PATH_MAX], real[PATH_MAX], *said;
	struct debugged d;
	int status;

	begin(&d, "cp", "figure1", "pairs");
	cr_assert_not_null(realpath(binary ? binary : RFS_BUILD "/rfsup", real));
	snprintf(path, sizeof(path), "%s/said", d.e2e.folder);
	snprintf(command, sizeof(command), "env -i PATH=/nonexistent '%s' --replay '%s' --gdb >'%s' 2>&1 </dev/null",
		 real, d.record, path);
	status = system(command); // NOLINT(cert-env33-c): no foreign input
	said = e2e_text(path);
	e2e_expect(&d.e2e, WIFEXITED(status) && WEXITSTATUS(status) == 2, "status %d", status);
	e2e_expect(&d.e2e, said && strstr(said, "gdb is not in PATH; install it"), "%s", said ? said : "");
	free(said);
	snprintf(command, sizeof(command), "env TMPDIR=/nonexistent '%s' --replay '%s' --gdb >'%s' 2>&1 </dev/null",
		 real, d.record, path);
	status = system(command); // NOLINT(cert-env33-c): no foreign input
	said = e2e_text(path);
	e2e_expect(&d.e2e, WIFEXITED(status) && WEXITSTATUS(status) == 2, "status %d", status);
	e2e_expect(&d.e2e, said && strstr(said, "cannot create a directory for gdb's socket"), "%s", said ? said : "");
	free(said);
	end(&d);
}
