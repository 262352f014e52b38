/*
 * gdb_link.h - packets of the remote serial protocol over a socket: $data#checksum, and "}" escapes.
 *
 * With the single byte 0x03 gdb asks for control of the target. A socket loses nothing, so the server does not wait for
 * acknowledgements. It sends them as long as gdb wants them.
 */
#ifndef RFS_GDB_LINK_H
#define RFS_GDB_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* Limit of a packet's data, in both directions; gdb is told this limit. */
#define RFS_GDB_PACKET_MAX 16384

struct rfs_gdb_link {
	int fd;
	bool no_ack;
	size_t n; /* number of bytes in `in` */
	unsigned char in[2 * RFS_GDB_PACKET_MAX];
};

struct rfs_gdb_packet {
	char data[RFS_GDB_PACKET_MAX + 1]; /* unescaped, ends with NUL */
	size_t n;
};

/* Waits for the next packet. stop: a descriptor that ends the wait when it becomes readable, -1: none. 1 and *out; 0:
 * gdb asks for control of the target; -EPIPE: gdb is gone; -ECANCELED: stop; -EPROTO: the packet is too long. */
int rfs_gdb_receive(struct rfs_gdb_link *link, int stop, struct rfs_gdb_packet *out)
	__attribute__((warn_unused_result));
/* True if gdb has asked for control of the target, or is gone. Does not wait. */
bool rfs_gdb_wanted(struct rfs_gdb_link *link);
/* Sends n bytes of data, and escapes them. If gdb is gone, the next rfs_gdb_receive() reports it. */
void rfs_gdb_send(const struct rfs_gdb_link *link, const void *data, size_t n);

#endif
