/* shard.c - opens, checks and copies the folders. campaign/phases/plan_items.c carries out their items. */
#include "supervisor/cli/campaign/shard.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/file.h"
#include "supervisor/base/processor.h"
#include "supervisor/base/text/number.h"
#include "supervisor/base/tree.h"
#include "supervisor/campaign/settings/options.h"
#include "supervisor/pool/journal.h"
#include "supervisor/symbols/symbolize.h"

/* The largest sum of all that is merged. */
#define MERGED_MAX ((uint64_t)16 << 30)
#define PAIRS_MAX ((uint64_t)64 << 20)
/* The file in the directory of a shard that names its part: "3/8". */
#define PART_FILE "part"

static char *file_in(const char *folder, const char *name)
{
	return xasprintf("%s/%s", folder, name);
}

/* The path of a folder that may not exist yet, made absolute before the working directory changes. Caller frees. */
static char *shard_absolute(const char *path)
{
	char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *text;

	text = folder ? file_in(folder, path) : xstrdup(path);
	free(folder);
	return text;
}

/* ---- copies ---- */

/* Copies a file unless it is there. The copy gets its name when it is whole. */
static int copy_file(const char *from, const char *to, uint64_t max, char *why, size_t n)
{
	size_t size;
	char *bytes;
	int error;

	if (access(to, F_OK) == 0)
		return 0;
	error = rfs_file_read(from, max, &bytes, &size);
	if (error == -EFBIG)
		return rfs_why(why, n, error, "%s has more than %" PRIu64 " MB, the limit", from, max >> 20);
	if (error)
		return rfs_why(why, n, error, "cannot read %s: %s", from, strerror(-error));
	error = rfs_file_replace(to, bytes, size, 0600, true);
	free(bytes);
	return error ? rfs_why(why, n, error, "cannot write %s: %s", to, strerror(-error)) : 0;
}

/* Copies records and outputs of runs. */
static int copy_runs(const char *from, const char *to, char *why, size_t n)
{
	static const char *const folders[] = {"records", "runs"};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(folders) / sizeof(*folders); i++) {
		char *source = file_in(from, folders[i]), *target = file_in(to, folders[i]);

		if (access(source, F_OK) == 0)
			error = rfs_tree_copy(source, target, why, n);
		free(source);
		free(target);
	}
	return error;
}

static uint64_t tree_bytes;

static int add_bytes(const char *path, const struct stat *st, int type, struct FTW *position)
{
	(void)path;
	(void)position;
	tree_bytes += type == FTW_F ? (uint64_t)st->st_size : 0;
	return 0;
}

static int check_sizes(char **folders, char *why, size_t n)
{
	tree_bytes = 0;
	for (size_t i = 0; folders[i]; i++)
		(void)nftw(folders[i], add_bytes, 16, FTW_PHYS);
	if (tree_bytes <= MERGED_MAX)
		return 0;
	return rfs_why(why, n, -EFBIG, "the directories have %" PRIu64 " MB, more than the limit of %" PRIu64 " MB",
		       tree_bytes >> 20, MERGED_MAX >> 20);
}

/* ---- items of several directories ---- */

/* The item is there already: both results must be the same. */
static int compare_items(const char *name, const char *path, const char *other, const char *folder, const char *first,
			 char *why, size_t n)
{
	struct rfs_journal *a = NULL, *b = NULL;
	const char *run = "?";
	int error = rfs_journal_read(path, RFS_PLAN_MAX, &a);

	if (!error)
		error = rfs_journal_read(other, RFS_PLAN_MAX, &b);
	if (!error)
		run = rfs_journal_difference(a, b);
	if (error)
		error = rfs_why(why, n, error,
				"%s/" RFS_PLAN_ITEMS "/%s is damaged; remove it, or run this shard again",
				a ? folder : first, name);
	else if (run)
		error = rfs_why(why, n, -EINVAL,
				"item %s has different results in '%s' and '%s' (run %s); leave one of them out, and "
				"look for the cause with --verify",
				name, first, folder, run);
	rfs_journal_free(a);
	rfs_journal_free(b);
	return error;
}

/* Whether a file in the folder of items is complete. */
static bool is_complete(const char *name)
{
	const char *dot = strrchr(name, '.');

	return name[0] != '.' && !(dot && strcmp(dot, ".part") == 0);
}

/* Which of the directories has the item that was copied. */
static const char *first_with(char **folders, const char *name)
{
	const char *found = NULL;

	for (size_t i = 0; !found && folders[i]; i++) {
		char *path = xasprintf("%s/" RFS_PLAN_ITEMS "/%s", folders[i], name);

		found = access(path, F_OK) == 0 ? folders[i] : NULL;
		free(path);
	}
	return found ? found : "?";
}

static int collect_item(char **folders, size_t i, const char *name, const char *items, char *why, size_t n)
{
	char *from = xasprintf("%s/" RFS_PLAN_ITEMS "/%s", folders[i], name), *to = file_in(items, name);
	int error;

	if (access(to, F_OK) == 0)
		error = compare_items(name, to, from, folders[i], first_with(folders, name), why, n);
	else
		error = copy_file(from, to, RFS_PLAN_MAX, why, n);
	free(from);
	free(to);
	return error;
}

/* Copies the complete items of folder i. */
static int collect_items(char **folders, size_t i, const char *items, char *why, size_t n)
{
	char *path = file_in(folders[i], RFS_PLAN_ITEMS);
	struct dirent **list;
	int count = scandir(path, &list, NULL, alphasort), error = 0;

	free(path);
	for (int k = 0; k < count; k++) {
		if (!error && is_complete(list[k]->d_name))
			error = collect_item(folders, i, list[k]->d_name, items, why, n);
		free(list[k]);
	}
	if (count >= 0)
		free(list);
	return error;
}

/* The part of a directory. False: it has none. */
static bool shard_read_part(const char *folder, unsigned *part, unsigned *parts)
{
	char *path = file_in(folder, PART_FILE), *text, end;
	size_t size;
	bool found = false;

	if (rfs_file_read(path, 64, &text, &size) == 0) {
		char *line = xstrndup(text, size);

		found = sscanf(line, "%u/%u%c", part, parts, &end) == 3 && end == '\n' && *part && *part <= *parts;
		free(line);
		free(text);
	}
	free(path);
	return found;
}

static int shard_collect(char **folders, struct rfs_shard *shard, char *why, size_t n)
{
	unsigned part, parts;
	bool alike = true;
	int error = check_sizes(folders, why, n);

	if (!error && mkdir(shard->items, 0700) && errno != EEXIST)
		error = rfs_why(why, n, -errno, "cannot create the directory %s: %s", shard->items, strerror(errno));
	for (size_t i = 0; !error && folders[i]; i++) {
		error = collect_items(folders, i, shard->items, why, n);
		if (!error)
			error = copy_runs(folders[i], shard->output.path, why, n);
		if (!shard_read_part(folders[i], &part, &parts))
			alike = false;
		else if (shard->work.parts && shard->work.parts != parts)
			alike = false;
		else
			shard->work.parts = parts;
	}
	if (!alike)
		shard->work.parts = 0;
	return error;
}

/* ---- opening ---- */

static int shard_id_of(const char *folder, char id[RFS_CHECKSUM_SIZE], char *why, size_t n)
{
	char *path = file_in(folder, RFS_PLAN_FILE);
	int error = rfs_checksum_file(path, id);

	if (error == -ENOENT || error == -ENOTDIR)
		rfs_why(why, n, error, "'%s' has no plan and no part of one", folder);
	else if (error)
		rfs_why(why, n, error, "cannot read %s: %s", path, strerror(-error));
	free(path);
	return error;
}

/* A plan says which program is executed. */
static int check_trust(const char *folder, bool trusted, char *why, size_t n)
{
	char *path = file_in(folder, RFS_PLAN_FILE);
	struct stat st;
	const bool foreign = stat(path, &st) == 0 && (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)));

	free(path);
	if (!foreign || trusted)
		return 0;
	return rfs_why(why, n, -EPERM,
		       "the plan in '%s' is not your file, or others may write to it, and it says which program is "
		       "executed; if you trust it, add --trust",
		       folder);
}

/* Checks that all directories have the same plan. */
static int check_plans(char **folders, const struct rfs_options *given, struct rfs_shard *shard, char *why, size_t n)
{
	char other[RFS_CHECKSUM_SIZE];
	int error = 0;

	for (size_t i = 0; !error && folders[i]; i++) {
		error = shard_id_of(folders[i], i ? other : shard->id, why, n);
		if (!error)
			error = check_trust(folders[i], given->trust, why, n);
		if (!error && i && strcmp(shard->id, other) != 0)
			error = rfs_why(why, n, -EINVAL, "'%s' and '%s' have different plans; merge parts of one plan",
					folders[0], folders[i]);
	}
	return error;
}

/* Makes or continues the output directory of a shard. */
static int open_shard_output(const char *from, const char *folder, char **command, struct rfs_shard *shard, char *why,
			     size_t n)
{
	char id[RFS_CHECKSUM_SIZE], *plan = file_in(folder, RFS_PLAN_FILE), *mark = file_in(folder, RFS_OUTPUT_MARK);
	const bool there = access(plan, F_OK) == 0, marked = access(mark, F_OK) == 0;
	int error = 0;

	if (there)
		error = shard_id_of(folder, id, why, n);
	if (!error && there && strcmp(id, shard->id) != 0)
		error = rfs_why(why, n, -EINVAL, "'%s' has a part of another plan; choose another directory with -o",
				folder);
	/* the plan comes first: a shard that was killed before it had marked the directory begins again */
	if (!error && !there && !marked) {
		error = rfs_tree_make(folder);
		error = error ? rfs_why(why, n, error, "cannot create the directory %s: %s", folder, strerror(-error))
			      : copy_file(from, plan, RFS_PLAN_MAX, why, n);
	}
	if (!error && there && marked)
		error = rfs_output_reopen(folder, &shard->output, why, n);
	else if (!error)
		error = rfs_output_open(folder, command, &shard->output, why, n);
	free(plan);
	free(mark);
	return error;
}

/* Copies the plan into the output directory, and locks it. */
static int shard_take_plan(const char *from, struct rfs_shard *shard, char *why, size_t n)
{
	char *plan = file_in(from, RFS_PLAN_FILE), *copy = file_in(shard->output.path, RFS_PLAN_FILE);
	char *pairs = file_in(from, RFS_PLAN_PAIRS);
	int error = copy_runs(from, shard->output.path, why, n);

	shard->pairs = file_in(shard->output.path, RFS_PLAN_PAIRS);
	if (!error && access(pairs, F_OK) == 0)
		error = copy_file(pairs, shard->pairs, PAIRS_MAX, why, n);
	if (!error)
		error = copy_file(plan, copy, RFS_PLAN_MAX, why, n);
	if (!error) {
		shard->lock = open(copy, O_RDONLY | O_CLOEXEC);
		if (shard->lock < 0)
			error = rfs_why(why, n, -errno, "cannot read %s: %s", copy, strerror(errno));
		else if (flock(shard->lock, LOCK_EX | LOCK_NB))
			error = rfs_why(why, n, -EBUSY,
					"another rfsup works in '%s'; wait for it, or choose another "
					"directory with -o",
					shard->output.path);
	}
	free(plan);
	free(copy);
	free(pairs);
	return error;
}

/* Compares the program, its libraries and inputs with those of the plan. */
static int check_files(const struct rfs_shard *shard, char *why, size_t n)
{
	size_t count;
	char **strings = rfs_journal_text(shard->resumed.journal, RFS_PLAN_FILES, &count), content[RFS_CHECKSUM_SIZE];
	struct rfs_symbols *symbols = rfs_symbols_new();
	int error = 0;

	for (size_t i = 0; !error && strings && i + 2 < count; i += 3) {
		const char *path = strings[i], *build_id = strings[i + 1], *sum = strings[i + 2];
		const struct rfs_elf *elf = *build_id ? rfs_symbols_elf(symbols, path) : NULL;

		if (access(path, R_OK))
			error = rfs_why(why, n, -errno, "the plan needs %s: %s", path, strerror(errno));
		else if (*build_id && (!elf || strcmp(rfs_elf_build_id(elf), build_id) != 0))
			error = rfs_why(why, n, -EINVAL,
					"%s is not the file of the plan: its build-id is %s, but the plan "
					"has %s",
					path, elf && *rfs_elf_build_id(elf) ? rfs_elf_build_id(elf) : "absent",
					build_id);
		else if (!*build_id && (rfs_checksum_file(path, content) || strcmp(content, sum) != 0))
			error = rfs_why(why, n, -EINVAL, "%s is not the file of the plan: its contents differ", path);
	}
	rfs_symbols_free(symbols);
	free(strings);
	return error;
}

/* The features of the processor that made the plan: all runs of the plan see these. Borrowed; NULL: not known. */
static const char *processor_of(const struct rfs_shard *shard)
{
	size_t count;
	char **strings = rfs_journal_text(shard->resumed.journal, RFS_PLAN_PROCESSOR, &count);
	const char *processor = strings && count ? strings[0] : NULL;

	free(strings);
	return processor;
}

static int check_processor(const struct rfs_shard *shard, char *why, size_t n)
{
	const char *wanted = processor_of(shard);
	char *lacks = wanted ? rfs_processor_lacks(wanted) : NULL;
	int error = 0;

	if (lacks)
		error = rfs_why(why, n, -EINVAL,
				"this processor lacks %s, which the processor of the plan has; use another machine",
				lacks);
	free(lacks);
	return error;
}

static int write_part(const struct rfs_shard *shard, char *why, size_t n)
{
	char *text;
	int error;

	if (!shard->work.part)
		return 0;
	text = xasprintf("%u/%u\n", shard->work.part, shard->work.parts);
	error = rfs_output_write(&shard->output, PART_FILE, text, strlen(text), why, n);
	free(text);
	return error;
}

/* The directories that are read: the plan's, or those of the shards. Caller frees with free_folders(). */
static char **folders_of(const struct rfs_options *given)
{
	char **folders = xcalloc(2, sizeof(*folders));
	size_t count = 0;

	if (!given->merge)
		folders[count++] = shard_absolute(given->plan);
	for (size_t i = 0; given->merge && given->merged[i]; i++) {
		folders = xreallocarray(folders, count + 2, sizeof(*folders));
		folders[count++] = shard_absolute(given->merged[i]);
		folders[count] = NULL;
	}
	return folders;
}

/* What is at the path of a merge's output directory. NULL: a new directory is made. */
static enum rfs_merge_into shard_kind_of(const char *folder)
{
	struct dirent **list;
	int count = folder ? scandir(folder, &list, NULL, NULL) : -1;

	if (count < 0)
		return RFS_MERGE_NEW;
	for (int i = 0; i < count; i++)
		free(list[i]);
	free(list);
	return count <= 2 ? RFS_MERGE_EMPTY : RFS_MERGE_USED; /* . and .. */
}

void rfs_shard_discard(struct rfs_shard *shard)
{
	if (shard->merges_into == RFS_MERGE_NEW)
		(void)rfs_tree_remove(shard->output.path);
	else if (shard->merges_into == RFS_MERGE_EMPTY)
		rfs_tree_empty(shard->output.path);
}

static void free_folders(char **folders)
{
	for (size_t i = 0; folders[i]; i++)
		free(folders[i]);
	free(folders);
}

/* Copies what the plan and, for a merge, its parts have into the output directory. */
static int fill_output(char **folders, bool merge, struct rfs_shard *out, char *why, size_t n)
{
	/* the output directory may be rfsup.out.N of the current directory */
	char *path = realpath(out->output.path, NULL);
	int error;

	if (path) {
		free(out->output.path);
		out->output.path = path;
	}
	out->items = file_in(out->output.path, RFS_PLAN_ITEMS);
	error = shard_take_plan(folders[0], out, why, n);
	if (!error)
		error = rfs_resume_enter(&out->resumed, why, n);
	if (!error)
		error = write_part(out, why, n);
	if (!error && merge)
		error = shard_collect(folders, out, why, n);
	out->work.id = out->id;
	out->work.items = out->items;
	if (error)
		rfs_shard_discard(out);
	return error;
}

int rfs_shard_open(const struct rfs_options *given, char **command, struct rfs_shard *out, char *why, size_t n)
{
	char **folders = folders_of(given), *folder = given->output ? shard_absolute(given->output) : NULL;
	char *plan = file_in(folders[0], RFS_PLAN_FILE);
	int error;

	*out = (struct rfs_shard){.lock = -1, .work = {.part = given->part, .parts = given->parts}};
	out->work.whole = given->merge || given->parts == 1;
	error = check_plans(folders, given, out, why, n);
	if (!error)
		error = rfs_resume_load_plan(folders[0], &out->resumed, why, n);
	if (!error)
		error = check_files(out, why, n);
	if (!error)
		error = check_processor(out, why, n);
	/* a plan that is refused leaves no directory behind */
	if (!error) {
		out->merges_into = !given->merge ? RFS_MERGE_NOTHING : shard_kind_of(folder);
		error = given->merge ? rfs_output_open(folder, command, &out->output, why, n)
				     : open_shard_output(plan, folder, command, out, why, n);
	}
	if (!error)
		error = fill_output(folders, given->merge, out, why, n);
	free(plan);
	free(folder);
	free_folders(folders);
	return error;
}

/* The limit of the plan, whose default depends on the machine. An older rfsup did not write it. */
static void take_memory(const struct rfs_shard *shard, uint64_t *out)
{
	size_t count;
	char **strings = rfs_journal_text(shard->resumed.journal, RFS_PLAN_PROCESSOR, &count);

	if (strings && count > 1)
		(void)!rfs_number_parse(strings[1], 0, UINT64_MAX, out);
	free(strings);
}

void rfs_shard_take_options(const struct rfs_shard *shard, const struct rfs_options *given, struct rfs_options *plan)
{
	plan->jobs = given->jobs;
	plan->json = given->json;
	plan->github = given->github;
	plan->stats = given->stats;
	plan->colour = given->colour;
	plan->sarif = given->sarif;
	plan->junit = given->junit;
	plan->baseline = given->baseline;
	plan->launcher = given->launcher;
	plan->error_exitcode = given->error_exitcode;
	plan->log = given->log;
	plan->run.processor = processor_of(shard);
	take_memory(shard, &plan->run.memory);
	if (plan->pairs)
		plan->pairs = shard->pairs;
}

void rfs_shard_close(struct rfs_shard *shard)
{
	if (shard->lock >= 0)
		close(shard->lock);
	rfs_journal_free(shard->resumed.journal);
	free(shard->resumed.argv);
	free(shard->items);
	free(shard->pairs);
}

/* ---- making a plan ---- */

static void print_plan(const struct rfs_output *output, const struct rfs_journal *journal)
{
	uint64_t runs = 0;
	size_t count = 0;
	char **strings = rfs_journal_text(journal, RFS_PLAN_ITEM_LIST, &count);

	for (size_t i = 0; i + 1 < count; i += 2) {
		printf("%8s runs  %s\n", strings[i + 1], strings[i]);
		runs += strtoull(strings[i + 1], NULL, 10);
	}
	printf("plan            %zu items, %" PRIu64 " runs\nfiles           %s\n", count / 2, runs, output->path);
	free(strings);
}

int rfs_plan_finish(const struct rfs_output *output, const char *pairs, char *why, size_t n)
{
	char *from = rfs_output_file(output, RFS_PLAN_UNFINISHED), *to = rfs_output_file(output, RFS_PLAN_FILE);
	char *copy = rfs_output_file(output, RFS_PLAN_PAIRS);
	struct rfs_journal *journal;
	int error = pairs ? copy_file(pairs, copy, PAIRS_MAX, why, n) : 0;

	if (!error && rename(from, to))
		error = rfs_why(why, n, -errno, "cannot write %s: %s", to, strerror(errno));
	if (!error) {
		error = rfs_journal_read(to, RFS_PLAN_MAX, &journal);
		if (error)
			rfs_why(why, n, error, "cannot read %s: %s", to, strerror(-error));
	}
	if (!error) {
		print_plan(output, journal);
		rfs_journal_free(journal);
	}
	free(from);
	free(to);
	free(copy);
	return error;
}
