/* pack_test.c - a pack is unpacked only if nothing in it could be written elsewhere, or is more than a pack has. */
#include "supervisor/cli/recorded/pack.h"

#include <archive.h>
#include <archive_entry.h>
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/tree.h"
#include "tests/supervisor/scratch.h"

TestSuite(pack, .timeout = 60);

static const char index_text[] =
	"{\"rfsup_pack\": 1, \"record\": \"r.json\", \"links\": [[\"/a/b\", \"/c\"]], \"folders\": [\"/d\"]}";

static const struct row {
	const char *name, *text; /* of a member besides the index and the record; NULL: none */
	const char *link;	 /* the member is a link to this */
	const char *index;
	const char *says; /* NULL: it is unpacked */
} rows[] = {
	{"root/usr/lib/a", "x", NULL, index_text, NULL},
	{NULL, NULL, NULL, index_text, NULL},
	{"root/../../escaped", "x", NULL, index_text, "unsafe name"},
	{"/escaped", "x", NULL, index_text, "unsafe name"},
	{"root/./escaped", "x", NULL, index_text, "unsafe name"},
	{"root//escaped", "x", NULL, index_text, "unsafe name"},
	{"record/..", "x", NULL, index_text, "unsafe name"},
	{"root/out", NULL, "/", index_text, "a link"},
	{"elsewhere/a", "x", NULL, index_text, "not of a pack"},
	{"record/r.json", "x", NULL, index_text, "File exists"},
	{"record/r.json/\n\033[2J", "x", NULL, index_text, "cannot unpack r.json/??[2J"},
	{"record/r.json/x", "x", NULL, index_text, "cannot unpack"},
	{RFS_PACK_INDEX, index_text, NULL, index_text, "index"},
	{NULL, NULL, NULL, NULL, "no index"},
	{NULL, NULL, NULL, "{", "another format"},
	{NULL, NULL, NULL, "{\"rfsup_pack\": 2}", "another format"},
	{NULL, NULL, NULL, "{\"rfsup_pack\": 1, \"record\": \"../r\"}", "names no record"},
	{NULL, NULL, NULL, "{\"rfsup_pack\": 1, \"record\": \"r\", \"links\": [[\"/a/../b\", \"/c\"]]}", "unsafe name"},
	{NULL, NULL, NULL, "{\"rfsup_pack\": 1, \"record\": \"r\", \"links\": [[\"/a\", \"c\"]]}", "unsafe name"},
	{NULL, NULL, NULL, "{\"rfsup_pack\": 1, \"record\": \"r\", \"links\": [], \"folders\": [\"/..\"]}",
	 "unsafe name"},
	{NULL, NULL, NULL, "{\"rfsup_pack\": 1, \"record\": \"r\", \"links\": []}", "list of folders"},
};

static void put(struct archive *archive, const char *name, const char *text, const char *link)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, name);
	archive_entry_set_filetype(entry, link ? AE_IFLNK : AE_IFREG);
	archive_entry_set_perm(entry, 0644);
	if (link)
		archive_entry_set_symlink(entry, link);
	else
		archive_entry_set_size(entry, (la_int64_t)strlen(text));
	cr_assert(archive_write_header(archive, entry) == ARCHIVE_OK);
	if (!link)
		cr_assert(archive_write_data(archive, text, strlen(text)) == (la_ssize_t)strlen(text));
	archive_entry_free(entry);
}

static void make(const char *path, const struct row *row)
{
	struct archive *archive = archive_write_new();

	archive_write_set_format_pax_restricted(archive);
	archive_write_add_filter_gzip(archive);
	cr_assert(archive_write_open_filename(archive, path) == ARCHIVE_OK);
	put(archive, "record/r.json", "{}", NULL);
	if (row->name)
		put(archive, row->name, row->text, row->link);
	if (row->index)
		put(archive, RFS_PACK_INDEX, row->index, NULL);
	cr_assert(archive_write_close(archive) == ARCHIVE_OK);
	archive_write_free(archive);
}

static void check(const char *top, const char *path, const char *says, const char *name)
{
	char *root = xasprintf("%s/root", top), *record = xasprintf("%s/kept", top), why[1024] = "";
	char *escaped = xasprintf("%s/escaped", top);
	struct rfs_unpacked pack;
	const int error = rfs_unpack(path, root, record, &pack, why, sizeof(why));

	cr_expect(!error == !says, "%s: %s", name, why);
	cr_expect(!says || strstr(why, says), "%s: %s", name, why);
	cr_expect(!strchr(why, '\n'));
	cr_expect(access(escaped, F_OK) != 0 && access("/escaped", F_OK) != 0, "%s", name);
	if (!error) {
		cr_expect_str_eq(pack.record, "r.json");
		cr_expect(pack.n_links == 1 && pack.n_folders == 1);
		rfs_unpacked_release(&pack);
	}
	rfs_tree_remove(root);
	rfs_tree_remove(record);
	free(escaped);
	free(record);
	free(root);
}

Test(pack, names_links_and_indexes)
{
	char *top = scratch_enter(), *path = xasprintf("%s/pack", top);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		make(path, &rows[i]);
		check(top, path, rows[i].says, rows[i].name ? rows[i].name : rows[i].index ? rows[i].index : "-");
	}
	scratch_leave(top);
	free(path);
}

/* A pack that is cut short anywhere, or is no archive, is refused. */
Test(pack, cut_short)
{
	char *top = scratch_enter(), *path = xasprintf("%s/pack", top);

	for (long cut = 1; cut < 200; cut += 20) {
		FILE *file;
		long size;

		make(path, &rows[0]);
		file = fopen(path, "r");
		cr_assert(file && fseek(file, 0, SEEK_END) == 0);
		size = ftell(file);
		fclose(file);
		cr_assert(cut < size && truncate(path, size - cut - 20) == 0);
		check(top, path, "no pack, or it is damaged", "cut");
	}
	scratch_leave(top);
	free(path);
}
