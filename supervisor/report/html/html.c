/* html.c - the frame of the page: the finding, its stacks and output. html_lanes.c draws the picture. */
#include "supervisor/report/html/html.h"
#include "supervisor/report/text/markup.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/shell_word.h"
#include "supervisor/record/record.h"
#include "supervisor/record/run_result.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/html/html-priv.h"
#include "supervisor/report/html/html_script.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

int rfs_html_check(const struct rfs_record *record, const char *option, const char *path, char *why, size_t n)
{
	char *copy = xstrdup(path), *folder = dirname(copy);
	struct stat st;
	int error = 0;

	if (!record->execution.spec.trace.in)
		error = rfs_why(why, n, -ENODATA,
				"--%s: the record has no trace of its operations, so no page can be written", option);
	else if (stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		error = rfs_why(why, n, -EISDIR, "--%s: '%s' is a directory", option, path);
	else if (access(folder, W_OK | X_OK) < 0)
		error = rfs_why(why, n, -errno, "--%s: cannot write '%s': %s", option, path, strerror(errno));
	free(copy);
	return error;
}

static void write_item(const char *name, const char *text, FILE *out)
{
	fprintf(out, "<p><b>%s</b> ", name);
	rfs_markup_escape(text, out);
	fputs("</p>\n", out);
}

static void write_locks(const struct rfs_html_lock *locks, FILE *out)
{
	if (!locks)
		return;
	fputs("<p class=\"key\"><b>locks</b>", out);
	for (const struct rfs_html_lock *lock = locks; lock; lock = lock->hh.next) {
		fprintf(out, "<i class=\"k%u\"></i>", lock->number % RFS_HTML_COLOURS);
		rfs_markup_escape(lock->name, out);
	}
	fputs("</p>\n", out);
}

static void write_stack(const struct rfs_page *page, const char *title, const struct rfs_place *places, size_t n,
			FILE *out)
{
	struct rfs_source_stack stack = {0};

	rfs_symbols_stack(page->symbols, places, n, &stack);
	fputs("<h2>", out);
	rfs_markup_escape(title, out);
	fputs("</h2>\n<ol start=\"0\">\n", out);
	for (size_t i = 0; i < stack.n_frames; i++) {
		const struct rfs_source_place *frame = &stack.frames[i];
		char *where = frame->file ? xasprintf("%s at %s:%u", frame->function ? frame->function : "?",
						      frame->file, frame->line)
					  : xasprintf("%s at %s+0x%llx", frame->function ? frame->function : "?",
						      rfs_base_name(frame->module), (unsigned long long)frame->offset);

		fputs("<li><code>", out);
		rfs_markup_escape(where, out);
		fputs("</code></li>\n", out);
		free(where);
	}
	fputs("</ol>\n", out);
	rfs_source_stack_release(&stack);
}

static void write_stacks(const struct rfs_page *page, FILE *out)
{
	const struct rfs_run_result *result = page->result;
	char title[64];

	for (int i = 0; i < 2 && result->n_created; i++) {
		const struct rfs_evidence *side = &result->created.side[i];

		snprintf(title, sizeof(title), "Thread %d at the race", side->thread);
		write_stack(page, title, side->stack, side->n_stack, out);
	}
	for (size_t i = 0; i < result->deadlock.n; i++) {
		snprintf(title, sizeof(title), "Thread %d, waiting", result->deadlock.list[i].thread);
		write_stack(page, title, result->deadlock.list[i].stack, result->deadlock.list[i].n_stack, out);
	}
	if (result->n_fault) {
		snprintf(title, sizeof(title), "Thread %d, where the signal arrived", result->fault_thread);
		write_stack(page, title, result->fault, result->n_fault, out);
	}
}

static char *html_command_of(const struct rfs_page *page)
{
	char *const *word = page->record->execution.spec.process.argv, *all = xstrdup(*word ? *word : "");

	while (*word && *++word) {
		char *longer = xasprintf("%s %s", all, *word);

		free(all);
		all = longer;
	}
	return all;
}

static void write_output(const struct rfs_page *page, FILE *out)
{
	const struct rfs_blob *said = &page->result->said;
	char *text;

	if (!said->size)
		return;
	text = xstrndup(said->data, said->size);
	fputs("<h2>The end of the program's output</h2>\n<pre>", out);
	rfs_markup_escape(text, out);
	fputs("</pre>\n", out);
	free(text);
}

/* The command that makes exactly this run again. */
static void write_replay(const struct rfs_page *page, FILE *out)
{
	char *word = page->record_path ? rfs_shell_word(page->record_path) : NULL;

	if (!word)
		return;
	fputs("<p><b>this run again</b> <code>rfsup --replay ", out);
	rfs_markup_escape(word, out);
	fputs("</code>, and with a debugger <code>rfsup --replay ", out);
	rfs_markup_escape(word, out);
	fputs(" --gdb</code></p>\n", out);
	free(word);
}

/* What the report says in one sentence, and the other page of the finding. */
static void write_cause(const struct rfs_page *page, FILE *out)
{
	if (page->cause) {
		fputs("<p class=\"cause\">", out);
		rfs_markup_escape(page->cause, out);
		fputs("</p>\n", out);
	}
	if (page->not_simple) {
		fputs("<p>No simplified run: ", out);
		rfs_markup_escape(page->not_simple, out);
		fputs(".</p>\n", out);
	}
	if (page->other) {
		fputs("<p><a href=\"", out);
		rfs_markup_escape(page->other, out);
		fprintf(out, "\">%s</a></p>\n",
			page->other_is_simple ? "The same with the fewest switches" : "The run as it was recorded");
	}
}

/* For page.js, which shows it. */
static const char tools[] =
	"<nav hidden aria-label=\"operations\"><input type=\"search\" placeholder=\"search, or #number\" "
	"aria-label=\"search operations, lines and source\"><button data-key=\"n\">next</button>"
	"<button data-key=\"N\">previous</button><button data-key=\"r\">race</button><button "
	"data-key=\"f\">failure</button><select aria-label=\"next operation of a thread\"><option value=\"\">thread"
	"</option></select><details><summary>keys</summary><p><kbd>j</kbd> <kbd>k</kbd> next and previous row, "
	"<kbd>t</kbd> <kbd>T</kbd> of the same thread, <kbd>s</kbd> <kbd>S</kbd> switch of threads, <kbd>0</kbd> to "
	"<kbd>9</kbd> next of that thread, <kbd>r</kbd> race, <kbd>f</kbd> failure, <kbd>/</kbd> search, <kbd>n</kbd> "
	"<kbd>N</kbd> next and previous found, <kbd>o</kbd> shows what is folded, <kbd>Home</kbd> "
	"<kbd>End</kbd></p></details><output aria-live=\"polite\"></output></nav>\n";

static void write_heading(const struct rfs_page *page, FILE *out)
{
	char *race = NULL;

	fputs("<h1>", out);
	if (!page->result->n_created) {
		/* a failure without a race has the title of its finding */
		rfs_markup_escape(page->title ? page->title : page->outcome, out);
	} else if (page->title && page->variable) {
		rfs_markup_escape(page->title, out);
		fputs(": ", out);
		rfs_markup_escape(page->outcome, out);
	} else {
		race = page->variable ? xstrdup(page->variable)
				      : rfs_symbols_object(page->symbols, &page->result->created.side[0].object, NULL);
		fputs("A race on ", out);
		rfs_markup_escape(race ? race : "memory", out);
		fputs(": ", out);
		rfs_markup_escape(page->outcome, out);
	}
	fputs("</h1>\n", out);
	free(race);
}

static void write_document(const struct rfs_page *page, const struct rfs_trace_entry *entries, size_t n, FILE *out)
{
	struct rfs_html_names names;
	struct rfs_html_lock *locks;
	char *command = html_command_of(page), *table = NULL, number[64];
	size_t size;
	FILE *lanes = xopen_memstream(&table, &size);

	rfs_html_names_open(&names, page, entries);
	rfs_html_learn(&names, n);
	locks = rfs_html_write_lanes(&names, entries, n, lanes);
	fclose(lanes);
	fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n<title>rfsup: ", out);
	rfs_markup_escape(page->title ? page->title : page->outcome, out);
	fprintf(out,
		"</title>\n<meta name=\"viewport\" "
		"content=\"width=device-width\"><style>%s</style></head>\n<body>\n",
		rfs_html_style);
	write_heading(page, out);
	write_cause(page, out);
	write_item("program", command, out);
	snprintf(number, sizeof(number), "%llu, under %s, %zu operations",
		 (unsigned long long)page->record->execution.spec.seed, page->record->policy, n);
	write_item("seed", number, out);
	write_replay(page, out);
	if (page->result->n_created)
		fputs("<p><a href=\"#race\">go to the race</a></p>\n", out);
	write_locks(locks, out);
	fputs(tools, out);
	fputs(table, out);
	write_output(page, out);
	write_stacks(page, out);
	fprintf(out, "<script>\n%s</script>\n</body></html>\n", rfs_html_script);
	rfs_html_locks_free(locks);
	rfs_html_names_release(&names);
	free(command);
	free(table);
}

/*
 * Writes to a file that is not a regular file, such as a terminal, a pipe or /dev/null. rfs_file_replace() must not
 * replace such a file.
 */
static int write_through(const char *path, const char *text, size_t size)
{
	FILE *out = fopen(path, "we");
	bool bad;

	if (!out)
		return -errno;
	bad = fwrite(text, 1, size, out) != size || fflush(out) != 0;
	if (bad && errno == 0)
		errno = EIO;
	return (fclose(out) != 0 || bad) ? -errno : 0;
}

int rfs_html_write_as(const struct rfs_page *page, const char *path, const char *option,
		      void (*write)(const struct rfs_page *page, const struct rfs_trace_entry *entries, size_t n,
				    FILE *out),
		      char *why, size_t n)
{
	struct rfs_trace_entry *entries;
	char *text = NULL;
	struct stat st;
	size_t count, size;
	FILE *out;
	int error = rfs_trace_read(page->record->trace, &entries, &count, why, n);

	if (error)
		return error;
	out = xopen_memstream(&text, &size);
	write(page, entries, count, out);
	fclose(out);
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
		error = write_through(path, text, size);
	else
		error = rfs_file_replace(path, text, size, 0666, false);
	if (error)
		rfs_why(why, n, error, "--%s: cannot write '%s': %s", option, path, strerror(-error));
	free(entries);
	free(text);
	return error;
}

int rfs_html_write(const struct rfs_page *page, const char *path, char *why, size_t n)
{
	return rfs_html_write_as(page, path, "html", write_document, why, n);
}
