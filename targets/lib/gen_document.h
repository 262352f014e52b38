/* gen_document.h - a tree of named numbers that can be written as text. All functions may be called from any thread. */
#ifndef GEN_DOCUMENT_H
#define GEN_DOCUMENT_H

#include <stdbool.h>
#include <stddef.h>

struct gen_document;

struct gen_document *gen_document_new(void);
void gen_document_free(struct gen_document *document);

/* Adds an item below the item `parent` ("": the top). False if no item has this name. */
bool gen_document_add(struct gen_document *document, const char *parent, const char *name, int value);
/* Changes the value of the first item with this name. */
bool gen_document_set(struct gen_document *document, const char *name, int value);
/* Writes the document as text, at most size bytes with the NUL. Returns the length of the whole text. */
size_t gen_document_write(struct gen_document *document, char *out, size_t size);

#endif
