# Test programs (Criterion): $(BUILD)/test-FOLDER, and $(BUILD)/test-supervisor-ROOM. Included by the root Makefile.
# Each is linked only with archives of what its folder or room can reach. The linker takes what is needed, and a reference
# to any other room is an error. The test program of a room has the tests of its sub-rooms.
SUPERVISOR_ROOMS := $(shell sed -n 's|^supervisor/\([a-z_/-]*\)\([[:space:]].*\)*$$|\1|p' tests/lint/rooms)

# archives depend on the folders, because only the folder changes when a file is removed
archive = $(eval $(BUILD)/$(1).a: $(1) $(2))
$(call archive,disasm,$(DISASM) $(wildcard disasm/*))
$(call archive,policy,$(POLICY) $(wildcard policy/*))
$(call archive,tracer,$(TRACER) $(wildcard tracer/*))
$(foreach room,$(SUPERVISOR_ROOMS),$(call archive,supervisor/$(room),\
	$(filter-out $(MAIN),$(patsubst %.c,$(BUILD)/%.o,$(wildcard supervisor/$(room)/*.c)))))
$(BUILD)/%.a:
	@mkdir -p $(@D)
	@rm -f $@
	$(Q)ar rcsT $@ $(filter %.o,$^)

# $(1): objects and archives
link_inputs = $(filter-out %.a,$(1)) -Wl,--start-group $(filter %.a,$(1)) -Wl,--end-group

# $(1): a room. The result is the archives of the room, of its sub-rooms and of all rooms that these can reach.
reached = $(patsubst supervisor/%,%,$(filter-out %.h,$(filter supervisor/%,\
	$(shell awk -f tests/lint/rooms.awk -f tests/lint/reached.awk -v rooms=tests/lint/rooms -v room=supervisor/$(1)))))
supervisor_from = $(patsubst %,$(BUILD)/supervisor/%.a,$(call reached,$(1))) $(BUILD)/tracer.a $(BUILD)/policy.a $(BUILD)/disasm.a

# helpers that tests of several rooms use
$(call archive,tests/supervisor,$(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/supervisor/*.c)))

# a tracer without a process, for the tests of rooms whose code waits for the target and resumes it
$(call archive,tests/supervisor/fake_tracer,$(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/supervisor/fake_tracer/*.c)))
FAKE_TRACER_ROOMS := run kernel sync server state
# $(1): a room
tested_from = $(if $(filter $(1),$(FAKE_TRACER_ROOMS)),$(patsubst %/tracer.a,%/tests/supervisor/fake_tracer.a,\
	$(call supervisor_from,$(1))),$(call supervisor_from,$(1)))

$(if $(wildcard tests/supervisor/*_test.c),$(error tests/supervisor: a test is in the folder of its room))

test_objects = $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/$(1)/*.c))
TESTED_ROOMS := $(filter $(notdir $(patsubst %/,%,$(wildcard tests/supervisor/*/))),$(notdir $(wildcard supervisor/*)))
UNIT_TESTS := $(addprefix $(BUILD)/test-,disasm policy tracer fuzz $(addprefix supervisor-,$(TESTED_ROOMS)))
TESTS := $(UNIT_TESTS) $(BUILD)/test-e2e
$(BUILD)/test-disasm: $(call test_objects,disasm) $(BUILD)/disasm.a
# the model machine uses the model of synchronisation of rfsup
$(BUILD)/test-policy: $(call test_objects,policy) $(call supervisor_from,model)
$(BUILD)/test-tracer: $(call test_objects,tracer) $(BUILD)/tracer.a $(BUILD)/disasm.a
$(BUILD)/test-fuzz: $(filter-out %/entry.o,$(call test_objects,fuzz)) $(call supervisor_from,cli)
$(foreach room,$(TESTED_ROOMS),$(eval $(BUILD)/test-supervisor-$(room): \
	$(call test_objects,supervisor/$(room)) $(BUILD)/tests/supervisor.a \
	$(call tested_from,$(room))))
# a test makes calls as the driver does
$(BUILD)/test-supervisor-generate: $(addprefix $(BUILD)/supervisor/generate/driver/,call.o results.o script.o)
# a test reads the table of this library
$(BUILD)/test-supervisor-state: | $(GUARD)
# a test compares real programs with the model machine, and reads their operations from traces
$(BUILD)/test-e2e: $(call test_objects,e2e) $(addprefix $(BUILD)/tests/policy/,litmus.o model.o machine_sync.o) \
	$(call supervisor_from,record)
$(TESTS): $(BUILD)/tests/times/times.o
$(BUILD)/test-%:
	$(call say,LINK,$@)
	$(Q)$(CC) $(CFLAGS_ALL) -rdynamic -Wl,--wrap=criterion_internal_test_teardown -o $@ $(call link_inputs,$^) -lcriterion $(LIBS)
$(BUILD)/tests/%.o: DEFINES = -DRFS_BUILD='"$(BUILD)"'
# what takes time in these tests is the code that they test, so a compiler that does not optimise saves more than it costs;
# tests/policy has a machine that executes millions of operations
$(addprefix $(BUILD)/tests/,e2e/%.o supervisor/%.o tracer/%.o disasm/%.o): OPT = -O0

# FILTER=... on the command line: only these tests, such as 'targets/*'. PART=K/N: every N-th suite from the K-th on, so that
# check-full can be run in parts, which have one summary. Variables of the environment are ignored, because they would leave
# out tests unseen.
CHECK_FILTER := $(if $(findstring command,$(origin FILTER)),$(FILTER))
CHECK_PART := $(if $(findstring command,$(origin PART)),$(PART),1/1)
CHECK_ENV = RFSUP=$(abspath $(BUILD))/rfsup $(if $(ASAN),LSAN_OPTIONS=suppressions=tests/lint/leaks:print_suppressions=0)
# The targets of the short check: those with a + in targets.txt, and those that a test names, all with their twins.
short_targets = $(sort $(filter $(TARGET_NAMES),$(shell { awk '!/^\#/ && $$NF ~ /^\+/ { print $$1 }' targets/targets.txt; \
	grep -ohE '"[a-z0-9_]+"' tests/e2e/*.c | tr -d '"'; } | sort -u | sed 'p; s/$$/_fixed/')))
check:
	@$(call need,install,build test)
	$(SUBMAKE) check-built CHECK_TARGETS="$(addprefix $(BUILD)/targets/O2g/,$(short_targets) $(TARGET_LIBRARIES))"
check-full:
	@$(call need,install,build test full)
	$(SUBMAKE) check-built CHECK_TARGETS=targets CHECK_ENV="$(CHECK_ENV) RFSUP_CHECK_FULL=1"
unit:
	$(SUBMAKE) check-built TESTS="$(UNIT_TESTS)"
check-built: $(BUILD)/rfsup $(TESTS) $(CHECK_TARGETS)
	@env -u MAKEFLAGS $(CHECK_ENV) tests/times/run $(BUILD) '$(CHECK_PART)' '$(CHECK_FILTER)' $(TESTS)

# For refactorings: compares the runs of the commit BASE with those of this tree, on all targets whose name matches ONLY.
BASE ?= HEAD
ONLY ?= *
yardstick:
	@$(call need,install,build test)
	$(SUBMAKE) yardstick-built
yardstick-built: $(BUILD)/rfsup targets-O2g
	@tests/yardstick/compare.sh $(BUILD) $(BASE) '$(ONLY)'
.PHONY: check check-full check-built unit yardstick yardstick-built
