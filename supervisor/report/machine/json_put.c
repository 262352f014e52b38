/* json_put.c - replaces bytes that are not UTF-8, and checks each result of jansson. */
#include "supervisor/report/machine/json_put.h"

#include <stdlib.h>
#include <string.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/text/utf8.h"

json_t *rfs_json_text(const char *s)
{
	char *clean = xmalloc(strlen(s) * 3 + 1), *p = clean;
	json_t *value;

	while (*s) {
		size_t n = rfs_utf8_length(s);

		memcpy(p, n ? s : "\xef\xbf\xbd", n ? n : 3);
		p += n ? n : 3;
		s += n ? n : 1;
	}
	*p = '\0';
	value = json_string(clean);
	free(clean);
	return value;
}

/*
 * If memory is exhausted, jansson returns NULL for a new value, and the functions that add a value fail if the value is
 * NULL. So one check detects both failures.
 */
void rfs_json_put(json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) < 0)
		die("out of memory while writing the JSON report");
}

void rfs_json_append(json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		die("out of memory while writing the JSON report");
}

json_t *rfs_json_strings(char *const *list, size_t n)
{
	json_t *array = json_array();

	for (size_t i = 0; i < n; i++)
		rfs_json_append(array, rfs_json_text(list[i]));
	return array;
}

void rfs_json_put_text(json_t *object, const char *key, const char *s)
{
	if (s)
		rfs_json_put(object, key, rfs_json_text(s));
}

void rfs_json_put_number(json_t *object, const char *key, uint64_t value)
{
	rfs_json_put(object, key, json_integer((json_int_t)value));
}

void rfs_json_print(json_t *value, FILE *out)
{
	char *printed = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(9));

	if (!printed)
		die("out of memory while writing the JSON report");
	fprintf(out, "%s\n", printed);
	free(printed);
	json_decref(value);
}
