# SPDX-License-Identifier: GPL-2.0-only
# The only entry point. `make help` lists every target.

MODULES := $(shell packaging/meta Modules)
SUITES  := bookworm trixie trixie-backports
KVER    ?= $(shell uname -r)
SUITE   ?= trixie
# vm-check runs on every suite, unless SUITE is given on the command line or in the environment.
VM_SUITES := $(if $(filter command line environment,$(origin SUITE)),$(SUITE),$(SUITES))
# KERNEL=debug replaces the stock kernels by one with KASAN, lockdep, kmemleak and more, KERNEL=kcsan by one with KCSAN.
# Both are 6.12; debug-newest and kcsan-newest are the newest kernel of Debian's backports.
ifneq ($(KERNEL),)
VM_SUITES := $(KERNEL)
endif
BENCHES := ctxra nfsd nfsra raid5 iostune
BENCH   ?= $(BENCHES)
ifneq ($(filter-out $(BENCHES),$(BENCH)),)
$(error no bench $(BENCH); there are $(BENCHES))
endif
TEST    ?=
MINUTES ?= 10
SEED    ?= 1
CASE    ?=
ROUNDS  ?= 6
REF     ?=

export PYTHONDONTWRITEBYTECODE := 1

.DEFAULT_GOAL := help
.PHONY: help deps modules prebuilt deb rpm ppa repo kunit vm-root vm-shell vm-check torture matrix lint check demo bench gauntlet report clean

help: ## list every target
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-43s %s\n", $$1 args[$$1], $$2 } \
		/^# args / { split($$0, w, " "); args[w[3]] = substr($$0, length("# args " w[3]) + 1) }' $(MAKEFILE_LIST)

deps: ## install the packages that building and testing need on Debian (as root)
	@tests/install-deps

# args modules KVER=
modules: ## build every module for kernel KVER (default: the running one) in build/modules/KVER
	@packaging/build-modules "$(KVER)" $(MODULES)

# args prebuilt KVER= MODULE=
prebuilt: deb ## build packages of signed modules for kernel KVER, all or MODULE, in build/prebuilt, for sites without a compiler
	@packaging/prebuilt "$(KVER)" $(or $(MODULE),$(MODULES))

deb: ## build the Debian packages in build/deb
	@packaging/debian/build

rpm: ## build the RPM packages in build/rpm
	@packaging/rpm/build

# args ppa SERIES=
ppa: ## build the source package for a PPA of Ubuntu's SERIES (noble, for example) in build/ppa, signed with the key KEY
	@packaging/ppa "$(SERIES)"

# args repo KEY= URL=
repo: deb rpm ## build apt and dnf repositories in build/repo, to be served at URL, signed with the key KEY or a trial key
	@packaging/repo/build

# args kunit KERNEL=debug|kcsan
kunit: ## run the KUnit suites on UML, on linux-source-6.1 and -6.12
	@kunit/run $(KERNEL)

# args vm-root SUITE=
vm-root: ## build the root file system of SUITE (bookworm, trixie, trixie-backports)
	@tests/vm/vm root "$(SUITE)"

# args vm-shell SUITE=
vm-shell: deb ## boot SUITE's stock kernel with the modules installed, and open a shell
	@tests/vm/vm shell "$(SUITE)"

# args vm-check TEST= SUITE= KERNEL=debug|kcsan
vm-check: deb rpm ## run the VM tests, all but the long ones or TEST (module/number), on all suites or SUITE
	@status=0; tests/vm/vm check $(if $(TEST),--test "$(TEST)") $(VM_SUITES) || status=$$?; \
		$(if $(KERNEL),tests/sanitizers;) exit $$status

# args torture MINUTES= SUITE= SEED= KERNEL=debug|kcsan
torture: deb ## run all modules under verified load while settings change and components fail
	@tests/vm/vm check --test common/007 --args "$(MINUTES) $(SEED)" $(if $(KERNEL),$(KERNEL),$(SUITE))

# args matrix SUITE=SUITE|headers|next
matrix: deb ## boot each kernel that Debian builds, build for all with headers, and write docs/matrix.md
	@tests/matrix $(if $(filter command line environment,$(origin SUITE)),$(SUITE))

lint: ## run the static checks of tests/lint: checkpatch, sparse, coccinelle, circles, words and more
	@tests/lint/run

check: ## run lint, KUnit, package tests, and all but the long VM tests on three kernels
	@tests/check

demo: ## compare stock and ctxra on Debian 13: a table and build/demo/demo.png
	@tests/install-deps demo
	@$(MAKE) --no-print-directory deb
	@bench/demo

# args bench BENCH= SUITE=
bench: deb ## measure seqkeep relative to stock: ctxra, nfsd, nfsra, raid5 and iostune, or BENCH; leaves build/bench/*.json
	@status=0; for suite in $(VM_SUITES); do for bench in $(BENCH); do \
		bench/run $$bench "$$suite" || status=1; \
	done; done; exit $$status

# args gauntlet CASE= SUITE= ROUNDS= REF=
gauntlet: deb ## run real programs on stock and seqkeep, a verdict each: all cases or CASE (group/name), in docs/gauntlet.md
	@tests/gauntlet/run $(if $(CASE),--case "$(CASE)") --rounds "$(ROUNDS)" $(if $(REF),--ref "$(REF)") $(VM_SUITES)

report: ## write docs/RESULTS.md, docs/REFERENCES.md, docs/figures and build/report from the results of make bench
	@bench/report

clean: ## remove build, except build/cache
	@find build -mindepth 1 -maxdepth 1 ! -name cache -exec rm -rf {} + 2>/dev/null || true
