# Works on a machine with nothing but make and Python 3.11 to 3.13; uses uv where it is installed.

VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.built
PYTHON ?= python3
UV := $(shell command -v uv 2>/dev/null)

# The tests start hundreds of processes: none has to read its source anew.
unexport PYTHONDONTWRITEBYTECODE

# Where tests on the real clock stand: elsewhere none needs to be looked for.
REALTIME := tests/system tests/browser

.PHONY: venv demo quick test long mutants soak faults fuzz lint bench warm docs pages pictures papers lock dist clean

# The environment alone.
venv: $(STAMP)

demo: $(STAMP)
	$(BIN)/hilctl demo

# While one works: lint of what differs from the last commit, and the tests of its rooms. Or: make quick ROOM=law
quick: $(STAMP)
	$(BIN)/python -m tests.quick $(ROOM)

# What is left out. `make test BUT=bench` also runs the slow ones: of long lists the share of HILCTL_SLOW_SHARE, of the
# others those whose turn HILCTL_SLOW_TURN says it is.
BUT := slow and not long and not bench

# Those on the real clock have the machine to themselves, three at once: they mostly wait, and their loops run before
# everything else. Then the rest on all processors; each file on one of them, so that what it shares is made once.
SPREAD := --dist loadfile --no-loadscope-reorder

test: warm
	$(BIN)/python -m pytest -q -n 3 $(SPREAD) $(REALTIME) -m "realtime and not $(BUT)"
	$(BIN)/python -m pytest -n auto --maxprocesses 4 $(SPREAD) -m "not realtime and not $(BUT)"

# Everything at its full counts: hours.
long: $(STAMP)
	$(MAKE) test BUT=bench
	$(BIN)/python -m pytest -q tests/benchmarks -m bench
	$(MAKE) soak
	$(MAKE) bench

# Random sequences against the whole controller, in virtual time; what fails is shortened and printed as a test.
# Less of it: make soak SEED=7 SEQUENCES=200 SECONDS=60 (of each seed).
SEED := 1,2,3,4,5
SEQUENCES := 2100
SECONDS := 1000

soak: $(STAMP)
	$(BIN)/python -m tests.invariants.soak --seeds $(SEED) --sequences $(SEQUENCES) --seconds $(SECONDS)

# Breaks the functions that run in a tick, one thing at a time, and counts how many of the mutants the unit tests notice.
mutants: $(STAMP)
	$(BIN)/python -m tests.mutants --sample $(if $(FULL),0,500) $(if $(ROOM),--room $(ROOM))

# Every row of docs/faults.md by its tests, and a table of which hold. Some: make faults ROWS="54 55"
faults: $(STAMP)
	$(BIN)/python -m tests.faults $(ROWS)

# Hostile input for everything that reads: a million lines, messages and files. Less: make fuzz TARGET=rigs SHARE=0.1
TARGET :=
SHARE := 1

fuzz: $(STAMP)
	$(BIN)/python -m tests.fuzz $(TARGET) --share $(SHARE)

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/mypy

bench: $(STAMP)
	for name in tick jitter twin friction servo start exchange identify telemetry study remote bridge panel; do $(BIN)/hilctl bench $$name || exit 1; done

# What several benchmarks and tests run, compiled in one process: apart, it takes as long for each.
warm: $(STAMP)
	$(BIN)/python -m tests.warm

# The documents as a site, in out/site: seconds. A dead link, or a page that docs/README.md does not name, ends it.
docs: $(STAMP)
	$(BIN)/python -m tests.handbook

# The parts of the pages that are made from the declarations, and those of the papers, whose cases are run: minutes.
# `.venv/bin/python -m tests.documents` makes the first alone: seconds.
pages: $(STAMP)
	$(BIN)/python -m tests.documents papers

# Every picture of the documents, each from a run on a simulated rig; those of the operator's page need Chromium.
pictures: $(STAMP)
	$(BIN)/python -m tests.pictures
	$(BIN)/python -m tests.browser.pictures

# Every paper's case, into out/papers: its figures beside ours, and why they differ.
papers: $(STAMP)
	$(BIN)/hilctl paper all

# A release, into dist: wheel, source distribution, bill of materials, checksums. Its tools have an environment of their own.
dist: $(STAMP)
	test -x build/release/bin/python || $(BIN)/python -m venv build/release
	build/release/bin/python -m pip install --quiet --disable-pip-version-check -r deploy/release/requirements.txt
	build/release/bin/python -m deploy.release "$$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"

# The exact versions that the tests ran with. Needs uv.
lock:
	uv lock --upgrade
	uv export --quiet --frozen --all-extras --no-emit-project --no-hashes --no-header --output-file requirements.lock

# With pip: the lock is complete, and bytecode is made on all processors; not of the packages' own tests. An old pip takes
# more than twice as long for it.
$(STAMP): pyproject.toml requirements.lock
ifneq ($(UV),)
	uv sync --quiet --frozen --all-extras
else
	$(PYTHON) -c 'import sys; assert (3, 11) <= sys.version_info < (3, 14), f"Python 3.11 to 3.13 is needed, this is {sys.version}; say make PYTHON=python3.12"'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check 'pip>=25' || true
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-compile -r requirements.lock
	{ $(BIN)/python -m compileall -q -j 0 -x '/tests?/' $(VENV)/lib || true; } & \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable . && wait
endif
	touch $@

clean:
	rm -rf $(VENV) out build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find hilctl firmware_bridge sim tests -name __pycache__ -prune -exec rm -rf {} +
