/* error.c - prints a message after the status line was erased. die() and rfs_bug() end the program after it. */
#include "supervisor/base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* The log settings. They are global because any function may print a message. */
static struct {
	enum rfs_log_level level;
	bool status_shown; /* a status line is on the terminal; it must be erased before other text */
	void (*dump)(void *arg);
	void *dump_arg;
} log_settings = {.level = RFS_LOG_NORMAL};

void rfs_log_set_level(enum rfs_log_level level)
{
	log_settings.level = level;
}

enum rfs_log_level rfs_log_level(void)
{
	return log_settings.level;
}

void rfs_log_status(const char *line)
{
	struct winsize size;
	int width = 80;

	if (!line) {
		if (log_settings.status_shown)
			fputs("\r\033[K", stderr);
		log_settings.status_shown = false;
		return;
	}
	if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
		width = size.ws_col;
	/* one column stays free, because a full line would wrap, and "\r" would then not return to its start */
	fprintf(stderr, "\r%.*s\033[K", width - 1, line);
	fflush(stderr);
	log_settings.status_shown = true;
}

static void __attribute__((format(printf, 2, 0))) print_line(const char *head, const char *format, va_list ap)
{
	char *text;

	rfs_log_status(NULL);
	/* one write per line, so that lines of parallel jobs do not mix */
	if (vasprintf(&text, format, ap) < 0)
		text = NULL;
	fprintf(stderr, "%s%s\n", head, text ? text : format);
	free(text);
}

void rfs_error(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_line("rfsup: ", format, ap);
	va_end(ap);
}

void rfs_warn(const char *format, ...)
{
	va_list ap;

	if (log_settings.level == RFS_LOG_QUIET)
		return;
	va_start(ap, format);
	print_line("rfsup: ", format, ap);
	va_end(ap);
}

void rfs_note(const char *format, ...)
{
	va_list ap;

	if (log_settings.level != RFS_LOG_VERBOSE)
		return;
	va_start(ap, format);
	print_line("rfsup: ", format, ap);
	va_end(ap);
}

void rfs_say(const char *format, ...)
{
	va_list ap;

	if (log_settings.level == RFS_LOG_QUIET)
		return;
	va_start(ap, format);
	print_line("", format, ap);
	va_end(ap);
}

void die(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	print_line("rfsup: ", format, ap);
	va_end(ap);
	exit(RFS_EXIT_INPUT);
}

void rfs_bug_set_dump(void (*dump)(void *arg), void *arg)
{
	log_settings.dump = dump;
	log_settings.dump_arg = arg;
}

void rfs_bug(const char *file, int line, const char *function, const char *format, ...)
{
	void (*dump)(void *arg) = log_settings.dump;
	va_list ap;

	/* if the dump finds a broken invariant too, it calls this function again, which must not start a second dump */
	log_settings.dump = NULL;
	rfs_log_status(NULL);
	fprintf(stderr, "rfsup: bug in rfsup at %s:%d (%s): ", file, line, function);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	if (dump)
		dump(log_settings.dump_arg);
	fflush(NULL);
	abort();
}

int rfs_why(char *why, size_t n, int error, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, n, format, ap);
	va_end(ap);
	/* names in it may come from a file of anybody, and a terminal obeys control characters */
	for (char *c = why; n && *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	return error;
}
