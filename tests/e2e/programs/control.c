/*
 * control asks | filter | int80 | x32 | stop | accept | fault | terminal | files N | restart | daemon | forever | held:
 * does one thing that a controlled program may do, with a second thread. forever never ends; held never ends if it is
 * controlled. Exit status: 0 if all is right, otherwise the number of the failed check.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#define X32 0x40000000l

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int counter;

static void *count(void *arg)
{
	for (int i = 0; i < 3; i++) {
		pthread_mutex_lock(&lock);
		counter++;
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

/* Whether rfsup controls the program: the ids that it shows are above PID_MAX_LIMIT. Only then its answers are checked.
 */
static int is_controlled(void)
{
	return getpid() > 1 << 22;
}

static int asks(void)
{
	static char area[32] __attribute__((aligned(32)));

	if (!is_controlled())
		return 0;
	if (syscall(SYS_rseq, area, sizeof(area), 0, 0x53053053) != -1 || errno != ENOSYS)
		return 2;
	if (syscall(SYS_io_uring_setup, 1, area) != -1 || errno != ENOSYS)
		return 3;
	if (ptrace(PTRACE_TRACEME, 0, 0, 0) != -1 || errno != EPERM)
		return 4;
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 0)
		return 5;
	return 0;
}

/* Installs a seccomp filter of the program, in addition to the supervisor's filter. */
static int filter(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EXDEV),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		return 2;
	if (syscall(SYS_getppid) != -1 || errno != EXDEV)
		return 3;
	return 0;
}

static int foreign(int x32)
{
	long result;

	if (x32)
		__asm__ volatile("syscall" : "=a"(result) : "a"(X32 + SYS_getpid) : "rcx", "r11", "memory");
	else
		__asm__ volatile("int $0x80" : "=a"(result) : "a"(20l) : "r8", "r9", "r10", "r11", "memory");
	(void)result; /* without rfsup, either call may fail, depending on the kernel */
	return 0;
}

/* Stops itself with SIGSTOP. A child process continues it. */
static int stop(void)
{
	pid_t parent = getpid(), child = fork();

	if (child == 0)
		for (;;) {
			usleep(5000);
			kill(parent, SIGCONT);
		}
	if (child < 0 || raise(SIGSTOP))
		return 2;
	if (kill(child, SIGKILL) || waitpid(child, NULL, 0) != child)
		return 3;
	return 0;
}

/* Waits until the test connects to ./socket and sends a byte. */
static int accept_one(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX, .sun_path = "socket"};
	int listening = socket(AF_UNIX, SOCK_STREAM, 0), connected;
	char byte = 0;

	unlink(name.sun_path);
	if (bind(listening, (struct sockaddr *)&name, sizeof(name)) || listen(listening, 5))
		return 2;
	connected = accept(listening, NULL, NULL);
	if (connected < 0 || read(connected, &byte, 1) != 1 || byte != 'x')
		return 3;
	return 0;
}

static char *const bad = (char *)0x1230;
extern char fault_here[], fault_next[];
static int faults, wrong;

static void on_fault(int signo, siginfo_t *info, void *context)
{
	ucontext_t *uc = context;

	(void)signo;
	faults++;
	wrong |= info->si_addr != bad + 4 || (char *)uc->uc_mcontext.gregs[REG_RIP] != fault_here;
	uc->uc_mcontext.gregs[REG_RIP] = (greg_t)fault_next;
}

/* A separate function, so that the assembler gets its symbols only once even if the compiler unrolls a loop. */
__attribute__((noinline, noclone)) static void touch(char *address)
{
	__asm__ volatile(".globl fault_here, fault_next\nfault_here: mov %%eax, 4(%0)\nfault_next:"
			 :
			 : "r"(address)
			 : "memory");
}

/* A watched access faults. The handler must see the signal and addresses of the program's own instruction. */
static int fault(void)
{
	struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};

	sigaction(SIGSEGV, &action, NULL);
	touch(bad);
	touch(bad);
	return faults != 2 ? 2 : wrong ? 3 : 0;
}

static int master;

static void *type_line(void *arg)
{
	return write(master, "line\n", 5) == 5 ? arg : NULL;
}

/* One thread writes a line to a terminal. Another thread reads it. */
static int terminal(void)
{
	pthread_t typing;
	char line[16];
	void *typed;
	int end;

	master = posix_openpt(O_RDWR | O_NOCTTY);
	if (master < 0 || grantpt(master) || unlockpt(master))
		return 2;
	end = open(ptsname(master), O_RDWR | O_NOCTTY);
	pthread_create(&typing, NULL, type_line, line);
	if (end < 0 || read(end, line, sizeof(line)) != 5 || memcmp(line, "line\n", 5) != 0)
		return 3;
	pthread_join(typing, &typed);
	return typed == line ? 0 : 4;
}

/* Reads and writes a regular file `times` times. */
static int files(int times)
{
	FILE *file = tmpfile();
	char byte = 0;

	for (int i = 0; i < times; i++)
		if (!file || pwrite(fileno(file), "x", 1, 0) != 1 || lseek(fileno(file), 0, SEEK_SET) ||
		    read(fileno(file), &byte, 1) != 1 || byte != 'x' || lseek(fileno(file), 0, SEEK_SET) ||
		    write(fileno(file), "y", 1) != 1)
			return 2;
	return 0;
}

/* Stops and continues a sleeping child. 0: its sleep ended normally; -1: the sleep was over before the stop. */
static int stop_and_continue(long milliseconds)
{
	struct timespec nap = {milliseconds / 1000, milliseconds % 1000 * 1000000};
	pid_t child = fork();
	int status;

	if (child == 0)
		_exit(nanosleep(&nap, NULL) ? 1 : 0);
	if (child < 0)
		return 2;
	usleep(5000);
	if (kill(child, SIGSTOP) || waitpid(child, &status, WUNTRACED) != child)
		return 3;
	if (!WIFSTOPPED(status))
		return -1;
	if (kill(child, SIGCONT) || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return 4;
	return WEXITSTATUS(status) ? 5 : 0;
}

/* A child's sleep is stopped and continued. The kernel then uses restart_syscall(2) for the rest of the sleep. */
static int restart(void)
{
	int status = -1;

	/* the sleep is in real time, and may be over too early if the machine is busy; so try longer ones */
	for (long milliseconds = 100; status < 0 && milliseconds < 10000; milliseconds *= 4)
		status = stop_and_continue(milliseconds);
	return status < 0 ? 6 : status;
}

/* The first process ends. Its child would run forever, if nothing ended it. */
static int become_daemon(void)
{
	if (daemon(1, 1))
		return 2;
	for (;;)
		pause();
}

/* The file says that the program has come as far as this. */
static void forever(void)
{
	close(creat("ready", 0600));
	for (;;) {
		pthread_mutex_lock(&lock);
		pthread_mutex_unlock(&lock);
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	pthread_t thread;
	int status = 99;

	pthread_create(&thread, NULL, count, NULL);
	if (!strcmp(what, "asks"))
		status = asks();
	else if (!strcmp(what, "filter"))
		status = filter();
	else if (!strcmp(what, "int80") || !strcmp(what, "x32"))
		status = foreign(!strcmp(what, "x32"));
	else if (!strcmp(what, "stop"))
		status = stop();
	else if (!strcmp(what, "accept"))
		status = accept_one();
	else if (!strcmp(what, "fault"))
		status = fault();
	else if (!strcmp(what, "terminal"))
		status = terminal();
	else if (!strcmp(what, "files"))
		status = files(argc > 2 ? atoi(argv[2]) : 1);
	else if (!strcmp(what, "restart"))
		status = restart();
	else if (!strcmp(what, "daemon"))
		status = become_daemon();
	else if (!strcmp(what, "forever") || (!strcmp(what, "held") && is_controlled()))
		forever();
	else if (!strcmp(what, "held"))
		status = 0;
	count(NULL);
	pthread_join(thread, NULL);
	return status ? status : counter != 6;
}
