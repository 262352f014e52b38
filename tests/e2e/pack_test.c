/* pack_test.c - a pack replays where the program is gone, and the machine stays as it is. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/e2e/harness.h"

TestSuite(pack, .timeout = 300);

/*
 * The program is reached through a link in a file system of its own. Later, that has another file with the name of the
 * link, and no longer the working directory of the recorded run. Only root can mount.
 */
static const char moved[] =
	"mkdir own; cp \"$T\" here\n"
	"mount -t tmpfs tmpfs own 2>/dev/null || exit 0\n"
	"ln -s \"$PWD/here\" own/link; mkdir own/folder; link=$PWD/own/link\n"
	"(cd own/folder; \"$RFSUP\" --quiet --policy random --runs 10 -o ../../out \"$link\" >/dev/null) || "
	"test $? -eq 1\n"
	"set -- out/records/*.json; \"$RFSUP\" --quiet --pack \"$1\" -o a.pack\n"
	"\"$RFSUP\" --quiet --replay a.pack >before 2>&1 && exit 1 || test $? -eq 1\n"
	"rm -r own/link own/folder here out; echo other >own/link\n"
	"\"$RFSUP\" --quiet --replay a.pack >after 2>&1 && exit 1 || test $? -eq 1\n"
	"diff before after; test \"$(cat own/link)\" = other; test ! -e own/folder; test ! -e here\n";

Test(pack, changes_nothing_on_the_machine)
{
	char *program = e2e_target("O2g", "figure1"), *command = NULL;
	struct e2e e2e;

	e2e_begin(&e2e);
	/* mounts end with the shell */
	cr_assert(asprintf(&command, "export T='%s'; if unshare -m true 2>/dev/null; then unshare -m sh -ec '%s'; fi",
			   program, moved) > 0);
	e2e_expect_command(&e2e, command);
	e2e_end(&e2e);
	free(command);
	free(program);
}

/* The loader finds the library through two links. Later, neither they nor the library exist. */
static const char linked[] =
	"mkdir lib; gcc -g -O1 -fPIC -shared -Wl,-soname,libstock.so.1 -o lib/libstock.so.1.0 \"$S/stock.c\"\n"
	"ln -s libstock.so.1.0 lib/libstock.so.1; ln -s libstock.so.1 lib/libstock.so; echo 3 >items\n"
	"gcc -g -O1 -pthread -o shop \"$S/shop.c\" -Llib -lstock -Wl,-rpath,\"$PWD/lib\"\n"
	"\"$RFSUP\" --quiet --runs 20 --explore 60 -o out ./shop items >/dev/null && exit 1 || test $? -eq 1\n"
	"set -- out/records/*-seed-*.json; \"$RFSUP\" --quiet --pack \"$1\" -o a.pack items\n"
	"\"$RFSUP\" --quiet --replay \"$1\" >before 2>&1 && exit 1 || test $? -eq 1\n"
	"rm -r lib shop items out\n"
	"\"$RFSUP\" --quiet --replay a.pack >after 2>&1 && exit 1 || test $? -eq 1\n"
	"diff before after; test ! -e lib\n";

Test(pack, has_libraries_behind_links)
{
	char *shop = realpath("tests/machines/shop", NULL), *command = NULL;
	struct e2e e2e;

	e2e_begin(&e2e);
	/* only root can replay a pack */
	cr_assert(asprintf(&command, "export S='%s'; if unshare -m true 2>/dev/null; then sh -ec '%s'; fi", shop,
			   linked) > 0);
	e2e_expect_command(&e2e, command);
	e2e_end(&e2e);
	free(command);
	free(shop);
}
