/* record_test.c - records can be read again, and a damaged record is refused with a message of one line. */
#include "supervisor/record/record.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "policy/core/rng.h"
#include "policy/policy.h"
#include "policy/registry.h"
#include "supervisor/base/address_name.h"
#include "supervisor/base/alloc.h"
#include "supervisor/record/checksum.h"
#include "supervisor/record/cycle.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/run_spec.h"
#include "tests/supervisor/scratch.h"

TestSuite(record, .timeout = 60);

static char program[] = "/bin/prog", argument[] = "a\xff\x01\n\"b", variable[] = "KEY=\xc3\x28", glob[] = "libz*";
static char *argv[] = {program, argument, NULL}, *envp[] = {variable, NULL}, *globs[] = {glob, NULL};
static const struct rfs_site_ref left[] = {{"/bin/prog", 0x10}, {"/bin/prog", 0x20}},
				 right[] = {{"/lib/x", 0x7fff0001}};
static const struct rfs_statement_pair pair = {.statement = {{left, 2}, {right, 1}}};
/* The first thread waits behind the second one, a writer that holds no lock. */
static char in_program[] = "/bin/prog", in_library[] = "/lib/x";
static struct rfs_cycle_part parts[] = {
	{.held = {.class = UINT64_MAX, .site = {in_program, 0x30}}, .wanted = {.site = {in_library, 0x7fff0002}}},
	{.wanted = {.class = 1, .site = {in_program, 0x40}}},
};
static const struct rfs_cycle cycle = {.parts = parts, .n = 2};
static const struct rfs_order_places order = {
	.held = {in_program, 0x50}, .calls = {{NULL, 0}, {in_library, 0x60}}, .descriptors = true, .stacks = true};
static unsigned char learnt[] = {0, 255, 7};
static const struct rfs_blob blob = {learnt, sizeof(learnt)};

static const struct rfs_address_name addresses[] = {{RFS_ADDRESS_STATIC, UINT64_MAX, 24},
						    {RFS_ADDRESS_HEAP, 0x8000000000000001, 0}};

static void fill(struct rfs_execution *execution)
{
	*execution = (struct rfs_execution){
		.name = "x",
		.plain_failure = true,
		.spec =
			{
				.process.path = program,
				.process.argv = argv,
				.process.envp = envp,
				.seed = 9007199254740991,
				.policy = rfs_policy_find("racefuzzer"),
				.policy_options = "flip=1,continue=2",
				.policy_blob = &blob,
				.detector = rfs_detector_find("hybrid"),
				.points = RFS_POINTS_RACES,
				.plan.pair = &pair,
				.plan.cycle = &cycle,
				.plan.order = &order,
				.plan.addresses = addresses,
				.plan.n_addresses = 2,
				.sites.visible = right,
				.sites.n_visible = 1,
				.lessons.spin = left,
				.lessons.n_spin = 2,
				.modules = globs,
				.limits.timeout = 1.5,
				.limits.cpu = 0.1,
				.limits.steps = 100000,
				.limits.spin_free = 7,
				.sleep_race = 1,
				.job.stdin_path = "in put",
				.job.setup = "make it",
				.job.fresh_dir = "d",
				.job.fresh_root = "f",
			},
	};
}

static void write_record(const char *path, const struct rfs_run_result *result, const char *trace)
{
	struct rfs_execution execution;
	char why[512] = "";

	fill(&execution);
	cr_assert_eq(rfs_record_write(path, &execution, result, trace, why, sizeof(why)), 0, "%s", why);
}

Test(record, reads_what_it_wrote)
{
	char *scratch = scratch_enter(), why[512] = "", *cwd = getcwd(NULL, 0);
	struct rfs_run_module module = {.path = program, .build_id = (char[]){"0123"}};
	const struct rfs_run_result result = {
		.end = RFS_END_SIGNAL,
		.detail = 6,
		.hash = {UINT64_MAX, 2},
		.n_created = 3,
		.modules = &module,
		.n_modules = 1,
	};
	struct rfs_record record;
	const struct rfs_run_spec *spec = &record.execution.spec;

	umask(027);
	write_record("r.json", &result, "r.trace");
	cr_assert_eq(rfs_record_read("r.json", &record, why, sizeof(why)), 0, "%s", why);
	cr_expect_str_eq(spec->process.path, program);
	cr_expect_str_eq(spec->process.argv[1], argument);
	cr_expect_null(spec->process.argv[2]);
	cr_expect_str_eq(spec->process.envp[0], variable);
	cr_expect_str_eq(spec->process.cwd, cwd);
	cr_expect_eq(spec->seed, 9007199254740991);
	cr_expect(record.execution.plain_failure);
	cr_expect_str_eq(record.policy, "racefuzzer");
	cr_expect_str_eq(record.detector, "hybrid");
	cr_expect_str_eq(spec->policy_options, "flip=1,continue=2");
	cr_expect_eq(spec->policy_blob->size, 3);
	cr_expect_eq(memcmp(spec->policy_blob->data, learnt, 3), 0);
	cr_expect_eq(spec->points, RFS_POINTS_RACES);
	cr_expect_eq(spec->plan.pair->statement[0].n_sites, 2);
	cr_expect_eq(spec->plan.pair->statement[1].sites[0].offset, 0x7fff0001);
	cr_assert_not_null(spec->plan.cycle);
	cr_expect_eq(rfs_cycle_compare(spec->plan.cycle, &cycle), 0);
	cr_expect_null(spec->plan.cycle->parts[1].held.site.module);
	cr_assert_not_null(spec->plan.order);
	cr_expect_str_eq(spec->plan.order->held.module, in_program);
	cr_expect_eq(spec->plan.order->held.offset, 0x50);
	cr_expect_null(spec->plan.order->calls[0].module);
	cr_expect_str_eq(spec->plan.order->calls[1].module, in_library);
	cr_expect_eq(spec->plan.order->calls[1].offset, 0x60);
	cr_expect(spec->plan.order->descriptors && spec->plan.order->stacks);
	cr_assert_eq(spec->plan.n_addresses, 2);
	cr_expect_eq(memcmp(spec->plan.addresses, addresses, sizeof(addresses)), 0);
	cr_expect_str_eq(spec->sites.visible[0].module, "/lib/x");
	cr_expect_eq(record.lessons.spin.n, 2);
	cr_expect_str_eq(spec->modules[0], "libz*");
	cr_expect_eq(spec->limits.timeout, 1.5);
	cr_expect_eq(spec->limits.cpu, 0.1);
	cr_expect_eq(spec->limits.steps, 100000);
	cr_expect_eq(spec->limits.spin_free, 7);
	cr_expect_eq(record.mask, 027);
	cr_expect_gt(record.n_limits, 5);
	cr_expect_str_eq(spec->job.stdin_path, "in put");
	cr_expect_str_eq(spec->job.setup, "make it");
	cr_expect(record.ended);
	cr_expect_eq(record.end, RFS_END_SIGNAL);
	cr_expect_eq(record.detail, 6);
	cr_expect_eq(record.hash[0], UINT64_MAX);
	cr_expect_eq(record.hash[1], 2);
	cr_expect_eq(record.created, 3);
	cr_expect_str_eq(record.modules[0].build_id, "0123");
	cr_expect_str_eq(record.trace, "r.trace");
	rfs_record_release(&record);
	free(cwd);
	scratch_leave(scratch);
}

/* The lesson that rdtsc must trap is written as the spin read "[rdtsc]", and read as that lesson. */
Test(record, rdtsc_traps_by_an_old_name)
{
	static const struct rfs_site_ref around[] = {{"/bin/prog", 0x10}, {"[vdso]", 0x20}};
	const struct {
		bool traps;
		size_t n;
		const char *text;
	} cases[] = {
		{false, 0, "\"spin\":[]"},
		{true, 0, "\"spin\":[[\"[rdtsc]\",0]]"},
		{false, 2, "\"spin\":[[\"/bin/prog\",16],[\"[vdso]\",32]]"},
		{true, 2, "\"spin\":[[\"/bin/prog\",16],[\"[rdtsc]\",0],[\"[vdso]\",32]]"},
	};
	char *scratch = scratch_enter(), why[512] = "";

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rfs_execution execution;
		struct rfs_record record;
		char *text;

		fill(&execution);
		execution.spec.lessons.spin = around;
		execution.spec.lessons.n_spin = cases[i].n;
		execution.spec.lessons.traps_rdtsc = cases[i].traps;
		cr_assert_eq(rfs_record_write("r.json", &execution, NULL, NULL, why, sizeof(why)), 0, "%s", why);
		text = scratch_read("r.json");
		cr_expect_not_null(strstr(text, cases[i].text), "case %zu: %s", i, text);
		free(text);
		cr_assert_eq(rfs_record_read("r.json", &record, why, sizeof(why)), 0, "%s", why);
		cr_expect_eq(record.lessons.traps_rdtsc, cases[i].traps, "case %zu", i);
		cr_expect_eq(record.lessons.spin.n, cases[i].n, "case %zu", i);
		rfs_record_release(&record);
	}
	scratch_leave(scratch);
}

Test(record, without_an_outcome)
{
	char *scratch = scratch_enter(), why[512] = "";
	struct rfs_record record;

	write_record("r.json", NULL, NULL);
	cr_assert_eq(rfs_record_read("r.json", &record, why, sizeof(why)), 0, "%s", why);
	cr_expect(!record.ended);
	cr_expect_null(record.trace);
	rfs_record_release(&record);
	scratch_leave(scratch);
}

Test(record, refuses_what_is_cut_short)
{
	char *scratch = scratch_enter(), why[512], *text;
	struct rfs_record record;
	size_t n;

	write_record("r.json", NULL, NULL);
	text = scratch_read("r.json");
	n = strlen(text);
	for (size_t cut = 0; cut + 2 < n; cut += 1 + n / 200) {
		scratch_file("cut.json", text, cut, 0666);
		why[0] = '\0';
		cr_assert_eq(rfs_record_read("cut.json", &record, why, sizeof(why)), -EINVAL, "%zu of %zu bytes", cut,
			     n);
		cr_assert_not_null(strstr(why, "cut.json"));
	}
	free(text);
	scratch_leave(scratch);
}

/* Returns the record with a correct checksum, and frees text. */
static char *sealed(char *text)
{
	static const char key[] = ",\"checksum\":\"";
	char *at = strstr(text, key), sum[RFS_CHECKSUM_SIZE], *whole;

	if (!at)
		return text;
	rfs_checksum(text, (size_t)(at - text), sum);
	whole = xasprintf("%.*s%s%s\"}\n", (int)(at - text), text, key, sum);
	free(text);
	return whole;
}

Test(record, refuses_what_somebody_edited)
{
	char *scratch = scratch_enter(), why[512] = "", *text, *at;
	struct rfs_record record;

	write_record("r.json", NULL, NULL);
	text = scratch_read("r.json");
	at = strstr(text, "\"seed\":9");
	cr_assert_not_null(at);
	at[7] = '8';
	scratch_file("bad.json", text, strlen(text), 0666);
	cr_expect_eq(rfs_record_read("bad.json", &record, why, sizeof(why)), -EINVAL);
	cr_expect_not_null(strstr(why, "checksum"), "%s", why);
	scratch_file("empty.json", "", 0, 0666);
	cr_expect_eq(rfs_record_read("empty.json", &record, why, sizeof(why)), -EINVAL);
	cr_expect_not_null(strstr(why, "empty"), "%s", why);
	free(text);
	scratch_leave(scratch);
}

/*
 * Random damage is either read or refused. Half of the damaged records get a correct checksum, so that the reader goes
 * past the checksum.
 */
Test(record, any_bytes_are_read_or_refused, .timeout = 600)
{
	static const char digits[] = "0123456789-.eE\"[]{},:\\nulltrue\xff";
	const unsigned rounds = getenv("RFSUP_CHECK_FULL") ? 200000 : 5000;
	const struct rfs_run_result result = {.end = RFS_END_EXIT};
	char *scratch = scratch_enter(), *text;
	struct rfs_record record;
	struct rfs_rng rng;
	unsigned taken = 0, refused = 0;
	char path[64];
	size_t n;
	int fd = memfd_create("any.json", MFD_CLOEXEC); /* much faster than a file on disk */

	cr_assert_geq(fd, 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	rfs_rng_init(&rng, 5);
	write_record("r.json", &result, "r.trace");
	text = scratch_read("r.json");
	n = strlen(text);
	for (unsigned i = 0; i < rounds; i++) {
		char *changed = xstrdup(text), why[512] = "";
		size_t length = rfs_rng_below(&rng, 8) ? n : rfs_rng_below(&rng, n);

		for (uint64_t k = rfs_rng_below(&rng, 6); k > 0; k--)
			changed[rfs_rng_below(&rng, n)] = rfs_rng_below(&rng, 3)
								  ? digits[rfs_rng_below(&rng, sizeof(digits) - 1)]
								  : (char)(1 + rfs_rng_below(&rng, 255));
		changed[length] = '\0';
		if (rfs_rng_below(&rng, 2))
			changed = sealed(changed);
		cr_assert_eq(ftruncate(fd, 0), 0);
		cr_assert_eq(pwrite(fd, changed, strlen(changed), 0), (ssize_t)strlen(changed));
		if (rfs_record_read(path, &record, why, sizeof(why)) == 0) {
			taken++;
			rfs_record_release(&record);
		} else {
			refused++;
			cr_assert_neq(why[0], '\0', "refused without a word");
		}
		free(changed);
	}
	cr_expect_gt(taken, 0);
	cr_expect_gt(refused, 0);
	close(fd);
	free(text);
	scratch_leave(scratch);
}

Test(record, a_full_disk_leaves_the_old_one)
{
	char *scratch = scratch_enter(), why[512] = "";
	struct rlimit limit, old;
	struct rfs_execution execution;
	struct rfs_record record;

	write_record("r.json", NULL, NULL);
	cr_assert_eq(getrlimit(RLIMIT_FSIZE, &old), 0);
	limit = (struct rlimit){100, old.rlim_max};
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
	fill(&execution);
	execution.spec.seed = 1;
	cr_expect_eq(rfs_record_write("r.json", &execution, NULL, NULL, why, sizeof(why)), -EFBIG);
	cr_assert_eq(setrlimit(RLIMIT_FSIZE, &old), 0);
	cr_expect_not_null(strstr(why, "r.json"), "%s", why);
	cr_assert_eq(rfs_record_read("r.json", &record, why, sizeof(why)), 0, "%s", why);
	cr_expect_eq(record.execution.spec.seed, 9007199254740991);
	rfs_record_release(&record);
	scratch_leave(scratch);
}

Test(record, refuses_what_is_wrong)
{
	static const struct {
		const char *from, *to, *says;
	} cases[] = {
		{"\"rfsup_record\":9", "\"rfsup_record\":1", "use the version that wrote it"},
		{"\"rfsup_record\":9", "\"rfsup_record\":7", "record format 7 of rfsup"},
		{"\"rfsup_record\":9", "\"rfsup_record\":10", "this rfsup reads format 9"},
		{"\"rfsup_record\":9", "\"other\":2", "not a record"},
		{"\"path\":", "\"pith\":", "\"path\""},
		{"\"argv\":[", "\"argv\":7,\"x\":[", "\"argv\""},
		{"\"points\":\"races\"", "\"points\":\"bases\"", "\"points\""},
		{"\"seed\":9", "\"seed\":\"\",\"x\":9", "\"seed\""},
		{"\"policy_blob\":\"00ff07\"", "\"policy_blob\":\"00fg07\"", "\"policy_blob\""},
		{"\"spin\":[[\"", "\"spin\":[7,[\"", "\"spin\""},
		{"\"cycle\":[[[\"ff", "\"cycle\":[[[\"gg", "\"cycle\""},
		{"\"cycle\":[[", "\"cycle\":[],\"x\":[[", "\"cycle\""},
		{"\"order\":[[", "\"order\":[],\"x\":[[", "\"order\""},
		{"\"order\":[[\"", "\"order\":[[7,\"", "\"order\""},
	};
	char *scratch = scratch_enter(), why[512], *text;
	struct rfs_record record;

	write_record("r.json", NULL, NULL);
	text = scratch_read("r.json");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char *at = strstr(text, cases[i].from), *changed;

		cr_assert_not_null(at, "%s", cases[i].from);
		changed = xasprintf("%.*s%s%s", (int)(at - text), text, cases[i].to, at + strlen(cases[i].from));
		changed = sealed(changed);
		scratch_file("bad.json", changed, strlen(changed), 0666);
		cr_expect_eq(rfs_record_read("bad.json", &record, why, sizeof(why)), -EINVAL, "%s", cases[i].to);
		cr_expect_not_null(strstr(why, cases[i].says), "%s: %s", cases[i].to, why);
		free(changed);
	}
	free(text);
	cr_expect_eq(rfs_record_read("none.json", &record, why, sizeof(why)), -ENOENT);
	cr_expect_eq(rfs_record_read(".", &record, why, sizeof(why)), -EINVAL);
	scratch_leave(scratch);
}

Test(record, trace_stays_beside_the_record)
{
	char *scratch = scratch_enter(), why[512];
	const struct rfs_run_result result = {.end = RFS_END_EXIT};
	struct rfs_record record;

	cr_assert_eq(mkdir("sub", 0777), 0);
	write_record("sub/r.json", &result, "r.trace");
	cr_assert_eq(rfs_record_read("sub/r.json", &record, why, sizeof(why)), 0);
	cr_expect_str_eq(record.trace, "sub/r.trace");
	rfs_record_release(&record);
	write_record("sub/r.json", &result, "../../etc/passwd");
	cr_expect_eq(rfs_record_read("sub/r.json", &record, why, sizeof(why)), -EINVAL);
	scratch_leave(scratch);
}

Test(record, says_what_cannot_be_written)
{
	struct rfs_execution execution;
	char why[512] = "";

	fill(&execution);
	cr_expect_eq(rfs_record_write("/no/such/folder/r.json", &execution, NULL, NULL, why, sizeof(why)), -ENOENT);
	cr_expect_not_null(strstr(why, "/no/such/folder/r.json"));
}

/* stored/N.json is a record that a version with format N wrote. It is read, or the message says which version reads it.
 */
Test(record, records_of_earlier_versions_are_read_or_refused_with_the_reason)
{
	static const int formats[] = {7};

	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++) {
		char *path = xasprintf("tests/supervisor/record/stored/%d.json", formats[i]), why[512] = "";
		char *reason = xasprintf("record format %d of rfsup 0.1", formats[i]);
		struct rfs_record record;

		if (rfs_record_read(path, &record, why, sizeof(why)) == 0) {
			cr_expect_str_eq(record.execution.spec.process.path, "/tmp/example/counter");
			cr_expect(record.ended && record.end == RFS_END_EXIT && record.detail == 1);
			rfs_record_release(&record);
		} else {
			cr_expect(strstr(why, reason) && strstr(why, "use the version that wrote it"), "%s", why);
		}
		free(reason);
		free(path);
	}
}
