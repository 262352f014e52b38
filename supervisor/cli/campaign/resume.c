/* resume.c - checks a journal or plan, and restores the process that wrote it. */
#include "supervisor/cli/campaign/resume.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/base/version.h"
#include "supervisor/campaign/phases/plan_items.h"
#include "supervisor/campaign/settings/program.h"
#include "supervisor/pool/journal.h"
#include "supervisor/record/checksum.h"

/* The strings of a journal. The words of the command line follow, then the environment. */
enum { VERSION, SELF, FOLDER, OUTPUT, PROGRAM, CONTENT, WORDS, FIXED };

static size_t resume_count(char *const *list)
{
	size_t n = 0;

	while (list[n])
		n++;
	return n;
}

static int sum_of(const char *path, char out[RFS_CHECKSUM_SIZE], char *why, size_t n)
{
	int error = rfs_checksum_file(path, out);

	return error ? rfs_why(why, n, error, "cannot read %s: %s", path, strerror(-error)) : 0;
}

int rfs_resume_begin(const struct rfs_output *output, const char *name, char **command,
		     const struct rfs_program *program, struct rfs_journal **out, char *why, size_t n)
{
	char self[RFS_CHECKSUM_SIZE], content[RFS_CHECKSUM_SIZE], words[24];
	char *path = rfs_output_file(output, name), *folder = getcwd(NULL, 0);
	size_t n_command = resume_count(command), n_env = resume_count(environ);
	char **strings = xcalloc(FIXED + n_command + n_env, sizeof(*strings));
	int error = sum_of("/proc/self/exe", self, why, n);

	if (!error)
		error = sum_of(program->path, content, why, n);
	if (error)
		goto out;
	snprintf(words, sizeof(words), "%zu", n_command);
	strings[VERSION] = (char *)rfs_version;
	strings[SELF] = self;
	strings[FOLDER] = folder ? folder : (char *)"";
	strings[OUTPUT] = output->path;
	strings[PROGRAM] = program->path;
	strings[CONTENT] = content;
	strings[WORDS] = words;
	memcpy(strings + FIXED, command, n_command * sizeof(*strings));
	memcpy(strings + FIXED + n_command, environ, n_env * sizeof(*strings));
	error = rfs_journal_new(path, strings, FIXED + n_command + n_env, out);
	if (error) {
		rfs_why(why, n, error, "cannot write %s: %s", path, strerror(-error));
		unlink(path);
	}
out:
	free(strings);
	free(folder);
	free(path);
	return error;
}

static int refuse_journal(const char *directory, const char *path, int error, char *why, size_t n)
{
	switch (error) {
	case -ENOENT:
		return rfs_why(why, n, error,
			       "'%s' holds no campaign that was interrupted; --continue needs its output directory",
			       directory);
	case -EBUSY:
		return rfs_why(why, n, error, "the campaign of '%s' still runs", directory);
	case -EBADMSG:
		return rfs_why(why, n, error, "%s is damaged; start the campaign again", path);
	default:
		return rfs_why(why, n, error, "cannot read %s: %s", path, strerror(-error));
	}
}

/* 0 if this build of rfsup wrote the journal; otherwise -errno. */
static int check_self(char **strings, char *why, size_t n)
{
	char self[RFS_CHECKSUM_SIZE];
	int error = sum_of("/proc/self/exe", self, why, n);

	return error ? error : strcmp(strings[SELF], self) == 0 ? 0 : -ESTALE;
}

/* Takes the words. False: the journal is damaged. */
static bool take_words(char **strings, struct rfs_resumed *out)
{
	out->directory = strings[OUTPUT];
	out->argc = atoi(strings[WORDS]);
	if (out->argc < 1 || (size_t)out->argc > resume_count(strings + FIXED))
		return false;
	out->argv = xcalloc((size_t)out->argc + 1, sizeof(*out->argv));
	memcpy(out->argv, strings + FIXED, (size_t)out->argc * sizeof(*out->argv));
	return true;
}

static int refuse_folder(const char *folder, char *why, size_t n)
{
	return rfs_why(why, n, -errno, "cannot change to the directory '%s' of that campaign: %s", folder,
		       strerror(errno));
}

int rfs_resume_enter(const struct rfs_resumed *resumed, char *why, size_t n)
{
	char **strings = rfs_journal_strings(resumed->journal);

	if (chdir(strings[FOLDER]))
		return refuse_folder(strings[FOLDER], why, n);
	environ = strings + FIXED + resumed->argc;
	return 0;
}

int rfs_resume_load(const char *directory, struct rfs_resumed *out, char *why, size_t n)
{
	char *path = xasprintf("%s/" RFS_JOURNAL_FILE, directory), **strings;
	int error = rfs_journal_open(path, &out->journal);

	if (error) {
		refuse_journal(directory, path, error, why, n);
		goto out;
	}
	strings = rfs_journal_strings(out->journal);
	if (resume_count(strings) < FIXED) {
		error = refuse_journal(directory, path, -EBADMSG, why, n);
		goto out;
	}
	error = check_self(strings, why, n);
	if (error == -ESTALE)
		rfs_why(why, n, error,
			"the campaign of '%s' was started by another build of rfsup (version %s); continue it with "
			"that one, or start it again",
			directory, strings[VERSION]);
	if (!error && !take_words(strings, out))
		error = refuse_journal(directory, path, -EBADMSG, why, n);
	if (!error)
		error = rfs_resume_enter(out, why, n);
out:
	free(path);
	return error;
}

static int refuse_plan(const char *directory, const char *path, int error, char *why, size_t n)
{
	switch (error) {
	case -ENOENT:
	case -ENOTDIR:
		return rfs_why(why, n, error, "'%s' has no plan; rfsup --plan DIR makes one", directory);
	case -EFBIG:
		return rfs_why(why, n, error, "%s has more than %llu MB, the limit of a plan", path,
			       (unsigned long long)(RFS_PLAN_MAX >> 20));
	case -EBADMSG:
		return rfs_why(why, n, error, "%s is damaged; copy it again, or make the plan again", path);
	default:
		return rfs_why(why, n, error, "cannot read %s: %s", path, strerror(-error));
	}
}

/* Whether the file of the program is the one of the journal. */
static int check_content(char **strings, const char *path, char *why, size_t n)
{
	char content[RFS_CHECKSUM_SIZE];
	int error = sum_of(path, content, why, n);

	if (!error && (strcmp(strings[PROGRAM], path) != 0 || strcmp(strings[CONTENT], content) != 0))
		error = rfs_why(why, n, -EINVAL, "'%s' has changed since the campaign was started; start it again",
				strings[PROGRAM]);
	return error;
}

/* Whether the journal has all parts of a plan. */
static bool is_plan(const struct rfs_journal *journal)
{
	size_t words = 0;
	char **modules = rfs_journal_text(journal, RFS_PLAN_FILES, &words);
	const bool is = modules && words % 3 == 0;

	free(modules);
	return is;
}

int rfs_resume_load_plan(const char *directory, struct rfs_resumed *out, char *why, size_t n)
{
	char *path = xasprintf("%s/" RFS_PLAN_FILE, directory), **strings;
	int error = rfs_journal_read(path, RFS_PLAN_MAX, &out->journal);

	if (error) {
		refuse_plan(directory, path, error, why, n);
		goto out;
	}
	strings = rfs_journal_strings(out->journal);
	if (resume_count(strings) < FIXED) {
		error = refuse_plan(directory, path, -EBADMSG, why, n);
		goto out;
	}
	error = check_self(strings, why, n);
	if (error == -ESTALE)
		rfs_why(why, n, error,
			"the plan in '%s' was made by another build of rfsup (version %s); use that one, or make the "
			"plan again",
			directory, strings[VERSION]);
	else if (!error && (!is_plan(out->journal) || !take_words(strings, out)))
		error = refuse_plan(directory, path, -EBADMSG, why, n);
	else if (!error && access(strings[FOLDER], X_OK))
		error = refuse_folder(strings[FOLDER], why, n);
	if (!error)
		error = check_content(strings, strings[PROGRAM], why, n);
out:
	free(path);
	return error;
}

int rfs_resume_check(const struct rfs_resumed *resumed, const struct rfs_program *program, char *why, size_t n)
{
	return check_content(rfs_journal_strings(resumed->journal), program->path, why, n);
}

void rfs_resume_end(const struct rfs_output *output, struct rfs_journal *journal, bool keep)
{
	char *path = rfs_output_file(output, RFS_JOURNAL_FILE);

	rfs_journal_free(journal);
	if (!keep)
		unlink(path);
	free(path);
}
