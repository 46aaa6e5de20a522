# Fairdeal. Needs make and Python 3.11 or newer; everything else is set up in .venv.
#   make PYTHON=python3.13 test    chooses the Python that .venv is made with
#   make demo ONCE=1               stops after the hand

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet
WEB := tests/web
CODE := fairdeal api cli tests tools $(wildcard bench)

# Not run under a parallel make: two pips in one environment get in each other's way.
.NOTPARALLEL:
.DELETE_ON_ERROR:
.PHONY: help demo test lint bench vectors clean setup tools constraints

help: ## show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

demo: $(VENV)/.runtime ## run a whole hand, then serve its page (ONCE=1: stop after the hand)
	$(BIN)/fairdeal demo $(if $(filter-out 0,$(ONCE)),--once)

test: setup tools ## set everything up and run all tests; the core must be covered to 100 %
	$(BIN)/python -m pytest -n 3 --dist worksteal --cov --cov-report=term $(ARGS)

lint: setup ## style, formatting, types, and the walls between the packages
	@$(BIN)/mypy & types=$$!; failed=0; \
	for check in "ruff check" "ruff format --check"; do \
	  echo "$$check $(CODE)"; $(BIN)/$$check $(CODE) || failed=1; done; \
	$(BIN)/lint-imports --no-logo || failed=1; \
	echo mypy; wait $$types || failed=1; exit $$failed

bench: setup ## measure the figures that the README quotes
	@set -e; found=; for script in $(sort $(wildcard bench/bench_*.py)); do \
	  found=1; echo "== $$script"; $(BIN)/python $$script; done; \
	if [ -z "$$found" ]; then echo "This version has no benchmarks: there is no bench/bench_*.py."; fi

vectors: setup ## check the core against the protocol's published vectors
	$(BIN)/python -m pytest -k vectors $(ARGS)

clean: ## remove the environment, caches and reports
	rm -rf $(VENV) $(WEB)/node_modules build dist htmlcov test-results .coverage .coverage.* \
	  .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

setup: $(VENV)/.dev ## make .venv with all that tests and checks need

tools: setup ## bring the browser, Node.js, npm, PostgreSQL and strace, where this system lets us
	@$(BIN)/python tools/provision.py
	@$(MAKE) --no-print-directory $(WEB)/node_modules/.installed

constraints: setup ## compile the pinned requirements anew (UPGRADE=1: to newest versions)
	$(BIN)/python tools/constraints.py $(if $(filter-out 0,$(UPGRADE)),--upgrade)

# --- Stamps: a file each, so that a repeat costs nothing -----------------------------------------------------

$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
	  echo "Fairdeal needs Python 3.11 or newer; '$(PYTHON)' is $$($(PYTHON) --version 2>/dev/null || echo not here)." >&2; \
	  echo "Choose another one with: make PYTHON=/path/to/python3.12 …" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "'$(PYTHON)' cannot make a virtual environment: its venv or ensurepip module is missing." >&2; \
	  echo "On Debian and Ubuntu, as root: apt-get install python3-venv" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV)
	@touch $@

$(VENV)/.runtime: requirements/runtime.txt pyproject.toml | $(VENV)/.made
	$(PIP) install --require-hashes -r requirements/runtime.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.dev: requirements/dev.txt pyproject.toml | $(VENV)/.made
	$(PIP) install --require-hashes -r requirements/dev.txt
	$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@ $(VENV)/.runtime

$(WEB)/node_modules/.installed: $(WEB)/package-lock.json $(WEB)/package.json
	cd $(WEB) && npm ci --no-audit --no-fund --loglevel=error
	@touch $@
