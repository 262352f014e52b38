/*
 * abi.h - how the System V ABI for x86-64 passes and returns a value (section 3.2.3 of the ABI).
 *
 * A class has a letter for each word (eight bytes) of the value: i: a general register; s: a vector register; n: only
 * padding, not passed. "m" is a value in memory.
 */
#ifndef RFS_ABI_H
#define RFS_ABI_H

struct rfs_c_type;

#define RFS_ABI_CLASS 4

/* Writes the class of a value of the type. "": void, or a structure without members. */
void rfs_abi_classify(const struct rfs_c_type *type, char out[RFS_ABI_CLASS]);

/* Why the driver cannot pass or return a value of the type, as "passes a ..."; NULL: it can. */
const char *rfs_abi_refused(const struct rfs_c_type *type);

#endif
