/* c_text.h - strings and descriptors as C writes them. */
#ifndef RFS_C_TEXT_H
#define RFS_C_TEXT_H

#include <stddef.h>
#include <stdio.h>

/* Writes at most n bytes of the text in the form that a string literal needs between its quotation marks. */
void rfs_c_text_escape(const char *text, size_t n, FILE *out);
/* Writes a string literal. */
void rfs_c_text_write(const char *text, FILE *out);
/* Writes a call that opens the driver's file. The program needs <fcntl.h>. */
void rfs_c_text_descriptor(FILE *out);
/* Writes a call that makes a FILE as the driver does. The program needs <stdio.h>. */
void rfs_c_text_stream(FILE *out);

#endif
