/* gen_ok_rwlock.h - names and their numbers. All functions may be called from any thread. */
#ifndef GEN_OK_RWLOCK_H
#define GEN_OK_RWLOCK_H

#include <stdbool.h>
#include <stddef.h>

struct gen_names;

struct gen_names *gen_names_new(void);
void gen_names_free(struct gen_names *names);

/* The number of the name, which gets the next number if it is new. */
int gen_names_number(struct gen_names *names, const char *name);
/* -1 if the name is not known. */
int gen_names_find(struct gen_names *names, const char *name);
/* Copies the name of the number, at most size bytes with the NUL. False if no name has it. */
bool gen_names_copy(struct gen_names *names, int number, char *out, size_t size);
/* Forgets the name with the highest number. */
bool gen_names_forget(struct gen_names *names);
size_t gen_names_count(struct gen_names *names);

#endif
