/* source_files.c - splits files into lines, follows includes up to a depth, and notes macros with atomic accesses. */
#include "supervisor/symbols/source_files.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <uthash.h>

#include "disasm/dwarf/dwarf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/symbols/atomic_text.h"

/* Limits for one program: the depth of includes, the number of files, and the size of a file. */
#define DEPTH_MAX 6
#define FILES_MAX 2000
#define FILE_MAX (8 << 20)

struct file {
	char *path;
	char *text; /* its lines end with NUL; NULL: the file cannot be read */
	char **lines;
	size_t n;
	UT_hash_handle hh;
};

struct macro {
	char *name;
	/* it has a definition that expands to an atomic access; that means one (RFS_MOVE_MEANT); that does neither */
	bool atomic, meant, plain;
	bool calls; /* one of the definitions calls a function, which may do anything */
	UT_hash_handle hh;
};

struct rfs_source_files {
	struct file *files;   /* by path */
	struct macro *macros; /* by name */
};

struct rfs_source_files *rfs_source_files_new(void)
{
	return xcalloc(1, sizeof(struct rfs_source_files));
}

void rfs_source_files_free(struct rfs_source_files *files)
{
	struct file *file, *next;
	struct macro *macro, *after;

	if (!files)
		return;
	HASH_ITER (hh, files->files, file, next) {
		HASH_DEL(files->files, file);
		free(file->path);
		free(file->text);
		free(file->lines);
		free(file);
	}
	HASH_ITER (hh, files->macros, macro, after) {
		HASH_DEL(files->macros, macro);
		free(macro->name);
		free(macro);
	}
	free(files);
}

static char *source_files_read_text(const char *path)
{
	struct stat st;
	char *text;
	FILE *in;
	size_t n;

	/* the name comes from debug information; opening a pipe or device of that name could block for ever */
	if (stat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_MAX)
		return NULL;
	in = fopen(path, "re");
	if (!in)
		return NULL;
	text = xmalloc((size_t)st.st_size + 1);
	n = fread(text, 1, (size_t)st.st_size, in);
	fclose(in);
	text[n] = '\0';
	if (strlen(text) != n) { /* a file with a zero byte is no text */
		free(text);
		return NULL;
	}
	return text;
}

static void source_files_split(struct file *file)
{
	for (char *at = file->text; at && *at;) {
		char *end = strchr(at, '\n');

		file->lines = xreallocarray(file->lines, file->n + 1, sizeof(*file->lines));
		file->lines[file->n++] = at;
		if (end)
			*end = '\0';
		at = end ? end + 1 : NULL;
	}
}

/* What follows "#WORD " in a line; NULL if the line is another one. */
static const char *directive(const char *line, const char *word)
{
	line += strspn(line, " \t");
	if (*line++ != '#')
		return NULL;
	line += strspn(line, " \t");
	if (strncmp(line, word, strlen(word)) != 0)
		return NULL;
	line += strlen(word);
	return line + strspn(line, " \t");
}

/* The first macro in the text that may expand to an atomic access. */
static enum rfs_macro used_macro(struct rfs_source_files *files, const char *text)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	enum rfs_macro used = RFS_MACRO_UNKNOWN;

	for (text += strcspn(text, letters); *text; text += strcspn(text, letters)) {
		size_t n = strspn(text, letters);

		used = rfs_source_files_macro(files, text, n);
		if (used > RFS_MACRO_PLAIN)
			break;
		text += n;
	}
	return used;
}

/* Whether the text calls something by its name: a name with a parenthesis behind it. */
static bool has_call(const char *text)
{
	for (const char *at = strchr(text, '('); at; at = strchr(at + 1, '('))
		if (at > text && (isalnum((unsigned char)at[-1]) || at[-1] == '_'))
			return true;
	return false;
}

/* Looks at a definition that begins at line i. Its body ends at the first line that does not end with a backslash. */
static void define(struct rfs_source_files *files, const struct file *file, size_t i, const char *name)
{
	size_t n = strcspn(name, "( \t");
	bool atomic = false, meant = false, unsure = false, calls = false, more;
	const char *body = name + n;
	struct macro *macro;

	if (*body != '(') /* without parameters, it is no access */
		return;
	do {
		const enum rfs_macro used = rfs_text_has_atomic(body) ? RFS_MACRO_ATOMIC : used_macro(files, body);

		atomic |= used == RFS_MACRO_ATOMIC;
		meant |= used == RFS_MACRO_MEANT || rfs_text_means_atomic(body);
		unsure |= used == RFS_MACRO_AMBIGUOUS;
		calls |= has_call(body + (body == name + n ? strcspn(body, ")") : 0));
		more = *file->lines[i] && file->lines[i][strlen(file->lines[i]) - 1] == '\\' && ++i < file->n;
		body = more ? file->lines[i] : body;
	} while (more);
	HASH_FIND(hh, files->macros, name, n, macro);
	if (!macro) {
		macro = xcalloc(1, sizeof(*macro));
		macro->name = xstrndup(name, n);
		HASH_ADD_KEYPTR(hh, files->macros, macro->name, n, macro);
	}
	macro->atomic |= atomic || unsure;
	macro->meant |= meant && !atomic;
	macro->plain |= !atomic && !meant;
	macro->calls |= calls;
}

static void take_first(void *arg, const char *path)
{
	char **first = arg;

	if (!*first)
		*first = xstrdup(path);
}

static void source_files_read_file(struct rfs_source_files *files, const struct rfs_dwarf *dwarf, const char *path,
				   int depth);

static void source_files_include(struct rfs_source_files *files, const struct rfs_dwarf *dwarf, const char *from,
				 const char *name, int depth)
{
	const char *slash = strrchr(from, '/');
	const size_t n = strcspn(name, "\"");
	char *tail = xstrndup(name, n);
	char *path = xasprintf("%.*s%s", slash ? (int)(slash + 1 - from) : 0, from, tail);
	struct stat st;

	if (stat(path, &st) < 0) {
		free(path);
		path = NULL;
		if (dwarf)
			(void)rfs_dwarf_files(dwarf, tail, take_first, &path);
	}
	if (path)
		source_files_read_file(files, dwarf, path, depth + 1);
	free(path);
	free(tail);
}

static void source_files_read_file(struct rfs_source_files *files, const struct rfs_dwarf *dwarf, const char *path,
				   int depth)
{
	struct file *file;

	HASH_FIND_STR(files->files, path, file);
	if (file || depth > DEPTH_MAX || HASH_COUNT(files->files) >= FILES_MAX)
		return;
	file = xcalloc(1, sizeof(*file));
	file->path = xstrdup(path);
	file->text = source_files_read_text(path);
	source_files_split(file);
	HASH_ADD_KEYPTR(hh, files->files, file->path, strlen(file->path), file);
	for (size_t i = 0; i < file->n; i++) {
		const char *rest = directive(file->lines[i], "include");

		if (rest && *rest == '"')
			source_files_include(files, dwarf, path, rest + 1, depth);
		rest = directive(file->lines[i], "define");
		if (rest)
			define(files, file, i, rest);
	}
}

void rfs_source_files_read(struct rfs_source_files *files, const struct rfs_dwarf *dwarf, const char *path)
{
	source_files_read_file(files, dwarf, path, 0);
}

const char *rfs_source_files_line(const struct rfs_source_files *files, const char *path, unsigned line)
{
	struct file *file;

	HASH_FIND_STR(files->files, path, file);
	return file && line > 0 && line <= file->n ? file->lines[line - 1] : NULL;
}

enum rfs_macro rfs_source_files_macro(void *arg, const char *name, size_t n)
{
	const struct rfs_source_files *files = arg;
	struct macro *macro;

	HASH_FIND(hh, files->macros, name, n, macro);
	if (!macro)
		return RFS_MACRO_UNKNOWN;
	if (!(macro->atomic || macro->meant))
		return macro->calls ? RFS_MACRO_UNKNOWN : RFS_MACRO_PLAIN;
	if (macro->plain)
		return RFS_MACRO_AMBIGUOUS;
	return macro->meant ? RFS_MACRO_MEANT : RFS_MACRO_ATOMIC;
}
