/*
 * Replaces bytes in the blocks of a journal or plan whose name begins with BLOCK, and corrects lengths and checksums.
 * Status 1: no block has them.
 *
 *     alter_journal FILE BLOCK OLD NEW      OLD and NEW may have \xHH
 */
#define XXH_INLINE_ALL
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

static char *unescape(char *word, size_t *n)
{
	char *to = word;

	for (const char *from = word; *from; to++) {
		if (from[0] == '\\' && from[1] == 'x') {
			const char digits[] = {from[2], from[3], '\0'};

			*to = (char)strtoul(digits, NULL, 16);
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*n = (size_t)(to - word);
	return word;
}

static void put(FILE *out, const char *bytes, uint64_t n, const char *more, uint64_t n_more, const char *rest,
		uint64_t n_rest)
{
	char *block = malloc(n + n_more + n_rest + 1);
	uint64_t head[2] = {n + n_more + n_rest, 0};

	memcpy(block, bytes, n);
	memcpy(block + n, more, n_more);
	memcpy(block + n + n_more, rest, n_rest);
	head[1] = XXH64(block, head[0], 0);
	fwrite(head, sizeof(head), 1, out);
	fwrite(block, head[0], 1, out);
	free(block);
}

int main(int argc, char **argv)
{
	size_t n_old, n_new, size, altered = 0;
	char *old = argc == 5 ? unescape(argv[3], &n_old) : NULL, *new = old ? unescape(argv[4], &n_new) : NULL;
	char *text = malloc(16 << 20), *at = text;
	FILE *file = new ? fopen(argv[1], "r+") : NULL;

	if (!file || !text)
		return 2;
	size = fread(text, 1, 16 << 20, file);
	rewind(file);
	while (at + 16 <= text + size) {
		uint64_t head[2];
		char *found;

		memcpy(head, at, sizeof(head));
		at += sizeof(head);
		found = strncmp(at, argv[2], strlen(argv[2])) == 0 ? memmem(at, head[0], old, n_old) : NULL;
		if (found) {
			put(file, at, (uint64_t)(found - at), new, n_new, found + n_old,
			    (uint64_t)(at + head[0] - found) - n_old);
			altered++;
		} else {
			put(file, at, head[0], "", 0, "", 0);
		}
		at += head[0];
	}
	fflush(file);
	if (ftruncate(fileno(file), ftell(file)))
		return 2;
	fclose(file);
	return altered ? 0 : 1;
}
