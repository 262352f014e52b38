/* dwarf_program.c - compiles the programs of the DWARF tests and looks up their symbols. */
#include "tests/disasm/dwarf_program.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <gelf.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORDS_MAX 32

void program_init(struct program *program)
{
	memset(program, 0, sizeof(*program));
	snprintf(program->dir, sizeof(program->dir), "/tmp/rfsup-dwarf-XXXXXX");
	cr_assert_not_null(mkdtemp(program->dir));
	snprintf(program->path, sizeof(program->path), "%s/program", program->dir);
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void program_release(struct program *program)
{
	rfs_dwarf_free(program->dwarf);
	(void)nftw(program->dir, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

void program_write(const struct program *program, const char *name, const char *text)
{
	char path[PATH_MAX], *slash;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", program->dir, name);
	slash = strrchr(path, '/');
	*slash = '\0';
	(void)mkdir(path, 0700);
	*slash = '/';
	file = fopen(path, "we");
	cr_assert_not_null(file, "%s", path);
	cr_assert_geq(fputs(text, file), 0);
	cr_assert_eq(fclose(file), 0);
}

bool program_run(const struct program *program, const char *command)
{
	posix_spawn_file_actions_t actions;
	char words[1024], *argv[WORDS_MAX], *rest = words;
	int n = 0, status, rc;
	pid_t pid;

	cr_assert_lt(strlen(command), sizeof(words));
	memcpy(words, command, strlen(command) + 1);
	for (char *word; n < WORDS_MAX - 1 && (word = strsep(&rest, " "));) {
		if (*word)
			argv[n++] = word;
	}
	argv[n] = NULL;
	cr_assert_gt(n, 0);
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, program->dir);
	rc = posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc == ENOENT)
		return false;
	cr_assert_eq(rc, 0);
	cr_assert_eq(waitpid(pid, &status, 0), pid);
	cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", command);
	return true;
}

void program_open(struct program *program)
{
	char why[256];
	int rc = rfs_dwarf_open(program->path, &program->dwarf, why, sizeof(why));

	cr_assert_eq(rc, 0, "%s", why);
	cr_assert_str_empty(why);
}

bool program_build(struct program *program, const char *compiler, const char *flags, const char *name,
		   const char *source)
{
	char command[512];

	program_write(program, name, source);
	snprintf(command, sizeof(command), "%s %s %s -o program", compiler, flags, name);
	if (!program_run(program, command))
		return false;
	program_open(program);
	return true;
}

rfs_addr program_symbol(const struct program *program, const char *name, uint64_t *size)
{
	int fd = open(program->path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *section = NULL;
	rfs_addr found = 0;
	Elf *elf;

	(void)elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	cr_assert_not_null(elf);
	while (!found && (section = elf_nextscn(elf, section))) {
		GElf_Shdr header;
		GElf_Sym symbol;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 0; !found && gelf_getsym(elf_getdata(section, NULL), i, &symbol); i++) {
			if (strcmp(elf_strptr(elf, header.sh_link, symbol.st_name), name) != 0)
				continue;
			found = symbol.st_value;
			if (size)
				*size = symbol.st_size;
		}
	}
	elf_end(elf);
	close(fd);
	cr_assert_neq(found, 0, "no symbol %s", name);
	return found;
}

unsigned line_of(const char *text, const char *mark)
{
	const char *at = strstr(text, mark);
	unsigned line = 1;

	cr_assert_not_null(at, "%s", mark);
	for (; text < at; text++)
		line += *text == '\n';
	return line;
}

struct search {
	const struct rfs_dwarf *dwarf;
	bool (*accepts)(const struct rfs_dwarf *dwarf, rfs_addr vaddr);
	rfs_addr found;
};

static void look(void *arg, rfs_addr start, rfs_addr end)
{
	struct search *search = arg;

	for (rfs_addr at = start; at < end && !search->found; at++) {
		if (!search->accepts || search->accepts(search->dwarf, at))
			search->found = at;
	}
}

rfs_addr code_of(const struct program *program, const char *file, unsigned line,
		 bool (*f)(const struct rfs_dwarf *dwarf, rfs_addr vaddr))
{
	struct search search = {.dwarf = program->dwarf, .accepts = f};

	cr_assert_geq(rfs_dwarf_ranges(program->dwarf, file, line, look, &search), 0);
	return search.found;
}

const char *variable_at(const struct program *program, rfs_addr vaddr, enum rfs_atomicity *atomicity)
{
	static char name[256];
	enum rfs_atomicity unused;

	if (!rfs_dwarf_variable(program->dwarf, vaddr, name, sizeof(name), atomicity ? atomicity : &unused))
		name[0] = '\0';
	return name;
}
