/*
 * call_effect.h - what a system call does to things that threads share: the column of the table of system calls for
 * conflicts of calls (call_effects.def). Two readers use it: shared_calls.h, which tells a proof what it does not
 * cover, and object_calls.h, which predicts and creates races of calls.
 */
#ifndef RFS_CALL_EFFECT_H
#define RFS_CALL_EFFECT_H

/* Where a call has descriptors and names. */
enum rfs_call_form {
	RFS_ON_NOTHING,
	RFS_ON_FD,	  /* argument 0 is a descriptor */
	RFS_ON_TWO,	  /* arguments 0 and 1 are descriptors */
	RFS_ON_FROM_TO,	  /* arguments 0 and 2 are */
	RFS_ON_NAME,	  /* argument 0 is a name */
	RFS_ON_NAME_AT,	  /* argument 0 is a folder, argument 1 a name */
	RFS_ON_NAMES,	  /* arguments 0 and 1 are names */
	RFS_ON_NAMES_AT,  /* 0 and 1, 2 and 3 */
	RFS_ON_SECOND,	  /* argument 1 is a name */
	RFS_ON_SECOND_AT, /* argument 1 is a folder, argument 2 a name */
	RFS_ON_ALL,	  /* something that is not in the arguments */
};

enum rfs_call_does {
	RFS_DOES_READ,	   /* at the position */
	RFS_DOES_WRITE,	   /* at the position */
	RFS_DOES_READ_AT,  /* at an offset */
	RFS_DOES_WRITE_AT, /* at an offset */
	RFS_DOES_SEEK,
	RFS_DOES_MOVE, /* the position, or the flags */
	RFS_DOES_LOOK,
	RFS_DOES_CHANGE, /* the file, in some other way */
	RFS_DOES_TRUNCATE,
	RFS_DOES_ATTRIBUTES, /* changes mode or owner */
	RFS_DOES_CLOSE,
	RFS_DOES_LIST, /* the names in a folder */
	RFS_DOES_OPEN,
	RFS_DOES_OPEN_AT,
	RFS_DOES_CREAT,
	RFS_DOES_STAT_AT,
	RFS_DOES_REMOVE, /* the name, or adds it */
	RFS_DOES_LINK,	 /* looks at the first name, and adds the second */
	RFS_DOES_MASK,
	RFS_DOES_FOLDER,
	RFS_DOES_MEMBERS,
	RFS_DOES_STREAM,
	RFS_DOES_POLL,
	RFS_DOES_SELECT,
	RFS_DOES_WHERE,	       /* looks which folder is the working folder */
	RFS_DOES_LOOK_MEMBERS, /* looks at the process */
	RFS_DOES_LIMITS,
	RFS_DOES_SIGNAL_ACTION,
	RFS_DOES_SIGNAL_MASK,
	RFS_DOES_SIGNAL_PROCESS, /* a signal of the process, for whichever thread does not block it */
	RFS_DOES_MEMORY,	 /* changes mappings */
	RFS_DOES_UNMAP,
	RFS_DOES_CONTROL,
	RFS_DOES_COMMAND,
	RFS_DOES_MAP,
};

struct rfs_call_effect {
	int number;
	enum rfs_call_form form;
	enum rfs_call_does does;
};

/* What the call does; static. NULL: nothing that another thread may notice, or it is not known. */
const struct rfs_call_effect *rfs_call_effect(long number);

#endif
