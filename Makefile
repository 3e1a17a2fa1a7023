# Commands for developers. All others are commands of `curlew`.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.NOTPARALLEL:
.PHONY: install installed demo serve test test-all test-packages lint bench bench-packages load look soak boot deb readme clean

install:        ## system packages, if this account may install them, and .venv with all Python packages
	@deploy/install-packages.sh
	@deploy/install-venv.sh $(PYTHON) $(VENV)
	@touch $(INSTALLED)

# Targets for a new machine install the environment by this rule. Others only check that it is installed.
$(INSTALLED): setup.cfg
	@$(MAKE) --no-print-directory install

installed:
	@[ $(INSTALLED) -nt setup.cfg ] || { \
	    echo "The environment $(VENV) is missing or older than setup.cfg: run make install" >&2; exit 1; }

demo: $(INSTALLED)  ## a demonstration with curl and git
	@PATH="$(CURDIR)/$(BIN):$$PATH" deploy/demo.sh

serve: $(INSTALLED)  ## the server with default settings, in the foreground
	@$(BIN)/curlew serve

test: test-packages $(INSTALLED)  ## lint, the core tests, and the tests for changed files, as .ci/run does; SINCE=<commit>
	@$(BIN)/python -m tests.lanes

test-all: test-packages $(INSTALLED)  ## all tests; takes hours
	@$(BIN)/python -m tests.lanes --whole

test-packages:
	@deploy/install-packages.sh test

bench-packages:
	@deploy/install-packages.sh bench

lint: installed  ## style, types, and the rules for imports
	@$(BIN)/ruff check --no-cache .
	@$(BIN)/ruff format --check --no-cache .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo

bench: bench-packages installed  ## the benchmark, compared with other servers in the same run; options in BENCH="--only a e1 --write"
	@$(BIN)/python -m tests.bench.run $(BENCH)

load: installed  ## many clients for ten minutes: times, 5xx, refused connections, memory; options in LOAD="--seconds 60 --podman"
	@$(BIN)/python -m tests.load.run $(LOAD)

look: installed  ## contact sheets of all plots in build/look, to inspect; options in LOOK="dot gantt --widths 360 900"
	@$(BIN)/python -m tests.look.run $(LOOK)

soak: installed test-packages  ## fuzzing, crashes, revocations, overload and hostile builds with new seeds for SOAK_SECONDS (600); then boot
	@$(BIN)/python -m tests.soak.run
	@$(MAKE) --no-print-directory boot

boot: installed  ## install, use, kill, restart and update on a machine that boots (systemd-nspawn); needs root, takes ten minutes
	@deploy/install-packages.sh boot
	@$(BIN)/python -m tests.boot.run

deb: installed  ## a Debian package for this Debian, in dist/
	@deploy/package.sh $(BIN)/python dist

readme: installed  ## generate the parts of the manual and the list of the API again
	@$(BIN)/python -m tests.kit.generated --write

clean:
	@rm -rf $(VENV) build dist *.egg-info .coverage .coverage.* .hypothesis .pytest_cache .mypy_cache .ruff_cache
