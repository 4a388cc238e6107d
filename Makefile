# Everything runs in .venv, made here from the package index alone.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Offline after `wordworth get`: the environment is not touched again unless its definition changes.
STAMP := $(VENV)/.installed

.PHONY: demo test test-all lint types unit kernels base lowest browser bench chaos fuzz truth docs docs-check results clean

demo: $(STAMP)
	$(BIN)/wordworth audit --quick

test: lint types unit kernels

# All of what `make test` runs a sample of: takes hours.
test-all: lint types browser fuzz lowest kernels
	WORDWORTH_TESTS=all $(PYTEST)
	$(MAKE) kernels BLAS=Nehalem TORCH=default FLAG=sse4_2
	$(MAKE) kernels BLAS=SkylakeX TORCH=default FLAG=avx512f

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/python -m tools.check_names

types: $(STAMP)
	$(BIN)/mypy

# Two workers with one thread each: as fast as two cores allow, and bounded in memory on larger machines. Files are
# taken in their order: by number of tests, the longest would come last, and one worker would wait for the other.
WORKERS ?= 2
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

unit: $(STAMP) browser
	$(PYTEST)

# The numeric tests once more, with the kernels of another processor, where this one can run them; `make test-all` takes two more.
BLAS ?= Haswell
TORCH ?= avx2
FLAG ?= avx2
NUMERIC := $(addprefix tests/,measure statistics transform test_measures_common.py)
kernels: $(STAMP)
	@if grep -qw $(FLAG) /proc/cpuinfo 2>/dev/null; \
	then OPENBLAS_CORETYPE=$(BLAS) ATEN_CPU_CAPABILITY=$(TORCH) $(PYTEST) -m "kernels and not index" $(NUMERIC); \
	else echo "this processor cannot run the kernels of $(BLAS): skipped"; fi

# The tests of word vectors in the base install, so without torch, with each of its packages in the lowest version.
CORE := $(addprefix tests/,embedding catalog measure statistics results paired papers rules study/test_weat_study.py test_cli.py test_install.py)
# The same in .venv, without a second install: its extras are hidden. Whoever writes a test of word vectors runs this.
base: $(STAMP)
	WORDWORTH_TESTS=base $(PYTEST) $(CORE)

LOWEST := $(VENV)/lowest
lowest: $(LOWEST)/.installed
	OMP_NUM_THREADS=1 $(LOWEST)/bin/python -m pytest -n $(WORKERS) --dist loadfile $(CORE)

$(LOWEST)/.installed: pyproject.toml
	$(PYTHON) -m venv $(LOWEST)
	sed -n '/^dependencies/,/^]/ s/^ *"\(.*\)>=\([^"]*\)".*/\1==\2/p' pyproject.toml > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/python -m pip install --quiet --disable-pip-version-check -c $(LOWEST)/lowest.txt \
	    -e . gensim junitparser pytest pytest-xdist pyyaml
	touch $@

# Damaged files for every reader, seeded: `make fuzz SAMPLES=300` for fewer.
SAMPLES ?= 1500
fuzz: $(STAMP)
	WORDWORTH_FUZZ=$(SAMPLES) $(BIN)/python -m pytest tests/fuzz

# Tests of the pages open them in chromium; where it cannot be installed they are skipped, and say so.
browser:
	@command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null \
	|| { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get -qq update >/dev/null 2>&1 \
	     && DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends chromium >/dev/null 2>&1; } \
	|| echo "chromium is not here and could not be installed: tests in a browser will be skipped"

# All benchmarks, or those named: `make bench scale`.
NAMES := $(if $(filter bench,$(MAKECMDGOALS)),$(filter-out bench,$(MAKECMDGOALS)))
bench: $(STAMP)
	$(BIN)/python -m benchmarks $(NAMES)

ifneq ($(NAMES),)
.PHONY: $(NAMES)
$(NAMES): bench ; @:
endif

# Kills every writing command at each of its changes to the file system, damages every kind of file of the cache,
# lets commands run at once, and fills the disk (where mounting is allowed); `make test` takes a sample.
chaos: $(STAMP)
	WORDWORTH_TESTS=all $(BIN)/python -m pytest -s tests/chaos

# Every number that a paper has too, and every number that can be computed another way, beside ours: docs/truth.md.
truth: $(STAMP)
	$(BIN)/python -m truth

# The pages with an API reference, in site/, to be opened from the disk (searching needs a server: python -m http.server -d site).
docs: $(STAMP) docs/gallery/report.html
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo site/index.html

# Every command and snippet of README.md and docs/, run as it stands: `make docs-check PAGES=docs/weat.md` for one page;
# and the notebooks, which `python -m tools.notebooks` runs and fills with their output.
docs-check: $(STAMP)
	$(BIN)/python -m tools.check_recipes $(PAGES)
	$(if $(PAGES),,$(BIN)/python -m tools.notebooks --check)

# The example report that the site shows: an audit of minutes, made once.
docs/gallery/report.html: tools/gallery.py | $(STAMP)
	$(BIN)/python -m tools.gallery

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("Wordworth needs Python 3.11 or newer, this is %d.%d; try make PYTHON=python3.11" % v[:2])'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[all,dev]'
	touch $(STAMP)

clean:
	rm -rf $(VENV) .mypy_cache .ruff_cache .pytest_cache site docs/gallery

# The tables and figures of docs/ that take minutes; experiments/ holds what takes hours.
results: $(STAMP)
	$(BIN)/python -m tools.settings_tables
	$(BIN)/python -m tools.results
	$(BIN)/python -m tools.gallery --pictures
