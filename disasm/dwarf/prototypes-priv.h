/* prototypes-priv.h - reads types, for functions of C (prototypes.c) and for classes of C++ (classes.c). */
#ifndef RFS_PROTOTYPES_PRIV_H
#define RFS_PROTOTYPES_PRIV_H

#include <libdwarf/dwarf.h>
#include <libdwarf/libdwarf.h>
#include <stdbool.h>
#include <uthash.h>

#include "disasm/dwarf/prototypes.h"

struct rfs_type_node {
	struct rfs_c_type type;
	Dwarf_Off offset; /* key */
	UT_hash_handle hh;
};

/* The name of a type of C++, with its namespaces and classes. */
struct rfs_cxx_name {
	char *name;
	Dwarf_Off offset; /* key */
	UT_hash_handle hh;
};

struct rfs_prototypes {
	struct rfs_type_node *nodes;
	struct rfs_prototype *rows;
	size_t n;
	bool no_memory;
	/* while reading */
	const char *prefix;
	Dwarf_Debug dbg;
	/* of classes */
	bool is_cxx;
	struct rfs_cxx_name *names;
	struct rfs_cxx_method **methods; /* one for each row */
	bool (*is_exported)(void *arg, const char *name);
	void *arg;
};

bool rfs_dwarf_has(Dwarf_Die die, Dwarf_Half attribute);
/* A constant of an attribute. False: there is none. */
bool rfs_dwarf_number(struct rfs_prototypes *p, Dwarf_Die die, Dwarf_Half attribute, int64_t *out);
/* The type at an offset; void if the file does not have it. */
struct rfs_c_type *rfs_prototypes_type_at(struct rfs_prototypes *p, Dwarf_Off offset);
void rfs_prototypes_each_child(struct rfs_prototypes *p, Dwarf_Die die,
			       void (*f)(struct rfs_prototypes *p, struct rfs_c_type *type, Dwarf_Die child),
			       struct rfs_c_type *type);

typedef void rfs_prototypes_unit_fn(struct rfs_prototypes *p, Dwarf_Die unit, Dwarf_Half version);
/* Opens the file, and calls read() for each unit. 0, or -errno and a line in why. */
int rfs_prototypes_open(const char *path, rfs_prototypes_unit_fn *read, struct rfs_prototypes *p, char *why, size_t n);
/* *out = p; after an error, frees p. Returns the error. */
int rfs_prototypes_finish(struct rfs_prototypes *p, int error, struct rfs_prototypes **out);

/* classes.c */
const struct rfs_cxx_name *rfs_prototypes_name(struct rfs_prototypes *p, Dwarf_Die die);
void rfs_prototypes_free_classes(struct rfs_prototypes *p);

#endif
