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

/* What the program writes into another file system, in a folder that is no part of the pack, is gone after the replay.
 */
static const char writing[] =
	"cat >writes.c <<END\n#include <pthread.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
	"static void *f(void *p)\n{\n\tFILE *out = fopen(p, \"a\");\n\tif (!out)\n\t\texit(9);\n"
	"\tfputs(\"line\\n\", out);\n\tfclose(out);\n\tabort();\n}\nint main(int n, char **words)\n{\n\tpthread_t t;\n"
	"\tpthread_create(&t, 0, f, words[n - 1]);\n\treturn pthread_join(t, 0);\n}\nEND\n"
	"gcc -g -pthread -o writes writes.c; mkdir home; mount -t tmpfs tmpfs home; mkdir home/user home/in\n"
	"mount -t tmpfs tmpfs home/in; log=$PWD/home/user/log deep=$PWD/home/in/log\n"
	"for l in $log $deep /dev/shm/rfsup-pack-test.$$; do rm -rf out a.pack; echo old >$l\n"
	"\"$RFSUP\" --quiet --policy random --runs 1 -o out ./writes $l >/dev/null 2>&1 || test $? -ne 2\n"
	"echo old >$l; set -- out/records/*.json; \"$RFSUP\" --quiet --pack \"$1\" -o a.pack\n"
	"\"$RFSUP\" --replay a.pack >after 2>&1\n"
	"grep -q \"same as the recorded run: signal (SIGABRT)\" after; test \"$(cat $l)\" = old; rm $l; done\n";

Test(pack, leaves_other_file_systems_as_they_are)
{
	struct e2e e2e;
	char *command = NULL;

	e2e_begin(&e2e);
	cr_assert(asprintf(&command, "if unshare -m true 2>/dev/null; then unshare -m sh -ec '%s'; fi", writing) > 0);
	e2e_expect_command(&e2e, command);
	e2e_end(&e2e);
	free(command);
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
