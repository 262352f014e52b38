/*
 * gdb_server.c - answers gdb's packets while gdb has control (the GDB manual, "Packets"). Unknown packets get an empty
 * reply, as the protocol requires.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb.h"
#include "supervisor/gdb/gdb_asleep.h"
#include "supervisor/gdb/gdb_call.h"
#include "supervisor/gdb/gdb_file.h"
#include "supervisor/gdb/gdb_link.h"
#include "supervisor/gdb/gdb_signal.h"
#include "supervisor/gdb/gdb_threads.h"
#include "supervisor/record/run_spec.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/target_memory.h"
#include "supervisor/state/core/thread.h"
#include "tracer/memory.h"
#include "tracer/tracer.h"

#define PAGE 4096u

enum answer { ANSWER_REPLY, ANSWER_RESUME, ANSWER_END };

static struct rfs_thread *general(const struct rfs_run *run)
{
	const struct rfs_gdb *gdb = run->gdb;

	if (gdb->general && rfs_gdb_shows(gdb->general))
		return gdb->general;
	return gdb->stop.thread;
}

static void write_stop(struct rfs_run *run, FILE *out)
{
	const struct rfs_gdb *gdb = run->gdb;

	if (!gdb->stop.thread) {
		fputs("S00", out);
		return;
	}
	if (gdb->lldb) {
		rfs_gdb_lldb_write_stop(run, gdb->stop.thread, out);
		return;
	}
	fprintf(out, "T%02x", (unsigned)rfs_gdb_signal_to(gdb->stop.signo));
	if (gdb->stop.breakpoint && gdb->swbreak)
		fputs("swbreak:;", out);
	if (gdb->stop.watch)
		fprintf(out, "%s:%llx;", gdb->stop.watch, (unsigned long long)gdb->stop.address);
	if (gdb->stop.begin || gdb->stop.end)
		fprintf(out, "replaylog:%s;", gdb->stop.begin ? "begin" : "end");
	fputs("thread:", out);
	rfs_gdb_write_id(gdb->stop.thread, out);
	fputc(';', out);
}

void rfs_gdb_send_stop(struct rfs_run *run)
{
	char *text;
	size_t n;
	FILE *out = open_memstream(&text, &n);

	if (!out)
		return;
	write_stop(run, out);
	fclose(out);
	rfs_gdb_send(&run->gdb->link, text, n);
	free(text);
}

static void gdb_server_write_result(int error, FILE *out)
{
	if (error == -EPERM)
		fputs("E.rfsup has parked this thread before its next operation, so its registers cannot be changed",
		      out);
	else if (error)
		fprintf(out, "E%02x", (unsigned)-error & 0xff);
	else
		fputs("OK", out);
}

/* Answers mADDRESS,LENGTH with as many bytes as can be read, up to LENGTH. */
static void gdb_server_read_memory(struct rfs_run *run, const char *request, FILE *out)
{
	struct rfs_space *space = rfs_run_space(run);
	unsigned char bytes[PAGE];
	unsigned long address, length;
	bool any = false;

	if (sscanf(request, "%lx,%lx", &address, &length) != 2 || !space) {
		fputs("E16", out);
		return;
	}
	if (length > RFS_GDB_PACKET_MAX / 2 - 1)
		length = RFS_GDB_PACKET_MAX / 2 - 1;
	if (address == RFS_GDB_TRAVELS_AT) {
		fputs(run->gdb->travel.mode ? "01" : "00", out);
		return;
	}
	while (length > 0) {
		unsigned long part = PAGE - address % PAGE;

		if (part > length)
			part = length;
		if (rfs_space_read(space, address, bytes, part) != 0)
			break;
		rfs_gdb_asleep_memory(run, address, bytes, part);
		rfs_gdb_write_hex(bytes, part, out);
		any = true;
		address += part;
		length -= part;
	}
	if (!any)
		fputs("E0e", out);
}

/* Answers MADDRESS,LENGTH:DIGITS. 0 or -errno. */
static int gdb_server_write_memory(struct rfs_run *run, const char *request)
{
	const char *digits = strchr(request, ':');
	unsigned long address, length;
	unsigned char *bytes;
	int error = -EINVAL;

	if (!digits || sscanf(request, "%lx,%lx", &address, &length) != 2 || length > RFS_GDB_PACKET_MAX / 2)
		return -EINVAL;
	bytes = xmalloc(length + 1);
	if (rfs_gdb_read_hex(digits + 1, bytes, length))
		error = rfs_poke(run, address, bytes, length) ? 0 : -EFAULT;
	run->gdb->changed |= error == 0;
	free(bytes);
	return error;
}

/* Answers pN, PN=DIGITS, g and GDIGITS: reads or writes one or all registers of the thread that Hg selected. */
static void registers(struct rfs_run *run, const char *request, FILE *out)
{
	const char *digits = strchr(request, '=');
	struct rfs_thread *t = general(run);
	size_t n = strtoul(request + 1, NULL, 16);
	int error = -EINVAL;

	if (!t) {
		fputs("E03", out);
		return;
	}
	switch (*request) {
	case 'g':
		rfs_gdb_write_registers(t, 0, rfs_gdb_n_registers, out);
		return;
	case 'p':
		if (n < rfs_gdb_n_registers)
			rfs_gdb_write_registers(t, n, n + 1, out);
		else
			fputs("E16", out);
		return;
	case 'G':
		error = rfs_gdb_read_registers(t, 0, rfs_gdb_n_registers, request + 1);
		break;
	default:
		if (digits && n < rfs_gdb_n_registers)
			error = rfs_gdb_read_registers(t, n, n + 1, digits + 1);
	}
	run->gdb->changed |= error == 0;
	gdb_server_write_result(error, out);
}

/*
 * Answers Z2,ADDRESS,SIZE (watch writes), Z4 (watch reads and writes), z2 and z4 (remove). Z3 (watch reads) is not
 * supported, because x86 processors cannot watch reads alone. gdb works without Z3.
 */
static void gdb_server_watchpoint(struct rfs_run *run, const char *request, FILE *out)
{
	unsigned long address, size;
	bool reads = request[1] == '4';

	if (sscanf(request + 2, ",%lx,%lx", &address, &size) != 2) {
		fputs("E16", out);
	} else if (*request == 'z') {
		rfs_gdb_watchpoint_remove(run->gdb, address, size, reads);
		gdb_server_write_result(0, out);
	} else {
		gdb_server_write_result(rfs_gdb_watchpoint_add(run, address, size, reads), out);
	}
}

/*
 * Answers Z0,ADDRESS,KIND (set a breakpoint) and z0 (remove it). gdb_server_watchpoint() answers Z2 and Z4. Other kinds
 * are not supported; gdb works without them.
 */
static void point(struct rfs_run *run, const char *request, FILE *out)
{
	unsigned long address;

	if (request[1] == '2' || request[1] == '4') {
		gdb_server_watchpoint(run, request, out);
		return;
	}
	if (request[1] != '0' || sscanf(request + 2, ",%lx", &address) != 1)
		return;
	if (*request == 'z') {
		rfs_gdb_point_remove(run->gdb, address);
		gdb_server_write_result(0, out);
	} else {
		gdb_server_write_result(rfs_gdb_point_add(run, address), out);
	}
}

/* Adds one ";ACTION[:THREAD]" of a vCont packet to *out. If several actions match a thread, the first one counts. */
static void take_action(struct rfs_run *run, const char *action, struct rfs_gdb_resume *out, bool *signal_known)
{
	const char *end = action + strcspn(action, ";"), *colon = memchr(action, ':', (size_t)(end - action));
	struct rfs_thread *named = colon ? rfs_gdb_parse_id(run, colon + 1) : NULL, *stopped = run->gdb->stop.thread;
	bool step = *action == 's' || *action == 'S' || *action == 'r';

	if (step && !out->step) {
		out->step = named ? named : stopped;
		if (*action == 'r' && sscanf(action + 1, "%lx,%lx", &out->range_start, &out->range_end) != 2)
			out->range_start = out->range_end = 0;
	}
	if (!step)
		out->others = true;
	if (!*signal_known && (!named || named == stopped)) {
		*signal_known = true;
		out->pass_signo = false;
		if (*action == 'S' || *action == 'C') {
			out->pass_signo = true;
			out->signo = rfs_gdb_signal_from((int)strtol(action + 1, NULL, 16));
		}
	}
}

static enum answer gdb_server_resume(struct rfs_run *run, const char *actions, struct rfs_gdb_resume *out)
{
	bool signal_known = false;

	/* if no action is for the stopped thread, it gets its signal */
	*out = (struct rfs_gdb_resume){.pass_signo = true, .signo = run->gdb->stop.signo};
	for (; *actions == ';'; actions += strcspn(actions, ";")) {
		actions++;
		take_action(run, actions, out, &signal_known);
	}
	return ANSWER_RESUME;
}

/* Answers c, s, CSIGNAL and SSIGNAL, which lldb sends: they are about all threads, or about the one that Hc selected.
 */
static enum answer resume_plainly(struct rfs_run *run, const char *request, struct rfs_gdb_resume *out)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_thread *chosen = gdb->continued && rfs_gdb_shows(gdb->continued) ? gdb->continued : general(run);
	const bool signals = *request == 'C' || *request == 'S';

	*out = (struct rfs_gdb_resume){
		.step = *request == 's' || *request == 'S' ? chosen : NULL, .others = true, .pass_signo = signals};
	if (signals)
		out->signo = rfs_gdb_signal_from((int)strtol(request + 1, NULL, 16));
	return ANSWER_RESUME;
}

/*
 * Answers bc and bs. The thread to step is the one that Hc selected. If that is any thread, gdb means the thread whose
 * registers it has read.
 */
static enum answer gdb_server_back(struct rfs_run *run, bool step, struct rfs_gdb_resume *out, FILE *reply)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_thread *thread = gdb->continued && rfs_gdb_shows(gdb->continued) ? gdb->continued : general(run);

	*out = (struct rfs_gdb_resume){0};
	if (gdb->travel.mode)
		return ANSWER_RESUME; /* to the moment that `monitor` has named */
	if (rfs_gdb_moment_is_start(&gdb->here) || !thread) {
		gdb->stop.begin = true;
		gdb->stop.end = false;
		gdb->stop.breakpoint = false;
		gdb->stop.watch = NULL;
		gdb->stop.signo = SIGTRAP;
		write_stop(run, reply);
		return ANSWER_REPLY;
	}
	if (step)
		rfs_gdb_travel_step_back(run, thread);
	else
		rfs_gdb_travel_continue_back(gdb);
	return ANSWER_RESUME;
}

static enum answer gdb_server_answer(struct rfs_run *run, const struct rfs_gdb_packet *packet,
				     struct rfs_gdb_resume *resumed, FILE *out)
{
	const char *request = packet->data;

	switch (*request) {
	case '?':
		write_stop(run, out);
		break;
	case 'g':
	case 'G':
	case 'p':
	case 'P':
		registers(run, request, out);
		break;
	case 'm':
		gdb_server_read_memory(run, request + 1, out);
		break;
	case 'M':
		gdb_server_write_result(gdb_server_write_memory(run, request + 1), out);
		break;
	case 'Z':
	case 'z':
		point(run, request, out);
		break;
	case 'b':
		if (strcmp(request, "bc") == 0 || strcmp(request, "bs") == 0)
			return gdb_server_back(run, request[1] == 's', resumed, out);
		break;
	case 'H':
		if (request[1] == 'g')
			run->gdb->general = rfs_gdb_parse_id(run, request + 2);
		else
			run->gdb->continued = rfs_gdb_parse_id(run, request + 2);
		fputs("OK", out);
		break;
	case 'T':
		fputs(rfs_gdb_parse_id(run, request + 1) ? "OK" : "E03", out);
		break;
	case 'k':
		if (run->gdb->lldb)
			fputs("X09", out); /* lldb waits for it; gdb does not */
		return ANSWER_END;
	case 'D':
		/*
		 * The target cannot continue without a tracer, because every system call that the filter stops would
		 * fail. So the run ends.
		 */
		fputs("OK", out);
		return ANSWER_END;
	case 'c':
	case 'C':
	case 's':
	case 'S':
		return resume_plainly(run, request, resumed);
	case 'v':
		if (strcmp(request, "vCont?") == 0)
			fputs("vCont;c;C;s;S;r", out);
		else if (strncmp(request, "vCont;", 6) == 0)
			return gdb_server_resume(run, request + 5, resumed);
		else if (strncmp(request, "vFile:", 6) == 0)
			rfs_gdb_file(request + 6, rfs_tracer_pid(run->tracer), out);
		else if (strncmp(request, "vKill", 5) == 0) {
			fputs("OK", out);
			return ANSWER_END;
		}
		break;
	case 'q':
	case 'Q':
	case 'j':
		if (!rfs_gdb_query(run, packet, out))
			(void)rfs_gdb_lldb(run, request, out);
		break;
	default:
		break;
	}
	return ANSWER_REPLY;
}

bool rfs_gdb_serve(struct rfs_run *run, struct rfs_gdb_resume *out)
{
	struct rfs_gdb *gdb = run->gdb;
	struct rfs_gdb_packet *packet = xmalloc(sizeof(*packet));
	enum answer what = ANSWER_REPLY;

	while (what == ANSWER_REPLY) {
		char *text;
		size_t n;
		FILE *reply;
		int r = rfs_gdb_receive(&gdb->link, run->spec->cancel_fd, packet);

		if (r < 0)
			what = ANSWER_END;
		if (r <= 0)
			continue; /* r is 0: gdb asks for control, which it already has */
		reply = open_memstream(&text, &n);
		if (!reply)
			break;
		what = gdb_server_answer(run, packet, out, reply);
		fclose(reply);
		if (what == ANSWER_REPLY || n > 0)
			rfs_gdb_send(&gdb->link, text, n);
		free(text);
	}
	free(packet);
	return what == ANSWER_RESUME;
}
