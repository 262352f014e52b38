/* ports.c - ports that the kernel picks, as the target sees them. */
#include "supervisor/kernel/ids/ports.h"

#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/kernel/core/kernel_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/descriptors/target_fd.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

/*
 * The ports that the target sees, counted down. They are above the range that Linux picks from (ip_local_port_range, up
 * to 60999), so the two kinds are rarely confused.
 */
#define SHOWN_FIRST 65535
#define SHOWN_LAST 61000

struct port {
	int type; /* SOCK_STREAM and so on: each type has its own numbers */
	in_port_t real, shown;
};

/* A port in the target's memory that is changed for the duration of a call. */
struct patch {
	rfs_addr at;
	in_port_t was; /* the target's number, which was in memory before */
};

struct call {
	pid_t tid;
	const struct rfs_syscall *row;
	unsigned long args[6];
	int type;      /* of the socket */
	bool unbound;  /* at the entry, the socket had no port */
	uint32_t room; /* size of the target's buffer for the address that the call returns */
	struct patch *patches;
	size_t n_patches;
};

struct rfs_ports {
	struct port *list;
	size_t n;
	in_port_t next;
	struct call *calls; /* calls that have not returned yet */
	size_t n_calls;
};

/* The start of both address structures, which have family and port at the same offsets. */
struct head {
	sa_family_t family;
	in_port_t port; /* in network byte order */
};

static bool is_inet(const struct head *head)
{
	return head->family == AF_INET || head->family == AF_INET6;
}

static int ports_duplicate(struct rfs_run *run, struct rfs_task *task, int fd)
{
	const pid_t pid = rfs_task_pid(task);

	return pid == rfs_fd_owner(run) ? rfs_fd_duplicate(run, fd) : rfs_fd_duplicate_from(pid, fd);
}

/* Finds the port of a socket (0: it has no port) and its type. False: the socket is not an internet socket. */
static bool ports_look(struct rfs_run *run, struct rfs_task *task, int descriptor, in_port_t *port, int *type)
{
	struct sockaddr_storage own = {0};
	socklen_t room = sizeof(own), size = sizeof(*type);
	int fd = ports_duplicate(run, task, descriptor);
	struct head head;
	bool is;

	if (fd < 0)
		return false;
	is = getsockname(fd, (struct sockaddr *)&own, &room) == 0 &&
	     getsockopt(fd, SOL_SOCKET, SO_TYPE, type, &size) == 0;
	close(fd);
	memcpy(&head, &own, sizeof(head));
	*port = ntohs(head.port);
	return is && is_inet(&head);
}

/* ---- which port is which ---- */

static struct rfs_ports *ports_of(struct rfs_run *run)
{
	if (!run->kernel->ports) {
		run->kernel->ports = xcalloc(1, sizeof(*run->kernel->ports));
		run->kernel->ports->next = SHOWN_FIRST;
	}
	return run->kernel->ports;
}

static const struct port *ports_by_real(const struct rfs_ports *ports, int type, in_port_t real)
{
	/* the newest entry is looked up, because the kernel reuses ports */
	for (size_t i = ports->n; i-- > 0;)
		if (ports->list[i].type == type && ports->list[i].real == real)
			return &ports->list[i];
	return NULL;
}

static const struct port *by_shown(const struct rfs_ports *ports, int type, in_port_t shown)
{
	for (size_t i = ports->n; i-- > 0;)
		if (ports->list[i].type == type && ports->list[i].shown == shown)
			return &ports->list[i];
	return NULL;
}

/* The kernel has given a socket this port. */
static void picked(struct rfs_run *run, int type, in_port_t real)
{
	struct rfs_ports *ports = ports_of(run);

	if (ports->next < SHOWN_LAST)
		return; /* no numbers are left, so from now on the target sees the kernel's ports */
	ports->list = xreallocarray(ports->list, ports->n + 1, sizeof(*ports->list));
	ports->list[ports->n++] = (struct port){.type = type, .real = real, .shown = ports->next--};
}

/*
 * The target has named a port itself. If the kernel picked the same port earlier, the entry of that port no longer
 * counts. The number that the target named will not be shown for another socket.
 */
static void ports_named(struct rfs_run *run, int type, in_port_t port)
{
	struct rfs_ports *ports = ports_of(run);

	for (size_t i = 0; i < ports->n; i++)
		if (ports->list[i].type == type && ports->list[i].real == port)
			ports->list[i].real = 0;
	if (port >= SHOWN_LAST && port <= ports->next)
		ports->next = (in_port_t)(port - 1);
}

/* ---- at the entry of a call ---- */

/*
 * Replaces the port in the socket address of a call by the kernel's port. False: the call has no address, or the port
 * in the address is 0, which asks the kernel to pick a port.
 */
static bool patch(struct rfs_run *run, struct rfs_task *task, struct call *call, rfs_addr address)
{
	const rfs_addr at = address + offsetof(struct head, port);
	const struct port *port;
	struct head head;
	in_port_t real;

	if (!address || rfs_space_read(rfs_task_space(task), address, &head, sizeof(head)) != 0 || !is_inet(&head) ||
	    !head.port)
		return false;
	port = run->kernel->ports ? by_shown(run->kernel->ports, call->type, ntohs(head.port)) : NULL;
	if (!port) {
		if (call->row->ports & RFS_PORT_NAMED)
			ports_named(run, call->type, ntohs(head.port));
		return true;
	}
	real = htons(port->real);
	if (rfs_space_write(rfs_task_space(task), at, &real, sizeof(real)) == 0) {
		call->patches = xreallocarray(call->patches, call->n_patches + 1, sizeof(*call->patches));
		call->patches[call->n_patches++] = (struct patch){.at = at, .was = head.port};
	}
	return true;
}

static void patch_messages(struct rfs_run *run, struct rfs_task *task, struct call *call, size_t n)
{
	rfs_addr at = call->args[1];
	struct mmsghdr message = {0};
	size_t size = call->row->data == RFS_DATA_MESSAGES ? sizeof(message) : sizeof(message.msg_hdr);

	for (size_t i = 0; i < n; i++, at += size) {
		if (rfs_space_read(rfs_task_space(task), at, &message, size) != 0)
			return;
		(void)patch(run, task, call, (rfs_addr)(uintptr_t)message.msg_hdr.msg_name);
	}
}

/*
 * Where the call writes a socket address; *size is set to where the call writes the size of that address. 0: the call
 * writes no address, or writes the address inside a message.
 */
static rfs_addr told_at(const struct rfs_syscall *row, const unsigned long *args, rfs_addr *size)
{
	bool told = (row->ports & RFS_PORT_TOLD) && row->counted;

	*size = told ? args[row->counted + 1] : 0;
	return told ? args[row->counted] : 0;
}

static bool tells(const struct rfs_syscall *row, const unsigned long *args)
{
	rfs_addr size;

	return (row->ports & RFS_PORT_TOLD) && (!row->counted || told_at(row, args, &size));
}

static bool in_messages(const struct rfs_syscall *row)
{
	return row->data == RFS_DATA_MESSAGE || row->data == RFS_DATA_MESSAGES;
}

static struct call *ports_call_of(const struct rfs_ports *ports, pid_t tid)
{
	for (size_t i = 0; i < ports->n_calls; i++)
		if (ports->calls[i].tid == tid)
			return &ports->calls[i];
	return NULL;
}

static void forget_call(struct rfs_ports *ports, pid_t tid)
{
	struct call *call = ports_call_of(ports, tid);

	if (!call)
		return;
	free(call->patches);
	*call = ports->calls[--ports->n_calls];
}

bool rfs_ports_begin(struct rfs_run *run, struct rfs_task *task, const struct rfs_syscall *row,
		     const unsigned long *args)
{
	struct call call = {.tid = rfs_task_tid(task), .row = row};
	bool picks = row->ports & RFS_PORT_PICKED, has_port;
	struct rfs_ports *ports;
	in_port_t own;
	rfs_addr size;

	if (run->kernel->input || !(picks || (run->kernel->ports && run->kernel->ports->n && tells(row, args))))
		return false;
	if (!ports_look(run, task, (int)args[0], &own, &call.type))
		return false;
	call.unbound = picks && own == 0;
	memcpy(call.args, args, sizeof(call.args));
	if (picks && in_messages(row)) {
		patch_messages(run, task, &call, row->data == RFS_DATA_MESSAGES ? args[2] : 1);
	} else if (picks && row->address) {
		has_port = patch(run, task, &call, args[row->address]);
		call.unbound &= !(has_port && (row->ports & RFS_PORT_NAMED));
	} else if (told_at(row, args, &size) &&
		   rfs_space_read(rfs_task_space(task), size, &call.room, sizeof(call.room))) {
		return false;
	}
	rfs_target_memory_forget(run);
	ports = ports_of(run);
	forget_call(ports, call.tid); /* an earlier task with this id may have ended inside its call */
	ports->calls = xreallocarray(ports->calls, ports->n_calls + 1, sizeof(*ports->calls));
	ports->calls[ports->n_calls++] = call;
	return true;
}

/* ---- at the exit of a call ---- */

static void ports_show(const struct rfs_run *run, struct rfs_task *task, const struct call *call, rfs_addr address,
		       uint32_t size)
{
	const struct port *port;
	struct head head;

	if (!address || size < sizeof(head) ||
	    rfs_space_read(rfs_task_space(task), address, &head, sizeof(head)) != 0 || !is_inet(&head))
		return;
	port = ports_by_real(run->kernel->ports, call->type, ntohs(head.port));
	if (!port)
		return;
	head.port = htons(port->shown);
	(void)!rfs_space_write(rfs_task_space(task), address, &head, sizeof(head));
}

static void show_messages(const struct rfs_run *run, struct rfs_task *task, const struct call *call, long n)
{
	rfs_addr at = call->args[1];
	struct mmsghdr message = {0};
	size_t size = call->row->data == RFS_DATA_MESSAGES ? sizeof(message) : sizeof(message.msg_hdr);

	for (long i = 0; i < n; i++, at += size) {
		if (rfs_space_read(rfs_task_space(task), at, &message, size) != 0)
			return;
		ports_show(run, task, call, (rfs_addr)(uintptr_t)message.msg_hdr.msg_name, message.msg_hdr.msg_namelen);
	}
}

static void ports_end(struct rfs_run *run, struct rfs_task *task, struct call *call)
{
	long result = (long)rfs_task_regs(task)->rax;
	rfs_addr address, size;
	uint32_t told = 0;
	in_port_t own;
	int type;

	for (size_t i = 0; i < call->n_patches; i++)
		(void)!rfs_space_write(rfs_task_space(task), call->patches[i].at, &call->patches[i].was,
				       sizeof(call->patches[i].was));
	/* also after a failed call, because a connect that is still in progress has a port */
	if (call->unbound && ports_look(run, task, (int)call->args[0], &own, &type) && own != 0)
		picked(run, type, own);
	address = told_at(call->row, call->args, &size);
	if (address && result >= 0 && rfs_space_read(rfs_task_space(task), size, &told, sizeof(told)) == 0)
		ports_show(run, task, call, address, told < call->room ? told : call->room);
	else if ((call->row->ports & RFS_PORT_TOLD) && in_messages(call->row))
		show_messages(run, task, call, call->row->data == RFS_DATA_MESSAGES ? result : result >= 0);
}

void rfs_ports_end(struct rfs_run *run, struct rfs_task *task)
{
	struct call *call = run->kernel->ports ? ports_call_of(run->kernel->ports, rfs_task_tid(task)) : NULL;

	if (!call)
		return;
	ports_end(run, task, call);
	forget_call(run->kernel->ports, call->tid);
	rfs_target_memory_forget(run);
}

void rfs_ports_release(struct rfs_run *run)
{
	struct rfs_ports *ports = run->kernel->ports;

	if (!ports)
		return;
	for (size_t i = 0; i < ports->n_calls; i++)
		free(ports->calls[i].patches);
	free(ports->calls);
	free(ports->list);
	free(ports);
}
