# `make help` lists the targets. Each sets up the virtual environment .venv on first use and reuses it after.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# As many workers as tests/conftest.py says, each with one thread. A worker that runs out of tests takes some of another's.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# All tests in these folders are slow: targets that leave out slow tests need not collect them.
QUICK := -q -m "not slow" --ignore=tests/annotation --ignore=tests/engines
# Let workers, and the processes that tests start, share compiled modules.
unexport PYTHONDONTWRITEBYTECODE
# Other processors, as far as this one can imitate them: other vector instructions in PyTorch, oneDNN and MKL, other threads.
PROCESSORS ?= ATEN_CPU_CAPABILITY=default ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=SSE41 ONEDNN_MAX_CPU_ISA=AVX2 \
	MKL_CBWR=COMPATIBLE OMP_NUM_THREADS=1 OMP_NUM_THREADS=2

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: help demo test check test-portable test-oldest wheel lint docs bench setup clean
.DEFAULT_GOAL := demo

demo: $(READY)  ## learn digits from yes/no answers, judge without labels, draw the curves: about a minute on two cores
	$(BIN)/oneof demo

test: $(READY)  ## all tests; those that need a browser, PostgreSQL or a large data set say so when skipped
	$(PYTEST)

check: $(READY)  ## between two edits: style, and the quick tests of the library
	$(BIN)/ruff check .
	$(PYTEST) $(QUICK) -x --ignore=tests/cli --ignore=tests/experiments

test-portable: $(READY)  ## the numeric tests as on other processors and with other numbers of threads
	for processor in $(PROCESSORS); do \
		echo "== $$processor"; \
		env $$processor $(PYTEST) $(QUICK) || exit 1; \
	done

# torch, and onnxscript, which must fit it, stay those of constraints.txt: on Linux an older torch downloads gigabytes. The
# public CI tries the oldest torch too. Old libraries warn of deprecations in newer ones that they use, so warnings are no
# errors here. The extra dev is left out: its type stubs need newer libraries.
TEST_TOOLS := pytest pytest-timeout pytest-xdist hypothesis httpx psutil
test-oldest:  ## the numeric tests and the command line with the oldest versions that pyproject.toml allows
	$(PYTHON) .ci/oldest.py $$(grep -E '^(torch|onnxscript)==' constraints.txt) > constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet -c constraints-oldest.txt -e '.[annotation,onnx,search]' $(TEST_TOOLS)
	.venv-oldest/bin/python -m pytest -n auto --dist worksteal -W default $(QUICK)

wheel:  ## build sdist and wheel into dist/, install the wheel without extras into a clean environment, and use it
	$(PYTHON) .ci/wheel.py dist

lint: $(READY)  ## ruff check, ruff format --check, mypy --strict
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(READY)  ## run the examples of the documentation and build its pages; warnings are errors
	$(BIN)/python -m sphinx -W --keep-going -q -b doctest docs docs/_build/doctest
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(READY)  ## ratios measured side by side in one run
	$(BIN)/python -m benchmarks

setup: $(READY)  ## a virtual environment in .venv with everything

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[annotation,onnx,pretrained,ray,search,tensorboard,docs,dev]'
	touch $@

clean:
	rm -rf $(VENV) .venv-oldest constraints-oldest.txt dist docs/_build .pytest_cache .mypy_cache .ruff_cache
