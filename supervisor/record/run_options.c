/*
 * run_options.c - the table, and the comparison of two specs by it. cli/options/ and record.c read and write values.
 */
#include "supervisor/record/run_options.h"

#include <stdint.h>
#include <string.h>

#include "supervisor/record/fault.h"

#define AT(member) offsetof(struct rfs_run_spec, member)

static const char *const models[] = {"sc", "tso", NULL};
static const char *const clocks[] = {"virtual", "real", NULL};
static const char *const accesses[] = {[RFS_ACCESSES_STUBS] = "stubs", [RFS_ACCESSES_TRAPS] = "traps", NULL};
static const char *const points[] = {
	[RFS_POINTS_SYNC] = "sync",
	[RFS_POINTS_RACES] = "races",
	[RFS_POINTS_MEMORY] = "memory",
	NULL,
};

_Static_assert(sizeof(enum rfs_points) == sizeof(unsigned) && sizeof(enum rfs_accesses) == sizeof(unsigned),
	       "RFS_OPTION_WORD is stored as an unsigned");

/* The rows are in the order of the keys in a record. */
const struct rfs_run_option rfs_run_options[] = {
	{
		.option = {"follow", "GLOB", 1,
			   "PROGRAM is a wrapper such as a script, make or ctest: control the first program that it "
			   "starts whose file name matches GLOB",
			   RFS_OPTION_NAME, AT(follow)},
		.key = "follow",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {"clock", "WHICH", 3,
			   "Time that the program sees: it starts at a fixed date and advances with each operation "
			   "(virtual), or it is the real time, which is recorded (real) (default: virtual)",
			   RFS_OPTION_EITHER, AT(clock_real), .words = clocks},
		.key = "clock_real",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {"date", "WHEN", 3,
			   "Where virtual time starts, in Universal Time: a day, or a day and a time such as "
			   "2026-11-29T10:15:00; not given: 2020-01-01",
			   RFS_OPTION_DATE, AT(date)},
		.key = "date",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_SWITCH, .offset = AT(start_from_seed)},
		.key = "start_from_seed",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {"stdin", "FILE", 3, "Standard input, reopened for each run (default: /dev/null)",
			   RFS_OPTION_NAME, AT(job.stdin_path)},
		.key = "stdin",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {"setup", "CMD", 3, "Shell command that runs before each run", RFS_OPTION_TEXT,
			   AT(job.setup)},
		.key = "setup",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {"drive", "CMD", 3,
			   "Shell command that runs at the same time as the program, such as a client; when it ends, "
			   "the program gets SIGTERM",
			   RFS_OPTION_TEXT, AT(job.drive)},
		.key = "drive",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {"fresh-dir", "DIR", 3, "Each run works in a private copy of DIR", RFS_OPTION_NAME,
			   AT(job.fresh_dir)},
		.key = "fresh_dir",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_NAME, .offset = AT(job.fresh_root)},
		.key = "fresh_root",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_TEXT, .offset = AT(processor)},
		.key = "processor",
		.part = RFS_RECORD_PROCESS,
	},
	{
		.option = {"points", "WHERE", 1,
			   "Where threads may be switched: at synchronisation (sync), also at the statements of all "
			   "predicted pairs (races), or at every shared access (memory) (default: sync; races in the "
			   "third phase of a campaign)",
			   RFS_OPTION_WORD, AT(points), .words = points},
		.key = "points",
		.part = RFS_RECORD_POINTS,
	},
	{
		.option = {"memory-model", "MODEL", 1,
			   "What the processor does with stores: each is visible at once (sc), or the schedule may "
			   "delay it, "
			   "as x86 processors do (tso) (default: sc)",
			   RFS_OPTION_EITHER, AT(tso), .words = models},
		.key = "tso",
		.part = RFS_RECORD_POINTS,
		.absent = true,
	},
	{
		.option = {"faults", "LIST", 1,
			   "What else may happen in runs that explore, rarely, as a choice of the "
			   "schedule: " RFS_FAULT_WORDS ", or all (default: none)",
			   RFS_OPTION_SET, AT(faults), .words = rfs_fault_words},
		.key = "faults",
		.part = RFS_RECORD_POINTS,
		.absent = true,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_NUMBER, .offset = AT(fault_points)},
		.key = "fault_points",
		.part = RFS_RECORD_POINTS,
		.absent = true,
	},
	{
		.option = {"events", NULL, 1,
			   "In runs that explore, which of several ready descriptors poll, select and epoll_wait "
			   "report first is a choice",
			   RFS_OPTION_SWITCH, AT(events)},
		.key = "events",
		.part = RFS_RECORD_POINTS,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_NUMBER, .offset = AT(event_order)},
		.key = "event_order",
		.part = RFS_RECORD_POINTS,
		.absent = true,
	},
	{
		.option = {"module", "GLOB", 1,
			   "Also watch accesses in shared libraries that match GLOB (repeatable); the program and "
			   "libraries outside the system directories are always watched",
			   RFS_OPTION_LIST, AT(modules)},
		.key = "watch",
		.part = RFS_RECORD_LIMITS,
	},
	{
		.option = {"no-lock", "GLOB", 1,
			   "Do not recognise locks that are acquired in a function or module that matches GLOB "
			   "(repeatable)",
			   RFS_OPTION_LIST, AT(no_locks)},
		.key = "no_lock",
		.part = RFS_RECORD_LIMITS,
		.absent = true,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_SWITCH, .offset = AT(forces_contention)},
		.key = "forces_contention",
		.part = RFS_RECORD_LIMITS,
		.absent = true,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_LIST, .offset = AT(unwatched)},
		.key = "unwatched",
		.part = RFS_RECORD_LIMITS,
		.absent = true,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_NUMBER, .offset = AT(window.from)},
		.key = "window_from",
		.part = RFS_RECORD_LIMITS,
		.absent = true,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_NUMBER, .offset = AT(window.until)},
		.key = "window_until",
		.part = RFS_RECORD_LIMITS,
		.absent = true,
	},
	{
		.option = {"timeout", "SEC", 3,
			   "Wall time limit of a run; a timeout is inconclusive, never a finding; with --replay and "
			   "--simplify, the default is the recorded limit (default: 60)",
			   RFS_OPTION_SECONDS, AT(limits.timeout), .min = 0.01, .max = 1e7, .preset = 60},
		.key = "timeout",
		.part = RFS_RECORD_LIMITS,
		.replays = true,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_SECONDS, .offset = AT(limits.cpu)},
		.key = "cpu_limit",
		.part = RFS_RECORD_LIMITS,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_NUMBER, .offset = AT(limits.steps)},
		.key = "step_limit",
		.part = RFS_RECORD_LIMITS,
	},
	{
		.option = {NULL, .kind = RFS_OPTION_NUMBER, .offset = AT(limits.spin_free)},
		.key = "spin_free",
		.part = RFS_RECORD_LIMITS,
	},
	{
		.option = {"stops-per-run", "N", 3,
			   "After N executions in a run, a statement of a pair stops only at random executions, which "
			   "become rarer; 0: it stops at each (default: twice the operations of the measuring run, "
			   "between 2000 and 100000)",
			   RFS_OPTION_NUMBER, AT(stops_per_run), .max = 1e12},
		.key = "stops_per_run",
		.part = RFS_RECORD_LIMITS,
		.absent = true,
	},
	{
		.option =
			{"memory", "SIZE", 3,
			 "Limit of what the detector of a run remembers, in bytes, or with K, M, G or T; above it, the "
			 "oldest accesses are forgotten (default: half of the machine's memory)",
			 RFS_OPTION_SIZE, AT(memory), .min = 1 << 20, .max = 1ull << 50},
		.key = "memory",
		.part = RFS_RECORD_LIMITS,
		.absent = true,
	},
	{
		.option = {"sleep-race", "SEC", 3,
			   "A sleep or timeout that is due within this much virtual time may end before other threads "
			   "run (default: 1)",
			   RFS_OPTION_SECONDS, AT(sleep_race), .min = 0, .max = 1e7, .preset = 1},
		.key = "sleep_race",
		.part = RFS_RECORD_LIMITS,
	},
	{
		.option = {"accesses", "HOW", 1,
			   "How accesses reach the detector: recorded by stubs patched into the code (stubs), or by a "
			   "breakpoint at each access, thousands of times slower (traps) (default: stubs)",
			   RFS_OPTION_WORD, AT(accesses), .words = accesses},
	},
};
const size_t rfs_n_run_options = sizeof(rfs_run_options) / sizeof(*rfs_run_options);

static bool same_string(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same_list(char *const *a, char *const *b)
{
	static char *const empty[] = {NULL};

	a = a ? a : empty;
	b = b ? b : empty;
	while (*a && *b && strcmp(*a, *b) == 0)
		a++, b++;
	return !*a && !*b;
}

static bool same_value(enum rfs_option_kind kind, const void *a, const void *b)
{
	switch (kind) {
	case RFS_OPTION_SWITCH:
	case RFS_OPTION_EITHER:
		return *(const bool *)a == *(const bool *)b;
	case RFS_OPTION_WORD:
	case RFS_OPTION_SET:
	case RFS_OPTION_COUNT:
		return *(const unsigned *)a == *(const unsigned *)b;
	case RFS_OPTION_NUMBER:
	case RFS_OPTION_SIZE:
	case RFS_OPTION_DATE:
		return *(const uint64_t *)a == *(const uint64_t *)b;
	case RFS_OPTION_SECONDS:
		return *(const double *)a == *(const double *)b;
	case RFS_OPTION_NAME:
	case RFS_OPTION_TEXT:
		return same_string(*(const char *const *)a, *(const char *const *)b);
	case RFS_OPTION_LIST:
		return same_list(*(char *const *const *)a, *(char *const *const *)b);
	}
	return false;
}

bool rfs_run_options_equal(const struct rfs_run_spec *a, const struct rfs_run_spec *b)
{
	for (size_t i = 0; i < rfs_n_run_options; i++) {
		const struct rfs_option *option = &rfs_run_options[i].option;

		if (!same_value(option->kind, (const char *)a + option->offset, (const char *)b + option->offset))
			return false;
	}
	return true;
}

int rfs_option_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	return -1;
}

const char *rfs_points_name(enum rfs_points which)
{
	return points[which];
}
