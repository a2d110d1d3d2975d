# tapmat: one command each. Python 3.11 or later (with venv) and make are all a machine needs.
#   make play    the virtual table in a browser, with Straw
#   make test    every check
#   make setup   just prepare .venv for playing
#   make words   the command line's catalogues, brought up to date with the source
#   make docs    the documents as a site, in build/site
#   make pi      on a Raspberry Pi: set it up for a table; make pi-remove takes that out again

VENV ?= .venv
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
# On a Pi the pin and bus libraries are the system's (apt), and the venv must see them.
VENV_FLAGS = $(shell { grep -qs "Raspberry Pi" /proc/device-tree/model; } 2>/dev/null && echo --system-site-packages)
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet install

.PHONY: setup tools play test lint types laws unit words docs pi pi-remove test-pi clean

setup: $(VENV)/ready

$(VENV)/ready: requirements/run.txt pyproject.toml
	@test -n "$(PYTHON)" || { echo "tapmat needs Python 3.11 or later with its venv module. On Debian: apt install python3-venv. Or name one: make setup PYTHON=/path/to/python3"; exit 1; }
	@echo "Preparing $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV_FLAGS) $(VENV)
	@$(PIP) --no-deps --only-binary :all: -r requirements/run.txt
	@$(PIP) --no-deps --editable .
	@touch $@

# What checks tapmat; nobody needs it to play.
tools: $(VENV)/tools

$(VENV)/tools: $(VENV)/ready requirements/dev.txt
	@$(PIP) --no-deps --only-binary :all: -r requirements/dev.txt
	@touch $@

play: setup
	@$(BIN)/tapmat sim --game straw

test: lint types laws unit

lint: tools
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: tools
	@$(BIN)/mypy

laws: tools
	@$(BIN)/lint-imports

unit: tools
	@$(BIN)/pytest -n auto

words: tools
	@$(BIN)/python -m tests.words.update

# What builds the site; nobody needs it to read the documents.
$(VENV)/docs: $(VENV)/ready requirements/docs.txt
	@$(PIP) --no-deps --only-binary :all: -r requirements/docs.txt
	@touch $@

docs: $(VENV)/docs
	@$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -b html -d build/doctrees -c docs . build/site
	@echo "The site begins at build/site/index.html"

pi:
	@./install-pi

pi-remove:
	@./install-pi --remove

# In emulated systems of their own; needs root and time, and is no part of make test.
test-pi:
	@.ci/test-pi

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
