/* shell_word.h - words of a command line that a user can copy. */
#ifndef RFS_SHELL_WORD_H
#define RFS_SHELL_WORD_H

/* The word as the shell must read it: in quotes if it would change the word otherwise. Caller frees. */
char *rfs_shell_word(const char *word);

#endif
