/*
 * dwarf_tables.c - the flat tables of dwarf-priv.h: the reader fills and writes them, and rfs_dwarf_map() maps and
 * checks them.
 */
#include "disasm/dwarf/dwarf-priv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

/* "rfsDWARF". It is written last and says that the file is complete. */
#define MAGIC 0x4652415744736672ull

struct header {
	uint64_t magic;
	int64_t status;
	char why[RFS_DWARF_WHY];
	uint64_t n[RFS_DWARF_N_TABLES]; /* number of rows; the tables follow in this order, each at a multiple of 8
					   bytes */
};

static const size_t row_sizes[RFS_DWARF_N_TABLES] = {
	[RFS_DWARF_STRINGS] = 1,
	[RFS_DWARF_FILES] = sizeof(struct rfs_dwarf_file),
	[RFS_DWARF_ROWS] = sizeof(struct rfs_dwarf_row),
	[RFS_DWARF_UNITS] = sizeof(struct rfs_dwarf_unit),
	[RFS_DWARF_FRAMES] = sizeof(struct rfs_dwarf_frame),
	[RFS_DWARF_SPANS] = sizeof(struct rfs_dwarf_span),
	[RFS_DWARF_VARIABLES] = sizeof(struct rfs_dwarf_variable),
	[RFS_DWARF_LOCALS] = sizeof(struct rfs_dwarf_local),
	[RFS_DWARF_TYPES] = sizeof(struct rfs_dwarf_type),
	[RFS_DWARF_MEMBERS] = sizeof(struct rfs_dwarf_member),
	[RFS_DWARF_ATOMICS] = sizeof(struct rfs_dwarf_atomic),
	[RFS_DWARF_NAMED] = sizeof(struct rfs_dwarf_named),
};

size_t rfs_dwarf_row_size(enum rfs_dwarf_table table)
{
	return row_sizes[table];
}

/* ---- growing ---- */

static void *dwarf_tables_grow(void *rows, size_t bytes)
{
	void *more = realloc(rows, bytes);

	if (!more)
		_exit(RFS_DWARF_EXIT_MEMORY);
	return more;
}

/* Makes room for n more rows. Returns the place of the first one. */
static void *dwarf_tables_reserve(struct rfs_dwarf_array *array, size_t n, size_t row_size)
{
	if (array->room - array->n < n) {
		array->room = (array->n + n) * 2;
		if (array->room >= RFS_DWARF_NONE) /* indexes have only 32 bits */
			_exit(RFS_DWARF_EXIT_MEMORY);
		array->rows = dwarf_tables_grow(array->rows, array->room * row_size);
	}
	return (char *)array->rows + array->n * row_size;
}

void *rfs_dwarf_array_add(struct rfs_dwarf_array *array, size_t row_size)
{
	void *row = dwarf_tables_reserve(array, 1, row_size);

	array->n++;
	return memset(row, 0, row_size);
}

const char *rfs_dwarf_string(const struct rfs_dwarf_tables *tables, uint32_t string)
{
	return (const char *)tables->table[RFS_DWARF_STRINGS].rows + string;
}

/* The slot of s in the hash set. It is empty if s is new. */
static uint32_t *string_slot(const struct rfs_dwarf_tables *tables, const char *s, size_t length)
{
	size_t mask = tables->strings_room - 1;

	for (size_t i = XXH3_64bits(s, length) & mask;; i = (i + 1) & mask) {
		uint32_t *slot = &tables->strings[i];
		const char *known;

		if (!*slot)
			return slot;
		known = rfs_dwarf_string(tables, *slot - 1);
		if (!strncmp(known, s, length) && !known[length])
			return slot;
	}
}

static void rehash_strings(struct rfs_dwarf_tables *tables)
{
	size_t old_room = tables->strings_room;
	uint32_t *old = tables->strings;

	tables->strings_room = old_room ? old_room * 2 : 1024;
	tables->strings = dwarf_tables_grow(NULL, tables->strings_room * sizeof(*tables->strings));
	memset(tables->strings, 0, tables->strings_room * sizeof(*tables->strings));
	for (size_t i = 0; i < old_room; i++) {
		if (old[i]) {
			const char *s = rfs_dwarf_string(tables, old[i] - 1);

			*string_slot(tables, s, strlen(s)) = old[i];
		}
	}
	free(old);
}

uint32_t rfs_dwarf_intern(struct rfs_dwarf_tables *tables, const char *s, size_t length)
{
	struct rfs_dwarf_array *pool = &tables->table[RFS_DWARF_STRINGS];
	uint32_t *slot;
	char *copy;

	length = strnlen(s, length);
	if (tables->n_strings * 4 >= tables->strings_room * 3)
		rehash_strings(tables);
	slot = string_slot(tables, s, length);
	if (!*slot) {
		copy = dwarf_tables_reserve(pool, length + 1, 1);
		memcpy(copy, s, length);
		copy[length] = '\0';
		*slot = (uint32_t)pool->n + 1;
		pool->n += length + 1;
		tables->n_strings++;
	}
	return *slot - 1;
}

void rfs_dwarf_tables_init(struct rfs_dwarf_tables *tables)
{
	memset(tables, 0, sizeof(*tables));
	(void)rfs_dwarf_intern(tables, "", 0);
}

/* ---- writing ---- */

int rfs_dwarf_write_all(int fd, const void *data, size_t n)
{
	const char *p = data;

	while (n) {
		ssize_t done = write(fd, p, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		p += done;
		n -= (size_t)done;
	}
	return 0;
}

static size_t aligned(size_t n)
{
	return (n + 7) & ~(size_t)7;
}

int rfs_dwarf_write(int fd, int status, const char *why, const struct rfs_dwarf_tables *tables)
{
	static const char zeros[8];
	struct header header = {.magic = 0, .status = status};
	int rc;

	snprintf(header.why, sizeof(header.why), "%s", why);
	for (int i = 0; tables && i < RFS_DWARF_N_TABLES; i++)
		header.n[i] = tables->table[i].n;
	rc = rfs_dwarf_write_all(fd, &header, sizeof(header));
	for (int i = 0; !rc && tables && i < RFS_DWARF_N_TABLES; i++) {
		size_t bytes = tables->table[i].n * row_sizes[i];

		rc = rfs_dwarf_write_all(fd, tables->table[i].rows, bytes);
		if (!rc)
			rc = rfs_dwarf_write_all(fd, zeros, aligned(bytes) - bytes);
	}
	if (rc)
		return rc;
	header.magic = MAGIC;
	if (pwrite(fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		return -EIO;
	return 0;
}

/* ---- mapping ---- */

static bool check_strings(const struct rfs_dwarf *d)
{
	const char *pool = d->table[RFS_DWARF_STRINGS];
	size_t n = d->n[RFS_DWARF_STRINGS];

	return n && !pool[0] && !pool[n - 1];
}

static bool check_code(const struct rfs_dwarf *d)
{
	const struct rfs_dwarf_file *files = d->table[RFS_DWARF_FILES];
	const struct rfs_dwarf_row *rows = d->table[RFS_DWARF_ROWS];
	const struct rfs_dwarf_frame *frames = d->table[RFS_DWARF_FRAMES];
	const struct rfs_dwarf_span *spans = d->table[RFS_DWARF_SPANS];
	size_t n_strings = d->n[RFS_DWARF_STRINGS], n_files = d->n[RFS_DWARF_FILES];
	bool good = true;

	for (size_t i = 0; i < n_files; i++)
		good &= files[i].path < n_strings;
	for (size_t i = 0; i < d->n[RFS_DWARF_ROWS]; i++)
		good &= rows[i].start < rows[i].end && rows[i].file < n_files &&
			(!i || rows[i - 1].end <= rows[i].start);
	for (size_t i = 0; i < d->n[RFS_DWARF_FRAMES]; i++)
		good &= frames[i].name < n_strings && frames[i].qualified < n_strings &&
			(frames[i].parent < i || frames[i].parent == RFS_DWARF_NONE) &&
			frames[i].unit < d->n[RFS_DWARF_UNITS] &&
			(frames[i].call_file < n_files || frames[i].call_file == RFS_DWARF_NONE);
	for (size_t i = 0; i < d->n[RFS_DWARF_SPANS]; i++)
		good &= spans[i].start < spans[i].end && spans[i].frame < d->n[RFS_DWARF_FRAMES] &&
			(!i || spans[i - 1].end <= spans[i].start);
	return good;
}

static bool check_data(const struct rfs_dwarf *d)
{
	const struct rfs_dwarf_variable *variables = d->table[RFS_DWARF_VARIABLES];
	const struct rfs_dwarf_local *locals = d->table[RFS_DWARF_LOCALS];
	const struct rfs_dwarf_type *types = d->table[RFS_DWARF_TYPES];
	const struct rfs_dwarf_member *members = d->table[RFS_DWARF_MEMBERS];
	const struct rfs_dwarf_atomic *atomics = d->table[RFS_DWARF_ATOMICS];
	const struct rfs_dwarf_named *named = d->table[RFS_DWARF_NAMED];
	size_t n_strings = d->n[RFS_DWARF_STRINGS], n_types = d->n[RFS_DWARF_TYPES], n_units = d->n[RFS_DWARF_UNITS];
	bool good = true;

	for (size_t i = 0; i < d->n[RFS_DWARF_VARIABLES]; i++)
		good &= variables[i].name < n_strings && variables[i].unit < n_units && variables[i].size &&
			(variables[i].type < n_types || variables[i].type == RFS_DWARF_NONE) &&
			(!i || variables[i - 1].start + variables[i - 1].size <= variables[i].start);
	for (size_t i = 0; i < d->n[RFS_DWARF_LOCALS]; i++)
		good &= locals[i].name < n_strings && locals[i].unit < n_units && locals[i].size &&
			(locals[i].type < n_types || locals[i].type == RFS_DWARF_NONE) &&
			locals[i].frame < d->n[RFS_DWARF_FRAMES] && (!i || locals[i - 1].frame <= locals[i].frame);
	for (size_t i = 0; i < n_types; i++)
		good &= types[i].kind <= RFS_DWARF_ARRAY && types[i].first <= d->n[RFS_DWARF_MEMBERS] &&
			types[i].n <= d->n[RFS_DWARF_MEMBERS] - types[i].first &&
			(types[i].element < n_types || types[i].element == RFS_DWARF_NONE);
	for (size_t i = 0; i < d->n[RFS_DWARF_MEMBERS]; i++)
		good &= members[i].name < n_strings && (members[i].type < n_types || members[i].type == RFS_DWARF_NONE);
	for (size_t i = 0; i < d->n[RFS_DWARF_ATOMICS]; i++)
		good &= atomics[i].unit < n_units && atomics[i].type < n_types &&
			(!i || atomics[i - 1].unit <= atomics[i].unit);
	for (size_t i = 0; i < d->n[RFS_DWARF_NAMED]; i++)
		good &= named[i].name < n_strings && named[i].type < n_types;
	return good;
}

/* Sets the addresses of the tables in the mapped file. False if a table does not fit into the file. */
static bool place_tables(struct rfs_dwarf *d)
{
	const struct header *header = d->map;
	size_t at = sizeof(*header);

	for (int i = 0; i < RFS_DWARF_N_TABLES; i++) {
		if (header->n[i] > (d->map_size - at) / row_sizes[i])
			return false;
		d->table[i] = (const char *)d->map + at;
		d->n[i] = header->n[i];
		at += aligned(d->n[i] * row_sizes[i]);
		if (at > d->map_size)
			return false;
	}
	return true;
}

int rfs_dwarf_map(int fd, struct rfs_dwarf **out, char *why, size_t n)
{
	const struct header *header;
	struct rfs_dwarf *d;
	struct stat st;
	int rc = -EBADMSG;

	if (fstat(fd, &st))
		return -errno;
	if ((size_t)st.st_size < sizeof(*header))
		return -EBADMSG;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->map_size = (size_t)st.st_size;
	d->map = mmap(NULL, d->map_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (d->map == MAP_FAILED) {
		rc = -errno;
		free(d);
		return rc;
	}
	header = d->map;
	if (header->magic != MAGIC)
		goto fail;
	if (n)
		snprintf(why, n, "%.*s", RFS_DWARF_WHY - 1, header->why);
	rc = (int)header->status;
	if (rc)
		goto fail;
	rc = -EBADMSG;
	if (!place_tables(d) || !check_strings(d) || !check_code(d) || !check_data(d))
		goto fail;
	*out = d;
	return 0;
fail:
	rfs_dwarf_free(d);
	return rc;
}

void rfs_dwarf_free(struct rfs_dwarf *dwarf)
{
	if (!dwarf)
		return;
	munmap(dwarf->map, dwarf->map_size);
	free(dwarf);
}
