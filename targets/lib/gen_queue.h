/* gen_queue.h - a lock-free queue of numbers, for at most 4 threads at the same time. */
#ifndef GEN_QUEUE_H
#define GEN_QUEUE_H

#include <stdbool.h>

struct gen_queue;

struct gen_queue *gen_queue_new(void);
void gen_queue_free(struct gen_queue *queue);

void gen_queue_push(struct gen_queue *queue, int value);
/* False if the queue is empty. */
bool gen_queue_pop(struct gen_queue *queue, int *value);
bool gen_queue_is_empty(struct gen_queue *queue);

#endif
