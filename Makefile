# acpdbg: see README.md. `make run` and `make test` work as the first command after a clone.

BUILD ?= build
CC ?= cc
FILE ?= sample-sessions/plain.acps.jsonl
# V=1 shows every command
say = $(if $(V),,@echo "  $(1)	$(2)";)

CSTD = -std=c11 -D_POSIX_C_SOURCE=200809L -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=700
WARN = -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wvla
OPT ?= -O2 -g
# no fused multiply-add: the kernel's numbers are plain IEEE doubles (kernel.md, conventions)
ALL_CFLAGS = $(CSTD) $(WARN) $(OPT) -ffp-contract=off -I. $(PKG_CFLAGS) $(CFLAGS)
ALL_LIBS = $(PKG_LIBS) -lm $(LDFLAGS)

SRC_LIB = $(sort $(wildcard engine/base/*.c engine/kernel/*.c engine/host/*.c \
	replay/*.c replay/readers/*.c replay/view/*.c replay/report/*.c replay/cli/*.c))
SRC_TUI = $(sort $(filter-out tui/main.c,$(wildcard tui/*.c)))
SRC_TEST = $(sort $(wildcard tests/engine/*.c tests/replay/*.c tests/tui/*.c))
SRC_TEST_LIB = $(sort $(wildcard tests/*.c))
SRC_BENCH = $(sort $(wildcard tests/bench/*.c))
SRC_FUZZ = $(sort $(wildcard tests/fuzz/fuzz_*.c))
obj = $(patsubst %.c,$(BUILD)/%.o,$(1))
LIBS = $(BUILD)/libtui.a $(BUILD)/libacpdbg.a
TESTS = $(patsubst %.c,$(BUILD)/%,$(SRC_TEST))
FUZZERS = $(patsubst %.c,$(BUILD)/%,$(SRC_FUZZ))

.PHONY: all run test tests asan keys fuzz fuzzers lint format bench clean
all: $(BUILD)/acpdbg

# Steps a recorded session: the screen on a terminal, a table otherwise. `make run FILE=my.jsonl`
run: all
	$(BUILD)/acpdbg "$(FILE)"

test: $(BUILD)/test-deps all tests
	tests/run.sh $(BUILD)

tests: $(TESTS)

asan: ASAN = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
asan:
	$(MAKE) BUILD=$(BUILD)/asan OPT="$(ASAN)" test

# Random keys on every sample. Not part of test, which presses fewer of them. `make keys KEYS=5000`
KEYS ?= 100000
keys: ASAN = -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
keys: $(BUILD)/test-deps
	$(MAKE) BUILD=$(BUILD)/asan OPT="$(ASAN)" $(BUILD)/asan/tests/keys/keys
	tests/keys/run.sh $(BUILD)/asan $(KEYS)

# FOR: seconds for each target. Not part of test.
FOR ?= 60
fuzz: SANITIZE = -O1 -g -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
fuzz: $(BUILD)/test-deps
	.ci/deps fuzz
	$(MAKE) BUILD=$(BUILD)/fuzz CC=clang OPT="$(SANITIZE)" fuzzers
	tests/fuzz/run.sh $(BUILD)/fuzz $(FOR)

fuzzers: $(FUZZERS) $(BUILD)/tests/fuzz/seeds

lint:
	.ci/deps build lint
	.ci/lint

format:
	.ci/deps lint
	clang-format -i $$(git ls-files '*.c' '*.h')

bench: all $(BUILD)/bench
	tests/bench/run.sh $(BUILD)

clean:
	rm -rf $(BUILD)

$(BUILD)/acpdbg: $(call obj,tui/main.c) $(LIBS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/libacpdbg.a: $(call obj,$(SRC_LIB))
$(BUILD)/libtui.a: $(call obj,$(SRC_TUI))
$(LIBS):
	@rm -f $@
	$(call say,AR,$@)$(AR) rcs $@ $^

$(BUILD)/%.o: %.c $(BUILD)/flags.mk Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

$(TESTS): $(BUILD)/%: $(BUILD)/%.o $(call obj,$(SRC_TEST_LIB)) $(LIBS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(LIBS) $(ALL_LIBS) -lcmocka

$(FUZZERS): $(BUILD)/%: $(BUILD)/%.o $(call obj,tests/fuzz/load.c) $(LIBS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) -fsanitize=fuzzer -o $@ $^ $(ALL_LIBS)

$(BUILD)/tests/fuzz/seeds: $(call obj,tests/fuzz/seeds.c $(SRC_TEST_LIB)) $(LIBS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS) -lcmocka

$(BUILD)/tests/keys/keys: $(call obj,tests/keys/keys.c tests/random_keys.c) $(LIBS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) -o $@ $^ $(ALL_LIBS)

$(BUILD)/bench: $(call obj,$(SRC_BENCH) $(filter-out tests/generate_dsh.c,$(wildcard tests/generate*.c))) $(LIBS)
	$(call say,LD,$@)$(CC) $(ALL_CFLAGS) -o $@ $(filter %.o,$^) $(LIBS) $(ALL_LIBS)

# What the installed libraries want; making it installs them where they are missing.
$(BUILD)/flags.mk: .ci/deps
	@mkdir -p $(@D)
	@.ci/deps build
	@{ echo "PKG_CFLAGS := $$(pkg-config --cflags ncursesw libcjson libutf8proc libzstd libpcre2-8 | sed 's/-D_[A-Z_]*SOURCE[=0-9]*//g')"; \
	   echo "PKG_LIBS := $$(pkg-config --libs ncursesw libcjson libutf8proc libzstd libpcre2-8)"; } >$@

$(BUILD)/test-deps: .ci/deps
	@mkdir -p $(@D)
	@.ci/deps build test
	@touch $@

ifneq ($(filter-out clean lint format,$(or $(MAKECMDGOALS),all)),)
include $(BUILD)/flags.mk
-include $(patsubst %.c,$(BUILD)/%.d,$(SRC_LIB) $(SRC_TUI) tui/main.c $(SRC_TEST) $(SRC_TEST_LIB) $(SRC_BENCH) $(wildcard tests/fuzz/*.c tests/keys/*.c))
endif
