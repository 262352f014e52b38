/* gdb_encode.c - how bytes, threads and text stand in packets (the GDB manual, "Overview" and "Packets"). */
#include <stdlib.h>
#include <string.h>

#include "supervisor/gdb/gdb-priv.h"
#include "supervisor/gdb/gdb_link.h"
#include "supervisor/gdb/gdb_threads.h"
#include "supervisor/state/core/run_state.h"
#include "supervisor/state/core/thread.h"
#include "tracer/tracer.h"

void rfs_gdb_write_hex(const void *data, size_t n, FILE *out)
{
	const unsigned char *bytes = data;

	for (size_t i = 0; i < n; i++)
		fprintf(out, "%02x", bytes[i]);
}

bool rfs_gdb_read_hex(const char *digits, void *out, size_t n)
{
	unsigned char *bytes = out;

	for (size_t i = 0; i < n; i++) {
		const char pair[3] = {digits[2 * i], digits[2 * i] ? digits[2 * i + 1] : '\0', '\0'};
		char *end;

		bytes[i] = (unsigned char)strtoul(pair, &end, 16);
		if (end != pair + 2)
			return false;
	}
	return true;
}

void rfs_gdb_write_id(const struct rfs_thread *thread, FILE *out)
{
	fprintf(out, "p%x.%x", RFS_GDB_PROCESS, (unsigned)thread->number + 1);
}

/*
 * Finds the thread with the id "pPID.TID" or "TID". TID is the number of the thread in reports, plus 1: the kernel's
 * ids change when the run begins again. NULL if there is no such thread, or if TID is -1 (all threads) or 0 (any
 * thread).
 */
struct rfs_thread *rfs_gdb_parse_id(const struct rfs_run *run, const char *id)
{
	const char *dot = strchr(id, '.');
	long tid;

	if (*id == 'p' && (!dot || strcspn(id, ";:") < (size_t)(dot - id)))
		return NULL;
	tid = strtol(*id == 'p' ? dot + 1 : id, NULL, 16);
	if (tid < 1 || (size_t)tid > run->n_threads || !rfs_gdb_shows(run->threads[tid - 1]))
		return NULL;
	return run->threads[tid - 1];
}

void rfs_gdb_send_text(const struct rfs_gdb *gdb, const char *text)
{
	size_t left = strlen(text), most = RFS_GDB_PACKET_MAX / 2 - 1, n;
	char *packet;
	FILE *out;

	for (; left > 0; text += most < left ? most : left, left -= most < left ? most : left) {
		out = open_memstream(&packet, &n);
		if (!out)
			return;
		fputc('O', out);
		rfs_gdb_write_hex(text, most < left ? most : left, out);
		fclose(out);
		rfs_gdb_send(&gdb->link, packet, n);
		free(packet);
	}
}
