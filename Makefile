# The commands of this repository. They need make and Python 3.11 or later (with venv).
#   make play    the virtual table in a browser
#   make test    every check
#   make setup   only prepare .venv for playing
#   make docs    build the documents as a site in build/site
#   make pi      on a Raspberry Pi: install the table; make pi-remove removes it again

VENV ?= .venv
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# On a Pi, apt installs the pin and bus libraries, so the venv must see the system's packages.
VENV_FLAGS = $(shell { grep -qs "Raspberry Pi" /proc/device-tree/model; } 2>/dev/null && echo --system-site-packages)
BIN = $(VENV)/bin
FAKEPI = sim/fakepi
NODES = tests/sim/nodes
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet install
PINNED = $(PIP) --no-deps --only-binary :all: --require-hashes

.PHONY: setup tools play test lint types laws page others unit test-nodes test-judges mutants speed docs pins bundle pi pi-remove test-pi test-boot test-house test-board test-cuts image test-image clean

setup: $(VENV)/ready

$(VENV)/ready: requirements/run.txt requirements/build.txt pyproject.toml $(FAKEPI)/pyproject.toml
	@test -n "$(PYTHON)" || { echo "tapmat needs Python 3.11 or later with its venv module. On Debian: apt install python3-venv. If you have one elsewhere: make setup PYTHON=/path/to/python3"; exit 1; }
	@echo "Preparing $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV_FLAGS) $(VENV)
	@$(PINNED) -r requirements/run.txt -r requirements/build.txt
	@$(PIP) --no-deps --no-build-isolation --editable $(FAKEPI) --editable .
	@touch $@

# The tools of the checks; playing does not need them.
tools: $(VENV)/tools

$(VENV)/tools: $(VENV)/ready requirements/dev.txt
	@$(PINNED) -r requirements/dev.txt
	@touch $@

play: setup
	@$(BIN)/tapmat sim

# What needs one processor each runs side by side; the tests need all.
test: tools
	@$(MAKE) --no-print-directory -j 2 types others
	@$(MAKE) --no-print-directory unit

# What runs beside the check of types, one after the other.
others: tools
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory laws
	@$(MAKE) --no-print-directory page
	@$(BIN)/pytest -n0 -m "real_time and sample" $(NODES)

lint: tools
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: tools
	@$(BIN)/mypy

# Check the page's JavaScript, and that protocol.d.ts is made from the schema of the messages. Without npm, only print a note; with PAGE_REQUIRED set, fail.
PAGE = sim/web
page:
	@if command -v npm >/dev/null; then cd $(PAGE) && \
		{ [ node_modules/ready -nt package-lock.json ] || { npm ci --silent --no-audit --no-fund && touch node_modules/ready; }; } && \
		{ npm run --silent fresh || { echo "$(PAGE)/protocol.d.ts is older than protocol.schema.json. Run: npm --prefix $(PAGE) run types"; exit 1; }; } && \
		node_modules/.bin/tsc -p . && node_modules/.bin/eslint static && \
		cd ../.. && $(PAGE)/node_modules/.bin/eslint -c $(PAGE)/eslint.config.js --ignore-pattern '**/vendor/**' firmware/companion/static firmware/hall/static; \
	elif [ -n "$(PAGE_REQUIRED)" ]; then echo "The page's JavaScript cannot be checked, because npm is not installed. On Debian: apt install npm"; exit 1; \
	else echo "Skipped the checks of the page's JavaScript, because npm is not installed. On Debian: apt install npm"; fi

laws: tools
	@$(BIN)/lint-imports

# Python keeps what it compiles even if told not to: each program that a test starts would compile it all again.
unit: tools
	@PYTHONDONTWRITEBYTECODE= $(BIN)/pytest -n auto --dist worksteal

# Let the unmodified tapmat run on an emulated Pi. It runs in real time, so nothing else should run beside it.
test-nodes: tools
	@$(BIN)/pytest -n0 -m real_time $(NODES)

# Run other people's drivers, unmodified, on the emulated chips (sim/fakepi/docs/judges.md).
test-judges:
	@PYTHON="$(PYTHON)" VENV=.venv-judges .ci/test-judges

# Mutation tests: change a sample of places in the program; a test should fail for each change.
$(VENV)/mutants: $(VENV)/tools requirements/mutants.txt
	@$(PINNED) -r requirements/mutants.txt
	@touch $@

mutants: $(VENV)/mutants
	@$(BIN)/python -m tests.mutants

# Compare the speed of the engines with other people's, which have their own environment.
.venv-speed/ready: requirements/speed.txt
	@$(PYTHON) -m venv .venv-speed
	@.venv-speed/bin/python -m pip --disable-pip-version-check --quiet install --no-deps --require-hashes -r requirements/speed.txt
	@touch $@

speed: setup .venv-speed/ready
	@$(BIN)/python -m tests.engines.engine_speed

# The tools that build the site of the documents.
$(VENV)/docs: $(VENV)/ready requirements/docs.txt
	@$(PINNED) -r requirements/docs.txt
	@touch $@

docs: $(VENV)/docs
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html -d build/doctrees -c docs . build/site
	@echo "The site is ready: open build/site/index.html"

# Write requirements/*.txt with the hashes of all pinned releases in requirements/*.in; needs uv.
COMPILE = uv pip compile --quiet --generate-hashes --no-deps --universal --no-header --no-annotate
pins:
	@for part in run build dev mutants judges judges-beside speed; do \
		$(COMPILE) --python-version 3.11 requirements/$$part.in --output-file requirements/$$part.txt || exit 1; done
	@$(COMPILE) --python-version 3.11.5 requirements/docs.in --output-file requirements/docs.txt
	@$(COMPILE) --python-version 3.13 requirements/image.in --output-file requirements/image.txt

# Make one file that installs a Pi without a network: ./install-pi --bundle FILE
# KEY=~/.ssh/id_ed25519 signs it, so that a table which trusts the key accepts it: tapmat update FILE
bundle: setup
	@$(BIN)/python -m firmware.pi.bundle $(if $(KEY),--sign $(KEY))

pi:
	@./install-pi

pi-remove:
	@./install-pi --remove

# Test the installer in emulated ARM systems; needs root and an hour or two; not part of make test.
test-pi:
	@.ci/test-pi

# Test the services in containers that boot systemd; needs root; not part of make test.
test-boot:
	@.ci/test-boot

# Let a real Home Assistant judge what the table publishes; needs root; not part of make test.
test-house:
	@.ci/test-house

# Test the table on an emulated Pi 3 with Debian's kernel; needs root; not part of make test.
test-board:
	@.ci/test-board

# Cut the power of an emulated computer that plays; needs root and an hour or more; not part of make test.
test-cuts:
	@.ci/test-cuts

# Build an image for a Pi's memory card; needs root. RECORD=1 takes newer Debian packages; KEY=... as for bundle.
image: setup
	@KEY="$(KEY)" RECORD="$(RECORD)" .ci/image

# Start that image on an emulated Raspberry Pi 3; needs root; not part of make test.
test-image:
	@KEY="$(KEY)" .ci/test-image

clean:
	rm -rf $(VENV) .venv-judges .venv-speed .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
