# Each target makes its own virtual environment and installs what it needs: `make test` on a fresh
# clone is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready-dev
DEMO   := $(VENV)/.ready

.PHONY: demo test browser lint format coverage benchmark clean

demo: $(DEMO)
	$(BIN)/python examples/first.py

test: $(READY) browser
	ML4C_SCREENSHOTS=$(abspath $(VENV))/screenshots $(BIN)/python -m pytest -n 2 --dist loadgroup

# Pages are tested in a real browser. Where there is none and none can be installed, those tests are skipped and say so.
browser:
	@{ command -v chromium || command -v chromium-browser || command -v google-chrome; } >/dev/null || { \
	  [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
	  && export DEBIAN_FRONTEND=noninteractive && apt-get update -qq \
	  && apt-get install -y -qq --no-install-recommends chromium >/dev/null; } \
	  || echo "no chromium, and it cannot be installed here: the tests of pages in a browser will be skipped"

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Kernels are invisible to coverage once compiled, so they run as plain Python here.
coverage: $(READY)
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m "not jit" -q
	$(BIN)/coverage report

benchmark: $(READY)
	$(BIN)/python benchmarks/engine.py

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
	find src tests -name __pycache__ -prune -exec rm -rf {} +

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)

$(DEMO): pyproject.toml | $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	touch $@

$(READY): pyproject.toml | $(BIN)/pip
	$(BIN)/pip install --quiet --disable-pip-version-check --editable ".[dev]"
	touch $@ $(DEMO)
