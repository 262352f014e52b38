/*
 * declarations.c - reads the compiler's list. A line of it is
 *
 *	/" path:line:NC "/ extern int remove (const char *);
 *
 * (with asterisks in place of the quotation marks). N means that there is a prototype, C a declaration and F a
 *definition.
 */
#include "supervisor/generate/library/declarations.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/generate/library/compiler.h"

/* A name, or a file. */
struct word {
	char *text; /* key */
	UT_hash_handle hh;
};

struct reading {
	struct rfs_declarations *out;
	struct word *exported, *names, *files;
	bool inlines; /* the second pass: reads static functions of the files that the first pass found */
};

static bool declarations_has_word(struct word *words, const char *text)
{
	struct word *word;

	HASH_FIND_STR(words, text, word);
	return word;
}

static void declarations_add_word(struct word **words, const char *text)
{
	struct word *word;

	if (declarations_has_word(*words, text))
		return;
	word = xcalloc(1, sizeof(*word));
	word->text = xstrdup(text);
	HASH_ADD_KEYPTR(hh, *words, word->text, strlen(word->text), word);
}

static void free_words(struct word *words)
{
	struct word *word, *next;

	HASH_ITER (hh, words, word, next) {
		HASH_DEL(words, word);
		free(word->text);
		free(word);
	}
}

static void declarations_add_exported(void *arg, const char *name, rfs_addr vaddr, uint64_t size,
				      enum rfs_symbol_type type)
{
	struct reading *reading = arg;

	(void)vaddr;
	(void)size;
	if (type == RFS_SYMBOL_FUNCTION || type == RFS_SYMBOL_IFUNC)
		declarations_add_word(&reading->exported, name);
}

static bool declarations_is_name_part(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/*
 * The declared name in the text of a declaration. The compiler writes a blank between a name and its parameters, but
 * not in the parentheses of a pointer: "extern void (*signal (int, void (*) (int))) (int);". So the name is the first
 * identifier before " (" that is not a word of a type. Caller frees; NULL if there is none.
 */
static char *declared_name(const char *text)
{
	static const char *const words[] = {"void",   "char",	  "short", "int",      "long",	"float",   "double",
					    "signed", "unsigned", "const", "volatile", "_Bool", "__int128"};

	for (const char *open = strstr(text, " ("); open; open = strstr(open + 1, " (")) {
		const char *start = open;
		bool of_type = false;

		while (start > text && declarations_is_name_part(start[-1]))
			start--;
		if (start == open)
			continue;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			of_type |= strlen(words[i]) == (size_t)(open - start) &&
				   strncmp(start, words[i], (size_t)(open - start)) == 0;
		/* in "extern foo_t (*name (int)) (int);", foo_t is followed by a pointer, so it is not the name */
		if (!of_type && open[2] != '*')
			return xstrndup(start, (size_t)(open - start));
	}
	return NULL;
}

static void declarations_take(struct reading *reading, const char *file, unsigned line, char kind, const char *text)
{
	bool is_static = strncmp(text, "static ", 7) == 0, wanted;
	char *name = declared_name(text);

	if (!name || declarations_has_word(reading->names, name)) {
		free(name);
		return;
	}
	if (reading->inlines) {
		wanted = is_static && kind == 'F' && declarations_has_word(reading->files, file);
		if (!is_static && declarations_has_word(reading->files, file))
			reading->out->n_not_exported++;
	} else {
		wanted = !is_static && declarations_has_word(reading->exported, name);
	}
	if (wanted) {
		struct rfs_declarations *out = reading->out;

		declarations_add_word(&reading->names, name);
		declarations_add_word(&reading->files, file);
		out->rows = xreallocarray(out->rows, out->n + 1, sizeof(*out->rows));
		out->rows[out->n++] = (struct rfs_declaration){xstrdup(name), xstrdup(file), line, is_static};
	}
	free(name);
}

static void declarations_read_line(struct reading *reading, char *line)
{
	char *end = strstr(line, " */ "), *file = line + 3, *colon, *number;
	unsigned at;

	if (strncmp(line, "/* ", 3) != 0 || !end)
		return;
	*end = '\0';
	colon = strrchr(file, ':');
	if (!colon || colon == file || strlen(colon) != 3)
		return;
	*colon = '\0';
	number = strrchr(file, ':');
	if (!number || sscanf(number + 1, "%u", &at) != 1)
		return;
	*number = '\0';
	declarations_take(reading, file, at, colon[2], end + 4);
}

static int read_list(struct reading *reading, const char *path)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;

	if (!in)
		return -errno;
	while (getline(&line, &room, in) > 0)
		declarations_read_line(reading, line);
	free(line);
	fclose(in);
	return 0;
}

static int declarations_list(const struct rfs_compiler *compiler, const char *source, const char *path, char *why,
			     size_t n)
{
	const char *const words[] = {"-w", "-fsyntax-only", "-aux-info", path, source, NULL};
	char *said, *first;
	int error = rfs_compiler_run(compiler, words, &said);

	if (error == -EINVAL) {
		first = rfs_compiler_first_error(said);
		snprintf(why, n, "the headers do not compile: %s; check --header and --cflags", first);
		free(first);
	} else if (error) {
		snprintf(why, n, "cannot run the compiler '%s': %s; install gcc or set CC", compiler->words[0],
			 strerror(-error));
	}
	free(said);
	return error;
}

int rfs_declarations_read(const struct rfs_compiler *compiler, const char *source, const char *folder,
			  const struct rfs_elf *library, struct rfs_declarations *out, char *why, size_t n)
{
	char *path = xasprintf("%s/declarations.txt", folder);
	struct reading reading = {.out = out};
	int error;

	*out = (struct rfs_declarations){0};
	rfs_elf_each_symbol(library, declarations_add_exported, &reading);
	error = declarations_list(compiler, source, path, why, n);
	if (!error) {
		error = read_list(&reading, path);
		reading.inlines = true;
		error = error ? error : read_list(&reading, path);
		if (error)
			snprintf(why, n, "%s: %s", path, strerror(-error));
	}
	if (!error && !out->n) {
		snprintf(why, n, "%s exports no function that the headers declare; check that they belong together",
			 rfs_elf_path(library));
		error = -EINVAL;
	}
	(void)unlink(path);
	free(path);
	free_words(reading.exported);
	free_words(reading.names);
	free_words(reading.files);
	if (error)
		rfs_declarations_release(out);
	return error;
}

void rfs_declarations_release(struct rfs_declarations *declarations)
{
	for (size_t i = 0; i < declarations->n; i++) {
		free(declarations->rows[i].name);
		free(declarations->rows[i].file);
	}
	free(declarations->rows);
	*declarations = (struct rfs_declarations){0};
}
