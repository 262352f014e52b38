/* import.c - says what a file is, gives it to its reader, and joins equal reports. */
#include "supervisor/import/import.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/base/text/utf8.h"
#include "supervisor/import/import-priv.h"

/* Deeper stacks and longer cycles are cut, so that a damaged file takes no more memory than a good one. */
#define FRAMES_MAX 256
#define PARTS_MAX 16
/* The frames that make two reports different. ThreadSanitizer itself compares the innermost ones. */
#define KEY_FRAMES 4
#define TEXT_MAX 4096

struct rfs_import_key {
	XXH128_hash_t hash;		  /* key */
	struct rfs_import_report *report; /* borrowed */
	UT_hash_handle hh;
};

/* ---- reports ---- */

struct rfs_import_report *rfs_import_begin(enum rfs_import_tool tool, enum rfs_import_kind kind, const char *title,
					   unsigned line)
{
	struct rfs_import_report *report = xcalloc(1, sizeof(*report));

	report->tool = tool;
	report->kind = kind;
	report->title = xstrdup(title);
	report->line = line;
	report->count = 1;
	return report;
}

static void release_stack(struct rfs_import_stack *stack)
{
	for (size_t i = 0; i < stack->n; i++) {
		free(stack->frames[i].function);
		free(stack->frames[i].file);
		free(stack->frames[i].module);
		free(stack->frames[i].build_id);
	}
	free(stack->frames);
}

void rfs_import_drop(struct rfs_import_report *report)
{
	if (!report)
		return;
	for (size_t i = 0; i < 2; i++)
		release_stack(&report->access[i].stack);
	for (size_t i = 0; i < report->n_parts; i++) {
		release_stack(&report->parts[i].held);
		release_stack(&report->parts[i].wanted);
	}
	free(report->parts);
	free(report->title);
	free(report);
}

struct rfs_import_frame *rfs_import_add_frame(struct rfs_import_stack *stack)
{
	if (stack->n == FRAMES_MAX)
		return NULL;
	stack->frames = xreallocarray(stack->frames, stack->n + 1, sizeof(*stack->frames));
	stack->frames[stack->n] = (struct rfs_import_frame){0};
	return &stack->frames[stack->n++];
}

struct rfs_import_part *rfs_import_add_part(struct rfs_import_report *report)
{
	if (report->n_parts == PARTS_MAX)
		return NULL;
	report->parts = xreallocarray(report->parts, report->n_parts + 1, sizeof(*report->parts));
	report->parts[report->n_parts] = (struct rfs_import_part){0};
	return &report->parts[report->n_parts++];
}

/* ---- equal reports ---- */

/* Addresses of memory are left out, because they differ from run to run; offsets in modules do not. */
static XXH128_hash_t hash_stack(const struct rfs_import_stack *stack, uint64_t what)
{
	XXH3_state_t *state = XXH3_createState();
	size_t first = rfs_import_first_own(stack);
	XXH128_hash_t hash;

	if (!state)
		die("out of memory while reading reports");
	(void)XXH3_128bits_reset_withSeed(state, what);
	for (size_t i = first; i < stack->n && i < first + KEY_FRAMES; i++) {
		const struct rfs_import_frame *frame = &stack->frames[i];
		const char *texts[] = {frame->function, frame->file, frame->module};
		const uint64_t numbers[] = {frame->line, frame->has_offset ? frame->offset
							 : frame->line	   ? 0
									   : frame->address};

		for (size_t k = 0; k < sizeof(texts) / sizeof(*texts); k++)
			(void)XXH3_128bits_update(state, texts[k] ? texts[k] : "", texts[k] ? strlen(texts[k]) + 1 : 1);
		(void)XXH3_128bits_update(state, numbers, sizeof(numbers));
	}
	hash = XXH3_128bits_digest(state);
	XXH3_freeState(state);
	return hash;
}

/* The sides of a race and the threads of a deadlock have no order, so their hashes are added. */
static void add_hash(XXH128_hash_t *sum, XXH128_hash_t hash)
{
	sum->low64 += hash.low64;
	sum->high64 += hash.high64;
}

static XXH128_hash_t hash_report(const struct rfs_import_report *report)
{
	XXH128_hash_t sum = {report->tool, report->kind};

	for (size_t i = 0; i < report->n_accesses; i++) {
		const struct rfs_import_access *access = &report->access[i];

		add_hash(&sum, hash_stack(&access->stack, access->size * 4 + access->writes * 2u + access->atomic));
	}
	/* the other access of such a report is found by the address */
	if (report->n_accesses == 1)
		add_hash(&sum, XXH3_128bits(&report->access[0].address, sizeof(report->access[0].address)));
	for (size_t i = 0; i < report->n_parts; i++) {
		XXH128_hash_t both[2] = {hash_stack(&report->parts[i].held, 0),
					 hash_stack(&report->parts[i].wanted, 0)};

		add_hash(&sum, XXH3_128bits(both, sizeof(both)));
	}
	if (report->kind == RFS_IMPORT_OTHER)
		add_hash(&sum, XXH3_128bits(report->title, strlen(report->title)));
	return sum;
}

void rfs_import_add(struct rfs_import_builder *builder, struct rfs_import_report *report)
{
	struct rfs_import *import = builder->import;
	struct rfs_import_key *key;
	XXH128_hash_t hash;

	if (!report)
		return;
	import->n_all++;
	hash = hash_report(report);
	HASH_FIND(hh, builder->keys, &hash, sizeof(hash), key);
	if (key) {
		key->report->count++;
		rfs_import_drop(report);
		return;
	}
	key = xcalloc(1, sizeof(*key));
	key->hash = hash;
	key->report = report;
	HASH_ADD(hh, builder->keys, hash, sizeof(key->hash), key);
	if ((import->n & (import->n - 1)) == 0)
		import->reports =
			xreallocarray(import->reports, import->n ? import->n * 2 : 1, sizeof(*import->reports));
	import->reports[import->n++] = report;
}

static void release_keys(struct rfs_import_builder *builder)
{
	struct rfs_import_key *key, *next;

	HASH_ITER (hh, builder->keys, key, next) {
		HASH_DEL(builder->keys, key);
		free(key);
	}
}

/* ---- text ---- */

bool rfs_import_skip(struct rfs_import_line *line, const char *word)
{
	size_t n = strlen(word);

	if (line->n < n || memcmp(line->text, word, n) != 0)
		return false;
	line->text += n;
	line->n -= n;
	return true;
}

bool rfs_import_skip_to(struct rfs_import_line *line, const char *word)
{
	const char *found = memmem(line->text, line->n, word, strlen(word));

	if (!found)
		return false;
	line->n -= (size_t)(found - line->text) + strlen(word);
	line->text = found + strlen(word);
	return true;
}

static int import_digit_of(char c, unsigned base)
{
	int digit = c >= '0' && c <= '9'   ? c - '0'
		    : c >= 'a' && c <= 'f' ? c - 'a' + 10
		    : c >= 'A' && c <= 'F' ? c - 'A' + 10
					   : -1;

	return digit < (int)base ? digit : -1;
}

bool rfs_import_skip_number(struct rfs_import_line *line, unsigned base, uint64_t *out)
{
	uint64_t number = 0;
	size_t i = 0;

	for (; i < line->n && import_digit_of(line->text[i], base) >= 0; i++) {
		if (number > (UINT64_MAX - base) / base)
			return false;
		number = number * base + (uint64_t)import_digit_of(line->text[i], base);
	}
	if (i == 0)
		return false;
	line->text += i;
	line->n -= i;
	*out = number;
	return true;
}

void rfs_import_trim(struct rfs_import_line *line)
{
	while (line->n && isspace((unsigned char)line->text[line->n - 1]))
		line->n--;
}

void rfs_import_note(struct rfs_import_builder *builder, char *note)
{
	if (builder->import->note)
		free(note);
	else
		builder->import->note = note;
}

/* Names go into reports, so they must be text. */
char *rfs_import_copy(const char *text, size_t n)
{
	char *copy = xstrndup(text, n < TEXT_MAX ? n : TEXT_MAX);

	for (char *p = copy; *p;) {
		size_t length = rfs_utf8_length(p);

		if (length <= 1 && ((unsigned char)*p < ' ' || *p == 0x7f || !length))
			*p = '?';
		p += length ? length : 1;
	}
	return copy;
}

static void import_read_text(const char *data, size_t n, struct rfs_import_builder *builder)
{
	struct rfs_import_tsan tsan = {0};
	struct rfs_import_valgrind valgrind = {0};
	struct rfs_import_line line = {0};

	for (const char *p = data, *end = data + n; p < end;) {
		const char *newline = memchr(p, '\n', (size_t)(end - p));

		line.text = p;
		line.n = (size_t)((newline ? newline : end) - p);
		line.number++;
		p = newline ? newline + 1 : end;
		rfs_import_trim(&line);
		/* lines of ThreadSanitizer begin with a blank or a word, and separators with more than two '=' */
		rfs_import_tsan_line(&tsan, builder, line);
		rfs_import_valgrind_line(&valgrind, builder, line);
	}
	rfs_import_tsan_end(&tsan, builder);
	rfs_import_valgrind_end(&valgrind, builder);
}

/* ---- forms ---- */

/* Whether a line that is not a comment of a pairs file has this text. */
static bool has_line(const char *data, size_t n, const char *word)
{
	const char *found = data;

	while ((found = memmem(found, n - (size_t)(found - data), word, strlen(word)))) {
		const char *start = found;

		while (start > data && start[-1] != '\n')
			start--;
		if (*start != '#')
			return true;
		/* the rest of a comment does not count, and a long one must not take long */
		found = memchr(found, '\n', n - (size_t)(found - data));
		if (!found)
			return false;
	}
	return false;
}

/* Whether there is a line that only text of these tools has. */
static bool has_text(const char *data, size_t n)
{
	static const char *const marks[] = {
		"WARNING: ThreadSanitizer: ",
		"== Helgrind, a thread error",
		"== drd, a thread error",
		"== Possible data race",
		"== Conflicting ",
		": lock order \"0x",
		"ThreadSanitizer: reported ",
	};

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		if (has_line(data, n, marks[i]))
			return true;
	return false;
}

/* The bytes of a byte order mark at the beginning; some editors write one. */
static size_t mark_size(const char *data, size_t n)
{
	return n >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

enum rfs_import_form rfs_import_form_of(const char *data, size_t n)
{
	size_t at = mark_size(data, n);

	if (n >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0))
		return RFS_FORM_UTF16;
	while (at < n && isspace((unsigned char)data[at]))
		at++;
	if (at < n && data[at] == '<')
		return RFS_FORM_XML;
	if (at < n && data[at] == '{')
		return RFS_FORM_JSON;
	if (has_text(data, n))
		return RFS_FORM_TEXT;
	return has_line(data, n, "WARNING: DATA RACE") ? RFS_FORM_GO : RFS_FORM_PAIRS;
}

const char *rfs_import_refused(enum rfs_import_form form)
{
	if (form == RFS_FORM_GO)
		return "this is a report of Go's race detector; rfsup cannot test it, because Go's scheduler switches "
		       "goroutines inside threads";
	if (form == RFS_FORM_UTF16)
		return "the file is in UTF-16; convert it with iconv -f UTF-16 -t UTF-8";
	return NULL;
}

static bool has_tested(const struct rfs_import *import)
{
	for (size_t i = 0; i < import->n; i++)
		if (import->reports[i]->kind != RFS_IMPORT_OTHER)
			return true;
	return false;
}

/* Where the next XML document begins, or data + n. A document begins at the start of a line. */
static const char *next_document(const char *data, size_t n, const char *from)
{
	const char *found = from;

	while ((found = memmem(found, n - (size_t)(found - data), "<?xml", 5)) && found > data && found[-1] != '\n')
		found++;
	return found ? found : data + n;
}

/* Where a document ends that is followed by something else. */
static const char *end_of_document(const char *data, const char *next)
{
	static const char last[] = "</valgrindoutput>";
	const char *found = memmem(data, (size_t)(next - data), last, sizeof(last) - 1);

	return found ? found + sizeof(last) - 1 : next;
}

static unsigned lines_in(const char *data, const char *end)
{
	unsigned lines = 0;

	while ((data = memchr(data, '\n', (size_t)(end - data)))) {
		lines++;
		data++;
	}
	return lines;
}

/*
 * Reads all XML documents: a file may have those of several processes, among lines of text. One that is not of
 * Valgrind is only a note if there are others.
 */
static int read_documents(const char *file, bool first, const char *data, size_t n, struct rfs_import_builder *builder,
			  char *why, size_t why_n)
{
	const char *at = first ? data : next_document(data, n, data), *counted = data;
	unsigned lines = 0, documents = 0;

	while (first && at < data + n && isspace((unsigned char)*at))
		at++;

	while (at < data + n) {
		const char *next = next_document(data, n, at + 1);
		char says[512];

		lines += lines_in(counted, at);
		counted = at;
		if (rfs_import_xml(file, lines, at, (size_t)(end_of_document(at, next) - at), builder, says,
				   sizeof(says))) {
			if (first && next == data + n && documents == 0)
				return rfs_why(why, why_n, -EINVAL, "%s", says);
			rfs_import_note(builder, xstrdup(says));
		}
		at = next;
		documents++;
	}
	return 0;
}

int rfs_import_parse(const char *file, enum rfs_import_form form, const char *data, size_t n, struct rfs_import *out,
		     char *why, size_t why_n)
{
	struct rfs_import_builder builder = {.import = out};
	const size_t mark = mark_size(data, n);
	int error = 0;

	*out = (struct rfs_import){0};
	data += mark;
	n -= mark;
	if (form == RFS_FORM_JSON) {
		error = rfs_import_json(file, data, n, &builder, why, why_n);
	} else {
		if (form != RFS_FORM_XML || has_text(data, n))
			import_read_text(data, n, &builder);
		error = read_documents(file, form == RFS_FORM_XML, data, n, &builder, why, why_n);
	}
	release_keys(&builder);
	if (!error && !has_tested(out))
		error = rfs_why(why, why_n, -EINVAL, "%s: there is no report of a race or a deadlock in this file%s%s",
				file, out->note ? "; " : "", out->note ? out->note : "");
	if (error)
		rfs_import_release(out);
	return error;
}

void rfs_import_release(struct rfs_import *import)
{
	for (size_t i = 0; i < import->n; i++)
		rfs_import_drop(import->reports[i]);
	free(import->reports);
	free(import->note);
	*import = (struct rfs_import){0};
}

/* ---- frames ---- */

const char *rfs_import_tool_name(enum rfs_import_tool tool)
{
	static const char *const names[] = {
		[RFS_IMPORT_TSAN] = "ThreadSanitizer", [RFS_IMPORT_HELGRIND] = "Helgrind", [RFS_IMPORT_DRD] = "DRD",
		[RFS_IMPORT_VALGRIND] = "Valgrind",    [RFS_IMPORT_RFSUP] = "rfsup",
	};

	return names[tool];
}

bool rfs_import_is_tool(const struct rfs_import_frame *frame)
{
	static const char *const modules[] = {"libtsan.so", "vgpreload_", "libclang_rt.tsan"};
	static const char *const files[] = {"/libsanitizer/", "/compiler-rt/lib/", "/sanitizer_common/"};

	for (size_t i = 0; frame->module && i < sizeof(modules) / sizeof(*modules); i++)
		if (strncmp(rfs_base_name(frame->module), modules[i], strlen(modules[i])) == 0)
			return true;
	for (size_t i = 0; frame->file && i < sizeof(files) / sizeof(*files); i++)
		if (strstr(frame->file, files[i]))
			return true;
	return false;
}

size_t rfs_import_first_own(const struct rfs_import_stack *stack)
{
	size_t i = 0;

	while (i < stack->n && rfs_import_is_tool(&stack->frames[i]))
		i++;
	return i;
}
