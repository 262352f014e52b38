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
};

/* ---- writing ---- */

static int put_block(struct rfs_journal *journal, const char *bytes, size_t n)
{
	uint64_t head[2] = {n, XXH64(bytes, n, 0)};
	int error = rfs_file_write(journal->fd, (const char *)head, sizeof(head));

	return error ? error : rfs_file_write(journal->fd, bytes, n);
}

static FILE *begin(char **text, size_t *size)
{
	FILE *out = xopen_memstream(text, size);

	return out;
}

static void put_string(FILE *out, const char *s)
{
	fwrite(s, 1, strlen(s) + 1, out);
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
	char *text;
	size_t size;
	FILE *memory;

	if (fd < 0)
		return -errno;
	error = journal_make(fd, out);
	if (error)
		return error;
	memory = begin(&text, &size);
	for (size_t i = 0; i < n; i++)
		put_string(memory, strings[i]);
	fclose(memory);
	error = put_block(*out, text, size);
	free(text);
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
	FILE *memory = begin(&text, &size);
	int error;

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
	fclose(memory);
	error = put_block(journal, text, size);
	free(text);
	return error;
}

/* ---- reading ---- */

static int read_all(struct rfs_journal *journal, size_t *n)
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

/* Finds the whole blocks. What follows them was being written when the campaign died, and is cut off. */
static int split(struct rfs_journal *journal, size_t n)
{
	size_t at = 0;
	uint64_t head[2];

	while (n - at >= sizeof(head)) {
		const uint8_t *bytes = journal->text + at + sizeof(head);

		memcpy(head, journal->text + at, sizeof(head));
		if (head[0] > n - at - sizeof(head) || XXH64(bytes, head[0], 0) != head[1])
			break;
		journal->blocks = xreallocarray(journal->blocks, journal->n_blocks + 1, sizeof(*journal->blocks));
		journal->blocks[journal->n_blocks++] = (struct block){.bytes = bytes, .n = head[0]};
		at += sizeof(head) + head[0];
	}
	if (!journal->n_blocks)
		return -EBADMSG;
	return ftruncate(journal->fd, (off_t)at) ? -errno : 0;
}

static void read_strings(struct rfs_journal *journal)
{
	const struct block *block = &journal->blocks[0];
	size_t n = 0;

	journal->strings = xcalloc(1, sizeof(*journal->strings));
	for (size_t at = 0; at < block->n; at += strnlen((const char *)block->bytes + at, block->n - at) + 1) {
		journal->strings = xreallocarray(journal->strings, n + 2, sizeof(*journal->strings));
		journal->strings[n++] = (char *)block->bytes + at;
		journal->strings[n] = NULL;
	}
	journal->first = 1;
}

int rfs_journal_open(const char *path, struct rfs_journal **out)
{
	int fd = open(path, O_RDWR | O_APPEND | O_CLOEXEC), error;
	size_t n = 0;

	if (fd < 0)
		return -errno;
	error = journal_make(fd, out);
	if (error)
		return error;
	error = read_all(*out, &n);
	if (!error)
		error = split(*out, n);
	if (!error)
		read_strings(*out);
	else
		rfs_journal_free(*out);
	return error;
}

char **rfs_journal_strings(const struct rfs_journal *journal)
{
	return journal->strings;
}

static size_t name_size(const struct block *block)
{
	return strnlen((const char *)block->bytes, block->n) + 1;
}

/* The block has passed its checksum, so its lengths are right. */
static bool read_entry(const struct block *block, struct rfs_lessons *used, struct rfs_reply *reply)
{
	size_t at = name_size(block);
	uint64_t head[2], offset;

	memcpy(head, block->bytes + at, sizeof(head));
	at += sizeof(head);
	used->traps_rdtsc |= head[0] != 0;
	for (uint64_t i = 0; i < head[1]; i++) {
		memcpy(&offset, block->bytes + at, sizeof(offset));
		at += sizeof(offset);
		rfs_site_set_add(&used->spin, (const char *)block->bytes + at, offset);
		at += strlen((const char *)block->bytes + at) + 1;
	}
	return rfs_wire_decode(block->bytes + at, block->n - at, reply) == 0;
}

bool rfs_journal_take(struct rfs_journal *journal, const char *name, struct rfs_lessons *used, struct rfs_reply *reply)
{
	while (journal->first < journal->n_blocks && journal->blocks[journal->first].taken)
		journal->first++;
	for (size_t i = journal->first; i < journal->n_blocks; i++) {
		struct block *block = &journal->blocks[i];

		if (block->taken || name_size(block) > block->n || strcmp((const char *)block->bytes, name) != 0)
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
	close(journal->fd);
	free(journal->text);
	free(journal->blocks);
	free(journal->strings);
	free(journal);
}
