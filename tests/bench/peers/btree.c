/* btree: a B-tree whose nodes each have a lock. A thread holds the lock of a node until it has that of the next one.
 * Full nodes are divided on the way down. SIZE: keys that all threads insert; each is then searched. */
#include "team.h"

#include <stdbool.h>

#define MOST 31 /* keys of a node; odd */

struct node {
	pthread_mutex_t lock;
	int n;
	bool inner;
	long keys[MOST];
	struct node *children[MOST + 1];
};

static pthread_mutex_t root_lock = PTHREAD_MUTEX_INITIALIZER;
static struct node *root;
static long keys, found[TEAM_MAX];

static struct node *make_node(bool inner)
{
	struct node *node = calloc(1, sizeof(*node));

	pthread_mutex_init(&node->lock, NULL);
	node->inner = inner;
	return node;
}

static int position(const struct node *node, long key)
{
	int low = 0, high = node->n;

	while (low < high) {
		const int middle = (low + high) / 2;

		if (node->keys[middle] < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Divides the full child i of node. Both are locked. Returns the right half, which nobody else knows yet. */
static struct node *divide(struct node *node, int i)
{
	struct node *left = node->children[i], *right = make_node(left->inner);
	const int half = MOST / 2;

	for (int k = half + 1; k < MOST; k++)
		right->keys[right->n++] = left->keys[k];
	for (int k = 0; left->inner && k <= right->n; k++)
		right->children[k] = left->children[half + 1 + k];
	left->n = half;
	for (int k = node->n; k > i; k--) {
		node->keys[k] = node->keys[k - 1];
		node->children[k + 1] = node->children[k];
	}
	node->keys[i] = left->keys[half];
	node->children[i + 1] = right;
	node->n++; /* PAIR */
	return right;
}

/* The root, locked; it is not full. All threads lock from the root to the leaves, also while a new root is made: nobody
 * else can reach the old one meanwhile. */
static struct node *lock_root(void)
{
	struct node *top;

	pthread_mutex_lock(&root_lock);
	pthread_mutex_lock(&root->lock);
	top = root;
	if (top->n == MOST) {
		struct node *above = make_node(true);

		pthread_mutex_unlock(&top->lock);
		pthread_mutex_lock(&above->lock);
		pthread_mutex_lock(&top->lock);
		above->children[0] = top;
		(void)divide(above, 0);
		pthread_mutex_unlock(&top->lock);
		root = top = above;
	}
	pthread_mutex_unlock(&root_lock);
	return top;
}

static void insert(long key)
{
	struct node *node = lock_root();

	while (node->inner) {
		int i = position(node, key);
		struct node *child = node->children[i];

		pthread_mutex_lock(&child->lock);
		if (child->n == MOST) {
			struct node *right = divide(node, i);

			if (node->keys[i] < key) {
				pthread_mutex_lock(&right->lock);
				pthread_mutex_unlock(&child->lock);
				child = right;
			}
		}
		pthread_mutex_unlock(&node->lock);
		node = child;
	}
	for (int i = node->n++;; i--) {
		if (i == 0 || node->keys[i - 1] < key) {
			node->keys[i] = key;
			break;
		}
		node->keys[i] = node->keys[i - 1];
	}
	pthread_mutex_unlock(&node->lock);
}

static bool search(long key)
{
	struct node *node = lock_root();
	bool is_there = false;

	for (;;) {
		const int i = position(node, key);
		struct node *child = node->inner ? node->children[i] : NULL;

		is_there = i < node->n && node->keys[i] == key;
		if (is_there || !child)
			break;
		pthread_mutex_lock(&child->lock);
		pthread_mutex_unlock(&node->lock);
		node = child;
	}
	pthread_mutex_unlock(&node->lock);
	return is_there;
}

/* Different for all i, in no order. */
static long key_of(long i)
{
	return (long)((unsigned long)i * 2654435761u % 1000000007);
}

static void *work(void *number)
{
	const long k = (intptr_t)number, first = team_first(keys, k), end = team_first(keys, k + 1);

	for (long i = first; i < end; i++)
		insert(key_of(i));
	for (long i = first; i < end; i++)
		found[k] += search(key_of(i));
	return NULL;
}

int main(int argc, char **argv)
{
	long sum = 0;

	keys = team_arguments(argc, argv);
	root = make_node(false);
	team_run(work);
	for (int k = 0; k < team_size; k++)
		sum += found[k];
	printf("%ld\n", sum);
	return sum != keys;
}
