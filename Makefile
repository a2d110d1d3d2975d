# tapmat: one command each. Python 3.11 or later (with venv) and make are all a machine needs.
#   make play    the table in this terminal, with Straw
#   make test    every check
#   make setup   just prepare .venv

VENV ?= .venv
PYTHON ?= $(shell for p in python3.13 python3.12 python3.11 python3.14 python3 python; do \
	$$p -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && break; done)
BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip --disable-pip-version-check --quiet install
PINS = requirements/run.txt requirements/dev.txt

.PHONY: setup play test lint types laws unit clean

setup: $(VENV)/ready

$(VENV)/ready: $(PINS) pyproject.toml
	@test -n "$(PYTHON)" || { echo "tapmat needs Python 3.11 or later with its venv module. On Debian: apt install python3-venv. Or name one: make setup PYTHON=/path/to/python3"; exit 1; }
	@echo "Preparing $(VENV) with $$($(PYTHON) --version) ..."
	@$(PYTHON) -m venv $(VENV)
	@$(PIP) --no-deps --only-binary :all: $(addprefix -r ,$(PINS))
	@$(PIP) --no-deps --editable .
	@touch $@

play: setup
	@$(BIN)/tapmat play --sim --game straw

test: lint types laws unit

lint: setup
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .

types: setup
	@$(BIN)/mypy

laws: setup
	@$(BIN)/lint-imports

unit: setup
	@$(BIN)/pytest -n auto

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis build dist
