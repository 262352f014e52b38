# One program makes all measurements. BENCH selects one of them: goals, table, orders, collections, drfinder, needles,
# detectors, peers, growth, replay, against, first, openmp, executions or search. BENCH_SHRINK=N makes detectors and the
# compressed file of peers N times smaller.
# Results go to the build folder, or with BENCH_COMMIT=1 to tests/bench/results, to be committed. Included by the root
# Makefile.
BENCH_RESULTS = $(if $(BENCH_COMMIT),tests/bench/results,$(BUILD)/bench-results)
BENCH_RESULT = $(BENCH_RESULTS)/$(shell uname -n)$(addprefix -,$(BENCH)).txt
$(BUILD)/bench: $(call test_objects,bench) $(call supervisor_from,$(or $(LINKED_kernel),run))
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $(call link_inputs,$^) $(LIBS)

# rfsup --generate, which can leave out parts of its search
$(BUILD)/bench-without: $(BUILD)/tests/bench/generate/without.o $(call supervisor_from,generate)
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -o $@ $(call link_inputs,$^) $(LIBS)

# programs that are only measured; they are built like the targets
BENCH_PROGRAMS := $(addprefix $(BUILD)/bench-programs/,asks figure1 \
	$(basename $(notdir $(wildcard tests/bench/programs/*.c tests/bench/programs/*.cc))))
BENCH_FLAGS = -pthread -O2 -g -Wall -Wextra $(if $(CI),-Werror) -MMD -MP -MF $@.d -MT $@
$(BUILD)/bench-programs/%: tests/bench/programs/%.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(BENCH_FLAGS) $$(pkg-config --cflags glib-2.0) -o $@ $< $(BENCH_LIBS)
# The target figure1 lets its second thread wait, so that baseline runs seldom fail. Here it does not wait.
$(BUILD)/bench-programs/figure1: targets/figure1.c
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE -DAPART_ROUNDS=0 $(BENCH_FLAGS) -o $@ $<
# the client for servers that are measured
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
# pkg-config of apr-util lists the libraries of all databases that it supports, so it is not used
$(BUILD)/bench-programs/apr_pool: BENCH_LIBS = $$(pkg-config --cflags apr-1) -laprutil-1 -lapr-1
# programs on which rfsup is compared with other tools: built as a user would build them, and with ThreadSanitizer
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
# OpenMP programs and their twins, each in several builds
BENCH_OPENMP := $(basename $(notdir $(wildcard tests/bench/programs/openmp/*.c)))
define bench_openmp_rules
$(BUILD)/bench-programs/openmp/$(1)/%_fixed: tests/bench/programs/openmp/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) -std=gnu11 -fopenmp -Wall $(2) -DFIXED -o $$@ $$<
$(BUILD)/bench-programs/openmp/$(1)/%: tests/bench/programs/openmp/%.c
	@mkdir -p $$(@D)
	$$(call say,CC,$$@)
	$$(Q)$$(CC) -std=gnu11 -fopenmp -Wall $(2) -o $$@ $$<
BENCH_PROGRAMS += $(foreach name,$(BENCH_OPENMP),$(addprefix $(BUILD)/bench-programs/openmp/$(1)/,$(name) $(name)_fixed))
endef
$(eval $(call bench_openmp_rules,O0g,-O0 -g))
$(eval $(call bench_openmp_rules,O2g,-O2 -g))
$(eval $(call bench_openmp_rules,O2,-O2))

bench:
	@$(call need,install,build test bench)
	$(SUBMAKE) bench-built
bench-built: $(BUILD)/rfsup $(BUILD)/bench targets-O2g $(BENCH_PROGRAMS) \
		$(foreach build,plain tsan,$(addprefix $(BUILD)/bench-peers/$(build)/,$(BENCH_PEERS)))
	@mkdir -p $(BENCH_RESULTS)
	@$(BUILD)/bench $(BUILD)/rfsup $(BUILD)/targets/O2g $(BENCH) $(BENCH_SHRINK) | tee $(BENCH_RESULT)
	@echo "written to $(BENCH_RESULT)"
# all figures of speed that have a goal, in less than 8 minutes
SPEED_PEERS = grid tasks btree water allocs locks queue
bench-speed: $(BUILD)/rfsup $(BUILD)/bench $(addprefix $(BUILD)/targets/O2g/,lock_pairs compute figure1) \
		$(BUILD)/bench-programs/figure1 \
		$(foreach build,plain tsan,$(addprefix $(BUILD)/bench-peers/$(build)/,$(SPEED_PEERS)))
	@mkdir -p $(BENCH_RESULTS)
	@BUILD=$(BUILD) tests/bench/speed.sh $(BENCH_RESULTS)/$(shell uname -n)-speed.txt
# campaigns on programs that others wrote
bench-debian: $(BUILD)/rfsup
	@$(call need,install,build debian)
	@tests/bench/debian.sh $(BUILD) $(filter-out *,$(ONLY))
.PHONY: bench bench-built bench-debian bench-speed
