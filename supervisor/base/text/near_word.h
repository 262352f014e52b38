/* near_word.h - which of the known words the user may have meant by a word that is not known. */
#ifndef RFS_NEAR_WORD_H
#define RFS_NEAR_WORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* *best before the first call of rfs_near_word(). */
#define RFS_NEAR_NONE SIZE_MAX

/*
 * The least number of changes that make b of a: insert, delete or replace a byte, or swap two neighbours, where no byte
 * is changed twice (the optimal string alignment distance).
 */
size_t rfs_edit_distance(const char *a, const char *b);
/*
 * Whether `word` may be a misspelled `candidate`, and no earlier candidate was as near: then sets *best to the
 * distance. At most one change in three letters is a misspelling.
 */
bool rfs_near_word(const char *word, const char *candidate, size_t *best);

#endif
