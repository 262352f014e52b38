/* gen_ok_stack.h - a lock-free stack of numbers. All functions may be called from any thread. */
#ifndef GEN_OK_STACK_H
#define GEN_OK_STACK_H

#include <stdbool.h>

struct gen_stack;

struct gen_stack *gen_stack_new(void);
void gen_stack_free(struct gen_stack *stack);

void gen_stack_push(struct gen_stack *stack, int value);
/* False if the stack is empty. */
bool gen_stack_pop(struct gen_stack *stack, int *value);
bool gen_stack_peek(struct gen_stack *stack, int *value);
/* Takes all values and returns their sum. */
long gen_stack_take_sum(struct gen_stack *stack);

#endif
