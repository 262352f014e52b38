/* unpack.c - reads a pack. It may come from anybody, so nothing in it is trusted. */
#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/tree.h"
#include "supervisor/cli/recorded/pack.h"

#define INDEX_MAX (1 << 20)
#define LINKS_MAX 10000

struct unpack {
	struct archive *archive;
	const char *path, *root, *record;
	struct rfs_unpacked *out;
	uint64_t bytes;
	size_t files;
	char *why;
	size_t n;
};

bool rfs_pack_is(const char *path)
{
	unsigned char magic[2] = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is =
		fd >= 0 && read(fd, magic, sizeof(magic)) == sizeof(magic) && magic[0] == 0x1f && magic[1] == 0x8b;

	if (fd >= 0)
		close(fd);
	return is;
}

static int unpack_damaged(struct unpack *unpack, const char *what)
{
	return rfs_why(unpack->why, unpack->n, -EBADMSG, "%s is no pack, or it is damaged: %s", unpack->path, what);
}

/* A relative name in which no component is "..", "." or empty. */
static bool is_safe(const char *name)
{
	if (!*name || strlen(name) > 4000)
		return false;
	for (;;) {
		size_t n = strcspn(name, "/");

		if (!n || (n == 1 && name[0] == '.') || (n == 2 && name[0] == '.' && name[1] == '.'))
			return false;
		if (!name[n])
			return true;
		name += n + 1;
	}
}

static bool is_absolute(const char *path)
{
	return path && path[0] == '/' && is_safe(path + 1);
}

static int read_links(struct unpack *unpack, const json_t *links)
{
	struct rfs_unpacked *out = unpack->out;

	if (!json_is_array(links) || json_array_size(links) > LINKS_MAX)
		return unpack_damaged(unpack, "its index has no list of links");
	for (size_t i = 0; i < json_array_size(links); i++) {
		const json_t *link = json_array_get(links, i);
		const char *words[] = {json_string_value(json_array_get(link, 0)),
				       json_string_value(json_array_get(link, 1))};

		if (!is_absolute(words[0]) || !is_absolute(words[1]))
			return unpack_damaged(unpack, "a link has an unsafe name");
		out->links = xreallocarray(out->links, 2 * (out->n_links + 1), sizeof(*out->links));
		out->links[2 * out->n_links] = xstrdup(words[0]);
		out->links[2 * out->n_links++ + 1] = xstrdup(words[1]);
	}
	return 0;
}

static int read_folders(struct unpack *unpack, const json_t *folders)
{
	struct rfs_unpacked *out = unpack->out;

	if (!json_is_array(folders) || json_array_size(folders) > LINKS_MAX)
		return unpack_damaged(unpack, "its index has no list of folders");
	for (size_t i = 0; i < json_array_size(folders); i++) {
		const char *folder = json_string_value(json_array_get(folders, i));

		if (!is_absolute(folder))
			return unpack_damaged(unpack, "a folder has an unsafe name");
		out->folders = xreallocarray(out->folders, out->n_folders + 1, sizeof(*out->folders));
		out->folders[out->n_folders++] = xstrdup(folder);
	}
	return 0;
}

static int read_index(struct unpack *unpack, uint64_t size)
{
	char *text = size <= INDEX_MAX ? xcalloc(size + 1, 1) : NULL;
	json_t *root = NULL;
	const char *record;
	int error;

	if (unpack->out->record || !text || archive_read_data(unpack->archive, text, size) != (la_ssize_t)size)
		error = unpack_damaged(unpack, "its index cannot be read");
	else if (!(root = json_loads(text, 0, NULL)) || json_integer_value(json_object_get(root, "rfsup_pack")) != 1)
		error = unpack_damaged(unpack, "its index has another format");
	else if (!(record = json_string_value(json_object_get(root, "record"))) || !is_safe(record) ||
		 strchr(record, '/'))
		error = unpack_damaged(unpack, "its index names no record");
	else {
		unpack->out->record = xstrdup(record);
		error = read_links(unpack, json_object_get(root, "links"));
		if (!error)
			error = read_folders(unpack, json_object_get(root, "folders"));
	}
	json_decref(root);
	free(text);
	return error;
}

/* Makes the folders of a file. */
static int make_parents(const char *path)
{
	char *parent = xstrdup(path);
	int error;

	*strrchr(parent, '/') = '\0';
	error = rfs_tree_make(parent);
	free(parent);
	return error;
}

static int unpack_write_file(struct unpack *unpack, const char *folder, const char *name, mode_t mode)
{
	char *path = xasprintf("%s/%s", folder, name);
	int error = make_parents(path), fd = -1;

	if (!error) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		error = fd < 0 ? -errno : 0;
	}
	if (error)
		error = rfs_why(unpack->why, unpack->n, error, "cannot unpack %s from %s: %s", name, unpack->path,
				strerror(-error));
	else if (archive_read_data_into_fd(unpack->archive, fd) != ARCHIVE_OK)
		error = unpack_damaged(unpack, archive_error_string(unpack->archive)
						       ? archive_error_string(unpack->archive)
						       : "a file is cut short");
	else if (fchmod(fd, mode))
		error = rfs_why(unpack->why, unpack->n, -errno, "cannot unpack %s from %s: %s", name, unpack->path,
				strerror(errno));
	if (fd >= 0)
		close(fd);
	free(path);
	return error;
}

static int unpack_take_entry(struct unpack *unpack, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);
	const uint64_t size = (uint64_t)archive_entry_size(entry);
	const mode_t mode = archive_entry_perm(entry) & 0755;

	if (!name || archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) ||
	    archive_entry_symlink(entry) || !is_safe(name) || archive_entry_sparse_count(entry))
		return unpack_damaged(unpack, "it has a link, a device or an unsafe name");
	unpack->bytes += size;
	if (archive_entry_size(entry) < 0 || unpack->bytes > RFS_PACK_BYTES || ++unpack->files > RFS_PACK_FILES)
		return rfs_why(unpack->why, unpack->n, -EFBIG,
			       "%s has more than %" PRIu64 " MB or %d files, the limits of a pack", unpack->path,
			       RFS_PACK_BYTES >> 20, RFS_PACK_FILES);
	if (strcmp(name, RFS_PACK_INDEX) == 0)
		return read_index(unpack, size);
	if (strncmp(name, RFS_PACK_RECORD, strlen(RFS_PACK_RECORD)) == 0)
		return unpack_write_file(unpack, unpack->record, name + strlen(RFS_PACK_RECORD), 0600);
	if (strncmp(name, RFS_PACK_ROOT, strlen(RFS_PACK_ROOT)) == 0)
		return unpack_write_file(unpack, unpack->root, name + strlen(RFS_PACK_ROOT), mode);
	return unpack_damaged(unpack, "it has a file that is not of a pack");
}

int rfs_unpack(const char *path, const char *root, const char *record, struct rfs_unpacked *out, char *why, size_t n)
{
	struct unpack unpack = {.path = path, .root = root, .record = record, .out = out, .why = why, .n = n};
	struct archive_entry *entry;
	int error = 0, next;

	*out = (struct rfs_unpacked){0};
	unpack.archive = archive_read_new();
	archive_read_support_format_tar(unpack.archive);
	archive_read_support_filter_gzip(unpack.archive);
	if (archive_read_open_filename(unpack.archive, path, 65536) != ARCHIVE_OK)
		error = unpack_damaged(&unpack, archive_error_string(unpack.archive));
	while (!error && (next = archive_read_next_header(unpack.archive, &entry)) != ARCHIVE_EOF)
		error = next == ARCHIVE_OK ? unpack_take_entry(&unpack, entry)
					   : unpack_damaged(&unpack, archive_error_string(unpack.archive)
									     ? archive_error_string(unpack.archive)
									     : "unknown format");
	if (!error && !out->record)
		error = unpack_damaged(&unpack, "it has no index");
	archive_read_free(unpack.archive);
	if (error)
		rfs_unpacked_release(out);
	return error;
}

void rfs_unpacked_release(struct rfs_unpacked *unpacked)
{
	for (size_t i = 0; i < 2 * unpacked->n_links; i++)
		free(unpacked->links[i]);
	free(unpacked->links);
	for (size_t i = 0; i < unpacked->n_folders; i++)
		free(unpacked->folders[i]);
	free(unpacked->folders);
	free(unpacked->record);
	*unpacked = (struct rfs_unpacked){0};
}
