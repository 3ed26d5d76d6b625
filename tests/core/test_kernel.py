"""Kernels: interrupts, and the folder with their compiled code."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from contextlib import nullcontext
from typing import NamedTuple

import numpy as np
import pytest

from lattice_simp import Lattice, SymbolTable
from lattice_simp.core import kernel
from lattice_simp.core.connect import reaches_final, topological_order, useful_states
from lattice_simp.core.kernel import Kernel, cpu_seconds, jit, kernel_view, read_only
from lattice_simp.core.shortest_distance import backward_costs, forward_costs
from lattice_simp.ops.nbest import nbest
from lattice_simp.ops.prune import rounding_slack
from lattice_simp.support.interrupts import kernels_interruptible


@jit
def spin(rounds: int, done: np.ndarray) -> float:
    total = 0.0
    for number in range(rounds):
        total += np.sqrt(number)
    done[0] = 1
    return total


def run(code: str, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, **environment}
    command = [sys.executable, "-c", textwrap.dedent(code)]
    return subprocess.run(command, capture_output=True, text=True, env=variables, timeout=120, check=False)


@pytest.mark.parametrize("while_waiting", [True, False])
def test_an_interrupt_ends_a_kernel_at_once_and_the_next_call_works(while_waiting):
    """A signal to another thread wakes no waiting thread, like one that comes just before the wait."""
    done = np.zeros(1, dtype=np.int8)
    spin(1, done)
    done[0] = 0

    def interrupt() -> None:
        receiver = threading.main_thread() if while_waiting else threading.current_thread()
        signal.pthread_kill(receiver.ident or 0, signal.SIGINT)

    threading.Timer(0.2, interrupt).start()
    with kernels_interruptible(), pytest.raises(KeyboardInterrupt):
        spin(2_000_000_000, done)
    assert not done[0]  # it is still running
    assert spin(3, np.zeros(1, dtype=np.int8)) == pytest.approx(1 + np.sqrt(2))


@pytest.mark.parametrize("thread", [False, True])
def test_cpu_seconds_are_those_of_kernels_too(thread):
    done = np.zeros(1, dtype=np.int8)
    spin(1, done)
    results = []

    def measure() -> None:
        result, whole = cpu_seconds(), time.process_time()
        with kernels_interruptible():
            spin(30_000_000, done)
        results.extend((cpu_seconds() - result, time.process_time() - whole))

    if thread:
        worker = threading.Thread(target=measure)
        worker.start()
        worker.join()
    else:
        measure()
    assert results[0] > 0.01
    assert results[0] <= results[1] + 0.01  # the clocks differ a little


@pytest.mark.parametrize("block", [nullcontext, kernels_interruptible])
def test_cpu_seconds_are_without_compiling(block):
    double = Kernel(lambda numbers: numbers + numbers, cache=False)
    with block():
        spin(1, np.zeros(1, dtype=np.int8))  # loads the compiler
        began, whole = cpu_seconds(), time.process_time()
        assert double(np.ones(1)).tolist() == [2.0]
        spent, whole = cpu_seconds() - began, time.process_time() - whole
    assert 0.0 <= spent < whole / 2


def test_compiling_restores_the_thresholds_of_the_garbage_collector(monkeypatch):
    before, during = gc.get_threshold(), []
    double = Kernel(lambda numbers: numbers + numbers, cache=False)
    monkeypatch.setattr(kernel, "_WHEN_COMPILING", [lambda: during.append(gc.get_threshold())])
    double(np.ones(1))
    assert set(during) == {kernel.RARE_COLLECTIONS}
    assert gc.get_threshold() == before
    with pytest.raises(Exception, match=r"non-precise|No implementation|Failed in nopython"):
        double(None)
    assert gc.get_threshold() == before


@pytest.mark.parametrize("block", [nullcontext, kernels_interruptible])
def test_errors_of_kernels_come_back(block):
    with block(), pytest.raises(Exception, match=r"non-precise|No implementation|Failed in nopython"):
        spin("words", np.zeros(1, dtype=np.int8))


@pytest.mark.slow
def test_code_on_disk_is_old_when_a_called_kernel_or_its_number_has_changed(tmp_path):
    """numba itself checks only the file of the kernel that Python calls, and would run old code."""
    calls = "from lattice_simp.core.kernel import jit\nfrom inner import FACTOR, inner\n"
    calls += "@jit\ndef outer(number):\n    return FACTOR * inner(number)\n"
    (tmp_path / "outer.py").write_text(calls, encoding="utf-8")
    results = []
    for factor, added in ((1, 1), (1, 2), (10, 2), (10, 2)):
        text = f"from lattice_simp.core.kernel import jit\nFACTOR = {factor}\n"
        text += f"@jit\ndef inner(number):\n    return number + {added}\n"
        (tmp_path / "inner.py").write_text(text, encoding="utf-8")
        done = run(
            """
            from outer import outer
            print(outer(5), sum(outer.compiled.stats.cache_hits.values()))
            """,
            PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
            PYTHONDONTWRITEBYTECODE="1",
        )
        assert not done.returncode, done.stderr
        results.append(done.stdout.split())
    assert results == [["6", "0"], ["7", "0"], ["70", "0"], ["70", "1"]]


@pytest.mark.slow
def test_code_on_disk_for_a_class_that_is_gone_is_old(tmp_path):
    """The index of a kernel's code names the classes of its arguments; an update may have moved them."""
    kernel = "from lattice_simp.core.kernel import jit\n@jit\ndef first(pair):\n    return pair.left\n"
    (tmp_path / "kernel.py").write_text(kernel, encoding="utf-8")
    for module in ("before", "after"):
        pair = "from typing import NamedTuple\nclass Pair(NamedTuple):\n    left: int\n"
        (tmp_path / f"{module}.py").write_text(pair, encoding="utf-8")
        done = run(
            f"""
            from kernel import first
            from {module} import Pair
            print(first(Pair(3)))
            """,
            PYTHONPATH=os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")]),
            PYTHONDONTWRITEBYTECODE="1",
        )
        assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
        (tmp_path / f"{module}.py").unlink()


@Kernel  # not cached on disk, from where it would be loaded without its helpers
def add(first: int, other: int) -> int:
    return first + other


@Kernel
def adds(numbers: np.ndarray, flag: bool) -> int:
    total = 0
    for number in numbers:
        total = add(total, number)  # int64 (at first the number 0 as a type) and int32
    return add(total, 7) + add(1 if flag else 2, -1)


def test_a_kernel_is_compiled_once_for_all_integers():
    assert adds(np.array([2, 3], dtype=np.int32), True) == 12
    assert add(np.int32(2), np.int64(3)) == 5
    assert [str(signature) for signature in add.compiled.signatures] == ["(int64, int64)"]


@jit
def entries(array):
    """Returns a copy of an array as a kernel sees it."""
    return array.copy()


class Pair(NamedTuple):
    first: np.ndarray
    second: np.ndarray


@jit
def both(pair, plain):
    return pair.first.sum() + 10.0 * pair.second.sum() + 100.0 * plain[0].sum()


@pytest.mark.parametrize("kind", [np.int32, np.dtype([("a", np.int32), ("b", "f8")])])
def test_kernels_see_of_read_only_arrays_what_others_see(kind):
    """The arrays may be views of any part of a larger one."""
    whole = np.arange(24).astype(kind)
    parts = [whole, whole[3:9], whole[9:3:-2], whole[::2], whole[:0], whole[5:6]]
    if whole.dtype.names is None:
        parts += [whole.reshape(4, 6), whole.reshape(4, 6)[1:3], whole.reshape(4, 6).T, whole.reshape(4, 6)[:, 2]]
    for number, part in enumerate(parts):
        result = entries(read_only(part))
        assert result.dtype == part.dtype, number
        assert result.shape == part.shape, number
        assert (result == part).all(), number
    frozen = whole.copy()
    frozen.flags.writeable = False
    assert (entries(frozen[2:5]) == whole[2:5]).all()
    assert not frozen.flags.writeable


def test_read_only_arrays_of_another_type_than_what_they_are_views_of():
    whole = np.arange(6, dtype=np.int64)
    assert entries(read_only(whole.view(np.int32))).tolist() == whole.view(np.int32).tolist()
    assert entries(read_only(whole.view(np.float64))).tolist() == whole.view(np.float64).tolist()


def test_kernels_take_an_array_of_a_file_without_a_view_for_each_call():
    frozen = np.frombuffer(bytes(range(32)), dtype=np.int32)
    view = kernel_view(frozen)
    assert kernel._plain(view) is kernel._plain(view)
    assert not view.flags.writeable
    assert np.shares_memory(view, frozen)
    assert entries(view).tolist() == frozen.tolist()


def test_tuples_of_read_only_arrays_stay_tuples():
    first, second, three = (np.full(4, value) for value in (1.0, 2.0, 3.0))
    arguments = Pair(read_only(first[1:]), second), (read_only(three[:2]),)
    assert both(*arguments) == 3.0 + 80.0 + 600.0
    assert not arguments[0].first.flags.writeable


def test_numba_waits_until_a_kernel_is_called():
    assert (
        run("import sys, lattice_simp.cli; assert 'numba' not in sys.modules and 'numpy' not in sys.modules").returncode
        == 0
    )


READ_ONLY = """
    from numba.core import caching
    names = ("UserProvidedCacheLocator", "_UserProvidedCacheLocator")
    caching.CacheImpl._locator_classes = [getattr(caching, name) for name in names if hasattr(caching, name)]
    import lattice_simp as ls
    print(ls.Lattice.from_strings([("a b", 1.0), ("a", 2.0)]).connected().num_arcs)
"""


@pytest.mark.slow
def test_code_is_kept_elsewhere_where_package_and_home_are_read_only(tmp_path):
    kept = []
    for _ in range(2):
        done = run(READ_ONLY, XDG_CACHE_HOME=str(tmp_path), NUMBA_CACHE_DIR="")
        assert done.stdout == "3\n", done.stderr
        assert f"compiled code is kept in {tmp_path}" in done.stderr
        kept.append({path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.nbc")})
    assert kept[0] == kept[1]  # the second process found all of it
    assert kept[0]


@pytest.mark.slow
def test_code_is_not_loaded_from_a_folder_of_others(tmp_path):
    """A link, and a folder that others can write to or may have filled."""
    path, elsewhere = tmp_path / f"lattice_simp-{os.getuid()}", tmp_path / "elsewhere"
    elsewhere.mkdir(mode=0o700)
    path.symlink_to(elsewhere)
    (tmp_path / "file").write_text("", encoding="utf-8")
    other = f"import tempfile; tempfile.tempdir = {str(tmp_path / 'file')!r}; import lattice_simp"
    code = READ_ONLY.replace("import lattice_simp", other)
    for mode in (None, 0o770):
        if mode is not None:
            path.mkdir()
            path.chmod(mode)
        done = run(code, XDG_CACHE_HOME=str(tmp_path), NUMBA_CACHE_DIR="")
        assert (done.returncode, done.stdout) == (0, "3\n"), done.stderr
        assert "compiled code is not kept" in done.stderr, mode
        assert not list(tmp_path.rglob("*.nb?")), mode
        path.unlink() if mode is None else path.rmdir()


@pytest.mark.slow
def test_kernels_run_where_no_folder_can_be_written(tmp_path):
    file = tmp_path / "file"
    file.write_text("", encoding="utf-8")
    done = run(
        READ_ONLY.replace(
            "import lattice_simp", "import tempfile; tempfile.tempdir = 'FILE'; import lattice_simp"
        ).replace("FILE", str(file)),
        XDG_CACHE_HOME=str(file),
        NUMBA_CACHE_DIR="",
    )
    assert done.stdout == "3\n", done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("block", "threads"), [("nullcontext", 1), ("kernels_interruptible", 2)])
def test_only_programs_run_kernels_in_another_thread(block, threads):
    code = f"""
        import threading
        from contextlib import nullcontext
        import lattice_simp as ls
        from lattice_simp.support.interrupts import kernels_interruptible
        with {block}():
            ls.minimize(ls.Lattice.from_strings([("a b", 1.0)]))
        print(threading.active_count())
        """
    done = run(code)
    assert done.stdout == f"{threads}\n", done.stderr


# ---------------------------------------------------------------- small arrays in Python


def test_python_runs_light_kernels_on_small_arrays_until_their_sum_is_large(monkeypatch):
    monkeypatch.setattr(kernel, "is_compiling", lambda: False)
    monkeypatch.setattr(kernel, "_light_left", 100)
    tried, other = jit(lambda arrays, number: "Python"), jit(lambda arrays, number: "Python")
    tried.__dict__["compiled"] = other.__dict__["compiled"] = lambda arrays, number: "compiled"
    pair = (np.zeros(30), (np.zeros((5, 6)),))
    assert [tried.light(pair, 7) for _ in range(3)] == ["Python", "compiled", "compiled"]
    assert other.light(np.zeros(40), 7) == "Python"
    monkeypatch.setattr(kernel, "_light_left", 100)
    monkeypatch.setattr(kernel, "is_compiling", lambda: True)
    assert other.light(pair, 7) == "compiled"


def test_loaded_light_kernels_run_in_the_callers_thread_on_small_arrays(monkeypatch):
    monkeypatch.setattr(kernel, "is_compiling", lambda: True)
    tried = jit(lambda array: None)
    tried.__dict__["compiled"] = lambda array: threading.current_thread().name
    with kernels_interruptible():
        names = [tried.light(np.zeros(size)) for size in (3, 3, kernel.LIGHT + 1)]
    assert names == ["kernels", threading.main_thread().name, "kernels"]


def test_light_kernels_that_take_long_become_compiled_code(monkeypatch):
    """How long a search takes depends on more than the size of its lattice."""
    lattice = Lattice.from_strings([("a b c", 1.0), ("a c", 0.5)])
    monkeypatch.setattr(kernel, "is_compiling", lambda: False)
    monkeypatch.setattr(kernel, "_light_left", 10**9)
    started, compiled = [], Kernel.compiled.__get__
    monkeypatch.setattr(Kernel, "_is_loaded", property(lambda _: False, lambda *_: None), raising=False)
    monkeypatch.setattr(Kernel, "compiled", property(lambda self: started.append(self.__name__) or compiled(self)))
    for seconds, expected in ((60.0, []), (-1.0, ["_search"])):
        monkeypatch.setattr(kernel, "LIGHT_SECONDS", seconds)
        assert [path.text for path in nbest(lattice, 2)] == ["a c", "a b c"]
        assert started[:1] == expected  # kernels that it calls follow if it is compiled now


def test_light_kernels_give_the_same_bits_in_python(monkeypatch):
    """Costs may be infinite, negative, or cancel each other."""

    def results(seed):
        rng = np.random.default_rng(seed)
        states = int(rng.integers(1, 8))
        sources, targets = np.sort(rng.integers(states, size=(2, 12)), axis=0)
        costs = rng.choice([0.0, -0.0, 0.1, -1e16, 1e16, 1e-300, 0.3], size=12)
        is_arc = sources < targets
        ends = np.where(rng.random(states) < 0.5, rng.normal(size=states), np.inf)
        labels = rng.integers(0 if seed % 2 else 1, 3, size=12)
        columns = (sources[is_arc], labels[is_arc], costs[is_arc], targets[is_arc])
        lattice = Lattice.from_arcs(*columns, ends, SymbolTable(["a", "b"]))
        offsets, nextstates, final = lattice.offsets, lattice.nextstates, np.isfinite(lattice.finals)
        cycle = rng.integers(states, size=len(nextstates)).astype(np.int32)
        yield from (forward_costs(lattice), backward_costs(lattice), useful_states(offsets, nextstates, final))
        yield from (topological_order(offsets, nextstates), topological_order(offsets, cycle))
        yield from (reaches_final(offsets, cycle, final), rounding_slack(lattice.weights, lattice.finals))
        for unique in (False, True):
            for path in nbest(lattice, 9, unique=unique):
                yield from (path.cost, path.arcs)

    for seed in range(60):
        compiled = list(results(seed))
        with monkeypatch.context() as changed:
            changed.setattr(kernel, "is_compiling", lambda: False)
            changed.setattr(kernel, "_light_left", 10**9)
            changed.setattr(Kernel, "_is_loaded", property(lambda _: False), raising=False)
            changed.setattr(Kernel, "compiled", property(lambda _: pytest.fail("compiled code was called")))
            plain = list(results(seed))
        for number, (first, second) in enumerate(zip(compiled, plain, strict=True)):
            assert np.array(first).dtype == np.array(second).dtype, (seed, number)
            assert np.array(first).tobytes() == np.array(second).tobytes(), (seed, number)


def test_numba_without_a_compiler_is_refused():
    code = "import numba, lattice_simp as ls; ls.nbest(ls.Lattice.from_strings(['a', 'b']), 1)"
    done = run(code, NUMBA_DISABLE_JIT="1")
    assert "LatticeSimpError: NUMBA_DISABLE_JIT is set, but operations need compiled code; unset it" in done.stderr
