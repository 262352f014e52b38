/* gen_text.h - a text that grows at its end, kept in pieces. All functions may be called from any thread. */
#ifndef GEN_TEXT_H
#define GEN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct gen_text;

struct gen_text *gen_text_new(const char *start);
void gen_text_free(struct gen_text *text);

void gen_text_append(struct gen_text *text, const char *piece);
void gen_text_append_number(struct gen_text *text, long number);
size_t gen_text_length(struct gen_text *text);
bool gen_text_equals(struct gen_text *text, const char *other);
/* Copies at most size bytes with the NUL. Returns the length of the whole text. */
size_t gen_text_copy(struct gen_text *text, char *out, size_t size);

#endif
