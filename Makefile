# Builds rfsup. README.md shows make demo and make check; make help lists all goals.
BUILD ?= build
# no built-in rules: they would make a folder from a file of the same name that was there before
MAKEFLAGS += --no-builtin-rules
ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
PREFIX ?= /usr/local
OPT ?= -O2
WARN := -Wall -Wextra -Wmissing-prototypes -Wstrict-prototypes -Wshadow -Wvla -Wwrite-strings -Wundef -Wformat=2 \
	-Wimplicit-fallthrough
CFLAGS_ALL = -std=gnu11 $(OPT) -g -D_GNU_SOURCE -I. -I$(BUILD)/generated -MMD -MP $(WARN) $(SANITIZE) $(CFLAGS)
ifdef ASAN
override BUILD := build-asan
SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
endif
ifdef CI
WARN += -Werror
endif

# ---- requirements ----
# DEB: packages of Debian. MODULES, HEADERS and COMMANDS: what these packages provide, to check it on other systems.
DEB_build := gcc libc6-dev make pkg-config libcapstone-dev libelf-dev libdwarf-dev libiberty-dev libjansson-dev libunwind-dev \
	libarchive-dev libexpat1-dev libxxhash-dev uthash-dev
MODULES_build := libarchive capstone expat libelf jansson libunwind-ptrace libunwind-generic libxxhash
# these libraries have no pkg-config file on some systems
HEADERS_build := libdwarf/libdwarf.h libiberty/demangle.h uthash.h
COMMANDS_build := $(CC) pkg-config
DEB_test := g++ libcriterion-dev libglib2.0-dev libsqlite3-dev zlib1g-dev clang pigz pbzip2 xz-utils zstd plzip binutils gdb \
	memcached redis-server jq libxml2-utils libgtest-dev zsh parallel \
	cmake ninja-build meson automake git python3-jsonschema python3-yaml python3-junitparser python3-sarif-python-om valgrind
MODULES_test := criterion glib-2.0 zlib sqlite3 gtest_main
COMMANDS_test := $(CXX) clang pigz pbzip2 xz zstd plzip readelf gdb memcached redis-server jq xmllint zsh parallel cmake ninja meson autoreconf git valgrind
# large packages, for check-full only
DEB_full := qemu-user-static chromium sqlite3 cargo lldb
DEB_bench := valgrind libapr1-dev libaprutil1-dev libevent-dev libgirepository1.0-dev libjson-c-dev libxml2-dev
# programs that make bench-debian runs
DEB_debian := bc bzip2 default-jdk-headless ffmpeg gcc git golang-go gzip jq libglib2.0-bin libglib2.0-dev libtbb-dev lbzip2 \
	lld memcached nginx-light nodejs ocaml-nox pbzip2 pigz pixz plzip python3 redis-server rustc sqlite3 xz-utils zstd
COMMANDS_debian := bc bzip2 ffmpeg git gio go gzip java javac jq lbzip2 ld.lld memcached nginx node ocamlopt pbzip2 pigz pixz \
	plzip python3 redis-server rustc sqlite3 xz zstd
# programs that make check-machines runs
DEB_machines := debootstrap autopkgtest git parallel munge slurmctld slurmd slurm-client
COMMANDS_machines := debootstrap autopkgtest git parallel munged slurmctld slurmd sbatch
# libraries whose defects make bugs shows
DEB_bugs := g++ libaprutil1-dev libcivetweb-dev libconcurrentqueue-dev libevent-dev libsqlite3-dev libthread-pool-dev
COMMANDS_bugs := g++
DEB_lint := mandoc clang-format clang-tidy
COMMANDS_lint := mandoc clang-format clang-tidy
# $(1): check or install; $(2): the parts for which it is needed, of build, test, full, bench, debian, machines, bugs, lint
need_list = $(foreach part,$(2),$($(1)_$(part)))
need = DEB="$(call need_list,DEB,$(2))" MODULES="$(call need_list,MODULES,$(2))" HEADERS="$(call need_list,HEADERS,$(2))" \
	COMMANDS="$(call need_list,COMMANDS,$(2))" CC="$(CC)" .ci/need $(1)
# pkg-config runs once, and only when something is compiled: goals that install packages must work before it is installed
PKG_CFLAGS = $(eval PKG_CFLAGS := $$(shell pkg-config --cflags $$(MODULES_build)))$(PKG_CFLAGS)
LIBS = $(eval LIBS := $$(shell pkg-config --libs $$(MODULES_build)) -ldwarf -liberty -ldl -lm -lpthread)$(LIBS)

# Shows one line for each file, or the commands with V=1.
ifeq ($(V),)
Q := @
say = @echo '  $(1)	$(2)'
endif

# no rules of make itself: they would build the folder executions/ from a file executions.c that has moved
.SUFFIXES:

# ---- rfsup ----
# object files of a folder and of the folders in it; the driver of generated tests is a separate program
folder_objects = $(patsubst %.c,$(BUILD)/%.o,$(filter-out supervisor/generate/driver/%,$(wildcard $(1)/*.c $(1)/*/*.c $(1)/*/*/*.c)))
DISASM := $(call folder_objects,disasm)
POLICY := $(call folder_objects,policy)
TRACER := $(call folder_objects,tracer)
SUPERVISOR := $(call folder_objects,supervisor)
MAIN := $(BUILD)/supervisor/cli/main.o

all: rfsup

# removes the old file first, so that an rfsup that is running keeps its file
rfsup: $(BUILD)/rfsup
	@cmp -s $< $@ || cp --remove-destination $< $@
$(BUILD)/rfsup: $(SUPERVISOR) $(TRACER) $(POLICY) $(DISASM)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -rdynamic -o $@ $^ $(LIBS)

# The driver of generated tests and its heap, which rfsup contains as bytes. They run in the process of the library under
# test, so they are never built with sanitizers.
DRIVER := $(BUILD)/generated/rfsup-driver
GUARD := $(BUILD)/generated/rfsup-guard.so
# rfsup contains their bytes, which must not depend on the folder of the build
DRIVER_CC = $(Q)$(CC) -std=gnu11 -O2 -g -D_GNU_SOURCE -I. -ffile-prefix-map=$(CURDIR)=. $(WARN)
$(DRIVER): $(filter-out %/guard.c,$(wildcard supervisor/generate/driver/*.[ch]))
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(DRIVER_CC) -pthread -o $@ $(filter %.c,$^) -ldl
# the compiler must not use what it knows of malloc() in malloc() itself
$(GUARD): supervisor/generate/driver/guard.c
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(DRIVER_CC) -fno-builtin-malloc -fno-builtin-calloc -fvisibility=hidden -fPIC -shared -o $@ $< -ldl
$(BUILD)/supervisor/generate/driver_image.o: DEFINES = -DRFS_DRIVER='"$(DRIVER)"' -DRFS_GUARD='"$(GUARD)"'
$(BUILD)/supervisor/generate/driver_image.o: $(DRIVER) $(GUARD)

# rfsup contains its own suppressions
DEFAULT_SUPP := supervisor/cli/default.supp
$(BUILD)/supervisor/cli/options/suppressions_files.o: DEFINES = -DRFS_SUPPRESSIONS='"$(DEFAULT_SUPP)"'
$(BUILD)/supervisor/cli/options/suppressions_files.o: $(DEFAULT_SUPP)

# the script of the page of a run
PAGE_SCRIPT := supervisor/report/html/page.js
$(BUILD)/supervisor/report/html/html_script.o: DEFINES = -DRFS_PAGE_SCRIPT='"$(PAGE_SCRIPT)"'
$(BUILD)/supervisor/report/html/html_script.o: $(PAGE_SCRIPT)

$(BUILD)/%.o: %.c | $(BUILD)/found
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(CFLAGS_ALL) $(PKG_CFLAGS) $(DEFINES) -c -o $@ $<
# the names of system calls, from the kernel headers
$(BUILD)/supervisor/base/text/syscall_name.o: $(BUILD)/generated/syscall_names.def
$(BUILD)/generated/syscall_names.def: | $(BUILD)/found
	@mkdir -p $(@D)
	$(call say,GEN,$@)
	$(Q)echo '#include <sys/syscall.h>' | $(CC) -E -dM - | sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/NAME(\1)/p' >$@
# the version, from git if it is there; the file changes only with the version
VERSION := $(shell .ci/version)
$(BUILD)/supervisor/base/version.o: $(BUILD)/generated/version.def
$(BUILD)/generated/version.def: FORCE
	@mkdir -p $(@D)
	@echo '"$(VERSION)"' | cmp -s - $@ || echo '"$(VERSION)"' >$@
FORCE:
$(BUILD)/found:
	@mkdir -p $(@D)
	@$(call need,check,build)
	@touch $@

# ---- goals for users ----
# A goal that installs packages starts a second make, which can then use them. Without -j, it builds on all cores.
SUBMAKE = +@$(MAKE) --no-print-directory $(if $(findstring -j,$(MAKEFLAGS)),,-j$$(nproc))

include targets/targets.mk tests/tests.mk tests/fuzz/fuzz.mk tests/bench/bench.mk

demo:
	@$(call need,install,build)
	$(SUBMAKE) demo-built
demo-built: rfsup $(BUILD)/targets/O2g/figure1
	@echo '$$ ./rfsup $(BUILD)/targets/O2g/figure1'
	@./rfsup $(BUILD)/targets/O2g/figure1; status=$$?; echo "exit status $$status (1: something was found)"; \
		test $$status = 1

# what needs other machines: fresh Debian systems in folders, and a Slurm of one node. Needs root and Debian's packages
check-machines: $(BUILD)/rfsup
	@$(call need,install,build machines)
	$(SUBMAKE) $(BUILD)/targets/O2g/cxx_shared_ptr
	tests/machines/cluster.sh $(BUILD) $(BUILD)/targets/O2g/cxx_shared_ptr --runs 30 --explore 700
	tests/machines/pack.sh $(BUILD)
	tests/machines/package.sh $(BUILD)
	tests/machines/newcomer.sh $(BUILD)

# the defects of released libraries in docs/BUGS.md, each seen once and replayed
bugs:
	@$(call need,install,build bugs)
	$(SUBMAKE) $(BUILD)/rfsup
	@tests/bugs/run $(BUILD) $(filter-out *,$(ONLY))

C_FILES = $(wildcard */*.c */*/*.c supervisor/*/*/*.c tests/supervisor/*/*.c)
C_HEADERS = $(wildcard */*.h */*/*.h supervisor/*/*/*.h tests/supervisor/*/*.h)
lint:
	@$(call need,check,build lint)
	$(SUBMAKE) lint-built
# each part is a goal, so that they use all cores
LINT_PARTS := $(addprefix lint-,format includes references files options docs man)
lint-built: $(LINT_PARTS)
	@echo "lint: clean"
lint-references lint-options: $(BUILD)/rfsup
lint-format:
	@printf '%s\n' $(C_FILES) $(C_HEADERS) | xargs -P $$(nproc) -n 50 clang-format --dry-run -Werror
lint-includes lint-files lint-docs:
	@tests/lint/$(@:lint-%=%)
lint-references:
	@tests/lint/references $(BUILD)
lint-options:
	@tests/lint/options $(BUILD)/rfsup
lint-man:
	@for page in man/*.[157]; do mandoc -T lint -W warning $$page || exit 1; done

# not targets/, which have bugs on purpose; one process for each file, because clang-tidy 14 crashes if it gets many
tidy:
	@$(call need,check,build test lint)
	@$(MAKE) --no-print-directory $(BUILD)/generated/syscall_names.def
	@printf '%s\n' $(filter-out targets/%,$(C_FILES)) | xargs -P $$(nproc) -I FILE \
		clang-tidy --quiet FILE -- -std=gnu11 -D_GNU_SOURCE -I. -I$(BUILD)/generated -DRFS_BUILD='"$(BUILD)"' $(PKG_CFLAGS)

deps:
	@$(call need,install,build test lint)
# only what the build needs
deps-build:
	@$(call need,install,build)

SHARE = $(DESTDIR)$(PREFIX)/share
MANDIR = $(SHARE)/man
# zsh has no one place for completions of packages; Debian's is vendor-completions
ZSH_DIR = $(SHARE)/zsh/site-functions
BASH_DIR = $(SHARE)/bash-completion/completions
# what the author of a policy includes
PLUGIN_HEADERS := policy.h operations.h results.h
CMAKE_DIR = $(DESTDIR)$(PREFIX)/lib/cmake/rfsup
install: $(BUILD)/rfsup
	install -D -m 755 $(BUILD)/rfsup $(DESTDIR)$(PREFIX)/bin/rfsup
	for h in $(PLUGIN_HEADERS); do install -D -m 644 policy/$$h $(DESTDIR)$(PREFIX)/include/rfsup/$$h || exit 1; done
	install -D -m 644 policy/rfsup.h $(DESTDIR)$(PREFIX)/include/rfsup.h
	for p in man/*.[157]; do install -D -m 644 $$p $(MANDIR)/man$${p##*.}/$${p#man/} || exit 1; done
	install -D -m 644 $(DEFAULT_SUPP) $(SHARE)/rfsup/default.supp
	for h in hints/*.hints; do install -D -m 644 $$h $(SHARE)/rfsup/$$h || exit 1; done
	install -D -m 644 docs/report.schema.json $(SHARE)/rfsup/report.schema.json
	install -D -m 644 cmake/rfsup-config.cmake $(CMAKE_DIR)/rfsup-config.cmake
	mkdir -p $(BASH_DIR) $(ZSH_DIR) $(SHARE)/pkgconfig
	$(BUILD)/rfsup --completion=bash >$(BASH_DIR)/rfsup
	$(BUILD)/rfsup --completion=zsh >$(ZSH_DIR)/_rfsup
	printf '%s\n' 'Name: rfsup' 'Description: marks for programs, and policies for the scheduler of rfsup' 'Version: $(VERSION)' \
		'Cflags: -I$(PREFIX)/include' >$(SHARE)/pkgconfig/rfsup.pc
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/rfsup $(addprefix $(DESTDIR)$(PREFIX)/include/rfsup/,$(PLUGIN_HEADERS)) $(DESTDIR)$(PREFIX)/include/rfsup.h
	rm -f $(BASH_DIR)/rfsup $(ZSH_DIR)/_rfsup $(SHARE)/pkgconfig/rfsup.pc
	rm -f $(SHARE)/rfsup/default.supp $(SHARE)/rfsup/report.schema.json $(CMAKE_DIR)/rfsup-config.cmake
	-rmdir $(CMAKE_DIR)
	for h in hints/*.hints; do rm -f $(SHARE)/rfsup/$$h; done
	-rmdir $(DESTDIR)$(PREFIX)/include/rfsup $(SHARE)/rfsup/hints $(SHARE)/rfsup
	for p in man/*.[157]; do rm -f $(MANDIR)/man$${p##*.}/$${p#man/}; done

# the tracked files as an archive; the same commit gives the same bytes
dist:
	@mkdir -p $(BUILD)
	git archive --format=tar --prefix=rfsup-$(VERSION)/ HEAD | gzip -n >$(BUILD)/rfsup-$(VERSION).tar.gz
	@echo $(BUILD)/rfsup-$(VERSION).tar.gz

# builds the last commit twice, in folders of different names, and compares
reproducible:
	.ci/reproducible $(BUILD)/reproducible

# the image of Containerfile, with $(CONTAINER), which needs the network for Debian's packages; a tag has no +
CONTAINER ?= docker
container: dist
	$(CONTAINER) build -t rfsup:$(subst +,-,$(VERSION)) --build-arg ARCHIVE=rfsup-$(VERSION).tar.gz -f Containerfile $(BUILD)

clean:
	rm -rf $(BUILD) build-asan build-fuzz rfsup

help:
	@echo 'make [all]       builds ./rfsup; installs nothing'
	@echo 'make demo        builds rfsup, runs it on a racy program and shows the report; installs what that needs'
	@echo 'make check       runs the tests, with one target program of each rule; installs what that needs'
	@echo 'make check-full  runs all tests, with all target programs in seven builds; takes an hour'
	@echo '                 FILTER='\''targets/*'\'' selects tests of check, check-full and unit'
	@echo '                 PART=1/4 runs a quarter of them, with one summary of the parts that were run since the first'
	@echo 'make check-machines  tries clusters, packs, packages and the first hour in fresh Debian systems; needs root'
	@echo 'make unit        runs the unit tests'
	@echo 'make yardstick   compares every run with the commit BASE ($(BASE)); ONLY='\''figure*'\'' selects targets'
	@echo 'make lint        checks formatting, rooms, options against man page, and file lengths; installs nothing'
	@echo 'make tidy        runs clang-tidy; installs nothing'
	@echo 'make bench       measures ratios within one run, into $(BUILD)/bench-results; BENCH=PART selects a part;'
	@echo '                 BENCH_COMMIT=1 writes to tests/bench/results; BENCH_RUNS, BENCH_EXPERIMENTS and BENCH_ROUNDS'
	@echo '                 in the environment set the scale, and BENCH_ROW the rows'
	@echo 'make bench-debian  runs campaigns with a budget on programs of Debian; ONLY='\''pigz node'\'' selects programs'
	@echo 'make bugs        shows defects of released libraries (docs/BUGS.md), and replays them; ONLY='\''NAME'\'' selects'
	@echo 'make fuzz        runs libFuzzer on the file readers, FUZZ_SECONDS (600) for each of FUZZ_READERS'
	@echo 'make deps        installs (Debian) or lists what is missing to build, test and lint'
	@echo 'make install     installs to PREFIX ($(PREFIX)), below DESTDIR if set; make uninstall removes it'
	@echo 'make dist        packs the tracked files of the last commit into $(BUILD)/rfsup-$(VERSION).tar.gz'
	@echo 'make reproducible  builds the last commit twice and compares the bytes'
	@echo 'make container   builds a container image with rfsup, with CONTAINER ($(CONTAINER))'
	@echo 'make clean       removes what was built'
	@echo 'V=1              shows each command instead of one line per file'
	@echo 'ASAN=1           builds with AddressSanitizer and UBSan, in build-asan'
	@echo 'CI=1             makes warnings errors'

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all bugs check-machines demo demo-built lint lint-built $(LINT_PARTS) tidy deps deps-build install uninstall dist reproducible container clean help FORCE
