# The one list of commands, for people, hooks and continuous integration. A bare `make` lists them.
.DEFAULT_GOAL := help
SHELL := /bin/bash

VENV   ?= .venv
PY     := $(VENV)/bin/python
SYSTEM ?= $(shell command -v python3.11 || command -v python3)
RUN    := $(VENV)/.installed-run
DEV    := $(VENV)/.installed-dev
INSTALL ?= $(PY) -m pip install --disable-pip-version-check
LOCK   := $(PY) -m uv pip compile --quiet --generate-hashes --strip-extras --no-emit-index-url --no-emit-find-links --custom-compile-command "make lock"

.PHONY: help run floor quick test test-all check format lint types contracts doctest docs pictures rulebooks lock wheels advisories sbom api-clients models bench languages install-pi clean

help:  ## list the commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: $(RUN)  ## watch the sample table on http://localhost:8000
	$(VENV)/bin/houseway run

floor: $(RUN)  ## watch three simulated tables of a floor on http://localhost:8000; PORT=9000 for another port
	@.ci/system-packages $(SYSTEM) floor
	$(VENV)/bin/houseway floor demo $(if $(PORT),--port $(PORT)) $(OPTIONS)

# Three workers for two cores: tests wait for programs and servers. Idle workers steal tests from busy ones.
WORKERS ?= -n $(shell echo $$(($$(nproc) + 1))) --dist worksteal
FAST    := -m "not slow and not exhaustive and not browser"
QUICK   := tests/engine/game tests/engine/house_way tests/engine/rules tests/engine/settlement tests/calibration/table

quick: $(DEV)  ## the tests of rules and geometry, in half a minute
	$(PY) -m pytest $(WORKERS) $(FAST) $(QUICK)

test: $(DEV)  ## all tests but long ones, in some minutes; TESTS="..." for options of pytest
	$(PY) -m pytest $(WORKERS) $(FAST) $(TESTS)

test-all: $(DEV)  ## every test on the oldest and the newest Python here: browser, faults and long random walks too
	.ci/test-all

check: format lint types contracts doctest test  ## everything that must hold before a commit

format: $(DEV)  ## is the code laid out as ruff would
	$(PY) -m ruff format --check .

lint: $(DEV)  ## ruff, every rule
	$(PY) -m ruff check .

types: $(DEV)  ## mypy, strict
	$(PY) -m mypy .

contracts: $(DEV)  ## who may import whom
	$(VENV)/bin/lint-imports

doctest: $(DEV)  ## examples in docstrings
	$(PY) -m pytest --doctest-modules --ignore service/record/store/migrations engine calibration vision datasets service rereading docs/site

docs: $(DEV)  ## build/docs/index.html: all documents as a site to search, with the reference of everything
	$(PY) -m docs.site

pictures: $(DEV)  ## take the pictures of the documents from the real service (needs Chromium)
	$(PY) -m docs.images.take

rulebooks: $(RUN)  ## build/rulebooks: each rule of the documents, where it is implemented and tested
	$(PY) -m service.cli.compliance.coverage_page build/rulebooks

lock: $(DEV)  ## write the lock files from pyproject.toml
	$(LOCK) --extra dev --output-file requirements-dev.lock pyproject.toml
	$(LOCK) --constraint requirements-dev.lock --output-file requirements.lock pyproject.toml

wheels: $(DEV)  ## has each locked package a wheel for x86-64 and 64-bit Arm; asks the package index
	$(PY) .ci/wheels || [ $$? -eq 75 ]  # no index, and it says so

advisories: $(DEV)  ## is there a public security advisory for a locked package; asks osv.dev
	$(PY) .ci/advisories || [ $$? -eq 75 ]  # not reached, and it says so

sbom: $(DEV)  ## build/houseway-VERSION.cdx.json: the software bill of materials that each release has
	$(PY) .ci/sbom

api-clients: $(DEV)  ## build/api-clients: have two public generators make a client of the API's description
	rm -rf build/api-clients && mkdir -p build/api-clients
	$(PY) -m docs.site.openapi > build/api-clients/openapi.json
	$(PY) -m venv build/api-clients/python
	build/api-clients/python/bin/pip install --quiet openapi-python-client ruff
	cd build/api-clients && PATH="$$PWD/python/bin:$$PATH" openapi-python-client generate --path openapi.json \
	  --output-path client --config ../../docs/examples/openapi-python-client.yml --fail-on-warning
	cd build/api-clients && npm install --silent openapi-typescript typescript && npx openapi-typescript openapi.json -o houseway.ts

languages: $(DEV)  ## write Simplified Chinese from Traditional Chinese
	$(PY) -m service.words.simplified

models: $(DEV)  ## train the models from scratch (hours on two cores) and export them
	$(PY) -m pip install -r requirements-train.txt
	$(PY) -m models.recipe

bench: $(DEV)  ## how fast it is, beside the commit before it or another: make bench AGAINST=main~3
	$(PY) -m benchmarks.bench $(if $(AGAINST),--against $(AGAINST)) $(OPTIONS)

install-pi:  ## install for one table on a Raspberry Pi or Debian: make install-pi TABLE=pit4-table2
	sudo deploy/install-pi "$(TABLE)"

clean:  ## remove the virtual environment, caches and what was built
	rm -rf $(VENV) .venv-newest build .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache *.egg-info

$(PY):
	@.ci/system-packages $(SYSTEM)
	$(SYSTEM) -m venv $(VENV)

$(RUN): requirements.lock pyproject.toml | $(PY)
	$(INSTALL) --quiet --require-hashes -r requirements.lock
	$(INSTALL) --quiet --no-deps -e .
	@touch $@

$(DEV): requirements-dev.lock pyproject.toml | $(PY)
	$(INSTALL) --quiet --require-hashes -r requirements-dev.lock
	$(INSTALL) --quiet --no-deps -e .
	@touch $@ $(RUN)
