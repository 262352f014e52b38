
#include <archive.h>
#include <archive_entry.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <xxhash.h>

#include "supervisor/base/alloc.h"
#include "supervisor/base/error.h"
#include "supervisor/base/tree.h"
#include "supervisor/cli/recorded/pack.h"
#include "supervisor/generate/library/hints.h"
#include "supervisor/import/function_name.h"
#include "supervisor/import/import.h"
#include "supervisor/import/suppressions.h"
#include "supervisor/kernel/input/input.h"
#include "supervisor/kernel/kernel.h"
#include "supervisor/pool/journal.h"
#include "supervisor/pool/wire.h"
#include "supervisor/record/checksum.h"
#include "supervisor/record/lessons.h"
#include "supervisor/record/pairs.h"
#include "supervisor/record/record.h"
#include "supervisor/record/trace_file.h"
#include "supervisor/report/data/known.h"
#include "supervisor/state/core/run_state.h"
#include "tests/fuzz/readers.h"

#define PATH_SIZE 64
/* rfs_trace_stack_of() is called for so many entries. */
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
	struct rfs_trace_stacks *read;
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
	if (file)
		fwrite(&(uint64_t){RFS_TRACE_STACKS_MAGIC}, sizeof(uint64_t), 1, file);
	if (file && stacks)
		fwrite(data + 1 + n, 1, stacks, file);
	if (file)
		fclose(file);
	if (rfs_trace_read(path, &entries, &n, why, sizeof(why)) == 0)
		free(entries);
	read = rfs_trace_stacks_read(path);
	for (size_t i = 0; i < STACKS; i++)
		(void)rfs_trace_stack_of(read, i);
	rfs_trace_stacks_free(read);
	unlink(path);
	unlink(beside);
	rmdir(folder);
	return 0;
}

int rfs_fuzz_input(const uint8_t *data, size_t size)
{
	char path[PATH_SIZE], why[512];
	struct rfs_run_spec spec = {.input.in = path};
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

int rfs_fuzz_hints(const uint8_t *data, size_t size)
{
	struct rfs_library_hints hints;
	char why[512];

	if (rfs_hints_parse("fuzz", (const char *)data, size, &hints, why, sizeof(why)) == 0)
		rfs_hints_release(&hints);
	return 0;
}

/* ---- journals and plans ---- */

#define JOURNAL_BLOCKS 64

/* Writes blocks with correct checksums. Each begins with two bytes: its length. Returns how many blocks there are. */
static size_t write_blocks(FILE *file, const uint8_t *data, size_t size, const uint8_t *blocks[JOURNAL_BLOCKS],
			   size_t lengths[JOURNAL_BLOCKS])
{
	size_t n = 0;

	while (size >= 2 && n < JOURNAL_BLOCKS) {
		const size_t said = data[0] + 256u * data[1], length = said < size - 2 ? said : size - 2;
		const uint64_t head[2] = {length, XXH64(data + 2, length, 0)};

		fwrite(head, sizeof(head), 1, file);
		fwrite(data + 2, 1, length, file);
		blocks[n] = data + 2;
		lengths[n++] = length;
		data += 2 + length;
		size -= 2 + length;
	}
	return n;
}

static void take_results(struct rfs_journal *journal, const char *name)
{
	struct rfs_lessons used = {0};
	struct rfs_reply reply = {0};
	size_t n;

	free(rfs_journal_text(journal, name, &n));
	(void)rfs_journal_take(journal, name, &used, &reply);
	rfs_lessons_release(&used);
	rfs_reply_release(&reply);
}

/* Reads a journal as a plan is read: whole or not at all. Takes the result of each name that it has. */
int rfs_fuzz_journal(const uint8_t *data, size_t size)
{
	const uint8_t *blocks[JOURNAL_BLOCKS];
	size_t lengths[JOURNAL_BLOCKS], n_bytes, n;
	char *bytes, path[PATH_SIZE];
	FILE *memory = open_memstream(&bytes, &n_bytes);
	struct rfs_journal *journal, *again;
	int fd;

	if (!memory)
		die("out of memory");
	n = write_blocks(memory, data, size, blocks, lengths);
	fclose(memory);
	fd = file_of(bytes, n_bytes, path);
	if (rfs_journal_read(path, 1 << 20, &journal) == 0) {
		if (rfs_journal_read(path, 1 << 20, &again))
			RFS_BUG("a journal is not read again");
		(void)rfs_journal_difference(journal, again);
		for (size_t i = 0; i < n; i++) {
			char *name = xstrndup((const char *)blocks[i], lengths[i]);

			take_results(journal, name);
			free(name);
		}
		rfs_journal_free(again);
		rfs_journal_free(journal);
	}
	free(bytes);
	close(fd);
	/* as it is, without correct lengths and checksums */
	fd = file_of(data, size, path);
	if (rfs_journal_read(path, 1 << 20, &journal) == 0)
		rfs_journal_free(journal);
	close(fd);
	return 0;
}

/* ---- packs ---- */

static int is_unexpected(const struct dirent *entry)
{
	const char *name = entry->d_name;

	return strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, "root") != 0 &&
	       strcmp(name, "record") != 0;
}

/* Unpacks the file and closes it. Nothing may be written outside of the two folders. */
static void unpack(int fd, const char *path)
{
	char folder[] = "/dev/shm/rfsup-fuzz-XXXXXX", *root, *record, why[512] = "";
	struct rfs_unpacked unpacked;
	struct dirent **others;

	if (!mkdtemp(folder))
		die("no folder can be made in /dev/shm");
	root = xasprintf("%s/root", folder);
	record = xasprintf("%s/record", folder);
	if (rfs_unpack(path, root, record, &unpacked, why, sizeof(why)) == 0)
		rfs_unpacked_release(&unpacked);
	else if (strchr(why, '\n') || !*why)
		RFS_BUG("not one line: %s", why);
	if (scandir(folder, &others, is_unexpected, NULL) != 0)
		RFS_BUG("%s was written", others[0]->d_name);
	free(others);
	rfs_tree_remove(folder);
	free(root);
	free(record);
	close(fd);
}

/* Makes an archive in memory. Each entry begins with three bytes: its type, and the lengths of name and contents. */
static int archive_of(const uint8_t *data, size_t size, char path[PATH_SIZE])
{
	static const unsigned types[] = {AE_IFREG, AE_IFREG, AE_IFREG, AE_IFLNK, AE_IFDIR, AE_IFIFO};
	struct archive *archive = archive_write_new();
	int fd = file_of("", 0, path);

	archive_write_set_format_pax_restricted(archive);
	if (archive_write_open_fd(archive, fd) != ARCHIVE_OK)
		die("no archive in memory can be made");
	while (size >= 3) {
		const size_t name_n = data[1] < size - 3 ? data[1] : size - 3, left = size - 3 - name_n;
		const size_t contents_n = 4u * data[2] < left ? 4u * data[2] : left;
		struct archive_entry *entry = archive_entry_new();
		char *name = xstrndup((const char *)data + 3, name_n);

		archive_entry_set_pathname(entry, name);
		archive_entry_set_filetype(entry, types[data[0] % (sizeof(types) / sizeof(*types))]);
		archive_entry_set_perm(entry, data[0]);
		if (data[0] & 0x40)
			archive_entry_set_symlink(entry, name);
		if (data[0] & 0x80)
			archive_entry_set_hardlink(entry, name);
		archive_entry_set_size(entry, (la_int64_t)contents_n);
		if (archive_write_header(archive, entry) == ARCHIVE_OK && contents_n)
			(void)archive_write_data(archive, data + 3 + name_n, contents_n);
		archive_entry_free(entry);
		free(name);
		data += 3 + name_n + contents_n;
		size -= 3 + name_n + contents_n;
	}
	archive_write_free(archive);
	return fd;
}

/* Unpacks the bytes as they are, then as an archive whose entries they describe. */
int rfs_fuzz_pack(const uint8_t *data, size_t size)
{
	char path[PATH_SIZE];
	int fd = file_of(data, size, path);

	unpack(fd, path);
	fd = archive_of(data, size, path);
	unpack(fd, path);
	return 0;
}

/* ---- baselines ---- */

int rfs_fuzz_baseline(const uint8_t *data, size_t size)
{
	char path[PATH_SIZE], why[512];
	int fd = file_of(data, size, path);
	struct rfs_known known;

	if (rfs_known_read(path, "a", &known, why, sizeof(why)) == 0)
		rfs_known_release(&known);
	else if (strchr(why, '\n'))
		RFS_BUG("not one line: %s", why);
	close(fd);
	return 0;
}
