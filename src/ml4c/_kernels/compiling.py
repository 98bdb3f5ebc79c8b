"""How Numba compiles our kernels: the same code, in half the time.

Numba finishes every function by itself: what a step calls is linked into it, optimised and turned into machine code,
and all that again for whoever calls the step. Ours are five to seven calls deep. Here a step is only linked; the kernel
that Python calls is then optimised as a whole, once. Four smaller savings: passes for what no kernel contains
(closures, array expressions, loops over mixed tuples) are left out; what operators make of types is remembered; the
options of a compilation, which Numba compares at every call that it types, are compared by what was set; and Python
does not look for garbage meanwhile, of which there is little among many objects.

Kernels that another process is compiling (`expect`) are waited for and taken from the cache on disk.

This leans on the inside of Numba, so it is used only with versions that it was tried with (`options_for` in `arrays`);
with others kernels are compiled as Numba does it.
"""
# mypy: disable-error-code="no-untyped-call"

from __future__ import annotations

import gc
import subprocess
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any

from numba.core import types
from numba.core.caching import FunctionCache
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder, Flags
from numba.core.compiler_machinery import register_pass
from numba.core.typed_passes import NativeLowering

_UNUSED = {
    "DeadBranchPrune",
    "DumpParforDiagnostics",
    "FindLiterallyCalls",
    "InlineClosureLikes",
    "InlineInlinables",
    "InlineOverloads",
    "LiteralPropagationSubPipelinePass",
    "LiteralUnroll",
    "MakeFunctionToJitFunction",
    "NoPythonSupportedFeatureValidation",
    "NopythonRewrites",
    "RewriteDynamicRaises",
    "RewriteSemanticConstants",
    "WithLifting",
}
_HASH = hash(Flags())


class _Options(Flags):
    """The options of a compilation, quick to compare."""

    __slots__ = ()

    def __hash__(self) -> int:
        return _HASH  # which Numba takes from the names of options alone

    def __eq__(self, other: object) -> bool:
        if isinstance(other, _Options):
            return bool(self._values == other._values)
        return bool(super().__eq__(other))


class _Part(JITCodeLibrary):
    """The code of a step: its own and, linked to it, that of what it calls. It cannot run by itself."""

    def finalize(self) -> None:
        """Link, and leave it at that."""
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:  # noqa: ARG002
        """Return null: there is no machine code."""
        self._ensure_finalized()
        return 0

    @property
    def codegen(self) -> _Part:
        """Who is told the environment of the function."""
        return self

    def set_env(self, name: str, env: Any) -> None:
        """Forget it: a kernel has its own."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _PartLowering(NativeLowering):
    """Write the code of a step into a part."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _Part(state.targetctx.codegen(), state.func_id.func_qualname)
        return bool(super().run_pass(state))


class _Typing:
    """Numba's knowledge of types, with a memory: what an operator makes of some types is worked out once."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._calls: dict[Any, Any] = {}
        self._attributes: dict[Any, Any] = {}
        self._items: dict[Any, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def resolve_function_type(self, func: Any, args: Any, kws: Any) -> Any:
        """Return the signature of a call; of kernels it is asked each time, for they may be on their way.

        The code for a signature is not in it: Numba takes what anyone, with whatever options, asked for last. So it is
        remembered too, and put back.
        """
        is_operator = getattr(func, "__module__", None) == "_operator"
        function = self._context._lookup_global(func) if is_operator else func
        if kws or not isinstance(function, types.Function):
            return self._context.resolve_function_type(func, args, kws)
        codes: dict[Any, Any] = vars(function)["_impl_keys"]
        key = function, tuple(args)
        if key not in self._calls:
            signature = self._context.resolve_function_type(func, args, kws)
            if signature is None or signature.args not in codes:
                return signature
            self._calls[key] = signature, codes[signature.args]
        signature, codes[signature.args] = self._calls[key]
        return signature

    def resolve_getattr(self, typ: Any, attr: str) -> Any:
        """Return the type of an attribute."""
        key = typ, attr
        if key not in self._attributes:
            self._attributes[key] = self._context.resolve_getattr(typ, attr)
        return self._attributes[key]

    def resolve_setitem(self, target: Any, index: Any, value: Any) -> Any:
        """Return the signature of an assignment to an item."""
        key = target, index, value
        if key not in self._items:
            self._items[key] = self._context.resolve_setitem(target, index, value)
        return self._items[key]


_typing_of = cache(_Typing)


@contextmanager
def _keeping_garbage() -> Iterator[None]:
    """Let Python look for garbage only afterwards."""
    looks = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if looks:
            gc.enable()


class _Whole(CompilerBase):
    """Compiles a kernel."""

    def __init__(self, typing: Any, target: Any, library: Any, args: Any, result: Any, flags: Any, names: Any) -> None:
        super().__init__(_typing_of(typing), target, library, args, result, _Options(flags), names)

    def compile_extra(self, func: Any) -> Any:
        """Compile a function."""
        with _keeping_garbage():
            return super().compile_extra(func)

    def define_pipelines(self) -> list[Any]:
        """Return the usual passes, less what no kernel needs."""
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [self.instead_of(*each) for each in passes.passes if each[0].__name__ not in _UNUSED]
        passes.finalize()
        return [passes]

    def instead_of(self, usual: Any, description: str) -> tuple[Any, str]:
        """Return the pass to run in place of a usual one."""
        return usual, description


class _Piecemeal(_Whole):
    """Compiles a step."""

    def instead_of(self, usual: Any, description: str) -> tuple[Any, str]:
        return (_PartLowering if usual is NativeLowering else usual), description


WHOLE: dict[str, Any] = {"cache": True, "pipeline_class": _Whole}
"""Options of `njit` for what Python calls."""
PART: dict[str, Any] = {"pipeline_class": _Piecemeal}
"""Options of `njit` for what only kernels call. A part is not cached: kernels are, with all their parts."""

PAUSE = 0.05
"""Seconds between looks for what another process is compiling."""


LONGEST = 180.0
"""Seconds after which another process is not waited for any more."""


class _Elsewhere:
    """What another process is compiling, and until when it is waited for."""

    process: subprocess.Popen[bytes] | None = None
    modules: Collection[str] = ()
    until = 0.0
    lock = Lock()


def expect(start: Callable[[], subprocess.Popen[bytes] | None], modules: Collection[str]) -> None:
    """Start a process that compiles the kernels of these modules, unless one is at work, and wait for them from now on.

    They are waited for as long as the process lives, within reason.
    """
    with _Elsewhere.lock:
        if _Elsewhere.process is None or _Elsewhere.process.poll() is not None:
            _Elsewhere.process, _Elsewhere.modules = start(), modules
            _Elsewhere.until = time.monotonic() + LONGEST


class SharedCache(FunctionCache):
    """Numba's cache of one kernel, in which a kernel on its way is waited for."""

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the compiled kernel for a signature, None if there is none and nobody is compiling it."""
        while True:
            # Asked before looking: what it has compiled by its end is then seen.
            waits = self._is_expected()
            found = super().load_overload(sig, target_context)
            if found is not None or not waits:
                return found
            time.sleep(PAUSE)

    def _is_expected(self) -> bool:
        process = _Elsewhere.process
        if process is None or self._py_func.__module__ not in _Elsewhere.modules:
            return False
        return process.poll() is None and time.monotonic() < _Elsewhere.until
