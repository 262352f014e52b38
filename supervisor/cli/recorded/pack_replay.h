/*
 * pack_replay.h - replays a pack: over the file system of this machine, which does not change.
 *
 * In a mount namespace, overlayfs puts the files of the pack over the root directory, and over each mounted file system
 * that has some of them. What the target writes stays in memory. Source: Linux,
 * Documentation/filesystems/overlayfs.rst.
 */
#ifndef RFS_PACK_REPLAY_H
#define RFS_PACK_REPLAY_H

#include <stdbool.h>

#include "supervisor/base/error.h"

/* Replays the record of the pack by `replay`, in a separate process. Returns its exit status. */
typedef enum rfs_exit rfs_pack_replay_fn(void *arg, const char *record);
enum rfs_exit rfs_pack_replay(const char *path, bool trusted, rfs_pack_replay_fn *replay, void *arg);

#endif
