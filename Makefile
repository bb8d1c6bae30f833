# Each target sets up its own virtual environment on first use and reuses it after.
VENV ?= .venv
PYTHON ?= python3
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: demo test lint docs bench setup clean
.DEFAULT_GOAL := demo

demo: $(READY)  ## simulate answers, train, and judge without labels: about a minute on two cores
	$(BIN)/oneof demo

test: $(READY)  ## every test; those that need a browser, PostgreSQL or a large data set say so when skipped
	$(BIN)/python -m pytest

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
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[annotation,onnx,ray,search,docs,dev]'
	touch $@

clean:
	rm -rf $(VENV) docs/_build .pytest_cache .mypy_cache .ruff_cache
