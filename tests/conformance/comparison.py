"""Results of the device against the CPU's, within the tolerances that PyTorch's own tests have."""

from __future__ import annotations

from typing import Any

import torch
from tolerances import WIDENED
from torch.testing._internal.common_device_type import toleranceOverride
from torch.testing._internal.opinfo.core import OpInfo, SampleInput

# torch.testing.assert_close's own.
_DEFAULT = {
    torch.float16: (1e-3, 1e-5),
    torch.bfloat16: (1.6e-2, 1e-5),
    torch.float32: (1.3e-6, 1e-5),
    torch.float64: (1e-7, 1e-7),
    torch.complex64: (1.3e-6, 1e-5),
    torch.complex128: (1e-7, 1e-7),
}


def tolerance(op: OpInfo, dtype: torch.dtype) -> tuple[float, float]:
    """(rtol, atol): assert_close's for the dtype, or what the database or our table says if that is wider."""
    rtol, atol = _DEFAULT.get(dtype, (0.0, 0.0))
    for info in op.decorators:
        for decorator in getattr(info, "decorators", [info]):
            if isinstance(decorator, toleranceOverride) and dtype in decorator.d:
                rtol, atol = max(rtol, decorator.d[dtype].rtol), max(atol, decorator.d[dtype].atol)
    if (op.formatted_name, dtype) in WIDENED:
        wider_rtol, wider_atol, _ = WIDENED[op.formatted_name, dtype]
        rtol, atol = max(rtol, wider_rtol), max(atol, wider_atol)
    return rtol, atol


def assert_same(actual: Any, expected: Any, op: OpInfo) -> None:
    """Raises AssertionError unless the two trees have the same structure, dtypes, shapes and values.

    Values of another dtype than the sample's (float32 results of float16 inputs) have their own dtype's tolerance.
    """
    if isinstance(expected, torch.Tensor):
        assert isinstance(actual, torch.Tensor), f"{type(actual).__name__} in place of a tensor"
        assert actual.layout == expected.layout, f"layout {actual.layout} in place of {expected.layout}"
        if expected.layout != torch.strided:
            actual, expected = actual.to_dense(), expected.to_dense()
        actual, expected = (tensor.detach().cpu().resolve_conj().resolve_neg() for tensor in (actual, expected))
        rtol, atol = tolerance(op, expected.dtype)
        torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
    elif isinstance(expected, (tuple, list)):
        assert len(actual) == len(expected), f"{len(actual)} results in place of {len(expected)}"
        for one, other in zip(actual, expected, strict=True):
            assert_same(one, other, op)
    elif isinstance(expected, float):
        rtol, atol = tolerance(op, torch.float64)
        torch.testing.assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=True)
    elif expected is None or isinstance(expected, (int, bool, str)):
        assert actual == expected, f"{actual} in place of {expected}"


def assert_alike(actual: Any, expected: Any) -> None:
    """For random results: raises AssertionError unless structure, dtypes and shapes are the same."""
    if isinstance(expected, torch.Tensor):
        assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape), f"{actual.dtype} {actual.shape}"
        actual.cpu()  # an error on the device belongs to this sample
    elif isinstance(expected, (tuple, list)):
        assert len(actual) == len(expected)
        for one, other in zip(actual, expected, strict=True):
            assert_alike(one, other)


# Operators that return positions along a dim, where several elements may be equal and any of them is right: which
# result holds the positions, and which positional argument is the dim.
_POSITIONS = {"sort": (1, 0), "topk": (1, 1), "kthvalue": (1, 1), "argsort": (0, 0)}


def with_named_elements(op: OpInfo, sample: SampleInput, actual: Any, expected: Any) -> tuple[Any, Any]:
    """Both results, with the elements that are named in place of their positions."""
    source = sample.input
    if op.name not in _POSITIONS or sample.kwargs.get("stable") or not isinstance(source, torch.Tensor):
        return actual, expected
    which, argument = _POSITIONS[op.name]
    dim = sample.kwargs.get("dim", sample.args[argument] if len(sample.args) > argument else -1)

    def element(positions: torch.Tensor) -> torch.Tensor:
        positions = positions.cpu()
        if source.dim() == 0:
            return source.expand(positions.shape)
        if positions.dim() < source.dim():
            return source.gather(dim, positions.unsqueeze(dim)).squeeze(dim)
        return source.gather(dim, positions)

    def named(result: Any) -> Any:
        if isinstance(result, torch.Tensor):
            return element(result) if which == 0 else result
        return tuple(element(part) if number == which else part for number, part in enumerate(result))

    return named(actual), named(expected)
