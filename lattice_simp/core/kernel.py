"""How numeric kernels are compiled and called, and the array types they take.

numba is imported only when a kernel is called, since the import takes longer than most commands.
"""

from __future__ import annotations

import functools
import gc
import hashlib
import os
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from lattice_simp.errors import LatticeSimpError
from lattice_simp.support.interrupts import interrupts_end_kernels
from lattice_simp.support.threads import next_item

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Array = npt.NDArray[Any]
Records = npt.NDArray[Any]
"""A structured array; as a growing pool, it is faster than several arrays side by side."""


def record(fields: list[tuple[str, Any]]) -> np.dtype[Any]:
    """Returns the type of records whose fields are attributes in Python, too, and not only in kernels."""
    return np.dtype((np.record, fields))


STACK_BYTES = 64 << 20
"""The compiler's recursion needs this stack; on some systems threads get half a megabyte."""


def jit(function: Callable[..., Any]) -> Kernel:
    """Compiles a kernel to machine code on its first call and caches the code on disk.

    Without fastmath: infinity marks unreachable states, and every run must give the same bytes. Kernels release the
    GIL, so threads can work on several sentences without copying their arrays. They have no wrappers for C, which
    nothing calls and which take time to compile.
    """
    return Kernel(function, cache=True, boundscheck=False, fastmath=False, nogil=True, no_cfunc_wrapper=True)


def inlined(function: Callable[..., Any]) -> Kernel:
    """Inlines a helper of kernels into its callers."""
    return Kernel(function, inline="always", nogil=True)


def is_compiling() -> bool:
    """Returns whether the compiler is loaded, so that kernels pay off even for small inputs."""
    return "numba" in sys.modules


LIGHT = 500_000
"""How many array elements a process handles in plain Python (0.1 s) before it loads the compiler (0.5 s)."""

_light_left = LIGHT

LIGHT_SECONDS = 0.5
"""The processor time after which Python gives up a kernel that turns out to take longer, and the compiler is loaded."""


class Kernel:
    """A function that numba compiles when it is first called, from Python or by another kernel.

    Machine code cannot be interrupted: Ctrl-C waits for its end. In programs that declare `kernels_interruptible`, the
    main thread, which receives Ctrl-C, has another thread run it and abandons that thread on KeyboardInterrupt (15
    microseconds a call, more on a busy machine).
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.targetoptions = function, options  # numba reads these names to inline functions
        self._is_loaded = False

    @functools.cached_property
    def compiled(self) -> Any:
        """numba's dispatcher."""
        numba = _numba()
        if numba.config.DISABLE_JIT:
            raise LatticeSimpError("NUMBA_DISABLE_JIT is set, but operations need compiled code; unset it")
        try:
            compiled = numba.njit(**self.targetoptions)(self.py_func)
        except RuntimeError:  # numba can write neither beside the source nor in the user's folder
            folder = _folder_elsewhere()
            numba.config.CACHE_DIR = str(folder or "")
            compiled = numba.njit(**{**self.targetoptions, "cache": folder is not None})(self.py_func)
        if type(compiled._cache).__name__ != "NullCache":
            _invalidate_with_callees(compiled, self)
        return _with_plain_integers(compiled)

    def __call__(self, *arguments: Any) -> Any:
        if _mode.deadline is not None:
            if time.thread_time() > _mode.deadline:
                raise _TooSlow
            return self.py_func(*arguments)
        arguments = tuple(map(_plain, arguments))
        if interrupts_end_kernels() and threading.current_thread() is threading.main_thread():
            result = _aside(self.compiled, arguments)
        else:
            result = self.compiled(*arguments)
        self._is_loaded = True
        return result

    def light(self, *arguments: Any, rounds: int = 1) -> Any:
        """Calls the kernel; while the compiler is not loaded, Python runs the function on small arrays.

        Use it for kernels that take time linear in the size of their arrays, or in `rounds` times this size, and whose
        only arithmetic is sums and comparisons, so that both ways give the same bits. Python also runs the kernels that
        it calls; a kernel that calls others must not change its arguments, since after `LIGHT_SECONDS` it starts again
        as compiled code. For small arrays, a kernel that is loaded takes milliseconds, so Ctrl-C waits for its end.
        """
        global _light_left
        if is_compiling() and not interrupts_end_kernels():
            return self(*arguments)
        size = rounds * sum(array.size for array in _arrays(arguments))
        if self._is_loaded and size <= LIGHT:
            return self.compiled(*map(_plain, arguments))
        if is_compiling() or size > _light_left:
            return self(*arguments)
        _light_left -= size
        with suppress(_TooSlow), np.errstate(all="ignore"), _mode.python():
            return self.py_func(*arguments)
        return self(*arguments)


class _TooSlow(Exception):
    """Python has run a kernel for `LIGHT_SECONDS`."""


class _Mode(threading.local):
    """Until when Python runs the kernels that a thread calls, since it runs the kernel that calls them; None if not."""

    deadline: float | None = None

    @contextmanager
    def python(self) -> Iterator[None]:
        before, self.deadline = self.deadline, time.thread_time() + LIGHT_SECONDS
        try:
            yield
        finally:
            self.deadline = before


_mode = _Mode()


def _invalidate_with_callees(compiled: Any, kernel: Kernel) -> None:
    """Invalidates cached code when a callee has changed; numba itself checks only the kernel's file.

    The private attributes are the same in all numba releases that `pyproject.toml` allows.
    """
    file = compiled._cache._cache_file
    file._source_stamp = (file._source_stamp, _digest(kernel))
    load_index = file._load_index

    def load_known() -> dict[Any, str]:
        try:
            return load_index()  # type: ignore[no-any-return]
        except (ImportError, AttributeError):  # code for a class that the package no longer has
            return {}

    file._load_index = load_known


def _digest(kernel: Kernel) -> str:
    """Returns a digest of the code and constants of a kernel and its callees."""
    parts: list[str] = []
    visited, waiting = {kernel}, [kernel]
    while waiting:
        function = waiting.pop().py_func
        code = function.__code__
        constants = [getattr(constant, "co_code", constant) for constant in code.co_consts]
        parts.append(f"{function.__module__}.{function.__qualname__} {code.co_code!r} {constants!r}")
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, Kernel) and value not in visited:
                visited.add(value)
                waiting.append(value)
            elif isinstance(value, int | float | str | tuple):
                parts.append(f"{name} {value!r}")
    return hashlib.blake2b("\n".join(sorted(parts)).encode(), digest_size=16).hexdigest()


def _with_plain_integers(compiled: Any) -> Any:
    """Makes a dispatcher treat all integers that other kernels pass as int64, as it treats Python's.

    Otherwise numba compiles it again for each width of each argument, and for each literal number.
    """
    from numba.core import types
    from numba.core.types.misc import unliteral

    template = compiled.get_call_template

    def plain(type_: Any) -> Any:
        is_integer = isinstance(type_ := unliteral(type_), types.Integer)
        return types.int64 if is_integer and type_.signed and not isinstance(type_, types.Boolean) else type_

    compiled.get_call_template = lambda args, kws: template(
        tuple(map(plain, args)), {name: plain(type_) for name, type_ in kws.items()}
    )
    return compiled


_WHEN_COMPILING: list[Callable[[], None]] = []


def when_compiling(tell: Callable[[], None]) -> None:
    """Registers a callback for the first kernel that this process compiles rather than loads from disk.

    It has no effect after the first call of a kernel.
    """
    _WHEN_COMPILING.append(functools.cache(tell))


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns a read-only view of an array, or the array if it is read-only already."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def kernel_view(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns a read-only view of a read-only array; calls of kernels need no further view of it."""
    return read_only(_shared(array))


def _arrays(argument: Any) -> Iterator[npt.NDArray[Any]]:
    """Yields the arrays in an argument."""
    if isinstance(argument, np.ndarray):
        yield argument
    elif isinstance(argument, tuple):
        for part in argument:
            yield from _arrays(part)


def _plain(argument: Any) -> Any:
    """Replaces read-only arrays in an argument by writable views, and numpy's numbers by Python's.

    Kernels do not write to them. numba gives them other types, so it would compile a kernel again for every mixture.
    """
    if isinstance(argument, np.ndarray):
        return argument if argument.flags.writeable else _origin(argument)
    if isinstance(argument, tuple):
        parts = [_plain(part) for part in argument]
        return argument._make(parts) if hasattr(argument, "_make") else tuple(parts)
    return argument.item() if isinstance(argument, np.number) else argument


def _origin(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns the array behind a view of `read_only`; this takes a twentieth of the time of a new view."""
    base = array.base
    if not isinstance(base, np.ndarray) or not base.flags.writeable or base.dtype != array.dtype:
        return _shared(array)
    return base if (base.shape, base.strides) == (array.shape, array.strides) else _shared(array)


def _shared(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = np.asarray(_Shared(array))
    return view if view.dtype == array.dtype else view.view(array.dtype)  # the protocol drops names of padded fields


class _Shared:
    """The data of a read-only array, in numpy's array interface."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.array = array  # keeps the data alive
        self.__array_interface__ = interface = array.__array_interface__
        interface["data"] = (interface["data"][0], False)


@functools.cache
def _numba() -> ModuleType:
    """Imports numba and teaches it to resolve kernels that call kernels."""
    import numba
    from numba.core import event
    from numba.extending import typeof_impl

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            _compiling.begin()
            for callback in _WHEN_COMPILING:
                callback()

        def on_end(self, event: Any) -> None:
            _compiling.end()

    typeof_impl.register(Kernel, lambda kernel, context: numba.types.Dispatcher(kernel.compiled))
    event.register("numba:compile", Listener())
    return numba


RARE_COLLECTIONS = (50_000, 20, 50)
"""The thresholds of Python's garbage collector while numba compiles.

The compiler makes many objects that live until it is done. With Python's own thresholds, looking through them takes a
tenth of its time; with these, it takes 12 MB more memory.
"""


class _Compiling(threading.local):
    """Counts the CPU seconds that a thread spends on compiling; a kernel may compile others.

    Only one thread compiles at a time, so it can set the collector's thresholds and restore them.
    """

    depth = 0
    began = 0.0
    seconds = 0.0
    thresholds = RARE_COLLECTIONS

    def begin(self) -> None:
        if not self.depth:
            self.began = time.thread_time()
            self.thresholds = gc.get_threshold()
            gc.set_threshold(*RARE_COLLECTIONS)
        self.depth += 1

    def end(self) -> None:
        self.depth -= 1
        if not self.depth:
            gc.set_threshold(*self.thresholds)
            self.seconds += time.thread_time() - self.began


_compiling = _Compiling()


@functools.cache
def _folder_elsewhere() -> Path | None:
    """Chooses another folder for machine code: in some containers package and home are read-only."""
    user = os.getuid()  # without user ids (Windows), numba always has a folder
    for parent in filter(None, (os.environ.get("XDG_CACHE_HOME"), tempfile.gettempdir())):
        folder = Path(parent, f"lattice_simp-{user}")
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_private(folder, user) and os.access(folder, os.W_OK):
                warnings.warn(
                    f"compiled code is kept in {folder}; set NUMBA_CACHE_DIR to choose another folder", stacklevel=1
                )
                return folder
    warnings.warn("compiled code is not kept: no folder is private; set NUMBA_CACHE_DIR to one", stacklevel=1)
    return None


def _is_private(folder: Path, user: int) -> bool:
    """Returns whether only this user can write to a folder; code is loaded from it."""
    status = folder.lstat()  # the status of a link, not of its target: another user may redirect the link
    return stat.S_ISDIR(status.st_mode) and status.st_uid == user and not status.st_mode & 0o077


# ---------------------------------------------------------------- the thread for kernels


def cpu_seconds() -> float:
    """Returns the CPU seconds of this thread without compiling; those of the main thread include its kernels.

    So limits of time mean the same when a kernel is used for the first time.
    """
    aside = _spent_aside if threading.current_thread() is threading.main_thread() else 0.0
    return time.thread_time() - _compiling.seconds + aside


_spent_aside = 0.0

_Answers = SimpleQueue[tuple[Any, BaseException | None, float]]
_Calls = SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...], _Answers]]


def _aside(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Calls a function in the thread for kernels; an interrupt ends the wait at once and abandons the thread."""
    global _spent_aside
    answers: _Answers = SimpleQueue()
    try:
        _calls().put((function, arguments, answers))
        result, error, seconds = next_item(answers)
    except BaseException:
        _calls.cache_clear()
        raise
    _spent_aside += seconds
    if error is not None:
        raise error
    return result


@functools.cache
def _calls() -> _Calls:
    """Starts a thread for kernels and returns its queue."""
    calls: _Calls = SimpleQueue()
    before = threading.stack_size(STACK_BYTES)
    try:
        threading.Thread(target=_serve, args=(calls,), name="kernels", daemon=True).start()
    finally:
        threading.stack_size(before)
    return calls


def _serve(calls: _Calls) -> None:
    while True:
        function, arguments, answers = calls.get()
        began = time.thread_time() - _compiling.seconds
        try:
            result, failure = function(*arguments), None
        except BaseException as error:
            result, failure = None, error
        answers.put((result, failure, time.thread_time() - _compiling.seconds - began))
        del function, arguments, answers, result, failure  # arrays may be large, and the next call may be far away


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_calls.cache_clear)
