/* inputs WHAT [FILE]: a thread reads one kind of outside input. Exit status 0, or 1 if that failed. */
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static char **words;

static int from_file(void)
{
	char text[64];
	int fd = open(words[2], O_RDONLY);

	return fd < 0 || read(fd, text, sizeof(text)) <= 0;
}

static int from_shared_memory(void)
{
	int fd = open(words[2], O_RDWR);
	char *map = mmap(NULL, 1, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return map == MAP_FAILED || *map == 0;
}

static int from_child(void)
{
	int status = 1;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid < 0 || waitpid(pid, &status, 0) != pid || status != 0;
}

static int from_oneself(void)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)}, who;
	int a = socket(AF_INET, SOCK_DGRAM, 0), b = socket(AF_INET, SOCK_DGRAM, 0);
	socklen_t size = sizeof(at);
	char text[8];

	if (bind(a, (struct sockaddr *)&at, size) != 0 || getsockname(a, (struct sockaddr *)&at, &size) != 0)
		return 1;
	if (sendto(b, "hi", 2, 0, (struct sockaddr *)&at, size) != 2)
		return 1;
	size = sizeof(who);
	return recvfrom(a, text, sizeof(text), 0, (struct sockaddr *)&who, &size) != 2;
}

static int from_kernel(void)
{
	struct {
		struct nlmsghdr head;
		struct rtgenmsg body;
	} ask = {.head = {.nlmsg_len = sizeof(ask),
			  .nlmsg_type = RTM_GETLINK,
			  .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP}};
	int fd = socket(AF_NETLINK, SOCK_RAW, NETLINK_ROUTE);
	char text[8192];

	return send(fd, &ask, sizeof(ask), 0) < 0 || recv(fd, text, sizeof(text), 0) <= 0;
}

/* Receives a descriptor through a socket. */
static int from_rights(void)
{
	union {
		char room[CMSG_SPACE(sizeof(int))];
		struct cmsghdr head;
	} control = {0};
	struct iovec data = {"x", 1};
	struct msghdr message = {
		.msg_iov = &data, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof(control)};
	char text[1];
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		return 1;
	control.head = (struct cmsghdr){CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.head), &ends[0], sizeof(int));
	if (sendmsg(ends[0], &message, 0) != 1)
		return 1;
	data.iov_base = text;
	return recvmsg(ends[1], &message, 0) != 1;
}

/* Reads a line from a terminal, or anything from a device. Nothing to read is also an answer of a device. */
static int from_device(void)
{
	char text[64];
	int fd = open(words[2], O_RDONLY | O_NOCTTY);
	ssize_t n;

	if (fd < 0)
		return 1;
	n = read(fd, text, sizeof(text));
	return strcmp(words[1], "terminal") == 0 && (n < 2 || memcmp(text, "hi", 2) != 0);
}

static void *take(void *failed)
{
	static const struct {
		const char *name;
		int (*take)(void);
	} kinds[] = {
		{"file", from_file},	   {"memory", from_shared_memory}, {"child", from_child},
		{"oneself", from_oneself}, {"kernel", from_kernel},	   {"rights", from_rights},
		{"terminal", from_device}, {"device", from_device},
	};

	*(int *)failed = 1;
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(words[1], kinds[i].name) == 0)
			*(int *)failed = kinds[i].take();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int failed = 1;

	words = argv;
	if (argc < 2 || pthread_create(&thread, NULL, take, &failed) != 0)
		return 1;
	pthread_join(thread, NULL);
	return failed;
}
