# What a developer types. Everything else is a command of `curlew`.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed

.NOTPARALLEL:
.PHONY: install installed demo serve test test-all test-packages lint bench bench-packages load look soak boot deb readme clean

install:        ## system packages when this account may, and .venv with everything
	@deploy/install-packages.sh
	@deploy/install-venv.sh $(PYTHON) $(VENV)
	@touch $(INSTALLED)

# Targets that a fresh machine begins with set it up by this; others only look whether that was done.
$(INSTALLED): setup.cfg
	@$(MAKE) --no-print-directory install

installed:
	@[ $(INSTALLED) -nt setup.cfg ] || { \
	    echo "The environment $(VENV) is missing or older than setup.cfg: run make install" >&2; exit 1; }

demo: $(INSTALLED)  ## the main job on real input, with curl and git
	@PATH="$(CURDIR)/$(BIN):$$PATH" deploy/demo.sh

serve: $(INSTALLED)  ## the server on its embedded default, in the foreground
	@$(BIN)/curlew serve

test: test-packages $(INSTALLED)  ## lint, a core of tests, and those nearest to what changed: what .ci/run calls; SINCE=<commit>
	@$(BIN)/python -m tests.lanes

test-all: test-packages $(INSTALLED)  ## every test; hours
	@$(BIN)/python -m tests.lanes --whole

test-packages:
	@deploy/install-packages.sh test

bench-packages:
	@deploy/install-packages.sh bench

lint: installed  ## style, types, and who imports whom
	@$(BIN)/ruff check --no-cache .
	@$(BIN)/ruff format --check --no-cache .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache --no-logo

bench: bench-packages installed  ## figures against floors started in the same run; BENCH="--only a e1 --write" chooses
	@$(BIN)/python -m tests.bench.run $(BENCH)

load: installed  ## many clients for ten minutes: times, 5xx, refused connections, memory; LOAD="--seconds 60 --podman" chooses
	@$(BIN)/python -m tests.load.run $(LOAD)

look: installed  ## contact sheets of all plots in build/look, to be looked at; LOOK="dot gantt --widths 360 900" chooses
	@$(BIN)/python -m tests.look.run $(LOOK)

soak: installed test-packages  ## fuzzing, crashes, revocations, greed and hostile builds with new seeds for SOAK_SECONDS (600); then boot
	@$(BIN)/python -m tests.soak.run
	@$(MAKE) --no-print-directory boot

boot: installed  ## install, use, kill, restart and update on a machine that boots (systemd-nspawn); as root, ten minutes
	@deploy/install-packages.sh boot
	@$(BIN)/python -m tests.boot.run

deb: installed  ## a Debian package for this Debian, in dist/
	@deploy/package.sh $(BIN)/python dist

readme: installed  ## the generated parts of the manual and the list of the API, made anew
	@$(BIN)/python -m tests.kit.generated --write

clean:
	@rm -rf $(VENV) build dist *.egg-info .coverage .coverage.* .hypothesis .pytest_cache .mypy_cache .ruff_cache
