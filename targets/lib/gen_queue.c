/*
 * gen_queue: a lock-free queue (Michael and Scott, PODC 1996) whose nodes are freed when no hazard pointer refers to
 * them (Michael, IEEE TPDS 2004).
 *
 * Answer: gen_queue_pop() does not check again that a node is still in the queue after it has set a hazard pointer to
 * it. So another thread may have freed the node before, and its value is read from freed memory.
 * Twin: checks it again.
 */
#include "gen_queue.h"

#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#define USERS 4 /* threads at the same time */

struct node {
	_Atomic(struct node *) next;
	int value;
	struct node *retired; /* the next one in the list of retired nodes */
};

/* What one thread uses. */
struct user {
	atomic_bool taken;
	_Atomic(struct node *) hazards[2];
};

struct gen_queue {
	_Atomic(struct node *) head, tail; /* the head's value was taken already */
	_Atomic(struct node *) retired;	   /* taken out, but may be in use */
	struct user users[USERS];
};

static struct node *node_new(int value)
{
	struct node *node = malloc(sizeof(*node));

	if (!node)
		abort();
	atomic_init(&node->next, NULL);
	node->value = value;
	return node;
}

static struct user *enter(struct gen_queue *queue)
{
	for (unsigned i = 0;; i = (i + 1) % USERS) {
		if (!atomic_exchange(&queue->users[i].taken, true))
			return &queue->users[i];
		if (i == USERS - 1)
			sched_yield();
	}
}

static void leave(struct user *user)
{
	atomic_store(&user->hazards[0], NULL);
	atomic_store(&user->hazards[1], NULL);
	atomic_store(&user->taken, false);
}

static bool is_used(struct gen_queue *queue, const struct node *node)
{
	for (unsigned i = 0; i < USERS; i++)
		if (atomic_load(&queue->users[i].hazards[0]) == node ||
		    atomic_load(&queue->users[i].hazards[1]) == node)
			return true;
	return false;
}

static void retire(struct gen_queue *queue, struct node *node)
{
	node->retired = atomic_load(&queue->retired);
	while (!atomic_compare_exchange_weak(&queue->retired, &node->retired, node))
		;
}

/* Frees the retired nodes that no thread uses. */
static void free_retired(struct gen_queue *queue)
{
	struct node *node = atomic_exchange(&queue->retired, NULL), *next;

	for (; node; node = next) {
		next = node->retired;
		if (is_used(queue, node))
			retire(queue, node);
		else
			free(node);
	}
}

struct gen_queue *gen_queue_new(void)
{
	struct gen_queue *queue = calloc(1, sizeof(*queue));
	struct node *node = node_new(0);

	if (queue) {
		atomic_init(&queue->head, node);
		atomic_init(&queue->tail, node);
	}
	return queue;
}

void gen_queue_free(struct gen_queue *queue)
{
	int value;

	while (gen_queue_pop(queue, &value))
		;
	free(atomic_load(&queue->head));
	free(queue);
}

void gen_queue_push(struct gen_queue *queue, int value)
{
	struct node *node = node_new(value), *tail, *next;
	struct user *user = enter(queue);

	for (;;) {
		tail = atomic_load(&queue->tail);
		atomic_store(&user->hazards[0], tail);
		if (tail != atomic_load(&queue->tail))
			continue;
		next = NULL;
		if (atomic_compare_exchange_strong(&tail->next, &next, node))
			break;
		atomic_compare_exchange_strong(&queue->tail, &tail, next);
	}
	atomic_compare_exchange_strong(&queue->tail, &tail, node);
	leave(user);
}

bool gen_queue_pop(struct gen_queue *queue, int *value)
{
	struct user *user = enter(queue);
	struct node *head, *tail, *next;

	for (;;) {
		head = atomic_load(&queue->head);
		atomic_store(&user->hazards[0], head);
#ifdef FIXED
		if (head != atomic_load(&queue->head))
			continue;
#endif
		tail = atomic_load(&queue->tail);
		next = atomic_load(&head->next);
		atomic_store(&user->hazards[1], next);
#ifdef FIXED
		if (head != atomic_load(&queue->head))
			continue;
#endif
		if (!next)
			break;
		if (head == tail) { /* a push is not complete */
			atomic_compare_exchange_strong(&queue->tail, &tail, next);
			continue;
		}
		*value = next->value;
		if (atomic_compare_exchange_strong(&queue->head, &head, next))
			break;
	}
	leave(user);
	if (next) {
		retire(queue, head);
		free_retired(queue);
	}
	return next;
}

bool gen_queue_is_empty(struct gen_queue *queue)
{
	return atomic_load(&queue->head) == atomic_load(&queue->tail);
}
