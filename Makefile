# From a fresh clone with Python 3.11 or newer, make and git: `make play` and `make test` do all the rest.
# Every setting is a variable: `make play PORT=8080 DATA=/srv/numbers`, or the same in the environment.

PYTHONS = $(PYTHON) python3.13 python3.12 python3.11 python3 python
PY = .venv/bin/python
WEB = 2
WORKERS = 1
LOOKS = tests/browser/test_looks.py tests/browser/test_town.py tests/browser/test_records.py tests/browser/test_solo.py
UV = uv==0.13.9
COMPILE = .venv/bin/uv pip compile pyproject.toml --quiet --universal --python-version 3.11 \
	--generate-hashes --no-emit-index-url --no-header $(UPGRADE)
INSTALL = $(PY) -m pip install -qq --no-input --disable-pip-version-check --require-hashes

.PHONY: help play demo scale test bench shots lint style types rooms schema check lock messages venv tools
.DEFAULT_GOAL := help

help:
	@echo "make play      play on http://127.0.0.1:8000 (PORT=, HOST=, DATA= and every setting in the README)"
	@echo "make demo      the same with accounts, a history, a ladder and running matches, in a folder of its own"
	@echo "make scale     the same as separate processes on PostgreSQL and Redis (DATABASE_URL=, REDIS_URL=, WEB=, WORKERS=)"
	@echo "make test      run the tests (ARGS= for some of them)"
	@echo "make bench     measure what a guess costs and how soon it is seen (ARGS=--help says what can be asked)"
	@echo "make shots     picture every page and state, and lay out a contact sheet (artifacts/shots)"
	@echo "make lint      read the code: style, types, order of the rooms, missing migrations"
	@echo "make check     lint and test"
	@echo "make messages  gather the texts to translate and compile the translations"
	@echo "make lock      work out the locked dependencies again (UPGRADE=--upgrade for newer ones)"

play: venv
	@exec $(PY) manage.py play

# Bots take their time here, so that there is something to watch.
demo: venv
	@DATA="$${DATA:-data/demo}" BOT_DELAY="$${BOT_DELAY:-5-20}" exec $(PY) manage.py demo

scale: venv
	@exec $(PY) manage.py scale --web $(WEB) --workers $(WORKERS)

# Those that time a whole site come last and alone.
test: tools
ifdef ARGS
	@$(PY) -m pytest $(ARGS)
else
	@$(PY) -m pytest --numprocesses 3 --dist loadfile --ignore tests/faults
	@$(PY) -m pytest tests/faults
endif

# A page that is found wanting is told at the end; the sheet is laid out all the same.
shots: tools
	@rm -rf artifacts/shots
	@SHOTS=all $(PY) -m pytest -q --numprocesses 2 --dist loadfile $(LOOKS); failed=$$?; \
		ls artifacts/shots/*.png >/dev/null 2>&1 || { echo "No page was pictured: see above." >&2; exit 1; }; \
		$(PY) -m tests.browser.sheet && echo "artifacts/shots/index.html, artifacts/shots/sheet-*.png" && exit $$failed

bench: tools
	@$(PY) bench/run.py $(ARGS)

lint: style types rooms schema

style: tools
	@$(PY) -m ruff check --quiet
	@$(PY) -m ruff format --check --quiet

types: tools
	@$(PY) -m mypy

rooms: tools
	@$(PY) -c 'import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command())'

schema: tools
	@$(PY) manage.py makemigrations --check --dry-run
	@$(PY) manage.py check

check: lint test

messages: venv
	@$(PY) manage.py makemessages --locale it --no-obsolete --no-wrap --add-location file \
		--ignore .venv --ignore data --ignore artifacts --ignore tests
	@$(PY) manage.py compilemessages --locale it --ignore .venv

# The environment is as old as the lock it was built from, of which it keeps a copy: what counts is the
# lock's content, not its date.
venv:
	@$(PY) -c pass 2>/dev/null && cmp -s requirements/play.lock .venv/play.lock || { \
		found=; old=; bare=; \
		for python in $(PYTHONS); do \
			"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { \
				old="$$old$$("$$python" -c 'import sys; print(" %s %d.%d," % (sys.executable, sys.version_info[0], sys.version_info[1]))' 2>/dev/null)"; continue; }; \
			"$$python" -c 'import ensurepip, venv' 2>/dev/null && { found="$$python"; break; }; \
			bare="$$python"; \
		done; \
		if [ -z "$$found" ] && [ -n "$$bare" ]; then \
			echo "The Numbers needs the venv module of $$bare: install it (Debian, Ubuntu: apt-get install python3-venv)." >&2; exit 1; \
		elif [ -z "$$found" ]; then \
			echo "The Numbers needs Python 3.11 or newer; found:$${old:- none}" | sed 's/,$$/./' >&2; exit 1; \
		fi; \
		echo "Building the environment (once, about a minute)…"; \
		$(PY) -m pip --version >/dev/null 2>&1 || "$$found" -m venv --clear .venv || exit 1; \
		rm -f .venv/play.lock; \
		$(INSTALL) -r requirements/play.lock || { echo "The environment could not be built: see above." >&2; exit 1; }; \
		cp requirements/play.lock .venv/play.lock; }

tools: venv
	@cmp -s requirements/test.lock .venv/test.lock || { \
		echo "Adding the tools for tests (once)…"; \
		rm -f .venv/test.lock; \
		$(INSTALL) -r requirements/test.lock || { echo "The tools could not be added: see above." >&2; exit 1; }; \
		cp requirements/test.lock .venv/test.lock; }

lock: venv
	@$(PY) -m pip install -qq --disable-pip-version-check $(UV)
	@$(COMPILE) --output-file requirements/play.lock
	@$(COMPILE) --group dev --constraints requirements/play.lock --output-file requirements/test.lock
	@! grep -nE '://|--(extra-)?index|--find-links' requirements/*.lock
