/* files.c - descriptors, sockets, locks of files and events. */
#include "calls.h"

#include <aio.h>
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <termios.h>
#include <time.h>

static int temporary(void)
{
	char name[] = "/tmp/file-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	return fd;
}

static int copies(void)
{
	int from = temporary(), to = temporary(), ends[2], others[2];
	off_t at = 0;
	char text[16] = "";

	CHECK(write(from, "0123456789", 10) == 10 && pipe(ends) == 0 && pipe(others) == 0);
	CHECK(sendfile(to, from, &at, 10) == 10 && at == 10);
	at = 2;
	CHECK(splice(from, &at, ends[1], NULL, 4, 0) == 4);
	CHECK(tee(ends[0], others[1], 4, 0) == 4);
	CHECK(read(ends[0], text, 4) == 4 && memcmp(text, "2345", 4) == 0);
	CHECK(read(others[0], text, 4) == 4 && memcmp(text, "2345", 4) == 0);
	struct iovec iov = {"abc", 3};
	CHECK(vmsplice(ends[1], &iov, 1, 0) == 3 && read(ends[0], text, 3) == 3 && text[2] == 'c');
	at = 0;
	CHECK(copy_file_range(from, &at, to, NULL, 5, 0) == 5);
	CHECK(lseek(to, 0, SEEK_END) == 15 && pread(to, text, 5, 10) == 5 && text[4] == '4');
	CHECK(fallocate(to, 0, 0, 8192) == 0 && ftruncate(to, 100) == 0);
	CHECK(lseek(to, 0, SEEK_HOLE) >= 15);
	return 0;
}

static int locks(void)
{
	int fd = temporary();
	char path[64];
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 5};

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	int other = open(path, O_RDWR);
	CHECK(other >= 0);
	CHECK(flock(fd, LOCK_EX) == 0 && flock(other, LOCK_EX | LOCK_NB) == -1 && errno == EWOULDBLOCK);
	CHECK(flock(fd, LOCK_UN) == 0 && flock(other, LOCK_EX | LOCK_NB) == 0);
	CHECK(fcntl(fd, F_OFD_SETLK, &lock) == 0);
	CHECK(fcntl(other, F_OFD_SETLK, &lock) == -1 && (errno == EAGAIN || errno == EACCES));
	CHECK(fcntl(other, F_OFD_GETLK, &lock) == 0 && lock.l_type == F_WRLCK && lock.l_pid == -1);
	CHECK(lockf(fd, F_TLOCK, 0) == -1 || 1);
	return 0;
}

static int lock_waits(void)
{
	int fd = temporary(), ends[2], status;
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 5};
	pid_t child;
	char byte;

	CHECK(pipe(ends) == 0);
	child = fork();
	if (child == 0) {
		fcntl(fd, F_SETLKW, &lock);
		(void)!write(ends[1], "x", 1);
		usleep(30000);
		_exit(0);
	}
	CHECK(read(ends[0], &byte, 1) == 1);
	CHECK(fcntl(fd, F_SETLKW, &lock) == 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
	return 0;
}

static int notifications(void)
{
	char folder[] = "/tmp/notify-XXXXXX", name[64], buffer[4096] __attribute__((aligned(8)));
	int fd = inotify_init1(IN_NONBLOCK), file;
	const struct inotify_event *event = (const void *)buffer;

	CHECK(mkdtemp(folder) && fd >= 0 && inotify_add_watch(fd, folder, IN_CREATE | IN_DELETE) > 0);
	CHECK(read(fd, buffer, sizeof(buffer)) == -1 && errno == EAGAIN);
	snprintf(name, sizeof(name), "%s/new", folder);
	file = creat(name, 0600);
	CHECK(file >= 0 && unlink(name) == 0 && rmdir(folder) == 0);
	struct pollfd fds = {fd, POLLIN, 0};
	CHECK(poll(&fds, 1, 1000) == 1);
	CHECK(read(fd, buffer, sizeof(buffer)) > 0 && event->mask == IN_CREATE && strcmp(event->name, "new") == 0);
	return 0;
}

static int counters(void)
{
	int fd = eventfd(3, EFD_SEMAPHORE | EFD_NONBLOCK);
	uint64_t n;

	CHECK(read(fd, &n, 8) == 8 && n == 1 && read(fd, &n, 8) == 8 && read(fd, &n, 8) == 8);
	CHECK(read(fd, &n, 8) == -1 && errno == EAGAIN);
	fd = eventfd(0, 0);
	n = 5;
	CHECK(write(fd, &n, 8) == 8 && write(fd, &n, 8) == 8 && read(fd, &n, 8) == 8 && n == 10);
	CHECK(IN_CHILD((usleep(20000), n = 9, write(fd, &n, 8) != 8)) == 0);
	CHECK(read(fd, &n, 8) == 8 && n == 9);
	return 0;
}

static int epolls(void)
{
	int epoll = epoll_create1(0), ends[2];
	struct epoll_event event = {.events = EPOLLIN | EPOLLET, .data.u64 = 42}, out[2];
	char text[8];

	CHECK(pipe(ends) == 0 && epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
	CHECK(epoll_wait(epoll, out, 2, 10) == 0);
	CHECK(write(ends[1], "ab", 2) == 2);
	CHECK(epoll_wait(epoll, out, 2, -1) == 1 && out[0].data.u64 == 42);
	CHECK(epoll_wait(epoll, out, 2, 10) == 0);
	event.events = EPOLLIN | EPOLLONESHOT;
	CHECK(epoll_ctl(epoll, EPOLL_CTL_MOD, ends[0], &event) == 0);
	CHECK(epoll_wait(epoll, out, 2, 10) == 1 && epoll_wait(epoll, out, 2, 10) == 0);
	CHECK(epoll_ctl(epoll, EPOLL_CTL_DEL, ends[0], NULL) == 0);
	CHECK(read(ends[0], text, 8) == 2);
	close(ends[1]);
	event.events = EPOLLIN;
	CHECK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event) == 0);
	CHECK(epoll_wait(epoll, out, 2, 10) == 1 && (out[0].events & EPOLLHUP));
	return 0;
}

static int pipes(void)
{
	int ends[2];
	char big[70000] = "";

	CHECK(pipe2(ends, O_NONBLOCK | O_CLOEXEC) == 0);
	CHECK(fcntl(ends[0], F_GETFD) == FD_CLOEXEC);
	CHECK(write(ends[1], big, sizeof(big)) == 65536 && write(ends[1], big, 1) == -1 && errno == EAGAIN);
	CHECK(fcntl(ends[0], F_SETPIPE_SZ, 1 << 17) >= 1 << 17 && fcntl(ends[0], F_GETPIPE_SZ) >= 1 << 17);
	int waiting = 0;
	CHECK(ioctl(ends[0], FIONREAD, &waiting) == 0 && waiting == 65536);
	CHECK(dup3(ends[0], 50, O_CLOEXEC) == 50 && fcntl(50, F_GETFD) == FD_CLOEXEC && dup2(50, 50) == 50);
	CHECK(syscall(SYS_close_range, 50, 60, 0) == 0 && fcntl(50, F_GETFD) == -1);
	CHECK(fcntl(ends[0], F_DUPFD_CLOEXEC, 30) == 30);
	return 0;
}

static int passed_files(void)
{
	int ends[2], fd = temporary(), got = -1;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	char byte = 'x';
	struct iovec iov = {&byte, 1};
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	struct cmsghdr *c = CMSG_FIRSTHDR(&message);

	CHECK(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0 && write(fd, "data", 4) == 4);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	CHECK(sendmsg(ends[0], &message, 0) == 1);
	message.msg_controllen = sizeof(control);
	CHECK(recvmsg(ends[1], &message, MSG_CMSG_CLOEXEC) == 1);
	memcpy(&got, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof(got));
	CHECK(got > fd && lseek(got, 0, SEEK_CUR) == 4 && fcntl(got, F_GETFD) == FD_CLOEXEC);
	return 0;
}

static void *connects(void *arg)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	char text[8] = "";

	if (connect(fd, arg, sizeof(struct sockaddr_in)) != 0 || send(fd, "ping", 4, 0) != 4 ||
	    recv(fd, text, 4, MSG_WAITALL) != 4)
		return NULL;
	shutdown(fd, SHUT_WR);
	close(fd);
	return strcmp(text, "pong") == 0 ? arg : NULL;
}

static int connections(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, peer;
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0), one = 1, client;
	pthread_t thread;
	char text[8] = "";
	void *result;

	CHECK(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one)) == 0);
	CHECK(bind(fd, (void *)&address, size) == 0 && listen(fd, 5) == 0);
	CHECK(getsockname(fd, (void *)&address, &size) == 0 && address.sin_port);
	pthread_create(&thread, NULL, connects, &address);
	client = accept4(fd, (void *)&peer, &size, SOCK_CLOEXEC);
	CHECK(client >= 0 && recv(client, text, 4, MSG_WAITALL) == 4 && strcmp(text, "ping") == 0);
	CHECK(send(client, "pong", 4, MSG_NOSIGNAL) == 4);
	CHECK(recv(client, text, 1, 0) == 0);
	pthread_join(thread, &result);
	CHECK(result);
	return 0;
}

static int datagrams(void)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	int receiver = socket(AF_UNIX, SOCK_DGRAM, 0), sender = socket(AF_UNIX, SOCK_DGRAM, 0);
	char one[8] = "", two[8] = "";
	struct iovec iov[2] = {{one, 8}, {two, 8}};
	struct mmsghdr messages[2] = {{.msg_hdr = {.msg_iov = &iov[0], .msg_iovlen = 1}},
				      {.msg_hdr = {.msg_iov = &iov[1], .msg_iovlen = 1}}};

	memcpy(name.sun_path, "\0calls", 6);
	snprintf(name.sun_path + 6, 32, "%d-%ld", getpid(), (long)time(NULL));
	CHECK(bind(receiver, (void *)&name, sizeof(name)) == 0);
	CHECK(connect(sender, (void *)&name, sizeof(name)) == 0);
	CHECK(send(sender, "one", 4, 0) == 4 && send(sender, "two", 4, 0) == 4);
	CHECK(recvmmsg(receiver, messages, 2, 0, NULL) == 2 && strcmp(two, "two") == 0 && messages[1].msg_len == 4);
	return 0;
}

static int entries(void)
{
	char folder[] = "/tmp/entries-XXXXXX", name[64], target[64] = "";
	DIR *dir;
	struct stat s;
	struct statx x;
	struct statfs fs;
	int n = 0, fd;

	CHECK(mkdtemp(folder));
	fd = open(folder, O_DIRECTORY | O_RDONLY);
	CHECK(mkdirat(fd, "d", 0700) == 0 && symlinkat("d", fd, "l") == 0 && mkfifoat(fd, "f", 0600) == 0);
	CHECK(readlinkat(fd, "l", target, sizeof(target)) == 1 && target[0] == 'd');
	CHECK(fstatat(fd, "f", &s, 0) == 0 && S_ISFIFO(s.st_mode));
	CHECK(statx(fd, "d", 0, STATX_ALL, &x) == 0 && S_ISDIR(x.stx_mode));
	CHECK(renameat(fd, "d", fd, "e") == 0 && faccessat(fd, "e", R_OK, 0) == 0);
	CHECK(statfs(folder, &fs) == 0);
	dir = fdopendir(dup(fd));
	while (readdir(dir))
		n++;
	CHECK(n == 5);
	rewinddir(dir);
	CHECK(readdir(dir));
	closedir(dir);
	for (int i = 0; i < 3; i++)
		CHECK(unlinkat(fd, &"e\0l\0f"[2 * i], i == 0 ? AT_REMOVEDIR : 0) == 0);
	snprintf(name, sizeof(name), "%s", folder);
	CHECK(chdir(folder) == 0 && getcwd(target, sizeof(target)) && strcmp(target, folder) == 0);
	CHECK(chdir("/") == 0 && rmdir(name) == 0);
	return 0;
}

static int attributes(void)
{
	int fd = temporary();
	struct timespec times[2] = {{1000, 0}, {2000, 0}};
	struct stat s;

	CHECK(fchmod(fd, 0640) == 0 && futimens(fd, times) == 0 && fstat(fd, &s) == 0);
	CHECK((s.st_mode & 0777) == 0640 && s.st_mtime == 2000);
	CHECK(fsetxattr(fd, "user.a", "b", 1, 0) == 0 || errno == EOPNOTSUPP);
	CHECK(fsync(fd) == 0 && fdatasync(fd) == 0 && posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED) == 0);
	CHECK(umask(077) >= 0 && umask(022) == 077);
	return 0;
}

static int vectors(void)
{
	int fd = temporary();
	char a[4] = "", b[4] = "";
	struct iovec out[2] = {{"ab", 2}, {"cd", 2}}, in[2] = {{a, 1}, {b, 3}};

	CHECK(writev(fd, out, 2) == 4 && preadv(fd, in, 2, 0) == 4 && a[0] == 'a' && memcmp(b, "bcd", 3) == 0);
	CHECK(pwritev2(fd, out, 2, 4, 0) == 4 && lseek(fd, 0, SEEK_SET) == 0 && readv(fd, in, 2) == 4);
	CHECK(read(fd, a, 0) == 0);
	return 0;
}

static int message_queues(void)
{
	char name[64], text[64] = "";
	struct mq_attr attr = {.mq_maxmsg = 4, .mq_msgsize = 64};
	mqd_t queue;
	unsigned priority;
	struct timespec t;

	snprintf(name, sizeof(name), "/calls-%d-%ld", getpid(), (long)time(NULL));
	mq_unlink(name);
	queue = mq_open(name, O_CREAT | O_EXCL | O_RDWR, 0600, &attr);
	CHECK(queue >= 0 && mq_unlink(name) == 0);
	CHECK(mq_send(queue, "low", 4, 1) == 0 && mq_send(queue, "high", 5, 9) == 0);
	CHECK(mq_receive(queue, text, 64, &priority) == 5 && priority == 9);
	CHECK(mq_receive(queue, text, 64, &priority) == 4);
	clock_gettime(CLOCK_REALTIME, &t);
	t.tv_sec++;
	CHECK(mq_timedreceive(queue, text, 64, &priority, &t) == -1 && errno == ETIMEDOUT);
	CHECK(IN_CHILD((usleep(20000), mq_send(queue, "kid", 4, 1))) == 0);
	CHECK(mq_receive(queue, text, 64, NULL) == 4);
	return 0;
}

static int system_v(void)
{
	int id = semget(IPC_PRIVATE, 2, IPC_CREAT | 0600), status;
	struct sembuf down = {0, -1, 0}, up = {0, 1, 0}, undo = {1, 1, SEM_UNDO}, nowait = {0, -1, IPC_NOWAIT};
	pid_t child;

	CHECK(id >= 0);
	child = fork();
	if (child == 0) {
		usleep(20000);
		_exit(semop(id, &up, 1) != 0 || semop(id, &undo, 1) != 0);
	}
	status = semop(id, &down, 1);
	CHECK(status == 0 && waitpid(child, &status, 0) == child && status == 0);
	CHECK(semctl(id, 1, GETVAL) == 0 && semop(id, &nowait, 1) == -1 && errno == EAGAIN);
	CHECK(semctl(id, 0, IPC_RMID) == 0);
	return 0;
}

static int asynchronous(void)
{
	int fd = temporary();
	char text[8] = "";
	struct aiocb out = {.aio_fildes = fd, .aio_buf = "async", .aio_nbytes = 5},
		     in = {.aio_fildes = fd, .aio_buf = text, .aio_nbytes = 5};
	const struct aiocb *list[] = {&out}, *list_in[] = {&in};

	CHECK(aio_write(&out) == 0 && aio_suspend(list, 1, NULL) == 0 && aio_error(&out) == 0 && aio_return(&out) == 5);
	CHECK(aio_read(&in) == 0 && aio_suspend(list_in, 1, NULL) == 0 && aio_return(&in) == 5);
	CHECK(strcmp(text, "async") == 0);
	return 0;
}

static int terminals(void)
{
	int master, slave;
	struct winsize size = {25, 80, 0, 0}, back;
	struct termios mode;
	char text[16] = "";

	CHECK(openpty(&master, &slave, NULL, NULL, &size) == 0);
	CHECK(ioctl(slave, TIOCGWINSZ, &back) == 0 && back.ws_col == 80 && isatty(slave));
	CHECK(tcgetattr(slave, &mode) == 0);
	cfmakeraw(&mode);
	CHECK(tcsetattr(slave, TCSANOW, &mode) == 0);
	CHECK(write(master, "key", 3) == 3 && read(slave, text, 16) == 3);
	CHECK(ptsname(master) && strncmp(ptsname(master), "/dev/pts/", 9) == 0);
	return 0;
}

static int leases(void)
{
	char name[] = "/tmp/lease-XXXXXX";
	int fd = mkstemp(name);

	close(fd);
	fd = open(name, O_RDONLY);
	unlink(name);
	CHECK(fcntl(fd, F_SETLEASE, F_RDLCK) == 0 || errno == EINVAL || errno == EAGAIN);
	CHECK(fcntl(fd, F_GETLEASE) == F_RDLCK || errno);
	CHECK(fcntl(fd, F_SETLEASE, F_UNLCK) == 0 || errno);
	CHECK(fcntl(fd, 9999) == -1 && errno == EINVAL);
	CHECK(ioctl(fd, 0x12345) == -1 && (errno == ENOTTY || errno == EINVAL));
	return 0;
}

static int nonblocking_connect(void)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof(address);
	int fd = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), error = 1;
	struct pollfd fds = {client, POLLOUT, 0};

	CHECK(bind(fd, (void *)&address, size) == 0 && listen(fd, 1) == 0);
	CHECK(getsockname(fd, (void *)&address, &size) == 0);
	CHECK(connect(client, (void *)&address, size) == 0 || errno == EINPROGRESS);
	CHECK(poll(&fds, 1, 1000) == 1 && (fds.revents & POLLOUT));
	size = sizeof(error);
	CHECK(getsockopt(client, SOL_SOCKET, SO_ERROR, &error, &size) == 0 && error == 0);
	CHECK(recv(client, &error, 4, 0) == -1 && errno == EAGAIN);
	return 0;
}

CALLS_MAIN(CASE(copies), CASE(locks), CASE(lock_waits), CASE(notifications), CASE(counters), CASE(epolls), CASE(pipes),
	   CASE(passed_files), CASE(connections), CASE(datagrams), CASE(entries), CASE(attributes), CASE(vectors),
	   CASE(message_queues), CASE(system_v), CASE(asynchronous), CASE(terminals), CASE(leases),
	   CASE(nonblocking_connect))
