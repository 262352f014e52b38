/* symbolize_test.c - names of places and objects, looked up in this test program. */
#include "supervisor/symbols/symbolize.h"

#include <criterion/criterion.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "disasm/dwarf/dwarf.h"
#include "disasm/elf/elf.h"
#include "supervisor/base/path.h"
#include "supervisor/record/run_result.h"
#include "supervisor/symbols/source_place.h"

TestSuite(symbolize, .timeout = 60);

int symbolize_marked_variable[4] = {1, 2, 3, 4};
int symbolize_marked_function(int x);

int __attribute__((noinline, noclone)) symbolize_marked_function(int x)
{
	return x * symbolize_marked_variable[1];
}

static int take_bias(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	*(uintptr_t *)arg = info->dlpi_addr;
	return 1; /* the program itself comes first */
}

static struct rfs_place place_of(const void *address)
{
	static char path[4096];
	uintptr_t bias = 0;

	dl_iterate_phdr(take_bias, &bias);
	cr_assert_gt(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	return (struct rfs_place){.module = path, .offset = (uintptr_t)address - bias};
}

static void release(struct rfs_source_place *place)
{
	free(place->module);
	free(place->file);
	free(place->function);
	free(place->near);
}

Test(symbolize, place)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_place place = place_of((void *)symbolize_marked_function);
	struct rfs_source_place out = {0};
	char *text;

	cr_assert_eq(symbolize_marked_function(3), 6);
	rfs_symbols_place(symbols, &place, false, &out);
	cr_assert_not_null(out.function);
	cr_expect_str_eq(out.function, "symbolize_marked_function");
	cr_assert_not_null(out.file);
	cr_expect_str_eq(rfs_base_name(out.file), "symbolize_test.c");
	cr_expect_gt(out.line, 0);
	text = rfs_symbols_text(symbols, &place, false);
	cr_expect_eq(strncmp(text, "symbolize_test.c:", 17), 0, "%s", text);
	free(text);
	release(&out);
	/* a return address right after the end of a function still belongs to that function */
	place.offset += 1;
	memset(&out, 0, sizeof(out));
	rfs_symbols_place(symbols, &place, true, &out);
	cr_expect_str_eq(out.function, "symbolize_marked_function");
	cr_expect_eq(out.offset, place.offset);
	release(&out);
	rfs_symbols_free(symbols);
}

Test(symbolize, names_only)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_place place = place_of((void *)symbolize_marked_function);
	struct rfs_source_place out = {0};

	rfs_symbols_names_only(symbols, place.module);
	rfs_symbols_place(symbols, &place, false, &out);
	cr_expect_str_eq(out.function, "symbolize_marked_function");
	cr_expect_null(out.file);
	release(&out);
	rfs_symbols_free(symbols);
}

Test(symbolize, objects)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_place variable = place_of(&symbolize_marked_variable[2]),
			 code = place_of((char *)symbolize_marked_function + 1); /* as after a call */
	const struct rfs_object objects[] = {
		{.kind = RFS_MEMORY_STATIC, .place = variable},
		{.kind = RFS_MEMORY_HEAP, .offset = 8, .size = 64, .thread = 2, .stack = &code, .n_stack = 1},
		{.kind = RFS_MEMORY_HEAP, .size = 64, .thread = -1},
		{.kind = RFS_MEMORY_STACK, .thread = 3},
		{.kind = RFS_MEMORY_DESCRIPTOR, .thread = -1, .offset = 5},
		{.kind = RFS_MEMORY_OTHER, .address = 0x1234},
	};
	static const char *const starts[] = {
		"symbolize_marked_variable[2]",
		"heap block of 64 bytes + 8, allocated by thread 2 at symbolize_test.c:",
		"heap block of 64 bytes",
		"stack of thread 3",
		"descriptor 5",
		"0x1234",
	};
	enum rfs_atomicity atomicity;

	for (size_t i = 0; i < sizeof(objects) / sizeof(*objects); i++) {
		char *name = rfs_symbols_object(symbols, &objects[i], &atomicity);

		cr_assert_not_null(name);
		cr_expect_eq(strncmp(name, starts[i], strlen(starts[i])), 0, "%s", name);
		cr_expect_eq(atomicity, i == 0 ? RFS_ATOMICITY_PLAIN : RFS_ATOMICITY_UNKNOWN);
		free(name);
	}
	rfs_symbols_free(symbols);
}

struct symbolize_block {
	int first;
	struct {
		long inner[2];
	} second;
};
struct symbolize_block symbolize_one_block; /* so that the debug information has the type */

/* As malloc() would be called: the address behind the call. */
static __attribute__((noinline, noclone)) void *called_with(size_t size)
{
	void *volatile back = __builtin_return_address(0);

	return size ? back : NULL;
}

/* A block has the name of its type if the line that allocates it says which one, and the size fits. */
Test(symbolize, blocks)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	void *const calls[] = {
		called_with(sizeof(struct symbolize_block)),
		called_with(4 * sizeof(struct symbolize_block)),
		called_with(sizeof(struct symbolize_block) + 24),
		called_with(sizeof(struct symbolize_block)),
		called_with(sizeof(int)),
	};
	static const struct {
		uint64_t size, offset;
		const char *start; /* of the name */
	} blocks[] = {
		{24, 16, "second.inner[1] of struct symbolize_block, allocated by thread 1 at symbolize_test.c:"},
		{96, 48, "[2].first of struct symbolize_block[4], allocated"},
		/* something is behind the structure, so an array would be wrong */
		{48, 16, "heap block of 48 bytes + 16, allocated"},
		/* the call allocates something else */
		{32, 16, "heap block of 32 bytes + 16, allocated"},
		{4, 0, "int, allocated"},
	};

	for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++) {
		struct rfs_place place = place_of(calls[i]);
		struct rfs_object object = {.kind = RFS_MEMORY_HEAP,
					    .offset = blocks[i].offset,
					    .size = blocks[i].size,
					    .thread = 1,
					    .stack = &place,
					    .n_stack = 1};
		char *name = rfs_symbols_object(symbols, &object, NULL);

		cr_expect_eq(strncmp(name, blocks[i].start, strlen(blocks[i].start)), 0, "%s", name);
		free(name);
	}
	rfs_symbols_free(symbols);
}

/* Locks of blocks that one line has allocated are told apart, and have the name of the story if no run knew the block.
 */
Test(symbolize, locks)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_place variable = place_of(&symbolize_marked_variable[2]);
	const struct rfs_object locks[] = {
		{.kind = RFS_MEMORY_STATIC, .place = variable},
		{.kind = RFS_MEMORY_HEAP, .size = 40, .thread = -1, .heap = 0x2a0},
		{.kind = RFS_MEMORY_OTHER, .address = 0x5552a0, .heap = 0x2a0},
		{.kind = RFS_MEMORY_OTHER, .address = 0x1234},
	};
	static const char *const names[] = {"symbolize_marked_variable[2]", "heap block of 40 bytes (heap+0x2a0)",
					    "heap+0x2a0", "0x1234"};

	for (size_t i = 0; i < sizeof(locks) / sizeof(*locks); i++) {
		char *name = rfs_symbols_lock(symbols, &locks[i]);

		cr_expect_str_eq(name, names[i]);
		free(name);
	}
	rfs_symbols_free(symbols);
}

Test(symbolize, unknown_module)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	const struct rfs_place places[] = {{.module = (char[]){"/no/such/lib.so"}, .offset = 0x10}, {.offset = 0x20}};
	static const char *const texts[] = {"lib.so+0x10", "0x20"};

	for (int i = 0; i < 2; i++) {
		char *text = rfs_symbols_text(symbols, &places[i], false);

		cr_expect_str_eq(text, texts[i]);
		free(text);
	}
	cr_expect_not_null(rfs_symbols_warning(symbols, "/no/such/lib.so"));
	rfs_symbols_free(symbols);
}

Test(symbolize, a_stub_of_the_plt_has_the_name_of_its_function)
{
	struct rfs_symbols *symbols = rfs_symbols_new();
	struct rfs_place place = place_of((void *)symbolize_marked_function);
	const struct rfs_elf *elf = rfs_symbols_elf(symbols, place.module);
	struct rfs_source_place out = {0};
	const struct rfs_code_range *code;
	size_t n = rfs_elf_code(elf, &code);
	const char *name = NULL;
	char *expected;

	for (size_t i = 0; i < n && !name; i++)
		for (place.offset = code[i].start; place.offset < code[i].end && !name; place.offset += 8)
			name = rfs_elf_plt_name(elf, place.offset);
	cr_assert_not_null(name);
	/* inside the stub: the loop has advanced by 8 */
	place.offset -= 4;
	rfs_symbols_place(symbols, &place, false, &out);
	cr_assert_gt(asprintf(&expected, "%s@plt", name), 0);
	cr_expect_str_eq(out.function, expected);
	cr_expect_null(out.near);
	free(expected);
	release(&out);
	rfs_symbols_free(symbols);
}
