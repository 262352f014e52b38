/* pack.c - collects the files of a record, and writes the archive. unpack.c reads it. */
#include "supervisor/cli/recorded/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "disasm/elf/elf.h"
#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/path.h"
#include "supervisor/base/site.h"
#include "supervisor/base/version.h"
#include "supervisor/record/record.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/symbols/source.h"
#include "supervisor/symbols/source_place.h"
#include "supervisor/symbols/symbolize.h"

/* Lines before and after one that is shown. */
#define CONTEXT 3

struct pack {
	struct archive *archive;
	struct rfs_symbols *symbols;
	char **names; /* in the archive so far */
	size_t n_names;
	uint64_t bytes;
	json_t *links, *folders;
	char *why;
	size_t n;
};

static int pack_refuse(struct pack *pack, const char *name)
{
	return rfs_why(pack->why, pack->n, -EIO, "cannot pack %s: %s", name, archive_error_string(pack->archive));
}

/* Whether the name is new in the archive. */
static bool pack_is_new(struct pack *pack, const char *name)
{
	for (size_t i = 0; i < pack->n_names; i++)
		if (strcmp(pack->names[i], name) == 0)
			return false;
	pack->names = xreallocarray(pack->names, pack->n_names + 1, sizeof(*pack->names));
	pack->names[pack->n_names++] = xstrdup(name);
	return true;
}

static int pack_check_limits(struct pack *pack, uint64_t size)
{
	pack->bytes += size;
	if (pack->bytes <= RFS_PACK_BYTES && pack->n_names <= RFS_PACK_FILES)
		return 0;
	return rfs_why(pack->why, pack->n, -EFBIG,
		       "the files of the record are more than a pack may have: %" PRIu64 " MB and %d files",
		       RFS_PACK_BYTES >> 20, RFS_PACK_FILES);
}

static int pack_put_head(struct pack *pack, const char *name, uint64_t size, mode_t mode)
{
	struct archive_entry *entry;
	int error = pack_check_limits(pack, size);

	if (error)
		return error;
	entry = archive_entry_new();
	archive_entry_set_pathname(entry, name);
	archive_entry_set_size(entry, (la_int64_t)size);
	archive_entry_set_filetype(entry, AE_IFREG);
	archive_entry_set_perm(entry, mode);
	error = archive_write_header(pack->archive, entry) == ARCHIVE_OK ? 0 : pack_refuse(pack, name);
	archive_entry_free(entry);
	return error;
}

static int pack_put_text(struct pack *pack, const char *name, const char *text, size_t size)
{
	int error = pack_put_head(pack, name, size, 0644);

	if (!error && archive_write_data(pack->archive, text, size) != (la_ssize_t)size)
		error = pack_refuse(pack, name);
	return error;
}

/* Adds a file, unless the archive has the name. */
static int put_file(struct pack *pack, const char *name, const char *path)
{
	char buffer[65536];
	uint64_t left;
	struct stat st;
	ssize_t got = 0;
	int fd, error = 0;

	if (!pack_is_new(pack, name))
		return 0;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st)) {
		error = rfs_why(pack->why, pack->n, -errno, "cannot pack %s: %s", path, strerror(errno));
		goto out;
	}
	if (!S_ISREG(st.st_mode))
		goto out;
	error = pack_put_head(pack, name, (uint64_t)st.st_size, st.st_mode & 0777);
	for (left = (uint64_t)st.st_size; !error && left; left -= (uint64_t)got) {
		got = read(fd, buffer, left < sizeof(buffer) ? left : sizeof(buffer));
		if (got <= 0)
			error = rfs_why(pack->why, pack->n, -EIO, "cannot pack %s: it changed or cannot be read", path);
		else if (archive_write_data(pack->archive, buffer, (size_t)got) != got)
			error = pack_refuse(pack, name);
	}
out:
	if (fd >= 0)
		close(fd);
	return error;
}

/* Adds a file at its absolute path, which no link is part of. */
static int put_at_path(struct pack *pack, const char *path)
{
	char *real = realpath(path, NULL), *name = xasprintf(RFS_PACK_ROOT "%s", (real ? real : path) + 1);
	int error = put_file(pack, name, path);

	free(name);
	free(real);
	return error;
}

/* Notes a link if the path leads to another file. */
static void note_link(struct pack *pack, const char *path)
{
	char *real = path && *path == '/' ? realpath(path, NULL) : NULL;

	if (real && strcmp(real, path) != 0 && !strstr(path, "/../") && !strstr(path, "/./") && !strstr(path, "//"))
		json_array_append_new(pack->links, json_pack("[s, s]", path, real));
	free(real);
}

/* Notes the folder that must exist so that the path can be looked up. */
static void note_folder(struct pack *pack, const char *path)
{
	const char *up = path && *path == '/' ? strstr(path, "/../") : NULL;

	if (path && *path == '/' && path[1] && !strstr(path, "//"))
		json_array_append_new(pack->folders, json_stringn(path, up ? (size_t)(up - path) : strlen(path)));
}

/* ---- what a record needs ---- */

static int put_module(struct pack *pack, const struct rfs_record_module *module)
{
	const struct rfs_elf *elf = rfs_symbols_elf(pack->symbols, module->path);
	const char *soname = elf ? rfs_elf_soname(elf) : NULL;

	if (module->path[0] != '/')
		return 0; /* such as the vDSO */
	if (elf && strcmp(rfs_elf_build_id(elf), module->build_id) != 0)
		return rfs_why(pack->why, pack->n, -EINVAL,
			       "%s is not the file of the recorded run, so it cannot be packed", module->path);
	note_link(pack, module->path);
	if (elf)
		note_link(pack, rfs_elf_interpreter(elf));
	if (soname && !strchr(soname, '/')) {
		char *path = xasprintf("%.*s/%s", (int)(rfs_base_name(module->path) - module->path - 1), module->path,
				       soname);

		note_link(pack, path);
		free(path);
	}
	return put_at_path(pack, module->path);
}

/* Adds a file, or all regular files of a folder. */
static int put_tree(struct pack *pack, const char *path)
{
	char *real = realpath(path, NULL), *paths[] = {real, NULL};
	FTSENT *entry;
	FTS *tree;
	int error = 0;

	if (!real)
		return rfs_why(pack->why, pack->n, -errno, "cannot pack %s: %s", path, strerror(errno));
	tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	while (!error && tree && (entry = fts_read(tree))) {
		if (entry->fts_info == FTS_F)
			error = put_at_path(pack, entry->fts_path);
		else if (entry->fts_info == FTS_SL)
			note_link(pack, entry->fts_path);
	}
	if (tree)
		fts_close(tree);
	free(real);
	return error;
}

/* ---- lines of source ---- */

struct source {
	char *file;
	bool *shown; /* of each line, from 1 */
	unsigned n;
};

struct sources {
	struct source *list;
	size_t n;
};

static void show_line(struct sources *sources, const char *file, unsigned line)
{
	struct source *source = NULL;

	for (size_t i = 0; i < sources->n && !source; i++)
		if (strcmp(sources->list[i].file, file) == 0)
			source = &sources->list[i];
	if (!source) {
		sources->list = xreallocarray(sources->list, sources->n + 1, sizeof(*sources->list));
		source = &sources->list[sources->n++];
		*source = (struct source){.file = xstrdup(file)};
	}
	if (line + CONTEXT >= source->n) {
		source->shown = xreallocarray(source->shown, line + CONTEXT + 1, sizeof(bool));
		memset(source->shown + source->n, 0, line + CONTEXT + 1 - source->n);
		source->n = line + CONTEXT + 1;
	}
	for (unsigned i = line > CONTEXT ? line - CONTEXT : 1; i <= line + CONTEXT; i++)
		source->shown[i] = true;
}

static void show_place(struct pack *pack, struct sources *sources, const char *module, uint64_t offset)
{
	const struct rfs_place at = {(char *)module, offset};
	struct rfs_source_place place = {0};

	rfs_symbols_place(pack->symbols, &at, false, &place);
	if (place.file && place.file[0] == '/' && place.line)
		show_line(sources, place.file, place.line);
	rfs_source_place_release(&place);
}

/* The places of the operations of the run, and the statements of the pair. */
static void find_sources(struct pack *pack, const struct rfs_record *record, struct sources *sources)
{
	struct rfs_trace_entry *entries = NULL;
	rfs_site last = 0;
	char why[256];
	size_t n = 0;

	for (int k = 0; k < 2; k++)
		for (size_t i = 0; i < record->pair.statement[k].n_sites; i++)
			show_place(pack, sources, record->pair.statement[k].sites[i].module,
				   record->pair.statement[k].sites[i].offset);
	if (!record->trace || rfs_trace_read(record->trace, &entries, &n, why, sizeof(why)))
		return;
	for (size_t i = 0; i < n; i++) {
		uint64_t vaddr;
		size_t module;

		if (entries[i].site != last && rfs_site_split((rfs_site)entries[i].site, &module, &vaddr) &&
		    module < record->n_modules)
			show_place(pack, sources, record->modules[module].path, vaddr);
		last = (rfs_site)entries[i].site;
	}
	free(entries);
}

/* Adds a source file; lines that are not shown are empty. */
static int put_source(struct pack *pack, const struct source *source)
{
	char *name = xasprintf(RFS_PACK_ROOT "%s", source->file + 1), *text = NULL, *line = NULL;
	size_t size = 0, room = 0;
	FILE *in = fopen(source->file, "re"), *out = xopen_memstream(&text, &size);
	int error = 0;

	for (unsigned i = 1; in && i < source->n && getline(&line, &room, in) > 0; i++)
		fputs(source->shown[i] ? line : "\n", out);
	fclose(out);
	if (in && size && pack_is_new(pack, name))
		error = pack_put_text(pack, name, text, size);
	if (in)
		fclose(in);
	free(line);
	free(text);
	free(name);
	return error;
}

static int put_sources(struct pack *pack, const struct rfs_record *record)
{
	struct sources sources = {0};
	int error = 0;

	find_sources(pack, record, &sources);
	for (size_t i = 0; i < sources.n; i++) {
		/* names with ".." cannot be in a pack */
		if (!error && !strstr(sources.list[i].file, "/../"))
			error = put_source(pack, &sources.list[i]);
		free(sources.list[i].file);
		free(sources.list[i].shown);
	}
	free(sources.list);
	return error;
}

/* ---- the whole pack ---- */

static int put_index(struct pack *pack, const char *record)
{
	json_t *index = json_pack("{s:i, s:s, s:s, s:O, s:O}", "rfsup_pack", 1, "version", rfs_version, "record",
				  record, "links", pack->links, "folders", pack->folders);
	char *text = index ? json_dumps(index, JSON_INDENT(1)) : NULL;
	int error = text ? pack_put_text(pack, RFS_PACK_INDEX, text, strlen(text))
			 : rfs_why(pack->why, pack->n, -EILSEQ, "the names of the record's files are not UTF-8");

	free(text);
	json_decref(index);
	return error;
}

static int put_record(struct pack *pack, const char *path, const struct rfs_record *record)
{
	char *stacks = record->trace ? xasprintf("%s.stacks", record->trace) : NULL;
	const char *files[] = {path, record->trace, stacks, record->input};
	int error = 0;

	for (size_t i = 0; !error && i < sizeof(files) / sizeof(*files); i++) {
		char *name;

		if (!files[i] || access(files[i], F_OK))
			continue;
		name = xasprintf(RFS_PACK_RECORD "%s", rfs_base_name(files[i]));
		error = put_file(pack, name, files[i]);
		free(name);
	}
	free(stacks);
	return error;
}

static int put_all(struct pack *pack, const char *path, const struct rfs_record *record, char *const *more)
{
	const struct rfs_run_spec *spec = &record->execution.spec;
	const char *inputs[] = {spec->job.stdin_path, record->execution.policy_path, spec->job.fresh_dir};
	int error = 0;

	note_link(pack, spec->process.path);
	note_folder(pack, spec->process.cwd);
	if (strstr(spec->process.path, "/../"))
		note_folder(pack, spec->process.path);
	for (size_t i = 0; !error && i < record->n_modules; i++)
		error = put_module(pack, &record->modules[i]);
	for (size_t i = 0; !error && i < sizeof(inputs) / sizeof(*inputs); i++)
		if (inputs[i])
			error = put_tree(pack, inputs[i]);
	for (; !error && *more; more++)
		error = put_tree(pack, *more);
	if (!error)
		error = put_sources(pack, record);
	if (!error)
		error = put_record(pack, path, record);
	return error ? error : put_index(pack, rfs_base_name(path));
}

static void pack_release(struct pack *pack)
{
	archive_write_free(pack->archive);
	rfs_symbols_free(pack->symbols);
	json_decref(pack->links);
	json_decref(pack->folders);
	pack->links = pack->folders = NULL;
	for (size_t i = 0; i < pack->n_names; i++)
		free(pack->names[i]);
	free(pack->names);
}

int rfs_pack(const char *path, const char *out, char *const *more, char *why, size_t n)
{
	struct pack pack = {.why = why, .n = n, .links = json_array(), .folders = json_array()};
	char *file = out ? xstrdup(out) : xasprintf("%s.pack", rfs_base_name(path)), *absolute = realpath(path, NULL);
	char *unfinished = xasprintf("%s.new", file);
	struct rfs_record record;
	int error = absolute ? rfs_record_read(absolute, &record, why, n)
			     : rfs_why(why, n, -errno, "--pack: cannot read '%s': %s", path, strerror(errno));

	if (error)
		goto out;
	if (!record.ended || !record.n_modules) {
		error = rfs_why(why, n, -EINVAL, "%s has no outcome, so it does not say which libraries it needs",
				path);
		rfs_record_release(&record);
		goto out;
	}
	pack.symbols = rfs_symbols_new();
	pack.archive = archive_write_new();
	archive_write_set_format_pax_restricted(pack.archive);
	archive_write_add_filter_gzip(pack.archive);
	if (archive_write_open_filename(pack.archive, unfinished) != ARCHIVE_OK)
		error = pack_refuse(&pack, unfinished);
	if (!error)
		error = put_all(&pack, absolute, &record, more);
	if (!error && archive_write_close(pack.archive) != ARCHIVE_OK)
		error = pack_refuse(&pack, unfinished);
	if (!error && (chmod(unfinished, 0600) || rename(unfinished, file)))
		error = rfs_why(why, n, -errno, "cannot write %s: %s", file, strerror(errno));
	if (error)
		unlink(unfinished);
	else
		rfs_say("%s: %zu files, %" PRIu64 " kB", file, pack.n_names + 1, pack.bytes >> 10);
	pack_release(&pack);
	rfs_record_release(&record);
out:
	json_decref(pack.links);
	json_decref(pack.folders);
	free(unfinished);
	free(absolute);
	free(file);
	return error;
}
