/* version.c - the string, which .ci/version gives to the Makefile. */
#include "supervisor/base/version.h"

/* The Makefile writes this file. */
const char rfs_version[] =
#include "version.def"
	;
