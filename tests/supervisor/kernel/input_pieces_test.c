/*
 * input_pieces_test.c - which parts of memory a system call has written, so that a replay writes the same. What is left
 * out here is missing in a replay.
 */
#include "supervisor/kernel/input/input_pieces.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>

#include "supervisor/kernel/core/call_state.h"
#include "supervisor/kernel/core/syscall_row.h"
#include "supervisor/kernel/syscall_table.h"
#include "supervisor/record/input_file.h"
#include "supervisor/record/run_result.h"
#include "supervisor/state/core/run_state.h"
#include "tests/supervisor/kernel/kernel_run.h"

TestSuite(input_pieces, .timeout = 20);

#define A (FAKE_MEMORY + 0x1000)
#define B (FAKE_MEMORY + 0x2000)
#define C (FAKE_MEMORY + 0x3000)

/* "1000+8 2000+4": the pieces, by their place in the target's memory. */
static void text_of(const struct rfs_input_pieces *pieces, char *out, size_t n)
{
	size_t at = 0;

	out[0] = 0;
	for (uint32_t i = 0; i < pieces->n; i++)
		at += (size_t)snprintf(out + at, n - at, "%s%lx+%lu", at ? " " : "",
				       (unsigned long)(pieces->list[i].address - FAKE_MEMORY),
				       (unsigned long)pieces->list[i].size);
}

Test(input_pieces, of_each_kind_of_call)
{
	static const struct {
		long number;
		unsigned long args[6];
		long result;
		const char *pieces;
	} cases[] = {
		{SYS_read, {3, A, 100}, 7, "1000+7"},
		{SYS_read, {3, A, 100}, 0, ""},
		{SYS_read, {3, A, 100}, -11, ""},
		{SYS_readv, {3, B, 2}, 10, "1000+4 1100+6"},
		{SYS_recvfrom, {3, A, 100, 0, A + 0x200, C}, 5, "1000+5 3000+4 1200+16"},
		{SYS_recvfrom, {3, A, 100, 0, 0, 0}, 5, "1000+5"},
		{SYS_sendfile, {3, 4, A, 100}, 60, "1000+8"},
		{SYS_poll, {A, 3, 0}, 1, "1000+24"},
		{SYS_poll, {A, 3, 0}, -4, ""},
		{SYS_select, {70, A, 0, B, 0}, 1, "1000+16 2000+16"},
		{SYS_epoll_wait, {3, A, 9, 0}, 2, "1000+24"},
		{SYS_epoll_wait, {3, A, 9, 0}, 0, ""},
	};
	static const struct fake_step script[] = {{.number = SYS_sched_yield}, {0}};
	static const struct fake_step *const scripts[] = {script};
	const struct iovec parts[] = {{(void *)A, 4}, {(void *)(A + 0x100), 64}};
	const socklen_t length = 16;

	kernel_open(scripts, 1);
	step_go(0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_call_state call = {.row = rfs_syscall_row(cases[i].number)};
		struct rfs_thread thread = {.call = &call, .syscall = cases[i].number};
		struct rfs_input_pieces pieces = {0};
		char text[128];

		fake_put(B, parts, sizeof(parts));
		fake_put(C, &length, sizeof(length));
		step_memory_changed();
		memcpy(thread.args, cases[i].args, sizeof(thread.args));
		rfs_input_collect(step_run(), &thread, cases[i].result, &pieces);
		text_of(&pieces, text, sizeof(text));
		cr_expect_str_eq(text, cases[i].pieces, "case %zu: '%s'", i, text);
		free(pieces.list);
	}
	cr_expect_not(step_run()->ended);
	step_close();
}

/* What cannot be recorded ends the run, and the user is told what to do. */
Test(input_pieces, of_a_call_that_cannot_be_recorded)
{
	static const struct fake_step script[] = {{.number = SYS_sched_yield}, {0}};
	static const struct fake_step *const scripts[] = {script};
	struct rfs_call_state call = {.row = rfs_syscall_row(SYS_sendfile)};
	struct rfs_thread thread = {.call = &call, .syscall = SYS_sendfile, .args = {3, 4, 0, 100}};
	struct rfs_input_pieces pieces = {0};

	kernel_open(scripts, 1);
	step_go(0);
	rfs_input_collect(step_run(), &thread, 60, &pieces);
	cr_expect(step_run()->ended);
	cr_expect_eq(step_run()->result->end, RFS_END_UNCONTROLLED);
	cr_expect(strstr(step_run()->result->message, "sendfile(2) to a socket, with a NULL offset"), "%s",
		  step_run()->result->message);
	free(pieces.list);
	step_close();
}
