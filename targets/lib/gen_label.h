/* gen_label.h - a text that threads replace and copy. All functions may be called from any thread. */
#ifndef GEN_LABEL_H
#define GEN_LABEL_H

struct gen_label;

struct gen_label *gen_label_new(void);
void gen_label_free(struct gen_label *label);

/* Sets both parts of the text. */
void gen_label_set(struct gen_label *label, unsigned char number);
/* Copies the text, which has at most 31 bytes. */
void gen_label_copy(struct gen_label *label, char *buffer);
/* "whole" if both parts have the same number, otherwise "torn". */
const char *gen_label_check(const struct gen_label *label);

#endif
