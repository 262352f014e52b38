# rfsup: make demo, make check (README.md); all goals: make help
BUILD ?= build
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
PREFIX ?= /usr/local
OPT ?= -O2
PACKAGES := capstone libelf jansson libunwind-ptrace libunwind-generic libxxhash
# what has no pkg-config file everywhere: headers, found by the compiler
HEADERS := libdwarf/libdwarf.h libiberty/demangle.h uthash.h
DEB_BUILD := gcc g++ make pkg-config libcapstone-dev libelf-dev libdwarf-dev libiberty-dev libjansson-dev libunwind-dev \
	libxxhash-dev uthash-dev
DEB_TEST := libcriterion-dev libglib2.0-dev libsqlite3-dev zlib1g-dev clang pigz pbzip2 xz-utils zstd plzip binutils gdb \
	memcached redis-server
# large ones, for check-full only
DEB_FULL := qemu-user-static chromium sqlite3
DEB_BENCH := valgrind libapr1-dev libaprutil1-dev
DEB_LINT := mandoc clang-format clang-tidy
WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wvla -Wwrite-strings -Wundef -Wformat=2 \
	-Wimplicit-fallthrough
CFLAGS_ALL = -std=gnu11 $(OPT) -g -D_GNU_SOURCE -I. -MMD -MP $(WARN) $(SANITIZE) $(CFLAGS)
ifdef ASAN
override BUILD := build-asan
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
endif
ifdef CI
WARN += -Werror
endif
# asked for once, and only when something is compiled: make deps must run without them
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $$(PACKAGES)))$(PKG_CFLAGS)
LIBS = $(eval LIBS := $$(shell pkg-config --libs $$(PACKAGES)) -ldwarf -liberty -ldl -lm -lpthread)$(LIBS)

# of a folder and of its rooms
folder_objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard $(1)/*.c $(1)/*/*.c))
DISASM := $(call folder_objects,disasm)
POLICY := $(call folder_objects,policy)
TRACER := $(call folder_objects,tracer)
SUPERVISOR := $(call folder_objects,supervisor)
MAIN := $(BUILD)/supervisor/cli/main.o

# One line a file; V=1: the commands
ifeq ($(V),)
Q := @
say = @echo '  $(1)	$(2)'
endif

all: rfsup

# unlinked first: an rfsup that is running keeps its file
rfsup: $(BUILD)/rfsup
	@cmp -s $< $@ || cp --remove-destination $< $@
$(BUILD)/rfsup: $(SUPERVISOR) $(TRACER) $(POLICY) $(DISASM)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -rdynamic -o $@ $^ $(LIBS)

$(BUILD)/%.o: %.c | $(BUILD)/found
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(PKG_CFLAGS) $(DEFINES) -c -o $@ $<
$(BUILD)/tests/%.o: DEFINES = -DRFS_BUILD='"$(BUILD)"'

$(BUILD)/found:
	@mkdir -p $(@D)
	@$(find_missing); test -z "$$missing" || { echo "missing:$$missing; 'make deps' installs or lists them" >&2; exit 1; }
	@touch $@
find_missing = missing=; for p in $(PACKAGES); do pkg-config --exists $$p || missing="$$missing $$p"; done; \
	for h in $(HEADERS); do echo "\#include <$$h>" | $(CC) -E -x c - >/dev/null 2>&1 || missing="$$missing $$h"; done

# Criterion: one test program a folder, linked with what that folder may use
test_objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/$(1)/*.c))
TEST_FOLDERS := disasm policy tracer supervisor e2e fuzz
TESTS := $(foreach t,$(TEST_FOLDERS),$(if $(wildcard tests/$(t)/*.c),$(BUILD)/test-$(t)))
$(BUILD)/test-disasm: $(call test_objects,disasm) $(DISASM)
$(BUILD)/test-policy: $(call test_objects,policy) $(POLICY)
$(BUILD)/test-tracer: $(call test_objects,tracer) $(TRACER) $(DISASM)
$(BUILD)/test-supervisor: $(call test_objects,supervisor) $(filter-out $(MAIN),$(SUPERVISOR)) $(TRACER) $(POLICY) $(DISASM)
$(BUILD)/test-fuzz: $(call test_objects,fuzz) $(filter-out $(MAIN),$(SUPERVISOR)) $(TRACER) $(POLICY) $(DISASM)
# what real programs do is held against the model machine, operations read from traces
$(BUILD)/test-e2e: $(call test_objects,e2e) $(BUILD)/tests/policy/model.o $(POLICY) \
	$(addprefix $(BUILD)/supervisor/,record/trace_file.o base/alloc.o base/error.o)
$(BUILD)/test-%:
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -rdynamic -o $@ $^ -lcriterion $(LIBS)

-include targets/targets.mk

# The front: goals that install what is missing start a second make, which then finds it, and builds on all cores unless
# told otherwise.
SUBMAKE = +@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc))
CHECK_ENV = RFSUP=$(abspath $(BUILD))/rfsup $(if $(ASAN),LSAN_OPTIONS=suppressions=tests/lint/leaks:print_suppressions=0)

check: deps
	$(SUBMAKE) check-built CHECK_VARIANTS=O2g
check-full: DEB_TEST += $(DEB_FULL)
check-full: deps
	$(SUBMAKE) check-built CHECK_VARIANTS="$(TARGET_VARIANTS)" CHECK_ENV="$(CHECK_ENV) RFSUP_CHECK_FULL=1"
check-built: $(BUILD)/rfsup $(TESTS) $(foreach v,$(CHECK_VARIANTS),targets-$(v))
	@rm -f $(BUILD)/check.log; failed=; for t in $(TESTS); do \
		echo "== $$t"; \
		{ env -u MAKEFLAGS $(CHECK_ENV) $$t </dev/null; echo $$? >$(BUILD)/check.status; } 2>&1 | tee -a $(BUILD)/check.log; \
		test "$$(cat $(BUILD)/check.status)" = 0 || failed="$$failed $$t"; \
	done; \
	echo; echo "== summary"; grep -a 'Synthesis:' $(BUILD)/check.log; \
	test -z "$$failed" || { echo "failed:$$failed" >&2; exit 1; }

demo: deps
	$(SUBMAKE) demo-built
demo-built: rfsup targets-O2g
	@echo '$$ ./rfsup $(BUILD)/targets/O2g/figure1'
	@./rfsup $(BUILD)/targets/O2g/figure1; status=$$?; echo "exit status $$status (1: something was found)"; \
		test $$status = 1

# Each reader of files as a program of libFuzzer's, which comes with clang, for FUZZ_SECONDS; what it finds is left in
# build-fuzz and belongs into tests/fuzz/seeds, where make check runs it.
FUZZ_READERS ?= record pairs trace input
FUZZ_SECONDS ?= 600
FUZZ_SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
fuzz: deps
	$(SUBMAKE) fuzz-built BUILD=build-fuzz CC=clang WARN= SANITIZE="-fsanitize=fuzzer-no-link $(FUZZ_SANITIZE)"
$(BUILD)/fuzz-%: tests/fuzz/readers.c $(filter-out $(MAIN),$(SUPERVISOR)) $(TRACER) $(POLICY) $(DISASM)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) $(PKG_CFLAGS) -DRFS_FUZZ=rfs_fuzz_$* -fsanitize=fuzzer -rdynamic -o $@ $^ $(LIBS)
.PRECIOUS: $(BUILD)/fuzz-%
fuzz-built: $(FUZZ_READERS:%=$(BUILD)/fuzz-%)
	@for r in $(FUZZ_READERS); do \
		mkdir -p $(BUILD)/corpus/$$r; dict=tests/fuzz/$$r.dict; test -e $$dict && dict=-dict=$$dict || dict=; \
		echo "== $$r"; \
		$(BUILD)/fuzz-$$r $$dict -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
			-artifact_prefix=$(BUILD)/$$r- $(BUILD)/corpus/$$r tests/fuzz/seeds/$$r >$(BUILD)/fuzz-$$r.log 2>&1 || \
			{ tail -40 $(BUILD)/fuzz-$$r.log; exit 1; }; \
		grep -E '^(Done|stat::number)|^#.*DONE' $(BUILD)/fuzz-$$r.log; \
	done

C_FILES = $(wildcard */*.c */*/*.c)
C_HEADERS = $(wildcard */*.h */*/*.h)
lint: deps
	$(SUBMAKE) lint-built
lint-built: $(BUILD)/rfsup
	@clang-format --dry-run -Werror $(C_FILES) $(C_HEADERS)
	@tests/lint/includes
	@tests/lint/files
	@tests/lint/options $(BUILD)/rfsup
	@for page in man/*.[157]; do mandoc -T lint -W warning $$page || exit 1; done
	@echo "lint: clean"

# not targets/: they hold the bugs that they are named for; one process a file, of many at once clang-tidy 14 dies
tidy: deps
	@printf '%s\n' $(filter-out targets/%,$(C_FILES)) | xargs -P $$(nproc) -I FILE \
		clang-tidy --quiet FILE -- -std=gnu11 -D_GNU_SOURCE -I. -DRFS_BUILD='"$(BUILD)"' $(PKG_CFLAGS)

# One program prints all; BENCH=goals, table, orders, collections, drfinder, needles, detectors, peers, growth or
# replay: that part only; BENCH_SHRINK=N: N times less of detectors and of the compressed file of peers.
BENCH_RESULT = tests/bench/results/$(shell uname -n)$(addprefix -,$(BENCH)).txt
$(BUILD)/bench: $(call test_objects,bench) $(filter-out $(MAIN),$(SUPERVISOR)) $(TRACER) $(POLICY) $(DISASM)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $^ $(LIBS)
# what is measured only: built as the targets are
BENCH_PROGRAMS := $(addprefix $(BUILD)/bench-programs/,asks figure1 \
	$(basename $(notdir $(wildcard tests/bench/programs/*.c tests/bench/programs/*.cc))))
BENCH_FLAGS = -pthread -O2 -g -Wall -Wextra $(if $(CI),-Werror) -MMD -MP -MF $@.d -MT $@
$(BUILD)/bench-programs/%: tests/bench/programs/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(BENCH_FLAGS) $$(pkg-config --cflags glib-2.0) -o $@ $< $(BENCH_LIBS)
# without the time that its second thread lets pass, so that plain runs seldom fail
$(BUILD)/bench-programs/figure1: targets/figure1.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -DAPART_ROUNDS=0 $(BENCH_FLAGS) -o $@ $<
# the client of the servers among them
$(BUILD)/bench-programs/asks: tests/e2e/programs/asks.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(BENCH_FLAGS) -o $@ $<
$(BUILD)/bench-programs/%: tests/bench/programs/%.cc
	@mkdir -p $(@D)
	$(call say,CXX,$<)
	$(Q)$(CXX) -std=c++20 $(BENCH_FLAGS) -o $@ $<
$(BUILD)/bench-programs/collections $(BUILD)/bench-programs/glib_pool: BENCH_LIBS = $$(pkg-config --libs glib-2.0)
$(BUILD)/bench-programs/sqlite_threads: BENCH_LIBS = -lsqlite3
# its pkg-config wants the libraries of all databases that it could use
$(BUILD)/bench-programs/apr_pool: BENCH_LIBS = $$(pkg-config --cflags apr-1) -laprutil-1 -lapr-1
# what rfsup and its peers are compared on: as a user would build it, and with ThreadSanitizer
BENCH_PEERS := $(basename $(notdir $(wildcard tests/bench/peers/*.c tests/bench/peers/*.cc)))
define bench_peer_rules
$(BUILD)/bench-peers/$(1)/%: tests/bench/peers/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) -std=gnu11 -D_GNU_SOURCE $$(BENCH_FLAGS) $(2) -o $$@ $$< -lm
$(BUILD)/bench-peers/$(1)/%: tests/bench/peers/%.cc
	@mkdir -p $$(@D)
	$$(call say,CXX,$$@)
	$$(Q)$$(CXX) -std=c++20 $$(BENCH_FLAGS) $(2) -o $$@ $$<
endef
$(eval $(call bench_peer_rules,plain))
$(eval $(call bench_peer_rules,tsan,-fsanitize=thread))
bench: DEB_TEST += $(DEB_BENCH)
bench: deps
	$(SUBMAKE) bench-built
bench-built: $(BUILD)/rfsup $(BUILD)/bench targets-O2g $(BENCH_PROGRAMS) \
		$(foreach build,plain tsan,$(addprefix $(BUILD)/bench-peers/$(build)/,$(BENCH_PEERS)))
	@mkdir -p $(dir $(BENCH_RESULT))
	@$(BUILD)/bench $(BUILD)/rfsup $(BUILD)/targets/O2g $(BENCH) $(BENCH_SHRINK) | tee $(BENCH_RESULT)

# Debian and its kin: apt-get installs what dpkg does not know; elsewhere: the list of what is missing.
deps:
	@if command -v dpkg-query >/dev/null && command -v apt-get >/dev/null; then \
		missing=; for p in $(DEB_BUILD) $(DEB_TEST) $(DEB_LINT); do \
			dpkg-query -W -f '$${db:Status-Abbrev}' $$p 2>/dev/null | grep -q '^ii' || missing="$$missing $$p"; done; \
		test -z "$$missing" && exit 0; \
		echo "installing:$$missing"; \
		sudo=; test "$$(id -u)" = 0 || sudo=sudo; \
		test -z "$$sudo" || command -v sudo >/dev/null || \
			{ echo "cannot install packages without root or sudo; as root, run apt-get install$$missing" >&2; exit 1; }; \
		$$sudo apt-get update -qq && \
			$$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $$missing </dev/null; \
	else \
		$(find_missing); for p in criterion glib-2.0 zlib sqlite3; do pkg-config --exists $$p || missing="$$missing $$p"; done; \
		for c in $(CC) $(CXX) pkg-config clang mandoc clang-format clang-tidy pigz pbzip2 xz zstd plzip readelf gdb memcached redis-server; do \
			command -v $$c >/dev/null || missing="$$missing $$c"; done; \
		test -z "$$missing" || { echo "please install the packages that provide:$$missing" >&2; exit 1; }; \
	fi

MANDIR = $(DESTDIR)$(PREFIX)/share/man
install: $(BUILD)/rfsup
	install -D -m 755 $(BUILD)/rfsup $(DESTDIR)$(PREFIX)/bin/rfsup
	install -D -m 644 policy/policy.h $(DESTDIR)$(PREFIX)/include/rfsup/policy.h
	for p in man/*.[157]; do install -D -m 644 $$p $(MANDIR)/man$${p##*.}/$${p#man/} || exit 1; done
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/rfsup $(DESTDIR)$(PREFIX)/include/rfsup/policy.h
	-rmdir $(DESTDIR)$(PREFIX)/include/rfsup
	for p in man/*.[157]; do rm -f $(MANDIR)/man$${p##*.}/$${p#man/}; done

clean:
	rm -rf $(BUILD) build-asan build-fuzz rfsup

help:
	@echo 'make [all]       builds ./rfsup'
	@echo 'make demo        builds rfsup, runs it on a racy program and shows the report'
	@echo 'make check       runs all tests, with one build of each target program'
	@echo 'make check-full  runs all tests, with every build of the target programs'
	@echo 'make lint        checks formatting, include arrows, options against man page, and file lengths'
	@echo 'make tidy        runs clang-tidy'
	@echo 'make bench       measures ratios within one run; BENCH=PART selects a part; BENCH_RUNS, BENCH_EXPERIMENTS and'
	@echo '                 BENCH_ROUNDS in the environment set the scale, and BENCH_ROW the rows'
	@echo 'make fuzz        runs libFuzzer on the file readers, FUZZ_SECONDS (600) for each of FUZZ_READERS'
	@echo 'make deps        installs missing packages (Debian) or lists them'
	@echo 'make install     installs to PREFIX ($(PREFIX)), below DESTDIR if set; make uninstall removes it'
	@echo 'make clean       removes what was built'
	@echo 'V=1              shows each command instead of one line per file'
	@echo 'ASAN=1           builds with AddressSanitizer and UBSan, in build-asan'
	@echo 'CI=1             makes warnings errors'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all check check-full check-built demo demo-built fuzz fuzz-built lint lint-built tidy bench bench-built deps \
	install uninstall clean help
