/*
 * dwarf.c - opens debug information: a child process reads it, and this process maps the tables that the child wrote.
 *
 * libdwarf 20210528 may crash on damaged files. For example, a bad header in .debug_rnglists makes
 * dwarf_load_rnglists() free memory twice (this happens in one of ten files of the corruption test), and other faults
 * are known. No check beforehand could find all of these. So libdwarf never runs in this process. A forked child with
 * limits on CPU time and memory reads the file and writes flat tables into an anonymous file. If the child crashes or
 * exceeds a limit, the debug information counts as damaged. The tables are checked (dwarf_tables.c), because a child
 * with a corrupt heap may still finish.
 */
#include "disasm/dwarf/dwarf-priv.h"
#include "disasm/dwarf/dwarf_cache-priv.h"
#include "disasm/dwarf/dwarf_read-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The CPU limit is CPU_SECONDS plus one second for each CPU_BYTES_A_SECOND of the file. Reading needs only about 0.05 s
 * for each MiB of debug information. The rest is for compressed sections and slow machines. */
#define CPU_SECONDS 5
#define CPU_BYTES_A_SECOND (1 << 20)
/* The memory limit is MEMORY_BASE plus MEMORY_FACTOR times the size of the file. Nodes and tables need only a few times
 * the size of .debug_info. */
#define MEMORY_BASE (1ull << 30)
#define MEMORY_FACTOR 64

static void limit(int resource, rlim_t value)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return;
	limit.rlim_cur = value < limit.rlim_max ? value : limit.rlim_max;
	(void)setrlimit(resource, &limit);
}

/* Sets limits that depend on the size of the file which the child is about to read. */
static void limit_by_size(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || st.st_size < 0)
		return;
	limit(RLIMIT_CPU, CPU_SECONDS + (rlim_t)st.st_size / CPU_BYTES_A_SECOND);
#ifndef __SANITIZE_ADDRESS__ /* ASan's shadow memory alone takes terabytes */
	{
		unsigned long long pages = 0;
		FILE *file = fopen("/proc/self/statm", "re");

		/* The limit counts mappings inherited from the parent too, which may be large. */
		// NOLINTNEXTLINE(cert-err34-c): the kernel's own number
		if (file && fscanf(file, "%llu", &pages) == 1)
			limit(RLIMIT_AS,
			      pages * (rlim_t)sysconf(_SC_PAGESIZE) + MEMORY_BASE + (rlim_t)st.st_size * MEMORY_FACTOR);
		if (file)
			fclose(file);
	}
#endif
}

/* Makes sure that a crash of the child is visible as a crash and does not affect other processes. */
static void isolate_child(pid_t parent)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGXCPU, SIGTERM};
	sigset_t set;
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent) /* the parent died before the prctl() */
		_exit(1);
	for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++)
		(void)signal(faults[i], SIG_DFL);
	sigemptyset(&set);
	(void)sigprocmask(SIG_SETMASK, &set, NULL);
	limit(RLIMIT_CORE, 0);
	if (null >= 0) { /* discard what libdwarf and sanitizers print before they abort */
		(void)dup2(null, STDOUT_FILENO);
		(void)dup2(null, STDERR_FILENO);
	}
}

static __attribute__((noreturn)) void read_in_child(const char *path, int out, pid_t parent)
{
	struct rfs_dwarf_reader reader;
	struct rfs_dwarf_cache cache;
	char why[RFS_DWARF_WHY] = "";
	int fd, rc;

	isolate_child(parent);
	memset(&reader, 0, sizeof(reader));
	rfs_dwarf_tables_init(&reader.tables);
	fd = rfs_dwarf_find(&reader, path, why, sizeof(why));
	if (fd < 0)
		_exit(rfs_dwarf_write(out, fd, why, NULL) ? 1 : 0);
	rfs_dwarf_cache_open(&cache, fd, path);
	if (rfs_dwarf_cache_load(&cache, out))
		_exit(0);
	limit_by_size(fd);
	rc = rfs_dwarf_read(&reader, fd, why, sizeof(why));
	if (rfs_dwarf_write(out, rc, why, rc ? NULL : &reader.tables))
		_exit(1);
	if (!rc && !why[0]) /* nothing is damaged */
		rfs_dwarf_cache_keep(&cache, out);
	_exit(0);
}

/* Writes to why the reason why a child wrote no tables. */
static void dwarf_explain(int status, char *why, size_t n)
{
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU)
		snprintf(why, n, "the debug information is damaged or too large: reading it took too long");
	else if (WIFEXITED(status) && WEXITSTATUS(status) == RFS_DWARF_EXIT_MEMORY)
		snprintf(why, n, "the debug information is damaged or too large: out of memory");
	else
		snprintf(why, n, "the debug information is damaged");
}

int rfs_dwarf_open(const char *path, struct rfs_dwarf **out, char *why, size_t n)
{
	int fd = memfd_create("rfsup-dwarf", MFD_CLOEXEC), rc, status = 0;
	pid_t parent = getpid(), child;

	if (n)
		why[0] = '\0';
	if (fd < 0) {
		rc = -errno;
		goto out;
	}
	child = fork();
	if (!child)
		read_in_child(path, fd, parent);
	if (child < 0) {
		rc = -errno;
		goto close_file;
	}
	/* If other code of this process waits for the child first, the status is lost. The file still shows whether it
	 * is complete. */
	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	rc = rfs_dwarf_map(fd, out, why, n);
	if (rc == -EBADMSG && n && !why[0])
		dwarf_explain(status, why, n);
close_file:
	close(fd);
out:
	if (rc && n && !why[0])
		snprintf(why, n, "%s", strerror(-rc));
	return rc;
}
