# The front door. Needs Python >= 3.10, a C++20 compiler and make; everything else is installed into .venv by name.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# The tools of the virtual environment (cmake, ninja, ...) come before any of the same name elsewhere.
export PATH := $(CURDIR)/$(BIN):$(PATH)

# What pyproject.toml asks of a build, and the two programs it runs; then no build is isolated, and each is incremental.
BUILD_REQUIRES := $(shell sed -n 's/^requires = \[\(.*\)\]$$/\1/p' pyproject.toml | tr ',' ' ') cmake ninja
# A change of these means a new build. A change of a Python source does not: the installation is editable. But it knows
# the files that there were, so that a new one, which changes its folder, does.
NATIVE := $(shell find native -name "*.cpp" -o -name "*.hpp")
PACKAGES := $(shell find src -type d -not -name __pycache__)
BENCH := $(wildcard benchmarks/native/*.cpp benchmarks/native/*.hpp)
CXX_FILES = $(NATIVE) $(BENCH) $(wildcard tests/native/*.cpp tests/native/*.hpp)
PYTHON_DIRS := $(wildcard src tests benchmarks examples)
INSTALL := SKBUILD_CMAKE_DEFINE="SAPWOOD_WERROR=ON" $(BIN)/python -m pip install --quiet --no-build-isolation --editable

NATIVE_PRESET := $(if $(filter ON,$(SAPWOOD_TEST_SANITIZE)),native-sanitized,native-release)

.PHONY: help demo check test native sanitize lint bench format stubs docs clean
.DEFAULT_GOAL := help

help: ## Say what there is to make
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' Makefile

demo: $(VENV)/.demo ## Learn a drifting stream, race every search; print tables, leave a page and a picture
	$(BIN)/python -m sapwood.demo

# Each worker takes tests that stand together, and from the others what they have not begun when it has none left.
PYTEST := $(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal

check: $(VENV)/.dev ## The fast check for every save: unit tests, examples, small oracles; under a minute once built
	$(PYTEST) -m 'not slow'

test: $(VENV)/.dev ## Run every test, in parallel
	$(PYTEST)

native: $(VENV)/.tools ## Build the native tests, as make test and make sanitize do; SAPWOOD_TEST_SANITIZE=ON for the latter
	$(BIN)/cmake --preset $(NATIVE_PRESET) -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja
	$(BIN)/cmake --build --preset $(NATIVE_PRESET)

sanitize: $(VENV)/.dev ## Run the native tests under the address and undefined-behaviour sanitizers
	SAPWOOD_TEST_SANITIZE=ON $(PYTEST) tests/test_native.py

lint: $(VENV)/.dev ## Check style, types and format of both languages
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy $(PYTHON_DIRS)
	$(BIN)/lint-imports
	$(BIN)/clang-format --dry-run -Werror $(CXX_FILES)

bench: $(VENV)/.dev build/bench/.built ## Run the benchmarks: seeded, offline, ratios within one run
	PYTHONPATH=build/bench $(BIN)/python -m benchmarks.micro

format: $(VENV)/.dev ## Format both languages, and fix what the linter can
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

stubs: $(VENV)/.dev ## Regenerate the .pyi files of src/sapwood from the compiled modules
	for module in _core _timing; do \
	  $(BIN)/python -m nanobind.stubgen --quiet -m sapwood.$$module -o src/sapwood/$$module.pyi || exit 1; \
	done

docs: $(VENV)/.dev ## Regenerate docs/cli.md from the help of the commands
	$(BIN)/python -m sapwood.cli.reference > docs/cli.md

clean: ## Remove everything that make made
	rm -rf $(VENV) build sapwood-demo .import_linter_cache .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/.tools: pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; sys.exit(0 if v >= (3, 10) else "sapwood: Python must be 3.10 or \
	newer, got %d.%d; name another with make PYTHON=..." % v[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet $(BUILD_REQUIRES)
	@touch $@

$(VENV)/.demo: $(VENV)/.tools CMakeLists.txt $(NATIVE) $(PACKAGES)
	$(INSTALL) '.[plot,cli]'
	@touch $@

$(VENV)/.dev: $(VENV)/.tools CMakeLists.txt $(NATIVE) $(PACKAGES)
	$(INSTALL) '.[dev]'
	@touch $@

build/bench/.built: $(VENV)/.dev CMakeLists.txt CMakePresets.json $(NATIVE) $(BENCH)
	$(BIN)/cmake --preset bench -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build --preset bench
	@touch $@
