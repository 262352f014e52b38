/*
 * gdb_session.h - rfsup --replay FILE --gdb: starts the replay and gdb, and connects them.
 *
 * There are three processes:
 * - This process starts the other two and waits for them.
 * - A child does the replay (its job process is the tracer).
 * - gdb runs in the foreground of the terminal. This process starts gdb when the replay has reached its first stop.
 *
 * gdb and the tracer talk through a Unix socket in a folder that only this user can enter. So there is no port number
 * that could be in use already, and no other user can connect. With --gdb-port it is a TCP port, for front ends that
 * know no other way (debug_socket.h).
 */
#ifndef RFS_GDB_SESSION_H
#define RFS_GDB_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "supervisor/base/error.h"

struct rfs_gdb_settings;

/* What the child executes: a replay under this debugger. The result is the child's exit status. */
typedef enum rfs_exit rfs_debugged_fn(void *arg, const struct rfs_gdb_settings *settings);

/* The debugger of a session. */
struct rfs_gdb_front {
	char *const *arguments; /* more arguments for gdb; ends with NULL */
	bool waits;		/* start no gdb, but say how to connect, and wait for a debugger */
	const char *port;	/* `waits`: [HOST:]PORT; NULL: a Unix socket */
};

/*
 * Runs a whole session. stop_at: as in struct rfs_gdb_settings. Returns what replay() returned, after gdb has ended
 * too. If gdb is needed and not installed: prints a line and exits with RFS_EXIT_INPUT.
 */
enum rfs_exit rfs_gdb_session(const struct rfs_gdb_front *front, uint64_t stop_at, int cancel_fd,
			      rfs_debugged_fn *replay, void *arg);

#endif
