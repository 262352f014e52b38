# make fuzz runs each reader of files under libFuzzer, which comes with clang, for FUZZ_SECONDS. Inputs that fail are left in
# build-fuzz. Add them to tests/fuzz/seeds, so that make check runs them. Included by the root Makefile.
FUZZ_READERS ?= record pairs trace input hints reports xml json suppressions journal part pack baseline
FUZZ_SECONDS ?= 600
FUZZ_SANITIZE := -fsanitize=address,undefined -fno-omit-frame-pointer -fno-sanitize-recover=undefined
fuzz:
	@$(call need,install,build test)
	$(SUBMAKE) fuzz-built BUILD=build-fuzz CC=clang WARN= SANITIZE="-fsanitize=fuzzer-no-link $(FUZZ_SANITIZE)"
# -MMD would write fuzz-READER.d, which this rule would then want to make
$(BUILD)/fuzz-%: tests/fuzz/entry.c $(addprefix $(BUILD)/tests/fuzz/,readers.o parts.o) $(call supervisor_from,cli)
	$(call say,LINK,$@)
	$(Q)$(CC) $(filter-out -MMD -MP,$(CFLAGS_ALL)) -DRFS_FUZZ=rfs_fuzz_$* -fsanitize=fuzzer -rdynamic -o $@ \
		$(call link_inputs,$^) $(LIBS)
.PRECIOUS: $(BUILD)/fuzz-%
# print_funcs would start a symbolizer, and a campaign ends all processes that are left of its runs.
# LeakSanitizer traces the program, so it cannot work if that is forbidden, or if a debugger traces the program already
fuzz-built: $(FUZZ_READERS:%=$(BUILD)/fuzz-%)
	@leaks=1; $(BUILD)/fuzz-$(firstword $(FUZZ_READERS)) -runs=0 2>&1 | grep -q 'LeakSanitizer has encountered a fatal' && \
		{ leaks=0; echo "fuzz: leaks are not looked for, because LeakSanitizer cannot trace here"; }; \
	export ASAN_OPTIONS=detect_leaks=$$leaks; for r in $(FUZZ_READERS); do \
		mkdir -p $(BUILD)/corpus/$$r; dict=tests/fuzz/$$r.dict; test -e $$dict && dict=-dict=$$dict || dict=; \
		echo "== $$r"; \
		$(BUILD)/fuzz-$$r $$dict -max_total_time=$(FUZZ_SECONDS) -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
			-detect_leaks=$$leaks -print_funcs=0 \
			-artifact_prefix=$(BUILD)/$$r- $(BUILD)/corpus/$$r tests/fuzz/seeds/$$r >$(BUILD)/fuzz-$$r.log 2>&1 || \
			{ tail -40 $(BUILD)/fuzz-$$r.log; exit 1; }; \
		grep -E '^(Done|stat::number)|^#.*DONE' $(BUILD)/fuzz-$$r.log; \
	done
.PHONY: fuzz fuzz-built
