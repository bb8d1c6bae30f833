# Each target sets up its own virtual environment on first use and reuses it after.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/.ready

# One worker a core; each has one thread (tests/conftest.py). A worker that runs out of tests takes some of another's.
PYTEST := $(BIN)/python -m pytest -n auto --dist worksteal
# Every test in these is slow, so the targets of those that are not need not even read them.
QUICK := -q -m "not slow" --ignore=tests/annotation --ignore=tests/engines
# What is compiled once need not be compiled by every worker and every process that a test starts.
unexport PYTHONDONTWRITEBYTECODE
# Other processors, as far as this one can play them: other vector instructions in PyTorch, oneDNN and MKL, other threads.
PROCESSORS ?= ATEN_CPU_CAPABILITY=default ATEN_CPU_CAPABILITY=avx2 ONEDNN_MAX_CPU_ISA=SSE41 ONEDNN_MAX_CPU_ISA=AVX2 \
	MKL_CBWR=COMPATIBLE OMP_NUM_THREADS=1 OMP_NUM_THREADS=2

.PHONY: demo test check test-portable test-oldest wheel lint docs bench setup clean
.DEFAULT_GOAL := demo

demo: $(READY)  ## simulate answers, train, and judge without labels: about a minute on two cores
	$(BIN)/oneof demo

test: $(READY)  ## every test; those that need a browser, PostgreSQL or a large data set say so when skipped
	$(PYTEST)

check: $(READY)  ## between two edits, in less than a minute: style, and the quick tests of the library
	$(BIN)/ruff check .
	$(PYTEST) $(QUICK) -x --ignore=tests/cli --ignore=tests/experiments

test-portable: $(READY)  ## the numeric tests as on other processors
	for processor in $(PROCESSORS); do \
		echo "== $$processor"; \
		env $$processor $(PYTEST) $(QUICK) || exit 1; \
	done

# torch stays the one of constraints.txt, and onnxscript, which must know it: on Linux an older torch brings gigabytes. The public CI tries the oldest of it too.
# Old libraries on new ones of their own warn of what is deprecated since, so warnings are no errors here; the extra dev
# has stubs that want newer libraries.
TEST_TOOLS := pytest pytest-timeout pytest-xdist hypothesis httpx psutil
test-oldest:  ## the numeric tests and the command line with the oldest versions that pyproject.toml allows
	$(PYTHON) .ci/oldest.py $$(grep -E '^(torch|onnxscript)==' constraints.txt) > constraints-oldest.txt
	$(PYTHON) -m venv .venv-oldest
	.venv-oldest/bin/python -m pip install --quiet -c constraints-oldest.txt -e '.[annotation,onnx,search]' $(TEST_TOOLS)
	.venv-oldest/bin/python -m pytest -n auto --dist worksteal -W default $(QUICK)

wheel:  ## build sdist and wheel into dist/, install the wheel without extras into a clean environment, and use it
	$(PYTHON) .ci/wheel.py dist

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

docs: $(READY)  ## build the documentation and run its examples; warnings are errors
	$(BIN)/python -m sphinx -W --keep-going -q -b doctest docs docs/_build/doctest
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
	@echo "docs/_build/html/index.html"

bench: $(READY)  ## ratios measured side by side in one run
	$(BIN)/python -m benchmarks

setup: $(READY)

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[annotation,onnx,pretrained,ray,search,tensorboard,docs,dev]'
	touch $@

clean:
	rm -rf $(VENV) .venv-oldest constraints-oldest.txt dist docs/_build .pytest_cache .mypy_cache .ruff_cache
