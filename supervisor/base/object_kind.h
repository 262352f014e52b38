/* object_kind.h - the kinds of objects at which system calls of two threads meet (state/core/kernel_objects.h). */
#ifndef RFS_OBJECT_KIND_H
#define RFS_OBJECT_KIND_H

enum rfs_kernel_object_kind {
	RFS_OBJECT_MEMORY,     /* no object of the kernel: pages of the target, at their own address */
	RFS_OBJECT_NAME,       /* a name in a folder: inode: the folder, detail: a hash of the name */
	RFS_OBJECT_CONTENT,    /* the bytes of a file; an address for each */
	RFS_OBJECT_SIZE,       /* where the end of a file is, for calls that append or look for the end */
	RFS_OBJECT_EXTENT,     /* whether a file has its bytes at all: truncating it changes that */
	RFS_OBJECT_ATTRIBUTES, /* mode and owner of a file */
	RFS_OBJECT_POSITION,   /* of an open file; detail: the descriptor */
	RFS_OBJECT_FOLDER,     /* the working folder of the process */
	RFS_OBJECT_MASK,       /* umask of the process */
	RFS_OBJECT_LIBRARY,    /* data of the C library; inode: the thread, detail: which (unsafe_calls.h) */
	RFS_OBJECT_KINDS
};

#endif
