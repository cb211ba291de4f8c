# Two commands for a newcomer: `make demo` and `make test`. `make help` lists the rest.
PYTHON ?= python3
BIN := .venv/bin
# Compiled kernels are kept beside the environment, so that a second run starts at once: in a folder of their own for
# each state of the source, since a kernel is compiled into those that call it, and numba looks at their files alone.
export NUMBA_CACHE_DIR := $(CURDIR)/.venv/numba-cache/$(shell cat src/divulge/kernels/*.py | cksum | cut -d ' ' -f 1)

.DEFAULT_GOAL := help
.PHONY: help demo open serve test test-fast check fix bench wild peers validate golden docs lock clean

help: ## list the targets
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

# uv reads neither pip's configuration nor its find-links, so where it cannot reach an index, pip does the same work.
define install
	$(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1) \
	  || $(BIN)/python -m pip install --quiet --require-hashes -r $(1)
endef

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit("Divulge needs Python 3.11 or newer; this is %d.%d. Try: make PYTHON=python3.11 …" % sys.version_info[:2] if sys.version_info < (3, 11) else 0)'
	$(PYTHON) -m venv .venv

.venv/installer: requirements-install.lock | .venv/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-install.lock
	@touch $@

.venv/runtime: requirements.lock pyproject.toml .venv/installer
	$(call install,requirements.lock)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --no-index -e .
# Imports are most of a short command. Where PYTHONDONTWRITEBYTECODE is set, nobody else would compile them.
	$(BIN)/python -m compileall -q -j 0 .venv/lib src/divulge
	@touch $@

.venv/dev: requirements-dev.lock .venv/runtime
	$(call install,requirements-dev.lock)
	@touch $@

demo: .venv/runtime ## run the main job on embedded data and print where the report is
	@$(BIN)/divulge demo --run demo-output

open: .venv/runtime ## open a page for a file of your own: five clicks to a verdict
	@$(BIN)/divulge open $(ARGS)

serve: .venv/runtime ## start the service on this machine, with the data of the demonstration
	@mkdir -p demo-output
	@$(BIN)/divulge serve --ledger demo-output/service.sqlite $(ARGS)

test: .venv/dev ## run the tests
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

# Whole programs (commands, the service, the manual, R and Stata) are for `make test`.
FAST := tests/spec tests/contract tests/generative tests/unit tests/golden tests/meta
test-fast: .venv/dev ## run the tests that take a moment: no browser, no server, no killing, no hundreds of splits
	$(BIN)/python -m pytest -n 2 --dist worksteal -q -m "not slow and not needs" $(FAST) $(ARGS)

check: .venv/dev ## lint and check types
	$(BIN)/ruff check src tests docs benchmarks examples
	$(BIN)/ruff format --check src tests docs benchmarks examples
	$(BIN)/mypy

fix: .venv/dev ## format and mend what can be mended
	$(BIN)/ruff check --fix src tests docs benchmarks examples
	$(BIN)/ruff format src tests docs benchmarks examples

bench: .venv/dev ## measure speed beside its baselines (long; never part of the tests)
	$(BIN)/python -m benchmarks $(ARGS)

wild: .venv/dev ## assess outputs that nobody tuned for, from real data beside the project (20 minutes)
	$(BIN)/python -m benchmarks wild

peers: .venv/dev ## install the programs that some benchmarks are run beside (650 MB)
	$(BIN)/python -m benchmarks.peers

validate: .venv/dev ## the long statistical checks
	$(BIN)/python -m benchmarks.validation $(ARGS)

golden: .venv/dev ## write the records that tests/golden compares with anew
	GOLDEN=write $(BIN)/python -m pytest -q tests/golden

docs: .venv/dev ## build the documentation site into site/
	$(BIN)/python -m docs.generate
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lock: .venv/dev ## resolve the dependencies anew
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml --extra web --extra postgres --extra oidc --extra readers --group build -o requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 pyproject.toml --extra web --extra postgres --extra oidc --extra readers --group build --group dev -c requirements.lock -o requirements-dev.lock
	echo uv | $(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --python-version 3.11 - -o requirements-install.lock

clean: ## remove what the other targets made
	rm -rf .venv demo-output site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
