# `make help` lists the targets. Everything happens inside this folder: the environment is .venv.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DELETE_ON_ERROR:
.NOTPARALLEL:
MAKEFLAGS += --no-builtin-rules --no-print-directory

PYTHON ?= python3
VENV := $(CURDIR)/.venv
BIN := $(VENV)/bin
# One file a finished step, newer than everything that the step was made from.
ENVIRONMENT := $(VENV)/.environment-is-made
REQUIREMENTS := $(VENV)/.requirements-are-installed
NATIVE := $(VENV)/.native-module-is-built

NATIVE_SOURCES := $(shell find crates -type f -not -path '*/tests/*' -not -name '*.md') Cargo.toml Cargo.lock pyproject.toml
NATIVE_MODULE := $(wildcard python/torch_pjrt/_C*.so)

# One interpreter for maturin and cargo, so that neither undoes the other's build; and where programs find libtorch.
export VIRTUAL_ENV := $(VENV)
export PYO3_PYTHON := $(BIN)/python
export PIP_DISABLE_PIP_VERSION_CHECK := 1
SITE_PACKAGES = $(shell $(BIN)/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
CARGO = LD_LIBRARY_PATH="$(SITE_PACKAGES)/torch/lib$${LD_LIBRARY_PATH:+:$$LD_LIBRARY_PATH}" cargo

# Two test processes, each file in one of them. PYTEST_ARGS="-n0 -x" is good for debugging.
PYTEST_ARGS ?= -n 2 --dist loadfile

.PHONY: help setup demo test conformance check format bench op clean
.DEFAULT_GOAL := help

help:  ## Show this help
	@awk 'BEGIN { FS = ":.*## " } /^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: $(NATIVE)  ## Make .venv, install PyTorch and the rest, build torch-pjrt; skips what is up to date

demo: setup  ## Train a network and run a language model on the device
	@TORCH_PJRT_FALLBACK=$${TORCH_PJRT_FALLBACK:-error} $(BIN)/python examples/demo.py

test: setup  ## Run every test
	@$(CARGO) test --release --workspace --quiet
	@$(CARGO) build --release --package testkit --quiet # the fault-injecting plugin
	@$(BIN)/python -m pytest -q $(PYTEST_ARGS) tests

conformance: setup  ## Run PyTorch's operator database on the device, every sample (arguments: CONFORMANCE_ARGS)
	@$(BIN)/python tests/conformance/run.py $(CONFORMANCE_ARGS)

check: setup  ## Formatting, lints and types of Rust and Python
	@cargo fmt --all --check
	@$(CARGO) clippy --release --workspace --all-targets --quiet -- -D warnings
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary

format: $(REQUIREMENTS)  ## Format Rust and Python
	@cargo fmt --all
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --quiet --fix .

bench: setup  ## Measure torch-pjrt beside plain PyTorch, in turn (arguments: BENCH_ARGS)
	@$(BIN)/python benches/run.py $(BENCH_ARGS)

op: setup  ## Run one operator's tests: make op NAME=log1p
	@[[ -n "$(NAME)" ]] || { echo "usage: make op NAME=log1p" >&2; exit 2; }
	@$(CARGO) test --release --quiet --package aten -- "$(NAME)"
	@$(BIN)/python -m pytest -q -n0 tests -k "$(NAME)" || [[ $$? == 5 ]]

clean:  ## Remove what was built (.venv stays, and setup then builds again)
	@rm -rf target build python/torch_pjrt/_C*.so $(NATIVE)

# A .venv that was left half made is made anew; one that works is kept.
$(ENVIRONMENT):
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and f"torch-pjrt needs Python 3.11 or newer; $(PYTHON) is {sys.version}")'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || { rm -rf $(VENV); $(PYTHON) -m venv $(VENV); }
	@touch $@

$(REQUIREMENTS): $(ENVIRONMENT) $(wildcard requirements/*.txt)
	@echo "Installing PyTorch and the other requirements into .venv (about 5 GB; minutes the first time) ..."
	@$(BIN)/python -m pip install --quiet --upgrade pip
	@$(BIN)/python -m pip install --quiet -r requirements/runtime.txt -r requirements/development.txt
	@$(BIN)/python -m pip install --quiet --no-deps -r requirements/no-deps.txt
	@touch $@

$(NATIVE): $(REQUIREMENTS) $(NATIVE_SOURCES) $(if $(NATIVE_MODULE),,native-module-is-missing)
	@echo "Building torch-pjrt in release mode (minutes the first time) ..."
	@mkdir -p build
	@$(BIN)/maturin develop --release >build/maturin.log 2>&1 || { cat build/maturin.log >&2; exit 1; }
	@touch $@

.PHONY: native-module-is-missing
native-module-is-missing:
