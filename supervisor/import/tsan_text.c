/*
 * tsan_text.c - reads the reports of ThreadSanitizer, of gcc and of clang.
 *
 *     WARNING: ThreadSanitizer: data race (pid=4711)
 *       Write of size 4 at 0x55eb160f7108 by thread T2 (mutexes: write M12):
 *         #0 add /src/list.c:38:9 (list+0x12c6) (BuildId: 5ba2...)
 *         #1 <null> <null> (libwork.so+0x1234)
 *
 *       Previous read of size 4 at 0x55eb160f7108 by main thread:
 *         ...
 *     SUMMARY: ThreadSanitizer: data race /src/list.c:38 in add
 *
 * Only clang 15 and later write build-ids. A line may have a prefix, as the output of ctest has. It must be the same in
 * all lines of a report, so lines of other programs in between are skipped.
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/import/import-priv.h"

#define WARNING "WARNING: ThreadSanitizer: "

static void tsan_text_begin(struct rfs_import_tsan *tsan, struct rfs_import_line line, const char *prefix,
			    size_t prefix_n)
{
	struct rfs_import_line rest = line;
	enum rfs_import_kind kind = RFS_IMPORT_OTHER;
	uint64_t pid = 0;
	char *title;
	size_t n = line.n;

	for (size_t i = 0; i + 5 < line.n; i++)
		if (memcmp(line.text + i, " (pid=", 6) == 0)
			n = i;
	if (rfs_import_skip_to(&rest, "(pid="))
		(void)rfs_import_skip_number(&rest, 10, &pid);
	title = rfs_import_copy(line.text, n);
	if (strncmp(title, "data race", 9) == 0 || strncmp(title, "heap-use-after-free", 19) == 0 ||
	    strncmp(title, "race on external object", 23) == 0)
		kind = RFS_IMPORT_RACE;
	else if (strncmp(title, "lock-order-inversion", 20) == 0)
		kind = RFS_IMPORT_DEADLOCK;
	tsan->report = rfs_import_begin(RFS_IMPORT_TSAN, kind, title, line.number);
	tsan->report->process = pid;
	tsan->stack = NULL;
	/* it may have any bytes */
	tsan->prefix = memcpy(xmalloc(prefix_n + 1), prefix, prefix_n);
	tsan->prefix_n = prefix_n;
	free(title);
}

/* ThreadSanitizer may have "failed to restore the stack" of the earlier access. Only the other access is then known. */
static void drop_lost(struct rfs_import_report *report)
{
	if (report->n_accesses == 2 && !report->access[1].stack.n && report->access[0].stack.n)
		report->n_accesses = 1;
}

static void tsan_text_finish(struct rfs_import_tsan *tsan, struct rfs_import_builder *builder, bool cut)
{
	if (tsan->report && !cut)
		drop_lost(tsan->report);
	if (tsan->report)
		tsan->report->cut = cut;
	rfs_import_add(builder, tsan->report);
	free(tsan->prefix);
	*tsan = (struct rfs_import_tsan){0};
}

/* "Previous atomic write of size 4 at 0x1000 by thread T1:" */
static bool tsan_text_take_access(struct rfs_import_tsan *tsan, struct rfs_import_line line)
{
	struct rfs_import_access access = {0};
	uint64_t number;

	(void)rfs_import_skip(&line, "Previous ");
	access.atomic = rfs_import_skip(&line, "atomic ") || rfs_import_skip(&line, "Atomic ");
	access.writes = rfs_import_skip(&line, "write of size ") || rfs_import_skip(&line, "Write of size ");
	if (!access.writes && !rfs_import_skip(&line, "read of size ") && !rfs_import_skip(&line, "Read of size "))
		return false;
	if (!rfs_import_skip_number(&line, 10, &access.size) || !rfs_import_skip(&line, " at 0x") ||
	    !rfs_import_skip_number(&line, 16, &number))
		return false;
	access.address = number;
	tsan->stack = NULL;
	if (tsan->report->kind == RFS_IMPORT_RACE && tsan->report->n_accesses < 2) {
		struct rfs_import_access *out = &tsan->report->access[tsan->report->n_accesses++];

		*out = access;
		tsan->stack = &out->stack;
	}
	return true;
}

/* "Mutex M1 acquired here while holding mutex M0 in thread T1:", "Mutex M0 previously acquired by the same thread
 * here:". The first one begins a part. */
static bool take_lock(struct rfs_import_tsan *tsan, struct rfs_import_line line)
{
	struct rfs_import_report *report = tsan->report;
	struct rfs_import_part *part;
	struct rfs_import_line rest = line;

	if (report->kind != RFS_IMPORT_DEADLOCK || !rfs_import_skip(&line, "Mutex "))
		return false;
	tsan->stack = NULL;
	if (rfs_import_skip_to(&rest, " previously acquired by the same thread here")) {
		if (report->n_parts)
			tsan->stack = &report->parts[report->n_parts - 1].held;
		return true;
	}
	if (!rfs_import_skip_to(&line, " acquired here while holding mutex"))
		return true;
	part = rfs_import_add_part(report);
	tsan->stack = part ? &part->wanted : NULL;
	return true;
}

/* Splits "NAME WORD HEX)" off the end of the line, as " (BuildId: 5ba2)". Returns where it begins, or NULL. */
static const char *last_group(const struct rfs_import_line *line, const char *opening)
{
	size_t n = strlen(opening);

	if (line->n <= n || line->text[line->n - 1] != ')')
		return NULL;
	for (size_t i = line->n - n; i-- > 0;)
		if (memcmp(line->text + i, opening, n) == 0)
			return line->text + i;
	return NULL;
}

/* Takes "(MODULE+0xOFFSET) (BuildId: HEX)" from the end of the line. */
static void take_module(struct rfs_import_line *line, struct rfs_import_frame *frame)
{
	const char *group = last_group(line, " (BuildId: "), *end, *plus = NULL;
	uint64_t offset;

	if (group) {
		frame->build_id = rfs_import_copy(group + 11, (size_t)(line->text + line->n - 1 - group - 11));
		line->n = (size_t)(group - line->text);
		rfs_import_trim(line);
	}
	group = last_group(line, " (");
	if (!group)
		return;
	end = line->text + line->n - 1;
	for (const char *p = group + 2; p + 3 <= end; p++)
		if (memcmp(p, "+0x", 3) == 0)
			plus = p;
	if (plus) {
		struct rfs_import_line digits = {plus + 3, (size_t)(end - plus - 3), 0};

		if (!rfs_import_skip_number(&digits, 16, &offset) || digits.n)
			return;
		frame->module = rfs_import_copy(group + 2, (size_t)(plus - group - 2));
		frame->has_offset = true;
		frame->offset = offset;
		line->n = (size_t)(group - line->text);
		rfs_import_trim(line);
	}
}

/* Removes ":NUMBER" from the end. False if there is none. */
static bool take_colon(struct rfs_import_line *line, uint64_t *out)
{
	size_t i = line->n;
	struct rfs_import_line digits;

	while (i > 0 && line->text[i - 1] >= '0' && line->text[i - 1] <= '9')
		i--;
	if (i == line->n || i < 2 || line->text[i - 1] != ':')
		return false;
	digits = (struct rfs_import_line){line->text + i, line->n - i, 0};
	if (!rfs_import_skip_number(&digits, 10, out))
		return false;
	line->n = i - 1;
	return true;
}

static bool is_null(const char *text, size_t n)
{
	return n == 6 && memcmp(text, "<null>", 6) == 0;
}

/* "add(list*, int) /src/list.c:38:9", "add <null>", "<null> <null>". A path may contain blanks if it is absolute. */
static void take_function(struct rfs_import_line line, struct rfs_import_frame *frame)
{
	uint64_t number, before;
	size_t split;

	if (take_colon(&line, &number)) {
		frame->line = number > 0 && number < INT32_MAX ? (unsigned)number : 0;
		if (take_colon(&line, &before))
			frame->line = before > 0 && before < INT32_MAX ? (unsigned)before : 0;
	}
	split = line.n;
	for (size_t i = 0; i + 1 < line.n && split == line.n; i++)
		if (line.text[i] == ' ' && line.text[i + 1] == '/')
			split = i;
	for (size_t i = line.n; i-- > 0 && split == line.n;)
		if (line.text[i] == ' ')
			split = i;
	if (split && !is_null(line.text, split))
		frame->function = rfs_import_copy(line.text, split);
	if (split + 1 < line.n && !is_null(line.text + split + 1, line.n - split - 1))
		frame->file = rfs_import_copy(line.text + split + 1, line.n - split - 1);
	else
		frame->line = 0;
}

/* "#0 add /src/list.c:38 (list+0x12c6)" */
static bool tsan_text_take_frame(struct rfs_import_tsan *tsan, struct rfs_import_line line)
{
	struct rfs_import_frame *frame;
	uint64_t number;

	if (!rfs_import_skip(&line, "#") || !rfs_import_skip_number(&line, 10, &number) || !rfs_import_skip(&line, " "))
		return false;
	frame = tsan->stack ? rfs_import_add_frame(tsan->stack) : NULL;
	if (!frame)
		return true;
	rfs_import_trim(&line);
	take_module(&line, frame);
	take_function(line, frame);
	return true;
}

void rfs_import_tsan_line(struct rfs_import_tsan *tsan, struct rfs_import_builder *builder, struct rfs_import_line line)
{
	struct rfs_import_line rest = line;

	if (rfs_import_skip_to(&rest, WARNING)) {
		size_t prefix_n = (size_t)(rest.text - line.text) - strlen(WARNING);

		tsan_text_finish(tsan, builder, true);
		tsan_text_begin(tsan, rest, line.text, prefix_n);
		return;
	}
	if (!tsan->report || line.n < tsan->prefix_n || memcmp(line.text, tsan->prefix, tsan->prefix_n) != 0)
		return;
	line.text += tsan->prefix_n;
	line.n -= tsan->prefix_n;
	if (rfs_import_skip(&line, "SUMMARY: ThreadSanitizer: ") || rfs_import_skip(&line, "==================")) {
		tsan_text_finish(tsan, builder, false);
		return;
	}
	if (!rfs_import_skip(&line, "  "))
		return;
	if (rfs_import_skip(&line, "  ")) {
		(void)tsan_text_take_frame(tsan, line);
		return;
	}
	if (line.n && line.text[0] != ' ' && !tsan_text_take_access(tsan, line) && !take_lock(tsan, line))
		tsan->stack = NULL;
}

void rfs_import_tsan_end(struct rfs_import_tsan *tsan, struct rfs_import_builder *builder)
{
	tsan_text_finish(tsan, builder, true);
}
