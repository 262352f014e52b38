/* shard_test.c - --plan, --shard and --merge: the merged report is that of one machine that carries out the whole plan.
 */
#include <criterion/criterion.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/e2e/harness.h"

TestSuite(shard, .timeout = 600);

/*
 * Runs a shell command. In it, $T is a target, and `whole` makes one machine carry out the plan in the folder one. The
 * targets have races, so uncontrolled runs may fail. Then a shard that finds nothing ends with 4.
 */
static void expect_shell(struct e2e *e2e, const char *target, const char *words)
{
	char *path = e2e_target("O2g", target), *docs = realpath("docs", NULL), *all = NULL;

	cr_assert(
		asprintf(&all,
			 "set -e; T='%s'; docs='%s'\n"
			 "whole() { mkdir -p one; (cd one; \"$RFSUP\" --quiet --shard 1/1 --plan ../plan -o out >r) || "
			 "test $? -ne 2; }\n"
			 /* the report without times and names of directories */
			 "bare() { sed -E 's/\\([0-9.]+ s\\)//; s#/(one|merged)/out#/out#g; s#/all/merged#/out#g; "
			 "s#/one/out#/out#g' \"$1\"; }\n"
			 "alike() { bare one/out/report.txt >a; bare \"$1/report.txt\" >b; diff a b >&2; }\n"
			 "%strue",
			 path, docs, words) > 0);
	e2e_expect_command(e2e, all);
	free(docs);
	free(all);
	free(path);
}

static const char parallel[] =
	"\"$RFSUP\" --quiet --plan plan --runs 6 --explore 100 \"$T\" >plan.txt\n"
	"whole; mkdir merged\n"
	/* the third shard is killed when it has an item, and carried out again with the others */
	"\"$RFSUP\" --quiet --shard 3/4 --plan plan -o all/part3 >/dev/null 2>&1 & p=$!\n"
	"for i in $(seq 300); do ls all/part3/items/* >/dev/null 2>&1 && break; sleep 0.02; done\n"
	"kill -KILL $p; wait $p || true\n"
	"sh \"$docs/cluster/parallel.sh\" plan 4 all -j2 >r 2>e || test $? -ne 2\n"
	"alike all/merged\n"
	"ls all/merged/records/*.json >/dev/null\n";

Test(shard, four_by_gnu_parallel_with_one_killed_are_one)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	expect_shell(&e2e, "figure1", parallel);
	e2e_end(&e2e);
}

/* The twin: nothing is found in any way. */
Test(shard, the_fixed_program_is_clean)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	expect_shell(&e2e, "figure1_fixed",
		     "\"$RFSUP\" --quiet --plan plan --runs 6 --explore 60 \"$T\" >plan.txt\n"
		     "for k in 1 2 3; do \"$RFSUP\" --quiet --shard $k/3 --plan plan -o s$k >s$k.txt; "
		     "grep -q \"^part  *$k of 3 of a plan\" s$k.txt; done\n"
		     "\"$RFSUP\" --quiet --merge s1 s2 s3 -o out >r; grep -q '^result  *nothing found' r\n");
	e2e_end(&e2e);
}

/* A part that is missing is named; a late one can be added; one that was carried out twice is merged once. */
Test(shard, missing_late_and_double_parts)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	expect_shell(&e2e, "abba",
		     "\"$RFSUP\" --quiet --plan plan --runs 6 --explore 60 \"$T\" >plan.txt\n"
		     "whole; mkdir merged\n"
		     "for k in 1 3; do \"$RFSUP\" --quiet --shard $k/3 --plan plan -o s$k >/dev/null || test $? -ne 2; "
		     "done\n"
		     "\"$RFSUP\" --quiet --shard 1/3 --plan plan -o s1again -j2 >/dev/null || test $? -ne 2\n"
		     "\"$RFSUP\" --quiet --merge s1 s1again s3 -o early >r || test $? -ne 2\n"
		     "grep -q 'not carried out: the whole part 2 of 3' r\n"
		     "\"$RFSUP\" --quiet --shard 2/3 --plan plan -o s2 >/dev/null || test $? -ne 2\n"
		     "\"$RFSUP\" --quiet --merge early s2 -o merged/out >r || test $? -ne 2\n"
		     "alike merged/out\n");
	e2e_end(&e2e);
}

/* Records of shards and of the merge replay. Pairs from a file are planned too. */
Test(shard, records_of_the_merge_replay)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	expect_shell(
		&e2e, "figure2",
		"\"$RFSUP\" --quiet --plan first --runs 10 --explore 60 \"$T\" >plan.txt\n"
		"\"$RFSUP\" --quiet --plan plan --pairs first/pairs.txt --runs 20 >plan.txt; rm -r first\n"
		"for k in 1 2; do \"$RFSUP\" --quiet --shard $k/2 --plan plan -o s$k >/dev/null || test $? -ne 2; "
		"done\n"
		"\"$RFSUP\" --quiet --merge s1 s2 -o out >r || test $? -ne 2\n"
		"grep -q '^result .*1 harmful race' r; rm -r s1 s2 plan\n"
		"for f in out/records/pair-*.json; do \"$RFSUP\" --replay $f >/dev/null 2>&1 || test $? -eq 1; done\n");
	e2e_end(&e2e);
}

/* The program crashes in every run. The merged report says so; no part is repeated for it. */
Test(shard, a_program_that_always_crashes_has_complete_parts)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	expect_shell(&e2e, "figure1_fixed",
		     "printf '#include <pthread.h>\n#include <stdlib.h>\nstatic void *f(void *p) { return p; }\nint "
		     "main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); abort(); }\n' | "
		     "gcc -g -pthread -x c - -o crashes\n"
		     "\"$RFSUP\" --quiet --plan plan --runs 5 --explore 70 ./crashes >plan.txt\n"
		     "for k in 1 2; do \"$RFSUP\" --quiet --shard $k/2 --plan plan -o s$k >/dev/null; done\n"
		     "sh \"$docs/cluster/parallel.sh\" plan 2 all >r 2>e && exit 1 || test $? -eq 4\n"
		     "! grep -q carried e; grep -q '^result .*fails in every uncontrolled run' r\n");
	e2e_end(&e2e);
}

/* Faults are part of the plan: shards have the findings of one machine, and the record says which fault it was. */
Test(shard, faults_are_those_of_the_plan)
{
	static const char words[] =
		"\"$RFSUP\" --quiet --plan plan --faults malloc --runs 5 --explore 70 \"$T\" >plan.txt\n"
		"whole; mkdir merged\n"
		"for k in 1 2 3; do \"$RFSUP\" --quiet --shard $k/3 --plan plan -o s$k >/dev/null || test $? -ne 2; "
		"done\n"
		"\"$RFSUP\" --quiet --merge s1 s2 s3 -o merged/out >r || test $? -ne 2\n"
		"alike merged/out\n";
	struct e2e e2e;

	e2e_begin(&e2e);
	expect_shell(&e2e, "faults_malloc", words);
	e2e_expect_command(&e2e,
			   "grep -q 'faults_malloc.c:19  *malloc (fails)' r; grep -q '^result .*1 crash' r\n"
			   "rm -r s1 s2 s3 plan; f=$(ls merged/out/records/explore-*.json | head -1)\n"
			   "grep -q '\"fault\":\"malloc\"' $f\n"
			   "\"$RFSUP\" --replay $f >/dev/null 2>e || test $? -eq 1; grep -q 'same as the recorded' e");
	e2e_end(&e2e);
	e2e_begin(&e2e);
	expect_shell(&e2e, "faults_malloc_fixed", words);
	e2e_expect_command(&e2e, "grep -q '^result  *nothing found' r");
	e2e_end(&e2e);
}

/* ---- bad input: status 2 and one line ---- */

static const struct {
	const char *words, *says;
} refused[] = {
	{"--shard 1/2 -o x", "needs a plan"},
	{"--shard 1/2 --plan plan", "add -o DIR"},
	{"--shard 3/2 --plan plan -o x", "is not K/N"},
	{"--shard 0/2 --plan plan -o x", "is not K/N"},
	{"--shard 1 --plan plan -o x", "is not K/N"},
	{"--shard 1/2 --plan plan -o x --runs 5", "--runs has no effect with --shard"},
	{"--shard 1/2 --plan plan -o x /bin/true", "remove '/bin/true'"},
	{"--shard 1/2 --plan nothing -o x", "/nothing' has no plan"},
	{"--plan x --budget 5 /bin/true", "--budget does not work with --plan"},
	{"--plan x -o y /bin/true", "--output does not work with --plan"},
	{"--merge", "needs the directories"},
	{"--merge nothing", "/nothing' has no plan"},
	{"--merge s1 other/s1 -o x", "different plans"},
	{"--shard 1/2 --plan other/plan -o s1", "part of another plan"},
	{"--shard 1/2 --plan short -o x", "damaged"},
	{"--shard 1/2 --plan flipped -o x", "damaged"},
	{"--shard 1/2 --plan open -o x", "add --trust"},
	{"--shard 1/2 --plan hiding -o x", "hides.supp is not the file of the plan"},
	{"--merge s1 s1bad -o x", "is damaged"},
	{"--merge s1 s1other -o x", "has different results in"},
	{"--merge s1 -o s1", "already"},
	{"--shard 1/2 --plan changed -o x", "has changed"},
};

static const char damaged[] =
	"cp \"$T\" here; \"$RFSUP\" --quiet --plan plan --runs 5 --explore 60 ./here >/dev/null\n"
	"\"$RFSUP\" --quiet --shard 1/2 --plan plan -o s1 >/dev/null || test $? -ne 2\n"
	"mkdir other; \"$RFSUP\" --quiet --plan other/plan --seed 7 --runs 5 --explore 60 ./here >/dev/null\n"
	"\"$RFSUP\" --quiet --shard 1/2 --plan other/plan -o other/s1 >/dev/null || test $? -ne 2\n"
	"cp -r plan short; size=$(stat -c %s plan/plan); truncate -s $((size - 100)) short/plan\n"
	"cp -r plan flipped; printf X | dd of=flipped/plan bs=1 seek=$((size / 2)) conv=notrunc 2>/dev/null\n"
	"cp -r plan open; chmod 666 open/plan\n"
	"item=$(ls s1/items | head -1); cp -r s1 s1bad; printf X >>s1bad/items/$item\n"
	/* another file of suppressions would make other items */
	"echo race:z >hides.supp\n"
	"\"$RFSUP\" --quiet --suppressions hides.supp --plan hiding --runs 5 --explore 60 ./here >/dev/null\n"
	"echo race:y >hides.supp\n"
	/* results of the other plan, under the name of the first one */
	"cp -r s1 s1other; cp other/s1/items/explore-random-1 s1other/items/explore-random-1 2>/dev/null || "
	"cp other/s1/items/* s1other/items/\n";

Test(shard, bad_input_is_refused_in_one_line)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	expect_shell(&e2e, "figure2", damaged);
	for (size_t i = 0; i < sizeof(refused) / sizeof(*refused); i++) {
		char *words = NULL;
		const char *before = strstr(refused[i].words, "changed") ? "cp -r plan changed; printf X >>here;" : "";

		cr_assert(asprintf(&words,
				   "%s \"$RFSUP\" %s >o 2>e; s=$?; cat e >&2; test ! -e x && test $s -eq 2 && "
				   "test $(wc -l <e) -eq 1 && grep -qF -e \"%s\" e",
				   before, refused[i].words, refused[i].says) > 0);
		e2e_expect_command(&e2e, words);
		free(words);
	}
	/* a directory that was there is empty again */
	e2e_expect_command(&e2e, "mkdir there; \"$RFSUP\" --merge s1 s1bad -o there 2>/dev/null; rmdir there");
	e2e_end(&e2e);
}

/* A disk that is full: one line, and what was carried out stays. */
Test(shard, a_full_disk_loses_nothing)
{
	struct e2e e2e;

	e2e_begin(&e2e);
	expect_shell(
		&e2e, "figure2",
		"\"$RFSUP\" --quiet --plan plan --runs 30 --explore 60 \"$T\" >/dev/null\n"
		"whole; mkdir merged\n"
		"(ulimit -f 40; \"$RFSUP\" --quiet --shard 1/1 --plan plan -o merged/out >r 2>e) && exit 1 || s=$?\n"
		"test $s -eq 2; test $(wc -l <e) -eq 1\n"
		"\"$RFSUP\" --quiet --shard 1/1 --plan plan -o merged/out >r || test $? -ne 2\n"
		"alike merged/out\n");
	e2e_end(&e2e);
}

/* ---- altered by hand, with correct checksums ---- */

/* Runs of the plan see what its list has; a name that this processor lacks, or that nobody knows, is refused. */
Test(shard, a_plan_with_other_features_of_the_processor)
{
	struct e2e e2e;
	char *alter;

	e2e_begin(&e2e);
	alter = e2e_program(&e2e, "alter_journal.c", "-O1");
	free(alter);
	expect_shell(&e2e, "figure2",
		     "refused() { s=0; \"$RFSUP\" --shard 1/2 --plan $1 -o x 2>e || s=$?; cat e >&2; test $s -eq 2; "
		     "test ! -e x; test $(wc -l <e) -eq 1; grep -qF \"$2\" e; ! grep -q \"$(printf '\\033')\" e; }\n"
		     "\"$RFSUP\" --quiet --plan plan --runs 5 --explore 60 \"$T\" >/dev/null\n"
		     "for i in more odd fewer none; do cp -r plan $i; done\n"
		     "./alter_journal more/plan '[processor]' 'pni ' 'pni avx9000 '; refused more 'lacks avx9000,'\n"
		     "./alter_journal odd/plan '[processor]' 'pni ' 'pni a\\x0ab\\x1b[31m '; refused odd 'lacks a?b'\n"
		     "./alter_journal fewer/plan '[processor]' ' ssse3 ' ' '\n"
		     "./alter_journal none/plan '[processor]' '[processor]' '[nothing]'\n"
		     "for i in fewer none; do \"$RFSUP\" --quiet --shard 1/1 --plan $i -o $i.out >r || test $? -eq 1; "
		     "grep -q '^result .*1 harmful race' r; done\n");
	e2e_end(&e2e);
}

/* A result in which a fault has a number that does not exist. */
Test(shard, a_part_with_impossible_results_is_refused)
{
	struct e2e e2e;
	char *alter;

	e2e_begin(&e2e);
	alter = e2e_program(&e2e, "alter_journal.c", "-O1");
	free(alter);
	expect_shell(&e2e, "faults_malloc",
		     "\"$RFSUP\" --quiet --plan plan --faults malloc --runs 5 --explore 100 \"$T\" >/dev/null\n"
		     "\"$RFSUP\" --quiet --shard 1/1 --plan plan -o s1 >/dev/null || test $? -eq 1\n"
		     "n=0; for f in s1/items/explore-*; do for t in 1 2 3; do\n"
		     /* the fault and the thread of struct rfs_fault_taken, and the length of the call's name */
		     "  ./alter_journal $f explore \"\\\\x03\\\\x00\\\\x00\\\\x00\\\\x0$t\\\\x00\\\\x00\\\\x00\\\\x06"
		     "\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00malloc\" "
		     "\"\\\\x7f\\\\x00\\\\x00\\\\x00\\\\x0$t\\\\x00\\\\x00\\\\x00\\\\x06"
		     "\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00\\\\x00malloc\" && n=1 || test $? -eq 1\n"
		     "done; done; test $n = 1\n"
		     "s=0; \"$RFSUP\" --quiet --merge s1 -o out 2>e || s=$?; cat e >&2; test $s -eq 2\n"
		     "test $(wc -l <e) -eq 1; grep -q 'does not fit the plan' e\n");
	e2e_end(&e2e);
}
