"""What is passed to the plugin's compiler: `torch.tpu.compiler`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from torch_pjrt import _C

__all__ = ["custom_compiler_options"]


@contextmanager
def custom_compiler_options(options: Mapping[str, str | int | bool]) -> Iterator[None]:
    """Passes compiler options, by name, to every program that is compiled inside the `with` block.

    Options are part of a program's cache key. Blocks nest: the inner one adds to the outer one, and wins.

    Raises:
        TypeError: a name is not a string, or a value is not a string, an int or a bool.
        RuntimeError: from the first operator inside the block, if the plugin's compiler does not know an option.
    """
    for name, value in options.items():
        if not isinstance(name, str) or not isinstance(value, str | int):
            raise TypeError(f"a compiler option is a name with a string, int or bool: {name!r}: {value!r}")
    outer = _C.get_compile_options()
    _C.set_compile_options({**outer, **options})
    try:
        yield
    finally:
        _C.set_compile_options(outer)
