/*
 * processor.c - the table of features. Leaves and bits: Intel SDM volume 2, CPUID; AMD APM volume 3, appendix E.
 *
 * Random numbers (rdrand, rdseed) are not in the table, because no run has them (kernel/ids/virtual_hardware.c).
 * The feature ht is not in the table either. It means that there are several logical processors, not that there is an
 * instruction, and a record must replay on a machine with one.
 */
#include "supervisor/base/processor.h"

#include <cpuid.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

#include "supervisor/base/alloc.h"

#define EAX RFS_CPUID_EAX
#define EBX RFS_CPUID_EBX
#define ECX RFS_CPUID_ECX
#define EDX RFS_CPUID_EDX

#define EXTENDED 0x80000001u
#define OSXSAVE (1u << 27)	  /* leaf 1, ECX: the system has switched xgetbv on */
#define HWCAP2_FSGSBASE (1u << 1) /* AT_HWCAP2: the system has switched rdfsbase and its kin on */

/* Registers that the system must have switched on (XCR0) */
#define YMM 0x06u
#define ZMM 0xe6u
#define TILES 0x60000u

struct feature {
	const char *name;
	uint32_t leaf, subleaf, xcr0;
	enum rfs_cpuid_register in;
	unsigned bit;
};

/* Features of the same leaf follow each other. */
static const struct feature features[] = {
	{"pni", 1, 0, 0, ECX, 0},
	{"pclmulqdq", 1, 0, 0, ECX, 1},
	{"ssse3", 1, 0, 0, ECX, 9},
	{"fma", 1, 0, YMM, ECX, 12},
	{"cx16", 1, 0, 0, ECX, 13},
	{"sse4_1", 1, 0, 0, ECX, 19},
	{"sse4_2", 1, 0, 0, ECX, 20},
	{"movbe", 1, 0, 0, ECX, 22},
	{"popcnt", 1, 0, 0, ECX, 23},
	{"aes", 1, 0, 0, ECX, 25},
	{"xsave", 1, 0, 0, ECX, 26},
	{"avx", 1, 0, YMM, ECX, 28},
	{"f16c", 1, 0, YMM, ECX, 29},
	{"clflush", 1, 0, 0, EDX, 19},
	{"fsgsbase", 7, 0, 0, EBX, 0},
	{"bmi1", 7, 0, 0, EBX, 3},
	{"hle", 7, 0, 0, EBX, 4},
	{"avx2", 7, 0, YMM, EBX, 5},
	{"bmi2", 7, 0, 0, EBX, 8},
	{"erms", 7, 0, 0, EBX, 9},
	{"rtm", 7, 0, 0, EBX, 11},
	{"avx512f", 7, 0, ZMM, EBX, 16},
	{"avx512dq", 7, 0, ZMM, EBX, 17},
	{"adx", 7, 0, 0, EBX, 19},
	{"avx512ifma", 7, 0, ZMM, EBX, 21},
	{"clflushopt", 7, 0, 0, EBX, 23},
	{"clwb", 7, 0, 0, EBX, 24},
	{"avx512pf", 7, 0, ZMM, EBX, 26},
	{"avx512er", 7, 0, ZMM, EBX, 27},
	{"avx512cd", 7, 0, ZMM, EBX, 28},
	{"sha_ni", 7, 0, 0, EBX, 29},
	{"avx512bw", 7, 0, ZMM, EBX, 30},
	{"avx512vl", 7, 0, ZMM, EBX, 31},
	{"avx512vbmi", 7, 0, ZMM, ECX, 1},
	{"ospke", 7, 0, 0, ECX, 4},
	{"waitpkg", 7, 0, 0, ECX, 5},
	{"avx512_vbmi2", 7, 0, ZMM, ECX, 6},
	{"user_shstk", 7, 0, 0, ECX, 7},
	{"gfni", 7, 0, 0, ECX, 8},
	{"vaes", 7, 0, YMM, ECX, 9},
	{"vpclmulqdq", 7, 0, YMM, ECX, 10},
	{"avx512_vnni", 7, 0, ZMM, ECX, 11},
	{"avx512_bitalg", 7, 0, ZMM, ECX, 12},
	{"avx512_vpopcntdq", 7, 0, ZMM, ECX, 14},
	{"rdpid", 7, 0, 0, ECX, 22},
	{"cldemote", 7, 0, 0, ECX, 25},
	{"movdiri", 7, 0, 0, ECX, 27},
	{"movdir64b", 7, 0, 0, ECX, 28},
	{"enqcmd", 7, 0, 0, ECX, 29},
	{"fsrm", 7, 0, 0, EDX, 4},
	{"avx512_vp2intersect", 7, 0, ZMM, EDX, 8},
	{"serialize", 7, 0, 0, EDX, 14},
	{"tsxldtrk", 7, 0, 0, EDX, 16},
	{"amx_bf16", 7, 0, TILES, EDX, 22},
	{"avx512_fp16", 7, 0, ZMM, EDX, 23},
	{"amx_tile", 7, 0, TILES, EDX, 24},
	{"amx_int8", 7, 0, TILES, EDX, 25},
	{"avx_vnni", 7, 1, YMM, EAX, 4},
	{"avx512_bf16", 7, 1, ZMM, EAX, 5},
	{"cmpccxadd", 7, 1, 0, EAX, 7},
	{"fzrm", 7, 1, 0, EAX, 10},
	{"fsrs", 7, 1, 0, EAX, 11},
	{"fsrc", 7, 1, 0, EAX, 12},
	{"amx_fp16", 7, 1, TILES, EAX, 21},
	{"avx_ifma", 7, 1, YMM, EAX, 23},
	{"xsaveopt", 0xd, 1, 0, EAX, 0},
	{"xsavec", 0xd, 1, 0, EAX, 1},
	{"xgetbv1", 0xd, 1, 0, EAX, 2},
	{"lahf_lm", EXTENDED, 0, 0, ECX, 0},
	{"abm", EXTENDED, 0, 0, ECX, 5},
	{"sse4a", EXTENDED, 0, 0, ECX, 6},
	{"misalignsse", EXTENDED, 0, 0, ECX, 7},
	{"3dnowprefetch", EXTENDED, 0, 0, ECX, 8},
	{"xop", EXTENDED, 0, YMM, ECX, 11},
	{"fma4", EXTENDED, 0, YMM, ECX, 16},
	{"tbm", EXTENDED, 0, 0, ECX, 21},
	{"mwaitx", EXTENDED, 0, 0, ECX, 29},
	{"mmxext", EXTENDED, 0, 0, EDX, 22},
	{"rdtscp", EXTENDED, 0, 0, EDX, 27},
	{"3dnowext", EXTENDED, 0, 0, EDX, 30},
	{"3dnow", EXTENDED, 0, 0, EDX, 31},
	{"clzero", 0x80000008u, 0, 0, EBX, 0},
};
#define N_FEATURES (sizeof(features) / sizeof(*features))

/* Whether the list of names has this one, which need not end with a NUL. */
static bool processor_has(const char *list, const char *name, size_t n)
{
	for (const char *word = list; *word; word += strspn(word, " ")) {
		const size_t length = strcspn(word, " ");

		if (length == n && memcmp(word, name, n) == 0)
			return true;
		word += length;
	}
	return false;
}

static void processor_ask(uint32_t leaf, uint32_t subleaf, uint32_t result[4])
{
	memset(result, 0, 4 * sizeof(*result));
	(void)!__get_cpuid_count(leaf, subleaf, &result[EAX], &result[EBX], &result[ECX], &result[EDX]);
}

/* Which registers the system has switched on. */
static uint32_t xcr0(void)
{
	uint32_t result[4], low, high;

	processor_ask(1, 0, result);
	if (!(result[ECX] & OSXSAVE))
		return 0;
	__asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
	return low;
}

/* Whether the processor has the feature and the system has switched its registers on. leaf: the answer of its leaf. */
static bool is_here(const struct feature *feature, uint32_t registers, const uint32_t leaf[4])
{
	if (strcmp(feature->name, "fsgsbase") == 0 && !(getauxval(AT_HWCAP2) & HWCAP2_FSGSBASE))
		return false;
	return (leaf[feature->in] >> feature->bit & 1) && (registers & feature->xcr0) == feature->xcr0;
}

/* Under a hypervisor, each cpuid takes some microseconds, so a leaf of the table is asked once. */
const char *rfs_processor_features(void)
{
	static char text[1024];
	uint32_t registers, leaf[4];
	size_t n = 0;

	if (*text)
		return text;
	registers = xcr0();
	for (size_t i = 0; i < N_FEATURES && n + strlen(features[i].name) + 2 < sizeof(text); i++) {
		const struct feature *feature = &features[i];

		if (i == 0 || feature->leaf != feature[-1].leaf || feature->subleaf != feature[-1].subleaf)
			processor_ask(feature->leaf, feature->subleaf, leaf);
		if (is_here(feature, registers, leaf))
			n += (size_t)sprintf(text + n, "%s%s", n ? " " : "", feature->name);
	}
	return text;
}

char *rfs_processor_lacks(const char *wanted)
{
	const char *here = rfs_processor_features();
	char *text = NULL;
	size_t size, n;
	FILE *out = xopen_memstream(&text, &size);

	for (const char *word = wanted + strspn(wanted, " "); *word; word += n, word += strspn(word, " ")) {
		n = strcspn(word, " ");
		if (!processor_has(here, word, n))
			fprintf(out, "%s%.*s", ftell(out) ? ", " : "", (int)n, word);
	}
	fclose(out);
	if (size)
		return text;
	free(text);
	return NULL;
}

void rfs_processor_hide(const char *shown, uint32_t leaf, uint32_t subleaf, uint32_t result[4])
{
	for (size_t i = 0; i < N_FEATURES; i++)
		if (features[i].leaf == leaf && (leaf != 7 && leaf != 0xd ? 0 : subleaf) == features[i].subleaf &&
		    !processor_has(shown, features[i].name, strlen(features[i].name)))
			result[features[i].in] &= ~(1u << features[i].bit);
}
