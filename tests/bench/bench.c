
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tests/bench/bench.h"
#include "tests/bench/process.h"
#include "tests/bench/stops.h"

#define WORDS_MAX 40

void bench_die(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("bench: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(2);
}

double bench_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return left < right ? -1 : left > right;
}

double bench_median(double *values, size_t n)
{
	qsort(values, n, sizeof(*values), compare);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

static char *join(const char *folder, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", folder, name) < 0)
		bench_die("out of memory");
	return path;
}

char *bench_target(const struct bench *bench, const char *name)
{
	return join(bench->targets, name);
}

char *bench_program(const struct bench *bench, const char *name)
{
	char *path;

	/* this folder and the folder of all variants are both in the build folder */
	if (asprintf(&path, "%s/../../bench-programs/%s", bench->targets, name) < 0)
		bench_die("out of memory");
	return path;
}

char *bench_peer(const struct bench *bench, const char *build, const char *name)
{
	char *path;

	if (asprintf(&path, "%s/../../bench-peers/%s/%s", bench->targets, build, name) < 0)
		bench_die("out of memory");
	return path;
}

const char *bench_setting(const char *name, const char *usual)
{
	const char *word = getenv(name);

	return word && atoi(word) > 0 ? word : usual;
}

bool bench_is_wanted(const char *setting, const char *name)
{
	const char *wanted = getenv(setting);

	/* several parts of names have | between them */
	while (wanted && *wanted) {
		const size_t n = strcspn(wanted, "|");

		if (memmem(name, strlen(name), wanted, n))
			return true;
		wanted += n + (wanted[n] == '|');
		if (!*wanted)
			return false;
	}
	return true;
}

bool bench_has_row(const char *name)
{
	return bench_is_wanted("BENCH_ROW", name);
}

void bench_pin(int core)
{
	static cpu_set_t all;
	cpu_set_t one;

	if (!CPU_COUNT(&all) && sched_getaffinity(0, sizeof(all), &all))
		bench_die("sched_getaffinity: %s", strerror(errno));
	CPU_ZERO(&one);
	if (core >= 0)
		CPU_SET((size_t)core, &one);
	if (sched_setaffinity(0, sizeof(one), core >= 0 ? &one : &all))
		bench_die("core %d: %s", core, strerror(errno));
}

double bench_native(const char *const *argv)
{
	struct bench_cost cost = bench_run(argv, "/dev/null", false);

	if (cost.status)
		bench_die("%s ended with status %d", argv[0], cost.status);
	return cost.wall;
}

void bench_remove(const char *path)
{
	const char *argv[] = {"/bin/rm", "-rf", "--", path, NULL};

	if (bench_run(argv, "/dev/null", false).status)
		bench_die("%s cannot be removed", path);
}

struct call {
	char *output, *said;
	const char *argv[WORDS_MAX + 7];
};

static struct call call_of(const struct bench *bench, const char *const *words)
{
	struct call call = {
		.output = join(bench->folder, "out"),
		.said = join(bench->folder, "report.json"),
		.argv = {bench->rfsup, "--quiet", "--format=json", "-o"},
	};
	size_t n = 4;

	call.argv[n++] = call.output;
	while (*words && n < WORDS_MAX + 6)
		call.argv[n++] = *words++;
	if (*words)
		bench_die("too many words for rfsup");
	bench_remove(call.output);
	return call;
}

static void end_call(struct call *call)
{
	free(call->output);
	free(call->said);
}

double bench_rfsup_peak(const struct bench *bench, const char *const *words)
{
	struct call call = call_of(bench, words);
	double peak = bench_peak(call.argv, call.said, false);

	end_call(&call);
	return peak;
}

json_t *bench_rfsup(const struct bench *bench, const char *const *words)
{
	struct call call = call_of(bench, words);
	const struct bench_cost cost = bench_run(call.argv, call.said, false);
	const int status = cost.status;
	json_error_t error;
	json_t *report;

	if (status == 2 || status == 3 || status > 4)
		bench_die("rfsup ended with status %d: %s", status, call.output);
	report = json_load_file(call.said, 0, &error);
	if (!report)
		bench_die("the report of rfsup: line %d: %s", error.line, error.text);
	json_object_set_new(json_object_get(report, "stats"), BENCH_COMMAND_CPU, json_real(cost.cpu));
	end_call(&call);
	return report;
}

double bench_stat(const json_t *report, const char *key)
{
	const json_t *value = json_object_get(json_object_get(report, "stats"), key);

	if (!json_is_number(value))
		bench_die("the report has no stats.%s", key);
	return json_number_value(value);
}

double bench_confirm_runs(const json_t *report)
{
	double runs = 0;
	json_t *pair;
	size_t i;

	json_array_foreach(json_object_get(report, "pairs"), i, pair) runs +=
		(double)json_integer_value(json_object_get(pair, "runs"));
	return runs;
}

char *bench_file(const struct bench *bench, const char *name, const char *text)
{
	char *path = join(bench->folder, name);
	FILE *file = fopen(path, "we");

	if (!file || fputs(text, file) < 0 || fclose(file))
		bench_die("%s: %s", path, strerror(errno));
	return path;
}

unsigned bench_line_of(const char *path, const char *text)
{
	FILE *file = fopen(path, "re");
	char line[1024];

	if (!file)
		bench_die("%s: %s", path, strerror(errno));
	for (unsigned number = 1; fgets(line, sizeof(line), file); number++)
		if (strstr(line, text)) {
			fclose(file);
			return number;
		}
	bench_die("%s: no line has %s", path, text);
}

unsigned bench_line(const char *target, const char *mark)
{
	char path[256], wanted[128];

	snprintf(path, sizeof(path), "targets/%s.c", target);
	snprintf(wanted, sizeof(wanted), "RACE: %s ", mark);
	return bench_line_of(path, wanted);
}

/* Prints the machine, because the results are valid only for it. */
static void print_machine(void)
{
	static const char command[] =
		"echo \"# machine: $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1), $(nproc) cores,"
		" $(uname -sr), $(getconf GNU_LIBC_VERSION)\";"
		"echo \"# load at the start: $(cut -d' ' -f1-3 /proc/loadavg); $(date -u +%Y-%m-%dT%H:%MZ)\"";

	if (sched_getscheduler(0) == SCHED_FIFO || sched_getscheduler(0) == SCHED_RR)
		printf("# scheduled in real time (chrt), because the machine is shared\n");
	fflush(stdout);
	if (system(command))
		bench_die("the machine cannot be described");
}

/* Returns the last core of the allowed ones. Interrupts usually go to the first. */
static int choose_core(void)
{
	cpu_set_t set;
	int core = -1;

	if (sched_getaffinity(0, sizeof(set), &set))
		bench_die("sched_getaffinity: %s", strerror(errno));
	for (int i = 0; i < CPU_SETSIZE; i++)
		if (CPU_ISSET((size_t)i, &set))
			core = i;
	return core;
}

static const struct part {
	const char *name;
	void (*print)(const struct bench *bench);
} parts[] = {
	{"goals", bench_goals},		{"table", bench_table},
	{"orders", bench_orders},	{"collections", bench_collections},
	{"drfinder", bench_drfinder},	{"needles", bench_needles},
	{"detectors", bench_detectors}, {"peers", bench_peers},
	{"growth", bench_growth},	{"replay", bench_replay},
	{"against", bench_against},	{"first", bench_first},
	{"openmp", bench_openmp},	{"executions", bench_executions},
	{"search", bench_search},
};

static const struct part *part_of(const char *name)
{
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (!strcmp(parts[i].name, name))
			return &parts[i];
	return NULL;
}

int main(int argc, char **argv)
{
	char folder[] = "/tmp/rfsup-bench.XXXXXX";
	struct bench bench = {.core = choose_core(), .shrink = argc == 5 ? (unsigned)atoi(argv[4]) : 1};

	if (argc == 2 && !strcmp(argv[1], BENCH_STOPS_WORD))
		bench_stops_loop();
	if (argc < 3 || argc > 5 || (argc > 3 && !part_of(argv[3])) || bench.shrink == 0)
		bench_die("usage: bench RFSUP TARGETS [PART [SHRINK]]");
	bench.folder = mkdtemp(folder);
	bench.rfsup = realpath(argv[1], NULL);
	bench.targets = realpath(argv[2], NULL);
	bench.self = realpath("/proc/self/exe", NULL);
	if (!bench.folder || !bench.rfsup || !bench.targets || !bench.self)
		bench_die("%s, %s: %s", argv[1], argv[2], strerror(errno));
	printf("# command:");
	for (int i = 0; i < argc; i++)
		printf(" %s", argv[i]);
	putchar('\n');
	print_machine();
	bench_pin(-1);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (argc < 4 || part_of(argv[3]) == &parts[i])
			parts[i].print(&bench);
	bench_remove(bench.folder);
	return 0;
}
