/* c_text.c - quotes and escapes. c_program.c writes the rest of a program. */
#include "supervisor/generate/library/c_text.h"

#include <ctype.h>
#include <stdint.h>

#include "supervisor/generate/driver/script.h"

void rfs_c_text_escape(const char *text, size_t n, FILE *out)
{
	for (size_t i = 0; i < n && text[i]; i++)
		if (isprint((unsigned char)text[i]))
			fprintf(out, text[i] == '"' || text[i] == '\\' ? "\\%c" : "%c", text[i]);
		else
			fprintf(out, "\\%03o", (unsigned char)text[i]);
}

void rfs_c_text_write(const char *text, FILE *out)
{
	putc('"', out);
	rfs_c_text_escape(text, SIZE_MAX, out);
	putc('"', out);
}

void rfs_c_text_descriptor(FILE *out)
{
	fprintf(out, "open(\"%s\", O_RDWR)", RFS_DRIVER_FILE);
}

void rfs_c_text_stream(FILE *out)
{
	fprintf(out, "fmemopen(NULL, %d, \"w+\")", RFS_DRIVER_STREAM_BYTES);
}
