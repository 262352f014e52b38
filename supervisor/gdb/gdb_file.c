/* gdb_file.c - opens and reads files for gdb. Writing is refused. */
#include "supervisor/gdb/gdb_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb_link.h"

/*
 * The protocol has separate error numbers. Up to this number, the errors that can occur here have the same numbers as
 * on Linux. Errors with larger numbers are sent as "unknown".
 */
#define KNOWN_ERRORS 30
#define ERROR_UNKNOWN 9999
/* The largest number of bytes in one answer. gdb asks again for the rest. */
#define PIECE (RFS_GDB_PACKET_MAX / 4)

static void write_error(int error, FILE *out)
{
	fprintf(out, "F-1,%x", error <= KNOWN_ERRORS ? (unsigned)error : ERROR_UNKNOWN);
}

/* Parses the file name at the start of a request, "NAME-IN-HEX[,…]". Caller frees; NULL: not a name. */
static char *parse_name(const char *request)
{
	size_t n = strcspn(request, ",") / 2;
	char *name = xcalloc(n + 1, 1);

	if (n > 0 && rfs_gdb_read_hex(request, name, n))
		return name;
	free(name);
	return NULL;
}

/* The file that gdb means: it knows the target's process and threads by other ids. Caller frees. */
static char *real_name(char *name, pid_t pid)
{
	char *real = NULL, *rest;
	int process, thread, end = 0;

	if (sscanf(name, "/proc/%d%n", &process, &end) != 1 || process != RFS_GDB_PROCESS || name[end] != '/')
		return name;
	rest = name + end;
	end = 0;
	if (sscanf(rest, "/task/%d%n", &thread, &end) == 1 && end)
		real = xasprintf("/proc/%d/task/%d%s", pid, pid, rest + end);
	else
		real = xasprintf("/proc/%d%s", pid, rest);
	free(name);
	return real;
}

/* request: NAME,FLAGS,MODE */
static void open_file(const char *request, pid_t pid, FILE *out)
{
	char *name = parse_name(request);
	const char *comma = strchr(request, ',');
	int fd = -1;

	if (!name || !comma || strtoul(comma + 1, NULL, 16) != O_RDONLY)
		errno = EACCES;
	else
		fd = open(name = real_name(name, pid), O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		write_error(errno, out);
	else
		fprintf(out, "F%x", (unsigned)fd);
	free(name);
}

/* request: FD,COUNT,OFFSET */
static void gdb_file_read_file(const char *request, FILE *out)
{
	unsigned long fd, count, offset;
	char bytes[PIECE];
	ssize_t got;

	if (sscanf(request, "%lx,%lx,%lx", &fd, &count, &offset) != 3) {
		write_error(EINVAL, out);
		return;
	}
	got = pread((int)fd, bytes, count < sizeof(bytes) ? count : sizeof(bytes), (off_t)offset);
	if (got < 0) {
		write_error(errno, out);
		return;
	}
	fprintf(out, "F%zx;", (size_t)got);
	fwrite(bytes, 1, (size_t)got, out);
}

static void read_link(const char *request, pid_t pid, FILE *out)
{
	char *name = parse_name(request), target[4096];
	ssize_t n = -1;

	errno = EINVAL;
	if (name)
		n = readlink(name = real_name(name, pid), target, sizeof(target));
	if (n < 0) {
		write_error(errno, out);
	} else {
		fprintf(out, "F%zx;", (size_t)n);
		fwrite(target, 1, (size_t)n, out);
	}
	free(name);
}

void rfs_gdb_file(const char *request, pid_t pid, FILE *out)
{
	if (strncmp(request, "setfs:", 6) == 0)
		fputs("F0", out); /* setfs selects the process whose file system is used; the target uses the same file
				     system as rfsup, so there is nothing to do */
	else if (strncmp(request, "open:", 5) == 0)
		open_file(request + 5, pid, out);
	else if (strncmp(request, "pread:", 6) == 0)
		gdb_file_read_file(request + 6, out);
	else if (strncmp(request, "readlink:", 9) == 0)
		read_link(request + 9, pid, out);
	else if (strncmp(request, "close:", 6) == 0)
		fputs(close((int)strtol(request + 6, NULL, 16)) == 0 ? "F0" : "F-1,9", out);
}
