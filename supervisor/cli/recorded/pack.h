/*
 * pack.h - --pack: a record with all that its replay needs, in one archive that replays on another machine.
 *
 * The archive is a compressed tar file of
 *
 *     rfsup-pack.json     {"rfsup_pack": 1, "version", "record", "links", "folders"}: the name of the record; symbolic
 *                         links as [path, target]; folders that must exist
 *     record/NAME         the record, its trace and its recorded input
 *     root/PATH           the program, its libraries and its inputs, each at its absolute path. A source file has only
 *                         the lines at which the run has operations
 *
 * It has regular files only. A replay (cli/recorded/pack_replay.h) puts root/ over the file system.
 */
#ifndef RFS_PACK_H
#define RFS_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The limits of a pack. */
#define RFS_PACK_BYTES ((uint64_t)4 << 30)
#define RFS_PACK_FILES 100000

#define RFS_PACK_INDEX "rfsup-pack.json"
#define RFS_PACK_RECORD "record/"
#define RFS_PACK_ROOT "root/"

/*
 * Packs the record at `path`. out: the file to write; NULL: the record's name with .pack in the current directory.
 * more: further files and folders that the program reads; ends with NULL. 0, or -errno and a line in why.
 */
int rfs_pack(const char *path, const char *out, char *const *more, char *why, size_t n)
	__attribute__((warn_unused_result));

/* A pack that was unpacked. */
struct rfs_unpacked {
	char *record;	/* the name of the record */
	char **links;	/* path and target, one after the other */
	size_t n_links; /* pairs */
	char **folders;
	size_t n_folders;
};

/* Whether the file begins as a pack does. Records are JSON. */
bool rfs_pack_is(const char *path);
/*
 * Unpacks root/ into the folder `root` and record/ into the folder `record`. Nothing is written outside of them: a name
 * that is absolute or has "..", a link or a device is refused, and so is a pack above the limits. 0 and *out
 * (rfs_unpacked_release()), or -errno and a line in why.
 */
int rfs_unpack(const char *path, const char *root, const char *record, struct rfs_unpacked *out, char *why, size_t n)
	__attribute__((warn_unused_result));
void rfs_unpacked_release(struct rfs_unpacked *unpacked);

#endif
