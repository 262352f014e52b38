/* trust.h - shows what a record runs, if the record is not the user's own. */
#ifndef RFS_TRUST_H
#define RFS_TRUST_H

#include <stdio.h>

struct rfs_record;

/*
 * Lists the program with its words, the folder that it runs in, the shell commands, the shared objects that are loaded
 * into rfsup or into the program, and the variables of the environment that may run code. Control characters are
 * replaced.
 */
void rfs_trust_show(const struct rfs_record *record, FILE *out);

#endif
