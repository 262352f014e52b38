/* generate.c - from the command line to the report. */
#include "supervisor/generate/generate.h"

#include <errno.h>
#include <fnmatch.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/clock.h"
#include "supervisor/base/interrupt.h"
#include "supervisor/base/output.h"
#include "supervisor/base/path.h"
#include "supervisor/base/tree.h"
#include "supervisor/generate/driver_image.h"
#include "supervisor/generate/library/compiler.h"
#include "supervisor/generate/library/hints.h"
#include "supervisor/generate/library/hints_apply.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/library/parameters.h"
#include "supervisor/generate/library/shim.h"
#include "supervisor/generate/options.h"
#include "supervisor/generate/output/list.h"
#include "supervisor/generate/output/summary.h"
#include "supervisor/generate/output/summary_html.h"
#include "supervisor/generate/program/confirm_c.h"
#include "supervisor/generate/search/network.h"
#include "supervisor/generate/session/session.h"

/* All that is known of the library. */
struct subject {
	char *path; /* absolute */
	struct rfs_elf *elf;
	struct rfs_compiler compiler;
	struct rfs_shim shim;
	struct rfs_library library;
	struct rfs_library_hints hints;
	const char **thread_start, **thread_end; /* functions of the hints; end with NULL */
	char ***names;				 /* of the parameters of each function */
};

static void release_subject(struct subject *subject)
{
	for (size_t i = 0; i < subject->library.n_functions; i++) {
		for (size_t k = 0; k < subject->library.functions[i].type->n_parameters; k++)
			free(subject->names[i][k]);
		free(subject->names[i]);
	}
	free(subject->names);
	free(subject->thread_start);
	free(subject->thread_end);
	rfs_hints_release(&subject->hints);
	rfs_library_release(&subject->library);
	rfs_shim_release(&subject->shim);
	rfs_compiler_release(&subject->compiler);
	rfs_elf_free(subject->elf);
	free(subject->path);
}

static char **names_of(const struct subject *subject, const struct rfs_library_function *function)
{
	size_t n = function->type->n_parameters;
	char **names = xcalloc(n + 1, sizeof(*names));

	if (function->method && function->method->file) {
		const struct rfs_cxx_method *method = function->method;
		const struct rfs_declaration row = {.name = method->name, .file = method->file, .line = method->line};
		size_t hidden = method->kind != RFS_CXX_STATIC;

		rfs_parameter_names(&row, names + hidden, n - hidden);
	}
	for (size_t i = 0; i < subject->shim.declarations.n; i++)
		if (strcmp(subject->shim.declarations.rows[i].name, function->name) == 0) {
			rfs_parameter_names(&subject->shim.declarations.rows[i], names, n);
			break;
		}
	return names;
}

static bool matches(const struct rfs_words *globs, const char *name)
{
	for (size_t i = 0; i < globs->n; i++)
		if (fnmatch(globs->list[i], name, 0) == 0)
			return true;
	return false;
}

/* Leaves out functions as --only and --skip say. */
static void select_functions(const struct rfs_generate_options *options, struct rfs_library *library)
{
	for (size_t i = 0; i < library->n_functions; i++) {
		const struct rfs_library_function *function = &library->functions[i];
		const char *why = NULL;

		if (matches(&options->skip, function->name) || matches(&options->skip, function->shown))
			why = "left out by --skip";
		else if (options->only.n && !matches(&options->only, function->name) &&
			 !matches(&options->only, function->shown))
			why = "left out by --only";
		if (why)
			rfs_library_leave_out(library, i, why);
	}
}

static int check_types(const struct rfs_generate_options *options, const struct rfs_library *library, char *why,
		       size_t n)
{
	for (size_t i = 0; i < options->types.n; i++) {
		bool known = false;

		for (size_t k = 0; k < library->n_types; k++)
			known |= rfs_library_type_matches(&library->types[k], options->types.list[i]);
		if (!known)
			return rfs_why(why, n, -EINVAL, "--type: the library has no type '%s'; --list lists its types",
				       options->types.list[i]);
	}
	for (size_t i = 0; i < options->init.n; i++) {
		bool known = false;

		for (size_t k = 0; k < library->n_functions; k++)
			known |= strcmp(options->init.list[i], library->functions[k].name) == 0;
		if (!known)
			return rfs_why(why, n, -EINVAL, "--init: the headers declare no function '%s' of the library",
				       options->init.list[i]);
	}
	return 0;
}

static int read_subject(const struct rfs_generate_options *options, const char *folder, struct subject *out, char *why,
			size_t n)
{
	int error;

	out->path = realpath(options->library, NULL);
	if (!out->path)
		return rfs_why(why, n, -errno, "cannot read the library '%s': %s", options->library, strerror(errno));
	error = rfs_elf_open(out->path, &out->elf, why, n);
	if (!error && options->hints)
		error = rfs_hints_read(options->hints, &out->hints, why, n);
	if (!error)
		error = rfs_compiler_new(options->cflags, &out->compiler, why, n);
	if (!error) {
		rfs_compiler_choose_language(&out->compiler, options->headers.list, options->headers.n);
		if (out->compiler.is_cxx && options->results == RFS_RESULTS_ASKED)
			return rfs_why(why, n, -EINVAL,
				       "--results compares results of C libraries only; remove it for C++ headers");
		error = rfs_shim_make(&out->compiler, out->elf, options->headers.list, options->headers.n, folder,
				      &out->shim, why, n);
	}
	if (error)
		return error;
	rfs_library_classify(&out->shim, &out->hints, &out->library);
	out->names = xcalloc(out->library.n_functions, sizeof(*out->names));
	for (size_t i = 0; i < out->library.n_functions; i++)
		out->names[i] = names_of(out, &out->library.functions[i]);
	select_functions(options, &out->library);
	error = rfs_hints_apply(&out->hints, &out->library, why, n);
	if (error)
		return error;
	out->thread_start = rfs_hints_names(&out->hints, RFS_LIBRARY_HINT_THREAD_START);
	out->thread_end = rfs_hints_names(&out->hints, RFS_LIBRARY_HINT_THREAD_END);
	return check_types(options, &out->library, why, n);
}

/* ---- --list ---- */

/* After a signal, the folder in /tmp is removed too. -EINTR: there was one. */
static int generate_list(const struct rfs_generate_options *options, char *why, size_t n)
{
	char folder[] = "/tmp/rfsup-generate-XXXXXX", *text;
	struct subject subject = {0};
	size_t size;
	FILE *out;
	int cancel_fd, error;

	if (rfs_interrupt_init(&cancel_fd))
		die("cannot set up signal handlers");
	if (!mkdtemp(folder))
		return rfs_why(why, n, -errno, "cannot make a directory in /tmp: %s", strerror(errno));
	error = read_subject(options, folder, &subject, why, n);
	/* the signal may have ended the compiler too */
	if (rfs_interrupted(cancel_fd))
		error = rfs_why(why, n, -EINTR, "interrupted before the list was complete");
	if (!error) {
		out = open_memstream(&text, &size);
		if (!out)
			die("out of memory");
		rfs_library_list(&subject.library, &subject.shim, out);
		fclose(out);
		error = rfs_output_print(stdout, "standard output", text, size, why, n);
		free(text);
	}
	release_subject(&subject);
	rfs_tree_remove(folder);
	return error;
}

/* ---- tests ---- */

struct folders {
	char *all, *work, *tests; /* absolute */
};

static int make_folders(const struct rfs_output *output, struct folders *out, char *why, size_t n)
{
	out->all = realpath(output->path, NULL);
	if (!out->all)
		return rfs_why(why, n, -errno, "cannot use %s: %s", output->path, strerror(errno));
	/* both end a name in LD_PRELOAD, and so none of these libraries would be loaded */
	if (strpbrk(out->all, ": "))
		return rfs_why(why, n, -EINVAL, "--output: the path '%s' must not have a blank or a colon", out->all);
	out->work = xasprintf("%s/work", out->all);
	out->tests = xasprintf("%s/tests", out->all);
	if (mkdir(out->work, 0700) || mkdir(out->tests, 0700))
		return rfs_why(why, n, -errno, "cannot make a directory in %s: %s", output->path, strerror(errno));
	return 0;
}

static void release_folders(struct folders *folders)
{
	if (folders->tests)
		rmdir(folders->tests); /* if it is empty */
	free(folders->all);
	free(folders->work);
	free(folders->tests);
}

static enum rfs_exit exit_of(const struct rfs_session_result *result)
{
	size_t n_tested = 0;

	for (size_t i = 0; i < result->n_types; i++) {
		if (rfs_type_is_finding(result, &result->types[i]))
			return RFS_EXIT_FINDING;
		n_tested += result->types[i].n_tests > 0;
	}
	return n_tested && result->end == RFS_POOL_DONE ? RFS_EXIT_CLEAN : RFS_EXIT_INCOMPLETE;
}

/* What a report is about. */
struct publishing {
	const struct rfs_generate_options *options;
	const struct subject *subject;
	const struct rfs_output *output;
	bool private_network; /* tests have one */
};

/* Writes the reports. *shown: the one for standard output; the caller frees it. */
static int generate_save(const struct publishing *p, const struct rfs_session_result *result, char **shown, char *why,
			 size_t n)
{
	const struct rfs_summary summary = {p->options, &p->subject->library, p->subject->path, p->output->path,
					    result};
	char *text = rfs_summary_text(&summary), *json = rfs_summary_json(&summary), *page = rfs_summary_html(&summary);
	int error = rfs_output_write(p->output, "report.txt", text, strlen(text), why, n);

	if (!error)
		error = rfs_output_write(p->output, "index.html", page, strlen(page), why, n);
	if (!error)
		error = rfs_output_write(p->output, "report.json", json, strlen(json), why, n);
	free(page);
	*shown = p->options->json ? json : text;
	free(p->options->json ? text : json);
	return error;
}

/* If the session is killed, what it has found can be read. */
static void save_early(void *arg, const struct rfs_session_result *result)
{
	char why[512], *shown;

	if (generate_save(arg, result, &shown, why, sizeof(why)))
		rfs_warn("%s", why);
	free(shown);
}

static int generate_publish(const struct publishing *p, const struct rfs_session_result *result, char *why, size_t n)
{
	char *shown;
	int error = generate_save(p, result, &shown, why, n);

	if (!error)
		error = rfs_output_print(stdout, "standard output", shown, strlen(shown), why, n);
	free(shown);
	return error;
}

/* A glob of the library's file, whatever its version: "libglib-2.0.so*". Caller frees. */
static char *generate_glob_of(const char *path)
{
	const char *base = rfs_base_name(path), *end = strstr(base, ".so");

	return xasprintf("%.*s*", end ? (int)(end + 3 - base) : (int)strlen(base), base);
}

static int run_session(const struct publishing *publishing, const struct folders *folders,
		       const struct rfs_generate_runs *runs, int cancel_fd, struct rfs_session_result *result,
		       char *why, size_t n)
{
	const struct rfs_generate_options *options = publishing->options;
	const struct subject *subject = publishing->subject;
	char *driver = xasprintf("%s/rfsup-driver", folders->work);
	char *guard = xasprintf("%s/rfsup-guard.so", folders->all);
	char *watched[] = {generate_glob_of(subject->path), NULL};
	double deadline = rfs_clock() + options->budget;
	const struct rfs_confirm_settings confirm = {
		.options = options,
		.compiler = &subject->compiler,
		.library = &subject->library,
		.library_path = subject->path,
		.folder = folders->tests,
		.guard = guard,
		.thread_start = subject->thread_start,
		.thread_end = subject->thread_end,
		.watched = watched,
		.deadline = deadline,
		.cancel_fd = cancel_fd,
		.server = runs->server,
		.run = runs->run,
		.plain = runs->plain,
	};
	const struct rfs_session_settings settings = {
		.options = options,
		.library = &subject->library,
		.names = (char *const *const *)subject->names,
		.executor =
			{
				.driver = driver,
				.guard = guard,
				.shim = subject->shim.path,
				.folder = folders->work,
				.watched = watched,
				.tests = {{options->init.list, subject->thread_start, subject->thread_end},
					  publishing->private_network},
				.results = options->results != RFS_RESULTS_NEVER && !subject->compiler.is_cxx,
				.without_sweep = runs->without.sweep,
				.plain = runs->without.control ? runs->plain : NULL,
				.seed = options->seed,
				.deadline = deadline,
				.cancel_fd = cancel_fd,
				.server = runs->server,
				.run = runs->run,
			},
		.confirm = &confirm,
		.found = save_early,
		.arg = (void *)publishing,
		.terminal = isatty(STDERR_FILENO) && !options->quiet,
		.without = runs->without,
		.tested = runs->tested,
	};
	int error = rfs_driver_image_write(driver, why, n);

	if (!error)
		error = rfs_guard_image_write(guard, why, n);
	if (!error)
		error = rfs_session_run(&settings, result, why, n);
	if (error)
		unlink(guard); /* nothing needs it, and then the output folder is empty */
	free(watched[0]);
	free(guard);
	free(driver);
	return error;
}

static enum rfs_exit generate_test(const struct rfs_generate_options *options, char **command,
				   const struct rfs_generate_runs *runs)
{
	struct subject subject = {0};
	struct folders folders = {0};
	struct rfs_session_result result = {0};
	struct rfs_output output;
	const struct publishing publishing = {options, &subject, &output, rfs_private_network()};
	enum rfs_exit exit = RFS_EXIT_INPUT;
	char why[1024] = "";
	int cancel_fd, error;
	bool executed;

	if (rfs_interrupt_init(&cancel_fd))
		die("cannot set up signal handlers");
	if (rfs_output_open(options->output, command, &output, why, sizeof(why)))
		die("%s", why);
	error = make_folders(&output, &folders, why, sizeof(why));
	if (!error)
		error = read_subject(options, folders.work, &subject, why, sizeof(why));
	if (!error)
		error = run_session(&publishing, &folders, runs, cancel_fd, &result, why, sizeof(why));
	executed = !error;
	if (!error) {
		exit = exit_of(&result);
		error = generate_publish(&publishing, &result, why, sizeof(why));
	}
	if (error) {
		rfs_error("%s", why);
		exit = exit == RFS_EXIT_FINDING ? exit : RFS_EXIT_INPUT;
	}
	rfs_session_result_release(&result);
	release_subject(&subject);
	if (folders.work)
		rfs_tree_remove(folders.work);
	release_folders(&folders);
	if (executed)
		rfs_output_close(&output);
	else
		rfs_output_discard(&output);
	return exit;
}

enum rfs_exit rfs_generate(int argc, char **argv, const struct rfs_generate_runs *runs)
{
	struct rfs_generate_options options;
	enum rfs_exit exit = RFS_EXIT_CLEAN;
	char why[1024] = "";

	/* if the driver dies, the missing answer shows it; writing to it must not kill us */
	signal(SIGPIPE, SIG_IGN);
	if (rfs_generate_options_parse(argc, argv, &options, why, sizeof(why)))
		die("%s", why);
	rfs_log_set_level(options.quiet ? RFS_LOG_QUIET : options.verbose ? RFS_LOG_VERBOSE : RFS_LOG_NORMAL);
	if (options.help) {
		rfs_generate_options_help(stdout);
	} else if (options.list) {
		int error = generate_list(&options, why, sizeof(why));

		if (error)
			rfs_error("%s", why);
		exit = error == -EINTR ? RFS_EXIT_INCOMPLETE : error ? RFS_EXIT_INPUT : RFS_EXIT_CLEAN;
	} else {
		exit = generate_test(&options, argv, runs);
	}
	rfs_generate_options_release(&options);
	return exit;
}
