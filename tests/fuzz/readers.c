
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/generate/hints.h"
#include "supervisor/import/function_name.h"
#include "supervisor/import/import.h"
#include "supervisor/import/suppressions.h"
#include "supervisor/kernel/input.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/record/checksum.h"
#include "supervisor/record/pairs.h"
#include "supervisor/record/record.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/state/run_state.h"
#include "tests/fuzz/readers.h"

#define PATH_SIZE 64
/* rfs_trace_read_stack() is called for so many entries. */
#define STACKS 4

/* Makes a file in memory and puts its name into path. Caller closes the descriptor that is returned. */
static int file_of(const void *data, size_t size, char path[PATH_SIZE])
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		die("no file in memory can be made");
	snprintf(path, PATH_SIZE, "/proc/self/fd/%d", fd);
	return fd;
}

static void read_record(const void *data, size_t size)
{
	char path[PATH_SIZE], why[512];
	int fd = file_of(data, size, path);
	struct rfs_record record;

	if (rfs_record_read(path, &record, why, sizeof(why)) == 0)
		rfs_record_release(&record);
	close(fd);
}

/*
 * Reads the record as it is, and then with a correct checksum. Without the second, the checksum would hide all other
 * errors.
 */
int rfs_fuzz_record(const uint8_t *data, size_t size)
{
	char sum[RFS_CHECKSUM_SIZE], *sealed;

	read_record(data, size);
	if (size == 0 || data[size - 1] != '}')
		return 0;
	rfs_checksum(data, size - 1, sum);
	sealed = xcalloc(size + 64, 1);
	memcpy(sealed, data, size - 1);
	size = size - 1 + (size_t)sprintf(sealed + size - 1, ",\"checksum\":\"%s\"}\n", sum);
	read_record(sealed, size);
	free(sealed);
	return 0;
}

/* Reads the pairs. If that succeeds, writes them and reads them again: they must be the same. */
int rfs_fuzz_pairs(const uint8_t *data, size_t size)
{
	struct rfs_pairs pairs, again;
	char why[512], *text;
	size_t n;
	FILE *out;

	if (rfs_pairs_parse("fuzz", (const char *)data, size, &pairs, why, sizeof(why)))
		return 0;
	out = open_memstream(&text, &n);
	if (!out)
		die("out of memory");
	rfs_pairs_write(&pairs, out);
	fclose(out);
	if (rfs_pairs_parse("again", text, n, &again, why, sizeof(why)) || again.n_pairs != pairs.n_pairs ||
	    !again.program != !pairs.program)
		RFS_BUG("pairs are not read as they were written: %s", text);
	for (size_t i = 0; i < pairs.n_pairs; i++)
		for (int k = 0; k < 2; k++) {
			const struct rfs_name *a = &pairs.pairs[i].statement[k], *b = &again.pairs[i].statement[k];

			if (a->form != b->form || a->number != b->number || strcmp(a->name, b->name) != 0)
				RFS_BUG("a statement is not read as it was written: %s", text);
		}
	free(text);
	rfs_pairs_release(&again);
	rfs_pairs_release(&pairs);
	return 0;
}

/* The data becomes a trace and a file of stacks. Its first byte says which part of the rest is stacks. */
int rfs_fuzz_trace(const uint8_t *data, size_t size)
{
	char folder[] = "/dev/shm/rfsup-fuzz-XXXXXX", path[64], beside[80], why[512];
	size_t stacks = size ? (size - 1) * data[0] / 256 : 0, n = size ? size - 1 - stacks : 0;
	struct rfs_trace_entry end = {.kind = RFS_TRACE_END}, *entries;
	const size_t magic = strlen(RFS_TRACE_MAGIC);
	uint64_t sites[8];
	FILE *file;

	if (!mkdtemp(folder))
		die("no folder can be made in /dev/shm");
	snprintf(path, sizeof(path), "%s/t", folder);
	snprintf(beside, sizeof(beside), "%s.stacks", path);
	file = fopen(path, "wbe");
	if (!file)
		die("%s cannot be written", path);
	if (n)
		fwrite(data + 1, 1, n, file);
	if (n >= magic && (n - magic) % sizeof(end) == 0) {
		end.offset = (n - magic) / sizeof(end);
		end.chain = XXH3_64bits(data + 1, n);
		fwrite(&end, sizeof(end), 1, file);
	}
	fclose(file);
	file = fopen(beside, "wbe");
	if (file && stacks)
		fwrite(data + 1 + n, 1, stacks, file);
	if (file)
		fclose(file);
	if (rfs_trace_read(path, &entries, &n, why, sizeof(why)) == 0)
		free(entries);
	for (size_t i = 0; i < STACKS; i++)
		(void)rfs_trace_read_stack(path, i, sites, sizeof(sites) / sizeof(*sites));
	unlink(path);
	unlink(beside);
	rmdir(folder);
	return 0;
}

int rfs_fuzz_input(const uint8_t *data, size_t size)
{
	char path[PATH_SIZE], why[512];
	struct rfs_run_spec spec = {.input_in = path};
	struct rfs_run_result result = {0};
	struct rfs_run run = {.spec = &spec, .result = &result};
	uint64_t hash = XXH3_64bits(data, size);
	int fd = file_of(data, size, path);

	if (write(fd, &hash, sizeof(hash)) != sizeof(hash))
		die("no file in memory can be made");
	rfs_kernel_init(&run);
	(void)!rfs_input_open(&run, why, sizeof(why));
	rfs_input_close(&run);
	rfs_kernel_release(&run);
	close(fd);
	return 0;
}

/* Also shortens the names of the functions, as the search for their code does. */
static int read_reports(enum rfs_import_form form, const void *data, size_t size)
{
	struct rfs_import import;
	char why[512];

	(void)rfs_import_form_of(data, size);
	if (rfs_import_parse("fuzz", form, data, size, &import, why, sizeof(why)))
		return 0;
	for (size_t i = 0; i < import.n; i++)
		for (size_t k = 0; k < import.reports[i]->n_accesses; k++) {
			const struct rfs_import_stack *stack = &import.reports[i]->access[k].stack;

			for (size_t f = 0; f < stack->n; f++)
				if (stack->frames[f].function) {
					char *bare = rfs_function_bare_name(stack->frames[f].function);

					(void)rfs_function_name_same(bare, rfs_function_last_name(bare));
					free(bare);
				}
		}
	rfs_import_release(&import);
	return 0;
}

int rfs_fuzz_reports(const uint8_t *data, size_t size)
{
	return read_reports(RFS_FORM_TEXT, data, size);
}

int rfs_fuzz_xml(const uint8_t *data, size_t size)
{
	return read_reports(RFS_FORM_XML, data, size);
}

int rfs_fuzz_json(const uint8_t *data, size_t size)
{
	return read_reports(RFS_FORM_JSON, data, size);
}

/* Also compares what was read with a stack whose names come from the file. */
int rfs_fuzz_suppressions(const uint8_t *data, size_t size)
{
	char *name = xstrndup((const char *)data, size < 40 ? size : 40), why[512];
	struct rfs_suppressible_frame frames[] = {
		{.function = name, .bare = name, .symbol = "_Z1av", .inlined = true},
		{.function = "main", .file = name, .module = "/bin/x", .line = 1},
	};
	const struct rfs_suppressible_stack stacks[] = {{frames, 2, false}, {frames + 1, 1, true}};
	struct rfs_suppressions read = {0};

	(void)!rfs_suppressions_parse("fuzz", false, (const char *)data, size, &read, why, sizeof(why));
	for (int kind = 0; kind < RFS_SUPPRESSIBLE_KINDS; kind++) {
		const struct rfs_suppressible what = {.kind = (enum rfs_suppressible_kind)kind,
						      .stacks = stacks,
						      .n_stacks = 2,
						      .variable = name,
						      .misuse = "unlock-free"};

		(void)rfs_suppressions_find(&read, &what);
	}
	rfs_suppressions_release(&read);
	free(name);
	return 0;
}

#ifdef RFS_FUZZ
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return RFS_FUZZ(data, size);
}
#endif

int rfs_fuzz_hints(const uint8_t *data, size_t size)
{
	struct rfs_library_hints hints;
	char why[512];

	if (rfs_hints_parse("fuzz", (const char *)data, size, &hints, why, sizeof(why)) == 0)
		rfs_hints_release(&hints);
	return 0;
}
