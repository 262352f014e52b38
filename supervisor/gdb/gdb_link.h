/*
 * gdb_link.h - packets of the remote serial protocol over a socket: $data#checksum, "}" escapes, and one byte 0x03 by
 * which gdb asks for the target back. A socket loses nothing, so acknowledgements are sent as long as gdb wants them,
 * and none is waited for.
 */
#ifndef RFS_GDB_LINK_H
#define RFS_GDB_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* Of a packet's data, both ways; gdb is told. */
#define RFS_GDB_PACKET_MAX 16384

struct rfs_gdb_link {
	int fd;
	bool no_ack;
	size_t n; /* of in */
	unsigned char in[2 * RFS_GDB_PACKET_MAX];
};

struct rfs_gdb_packet {
	char data[RFS_GDB_PACKET_MAX + 1]; /* unescaped, ends with NUL */
	size_t n;
};

/*
 * Waits for the next packet. stop: a descriptor that ends the wait when it becomes readable, -1: none. 1 and *out; 0:
 * gdb has asked for the target back; -EPIPE gdb is gone, -ECANCELED stop, -EPROTO a packet that is too long.
 */
int rfs_gdb_receive(struct rfs_gdb_link *link, int stop, struct rfs_gdb_packet *out)
	__attribute__((warn_unused_result));
/* True where gdb has asked for the target back, or is gone. Does not wait. */
bool rfs_gdb_wanted(struct rfs_gdb_link *link);
/* n bytes of data, escaped here. A gdb that is gone is noticed by the next rfs_gdb_receive(). */
void rfs_gdb_send(const struct rfs_gdb_link *link, const void *data, size_t n);

#endif
