# Two commands need only Python 3.11+ and make: `make demo` and `make test`.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# One process more than processors: tests wait for the commands that they start.
PROCESSES := $(shell $(PYTHON) -c 'import os; print((os.cpu_count() or 1) + 1)')
# pip needs 80 seconds for what uv installs in ten; it remains for machines where uv does not work.
INSTALL := $(BIN)/python -m pip install -qq --no-compile --disable-pip-version-check -c constraints.txt

# Bytecode is kept, also where the environment says otherwise: the tests start hundreds of processes.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test quick all-tests checks collect lint types contracts tests wheel docs explore audit realmodel cluster studies clean

demo: $(READY)
	$(BIN)/peerjudge run quickstart

test: checks tests

# Two at a time: the types take one processor as long as all the others take one.
checks: $(READY)
	$(MAKE) --no-print-directory -j 2 types collect lint contracts wheel

# Lint, types, and the tests of what differs from main, within a minute.
quick: lint types
	$(BIN)/python -m tools.changed_tests | xargs --no-run-if-empty $(BIN)/python -m pytest -q -n $(PROCESSES)

# All tests that need no real model: also the long ones and the storms (some ten minutes).
all-tests: checks
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal --timeout 3000 -m 'not realmodel and not packaging and not cluster'

# Imports what the tests import, so that their processes find bytecode and do not all compile it. A failure
# is one of the tests, which report it.
collect: $(READY)
	$(BIN)/python -m pytest -q --collect-only >/dev/null || true

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python tools/voice.py
	$(BIN)/python tools/sizes.py

types: $(READY)
	$(BIN)/basedpyright

contracts: $(READY)
	$(BIN)/lint-imports

# Tests that lie side by side run in one process, which plays their common runs once.
tests: $(READY)
	$(BIN)/python -m pytest -n $(PROCESSES) --dist worksteal --durations 25

# Builds the wheel, installs it into a separate environment and runs it there.
wheel: $(READY)
	$(BIN)/python -m pytest -q -m packaging tests/packaging

# Builds the documentation site into build/site and checks its links; needs no network.
docs: $(READY)
	$(BIN)/python -m tools.docsite

# Looks for new counterexamples to the properties; `make test` repeats the same examples in every run.
explore: $(READY)
	$(BIN)/python -m pytest -n auto --hypothesis-profile explore -k "$(or $(ONLY),test)" tests

# Prints the known vulnerabilities of the packages in constraints.txt; needs a source of advisories in the network.
audit: $(READY)
	$(BIN)/python -m tools.audit

# Recomputes the evidence about the instrument (some minutes); writes to runs/.
studies: $(READY)
	$(BIN)/python -m studies.calibration
	$(BIN)/python -m studies.recovery
	$(BIN)/python -m studies.ecology
	$(BIN)/python -m studies.region
	$(BIN)/python -m studies.stopping
	$(BIN)/python -m studies.search

# Runs every protocol and prompt pack with a real model on this machine; downloads server and weights.
# MODEL=qwen-1.5b|qwen-0.5b|PATH.gguf, or URL=http://... NAME=model for a server of yours; FULL=1.
realmodel: $(READY)
	$(BIN)/python -m tools.realmodel $(if $(URL),--url '$(URL)' --name '$(NAME)',--model '$(or $(MODEL),qwen-1.5b)') $(if $(FULL),--full)
ifndef URL
	$(BIN)/python -m tools.realmodel --model qwen-0.5b --fetch-only
	$(BIN)/python -m pytest -m realmodel tests/realmodel
endif

# Installs Ray, and plays shards on it: kills of its workers and of shards among them.
cluster: $(READY)
	$(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt '.[ray]' || $(INSTALL) '.[ray]'
	$(BIN)/python -m pytest -m cluster tests/features/shards

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("PeerJudge needs Python 3.11 or later, this is " + sys.version.split()[0]) if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) uv && $(BIN)/uv pip install -q --python $(BIN)/python -c constraints.txt -e '.[dev]' || $(INSTALL) -e '.[dev]'
	touch $@

clean:
	rm -rf $(VENV) .realmodel build dist
