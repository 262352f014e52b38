/* gen_answers.h - a cache with one answer for each key. All functions may be called from any thread. */
#ifndef GEN_ANSWERS_H
#define GEN_ANSWERS_H

struct gen_answers;
struct gen_answer;

struct gen_answers *gen_answers_new(void);
void gen_answers_free(struct gen_answers *answers);

/* The answer for the key, which is the same in all calls. It lives as long as the cache. */
const struct gen_answer *gen_answers_find(struct gen_answers *answers, unsigned char key);

#endif
