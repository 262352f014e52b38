/*
 * collections KIND: seven threads on two synchronised collections, as the test driver of the RAPOS paper (Sen, ASE 2007)
 * does with Java's: every call locks its collection, but contains_all() and add_all() walk their argument without its
 * lock. A walk that meets a change of the collection fails, as Java's iterators do (ConcurrentModificationException).
 *
 * KIND: queue, array, hash or tree: the GLib container underneath.
 */
#include <glib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 7
#define ITEMS 2

struct kind {
	const char *name;
	void *(*make)(void);
	void (*add)(void *items, void *item);
	void (*clear)(void *items);
	/* calls visit for each item; stops where that returns TRUE */
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

static void hash_clear(void *items)
{
	g_hash_table_remove_all(items);
}

static void hash_walk(void *items, gboolean (*visit)(void *item, void *arg), void *arg)
{
	for (intptr_t i = 1; i <= ITEMS; i++)
		if (g_hash_table_contains(items, GINT_TO_POINTER(i)) && visit(GINT_TO_POINTER(i), arg))
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

static void tree_clear(void *items)
{
	for (intptr_t i = 1; i <= ITEMS; i++)
		g_tree_remove(items, GINT_TO_POINTER(i));
}

static void tree_walk(void *items, gboolean (*visit)(void *item, void *arg), void *arg)
{
	for (intptr_t i = 1; i <= ITEMS; i++)
		if (g_tree_lookup(items, GINT_TO_POINTER(i)) && visit(GINT_TO_POINTER(i), arg))
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
	{"queue", queue_make, queue_add, queue_clear, queue_walk},
	{"array", array_make, array_add, array_clear, array_walk},
	{"hash", hash_make, hash_add, hash_clear, hash_walk},
	{"tree", tree_make, tree_add, tree_clear, tree_walk},
};

struct walk {
	struct collection *walked, *target; /* target: gets what is met; NULL: it is looked at only */
	unsigned expected;
};

static gboolean visit(void *item, void *arg)
{
	const struct walk *walk = arg;

	if (walk->walked->changes != walk->expected) {
		fputs("FAIL: concurrent modification\n", stderr);
		abort();
	}
	if (walk->target && walk->target != walk->walked)
		kind->add(walk->target->items, item);
	return FALSE;
}

/* With the lock of the collection that is called, without that of the one that is walked. */
static void walk_all(struct collection *called, struct collection *walked, gboolean adds)
{
	struct walk walk;

	pthread_mutex_lock(&called->lock);
	walk = (struct walk){walked, adds ? called : NULL, walked->changes};
	if (adds)
		called->changes++;
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

static void *body(void *arg)
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
		walk_all(&a, &b, FALSE);
		break;
	case 4:
		walk_all(&b, &a, FALSE);
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

static void init(struct collection *c)
{
	pthread_mutex_init(&c->lock, NULL);
	c->items = kind->make();
	for (intptr_t i = 1; i <= ITEMS; i++)
		kind->add(c->items, GINT_TO_POINTER(i));
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];

	for (size_t i = 0; argc > 1 && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcmp(argv[1], kinds[i].name) == 0)
			kind = &kinds[i];
	if (!kind)
		return 2;
	init(&a);
	init(&b);
	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, body, GINT_TO_POINTER(i)))
			return 2;
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}
