/* name_words.c - where a word of a name ends. */
#include "supervisor/generate/library/name_words.h"

#include <ctype.h>

size_t rfs_name_word(const char *at)
{
	size_t n = isalpha((unsigned char)at[0]) != 0;

	while (isalpha((unsigned char)at[n]) && !(islower((unsigned char)at[n - 1]) && isupper((unsigned char)at[n])))
		n++;
	return n;
}
