/* journal.c - writes and reads entries, and compares an entry with what the campaign asks for. */
#include "supervisor/pool/journal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/output.h"
#include "supervisor/base/siteset.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/run_result.h"

struct block {
	const uint8_t *bytes; /* in the text of the journal */
	size_t n;
	bool taken;
};

struct rfs_journal {
	int fd;
	uint8_t *text; /* of an earlier campaign */
	struct block *blocks;
	size_t n_blocks, first; /* first: blocks before it are taken */
	char **strings;
	bool whole; /* only read */
};

/* ---- writing ---- */

/* Begins a block in memory, with room for its head: the length and the checksum of its bytes. */
static FILE *begin_block(char **text, size_t *size)
{
	const uint64_t head[2] = {0};
	FILE *memory = xopen_memstream(text, size);

	fwrite(head, sizeof(head), 1, memory);
	return memory;
}

/* Writes the block and frees it. Head and bytes are written at once: there is a block for each execution. */
static int end_block(struct rfs_journal *journal, FILE *memory, char *const *text, const size_t *size)
{
	uint64_t head[2];
	int error;

	fclose(memory);
	head[0] = *size - sizeof(head);
	head[1] = XXH64(*text + sizeof(head), head[0], 0);
	memcpy(*text, head, sizeof(head));
	error = rfs_file_write(journal->fd, *text, *size);
	free(*text);
	return error;
}

static void put_string(FILE *out, const char *s)
{
	fwrite(s, 1, strlen(s) + 1, out);
}

/* Adds a block of strings. name: the first one; NULL: none. */
static int put_strings(struct rfs_journal *journal, const char *name, char *const *strings, size_t n)
{
	char *text;
	size_t size;
	FILE *memory = begin_block(&text, &size);

	if (name)
		put_string(memory, name);
	for (size_t i = 0; i < n; i++)
		put_string(memory, strings[i]);
	return end_block(journal, memory, &text, &size);
}

int rfs_journal_add_text(struct rfs_journal *journal, const char *name, char *const *strings, size_t n)
{
	return put_strings(journal, name, strings, n);
}

int rfs_journal_sync(const struct rfs_journal *journal)
{
	return fsync(journal->fd) ? -errno : 0;
}

/* Only one process at a time has the journal. */
static int journal_make(int fd, struct rfs_journal **out)
{
	if (flock(fd, LOCK_EX | LOCK_NB)) {
		int error = errno == EWOULDBLOCK ? -EBUSY : -errno;

		close(fd);
		return error;
	}
	*out = xcalloc(1, sizeof(**out));
	(*out)->fd = fd;
	return 0;
}

int rfs_journal_new(const char *path, char *const *strings, size_t n, struct rfs_journal **out)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600), error;

	if (fd < 0)
		return -errno;
	error = journal_make(fd, out);
	if (error)
		return error;
	error = put_strings(*out, NULL, strings, n);
	if (error)
		rfs_journal_free(*out);
	return error;
}

int rfs_journal_add(struct rfs_journal *journal, const char *name, const struct rfs_lessons *used,
		    const struct rfs_reply *reply)
{
	struct rfs_reply bare = *reply;
	uint64_t head[2] = {used->traps_rdtsc, used->spin.n};
	uint8_t *bytes;
	char *text;
	size_t size, n;
	FILE *memory = begin_block(&text, &size);

	put_string(memory, name);
	fwrite(head, sizeof(head), 1, memory);
	for (size_t i = 0; i < used->spin.n; i++) {
		fwrite(&used->spin.sites[i].offset, sizeof(used->spin.sites[i].offset), 1, memory);
		put_string(memory, used->spin.sites[i].module);
	}
	memset(bare.output, 0, sizeof(bare.output));
	rfs_wire_encode(&bare, &bytes, &n);
	fwrite(bytes, 1, n, memory);
	free(bytes);
	return end_block(journal, memory, &text, &size);
}

/* ---- reading ---- */

static int journal_read_all(struct rfs_journal *journal, size_t *n)
{
	struct stat st;
	ssize_t got;

	if (fstat(journal->fd, &st))
		return -errno;
	journal->text = xmalloc((size_t)st.st_size + 1);
	for (*n = 0; *n < (size_t)st.st_size; *n += (size_t)got) {
		got = pread(journal->fd, journal->text + *n, (size_t)st.st_size - *n, (off_t)*n);
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
	}
	return 0;
}

/* Finds the whole blocks. *end: where they end. */
static int journal_split(struct rfs_journal *journal, size_t n, size_t *end)
{
	size_t at = 0, room = 0;
	uint64_t head[2];

	while (n - at >= sizeof(head)) {
		const uint8_t *bytes = journal->text + at + sizeof(head);

		memcpy(head, journal->text + at, sizeof(head));
		if (head[0] > n - at - sizeof(head) || XXH64(bytes, head[0], 0) != head[1])
			break;
		if (journal->n_blocks == room) {
			room = room ? 2 * room : 8;
			journal->blocks = xreallocarray(journal->blocks, room, sizeof(*journal->blocks));
		}
		journal->blocks[journal->n_blocks++] = (struct block){.bytes = bytes, .n = head[0]};
		at += sizeof(head) + head[0];
	}
	*end = at;
	return journal->n_blocks ? 0 : -EBADMSG;
}

/* The strings of a block from byte `at`. Caller frees the list, which ends with NULL. */
static char **strings_of(const struct block *block, size_t at, size_t *n)
{
	size_t room = 8;
	char **strings = xcalloc(room, sizeof(*strings));

	*n = 0;
	/* the last string ends in the block if the block ends with a NUL */
	while (at < block->n && block->bytes[block->n - 1] == '\0') {
		if (*n + 1 == room) {
			room *= 2;
			strings = xreallocarray(strings, room, sizeof(*strings));
		}
		strings[(*n)++] = (char *)block->bytes + at;
		at += strlen((const char *)block->bytes + at) + 1;
	}
	strings[*n] = NULL;
	return strings;
}

static void read_strings(struct rfs_journal *journal)
{
	size_t n;

	journal->strings = strings_of(&journal->blocks[0], 0, &n);
	journal->first = 1;
}

int rfs_journal_open(const char *path, struct rfs_journal **out)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC), error;
	size_t n = 0, end = 0;

	if (fd < 0)
		return -errno;
	error = journal_make(fd, out);
	if (error)
		return error;
	error = journal_read_all(*out, &n);
	if (!error)
		error = journal_split(*out, n, &end);
	/* what follows the whole blocks was being written when the campaign died */
	if (!error && ftruncate((*out)->fd, (off_t)end))
		error = -errno;
	if (!error)
		read_strings(*out);
	else
		rfs_journal_free(*out);
	return error;
}

int rfs_journal_read(const char *path, uint64_t max, struct rfs_journal **out)
{
	struct rfs_journal *journal = xcalloc(1, sizeof(*journal));
	size_t n = 0, end = 0;
	struct stat st;
	int error = 0;

	journal->whole = true;
	journal->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (journal->fd < 0 || fstat(journal->fd, &st))
		error = -errno;
	else if (!S_ISREG(st.st_mode))
		error = -EBADMSG;
	else if ((uint64_t)st.st_size > max)
		error = -EFBIG;
	if (!error)
		error = journal_read_all(journal, &n);
	if (!error)
		error = journal_split(journal, n, &end);
	if (!error && end < n)
		error = -EBADMSG;
	if (error) {
		rfs_journal_free(journal);
		return error;
	}
	read_strings(journal);
	*out = journal;
	return 0;
}

bool rfs_journal_is_whole(const struct rfs_journal *journal)
{
	return journal->whole;
}

char **rfs_journal_strings(const struct rfs_journal *journal)
{
	return journal->strings;
}

static size_t name_size(const struct block *block)
{
	return strnlen((const char *)block->bytes, block->n) + 1;
}

/* The bytes of an entry that follow what was read. */
struct cursor {
	const uint8_t *bytes;
	size_t left;
};

static bool journal_take_number(struct cursor *cursor, uint64_t *number)
{
	if (cursor->left < sizeof(*number))
		return false;
	memcpy(number, cursor->bytes, sizeof(*number));
	cursor->bytes += sizeof(*number);
	cursor->left -= sizeof(*number);
	return true;
}

/* A string in the block. NULL: it has no end there. */
static const char *take_string(struct cursor *cursor)
{
	const char *string = (const char *)cursor->bytes;
	const size_t n = strnlen(string, cursor->left);

	if (n == cursor->left)
		return NULL;
	cursor->bytes += n + 1;
	cursor->left -= n + 1;
	return string;
}

static bool read_entry(const struct block *block, struct rfs_lessons *used, struct rfs_reply *reply)
{
	struct cursor cursor = {block->bytes, block->n};
	uint64_t traps, n, offset;
	const char *module;

	if (!take_string(&cursor) || !journal_take_number(&cursor, &traps) || !journal_take_number(&cursor, &n))
		return false;
	used->traps_rdtsc |= traps != 0;
	for (uint64_t i = 0; i < n; i++) {
		if (!journal_take_number(&cursor, &offset) || !(module = take_string(&cursor)))
			return false;
		rfs_site_set_add(&used->spin, module, offset);
	}
	return rfs_wire_decode(cursor.bytes, cursor.left, reply) == 0;
}

/* The name of a block; NULL: it has none. */
static const char *journal_name_of(const struct block *block)
{
	return name_size(block) <= block->n ? (const char *)block->bytes : NULL;
}

char **rfs_journal_text(const struct rfs_journal *journal, const char *name, size_t *n)
{
	for (size_t i = 1; i < journal->n_blocks; i++)
		if (journal_name_of(&journal->blocks[i]) && strcmp(journal_name_of(&journal->blocks[i]), name) == 0)
			return strings_of(&journal->blocks[i], name_size(&journal->blocks[i]), n);
	return NULL;
}

/* Whether two runs took the same course. */
static bool same_result(const struct rfs_reply *a, const struct rfs_reply *b)
{
	const struct rfs_run_result *x = &a->result, *y = &b->result;

	return a->error == b->error && rfs_run_ended_as(x, y->end, y->detail, y->hash) &&
	       x->counts.steps == y->counts.steps && x->n_created == y->n_created &&
	       rfs_prediction_checksum(&x->prediction) == rfs_prediction_checksum(&y->prediction) &&
	       x->cycles.n == y->cycles.n && x->violations.n == y->violations.n;
}

static bool same_entry(const struct block *a, const struct block *b)
{
	struct rfs_lessons used[2] = {0};
	struct rfs_reply replies[2] = {0};
	bool same = journal_name_of(a) && journal_name_of(b) && strcmp(journal_name_of(a), journal_name_of(b)) == 0;

	/* usually the bytes differ in times only */
	same = same && read_entry(a, &used[0], &replies[0]) && read_entry(b, &used[1], &replies[1]) &&
	       rfs_lessons_equal(&used[0], &used[1]) && same_result(&replies[0], &replies[1]);
	for (int i = 0; i < 2; i++) {
		rfs_lessons_release(&used[i]);
		rfs_reply_release(&replies[i]);
	}
	return same;
}

const char *rfs_journal_difference(const struct rfs_journal *a, const struct rfs_journal *b)
{
	const struct rfs_journal *longer = a->n_blocks >= b->n_blocks ? a : b;
	size_t n = a->n_blocks < b->n_blocks ? a->n_blocks : b->n_blocks;
	const char *name;

	for (size_t i = 1; i < longer->n_blocks; i++) {
		if (i < n && same_entry(&a->blocks[i], &b->blocks[i]))
			continue;
		name = journal_name_of(&longer->blocks[i]);
		return name ? name : "?";
	}
	return NULL;
}

bool rfs_journal_take(struct rfs_journal *journal, const char *name, struct rfs_lessons *used, struct rfs_reply *reply)
{
	while (journal->first < journal->n_blocks && journal->blocks[journal->first].taken)
		journal->first++;
	for (size_t i = journal->first; i < journal->n_blocks; i++) {
		struct block *block = &journal->blocks[i];

		if (block->taken || !journal_name_of(block) || strcmp(journal_name_of(block), name) != 0)
			continue;
		block->taken = true;
		return read_entry(block, used, reply);
	}
	return false;
}

void rfs_journal_free(struct rfs_journal *journal)
{
	if (!journal)
		return;
	if (journal->fd >= 0)
		close(journal->fd);
	free(journal->text);
	free(journal->blocks);
	free(journal->strings);
	free(journal);
}
