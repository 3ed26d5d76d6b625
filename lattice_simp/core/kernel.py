"""The one place that says how numeric kernels are compiled and called, and the array types they take.

Importing numba takes longer than most commands, so it waits until a kernel is called.
"""

from __future__ import annotations

import functools
import hashlib
import os
import stat
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Bytes = npt.NDArray[np.int8]
Records = npt.NDArray[Any]
"""A structured array; as a growing pool, faster than arrays side by side."""

STACK_BYTES = 64 << 20
"""Room for the compiler's recursion: on some systems threads get half a megabyte, less than it needs."""


def jit(function: Callable[..., Any]) -> Kernel:
    """Compiles a kernel to machine code on its first call and keeps the code on disk for the next process.

    No fastmath: infinity marks what is unreachable, and every run must give the same bytes. Kernels let other threads
    run, so sentences can be worked on side by side without copies of their arrays.
    """
    return Kernel(function, cache=True, boundscheck=False, fastmath=False, nogil=True)


def inlined(function: Callable[..., Any]) -> Kernel:
    """Compiles a helper of kernels into its callers."""
    return Kernel(function, inline="always", nogil=True)


def is_compiling() -> bool:
    """Returns whether the compiler is loaded, so that kernels are quick for small inputs, too."""
    return "numba" in sys.modules


class Kernel:
    """A function that numba compiles when it is first called, from Python or by another kernel.

    Machine code cannot be interrupted. So the main thread, the one that gets Ctrl-C, lets another thread run it, and
    leaves that behind when KeyboardInterrupt comes (15 microseconds a call, more on a busy machine). Processes that get
    no Ctrl-C do without (`run_kernels_directly`).
    """

    def __init__(self, function: Callable[..., Any], **options: Any) -> None:
        functools.update_wrapper(self, function)
        self.py_func, self.targetoptions = function, options  # by these names numba knows what to inline

    @functools.cached_property
    def compiled(self) -> Any:
        """numba's own object."""
        numba = _numba()
        try:
            compiled = numba.njit(**self.targetoptions)(self.py_func)
        except RuntimeError:  # neither beside the source nor in the user's folder may code be kept
            folder = _folder_elsewhere()
            numba.config.CACHE_DIR = str(folder or "")
            compiled = numba.njit(**{**self.targetoptions, "cache": folder is not None})(self.py_func)
        if type(compiled._cache).__name__ != "NullCache":
            _invalidate_with_callees(compiled, self)
        return _with_plain_integers(compiled)

    def __call__(self, *arguments: Any) -> Any:
        arguments = tuple(map(_plain, arguments))
        if _interruptible and threading.current_thread() is threading.main_thread():
            return _aside(self.compiled, arguments)
        return self.compiled(*arguments)


def _invalidate_with_callees(compiled: Any, kernel: Kernel) -> None:
    """Invalidates code on disk when a kernel that this one calls has changed; numba looks at the kernel's file alone.

    The attributes are numba's own, the same in all releases that `pyproject.toml` allows; without them this fails.
    """
    file = compiled._cache._cache_file
    file._source_stamp = (file._source_stamp, _digest(kernel))


def _digest(kernel: Kernel) -> str:
    """Returns what differs when a kernel, one that it calls, or a constant that these use has changed."""
    parts: list[str] = []
    seen, waiting = {kernel}, [kernel]
    while waiting:
        function = waiting.pop().py_func
        code = function.__code__
        constants = [getattr(constant, "co_code", constant) for constant in code.co_consts]
        parts.append(f"{function.__module__}.{function.__qualname__} {code.co_code!r} {constants!r}")
        for name in code.co_names:
            value = function.__globals__.get(name)
            if isinstance(value, Kernel) and value not in seen:
                seen.add(value)
                waiting.append(value)
            elif isinstance(value, int | float | str | tuple):
                parts.append(f"{name} {value!r}")
    return hashlib.blake2b("\n".join(sorted(parts)).encode(), digest_size=16).hexdigest()


def _with_plain_integers(compiled: Any) -> Any:
    """Makes numba's object take all integers that other kernels call it with for int64, as those of Python are.

    It would be compiled anew for each width of each argument, and for each number that is written in the code.
    """
    from numba.core import types
    from numba.core.types.misc import unliteral

    template = compiled.get_call_template

    def plain(given: Any) -> Any:
        is_integer = isinstance(given := unliteral(given), types.Integer)
        return types.int64 if is_integer and given.signed and not isinstance(given, types.Boolean) else given

    compiled.get_call_template = lambda args, kws: template(
        tuple(map(plain, args)), {name: plain(own) for name, own in kws.items()}
    )
    return compiled


_WHEN_COMPILING: list[Callable[[], None]] = []


def when_compiling(tell: Callable[[], None]) -> None:
    """Has a function called when this process first compiles a kernel, which it then does not find on disk.

    It takes effect if no kernel was called before.
    """
    _WHEN_COMPILING.append(functools.cache(tell))


def read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns an array that cannot be written to: a view of the same data, where it can be."""
    if not array.flags.writeable:
        return array
    view = array.view()
    view.flags.writeable = False
    return view


def _plain(argument: Any) -> Any:
    """Returns an argument with views of its read-only arrays that pass for others, since no kernel writes to these.

    For numba they are of another type, so it would compile each kernel anew for every mixture of the two.
    """
    if isinstance(argument, np.ndarray):
        return argument if argument.flags.writeable else _origin(argument)
    if isinstance(argument, tuple):
        parts = [_plain(part) for part in argument]
        return argument._make(parts) if hasattr(argument, "_make") else tuple(parts)
    return argument


def _origin(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Returns the array that `read_only` made a view of; it takes a twentieth of the time of another view."""
    base = array.base
    if not isinstance(base, np.ndarray) or not base.flags.writeable or base.dtype != array.dtype:
        return _shared(array)
    return base if (base.shape, base.strides) == (array.shape, array.strides) else _shared(array)


def _shared(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    view = np.asarray(_Shared(array))
    return view if view.dtype == array.dtype else view.view(array.dtype)  # padding has no names there


class _Shared:
    """The data of a read-only array, as numpy's protocol hands them over."""

    def __init__(self, array: npt.NDArray[Any]) -> None:
        self.array = array  # keeps the data alive
        self.__array_interface__ = interface = array.__array_interface__
        interface["data"] = (interface["data"][0], False)


@functools.cache
def _numba() -> ModuleType:
    """Returns numba, once it knows what a kernel is that another one calls."""
    import numba
    from numba.core import event
    from numba.extending import typeof_impl

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: Any) -> None:
            for tell in _WHEN_COMPILING:
                tell()

        def on_end(self, event: Any) -> None:
            """Does nothing."""

    typeof_impl.register(Kernel, lambda kernel, context: numba.types.Dispatcher(kernel.compiled))
    if _WHEN_COMPILING:
        event.register("numba:compile", Listener())
    return numba


@functools.cache
def _folder_elsewhere() -> Path | None:
    """Chooses a folder for machine code where numba finds none: package and home are read-only in some containers."""
    user = os.getuid()  # where there are no such numbers, there always is a folder
    for parent in filter(None, (os.environ.get("XDG_CACHE_HOME"), tempfile.gettempdir())):
        folder = Path(parent, f"lattice_simp-{user}")
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            if _is_private(folder, user) and os.access(folder, os.W_OK):
                warnings.warn(f"compiled code is kept in {folder} (NUMBA_CACHE_DIR names another folder)", stacklevel=1)
                return folder
    warnings.warn("compiled code is not kept: no folder is this user's alone (NUMBA_CACHE_DIR names one)", stacklevel=1)
    return None


def _is_private(folder: Path, user: int) -> bool:
    """Returns whether only a user can have put files into a folder; code is loaded from it."""
    status = folder.lstat()  # of a link itself: others may change where it leads
    return stat.S_ISDIR(status.st_mode) and status.st_uid == user and not status.st_mode & 0o077


# ---------------------------------------------------------------- the thread for kernels

_interruptible = True


def run_kernels_directly() -> None:
    """Has the main thread of this process run kernels itself: for workers, which are killed and never interrupted."""
    global _interruptible
    _interruptible = False


def cpu_seconds() -> float:
    """Returns the CPU seconds of this thread; in the main thread, those that another one spent on its kernels, too."""
    aside = _spent_aside if threading.current_thread() is threading.main_thread() else 0.0
    return time.thread_time() + aside


_spent_aside = 0.0

_Answers = SimpleQueue[tuple[Any, BaseException | None, float]]
_Calls = SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...], _Answers]]


def _aside(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Calls a function in the thread for kernels; an interrupt ends the wait, and the thread when it is done."""
    global _spent_aside
    answers: _Answers = SimpleQueue()
    try:
        _calls().put((function, arguments, answers))
        result, error, seconds = answers.get()
    except BaseException:
        _calls.cache_clear()
        raise
    _spent_aside += seconds
    if error is not None:
        raise error
    return result


@functools.cache
def _calls() -> _Calls:
    """Returns the queue of a new thread."""
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
        began = time.thread_time()
        try:
            result, failure = function(*arguments), None
        except BaseException as error:
            result, failure = None, error
        answers.put((result, failure, time.thread_time() - began))
        del function, arguments, answers, result, failure  # arrays may be large, and the next call may be far away


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_calls.cache_clear)
