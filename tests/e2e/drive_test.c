/*
 * drive_test.c - --drive runs a server together with a client. What the client sends is kept with the record, so a
 * replay needs no client. Each test process uses other ports, so that tests can run in parallel.
 */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <criterion/parameterized.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/harness.h"

TestSuite(drive, .timeout = 900);

struct server {
	struct e2e e2e;
	char *client, port[16], drive[8192];
};

static void begin(struct server *s, const char *connections, const char *words)
{
	e2e_begin(&s->e2e);
	snprintf(s->port, sizeof(s->port), "%d", 20000 + getpid() % 12000);
	s->client = e2e_program(&s->e2e, "asks.c", "-O2");
	snprintf(s->drive, sizeof(s->drive), "--drive=%s %s %s %s", s->client, s->port, connections, words);
}

static void end(struct server *s)
{
	free(s->client);
	e2e_end(&s->e2e);
}

/* Replays a record several times. Each replay must be the same run, with this exit status. */
static void replay(struct server *s, const char *record, int status)
{
	for (int i = 0; i < (e2e_full() ? 20 : 1) && !s->e2e.failed; i++) {
		e2e_say(&s->e2e, WORDS("--replay", record));
		e2e_expect_status(&s->e2e, status);
		e2e_expect(&s->e2e, strstr(s->e2e.said.err, "same as the recorded run"), "%s", s->e2e.said.err);
	}
}

Test(drive, a_failing_server_is_replayed_without_its_client)
{
	struct server s;
	char *program, *record;

	begin(&s, "2", "1 20 300");
	program = e2e_program(&s.e2e, "serves.c", "-O2 -g");
	e2e_run(&s.e2e,
		WORDS(s.drive, "--policy=random", "--points=memory", "--runs=20", "--timeout=20", program, s.port));
	e2e_expect_status(&s.e2e, 1);
	e2e_expect(&s.e2e, e2e_stat(&s.e2e, "outside_network") >= 20, "%s", s.e2e.said.err);
	e2e_expect(&s.e2e, e2e_count(&s.e2e, "failures") == 1, "%s", s.e2e.said.out);
	record = e2e_record(&s.e2e, e2e_item(&s.e2e, "failures", 0));
	e2e_expect(&s.e2e, record, "no record");
	if (record)
		replay(&s, record, 1);
	free(record);
	free(program);
	end(&s);
}

/* A client that fails before it reaches the program tests nothing, and the report says so. */
Test(drive, a_client_that_fails_at_once)
{
	static const struct {
		const char *command, *how;
	} ways[] = {
		{"no-such-client", "ended with status 127"},
		{"exit 3", "ended with status 3"},
		{"kill -SEGV $$", "was killed by SIGSEGV"},
	};

	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		struct server s;
		char *program;

		begin(&s, "1", "1");
		program = e2e_program(&s.e2e, "serves.c", "-O2 -g");
		snprintf(s.drive, sizeof(s.drive), "--drive=%s", ways[i].command);
		e2e_run(&s.e2e, WORDS(s.drive, "--policy=random", "--runs=2", "--timeout=20", program, s.port));
		e2e_expect_status(&s.e2e, 4);
		e2e_expect(&s.e2e, strstr(s.e2e.said.out, ways[i].how), "%s", s.e2e.said.out);
		e2e_expect(&s.e2e, strstr(s.e2e.said.out, "in 2 of 2 runs; run the command beside the program"), "%s",
			   s.e2e.said.out);
		free(program);
		end(&s);
	}
}

/* The status of a client that has reached the program may say what its server did, so it is a warning only. */
Test(drive, a_client_that_fails_in_the_end)
{
	struct server s;
	char *program;

	begin(&s, "1", "1 20 300; exit 5");
	program = e2e_program(&s.e2e, "serves.c", "-O2 -g");
	e2e_run(&s.e2e, WORDS(s.drive, "--policy=random", "--runs=2", "--timeout=20", program, s.port));
	e2e_expect_status(&s.e2e, 0);
	e2e_expect(&s.e2e, strstr(s.e2e.said.err, "ended with status 5 in run sample-seed-1, after the program had"),
		   "%s", s.e2e.said.err);
	free(program);
	end(&s);
}

/* The client fails because the program has ended, and no earlier. */
Test(drive, a_client_that_the_end_of_the_program_ends)
{
	struct e2e e2e;
	char *program = e2e_target("O2g", "abba_fixed");

	e2e_begin(&e2e);
	e2e_run(&e2e, WORDS("--drive=sleep 1000; exit 1", "--policy=random", "--runs=2", "--timeout=20", program));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, !strstr(e2e.said.err, "--drive command"), "%s", e2e.said.err);
	free(program);
	e2e_end(&e2e);
}

struct way {
	char how[12];
};

ParameterizedTestParameters(drive, processes_of_the_program_talk)
{
	static struct way ways[] = {{"path"},
				    /* the short check ends here */
				    {"pair"},
				    {"packets"},
				    {"pipes"},
				    {"rights"},
				    {"exec"},
				    {"listens"},
				    {"threads"}};

	return cr_make_param_array(struct way, ways, e2e_rows(1, sizeof(ways) / sizeof(*ways)));
}

/* A replay runs all processes of the program, so what they send each other is not in the record. */
ParameterizedTest(struct way *way, drive, processes_of_the_program_talk)
{
	struct server s;
	char *program, record[4096];

	begin(&s, "0", "");
	program = e2e_program(&s.e2e, "own_sockets.c", "-O2 -g -pthread");
	e2e_run(&s.e2e, WORDS("--drive=sleep 10", "--policy=random", "--runs=1", "--keep-records", "--timeout=20",
			      program, way->how));
	e2e_expect(&s.e2e, s.e2e.said.status == (strcmp(way->how, "threads") == 0 ? 0 : 4), "%s", s.e2e.said.err);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", s.e2e.folder);
	replay(&s, record, 0);
	free(program);
	end(&s);
}

/*
 * What a client sends to a process that the program forks is recorded. If the process is not controlled, it is not, and
 * a replay says so.
 */
Test(drive, a_process_of_the_server_has_the_client)
{
	static const struct {
		const char *option;
		bool recorded;
	} ways[] = {{"--processes=forked", true}, {"--processes=first", false}};

	if (!e2e_full())
		cr_skip_test("a test of the full check");
	for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		const bool recorded = ways[i].recorded;
		char *program, record[4096];
		struct server s;

		begin(&s, "1", "1; sleep 1"); /* the server ends before it gets SIGTERM */
		program = e2e_program(&s.e2e, "serves_forked.c", "-O2 -g");
		e2e_run(&s.e2e, WORDS(s.drive, ways[i].option, "--policy=random", "--runs=1", "--keep-records",
				      "--timeout=20", program, s.port));
		e2e_expect(&s.e2e, recorded != (strstr(s.e2e.said.out, "is not recorded, so a replay") != NULL), "%s",
			   s.e2e.said.out);
		snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", s.e2e.folder);
		e2e_say(&s.e2e, WORDS("--replay", record));
		e2e_expect_status(&s.e2e, recorded ? 0 : 3);
		e2e_expect(&s.e2e,
			   recorded != (strstr(s.e2e.said.err, "what the client (--drive) sends it is not recorded") !=
					NULL),
			   "%s", s.e2e.said.err);
		free(program);
		end(&s);
	}
}

/* Two processes of a server accept connections, and count them in memory that they share. */
static void expect_lost_request(const char *way)
{
	struct server s;
	char *program, *record;

	begin(&s, "2", "1 2");
	program = e2e_program(&s.e2e, "serves_shared.c", way);
	e2e_run(&s.e2e, WORDS(s.drive, "--runs=8", "--explore=8", "--timeout=60", program, s.port));
	e2e_expect_status(&s.e2e, 1);
	e2e_expect(&s.e2e, strstr(s.e2e.said.out, "HARMFUL race on"), "%s", s.e2e.said.out);
	e2e_expect(&s.e2e, json_is_true(json_object_get(s.e2e.report, "controlled_forks")), "%s", s.e2e.said.out);
	record = e2e_record(&s.e2e, e2e_item(&s.e2e, "pairs", 0));
	e2e_expect(&s.e2e, record, "no record");
	for (int i = 0; i < 3 && record; i++)
		replay(&s, record, 1);
	free(record);
	free(program);
	end(&s);
}

static void expect_no_lost_request(const char *way)
{
	struct server s;
	char *program;

	begin(&s, "2", "1 2");
	program = e2e_program(&s.e2e, "serves_shared.c", way);
	e2e_run(&s.e2e, WORDS(s.drive, "--runs=4", "--explore=4", "--timeout=60", program, s.port));
	e2e_expect_silent(&s.e2e);
	e2e_expect(&s.e2e, json_is_true(json_object_get(s.e2e.report, "controlled_forks")), "%s", s.e2e.said.out);
	free(program);
	end(&s);
}

Test(drive, processes_of_a_server_that_share_memory)
{
	if (!e2e_full())
		cr_skip_test("a test of the full check");
	expect_lost_request("-O2 -g");
	expect_lost_request("-O2 -g -DEPOLL=1");
	expect_no_lost_request("-O2 -g -DFIXED=1");
	expect_no_lost_request("-O2 -g -DFIXED=1 -DEPOLL=1");
}

/* The shorter part of the test before this one: what the client sends to these processes is recorded. */
Test(drive, what_processes_of_a_server_get_is_recorded)
{
	struct server s;
	char *program, record[4096];

	begin(&s, "2", "1 2");
	program = e2e_program(&s.e2e, "serves_shared.c", "-O2 -g -DEPOLL=1");
	e2e_run(&s.e2e,
		WORDS(s.drive, "--policy=random", "--runs=1", "--keep-records", "--timeout=60", program, s.port));
	e2e_expect_status(&s.e2e, 0);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", s.e2e.folder);
	replay(&s, record, 0);
	free(program);
	end(&s);
}

Test(drive, an_ignored_signal_does_not_end_a_wait)
{
	struct server s;
	char *program, record[4096];

	begin(&s, "1", "1");
	program = e2e_program(&s.e2e, "waits_for_child.c", "-O2 -g");
	e2e_run(&s.e2e,
		WORDS(s.drive, "--policy=random", "--runs=1", "--keep-records", "--timeout=60", program, s.port));
	e2e_expect(&s.e2e, s.e2e.said.status != 1, "%s", s.e2e.said.out);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", s.e2e.folder);
	replay(&s, record, 0);
	e2e_expect(&s.e2e, strstr(s.e2e.said.out, "one round") && !strstr(s.e2e.said.out, "error"), "%s",
		   s.e2e.said.out);
	free(program);
	end(&s);
}

/* Another process uses the port. Only the recorded run needed it; a replay does not. */
Test(drive, a_replay_needs_no_port)
{
	struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	char *program, record[4096];
	struct server s;
	int fd;

	begin(&s, "1", "1 2");
	program = e2e_program(&s.e2e, "serves.c", "-O2 -g");
	e2e_run(&s.e2e,
		WORDS(s.drive, "--policy=random", "--runs=1", "--keep-records", "--timeout=20", program, s.port));
	e2e_expect_status(&s.e2e, 0);
	address.sin_port = htons((uint16_t)atoi(s.port));
	fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* connections of the run may still be in TIME_WAIT (tcp(7)) */
	cr_assert_eq(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)), 0);
	cr_assert_eq(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
	cr_assert_eq(listen(fd, 1), 0);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", s.e2e.folder);
	replay(&s, record, 0);
	close(fd);
	free(program);
	end(&s);
}

/* Simplification leaves fewer switches and the same words of the client. The result also replays without the client. */
Test(drive, a_failing_server_is_simplified)
{
	struct server s;
	char *program, *record, simple[8192];

	begin(&s, "2", "1 20 300");
	program = e2e_program(&s.e2e, "serves.c", "-O2 -g");
	e2e_run(&s.e2e, WORDS(s.drive, "--policy=random", "--points=memory", "--runs=20", "--timeout=20",
			      "--until-failure", program, s.port));
	e2e_expect_status(&s.e2e, 1);
	record = e2e_record(&s.e2e, e2e_item(&s.e2e, "failures", 0));
	e2e_expect(&s.e2e, record, "no record");
	if (record) {
		e2e_say(&s.e2e, WORDS("--simplify", record));
		e2e_expect_status(&s.e2e, 1);
		e2e_expect(&s.e2e, strstr(s.e2e.said.out, " of them preemptions (recorded: "), "%s\n%s", s.e2e.said.out,
			   s.e2e.said.err);
		snprintf(simple, sizeof(simple), "%.*s-simple.json", (int)strlen(record) - 5, record);
		replay(&s, simple, 1);
	}
	free(record);
	free(program);
	end(&s);
}

/* A single client cannot cause a lost update, so there is no finding. */
Test(drive, a_server_that_does_right_is_not_accused)
{
	struct server s;
	char *program;

	begin(&s, "1", "1 20 300");
	program = e2e_program(&s.e2e, "serves.c", "-O2 -g");
	e2e_run(&s.e2e,
		WORDS(s.drive, "--policy=random", "--points=memory", "--runs=5", "--timeout=20", program, s.port));
	e2e_expect_silent(&s.e2e);
	free(program);
	end(&s);
}

Test(drive, damaged_input_is_refused)
{
	struct server s;
	char *program, input[4096], record[4096];
	struct stat st;

	begin(&s, "1", "1 2");
	program = e2e_program(&s.e2e, "serves.c", "-O2 -g");
	e2e_run(&s.e2e,
		WORDS(s.drive, "--policy=random", "--runs=1", "--keep-records", "--timeout=20", program, s.port));
	e2e_expect_status(&s.e2e, 0);
	snprintf(record, sizeof(record), "%s/out/records/sample-seed-1.json", s.e2e.folder);
	snprintf(input, sizeof(input), "%s/out/records/sample-seed-1.input", s.e2e.folder);
	e2e_expect(&s.e2e, stat(input, &st) == 0, "no input was kept");
	replay(&s, record, 0);
	e2e_expect(&s.e2e, truncate(input, st.st_size - 3) == 0, "%s", input);
	e2e_say(&s.e2e, WORDS("--replay", record));
	e2e_expect_status(&s.e2e, 2);
	e2e_expect(&s.e2e, strstr(s.e2e.said.err, "damaged"), "%s", s.e2e.said.err);
	unlink(input);
	e2e_say(&s.e2e, WORDS("--replay", record));
	e2e_expect_status(&s.e2e, 2);
	free(program);
	end(&s);
}

/*
 * The kernel picks the server's port, and the server writes it to a file, where the client finds it. SIGTERM ends the
 * server; that is not a failure.
 */
Test(drive, a_port_that_the_kernel_picks)
{
	char *server, *client, drive[8192], record[4096];
	struct e2e e2e;

	e2e_begin(&e2e);
	server = e2e_program(&e2e, "ports.c", "-O2 -g");
	client = e2e_program(&e2e, "asks.c", "-O2");
	snprintf(drive, sizeof(drive), "--drive=until test -s port; do sleep 0.01; done; exec %s $(cat port) 1 hello",
		 client);
	e2e_run(&e2e, WORDS(drive, "--setup=rm -f port", "--policy=random", "--runs=2", "--keep-records",
			    "--timeout=60", server, "port", "serve"));
	e2e_expect_status(&e2e, 0);
	e2e_expect(&e2e, e2e_stat(&e2e, "outside_network") == 2, "%s", e2e.said.err);
	for (int seed = 1; seed <= 2; seed++) {
		snprintf(record, sizeof(record), "%s/out/records/sample-seed-%d.json", e2e.folder, seed);
		e2e_say(&e2e, WORDS("--replay", record));
		e2e_expect_status(&e2e, 0);
		e2e_expect(&e2e, strstr(e2e.said.err, "same as the recorded run"), "%s", e2e.said.err);
	}
	free(client);
	free(server);
	e2e_end(&e2e);
}

/*
 * While a thread is postponed, all others sleep, poll or wait for the client. The client may still act, so the thread
 * stays postponed until the signal has come, and the wake-up is lost.
 */
static void expect_stop(const char *way, const char *fixed)
{
	struct e2e e2e;
	char *program;

	e2e_begin(&e2e);
	program = e2e_program(&e2e, "stops_on_signal.c", "-O2 -g -pthread");
	e2e_run(&e2e, WORDS("--drive=sleep 0.2", "--runs=4", "--explore=1", "--budget=120", "--timeout=60", program,
			    way, fixed));
	if (fixed) {
		e2e_expect_silent(&e2e);
	} else {
		e2e_expect_status(&e2e, 1);
		e2e_expect(&e2e, strstr(e2e.said.out, "HARMFUL ORDER VIOLATION: signal before wait"), "%s",
			   e2e.said.out);
		e2e_expect_replay(&e2e, e2e_item(&e2e, "deadlocks", 0));
	}
	free(program);
	e2e_end(&e2e);
}

Test(drive, a_thread_stays_postponed_while_the_client_may_act)
{
	expect_stop("poll", NULL);
	expect_stop("pipe", "fixed");
	if (e2e_full()) {
		expect_stop("pipe", NULL);
		expect_stop("poll", "fixed");
	}
}

/*
 * Records and replays a server from another author. `program` is its path and its arguments before the port; it ends
 * with NULL.
 */

static void recorded_and_replayed(const char *words, const char *const *program)
{
	const int runs = e2e_full() ? 2 : 1;
	const char *args[24] = {NULL, "--policy=random", runs == 2 ? "--runs=2" : "--runs=1", "--keep-records",
				"--timeout=300"};
	struct server s;
	char record[4096];
	size_t n = 5;

	if (access(program[0], X_OK) != 0)
		cr_skip_test("%s is not installed", program[0]);
	begin(&s, "2", words);
	args[0] = s.drive;
	for (; *program; program++)
		args[n++] = *program;
	args[n] = s.port;
	e2e_run(&s.e2e, args);
	e2e_expect_status(&s.e2e, 0);
	e2e_expect(&s.e2e, e2e_stat(&s.e2e, "outside_network") == runs, "%s", s.e2e.said.err);
	for (int seed = 1; seed <= runs; seed++) {
		snprintf(record, sizeof(record), "%s/out/records/sample-seed-%d.json", s.e2e.folder, seed);
		replay(&s, record, 0);
	}
	end(&s);
}

Test(drive, memcached)
{
	recorded_and_replayed("'set a 0 0 2~hi' 'get a' 'append a 0 0 1~x' 'get a' 'incr n 1' version",
			      WORDS("/usr/bin/memcached", "-u", "root", "-l", "127.0.0.1", "-U", "0", "-t", "2", "-p"));
}

Test(drive, redis)
{
	recorded_and_replayed(
		"'SET a hi' 'APPEND a x' 'GET a' 'INCR n' 'LPUSH l 1 2 3' 'SORT l' 'UNLINK l' PING",
		WORDS("/usr/bin/redis-server", "--bind", "127.0.0.1", "--save", "", "--io-threads", "2", "--port"));
}
