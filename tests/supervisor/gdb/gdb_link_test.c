/*
 * gdb_link_test.c - packets of gdb's remote serial protocol, byte by byte (The GDB manual, "Overview" of the protocol).
 */
#include "supervisor/gdb/gdb_link.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

TestSuite(gdb_link, .timeout = 30);

struct sample {
	struct rfs_gdb_link link;
	int gdb; /* gdb's end of the connection; -1 after gdb has closed it */
	struct rfs_gdb_packet packet;
};

static struct sample *new_sample(void)
{
	struct sample *s = calloc(1, sizeof(*s));
	int ends[2];

	cr_assert(s);
	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	s->link.fd = ends[0];
	s->gdb = ends[1];
	return s;
}

static void free_sample(struct sample *s)
{
	close(s->link.fd);
	if (s->gdb >= 0)
		close(s->gdb);
	free(s);
}

static void gdb_says(const struct sample *s, const char *bytes, size_t n)
{
	cr_assert_eq(send(s->gdb, bytes, n, MSG_NOSIGNAL), (ssize_t)n);
}

/* Reads what gdb has been sent and has not read yet. Returns its length. */
static size_t gdb_hears(const struct sample *s, char *buf, size_t size)
{
	ssize_t n = recv(s->gdb, buf, size, MSG_DONTWAIT);

	return n < 0 ? 0 : (size_t)n;
}

Test(gdb_link, receives)
{
	static const struct {
		const char *bytes, *data;
		size_t n, n_data;
	} rows[] = {
		{"$g#67", "g", 5, 1},
		{"$#00", "", 4, 0},
		{"++$qC#b4", "qC", 8, 2},			/* acknowledgements before the packet */
		{"$X0,4:}\x03}\x04}]*#00", "X0,4:#$}*", 16, 9}, /* } escapes a byte: bit 5 is inverted */
		{"$a\0b#00", "a\0b", 7, 3},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sample *s = new_sample();
		char ack[8];

		gdb_says(s, rows[i].bytes, rows[i].n);
		cr_assert_eq(rfs_gdb_receive(&s->link, -1, &s->packet), 1, "row %zu", i);
		cr_expect(s->packet.n == rows[i].n_data && memcmp(s->packet.data, rows[i].data, s->packet.n + 1) == 0,
			  "row %zu: '%s'", i, s->packet.data);
		cr_expect(gdb_hears(s, ack, sizeof(ack)) == 1 && *ack == '+', "row %zu", i);
		free_sample(s);
	}
}

Test(gdb_link, keeps_what_comes_early)
{
	struct sample *s = new_sample();
	char ack[8];

	s->link.no_ack = true;
	gdb_says(s, "$a#61$b#62\x03$c#", 14);
	cr_assert_eq(rfs_gdb_receive(&s->link, -1, &s->packet), 1);
	cr_expect_str_eq(s->packet.data, "a");
	cr_assert_eq(rfs_gdb_receive(&s->link, -1, &s->packet), 1);
	cr_expect_str_eq(s->packet.data, "b");
	cr_expect_eq(rfs_gdb_receive(&s->link, -1, &s->packet), 0); /* byte 3: gdb asks to stop the target */
	gdb_says(s, "63", 2);
	cr_assert_eq(rfs_gdb_receive(&s->link, -1, &s->packet), 1);
	cr_expect_str_eq(s->packet.data, "c");
	cr_expect_eq(gdb_hears(s, ack, sizeof(ack)), 0);
	free_sample(s);
}

Test(gdb_link, gdb_goes_away)
{
	struct sample *s = new_sample();

	gdb_says(s, "$half", 5);
	close(s->gdb);
	s->gdb = -1;
	cr_expect_eq(rfs_gdb_receive(&s->link, -1, &s->packet), -EPIPE);
	free_sample(s);
}

Test(gdb_link, the_wait_can_be_ended)
{
	struct sample *s = new_sample();
	int stop[2];

	cr_assert_eq(pipe(stop), 0);
	cr_assert_eq(write(stop[1], "", 1), 1);
	cr_expect_eq(rfs_gdb_receive(&s->link, stop[0], &s->packet), -ECANCELED);
	close(stop[0]);
	close(stop[1]);
	free_sample(s);
}

Test(gdb_link, refuses_what_is_too_long)
{
	struct sample *s = new_sample();
	char *bytes = malloc(RFS_GDB_PACKET_MAX + 5);

	cr_assert(bytes);
	memset(bytes, 'a', RFS_GDB_PACKET_MAX + 5);
	bytes[0] = '$';
	bytes[RFS_GDB_PACKET_MAX + 1] = '#'; /* a packet of the largest size */
	gdb_says(s, bytes, RFS_GDB_PACKET_MAX + 4);
	cr_assert_eq(rfs_gdb_receive(&s->link, -1, &s->packet), 1);
	cr_expect_eq(s->packet.n, (size_t)RFS_GDB_PACKET_MAX);
	bytes[RFS_GDB_PACKET_MAX + 1] = 'a';
	bytes[RFS_GDB_PACKET_MAX + 2] = '#';
	gdb_says(s, bytes, RFS_GDB_PACKET_MAX + 5);
	cr_expect_eq(rfs_gdb_receive(&s->link, -1, &s->packet), -EPROTO);
	free(bytes);
	free_sample(s);
}

Test(gdb_link, sends)
{
	static const struct {
		const char *data, *bytes;
		size_t n, n_bytes;
	} rows[] = {
		{"OK", "$OK#9a", 2, 6},
		{"", "$#00", 0, 4},
		{"$#}*", "$}\x04}\x03}]}\n#62", 4, 12}, /* the checksum covers the escaped bytes */
		{"a\0b", "$a\0b#c3", 3, 7},
		{"\xff\xff", "$\xff\xff#fe", 2, 6},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct sample *s = new_sample();
		char heard[32];
		size_t n;

		rfs_gdb_send(&s->link, rows[i].data, rows[i].n);
		n = gdb_hears(s, heard, sizeof(heard));
		cr_expect(n == rows[i].n_bytes && memcmp(heard, rows[i].bytes, n) == 0, "row %zu: '%.*s'", i, (int)n,
			  heard);
		free_sample(s);
	}
}

Test(gdb_link, is_asked_for_the_target)
{
	struct sample *s = new_sample();

	cr_expect_not(rfs_gdb_wanted(&s->link));
	gdb_says(s, "+", 1);
	cr_expect_not(rfs_gdb_wanted(&s->link));
	gdb_says(s, "\x03", 1);
	cr_expect(rfs_gdb_wanted(&s->link));
	cr_expect_not(rfs_gdb_wanted(&s->link)); /* reported only once */
	close(s->gdb);
	s->gdb = -1;
	cr_expect(rfs_gdb_wanted(&s->link)); /* gdb has closed the connection */
	free_sample(s);
}
