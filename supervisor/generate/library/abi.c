/* abi.c - the classes of values, from the types of their members. */
#include "supervisor/generate/library/abi.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "disasm/dwarf/prototypes.h"

#define WORD 8
#define WORDS 2 /* a larger structure is in memory */
/* The driver has 2048 bytes for all arguments. */
#define RECORD_MAX 512
/* How deep structures and arrays may nest. */
#define DEPTH_MAX 16

static bool abi_is_record(const struct rfs_c_type *plain)
{
	return plain->kind == RFS_C_STRUCT || plain->kind == RFS_C_UNION;
}

/* Marks the words of a member. An integer in a word wins over floating-point numbers. False: the value is in memory,
 * because a member is not aligned. */
static bool abi_mark(const struct rfs_c_type *type, uint64_t offset, int depth, char *out)
{
	const struct rfs_c_type *plain = rfs_c_plain(type), *element;
	char letter = plain->kind == RFS_C_FLOAT ? 's' : 'i';

	if (depth > DEPTH_MAX)
		return false;
	if (abi_is_record(plain)) {
		for (size_t i = 0; i < plain->n_members; i++) {
			const struct rfs_c_member *member = &plain->members[i];

			if (!member->bits) {
				if (member->offset % 8 ||
				    !abi_mark(member->type, offset + member->offset / 8, depth + 1, out))
					return false;
				continue;
			}
			for (uint64_t bit = member->offset; bit < member->offset + member->bits; bit++)
				if ((offset + bit / 8) / WORD < WORDS)
					out[(offset + bit / 8) / WORD] = 'i';
		}
		return true;
	}
	if (plain->kind == RFS_C_ARRAY) {
		element = rfs_c_plain(plain->to);
		for (uint64_t at = 0; element->size && at < plain->size; at += element->size)
			if (!abi_mark(element, offset + at, depth + 1, out))
				return false;
		return true;
	}
	if (!plain->size || offset % plain->size || offset / WORD >= WORDS)
		return false;
	if (out[offset / WORD] != 'i')
		out[offset / WORD] = letter;
	return true;
}

void rfs_abi_classify(const struct rfs_c_type *type, char out[RFS_ABI_CLASS])
{
	const struct rfs_c_type *plain = rfs_c_plain(type);
	size_t n = (plain->size + WORD - 1) / WORD;

	memset(out, 0, RFS_ABI_CLASS);
	if (plain->kind == RFS_C_VOID)
		return;
	if (!abi_is_record(plain)) {
		out[0] = plain->kind == RFS_C_FLOAT ? 's' : 'i';
		return;
	}
	if (n <= WORDS && !plain->is_by_reference) {
		memset(out, 'n', n);
		if (abi_mark(plain, 0, 0, out))
			return;
	}
	strcpy(out, "m");
}

/* The reason for a type, or for a member of it. */
static const char *refused(const struct rfs_c_type *type, int depth)
{
	const struct rfs_c_type *plain = rfs_c_plain(type);
	const char *why = NULL;

	switch (plain->kind) {
	case RFS_C_COMPLEX:
		return "passes a complex number";
	case RFS_C_VECTOR:
		return "passes a vector";
	case RFS_C_UNKNOWN:
		return "passes a value of an unknown type";
	case RFS_C_INTEGER:
		return plain->size > WORD ? "passes an __int128" : NULL;
	case RFS_C_FLOAT:
		return plain->size > WORD ? "passes a long double" : NULL;
	case RFS_C_ARRAY:
		return depth < DEPTH_MAX ? refused(plain->to, depth + 1) : NULL;
	case RFS_C_STRUCT:
	case RFS_C_UNION:
		for (size_t i = 0; i < plain->n_members && depth < DEPTH_MAX && !why; i++)
			why = refused(plain->members[i].type, depth + 1);
		if (why)
			return why;
		if (plain->is_declared)
			return "passes a structure whose members are unknown";
		if (plain->alignment > WORD)
			return "passes a structure of unusual alignment";
		return plain->size > RECORD_MAX ? "passes a structure of more than 512 bytes" : NULL;
	default:
		return NULL;
	}
}

const char *rfs_abi_refused(const struct rfs_c_type *type)
{
	return refused(type, 0);
}
