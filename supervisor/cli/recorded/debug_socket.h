/* debug_socket.h - the socket at which a replay waits for a debugger. */
#ifndef RFS_DEBUG_SOCKET_H
#define RFS_DEBUG_SOCKET_H

/*
 * Opens a Unix socket at this path. bind() and gdb accept only paths of about a hundred bytes. The descriptor, or
 * -errno.
 */
int rfs_debug_socket_unix(const char *path) __attribute__((warn_unused_result));
/*
 * Opens a TCP socket at [HOST:]PORT. Without HOST only this machine can connect. Port 0: a free one. Sets *address to
 * HOST:PORT as debuggers write it; the caller frees it. The program ends if the socket cannot be opened.
 */
int rfs_debug_socket_tcp(const char *port, char **address) __attribute__((warn_unused_result));

#endif
