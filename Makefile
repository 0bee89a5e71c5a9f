# Two commands on a fresh machine: `make run` and `make test`. People who work on the code use the CMake presets.
# Each target first sees to the packages that it needs (tools/setup.sh); where they are there, it touches nothing.
SHELL := /bin/bash
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
export DESTDIR PYTHONS
BUILD := build/release

.PHONY: help run test check-all peers bench bench-check install uninstall packages wheels clean build build-bench
.DEFAULT_GOAL := help

help:
	@echo 'make run [FILE=path]   build, then encrypt, decrypt, verify and hash a real file; speed of this machine'
	@echo 'make test              the tests that every change must pass (half an hour on two slow cores)'
	@echo 'make check-all [STEPS="asan s390x"]   sanitizers, other CPUs under qemu, constant time, fuzzing, packages'
	@echo 'make bench             the whole benchmark with the peers that are installed'
	@echo 'make bench-check       ratios to the peers against the floors of programs/bench/baselines (quiet machine; minutes)'
	@echo 'make peers [BOTAN=source]   builds the peers that come from crates.io (needs cargo), and Botan 3 from its source'
	@echo 'make install [PREFIX=/usr/local] [DESTDIR=]'
	@echo 'make uninstall [PREFIX=/usr/local] [DESTDIR=]   removes what make install put there'
	@echo 'make packages          .deb packages in build/packages (Debian, Ubuntu)'
	@echo 'make wheels [PYTHONS="python3.11 python3.12"]   Python wheels in build/packages'
	@echo 'make clean             removes build/'
	@echo 'VSH_SKIP_SETUP=1 make … leaves the package manager alone; JOBS=n limits the compilers'

# A step of its own shell: says how long it took. $(call step,NAME,COMMAND)
step = $(2) && printf 'make: %s: %d s\n' '$(1)' "$$SECONDS"

build:
	@tools/setup.sh build
	@$(call step,configuring,cmake --preset release)
	@$(call step,building vershina,cmake --build --preset release -j $(JOBS) --target vershina)

build_bench = $(call step,building vershina-bench,cmake --build --preset release -j $(JOBS) --target vershina-bench)

build-bench: build
	@$(build_bench)

# The program first, which is what encrypts; what measures is compiled after it has done so.
run: build
	@$(call step,the main job,tools/run-main-job.sh $(BUILD)/vershina $(if $(FILE),"$(FILE)"))
	@$(build_bench)
	@$(call step,the speed summary,tools/speed-summary.sh $(BUILD)/vershina build/bench.html)

test:
	@$(call step,packages,tools/setup.sh build test $(if $(filter true,$(CI)),large))
	@tools/run-tests.sh release

check-all:
	@tools/check-all.sh $(STEPS)

peers:
	@command -v cargo > /dev/null || tools/setup.sh peers
	@cargo build --release --locked --manifest-path programs/bench/peers/rustcrypto/Cargo.toml --target-dir build/peers
	@if [[ -n "$(BOTAN)" ]]; then JOBS=$(JOBS) programs/bench/peers/botan.sh "$(BOTAN)" build/peers/release; fi

bench: build-bench
	@$(BUILD)/vershina bench --kernels all --peers --all

# Run by hand, not in CI: depends on the machine.
bench-check: build-bench
	@$(BUILD)/vershina bench --peers --kernels all --modes ecb,ctr,cnt,imit,mac,hash,mgm,hmac --sizes 16KiB --json build/bench-check.json
	@$(BUILD)/vershina bench --study batches --algorithms kuznyechik,magma --modes ecb,mac,mgm --sizes 512,4096 --threads 1 --json build/bench-batches.json
	@programs/bench/check_floors.py build/bench-check.json programs/bench/baselines/floors.toml --batches build/bench-batches.json

install: build
	@cmake --build --preset release -j $(JOBS) --target installed
	@tools/install.sh install $(BUILD) $(PREFIX)

uninstall:
	@tools/install.sh uninstall $(PREFIX)

# Packages for people who do not compile (docs/packages.md).
packages:
	@tools/setup.sh build packages
	@tools/packages.sh deb

wheels: build
	@tools/setup.sh wheels
	@cmake --build --preset release -j $(JOBS) --target installed
	@tools/packages.sh wheels

clean:
	rm -rf build
