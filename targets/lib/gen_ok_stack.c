/*
 * gen_ok_stack: a lock-free stack (Treiber, IBM RJ 5118, 1986). A node that was taken out is kept until the stack is
 * freed, and is not used again. So no thread reads freed memory, and no address is used twice.
 *
 * Answer: nothing is found.
 */
#include "gen_ok_stack.h"

#include <stdatomic.h>
#include <stdlib.h>

struct node {
	struct node *below;
	struct node *older; /* was made before it */
	int value;
};

struct gen_stack {
	_Atomic(struct node *) top;
	_Atomic(struct node *) youngest; /* of all nodes */
};

struct gen_stack *gen_stack_new(void)
{
	return calloc(1, sizeof(struct gen_stack));
}

void gen_stack_free(struct gen_stack *stack)
{
	struct node *node = atomic_load(&stack->youngest), *older;

	for (; node; node = older) {
		older = node->older;
		free(node);
	}
	free(stack);
}

void gen_stack_push(struct gen_stack *stack, int value)
{
	struct node *node = malloc(sizeof(*node));

	if (!node)
		abort();
	node->value = value;
	node->older = atomic_load(&stack->youngest);
	while (!atomic_compare_exchange_weak(&stack->youngest, &node->older, node))
		;
	node->below = atomic_load(&stack->top);
	while (!atomic_compare_exchange_weak(&stack->top, &node->below, node))
		;
}

bool gen_stack_pop(struct gen_stack *stack, int *value)
{
	struct node *top = atomic_load(&stack->top);

	while (top && !atomic_compare_exchange_weak(&stack->top, &top, top->below))
		;
	if (top)
		*value = top->value;
	return top;
}

bool gen_stack_peek(struct gen_stack *stack, int *value)
{
	const struct node *top = atomic_load(&stack->top);

	if (top)
		*value = top->value;
	return top;
}

long gen_stack_take_sum(struct gen_stack *stack)
{
	long sum = 0;

	for (const struct node *node = atomic_exchange(&stack->top, NULL); node; node = node->below)
		sum += node->value;
	return sum;
}
