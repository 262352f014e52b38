/* ids.c - calls with ids of processes and threads. */
#include "calls.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <linux/sched.h>
#include <linux/sockios.h>
#include <pthread.h>
#include <pty.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>

static volatile sig_atomic_t got, got_pid;

static void note(int signo, siginfo_t *info, void *context)
{
	(void)context;
	got = signo;
	got_pid = info->si_pid;
}

static void on(int signo)
{
	struct sigaction action = {.sa_sigaction = note, .sa_flags = SA_SIGINFO};

	sigaction(signo, &action, NULL);
}

static int owner(void)
{
	struct f_owner_ex ex = {F_OWNER_TID, gettid()}, back = {0};
	int ends[2];

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	on(SIGIO);
	CHECK(fcntl(ends[0], F_SETOWN, getpid()) == 0);
	CHECK(fcntl(ends[0], F_GETOWN) == getpid());
	CHECK(fcntl(ends[0], F_SETFL, O_ASYNC | O_NONBLOCK) == 0);
	CHECK(write(ends[1], "x", 1) == 1);
	CHECK(got == SIGIO);
	CHECK(fcntl(ends[0], F_SETOWN, -getpgrp()) == 0);
	CHECK(fcntl(ends[0], F_GETOWN) == -getpgrp());
	CHECK(fcntl(ends[0], F_SETOWN_EX, &ex) == 0);
	CHECK(ex.pid == gettid());
	CHECK(fcntl(ends[0], F_GETOWN_EX, &back) == 0);
	CHECK(back.type == F_OWNER_TID && back.pid == gettid());
	CHECK(fcntl(ends[0], F_SETSIG, SIGUSR1) == 0 && fcntl(ends[0], F_GETSIG) == SIGUSR1);
	on(SIGUSR1);
	CHECK(write(ends[1], "x", 1) == 1);
	CHECK(got == SIGUSR1);
	return 0;
}

static int owner_socket(void)
{
	int ends[2], pid = getpid(), back = 0;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	CHECK(ioctl(ends[0], SIOCSPGRP, &pid) == 0);
	CHECK(pid == getpid());
	CHECK(ioctl(ends[0], SIOCGPGRP, &back) == 0);
	CHECK(back == getpid());
	CHECK(ioctl(ends[0], FIOSETOWN, &pid) == 0);
	CHECK(ioctl(ends[0], FIOGETOWN, &back) == 0 && back == pid);
	return 0;
}

static int affinity(void)
{
	cpu_set_t set, back;
	pid_t child;
	int status;

	CPU_ZERO(&set);
	CPU_SET(0, &set);
	CHECK(sched_setaffinity(getpid(), sizeof(set), &set) == 0);
	CHECK(sched_getaffinity(0, sizeof(back), &back) == 0 && CPU_EQUAL(&set, &back));
	CHECK(pthread_setaffinity_np(pthread_self(), sizeof(set), &set) == 0);
	child = fork();
	if (child == 0) {
		CHECK(sched_getaffinity(getpid(), sizeof(back), &back) == 0);
		CHECK(sched_setaffinity(getppid(), sizeof(set), &set) == 0);
		pause();
	}
	CHECK(sched_setaffinity(child, sizeof(set), &set) == 0);
	CHECK(sched_getaffinity(child, sizeof(back), &back) == 0);
	CHECK(CPU_EQUAL(&set, &back));
	kill(child, SIGKILL);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(sched_setaffinity(999999, sizeof(set), &set) == -1 && errno == ESRCH);
	return 0;
}

union control {
	char bytes[CMSG_SPACE(sizeof(struct ucred))];
	struct cmsghdr align;
};

static int credentials_to(int fd, pid_t pid)
{
	struct iovec iov = {"x", 1};
	union control control = {{0}};
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);
	struct ucred cred = {pid, getuid(), getgid()};

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_CREDENTIALS;
	c->cmsg_len = CMSG_LEN(sizeof(cred));
	memcpy(CMSG_DATA(c), &cred, sizeof(cred));
	if (sendmsg(fd, &message, 0) != 1)
		return -1;
	memcpy(&cred, CMSG_DATA(c), sizeof(cred));
	return cred.pid == pid ? 0 : -1;
}

static pid_t credentials_from(int fd)
{
	char byte;
	struct iovec iov = {&byte, 1};
	union control control = {{0}};
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c;
	struct ucred cred;

	if (recvmsg(fd, &message, 0) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&message);
	if (!c || c->cmsg_type != SCM_CREDENTIALS)
		return -2;
	memcpy(&cred, CMSG_DATA(c), sizeof(cred));
	return cred.pid;
}

static int credentials(void)
{
	int ends[2], yes = 1, status;
	struct ucred peer;
	socklen_t size = sizeof(peer);
	pid_t child;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	CHECK(setsockopt(ends[0], SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) == 0);
	CHECK(getsockopt(ends[0], SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.pid == getpid());
	CHECK(credentials_to(ends[1], getpid()) == 0);
	CHECK(credentials_from(ends[0]) == getpid());
	CHECK(write(ends[1], "y", 1) == 1);
	CHECK(credentials_from(ends[0]) == getpid());
	child = fork();
	if (child == 0)
		_exit(credentials_to(ends[1], getpid()) != 0);
	CHECK(credentials_from(ends[0]) == child);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(setsockopt(ends[1], SOL_SOCKET, SO_PASSCRED, &yes, sizeof(yes)) == 0);
	CHECK(credentials_to(ends[0], getpid()) == 0);
	child = getpid();
	CHECK(IN_CHILD(credentials_from(ends[1]) != child) == 0);
	return 0;
}

static int stat_of(const char *path, int want_pid, int want_parent)
{
	FILE *file = fopen(path, "r");
	int pid = 0, ppid = 0, pgrp = 0, session = 0;
	char state;

	CHECK(file);
	CHECK(fscanf(file, "%d (%*[^)]) %c %d %d %d", &pid, &state, &ppid, &pgrp, &session) == 5);
	fclose(file);
	CHECK(pid == want_pid);
	CHECK(ppid == want_parent);
	CHECK(pgrp == getpgrp());
	CHECK(session == getsid(0));
	return 0;
}

/* The number in a field of the calling thread's stat after its name; proc(5) counts the fields from 1. */
static long field_of_stat(int number)
{
	FILE *file = fopen("/proc/thread-self/stat", "r");
	char line[1024] = "", *at;

	if (!file || !fgets(line, sizeof(line), file))
		line[0] = '\0';
	if (file)
		fclose(file);
	at = strrchr(line, ')');
	for (int i = 2; at && i < number; i++)
		at = strchr(at + 1, ' ');
	return at ? atol(at) : -1;
}

/* Under control, what the kernel measures is what getrusage() says, so that it is the same in each run. */
static int proc_measured(void)
{
	struct rusage usage;
	pid_t child;
	int status;

	if (getpid() < 5000001) /* the kernel has no such ids, but rfsup counts from this one */
		return 0;
	CHECK(getrusage(RUSAGE_SELF, &usage) == 0);
	CHECK(field_of_stat(24) * 4 == usage.ru_maxrss);
	CHECK(field_of_stat(14) == usage.ru_utime.tv_sec * 100 + usage.ru_utime.tv_usec / 10000);
	CHECK(field_of_stat(10) == 0 && field_of_stat(12) == 0 && field_of_stat(15) == 0 && field_of_stat(39) == 0);
	CHECK(field_of_stat(20) == 1 && field_of_stat(23) > 1 << 20);
	child = fork();
	if (child == 0) /* a child process runs in real time */
		_exit(field_of_stat(10) == 0 || field_of_stat(24) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	return 0;
}

static int status_line(const char *path, const char *key)
{
	FILE *file = fopen(path, "r");
	char line[256];
	int value = -1;
	size_t n = strlen(key);

	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, key, n) == 0 && line[n] == ':')
			value = atoi(line + n + 1);
	if (file)
		fclose(file);
	return value;
}

static int proc_stat(void)
{
	char path[64];
	pid_t child;
	int status;

	CHECK(stat_of("/proc/self/stat", getpid(), getppid()) == 0);
	snprintf(path, sizeof(path), "/proc/%d/stat", getpid());
	CHECK(stat_of(path, getpid(), getppid()) == 0);
	CHECK(stat_of("/proc/thread-self/stat", gettid(), getppid()) == 0);
	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", gettid());
	CHECK(stat_of(path, gettid(), getppid()) == 0);
	child = fork();
	if (child == 0) {
		int failed = stat_of("/proc/self/stat", getpid(), getppid());

		pause();
		_exit(failed != 0);
	}
	snprintf(path, sizeof(path), "/proc/%d/stat", child);
	CHECK(stat_of(path, child, getpid()) == 0);
	snprintf(path, sizeof(path), "/proc/%d/status", child);
	CHECK(status_line(path, "Pid") == child);
	CHECK(status_line(path, "PPid") == getpid());
	kill(child, SIGTERM);
	CHECK(waitpid(child, &status, 0) == child);
	return 0;
}

static int proc_status(void)
{
	CHECK(status_line("/proc/self/status", "Pid") == getpid());
	CHECK(status_line("/proc/self/status", "Tgid") == getpid());
	CHECK(status_line("/proc/self/status", "PPid") == getppid());
	CHECK(status_line("/proc/self/status", "TracerPid") == 0);
	CHECK(status_line("/proc/self/status", "Threads") == 1);
	CHECK(IN_CHILD(status_line("/proc/self/status", "Pid") != getpid() ||
		       status_line("/proc/self/status", "PPid") != getppid()) == 0);
	return 0;
}

static int proc_children(void)
{
	char path[64], line[64];
	pid_t child = fork();
	FILE *file;
	int seen = 0, status;

	if (child == 0) {
		pause();
		_exit(0);
	}
	snprintf(path, sizeof(path), "/proc/self/task/%d/children", gettid());
	file = fopen(path, "r");
	if (file) {
		CHECK(fgets(line, sizeof(line), file));
		seen = atoi(line);
		CHECK(seen == child);
	}
	kill(child, SIGKILL);
	CHECK(waitpid(child, &status, 0) == child);
	return 0;
}

static int lock_owner(void)
{
	char name[] = "/tmp/lock-XXXXXX";
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 10};
	int fd = mkstemp(name), ready[2], status;
	pid_t child;
	char byte;

	CHECK(fd >= 0 && pipe(ready) == 0);
	unlink(name);
	child = fork();
	if (child == 0) {
		struct flock own = lock;

		(void)!(fcntl(fd, F_SETLK, &own));
		(void)!write(ready[1], "x", 1);
		pause();
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	CHECK(fcntl(fd, F_GETLK, &lock) == 0);
	CHECK(lock.l_type == F_WRLCK);
	CHECK(lock.l_pid == child);
	kill(child, SIGKILL);
	CHECK(waitpid(child, &status, 0) == child);
	CHECK(fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type == F_UNLCK);
	return 0;
}

static int ipc_pids(void)
{
	int sem = semget(IPC_PRIVATE, 1, 0600 | IPC_CREAT), shm = shmget(IPC_PRIVATE, 4096, 0600 | IPC_CREAT),
	    msg = msgget(IPC_PRIVATE, 0600 | IPC_CREAT);
	struct sembuf up = {0, 1, 0};
	struct shmid_ds shm_state;
	struct msqid_ds msg_state;
	struct {
		long type;
		char text[4];
	} message = {1, "abc"};
	int by_sem, status;
	void *at;
	pid_t child;

	CHECK(sem >= 0 && shm >= 0 && msg >= 0);
	CHECK(semop(sem, &up, 1) == 0);
	by_sem = semctl(sem, 0, GETPID);
	at = shmat(shm, NULL, 0);
	CHECK(at != (void *)-1);
	CHECK(shmctl(shm, IPC_STAT, &shm_state) == 0);
	CHECK(msgsnd(msg, &message, 4, 0) == 0);
	child = fork();
	if (child == 0)
		_exit(msgrcv(msg, &message, 4, 0, 0) != 4 || semop(sem, &up, 1) != 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	CHECK(msgctl(msg, IPC_STAT, &msg_state) == 0);
	CHECK(semctl(sem, 0, GETPID) == child);
	semctl(sem, 0, IPC_RMID);
	shmctl(shm, IPC_RMID, NULL);
	msgctl(msg, IPC_RMID, NULL);
	CHECK(by_sem == getpid());
	CHECK(shm_state.shm_cpid == getpid());
	CHECK(shm_state.shm_lpid == getpid());
	CHECK(msg_state.msg_lspid == getpid());
	CHECK(msg_state.msg_lrpid == child);
	return 0;
}

static int on_terminal(int slave)
{
	pid_t child;
	int status;

	CHECK(setsid() == getpid());
	CHECK(ioctl(slave, TIOCSCTTY, 0) == 0);
	CHECK(tcgetpgrp(slave) == getpid());
	CHECK(tcgetsid(slave) == getpid());
	signal(SIGTTOU, SIG_IGN);
	child = fork();
	if (child == 0) {
		pause();
		_exit(0);
	}
	CHECK(setpgid(child, child) == 0);
	CHECK(tcsetpgrp(slave, child) == 0);
	CHECK(tcgetpgrp(slave) == child);
	CHECK(tcsetpgrp(slave, getpid()) == 0);
	CHECK(tcgetpgrp(slave) == getpid());
	CHECK(kill(-child, SIGKILL) == 0);
	CHECK(waitpid(-child, &status, 0) == child);
	return 0;
}

static int terminal(void)
{
	int master, slave;

	CHECK(openpty(&master, &slave, NULL, NULL, NULL) == 0);
	CHECK(IN_CHILD(on_terminal(slave)) == 0);
	return 0;
}

static int signal_sender(void)
{
	struct timespec second = {1, 0};
	siginfo_t info = {0};
	struct signalfd_siginfo from = {0};
	sigset_t set;
	int fd, status;
	pid_t child;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaddset(&set, SIGCHLD);
	CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
	CHECK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 7}) == 0);
	CHECK(sigtimedwait(&set, &info, &second) == SIGUSR1);
	CHECK(info.si_pid == getpid() && info.si_value.sival_int == 7);
	child = fork();
	if (child == 0)
		_exit(kill(getppid(), SIGUSR1));
	CHECK(sigwaitinfo(&set, &info) == SIGUSR1);
	CHECK(info.si_pid == child);
	CHECK(sigwaitinfo(&set, &info) == SIGCHLD);
	CHECK(info.si_pid == child);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	fd = signalfd(-1, &set, 0);
	CHECK(raise(SIGUSR1) == 0);
	CHECK(read(fd, &from, sizeof(from)) == sizeof(from));
	CHECK(from.ssi_pid == (unsigned)getpid());
	child = fork();
	if (child == 0)
		_exit(0);
	CHECK(read(fd, &from, sizeof(from)) == sizeof(from));
	CHECK(from.ssi_signo == SIGCHLD && from.ssi_pid == (unsigned)child);
	return 0;
}

static int child_limits(void)
{
	struct rlimit limit;
	pid_t child = fork();
	static char here[4] = "abc";
	char there[4] = "";
	struct iovec local = {there, 4}, remote = {here, 4};
	int status;

	if (child == 0) {
		pause();
		_exit(0);
	}
	CHECK(prlimit(child, RLIMIT_NOFILE, NULL, &limit) == 0);
	CHECK(getpgid(child) == getpgrp() && getsid(child) == getsid(0));
	CHECK(setpgid(child, 0) == 0 && getpgid(child) == child);
	CHECK(process_vm_readv(child, &local, 1, &remote, 1, 0) == 4 && strcmp(there, "abc") == 0);
	CHECK(getpriority(PRIO_PROCESS, child) == getpriority(PRIO_PROCESS, 0));
	CHECK(sched_getscheduler(child) == SCHED_OTHER);
	CHECK(kill(child, SIGKILL) == 0);
	CHECK(waitpid(-child, &status, 0) == child && WIFSIGNALED(status));
	return 0;
}

static int pidfds(void)
{
	struct clone_args args = {.flags = CLONE_PIDFD, .exit_signal = SIGCHLD};
	int fd = -1, status = 0;
	char path[64];
	siginfo_t info = {0};
	pid_t child;

	args.pidfd = (unsigned long)&fd;
	child = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (child == 0) {
		pause();
		_exit(3);
	}
	CHECK(child > 0 && fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	CHECK(status_line(path, "Pid") == child);
	CHECK(syscall(SYS_pidfd_send_signal, fd, SIGTERM, NULL, 0) == 0);
	CHECK(waitid(P_PIDFD, (id_t)fd, &info, WEXITED | WNOWAIT) == 0);
	CHECK(info.si_pid == child && info.si_status == SIGTERM);
	CHECK(waitid(P_PID, (id_t)child, &info, WEXITED) == 0 && info.si_pid == child);
	CHECK(status == 0);
	return 0;
}

static int settid(void)
{
	static pid_t parent_word, child_word;
	int status;
	pid_t child = (pid_t)syscall(SYS_clone, CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | SIGCHLD, NULL, &parent_word,
				     &child_word, 0);

	if (child == 0)
		_exit(child_word != getpid());
	CHECK(parent_word == child);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	return 0;
}

static int sent_to_group(void)
{
	int status, ready[2];
	pid_t child;
	char byte;

	CHECK(pipe(ready) == 0);
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		on(SIGUSR2);
		(void)!write(ready[1], "x", 1);
		while (!got)
			pause();
		_exit(got_pid != getppid());
	}
	CHECK(read(ready[0], &byte, 1) == 1);
	CHECK(killpg(child, SIGUSR2) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	on(SIGUSR1);
	setpgid(0, 0);
	CHECK(kill(0, SIGUSR1) == 0 && got == SIGUSR1 && got_pid == getpid());
	return 0;
}

static int kcmps(void)
{
	CHECK(syscall(SYS_kcmp, getpid(), getpid(), KCMP_FILE, 1, 1) == 0);
	CHECK(syscall(SYS_kcmp, getpid(), getpid(), KCMP_VM, 0, 0) == 0);
	CHECK(IN_CHILD(syscall(SYS_kcmp, getppid(), getpid(), KCMP_FILE, 1, 1) != 0) == 0);
	return 0;
}

static int timer_thread(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1};
	struct itimerspec when = {.it_value = {0, 1000000}};
	timer_t timer;

	on(SIGUSR1);
	event._sigev_un._tid = gettid();
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	CHECK(timer_settime(timer, 0, &when, NULL) == 0);
	while (!got)
		usleep(1000);
	CHECK(timer_delete(timer) == 0);
	return 0;
}

CALLS_MAIN(CASE(owner), CASE(owner_socket), CASE(affinity), CASE(credentials), CASE(proc_stat), CASE(proc_measured),
	   CASE(proc_status), CASE(proc_children), CASE(lock_owner), CASE(ipc_pids), CASE(terminal),
	   CASE(signal_sender), CASE(child_limits), CASE(pidfds), CASE(settid), CASE(sent_to_group), CASE(kcmps),
	   CASE(timer_thread))
