/*
 * forms.h - the list of instruction forms that forms.s assembles. Each has its code and its text.
 */
#ifndef RFS_TESTS_FORMS_H
#define RFS_TESTS_FORMS_H

#include <stdint.h>

struct form {
	const uint8_t *start, *end;
	const char *text;
};

extern const struct form rfs_forms_start[], rfs_forms_end[];

#endif
