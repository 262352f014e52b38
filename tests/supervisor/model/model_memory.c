/* model_memory.c - the memory that the tests of the model use. */
#include "tests/supervisor/model/model_memory.h"

#include <string.h>

unsigned char model_bytes[1024];

static unsigned char *at(rfs_addr address, size_t n)
{
	bool there = address >= BASE && address - BASE <= sizeof(model_bytes) - n;

	return there ? model_bytes + (address - BASE) : NULL;
}

static bool read_bytes(void *arg, rfs_addr address, void *buf, size_t n)
{
	const unsigned char *from = at(address, n);

	(void)arg;
	if (from)
		memcpy(buf, from, n);
	return from != NULL;
}

static bool write_bytes(void *arg, rfs_addr address, const void *buf, size_t n)
{
	unsigned char *to = at(address, n);

	(void)arg;
	if (to)
		memcpy(to, buf, n);
	return to != NULL;
}

const struct rfs_model_memory model_memory = {read_bytes, write_bytes, NULL};

void model_memory_put(rfs_addr address, const void *object, size_t n)
{
	memset(model_bytes, 0, sizeof(model_bytes));
	(void)write_bytes(NULL, address, object, n);
}

unsigned model_memory_word(rfs_addr address)
{
	unsigned word = 0;

	(void)read_bytes(NULL, address, &word, sizeof(word));
	return word;
}
