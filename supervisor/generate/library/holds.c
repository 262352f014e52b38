/* holds.c - replaces a word of a method's name, and looks whether the type has a method of this name. */
#include "supervisor/generate/library/holds.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/library.h"
#include "supervisor/generate/library/name_words.h"

/*
 * If two rows have the same first word, the upper one counts, unless the type has no method with its second word. Begin
 * and end, or pause and resume, are not here, because many libraries allow each of them without the other.
 */
static const struct hold_words {
	const char *opens, *closes;
} words[] = {
	{"lock", "unlock"},   {"rdlock", "rdunlock"}, {"rdlock", "unlock"}, {"wrlock", "wrunlock"},
	{"wrlock", "unlock"}, {"rlock", "runlock"},   {"wlock", "wunlock"}, {"acquire", "release"},
	{"enter", "leave"},   {"enter", "exit"},
};

/* How many characters of a word say that the call may fail because the lock is not free: trylock, timed_lock. */
static size_t trying(const char *word, size_t n)
{
	static const char *const prefixes[] = {"try", "timed"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		const size_t length = strlen(prefixes[i]);

		if (n >= length && strncasecmp(word, prefixes[i], length) == 0)
			return length;
	}
	return 0;
}

/* The name without such characters, and whether there were any. Caller frees. */
static char *without_trying(const char *name, bool *tries)
{
	char *out = xcalloc(strlen(name) + 1, 1), *end = out;

	*tries = false;
	while (*name) {
		const size_t n = rfs_name_word(name), skipped = trying(name, n), kept = n ? n - skipped : 1;

		*tries |= skipped > 0;
		name += skipped;
		if (skipped && !kept && *name == '_')
			name++;
		end = mempcpy(end, name, kept);
		name += kept;
	}
	return out;
}

/* Whether the arguments of a call of the first function, or the first of them, can be those of the second one. */
static bool fits(const struct rfs_c_type *opener, const struct rfs_c_type *closer)
{
	if (closer->n_parameters > opener->n_parameters)
		return false;
	for (size_t i = 0; i < closer->n_parameters; i++) {
		const struct rfs_c_type *a = rfs_c_plain(opener->parameters[i]),
					*b = rfs_c_plain(closer->parameters[i]);

		if (a->kind != b->kind || rfs_library_object(a) != rfs_library_object(b))
			return false;
	}
	return true;
}

/* The use of the type by the function with this name that fits a use of another function; NULL: none. */
static struct rfs_use *use_with_name(const struct rfs_library *library, const struct rfs_library_type *type,
				     const char *name, const struct rfs_use *opener)
{
	for (size_t i = 0; i < type->n_uses; i++) {
		struct rfs_use *use = &type->uses[i];

		if ((use->role == RFS_ROLE_METHOD || use->role == RFS_ROLE_DESTRUCTOR) &&
		    use->parameter == opener->parameter &&
		    strcasecmp(rfs_library_name(&library->functions[use->function]), name) == 0 &&
		    fits(library->functions[opener->function].type, library->functions[use->function].type))
			return use;
	}
	return NULL;
}

/* The method that closes the hold which a method of this name opens; NULL: none. */
static struct rfs_use *closer_of(const struct rfs_library *library, const struct rfs_library_type *type,
				 const char *name, const struct rfs_use *opener)
{
	struct rfs_use *found = NULL;

	for (const char *at = name; *at && !found;) {
		const size_t n = rfs_name_word(at);

		for (size_t i = 0; i < sizeof(words) / sizeof(*words) && !found; i++)
			if (n == strlen(words[i].opens) && strncasecmp(at, words[i].opens, n) == 0) {
				char *other = xasprintf("%.*s%s%s", (int)(at - name), name, words[i].closes, at + n);

				found = use_with_name(library, type, other, opener);
				free(other);
			}
		at += n ? n : 1;
	}
	return found;
}

static void set_hold(struct rfs_library_type *type, struct rfs_use *opener, struct rfs_use *closer, bool tries)
{
	opener->hold = tries ? RFS_HOLD_TRIES : RFS_HOLD_OPENS;
	opener->closer = closer->function;
	closer->hold = RFS_HOLD_CLOSES;
	type->n[closer->role]--;
	closer->role = RFS_ROLE_METHOD;
	type->n[closer->role]++;
}

static void find_pairs(const struct rfs_library *library, struct rfs_library_type *type)
{
	for (size_t i = 0; i < type->n_uses; i++) {
		struct rfs_use *opener = &type->uses[i], *closer;
		bool tries;
		char *name;

		if (opener->role != RFS_ROLE_METHOD)
			continue;
		name = without_trying(rfs_library_name(&library->functions[opener->function]), &tries);
		closer = closer_of(library, type, name, opener);
		if (closer && closer != opener)
			set_hold(type, opener, closer, tries);
		free(name);
	}
}

static bool is_lock(const struct rfs_library_type *type)
{
	for (size_t i = 0; i < type->n_uses; i++)
		if (type->uses[i].hold == RFS_HOLD_OPENS)
			return true;
	return false;
}

/* Whether a word of the name says that the function waits: cond_wait, cond_timedwait. */
static bool sounds_like_waiting(const char *name)
{
	for (const char *at = name; *at;) {
		const size_t n = rfs_name_word(at);

		if (n >= 4 && strncasecmp(at + n - 4, "wait", 4) == 0)
			return true;
		at += n ? n : 1;
	}
	return false;
}

/* The function waits with the lock that is this parameter, which is so for all of its objects. */
static void set_needs(struct rfs_library *library, size_t function, size_t lock)
{
	for (size_t i = 0; i < library->n_types; i++)
		for (size_t k = 0; k < library->types[i].n_uses; k++) {
			struct rfs_use *use = &library->types[i].uses[k];

			if (use->function == function && use->role == RFS_ROLE_METHOD && use->hold == RFS_HOLD_NONE) {
				use->hold = RFS_HOLD_NEEDS;
				use->lock = lock;
			}
		}
}

/* A function that waits and gets a lock after another object: that one is a condition. */
static void find_waits(struct rfs_library *library, const struct rfs_library_type *lock)
{
	for (size_t i = 0; i < lock->n_uses; i++) {
		const struct rfs_use *use = &lock->uses[i];
		const struct rfs_library_function *f = &library->functions[use->function];

		if (use->role == RFS_ROLE_METHOD && use->hold == RFS_HOLD_NONE && use->parameter > 0 &&
		    rfs_library_object(f->type->parameters[0]) && sounds_like_waiting(rfs_library_name(f)))
			set_needs(library, use->function, use->parameter);
	}
}

void rfs_holds_find(struct rfs_library *library)
{
	for (size_t i = 0; i < library->n_types; i++)
		find_pairs(library, &library->types[i]);
	for (size_t i = 0; i < library->n_types; i++)
		if (is_lock(&library->types[i]))
			find_waits(library, &library->types[i]);
}
