/*
 * gdb_link.h - sends and receives packets of the remote serial protocol over a socket: $data#checksum, with "}" as
 * escape character.
 *
 * gdb asks for control of the target with the single byte 0x03. The protocol has acknowledgements, which are not needed
 * here because a socket loses nothing. rfsup sends them until gdb turns them off, but never waits for them.
 */
#ifndef RFS_GDB_LINK_H
#define RFS_GDB_LINK_H

#include <stdbool.h>
#include <stddef.h>

/* The largest size of a packet's data, in both directions. The server sends it to gdb (PacketSize). */
#define RFS_GDB_PACKET_MAX 16384

struct rfs_gdb_link {
	int fd;
	bool no_ack;
	size_t n; /* number of received bytes in `in` */
	unsigned char in[2 * RFS_GDB_PACKET_MAX];
};

struct rfs_gdb_packet {
	char data[RFS_GDB_PACKET_MAX + 1]; /* without escapes; ends with NUL */
	size_t n;
};

/*
 * Waits for the next packet. stop: a descriptor that ends the wait when it becomes readable; -1: none. 1: *out is
 * filled. 0: gdb asks for control of the target. -EPIPE: gdb is gone. -ECANCELED: `stop` is readable. -EPROTO: the
 * packet is too long.
 */
int rfs_gdb_receive(struct rfs_gdb_link *link, int stop, struct rfs_gdb_packet *out)
	__attribute__((warn_unused_result));
/* True if gdb has asked for control of the target, or is gone. Does not wait. */
bool rfs_gdb_wanted(struct rfs_gdb_link *link);
/* Sends a packet with n bytes of data, which it escapes. If gdb is gone, the next rfs_gdb_receive() reports that. */
void rfs_gdb_send(const struct rfs_gdb_link *link, const void *data, size_t n);

#endif
