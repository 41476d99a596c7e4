# make demo — a first look: sets up .venv with the core and what reads documents
# make test · make test-all · make lint · make docs · make pictures · make bench (bench-speed, bench-scores, bench-evidence) · make bench-long · make bench-gpu — each adds to .venv what it needs, once
# make faults · make fuzz · make mutants · make soak · make differential · make metamorphic — long attacks; each writes its tables to benchmarks/RELIABILITY.md
# make results — the quick sections of benchmarks/RESULTS.md again: a figure that differs fails
# make size — lines and files of each part of the project
# make audit · make pins — packages with known vulnerabilities; the list of tested versions with their SHA-256 sums, anew
# make release — the wheel, its software bill of materials (make sbom) and their sums, into dist/
# make core · make lower-bounds · make neural-lower-bounds — install into a temporary environment and run the quick tests there
# make paths — the test suite with temporary folders whose paths have 20 to 120 characters
PYTHON ?= python3
BIN := .venv/bin
READY := .venv/.ready
DEMO_READY := .venv/.demo_ready
comma := ,
EXTRAS := neural,faiss,embedded,tables,plots,lora,documents,docs,dev
SAMPLE := pipelines/sources/bundled_document.txt
QUESTION := In what order does popitem take the pairs out of a dictionary?

# A set-up compiles no modules: of 29,000, few are ever imported. Those are compiled at their first import, whatever the environment says.
export PYTHONDONTWRITEBYTECODE =

.PHONY: demo test test-all faults fuzz mutants soak differential metamorphic core lower-bounds neural-lower-bounds paths lint results size audit pins sbom release format docs pictures bench bench-speed bench-scores bench-evidence bench-long bench-gpu wordings clean

# The full set-up, where there is one, has what the demo needs.
demo: $(if $(wildcard $(READY)),$(READY),$(DEMO_READY))
	@echo "1 of 2: ask a document of 65,000 words: longdoc ask $(SAMPLE) \"$(QUESTION)\" -k 1"
	@$(BIN)/longdoc ask $(SAMPLE) "$(QUESTION)" -k 1
	@echo; echo "2 of 2: score 36 questions about six documents: longdoc run qa --data sample --model extractive"
	@$(BIN)/longdoc run qa --data sample --model extractive
	@echo; echo "Open the report: $$(ls -t runs/*/report.html | head -n 1)"
	@echo "Ask your own documents: $(BIN)/longdoc ask FILES \"QUESTION\""

# Three processes on two cores, since some tests wait for servers and processes; each more costs half a minute to collect.
test: $(READY)
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

test-all: $(READY)
	$(BIN)/python -m pytest -m "slow or not slow"

faults mutants soak differential: $(READY)
	$(BIN)/python -m tests.attacks.$@

metamorphic: $(READY)
	$(BIN)/python -m tests.metamorphic

# atheris has wheels for some versions of Python only, so it is no part of the usual set-up.
fuzz: $(READY)
	$(BIN)/python -m pip install --quiet -c constraints.txt -e ".[fuzz]"
	$(BIN)/python -m tests.attacks.fuzz

core lower-bounds neural-lower-bounds: $(READY)
	$(BIN)/python -m tests.fresh_environment $@

paths: $(READY)
	$(BIN)/python -m tests.base_paths -n 3 --dist loadfile

lint: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/bandit --quiet --configfile pyproject.toml --recursive longdoc chunkers models retrievers pipelines setup.py .ci

results: $(READY)
	$(BIN)/python -m benchmarks.check

# Lines and files of each part.
size: $(READY)
	$(BIN)/python -m benchmarks.size

audit: $(READY)
	$(BIN)/python .ci/audit.py

# Needs uv (pip install uv), which lists the sums of the files for all systems. Versions in the list are kept while they fit.
pins: $(READY)
	uv pip compile --quiet pyproject.toml $(foreach extra,$(subst $(comma), ,$(EXTRAS)),--extra $(extra)) -c constraints.txt \
		--python $(BIN)/python --generate-hashes --no-header --no-annotate --no-emit-index-url -o .ci/pinned.txt

sbom: $(READY)
	$(BIN)/python .ci/sbom.py dist/longdoc-$$($(BIN)/python -c 'import longdoc; print(longdoc.__version__)').cdx.json

release: $(READY)
	rm -rf dist
	$(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .
	$(MAKE) --no-print-directory sbom
	cd dist && sha256sum longdoc-* > SHA256SUMS

format: $(READY)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(READY)
	$(BIN)/python docs/_generator/write_pages.py build/pages
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "Next: open site/index.html"

# The pictures of the documentation, of pages that runs on the sample make; needs Chromium.
pictures: $(READY)
	$(BIN)/python docs/_pictures/take.py

# Each part, and each of its lines, runs alone; what takes over a minute or two is in bench-long.
bench: bench-speed bench-scores bench-evidence

bench-speed: $(READY)
	$(BIN)/python -m benchmarks.ranking
	$(BIN)/python -m benchmarks.ask
	$(BIN)/python -m benchmarks.ask_index
	$(BIN)/python -m benchmarks.generate
	$(BIN)/python -m benchmarks.embedding

bench-scores: $(READY)
	$(BIN)/python -m benchmarks.published
	$(BIN)/python -m benchmarks.pages_and_sets
	$(BIN)/python -m benchmarks.counting
	$(BIN)/python -m benchmarks.floors
	$(BIN)/python -m benchmarks.muld_floors
	$(BIN)/python -m benchmarks.scrolls
	$(BIN)/python -m benchmarks.compared_logs
	$(BIN)/python -m benchmarks.curves

bench-evidence: $(READY)
	$(BIN)/python -m benchmarks.evidence
	$(BIN)/python -m benchmarks.chunking_evaluation
	$(BIN)/python -m benchmarks.numbered_questions
	$(BIN)/python -m benchmarks.languages
	$(BIN)/python -m benchmarks.beyond_retrieval

bench-long: $(READY)
	$(BIN)/python -m benchmarks.engines
	$(BIN)/python -m benchmarks.cache
	$(BIN)/python -m benchmarks.question_answering
	$(BIN)/python -m benchmarks.style_change
	$(BIN)/python -m benchmarks.chat
	$(BIN)/python -m benchmarks.evidence_answers
	$(BIN)/python -m benchmarks.versus
	$(BIN)/python -m benchmarks.coverage
	$(BIN)/python -m benchmarks.power
	$(BIN)/python -m benchmarks.evidence_learned
	$(BIN)/python -m benchmarks.evidence vectors
	$(BIN)/python -m benchmarks.evidence_learned vectors
	$(BIN)/python -m benchmarks.scaling
	$(BIN)/python -m benchmarks.cpu_readers

bench-gpu: $(READY)
	$(BIN)/python -m benchmarks.gpu

# The words of tasks on real models, each behind a server: make wordings MODELS="Qwen2.5-Coder-1.5B=http://127.0.0.1:8091 …"
wordings: $(READY)
	$(BIN)/python -m benchmarks.wordings $(MODELS)

clean:
	rm -rf .venv site .pytest_cache .mypy_cache .ruff_cache build *.egg-info

# $(call set_up,EXTRAS): what is in .venv already stays. Each set-up has a report of pip's, which make audit reads.
define set_up
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "longdoc needs Python 3.11 or newer: make PYTHON=python3.11")'
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@grep -o '^[^ #]*==[^ ]*' .ci/pinned.txt > .venv/pinned_versions.txt
	@$(BIN)/python .ci/install.py -c constraints.txt -c .venv/pinned_versions.txt --report .venv/installed-$$(date +%s).json -e ".[$(1)]"
endef

$(DEMO_READY): pyproject.toml constraints.txt .ci/pinned.txt
	@echo "Setting up .venv, once: longdoc and what reads documents, 51 packages, 370 MB"
	$(call set_up,documents)
	@touch $(DEMO_READY)

# On Linux, pip's usual index has torch's CUDA build alone, with gigabytes of CUDA libraries. For a machine without GPU
# have pip find the CPU build: docs/installation.md, "Without GPU".
$(READY): pyproject.toml constraints.txt .ci/pinned.txt
	@echo "Setting up .venv, once: longdoc with torch and all that its tests need, some 260 packages, 2.7 GB or more"
	$(call set_up,$(EXTRAS))
	@touch $(DEMO_READY) $(READY)
