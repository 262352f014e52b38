/*
 * gdb_query.c - answers the q packets: what the server supports, data that gdb reads in pieces (qXfer), and some
 * questions about threads.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/addr.h"
#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb_link.h"
#include "supervisor/gdb/gdb_names.h"
#include "supervisor/gdb/gdb_threads.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

static void write_escaped(const char *text, FILE *out)
{
	for (; *text; text++) {
		switch (*text) {
		case '<':
			fputs("&lt;", out);
			break;
		case '>':
			fputs("&gt;", out);
			break;
		case '&':
			fputs("&amp;", out);
			break;
		case '"':
			fputs("&quot;", out);
			break;
		default:
			fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
		}
	}
}

static void write_threads(struct rfs_run *run, FILE *out)
{
	fputs("<?xml version=\"1.0\"?><threads>", out);
	for (size_t i = 0; i < run->n_threads; i++) {
		struct rfs_thread *t = run->threads[i];
		char *next;

		if (!rfs_gdb_shows(t))
			continue;
		next = rfs_gdb_next(run, t);
		fputs("<thread id=\"", out);
		rfs_gdb_write_id(t, out);
		fprintf(out, "\" name=\"thread %d\">", t->number);
		write_escaped(next, out);
		fputs("</thread>", out);
		free(next);
	}
	fputs("</threads>", out);
}

static void write_auxv(const struct rfs_run *run, FILE *out)
{
	char path[64], buf[1024];
	ssize_t got;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/auxv", rfs_tracer_pid(run->tracer));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	while ((got = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)got, out);
	close(fd);
}

static void gdb_query_write_program(const struct rfs_run *run, FILE *out)
{
	char link[64], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", rfs_tracer_pid(run->tracer));
	n = readlink(link, path, sizeof(path));
	if (n > 0)
		fwrite(path, 1, (size_t)n, out);
}

/*
 * Answers qXfer:OBJECT:read:ANNEX:OFFSET,LENGTH, a request for a piece of data. False if the packet cannot be parsed.
 */
static bool transfer(struct rfs_run *run, const char *request, FILE *out)
{
	const char *numbers = strrchr(request, ':');
	unsigned long offset, length;
	char *data = NULL;
	size_t size;
	FILE *whole;

	if (!numbers || sscanf(numbers, ":%lx,%lx", &offset, &length) != 2)
		return false;
	whole = open_memstream(&data, &size);
	if (!whole)
		return false;
	if (strncmp(request, "features:read:target.xml:", 25) == 0)
		rfs_gdb_write_description(whole);
	else if (strncmp(request, "threads:read:", 13) == 0)
		write_threads(run, whole);
	else if (strncmp(request, "auxv:read:", 10) == 0)
		write_auxv(run, whole);
	else if (strncmp(request, "exec-file:read:", 15) == 0)
		gdb_query_write_program(run, whole);
	else
		length = 0;
	fclose(whole);
	if (length == 0 || offset > size) {
		fputs("E00", out);
	} else {
		/* half of the limit, because an escaped byte takes two bytes in the packet */
		if (length > RFS_GDB_PACKET_MAX / 2)
			length = RFS_GDB_PACKET_MAX / 2;
		if (length > size - offset)
			length = size - offset;
		fputc(offset + length < size ? 'm' : 'l', out);
		fwrite(data + offset, 1, length, out);
	}
	free(data);
	return true;
}

/* Answers qRcmd,HEX: a command of `monitor`. */
static void gdb_query_command(struct rfs_run *run, const char *digits, FILE *out)
{
	size_t n = strlen(digits) / 2, size;
	char *words = xcalloc(n + 1, 1), *text = NULL;
	FILE *said = open_memstream(&text, &size);

	if (!said || !rfs_gdb_read_hex(digits, words, n)) {
		fputs("E00", out);
	} else {
		rfs_gdb_monitor(run, words, said);
		fflush(said);
		rfs_gdb_send_text(run->gdb, text);
		fputs("OK", out);
	}
	if (said)
		fclose(said);
	free(text);
	free(words);
}

/* Answers qGetTLSAddr:THREAD,OFFSET,LINK-MAP. */
static void thread_local_address(const struct rfs_run *run, const char *request, FILE *out)
{
	const struct rfs_thread *thread = rfs_gdb_parse_id(run, request);
	const char *comma = strchr(request, ',');
	unsigned long offset, map;
	rfs_addr address;
	int error = -EINVAL;

	if (thread && comma && sscanf(comma, ",%lx,%lx", &offset, &map) == 2)
		error = rfs_gdb_tls(run, thread, map, offset, &address);
	if (error)
		fprintf(out, "E%02x", (unsigned)-error & 0xff);
	else
		fprintf(out, "%llx", (unsigned long long)address);
}

bool rfs_gdb_query(struct rfs_run *run, const struct rfs_gdb_packet *packet, FILE *out)
{
	const char *request = packet->data;
	struct rfs_gdb *gdb = run->gdb;

	if (strncmp(request, "qSupported", 10) == 0) {
		gdb->swbreak = strstr(request, "swbreak+") != NULL;
		fprintf(out,
			"PacketSize=%x;QStartNoAckMode+;qEcho+;multiprocess+;swbreak+;vContSupported+;ReverseContinue+;"
			"ReverseStep+;qXfer:features:read+;"
			"qXfer:threads:read+;qXfer:auxv:read+;qXfer:exec-file:read+",
			RFS_GDB_PACKET_MAX);
	} else if (strncmp(request, "qEcho:", 6) == 0) {
		fputs(request, out); /* lldb has waited long for an answer, and looks where this one ends */
	} else if (strcmp(request, "QStartNoAckMode") == 0) {
		gdb->link.no_ack = true;
		fputs("OK", out);
	} else if (strcmp(request, "qC") == 0 && gdb->stop.thread) {
		fputs("QC", out);
		if (gdb->lldb)
			fprintf(out, "%x", (unsigned)gdb->stop.thread->number + 1);
		else
			rfs_gdb_write_id(gdb->stop.thread, out);
	} else if (strncmp(request, "qAttached", 9) == 0) {
		fputs("0", out); /* 0: gdb did not attach to a running process. So gdb kills the target at the end,
				    instead of detaching */
	} else if (strncmp(request, "qXfer:", 6) == 0) {
		return transfer(run, request + 6, out);
	} else if (strncmp(request, "qGetTLSAddr:", 12) == 0) {
		thread_local_address(run, request + 12, out);
	} else if (strncmp(request, "qRcmd,", 6) == 0) {
		gdb_query_command(run, request + 6, out);
	} else {
		return false;
	}
	return true;
}
