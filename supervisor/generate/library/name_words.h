/* name_words.h - the words of a function's name: "xml", "Free" and "Doc" of xmlFreeDoc. */
#ifndef RFS_NAME_WORDS_H
#define RFS_NAME_WORDS_H

#include <stddef.h>

/*
 * The length of the word that begins at `at`; 0: none begins there. An underscore, a digit or a new capital letter ends
 * a word.
 */
size_t rfs_name_word(const char *at);

#endif
