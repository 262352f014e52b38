/* space_files-priv.h - what the files of this folder keep of a space: the ELF files that are mapped in it. */
#ifndef RFS_TRACER_SPACE_FILES_PRIV_H
#define RFS_TRACER_SPACE_FILES_PRIV_H

struct rfs_modules;
struct rfs_unwind;

struct rfs_space_files {
	struct rfs_modules *modules; /* module.c; NULL: none yet */
	struct rfs_unwind *unwind;   /* unwind.c */
};

#endif
