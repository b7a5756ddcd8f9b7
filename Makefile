# make demo   set everything up and run the main job        make test   set everything up and run all checks
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin

.PHONY: demo test bench clean

demo: $(VENV)/.installed-sim
	$(BIN)/python -m psvr route --example large --svg demo/large.svg
	@echo
	@echo "The picture is demo/large.svg; 'psvr route --example small|line' shows the paper's other figures."

test: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

bench: $(VENV)/.installed-dev
	$(BIN)/python -m benchmarks

$(VENV)/.installed-%: pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[$*]'
	touch $@

clean:
	rm -rf $(VENV) demo build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
