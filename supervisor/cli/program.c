/*
 * program.c - finds the program and checks that it can run under control.
 *
 * The checks find out, before a process exists, why execve(2) or ptrace would fail. So the message can name the
 * program and what to do, instead of a system call that failed.
 */
#include "supervisor/cli/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/campaign/settings/program.h"

/* The number of bytes of a file in which the kernel looks for a "#!" line (BINPRM_BUF_SIZE, linux/binfmts.h). */
#define HEAD_SIZE 256
/*
 * A script's interpreter may be a script too. The kernel follows a chain of at most this many scripts (exec_binprm(),
 * fs/exec.c).
 */
#define SCRIPT_LEVELS 4

/* The folders that are searched if PATH is not set, as in execvp(3). */
#define DEFAULT_PATH "/bin:/usr/bin"

/* The name as an absolute path; a relative name is in `folder`. Caller frees. */
static char *program_join(const char *folder, const char *name)
{
	while (strncmp(name, "./", 2) == 0)
		name += 2;
	return *name == '/' ? xstrdup(name) : xasprintf("%s/%s", strcmp(folder, "/") == 0 ? "" : folder, name);
}

/* 0 if path is a file that this user may execute; otherwise -errno as from execve(2). */
static int executable(const char *path)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -errno;
	if (S_ISDIR(st.st_mode))
		return -EISDIR;
	if (!S_ISREG(st.st_mode))
		return -ENOEXEC;
	return faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) < 0 ? -errno : 0;
}

/*
 * Finds a program as execvp(3) does: in PATH if its name has no slash. 0 and *found (caller frees), or -errno and a
 * line in why.
 */
static int program_search(const char *name, const char *cwd, char **found, char *why, size_t n)
{
	const char *path = getenv("PATH"), *part;
	int denied = 0;

	if (!name || !*name)
		return rfs_why(why, n, -ENOENT, "the program name is empty");
	if (strchr(name, '/')) {
		*found = program_join(cwd, name);
		return 0;
	}
	for (part = path ? path : DEFAULT_PATH; part; part = strchr(part, ':') ? strchr(part, ':') + 1 : NULL) {
		size_t length = strcspn(part, ":");
		char *entry = xstrndup(length ? part : ".", length ? length : 1);
		char *folder = program_join(cwd, entry), *file = program_join(folder, name);
		int error = executable(file);

		free(entry);
		free(folder);
		if (!error) {
			*found = file;
			return 0;
		}
		free(file);
		/* execvp(3) continues the search after EACCES, and reports EACCES at the end */
		if (error == -EACCES)
			denied = error;
	}
	if (denied)
		return rfs_why(why, n, denied, "'%s' in PATH is not executable", name);
	return rfs_why(why, n, -ENOENT, "no program '%s' in PATH; write ./%s if it is in the current directory", name,
		       name);
}

/* Checks the file's type, mode and file system. 0, or -errno and a line in why. */
static int program_check_file(const char *path, char *why, size_t n)
{
	struct stat st;
	struct statvfs fs;

	switch (executable(path)) {
	case 0:
		break;
	case -ENOENT:
		return rfs_why(why, n, -ENOENT, "no such program: '%s'", path);
	case -EISDIR:
		return rfs_why(why, n, -EISDIR, "'%s' is a directory, not a program", path);
	case -ENOEXEC:
		return rfs_why(why, n, -ENOEXEC, "'%s' is not a regular file", path);
	case -EACCES:
		if (stat(path, &st) < 0)
			return rfs_why(why, n, -EACCES, "cannot access '%s': %s", path, strerror(EACCES));
		return rfs_why(why, n, -EACCES, "'%s' is not executable; run chmod +x on it", path);
	default:
		return rfs_why(why, n, -EINVAL, "cannot access '%s': %s", path, strerror(-executable(path)));
	}
	if (statvfs(path, &fs) == 0 && (fs.f_flag & ST_NOEXEC))
		return rfs_why(why, n, -EACCES, "'%s' is on a file system mounted noexec", path);
	/*
	 * The kernel gives a traced program no setuid or setgid privileges, so the program would behave differently
	 * under rfsup. A setgid bit without group execution means something else: mandatory locking (inode(7)).
	 */
	if (stat(path, &st) == 0 &&
	    ((st.st_mode & S_ISUID) || (st.st_mode & (S_ISGID | S_IXGRP)) == (S_ISGID | S_IXGRP)))
		return rfs_why(why, n, -EPERM,
			       "'%s' is %s, which has no effect under ptrace; run a copy without that bit", path,
			       st.st_mode & S_ISUID ? "setuid" : "setgid");
	return 0;
}

/* Replaces the word (*argv)[0] by copies of the n_head words of `head`. */
static void prepend(char ***argv, char *const *head, size_t n_head)
{
	size_t n = 0;
	char **old = *argv, **joined;

	while (old[n])
		n++;
	joined = xcalloc(n + n_head + 1, sizeof(*joined));
	for (size_t i = 0; i < n_head; i++)
		joined[i] = xstrdup(head[i]);
	for (size_t i = 1; i < n; i++)
		joined[n_head + i - 1] = old[i];
	if (n)
		free(old[0]);
	free(old);
	*argv = joined;
}

/*
 * Parses "#! INTERPRETER [ARGUMENT]" as load_script() does (fs/binfmt_script.c). Both results point into `head`, which
 * is changed. 0 or -ENOEXEC.
 */
static int script_line(char *head, size_t length, char **interpreter, char **argument)
{
	char *end = memchr(head, '\n', length), *p;

	if (!end)
		end = head + length;
	while (end > head + 2 && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	p = head + 2 + strspn(head + 2, " \t");
	if (!*p)
		return -ENOEXEC;
	*interpreter = p;
	p += strcspn(p, " \t");
	*argument = NULL;
	if (*p) {
		*p++ = '\0';
		*argument = p + strspn(p, " \t");
	}
	return 0;
}

/*
 * Whether a file without "#!" is text. execvp(3) lets /bin/sh execute such a file. As in shells, a file is text if its
 * first line contains no NUL.
 */
static bool looks_like_text(const char *head, size_t length)
{
	const char *end = memchr(head, '\n', length);

	return !memchr(head, '\0', end ? (size_t)(end - head) : length);
}

static int program_check_elf(const char *path, char *why, size_t n)
{
	struct rfs_elf *elf;
	const char *loader, *warning;
	int error = rfs_elf_open(path, &elf, why, n);

	if (error)
		return error;
	warning = rfs_elf_warning(elf);
	if (warning)
		rfs_warn("%s", warning);
	if (rfs_elf_is_go(elf))
		rfs_warn("'%s' is a Go program, whose runtime schedules goroutines itself; rfsup controls only its "
			 "threads, and predicts no races in it (use Go's own race detector: go build -race)",
			 path);
	loader = rfs_elf_interpreter(elf);
	if (!rfs_elf_entry(elf))
		error = rfs_why(why, n, -ENOEXEC, "'%s' is a library, not a program", path);
	else if (loader && access(loader, X_OK) < 0)
		error = rfs_why(why, n, -ENOENT, "cannot use the loader '%s', which '%s' needs: %s", loader, path,
				strerror(errno));
	rfs_elf_free(elf);
	return error;
}

/*
 * Checks the file at program->path. If it is a script, makes the interpreter the new program->path. 1: check the new
 * path next. 0: it is an ELF file that can run. Otherwise -errno and a line in why.
 */
static int program_step(struct rfs_program *program, const char *cwd, char *why, size_t n)
{
	char head[HEAD_SIZE + 1], shell[] = "/bin/sh", *interpreter, *argument;
	ssize_t length;
	int error = program_check_file(program->path, why, n);
	int fd;

	if (error)
		return error;
	fd = open(program->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return rfs_why(why, n, -errno, "cannot read '%s': %s", program->path, strerror(errno));
	length = read(fd, head, HEAD_SIZE);
	error = errno;
	close(fd);
	if (length < 0)
		return rfs_why(why, n, -error, "cannot read '%s': %s", program->path, strerror(error));
	head[length] = '\0';
	if (length == 0)
		return rfs_why(why, n, -ENOEXEC, "'%s' is empty", program->path);
	if (strncmp(head, "#!", 2) == 0) {
		if (script_line(head, (size_t)length, &interpreter, &argument) < 0)
			return rfs_why(why, n, -ENOEXEC, "'%s': the '#!' line names no interpreter", program->path);
	} else if (memcmp(head, "\177ELF", length < 4 ? (size_t)length : 4) != 0 &&
		   looks_like_text(head, (size_t)length)) {
		interpreter = shell;
		argument = NULL;
	} else {
		return program_check_elf(program->path, why, n);
	}
	prepend(&program->argv,
		argument ? (char *[]){interpreter, argument, program->path} : (char *[]){interpreter, program->path},
		argument ? 3 : 2);
	if (!program->script)
		program->script = xstrdup(program->path);
	free(program->path);
	program->path = program_join(cwd, interpreter);
	return 1;
}

int rfs_program_resolve(char *const *argv, const char *cwd, struct rfs_program *out, char *why, size_t n)
{
	char *folder;
	size_t argc = 0;
	int more, level;

	*out = (struct rfs_program){0};
	folder = cwd ? realpath(cwd, NULL) : getcwd(NULL, 0);
	if (!folder)
		return rfs_why(why, n, -errno, "cannot determine the working directory: %s", strerror(errno));
	while (argv[argc])
		argc++;
	out->argv = xcalloc(argc + 1, sizeof(*out->argv));
	for (size_t i = 0; i < argc; i++)
		out->argv[i] = xstrdup(argv[i]);
	more = program_search(argv[0], folder, &out->path, why, n);
	if (more < 0)
		goto fail;
	for (level = 0;; level++) {
		more = program_step(out, folder, why, n);
		if (more < 0 && out->script) {
			/* the user may not know the interpreter, so the message names the script too */
			char *inner = xstrdup(why);

			rfs_why(why, n, more, "cannot run the interpreter of the script '%s': %s", out->script, inner);
			free(inner);
		} else if (more > 0 && level == SCRIPT_LEVELS) {
			more = rfs_why(why, n, -ELOOP, "'%s' is a script with too many nested interpreters",
				       out->script);
		}
		if (more <= 0)
			break;
	}
	if (more < 0)
		goto fail;
	free(folder);
	return 0;
fail:
	free(folder);
	rfs_program_release(out);
	return more;
}

void rfs_program_release(struct rfs_program *program)
{
	for (char **word = program->argv; word && *word; word++)
		free(*word);
	free(program->argv);
	free(program->path);
	free(program->script);
	*program = (struct rfs_program){0};
}
