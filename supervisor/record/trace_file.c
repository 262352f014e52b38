/*
 * trace_file.c - reads and writes traces. A trace is written under a temporary name and renamed when it is complete.
 * The reader checks every byte.
 */
#include "supervisor/record/trace_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"

#define MAGIC_SIZE (sizeof(RFS_TRACE_MAGIC) - 1)
/* The most sites that are written of one stack. */
#define STACK_MAX 64
/* How many numbers come before the sites of a stack: their number, and the two of the object's frame. */
#define STACK_HEAD 3

struct rfs_trace_writer {
	char *path, *temporary;
	FILE *file, *stacks;
	XXH3_state_t *hash;
	uint64_t n;
	int error;
};

static char *stacks_path(const char *path)
{
	return xasprintf("%s.stacks", path);
}

/* Creates a file that only the user may read, because a trace holds values of the program. NULL and errno if it fails.
 */
static FILE *trace_file_create(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	return fd < 0 ? NULL : fdopen(fd, "wb");
}

static void trace_file_put(struct rfs_trace_writer *writer, const void *data, size_t n)
{
	if (fwrite(data, n, 1, writer->file) != 1 && !writer->error)
		writer->error = errno ? -errno : -EIO;
	XXH3_64bits_update(writer->hash, data, n);
}

int rfs_trace_writer_new(const char *path, bool stacks, struct rfs_trace_writer **out, char *why, size_t n)
{
	struct rfs_trace_writer *writer = xcalloc(1, sizeof(*writer));
	char *beside = stacks_path(path);

	writer->path = xstrdup(path);
	writer->temporary = xasprintf("%s.%d.tmp", path, (int)getpid());
	writer->file = trace_file_create(writer->temporary);
	if (writer->file && stacks)
		writer->stacks = trace_file_create(beside);
	writer->hash = XXH3_createState();
	if (!writer->file || (stacks && !writer->stacks) || !writer->hash) {
		int error = errno ? -errno : -ENOMEM;

		if (writer->file)
			unlink(writer->temporary);
		rfs_why(why, n, error, "cannot write %s: %s", path, strerror(-error));
		writer->error = error;
		(void)!rfs_trace_writer_close(writer);
		free(beside);
		return error;
	}
	free(beside);
	if (stacks)
		writer->error = fwrite(&(uint64_t){RFS_TRACE_STACKS_MAGIC}, sizeof(uint64_t), 1, writer->stacks) == 1
					? 0
					: -EIO;
	XXH3_64bits_reset(writer->hash);
	trace_file_put(writer, RFS_TRACE_MAGIC, MAGIC_SIZE);
	*out = writer;
	return 0;
}

uint64_t rfs_trace_object(const struct rfs_trace_entry *entry)
{
	const uint64_t object[] = {entry->offset, (uint64_t)entry->name << 16 | entry->index};
	const uint64_t number = XXH3_64bits(object, sizeof(object));

	return number ? number : 1;
}

void rfs_trace_write(struct rfs_trace_writer *writer, const struct rfs_trace_entry *entry)
{
	trace_file_put(writer, entry, sizeof(*entry));
	writer->n++;
}

bool rfs_trace_wants_stacks(const struct rfs_trace_writer *writer)
{
	return writer->stacks != NULL;
}

void rfs_trace_write_stack(struct rfs_trace_writer *writer, const struct rfs_trace_stack *stack)
{
	const uint64_t n = stack->n < STACK_MAX ? stack->n : STACK_MAX;
	const uint64_t head[STACK_HEAD] = {n, stack->frame, stack->below_cfa};

	if (fwrite(head, sizeof(head), 1, writer->stacks) != 1 ||
	    (n && fwrite(stack->sites, sizeof(*stack->sites), n, writer->stacks) != n))
		writer->error = writer->error ? writer->error : -EIO;
}

int rfs_trace_writer_close(struct rfs_trace_writer *writer)
{
	struct rfs_trace_entry end = {.kind = RFS_TRACE_END, .offset = writer->n};
	int error;

	if (!writer->error) {
		end.chain = XXH3_64bits_digest(writer->hash);
		trace_file_put(writer, &end, sizeof(end));
	}
	if (writer->file && fclose(writer->file) != 0 && !writer->error)
		writer->error = -errno;
	if (writer->stacks && fclose(writer->stacks) != 0 && !writer->error)
		writer->error = -errno;
	if (!writer->error && rename(writer->temporary, writer->path) != 0)
		writer->error = -errno;
	if (writer->error)
		unlink(writer->temporary);
	error = writer->error;
	XXH3_freeState(writer->hash);
	free(writer->temporary);
	free(writer->path);
	free(writer);
	return error;
}

static int trace_file_damaged(const char *path, char *why, size_t n)
{
	return rfs_why(why, n, -EBADMSG, "%s: damaged, or not a trace of this version of rfsup", path);
}

int rfs_trace_read(const char *path, struct rfs_trace_entry **out, size_t *n, char *why, size_t room)
{
	struct rfs_trace_entry *entries = NULL, end;
	FILE *in = fopen(path, "rbe");
	char magic[MAGIC_SIZE];
	XXH3_state_t *hash;
	size_t count = 0;
	long size;
	int error = 0;

	if (!in)
		return rfs_why(why, room, -errno, "cannot read the recorded operations in %s: %s", path,
			       strerror(errno));
	if (fseek(in, 0, SEEK_END) != 0 || (size = ftell(in)) < 0 || fseek(in, 0, SEEK_SET) != 0) {
		fclose(in);
		return rfs_why(why, room, -EINVAL, "%s: not a file", path);
	}
	if ((size_t)size < MAGIC_SIZE + sizeof(end) || ((size_t)size - MAGIC_SIZE) % sizeof(end) != 0 ||
	    fread(magic, sizeof(magic), 1, in) != 1 || memcmp(magic, RFS_TRACE_MAGIC, sizeof(magic)) != 0) {
		fclose(in);
		return trace_file_damaged(path, why, room);
	}
	count = ((size_t)size - MAGIC_SIZE) / sizeof(end) - 1;
	entries = xcalloc(count + 1, sizeof(*entries));
	hash = XXH3_createState();
	if (!hash)
		die("out of memory while reading %s", path);
	XXH3_64bits_reset(hash);
	XXH3_64bits_update(hash, magic, sizeof(magic));
	if (fread(entries, sizeof(*entries), count + 1, in) != count + 1)
		error = -EBADMSG;
	XXH3_64bits_update(hash, entries, count * sizeof(*entries));
	end = (struct rfs_trace_entry){.kind = RFS_TRACE_END, .offset = count, .chain = XXH3_64bits_digest(hash)};
	if (error || memcmp(&end, &entries[count], sizeof(end)) != 0)
		error = trace_file_damaged(path, why, room);
	XXH3_freeState(hash);
	fclose(in);
	if (error) {
		free(entries);
		return error;
	}
	*out = entries;
	*n = count;
	return 0;
}

/* The words of FILE.stacks: the magic number, then for each entry its head and its sites. */
struct rfs_trace_stacks {
	uint64_t *words;
	size_t *heads; /* where in `words` */
	size_t n;
};

static void trace_file_find_heads(struct rfs_trace_stacks *stacks, size_t n_words)
{
	size_t at = 1;

	while (n_words - at >= STACK_HEAD) {
		const uint64_t n = stacks->words[at];

		if (n > STACK_MAX || n > n_words - at - STACK_HEAD)
			break; /* damaged, or the run ended in the middle */
		stacks->heads = xreallocarray(stacks->heads, stacks->n + 1, sizeof(*stacks->heads));
		stacks->heads[stacks->n++] = at;
		at += STACK_HEAD + n;
	}
}

struct rfs_trace_stacks *rfs_trace_stacks_read(const char *path)
{
	struct rfs_trace_stacks *stacks;
	char *beside = stacks_path(path), *text = NULL;
	size_t size = 0;
	FILE *in = fopen(beside, "rbe");
	long end;

	free(beside);
	if (!in)
		return NULL;
	stacks = xcalloc(1, sizeof(*stacks));
	if (fseek(in, 0, SEEK_END) == 0 && (end = ftell(in)) > 0 && fseek(in, 0, SEEK_SET) == 0) {
		text = xcalloc((size_t)end / sizeof(uint64_t) + 1, sizeof(uint64_t));
		size = fread(text, sizeof(uint64_t), (size_t)end / sizeof(uint64_t), in);
	}
	fclose(in);
	stacks->words = (uint64_t *)(void *)text;
	if (size && stacks->words[0] == RFS_TRACE_STACKS_MAGIC)
		trace_file_find_heads(stacks, size);
	return stacks;
}

void rfs_trace_stacks_free(struct rfs_trace_stacks *stacks)
{
	if (!stacks)
		return;
	free(stacks->words);
	free(stacks->heads);
	free(stacks);
}

struct rfs_trace_stack rfs_trace_stack_of(const struct rfs_trace_stacks *stacks, size_t index)
{
	const uint64_t *head;

	if (!stacks || index >= stacks->n)
		return (struct rfs_trace_stack){0};
	head = &stacks->words[stacks->heads[index]];
	return (struct rfs_trace_stack){head + STACK_HEAD, head[0], head[1], head[2]};
}

size_t rfs_trace_row(const struct rfs_trace_entry *entries, size_t n, uint64_t operation)
{
	size_t i;

	for (i = 0; i < n && (operation > 0 || entries[i].kind == RFS_TRACE_OUTPUT); i++)
		operation -= entries[i].kind != RFS_TRACE_OUTPUT;
	return i;
}
