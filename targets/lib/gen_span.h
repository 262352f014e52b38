/* gen_span.h - two numbers that belong together. All functions may be called from any thread. */
#ifndef GEN_SPAN_H
#define GEN_SPAN_H

struct gen_span;

/* 16 bytes, of which four are padding. */
struct gen_ends {
	float low;
	double high;
};

struct gen_span *gen_span_new(void);
void gen_span_free(struct gen_span *span);

/* The span is from number to number + 0.5. */
void gen_span_set(struct gen_span *span, unsigned char number);
struct gen_ends gen_span_ends(struct gen_span *span);
/* high - low */
double gen_span_length(struct gen_span *span);

#endif
