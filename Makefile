# Every task of the project. `make help` lists them; CI runs these and nothing else.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-builtin-rules --no-print-directory

VENV := .venv
STAMP := $(VENV)/.installed
BENCH_VENV := .venv-bench
BENCH_STAMP := $(BENCH_VENV)/.installed
CLIENTS_VENV := .venv-clients
CLIENTS_STAMP := $(CLIENTS_VENV)/.installed
DEMO_VENV := .venv-demo
DEMO_STAMP := $(DEMO_VENV)/.installed
E2E_VENV := .venv-e2e
E2E_STAMP := $(E2E_VENV)/.installed
# Tools find the interpreter and one another through PATH, as in an activated environment.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)

# Samples that the scaffold has made: each has its own settings, as its users have them.
PROJECTS := $(patsubst %/pyproject.toml,%,$(wildcard examples/*/pyproject.toml))

SERVER ?= embedded
# The folder with the real servers: the user's, or what `make real-apiserver` built; else empty.
ASSETS := $(or $(KUBEBUILDER_ASSETS),$(shell tools/real-apiserver --find))

# PYTHON=… chooses an interpreter. Each candidate is run: a shim may be there without its Python.
define FIND_PYTHON
for candidate in $(or $(PYTHON),python3.14 python3.13 python3.12 python3.11 python3); do \
    if "$$candidate" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; \
    then command -v "$$candidate"; exit 0; fi; \
done; \
echo "Kubewright needs Python 3.11 or newer with its venv module; none of these is: $(or $(PYTHON),python3.14 python3.13 python3.12 python3.11 python3). Install one (Debian: python3 and python3-venv), or name it: make PYTHON=/path/to/python3" >&2; \
exit 1
endef

.PHONY: help
help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile

.PHONY: setup
setup: $(STAMP) ## install everything into .venv

# A change of the pins or of the project's metadata installs again; anything else is a no-op.
$(STAMP): requirements/dev.txt pyproject.toml
	@[ -x $(VENV)/bin/python ] || { python=$$($(FIND_PYTHON)); echo "making $(VENV) with $$python"; "$$python" -m venv $(VENV); }
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(VENV)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

.PHONY: demo
demo: $(if $(wildcard $(STAMP)),,$(DEMO_STAMP)) ## see an operator at work: a cluster, a custom resource, a pod
	@PYTHONPATH=$(CURDIR)/src $(if $(wildcard $(STAMP)),$(VENV),$(DEMO_VENV))/bin/python -m kubewright demo

# Only what the package needs at run time: the first look should not wait for linters.
$(DEMO_STAMP): requirements/run.txt
	@[ -x $(DEMO_VENV)/bin/python ] || { python=$$($(FIND_PYTHON)); echo "making $(DEMO_VENV) with $$python, once"; "$$python" -m venv $(DEMO_VENV); }
	@$(DEMO_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	@touch $@

.PHONY: fmt
fmt: $(STAMP) ## format, and fix what can be fixed
	ruff format
	ruff check --fix

.PHONY: lint
lint: $(STAMP) ## ruff, import-linter, codespell
	ruff check
	ruff format --check
	lint-imports
	codespell

.PHONY: types
types: $(STAMP) ## mypy, and with Node.js also verifytypes
	mypy src tests tools bench examples
	@for project in $(PROJECTS); do echo "mypy in $$project"; \
	(cd "$$project" && mypy --cache-dir $(CURDIR)/.mypy_cache/projects); done
	@if command -v node >/dev/null; then $(MAKE) verifytypes; \
	else echo "types: no Node.js here, so the public types were not verified (pyright needs it)"; fi

.PHONY: verifytypes
verifytypes: $(STAMP) ## the public API is fully typed; needs Node.js
	pyright --verifytypes kubewright --ignoreexternal
	pytest tests/typing/test_pyright.py -q

.PHONY: unit
unit: $(STAMP) ## unit, structure, documentation and typing tests, and doctests
	pytest tests/unit tests/structure tests/docs tests/typing/test_typing.py examples $(PYTEST)
	pytest --doctest-modules --ignore=src/kubewright/kinds --ignore=src/kubewright/ansible/collections src/kubewright -q

.PHONY: conformance
conformance: $(STAMP) ## what Kubernetes promises (SERVER=embedded, real, real-crd or kubeconfig)
ifneq ($(filter real real-crd,$(SERVER)),)
	@[ -n "$(ASSETS)" ] || { echo "no real server: run \`make real-apiserver\` first, or set KUBEBUILDER_ASSETS" >&2; exit 1; }
endif
	KUBEBUILDER_ASSETS=$(ASSETS) pytest tests/conformance --server=$(SERVER) $(PYTEST)

.PHONY: differential
differential: $(STAMP) ## the same random requests to the embedded and the real servers (PROFILE=deep for long)
	@[ -n "$(ASSETS)" ] || { echo "no real server: run \`make real-apiserver\` first, or set KUBEBUILDER_ASSETS" >&2; exit 1; }
	KUBEBUILDER_ASSETS=$(ASSETS) pytest tests/differential --hypothesis-profile=$(or $(PROFILE),differential) $(PYTEST)

.PHONY: kustomize
kustomize: $(STAMP) ## overlays built by us and by the real kustomize: the same objects in the same order
	pytest tests/kustomize $(PYTEST)

.PHONY: kubectl
kubectl: $(STAMP) ## a session of kubectl, compared between the embedded and the real servers
	@[ -n "$(ASSETS)" ] || { echo "no real server: run \`make real-apiserver\` first, or set KUBEBUILDER_ASSETS" >&2; exit 1; }
	KUBEBUILDER_ASSETS=$(ASSETS) pytest tests/kubectl $(PYTEST)

.PHONY: runtime
runtime: $(STAMP) ## an operator in processes of its own, killed and replaced under load, on the real server
	@[ -n "$(ASSETS)" ] || { echo "no real server: run \`make real-apiserver\` first, or set KUBEBUILDER_ASSETS" >&2; exit 1; }
	KUBEBUILDER_ASSETS=$(ASSETS) pytest tests/runtime $(PYTEST)

.PHONY: clients
clients: $(STAMP) $(CLIENTS_STAMP) ## other people's clients, unmodified, against the embedded server
	CLIENTS_VENV=$(CURDIR)/$(CLIENTS_VENV) pytest tests/clients $(PYTEST)

$(CLIENTS_STAMP): requirements/clients.txt
	@[ -x $(CLIENTS_VENV)/bin/python ] || { python=$$($(FIND_PYTHON)); "$$python" -m venv $(CLIENTS_VENV); }
	$(CLIENTS_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/clients.txt
	@touch $@

# The collection kubernetes.core is on PyPI only among all others, so its files alone are unpacked.
$(E2E_STAMP): requirements/e2e.txt requirements/collections.txt
	@[ -x $(E2E_VENV)/bin/python ] || { python=$$($(FIND_PYTHON)); "$$python" -m venv $(E2E_VENV); }
	$(E2E_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/e2e.txt
	rm -rf $(E2E_VENV)/download $(E2E_VENV)/collections
	$(E2E_VENV)/bin/python -m pip download --quiet --disable-pip-version-check --no-deps --require-hashes -r requirements/collections.txt -d $(E2E_VENV)/download
	$(E2E_VENV)/bin/python tools/unpack_collection.py $(E2E_VENV)/download kubernetes.core $(E2E_VENV)/collections
	rm -rf $(E2E_VENV)/download
	@touch $@

.PHONY: cluster
cluster: $(STAMP) ## the embedded cluster: as commands, with kubectl, and beside Kubernetes' own controllers
	KUBEBUILDER_ASSETS=$(ASSETS) pytest tests/cluster $(PYTEST)

.PHONY: e2e
e2e: $(STAMP) $(E2E_STAMP) ## the sample operators as processes, with real etcd and Traefik (SERVER=embedded or real)
ifneq ($(filter real,$(SERVER)),)
	@[ -n "$(ASSETS)" ] || { echo "no real server: run \`make real-apiserver\` first, or set KUBEBUILDER_ASSETS" >&2; exit 1; }
endif
	E2E_VENV=$(CURDIR)/$(E2E_VENV) KUBEBUILDER_ASSETS=$(ASSETS) pytest tests/e2e --server=$(SERVER) $(PYTEST)

.PHONY: scaffold
scaffold: $(STAMP) ## projects as `kubewright init` and `create` make them: built, linted, tested
	pytest tests/scaffold $(PYTEST)

.PHONY: durability
durability: $(STAMP) ## kill a server in the middle of 1,000 writes; nothing that was answered is lost
	pytest tests/durability $(PYTEST)

.PHONY: robustness
robustness: $(STAMP) ## bad input, bad clients, storms and leaks
	pytest tests/robustness $(PYTEST)

.PHONY: simulation
simulation: $(STAMP) ## an operator in virtual time: every request fails once, and a day of faults (SIMULATION_SEEDS=n)
	pytest tests/simulation $(PYTEST)

.PHONY: check
check: lint types unit ## lint + types + unit: before every push

.PHONY: test
test: unit test-embedded test-real cluster ## everything that this machine can run

.PHONY: test-embedded
test-embedded: $(STAMP) ## all that needs nothing but the embedded server
	@$(MAKE) conformance SERVER=embedded
	@$(MAKE) scaffold
	@$(MAKE) durability
	@$(MAKE) robustness
	@$(MAKE) simulation
	@$(MAKE) clients
	@$(MAKE) kustomize
	@$(MAKE) e2e SERVER=embedded

.PHONY: test-real
test-real: $(STAMP) ## all that compares with the real servers, if they are built
ifeq ($(ASSETS),)
	@echo "test: no real server here, so the conformance tests ran against the embedded one only; \`make real-apiserver\` builds them"
else
	@echo "test: conformance against the real servers in $(ASSETS)"
	@$(MAKE) conformance SERVER=real
	@$(MAKE) runtime
	@$(MAKE) e2e SERVER=real
	@if [ -x "$(ASSETS)/apiextensions-apiserver" ]; then $(MAKE) conformance SERVER=real-crd; $(MAKE) differential; \
	else echo "test: no apiextensions-apiserver in $(ASSETS), so SERVER=real-crd and the differential tests did NOT run"; fi
	@if command -v kubectl >/dev/null; then $(MAKE) kubectl; \
	else echo "test: no kubectl on this machine, so its session did NOT run"; fi
endif

.PHONY: bench
bench: $(BENCH_STAMP) ## compare with Kopf, kubernetes and lightkube, and with the real server, side by side
	$(BENCH_VENV)/bin/python -m bench $(BENCH)
	@$(MAKE) bench-webhook
	@if [ -n "$(ASSETS)" ]; then $(MAKE) bench-helm; fi
	@if [ -n "$(ASSETS)" ]; then $(MAKE) bench-apiserver; \
	else echo "bench: no real server here, so the embedded one was NOT compared with it; \`make real-apiserver\` builds it"; fi

.PHONY: bench-apiserver
bench-apiserver: $(BENCH_STAMP) ## compare the embedded API server with the real one
	KUBEBUILDER_ASSETS=$(ASSETS) $(BENCH_VENV)/bin/python -m bench apiserver $(BENCH_APISERVER)

.PHONY: bench-runtime
bench-runtime: $(BENCH_STAMP) ## compare informers, queues and operators with client-go, Kopf and lightkube
	KUBEBUILDER_ASSETS=$(ASSETS) $(BENCH_VENV)/bin/python -m bench runtime $(BENCH_RUNTIME)

.PHONY: bench-growth
bench-growth: $(BENCH_STAMP) ## the cost per object at 1,000, 10,000 and 100,000 objects
	$(BENCH_VENV)/bin/python -m bench growth $(BENCH_GROWTH)

.PHONY: bench-cluster
bench-cluster: $(BENCH_STAMP) ## compare the embedded cluster with Kubernetes' own control plane
	KUBEBUILDER_ASSETS=$(ASSETS) $(BENCH_VENV)/bin/python -m bench cluster $(BENCH_CLUSTER)

.PHONY: bench-webhook
bench-webhook: $(BENCH_STAMP) ## compare webhook servers with Go's and Kopf's
	KUBEBUILDER_ASSETS=$(ASSETS) $(BENCH_VENV)/bin/python -m bench webhook $(BENCH_WEBHOOK)

.PHONY: bench-helm
bench-helm: $(BENCH_STAMP) ## compare charts as operators with the program helm
	KUBEBUILDER_ASSETS=$(ASSETS) $(BENCH_VENV)/bin/python -m bench helm $(BENCH_HELM)

.PHONY: bench-ansible
bench-ansible: $(BENCH_STAMP) $(E2E_STAMP) ## the cost of 500 idle objects of an Ansible role, about ten minutes
	$(BENCH_VENV)/bin/python -m bench ansible $(BENCH_ANSIBLE)

$(BENCH_STAMP): requirements/bench.txt pyproject.toml
	@[ -x $(BENCH_VENV)/bin/python ] || { python=$$($(FIND_PYTHON)); "$$python" -m venv $(BENCH_VENV); }
	$(BENCH_VENV)/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/bench.txt
	@touch $@

.PHONY: golden
golden: $(STAMP) ## rewrite the golden files; read the diff before you commit
	python -m tests.golden.crd.rewrite
	python -m tests.golden.scaffold.rewrite
	python -m tests.e2e.manifests
	python -m tests.e2e.projects
	git --no-pager diff --stat -- tests/golden examples

.PHONY: docs
docs: $(STAMP) ## run every block of the pages, and follow their links
	pytest tests/docs $(PYTEST)

.PHONY: reference
reference: $(STAMP) ## rewrite docs/reference/api from signatures and docstrings
	python tools/generate_api_reference.py

.PHONY: house
house: $(STAMP) ## draw docs/house.svg from the layers and the source tree
	python tools/draw_house.py

.PHONY: real-apiserver
real-apiserver: ## build the real servers once; prints the folder for KUBEBUILDER_ASSETS
	@tools/real-apiserver

.PHONY: lock
lock: $(STAMP) ## pin the requirements anew, with hashes
	@command -v uv >/dev/null || $(VENV)/bin/python -m pip install --quiet uv
	$(LOCK) --group dev pyproject.toml -o requirements/dev.txt
	$(LOCK) pyproject.toml -c requirements/dev.txt -o requirements/run.txt
	$(LOCK) --group bench pyproject.toml -c requirements/dev.txt -o requirements/bench.txt
	$(LOCK) --group clients -c requirements/dev.txt -c requirements/bench.txt -o requirements/clients.txt
	$(LOCK) --group e2e -o requirements/e2e.txt
	$(LOCK) --no-deps --group collections -o requirements/collections.txt
LOCK := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-strip-extras --no-header --no-annotate --no-emit-index-url --no-emit-find-links

.PHONY: clean
clean: ## remove what can be made again, .venv included
	rm -rf $(VENV) $(BENCH_VENV) $(CLIENTS_VENV) $(E2E_VENV) $(DEMO_VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
