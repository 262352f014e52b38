/* input_file.c - collects entries in memory, and writes and reads the file. */
#include "supervisor/record/input_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/output.h"

#define MAGIC_SIZE (sizeof(RFS_INPUT_MAGIC) - 1)
/* The limit of recorded input, in bytes. If a run has more input, none of its input is saved. */
#define INPUT_MAX (256ul << 20)

void rfs_input_begin(struct rfs_input_bytes *to)
{
	rfs_input_put(to, RFS_INPUT_MAGIC, MAGIC_SIZE);
}

void rfs_input_put(struct rfs_input_bytes *to, const void *data, size_t n)
{
	if (to->n > INPUT_MAX)
		return;
	if (to->n + n > to->size) {
		to->size = 2 * (to->n + n) + 4096;
		to->bytes = xrealloc(to->bytes, to->size);
	}
	memcpy(to->bytes + to->n, data, n);
	to->n += n;
}

bool rfs_input_overflows(const struct rfs_input_bytes *bytes)
{
	return bytes->n > INPUT_MAX;
}

int rfs_input_save(struct rfs_input_bytes *bytes, const char *path)
{
	uint64_t hash = XXH3_64bits(bytes->bytes, bytes->n);

	rfs_input_put(bytes, &hash, sizeof(hash));
	return rfs_file_replace(path, bytes->bytes, bytes->n, 0600, false);
}

/* The offset where the entry at `at` ends; 0 if the entry is cut short. */
static size_t input_file_behind(const struct rfs_input_bytes *bytes, size_t at)
{
	struct rfs_input_entry entry;
	struct rfs_input_piece piece;

	if (bytes->n - at < sizeof(entry))
		return 0;
	memcpy(&entry, bytes->bytes + at, sizeof(entry));
	at += sizeof(entry);
	for (uint32_t i = 0; i < entry.pieces; i++) {
		if (bytes->n - at < sizeof(piece))
			return 0;
		memcpy(&piece, bytes->bytes + at, sizeof(piece));
		at += sizeof(piece);
		if (piece.size > bytes->n - at)
			return 0;
		at += piece.size;
	}
	return at;
}

static int read_bytes(const char *path, struct rfs_input_bytes *out, char *why, size_t n)
{
	FILE *file = fopen(path, "rbe");
	uint64_t hash;
	long size;

	if (!file)
		return rfs_why(why, n, -errno, "cannot read the recorded input in %s: %s", path, strerror(errno));
	if (fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || (size_t)size > 2 * INPUT_MAX) {
		fclose(file);
		return rfs_why(why, n, -EINVAL, "%s: not a file", path);
	}
	rewind(file);
	out->bytes = xmalloc((size_t)size + 1);
	out->n = fread(out->bytes, 1, (size_t)size, file);
	fclose(file);
	if (out->n < MAGIC_SIZE + sizeof(hash) || memcmp(out->bytes, RFS_INPUT_MAGIC, MAGIC_SIZE) != 0)
		return rfs_why(why, n, -EBADMSG, "%s: damaged, or not an input file of this version of rfsup", path);
	out->n -= sizeof(hash);
	memcpy(&hash, out->bytes + out->n, sizeof(hash));
	if (hash != XXH3_64bits(out->bytes, out->n))
		return rfs_why(why, n, -EBADMSG, "%s: damaged: its checksum is wrong", path);
	return 0;
}

int rfs_input_load(const char *path, struct rfs_input_bytes *out, size_t **offsets, size_t *n_offsets, char *why,
		   size_t n)
{
	size_t room = 0;
	int error;

	*out = (struct rfs_input_bytes){0};
	*offsets = NULL;
	*n_offsets = 0;
	error = read_bytes(path, out, why, n);
	for (size_t at = MAGIC_SIZE; !error && at < out->n;) {
		if (*n_offsets == room) {
			room = room ? 2 * room : 64;
			*offsets = xreallocarray(*offsets, room, sizeof(**offsets));
		}
		(*offsets)[(*n_offsets)++] = at;
		at = input_file_behind(out, at);
		if (at == 0)
			error = rfs_why(why, n, -EBADMSG, "%s: damaged: an entry is truncated", path);
	}
	if (!error)
		return 0;
	free(out->bytes);
	free(*offsets);
	*out = (struct rfs_input_bytes){0};
	*offsets = NULL;
	return error;
}
