#include "supervisor/base/version.h"

/* The Makefile writes this file. */
const char rfs_version[] =
#include "version.def"
	;
