/*
 * collections KIND [listing]: seven threads on two synchronised collections, like the test driver of the RAPOS paper
 * (Sen, ASE 2007), which uses Java's. Every call locks its collection. But contains_all() walks its argument without
 * the argument's lock. A walk fails if the collection has changed, as Java's iterators do
 * (ConcurrentModificationException).
 *
 * KIND is the GLib container inside: queue, array, hash or tree.
 *
 * Without `listing` the collections are full at first. There are two walks and four changes, so many orders fail. With
 * `listing` both collections are empty, and the threads call what the paper's driver calls, in the order in which the
 * paper lists the methods. They start in this order:
 *
 *   a.add(o)   b.addAll(a)   a.clear()   b.contains(o)   a.containsAll(b)   b.remove(o)   a.removeAll(b)
 *
 * Only containsAll() can fail. It needs this order: a.add(); b.addAll(), with no clear() or removeAll() between them;
 * containsAll() until it looks at the first item; then b.remove(), or a b.addAll() that has copied a earlier.
 *
 * Two things differ from the driver. There, two objects are equal with probability 1/3; here, always. And removeAll()
 * locks b first here, because otherwise it could deadlock with addAll(), as Java's can.
 */
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 7
#define ITEMS 2 /* the items are the numbers 1 to ITEMS */

struct kind {
	const char *name;
	void *(*make)(void);
	void (*add)(void *items, void *item);
	gboolean (*has)(void *items, void *item);
	void (*remove)(void *items, void *item); /* the item must be there */
	void (*clear)(void *items);
	/* calls visit for each item, until visit returns TRUE */
	void (*walk)(void *items, gboolean (*visit)(void *item, void *arg), void *arg);
};

struct collection {
	pthread_mutex_t lock;
	volatile unsigned changes;
	void *items;
};

static const struct kind *kind;
static struct collection a, b;

static void queue_add(void *items, void *item)
{
	g_queue_push_tail(items, item);
}

static gboolean queue_has(void *items, void *item)
{
	return g_queue_find(items, item) != NULL;
}

static void queue_remove(void *items, void *item)
{
	g_queue_remove(items, item);
}

static void queue_clear(void *items)
{
	g_queue_clear(items);
}

static void queue_walk(void *items, gboolean (*visit)(void *item, void *arg), void *arg)
{
	GQueue *queue = items;

	for (guint i = 0; i < queue->length; i++)
		if (visit(g_queue_peek_nth(queue, i), arg))
			return;
}

static void array_add(void *items, void *item)
{
	g_ptr_array_add(items, item);
}

static gboolean array_has(void *items, void *item)
{
	return g_ptr_array_find(items, item, NULL);
}

static void array_remove(void *items, void *item)
{
	g_ptr_array_remove(items, item);
}

static void array_clear(void *items)
{
	g_ptr_array_set_size(items, 0);
}

static void array_walk(void *items, gboolean (*visit)(void *item, void *arg), void *arg)
{
	GPtrArray *array = items;

	for (guint i = 0; i < array->len; i++)
		if (visit(g_ptr_array_index(array, i), arg))
			return;
}

static void hash_add(void *items, void *item)
{
	g_hash_table_add(items, item);
}

static gboolean hash_has(void *items, void *item)
{
	return g_hash_table_contains(items, item);
}

static void hash_remove(void *items, void *item)
{
	g_hash_table_remove(items, item);
}

static void hash_clear(void *items)
{
	g_hash_table_remove_all(items);
}

static void hash_walk(void *items, gboolean (*visit)(void *item, void *arg), void *arg)
{
	for (intptr_t i = 1; i <= ITEMS; i++)
		if (hash_has(items, GINT_TO_POINTER(i)) && visit(GINT_TO_POINTER(i), arg))
			return;
}

static int compare(const void *x, const void *y)
{
	return (x > y) - (x < y);
}

static void *tree_make(void)
{
	return g_tree_new(compare);
}

static void tree_add(void *items, void *item)
{
	g_tree_insert(items, item, item);
}

static gboolean tree_has(void *items, void *item)
{
	return g_tree_lookup(items, item) != NULL;
}

static void tree_remove(void *items, void *item)
{
	g_tree_remove(items, item);
}

static void tree_clear(void *items)
{
	for (intptr_t i = 1; i <= ITEMS; i++)
		g_tree_remove(items, GINT_TO_POINTER(i));
}

static void tree_walk(void *items, gboolean (*visit)(void *item, void *arg), void *arg)
{
	for (intptr_t i = 1; i <= ITEMS; i++)
		if (tree_has(items, GINT_TO_POINTER(i)) && visit(GINT_TO_POINTER(i), arg))
			return;
}

static void *queue_make(void)
{
	return g_queue_new();
}

static void *array_make(void)
{
	return g_ptr_array_new();
}

static void *hash_make(void)
{
	return g_hash_table_new(NULL, NULL);
}

static const struct kind kinds[] = {
	{"queue", queue_make, queue_add, queue_has, queue_remove, queue_clear, queue_walk},
	{"array", array_make, array_add, array_has, array_remove, array_clear, array_walk},
	{"hash", hash_make, hash_add, hash_has, hash_remove, hash_clear, hash_walk},
	{"tree", tree_make, tree_add, tree_has, tree_remove, tree_clear, tree_walk},
};

struct walk {
	struct collection *called, *walked;
	unsigned expected;
};

static gboolean visit(void *item, void *arg)
{
	const struct walk *walk = arg;

	if (walk->walked->changes != walk->expected) {
		fputs("FAIL: concurrent modification\n", stderr);
		abort();
	}
	return !kind->has(walk->called->items, item);
}

/* Holds the lock of the collection that is called, but not that of the collection that is walked. */
static void contains_all(struct collection *called, struct collection *walked)
{
	struct walk walk;

	pthread_mutex_lock(&called->lock);
	walk = (struct walk){called, walked, walked->changes};
	kind->walk(walked->items, visit, &walk);
	pthread_mutex_unlock(&called->lock);
}

static void add(struct collection *c, intptr_t item)
{
	pthread_mutex_lock(&c->lock);
	c->changes++;
	kind->add(c->items, GINT_TO_POINTER(item));
	pthread_mutex_unlock(&c->lock);
}

static void clear(struct collection *c)
{
	pthread_mutex_lock(&c->lock);
	c->changes++;
	kind->clear(c->items);
	pthread_mutex_unlock(&c->lock);
}

static void remove_one(struct collection *c, intptr_t item)
{
	pthread_mutex_lock(&c->lock);
	if (kind->has(c->items, GINT_TO_POINTER(item))) {
		c->changes++;
		kind->remove(c->items, GINT_TO_POINTER(item));
	}
	pthread_mutex_unlock(&c->lock);
}

static void contains(struct collection *c, intptr_t item)
{
	pthread_mutex_lock(&c->lock);
	kind->has(c->items, GINT_TO_POINTER(item));
	pthread_mutex_unlock(&c->lock);
}

/* Removes from c all items that `other` has. */
static void remove_all(struct collection *c, struct collection *other)
{
	pthread_mutex_lock(&other->lock);
	pthread_mutex_lock(&c->lock);
	for (intptr_t i = 1; i <= ITEMS; i++) {
		void *item = GINT_TO_POINTER(i);

		if (kind->has(c->items, item) && kind->has(other->items, item)) {
			c->changes++;
			kind->remove(c->items, item);
		}
	}
	pthread_mutex_unlock(&c->lock);
	pthread_mutex_unlock(&other->lock);
}

/* Adds to c all items of `other`. They are copied first, under the lock of `other` (toArray() in Java). */
static void add_all(struct collection *c, struct collection *other)
{
	gboolean copied[ITEMS + 1];

	pthread_mutex_lock(&c->lock);
	pthread_mutex_lock(&other->lock);
	for (intptr_t i = 1; i <= ITEMS; i++)
		copied[i] = kind->has(other->items, GINT_TO_POINTER(i));
	pthread_mutex_unlock(&other->lock);
	for (intptr_t i = 1; i <= ITEMS; i++) {
		if (copied[i]) {
			c->changes++;
			kind->add(c->items, GINT_TO_POINTER(i));
		}
	}
	pthread_mutex_unlock(&c->lock);
}

static void *full(void *arg)
{
	switch (GPOINTER_TO_INT(arg)) {
	case 0:
		add(&a, 1);
		break;
	case 1:
		add(&b, 2);
		break;
	case 2:
		clear(&a);
		break;
	case 3:
		contains_all(&a, &b);
		break;
	case 4:
		contains_all(&b, &a);
		break;
	case 5:
		add(&b, 1);
		break;
	default:
		add(&a, 2);
		break;
	}
	return NULL;
}

static void *listing(void *arg)
{
	switch (GPOINTER_TO_INT(arg)) {
	case 0:
		add(&a, 1);
		break;
	case 1:
		add_all(&b, &a);
		break;
	case 2:
		clear(&a);
		break;
	case 3:
		contains(&b, 1);
		break;
	case 4:
		contains_all(&a, &b);
		break;
	case 5:
		remove_one(&b, 1);
		break;
	default:
		remove_all(&a, &b);
		break;
	}
	return NULL;
}

static void init(struct collection *c, int items)
{
	pthread_mutex_init(&c->lock, NULL);
	c->items = kind->make();
	for (intptr_t i = 1; i <= items; i++)
		kind->add(c->items, GINT_TO_POINTER(i));
}

int main(int argc, char **argv)
{
	gboolean as_listed = argc > 2 && strcmp(argv[2], "listing") == 0;
	pthread_t threads[THREADS];

	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			kind = &kinds[i];
	if (!kind)
		return 2;
	init(&a, as_listed ? 0 : ITEMS);
	init(&b, as_listed ? 0 : ITEMS);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, as_listed ? listing : full, GINT_TO_POINTER(i)))
			return 2;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
