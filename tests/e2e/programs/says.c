/*
 * says HOW: reads a random value from the kernel, which rfsup does not make the same in every run. Writes it in the way
 * HOW. The operations are the same in every run.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	char text[32] = "";
	struct iovec piece = {text, sizeof(text)};
	struct mmsghdr messages[1] = {{.msg_hdr = {.msg_iov = &piece, .msg_iovlen = 1}}};
	int ends[2], sockets[2], uuid = open("/proc/sys/kernel/random/uuid", O_RDONLY | O_CLOEXEC);
	ssize_t n = read(uuid, text, sizeof(text));

	if (n != sizeof(text) || pipe(ends) || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return 2;
	if (!strcmp(how, "write"))
		n = write(ends[1], text, sizeof(text));
	else if (!strcmp(how, "writev"))
		n = writev(ends[1], &piece, 1);
	else if (!strcmp(how, "vmsplice"))
		n = vmsplice(ends[1], &piece, 1, 0);
	else if (!strcmp(how, "send"))
		n = send(sockets[1], text, sizeof(text), 0);
	else if (!strcmp(how, "sendmsg"))
		n = sendmsg(sockets[1], &messages[0].msg_hdr, 0);
	else if (!strcmp(how, "sendmmsg"))
		n = sendmmsg(sockets[1], messages, 1, 0) == 1 ? (ssize_t)messages[0].msg_len : -1;
	else if (strcmp(how, "nothing") != 0)
		return 3;
	return n != sizeof(text);
}
