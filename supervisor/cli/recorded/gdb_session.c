/* gdb_session.c - starts the replay and gdb, and waits for both. gdb/ answers the packets. */
#include "supervisor/cli/recorded/gdb_session.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/cli/recorded/debug_socket.h"
#include "supervisor/gdb/gdb.h"

struct session {
	/* folder: "" if the socket is a TCP port; path: NULL then; address: how a debugger names the socket */
	char folder[80], *path, *commands, *address;
	int listener, control; /* listener: the socket for gdb; control: our end of the channel to the replay */
	int cancel_fd;
	bool waits;
};

/* Whether the folders of PATH contain this program; searches them as execvp() does. */
static bool is_in_path(const char *name)
{
	const char *path = getenv("PATH");
	char *copy = xstrdup(path ? path : "/bin:/usr/bin"), *rest = copy, *folder;
	bool found = false;

	while (!found && (folder = strsep(&rest, ":"))) {
		char *file = xasprintf("%s/%s", *folder ? folder : ".", name);

		found = access(file, X_OK) == 0;
		free(file);
	}
	free(copy);
	return found;
}

/* Creates the Unix socket that gdb will connect to. A path of more than about a hundred bytes is not possible. */
static void open_socket(struct session *s)
{
	const char *tmp = getenv("TMPDIR");

	if (!tmp || *tmp != '/' || strlen(tmp) > 60)
		tmp = "/tmp";
	snprintf(s->folder, sizeof(s->folder), "%s/rfsup-gdb-XXXXXX", tmp);
	if (!mkdtemp(s->folder))
		die("--gdb: cannot create a directory for gdb's socket in %s: %s", tmp, strerror(errno));
	s->path = xasprintf("%s/gdb", s->folder);
	s->address = xstrdup(s->path);
	s->commands = xasprintf("%s/commands", s->folder);
	s->listener = rfs_debug_socket_unix(s->path);
	if (s->listener < 0) {
		rmdir(s->folder);
		die("--gdb: cannot open gdb's socket %s: %s", s->path, strerror(-s->listener));
	}
}

static void close_socket(struct session *s)
{
	close(s->listener);
	if (s->path) {
		unlink(s->path);
		unlink(s->commands);
		rmdir(s->folder);
	}
	free(s->path);
	free(s->commands);
	free(s->address);
}

/*
 * Commands for gdb. After `monitor` has named another moment, `continue` goes there and shows it. gdb's own commands
 * for such things cannot work with a server, so they call those of rfsup. gdb would ask whether it may replace them.
 * rfsup-open selects the frame of the user's code, and rfsup-shown prints it, or the innermost one if gdb does not find
 * that frame.
 */
static const char commands[] = "define hookpost-monitor\n"
			       "if *(unsigned char *)%#llx\n"
			       "continue\n"
			       "end\n"
			       "end\n"
			       "set $_rfsup_confirm = $_gdb_setting(\"confirm\")\n"
			       "set confirm off\n"
			       "define run\n"
			       "monitor restart\n"
			       "end\n"
			       "define checkpoint\n"
			       "monitor checkpoint\n"
			       "end\n"
			       "define restart\n"
			       "monitor back $arg0\n"
			       "end\n"
			       "define rfsup-open\n"
			       "while $pc != $arg0\n"
			       "up-silently\n"
			       "end\n"
			       "set $_rfsup_inlined = $arg1\n"
			       "while $_rfsup_inlined > 0\n"
			       "up-silently\n"
			       "set $_rfsup_inlined = $_rfsup_inlined - 1\n"
			       "end\n"
			       "end\n"
			       "define rfsup-shown\n"
			       "if $pc == $arg0\n"
			       "frame\n"
			       "else\n"
			       "frame 0\n"
			       "end\n"
			       "end\n"
			       "if $_rfsup_confirm\n"
			       "set confirm on\n"
			       "end\n";

static void write_commands(const struct session *s)
{
	FILE *out = fopen(s->commands, "we");

	if (!out)
		return;
	fprintf(out, commands, (unsigned long long)RFS_GDB_TRAVELS_AT);
	fclose(out);
}

/* An owned list of words, which ends with NULL. */
struct words {
	char **list;
	size_t n;
};

static void add_word(struct words *words, char *word)
{
	words->list = xreallocarray(words->list, words->n + 2, sizeof(*words->list));
	words->list[words->n++] = word;
	words->list[words->n] = NULL;
}

static void add_command(struct words *words, char *command)
{
	add_word(words, xstrdup("-ex"));
	add_word(words, command);
}

static void __attribute__((noreturn))
gdb_session_execute(const struct session *s, const struct rfs_gdb_opening *opening, char *const *arguments)
{
	/*
	 * "set sysroot /": gdb reads files from the disk itself, not through the server. "set remotetimeout 60": the
	 * default of two seconds is too short on a busy machine.
	 */
	const char *const fixed[] = {"gdb", "-q", "-iex", "set sysroot /", "-iex", "set remotetimeout 60", "-x"};
	struct words words = {0};

	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	rfs_interrupt_reset();
	for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++)
		add_word(&words, xstrdup(fixed[i]));
	add_word(&words, xstrdup(s->commands));
	/* gdb is connected before it executes the commands in the user's arguments */
	add_command(&words, xasprintf("target remote %s", s->path));
	if (opening->frame) {
		const unsigned long long frame = opening->frame;

		add_command(&words, xasprintf("rfsup-open %#llx %u", frame, opening->inlined));
		add_command(&words, xasprintf("rfsup-shown %#llx", frame));
	}
	for (; *arguments; arguments++)
		add_word(&words, xstrdup(*arguments));
	execvp("gdb", words.list);
	_exit(127);
}

/* Runs gdb and waits until it has ended. A signal for this process ends gdb. */
static void run_gdb(const struct session *s, const struct rfs_gdb_opening *opening, char *const *arguments)
{
	struct pollfd fds[] = {{.events = POLLIN}, {.fd = s->cancel_fd, .events = POLLIN}};
	int status = 0, pidfd;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid == 0)
		gdb_session_execute(s, opening, arguments);
	if (pid < 0) {
		rfs_error("--gdb: cannot start a process for gdb: %s", strerror(errno));
		return;
	}
	/* as long as gdb runs, Ctrl-C is for gdb only */
	signal(SIGINT, SIG_IGN);
	pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	fds[0].fd = pidfd;
	while (pidfd >= 0 && poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (fds[1].revents)
		kill(pid, SIGTERM);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pidfd >= 0)
		close(pidfd);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		rfs_error("--gdb: cannot start gdb");
}

static pid_t start_replay(struct session *s, uint64_t stop_at, rfs_debugged_fn *replay, void *arg)
{
	struct rfs_gdb_settings settings = {
		.listener = s->listener, .path = s->path, .waits = s->waits, .stop_at = stop_at};
	pid_t parent = getpid(), pid;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
		close_socket(s);
		die("--gdb: cannot open a channel to the replay: %s", strerror(errno));
	}
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		close_socket(s);
		die("--gdb: cannot start a process for the replay: %s", strerror(errno));
	}
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
		if (getppid() != parent)
			_exit(RFS_EXIT_INCOMPLETE);
		setpgid(0, 0);
		close(ends[0]);
		settings.control = ends[1];
		exit(replay(arg, &settings));
	}
	close(ends[1]);
	s->control = ends[0];
	return pid;
}

/* Waits until the replay has ended. A signal for this process ends it: the terminal sends Ctrl-C only to this one. */
static void wait_for_debugger(const struct session *s, pid_t replay)
{
	int pidfd = (int)syscall(SYS_pidfd_open, replay, 0);
	struct pollfd fds[] = {{.fd = pidfd, .events = POLLIN}, {.fd = s->cancel_fd, .events = POLLIN}};

	rfs_say("replay: waiting for a debugger; in gdb: target remote %s; in lldb: %s%s", s->address,
		s->path ? "process connect --plugin gdb-remote unix-connect://" : "gdb-remote ", s->address);
	fflush(NULL);
	while (pidfd >= 0 && poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (fds[1].revents)
		kill(replay, SIGTERM);
	if (pidfd >= 0)
		close(pidfd);
}

enum rfs_exit rfs_gdb_session(const struct rfs_gdb_front *front, uint64_t stop_at, int cancel_fd,
			      rfs_debugged_fn *replay, void *arg)
{
	struct session s = {.cancel_fd = cancel_fd, .waits = front->waits};
	struct rfs_gdb_opening opening;
	int status = 0;
	ssize_t n;
	pid_t pid;

	if (!front->waits && !is_in_path("gdb"))
		die("--gdb: gdb is not in PATH; install it (Debian: apt-get install gdb) or remove --gdb");
	if (front->port)
		s.listener = rfs_debug_socket_tcp(front->port, &s.address);
	else
		open_socket(&s);
	if (!front->waits)
		write_commands(&s);
	pid = start_replay(&s, stop_at, replay, arg);
	do
		n = recv(s.control, &opening, sizeof(opening), 0);
	while (n < 0 && errno == EINTR);
	if (n == (ssize_t)sizeof(opening)) {
		rfs_say("replay: %s", opening.where);
		if (front->waits)
			wait_for_debugger(&s, pid);
		else
			run_gdb(&s, &opening, front->arguments);
	}
	/* the replay waits until this channel is closed, and then reports how the run ended */
	close(s.control);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	close_socket(&s);
	return WIFEXITED(status) ? (enum rfs_exit)WEXITSTATUS(status) : RFS_EXIT_UNCONTROLLED;
}
