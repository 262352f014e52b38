/* near_word.c - the edit distance, and the word with the least one. */
#include "supervisor/base/text/near_word.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

size_t rfs_edit_distance(const char *a, const char *b)
{
	const size_t width = strlen(b) + 1;
	/* row i has the distances between the first i bytes of a and the first j bytes of b */
	size_t *rows = xcalloc(3 * width, sizeof(*rows));
	size_t *before = rows, *last = rows + width, *row = rows + 2 * width, *free_row;
	size_t distance;

	for (size_t j = 0; j < width; j++)
		row[j] = j;
	for (size_t i = 1; a[i - 1]; i++) {
		free_row = before;
		before = last;
		last = row;
		row = free_row;
		row[0] = i;
		for (size_t j = 1; j < width; j++) {
			row[j] = least(last[j - 1] + (a[i - 1] != b[j - 1]), least(last[j], row[j - 1]) + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				row[j] = least(row[j], before[j - 2] + 1);
		}
	}
	distance = row[width - 1];
	free(rows);
	return distance;
}

bool rfs_near_word(const char *word, const char *candidate, size_t *best)
{
	const size_t distance = rfs_edit_distance(word, candidate);

	if (distance >= *best || 3 * distance > strlen(word))
		return false;
	*best = distance;
	return true;
}
