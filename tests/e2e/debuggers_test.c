/*
 * debuggers_test.c - debuggers that the user starts: rfsup --replay RECORD --gdb-port PORT, or --gdb=none. Debian's gdb
 * by the protocol of IDEs (MI), lldb, and adapters that VS Code uses.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(debuggers, .timeout = 600);

/* A finding's record, and what the debugger and rfsup have printed. */
struct served {
	struct e2e e2e;
	char *program, *record, *debugger, *rfsup;
};

static void begin(struct served *s)
{
	e2e_begin(&s->e2e);
	s->program = e2e_target("O2g", "figure1");
	e2e_run(&s->e2e, WORDS("--explore=1", "--runs=2", s->program));
	cr_assert_gt(e2e_count(&s->e2e, "pairs"), 0, "%s", s->e2e.said.out);
	s->record = e2e_record(&s->e2e, e2e_item(&s->e2e, "pairs", 0));
}

static void end(struct served *s)
{
	free(s->program);
	free(s->record);
	free(s->debugger);
	free(s->rfsup);
	e2e_end(&s->e2e);
}

/* Starts the replay, and then the debugger with this shell command, in which $at is the address. */
static void serve(struct served *s, const char *options, const char *debugger)
{
	static const char script[] = "cd '%s' || exit 9\n"
				     "timeout 250 '%s' --replay '%s' %s >rfsup 2>&1 &\n"
				     "until grep -qs waiting rfsup; do kill -0 $! || exit 8; sleep 0.05; done\n"
				     "at=$(sed -n 's/.*target remote \\([^;]*\\);.*/\\1/p' rfsup) P='%s'\n"
				     "{ %s; } >debugger 2>&1\n"
				     "wait $!\n"
				     "echo status $? >>rfsup\n";
	const char *binary = getenv("RFSUP");
	char real[PATH_MAX], path[PATH_MAX], *command;
	int status;

	cr_assert_not_null(realpath(binary ? binary : RFS_BUILD "/rfsup", real));
	cr_assert_gt(asprintf(&command, script, s->e2e.folder, real, s->record, options, s->program, debugger), 0);
	status = system(command); // NOLINT(cert-env33-c): no foreign input
	e2e_expect(&s->e2e, WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %d of\n%s", status, command);
	free(command);
	free(s->rfsup);
	free(s->debugger);
	snprintf(path, sizeof(path), "%s/rfsup", s->e2e.folder);
	s->rfsup = e2e_text(path);
	snprintf(path, sizeof(path), "%s/debugger", s->e2e.folder);
	s->debugger = e2e_text(path);
}

/* Every text must be in what the debugger or rfsup has printed. The list ends with NULL. */
static void expect_all(struct served *s, const char *const *texts)
{
	for (; *texts; texts++)
		e2e_expect(&s->e2e, strstr(s->debugger, *texts) || strstr(s->rfsup, *texts),
			   "'%s' was not said:\n%s\n%s", *texts, s->debugger, s->rfsup);
}

/* MI answers at once when the program is resumed, so the next command waits for "*stopped". */
static const char by_mi[] =
	"say() { echo \"$1\"; n=0; until [ $(grep -c '^\\*stopped' debugger) -ge $2 ] || [ $n -gt 200 ]; do sleep "
	"0.05; "
	"n=$((n+1)); done; }\n"
	"{ say '-gdb-set sysroot /' 0; say \"-file-exec-and-symbols $P\" 0; say \"-target-select remote $at\" 1; "
	"say -list-target-features 1; say '-thread-info' 1; say '-break-insert fail' 1; say -exec-continue 2; say "
	"-stack-list-frames 2; "
	"say '-stack-list-variables --all-values' 2; say '-exec-step --reverse' 3; "
	"say '-exec-continue --reverse' 4; say '-exec-continue' 5; say '-gdb-exit' 5; } | timeout 240 gdb -nx -q "
	"--interpreter=mi2";

Test(debuggers, mi)
{
	struct served s = {0};

	begin(&s);
	e2e_say(&s.e2e, WORDS("--replay", s.record, "--gdb-port=192.0.2.1:1"));
	e2e_expect_status(&s.e2e, 2);
	e2e_expect(&s.e2e, strstr(s.e2e.said.err, "--gdb-port: cannot open port 192.0.2.1:1: Cannot assign requested "),
		   "%s", s.e2e.said.err);
	serve(&s, "--gdb=none", by_mi);
	expect_all(&s, WORDS("^connected", "file=\"targets/figure1.c\"", "\"reverse\"]",
			     "reason=\"breakpoint-hit\",disp=\"keep\",bkptno=\"1\"", "func=\"fail\"",
			     "frame={level=\"1\",addr=\"0x0000", "func=\"thread1\"", "name=\"what\",arg=\"1\"",
			     "\\\"ERROR1\\\"\"", "details=\"writes ", "reason=\"end-stepping-range\"",
			     "No more reverse-execution history", "status 4"));
	end(&s);
}

/*
 * What the engine of VS Code's cpptools sends for the launch.json of docs/DEBUGGERS.md (github.com/microsoft/MIEngine,
 * src/MIDebugEngine/Engine.Impl/DebuggedProcess.cs, GetInitializeCommands(), and what it asks after each stop). It
 * works asynchronously: gdb reads commands while the program runs. The commands with --reverse are ours, because its
 * source sends none.
 */
static const char by_miengine[] =
	"say() { echo \"$1\"; n=0; until [ $(grep -c '^\\*stopped' debugger) -ge $2 ] || [ $n -gt 200 ]; do sleep "
	"0.05; "
	"n=$((n+1)); done; }\n"
	"{ say '1001-gdb-set target-async on' 0; say '1002-interpreter-exec console \"set sysroot /\"' 0; "
	"say '1003-interpreter-exec console \"set remotetimeout 60\"' 0; "
	"say '1004-interpreter-exec console \"set pagination off\"' 0; say '1005-gdb-set auto-solib-add on' 0; "
	"say '1006-environment-cd /' 0; say \"1007-file-exec-and-symbols $P\" 0; "
	"say '1008-interpreter-exec console \"show architecture\"' 0; say '1009-break-insert -f main' 0; "
	"say \"1010-target-select remote $at\" 1; say '1011-list-target-features' 1; say '1012-thread-info' 1; "
	"say '1013-break-delete 1' 1; say '1014-break-insert -f fail' 1; say '1015-exec-continue' 2; "
	"say '1016-thread-info 2' 2; say '1017-stack-list-frames --thread 2 0 1000' 2; "
	"say '1018-stack-list-variables --thread 2 --frame 0 0' 2; say '1019-var-create --thread 2 --frame 0 - * "
	"\"what\"' 2; "
	"say '1020-exec-step --thread 2 --reverse' 3; say '1021-exec-next --thread 2 --reverse' 4; "
	"say '1022-exec-continue --reverse' 5; say '1023-exec-next --thread 1' 6; say '1024-exec-continue' 7; say "
	"'1025-gdb-exit' 7; } | timeout 240 gdb -nx -q --interpreter=mi";

Test(debuggers, miengine)
{
	struct served s = {0};

	begin(&s);
	serve(&s, "--gdb-port 0", by_miengine);
	expect_all(&s,
		   WORDS("1010^connected", "1011^done,features=[\"async\",\"reverse\"]", "1014^done,bkpt={",
			 "reason=\"breakpoint-hit\",disp=\"keep\",bkptno=\"2\"", "1017^done,stack=[frame={level=\"0\"",
			 "func=\"thread1\"", "1018^done,variables=[{name=\"what\",arg=\"1\"", "1019^done,name=\"var1\"",
			 "1020^running", "1021^running", "No more reverse-execution history", "1023^running",
			 "1024^running", "status 4"));
	e2e_expect(&s.e2e, !strstr(s.debugger, "^error"), "%s", s.debugger);
	end(&s);
}

/*
 * Eclipse's adapter for gdb, which VS Code and Theia use, from npm. It has no request to step back; its console has
 * gdb's commands, and after "set exec-direction reverse" its buttons go back.
 */
Test(debuggers, cdt_gdb_adapter)
{
	static const char install[] = "cd '%s' && timeout 200 npm install --prefix . --ignore-scripts --no-audit "
				      "--no-fund cdt-gdb-adapter@1.7.0 >npm 2>&1";
	static const char by_adapter[] =
		"timeout 240 python3 \"$OLDPWD/tests/e2e/programs/gdb_adapter.py\" "
		"node_modules/cdt-gdb-adapter/dist/debugTargetAdapter.js \"$P\" \"$at\" \"$OLDPWD/targets/figure1.c\"";
	struct served s = {0};
	char *command;
	int status;

	if (!e2e_full())
		cr_skip_test("the full check only: it installs a package of npm");
	if (system("command -v node npm >/dev/null")) // NOLINT(cert-env33-c): no foreign input
		cr_skip_test("node and npm are not installed");
	begin(&s);
	cr_assert_gt(asprintf(&command, install, s.e2e.folder), 0);
	status = system(command); // NOLINT(cert-env33-c): no foreign input
	free(command);
	if (status) {
		end(&s);
		cr_skip_test("npm cannot install cdt-gdb-adapter 1.7.0; is its registry there?");
	}
	serve(&s, "--gdb-port 0", by_adapter);
	/* the lines are counted from the one that reads z */
	expect_all(&s, WORDS("supportsStepBack False\ninitialized\nbreakpoints [True]\n"
			     "stopped: breakpoint in thread1, read +1\n",
			     "thread thread 0 (join of thread 1 at target.h:", "\narg = ",
			     "by the console:\nstopped: step in thread1, read +0\nbreakpoints [True, True]\n"
			     "stopped: breakpoint in thread1, read -4\n",
			     "backward:\nstopped: breakpoint in thread1, read +1\n"
			     "stopped: step in thread1, read +0\nstopped: step in thread1, read -1\n"
			     "stopped: breakpoint in thread1, read -4\n",
			     "forward again:\nbreakpoints []\nstopped: SIGABRT in ", "ended\n",
			     "replay: ended in the debugger"));
	end(&s);
}

static const char by_lldb[] =
	"timeout 240 $(command -v lldb || command -v lldb-14) --no-use-colors -b -o \"gdb-remote $at\" -o 'thread "
	"list' "
	"-o 'breakpoint set -n fail' -o continue -o bt -o 'frame variable' -o next -o 'memory region &z' -o "
	"'breakpoint delete -f' -o continue -o continue \"$P\"";

/* lldb's Debug Adapter, by its protocol. */
Test(debuggers, lldb_vscode)
{
	static const char by_adapter[] =
		"timeout 240 python3 \"$OLDPWD/tests/e2e/programs/debug_adapter.py\" \"$P\" \"$at\"";
	struct served s = {0};

	if (system("command -v lldb-vscode-14 >/dev/null")) // NOLINT(cert-env33-c): no foreign input
		cr_skip_test("lldb-vscode-14 is not installed (Debian: apt-get install lldb-14)");
	begin(&s);
	serve(&s, "--gdb-port 0", by_adapter);
	expect_all(&s, WORDS("initialized", "3 threads", "thread 1, reads 4 bytes of z at figure1.c:24",
			     "stopped: breakpoint", "frame 0: fail target.h", "frame 1: thread1 figure1.c",
			     "what = ", "\"ERROR1\"", "stopped: step", "line +1", "exited"));
	end(&s);
}

Test(debuggers, lldb)
{
	struct served s = {0};

	if (system("{ command -v lldb || command -v lldb-14; } >/dev/null")) // NOLINT(cert-env33-c): no foreign input
		cr_skip_test("lldb is not installed (Debian: apt-get install lldb)");
	begin(&s);
	serve(&s, "--gdb-port 0", by_lldb);
	/* it opens at the race; three threads are there, which do what the report says */
	expect_all(&s,
		   WORDS("stop reason = trace", "-> 38  \t", "tid = 1, 0x", "name = 'thread 0, join of thread 1 at ",
			 "tid = 2, 0x", "name = 'thread 1, reads 4 bytes of z at figure1.c:24'", "tid = 3, 0x",
			 "name = 'thread 2, writes 4 bytes of z at figure1.c:38'", "stop reason = breakpoint 1.1",
			 "frame #1: 0x", "thread1(arg=", "(const char *) what = 0x", "\"ERROR1\"",
			 "stop reason = step over", "-> 15  \t", "rw- ", "stop reason = signal SIGABRT",
			 "Process 1 exited with status = 6", "replay: same as the recorded run: signal (SIGABRT)",
			 "status 1"));
	end(&s);
}
