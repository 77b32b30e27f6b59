"""What is checked of an operator. Each aspect takes the database's samples one by one and reports on every one."""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from unittest import mock

import torch
from comparison import assert_alike, assert_same, with_named_elements
from samples import error_inputs, moved, moved_sample, samples, supports, tensors
from torch.testing._internal import common_methods_invocations
from torch.testing._internal.opinfo.core import OpInfo, SampleInput
from torch.utils._pytree import tree_map

Call = Callable[..., Any]


@dataclass
class Report:
    """What became of the samples of one case."""

    passed: int = 0
    # (number of the sample, "unsupported" | "wrong" | the exception's name, message)
    failures: list[tuple[int, str, str]] = field(default_factory=list)
    # Samples of which nothing can be said, by reason.
    skipped: Counter[str] = field(default_factory=Counter)
    # Whether there were no more samples.
    complete: bool = True


# Of these, what the CPU answers is no measure.
SAYS_NOTHING: dict[tuple[str, str], str] = {
    ("nn_functional_max_pool1d", "negated"): "the CPU does not see the negative bit",
    ("nn_functional_ctc_loss", "negated"): "negative labels",
    ("linalg_ldl_solve", "negated"): "negative pivots end the process on the CPU",
    ("linalg_cholesky_ex", "negated"): "the factor of a matrix that is not positive definite is undefined",
    ("linalg_matrix_sqrth", "negated"): "the root of a matrix that is not positive definite is undefined",
    ("sparse_sampled_addmm", "negated"): "the bit needs strides",
    ("sparse_mm_reduce", "negated"): "the bit needs strides",
}


# What torch.compile refuses on every device, before a backend sees it.
NOT_COMPILED: dict[tuple[str, str], str] = {
    (f"polygamma_polygamma_n_{n}", "in-place"): "PyTorch has no functional form of polygamma_" for n in range(5)
}

# No StableHLO program computes these: they run on the CPU, which `stats()["fallbacks"]` counts.
BY_THE_CPU = frozenset({"linalg_eig", "linalg_eigvals"})


@contextmanager
def _fallback_allowed(op: OpInfo) -> Iterator[None]:
    setting = {"TORCH_PJRT_FALLBACK": "silent"} if op.formatted_name in BY_THE_CPU else {}
    with mock.patch.dict(os.environ, setting):
        yield


@dataclass(frozen=True)
class Target:
    """Where operators run, and how: as they are, or each call through torch.compile."""

    device: str
    compiled: bool = False

    def operator(self, op: Call) -> Call:
        """The operator as it is called on the device."""
        if not self.compiled:
            return op
        function = op.op if isinstance(op, OpInfo) else op

        def call(*args: Any, **kwargs: Any) -> Any:
            torch._dynamo.reset()
            # Dynamo does not trace the seeds that the database sets around its random operators.
            with mock.patch.object(common_methods_invocations, "wrapper_set_seed", _without_seed):
                return torch.compile(function)(*args, **kwargs)

        return call


def _without_seed(op: Call, *args: Any, **kwargs: Any) -> Any:
    return op(*args, **kwargs)


class SaysNothingError(Exception):
    """Nothing can be said of this sample."""


def _seeded(call: Call, *args: Any, **kwargs: Any) -> Any:
    torch.manual_seed(1)
    return call(*args, **kwargs)


def _cpu(call: Call, *args: Any, **kwargs: Any) -> Any:
    """The CPU's answer; a sample that it refuses says nothing about the device."""
    try:
        return _seeded(call, *args, **kwargs)
    except Exception as error:
        raise SaysNothingError(f"the CPU raises {type(error).__name__}") from error


def _is_random(op: OpInfo, sample: SampleInput, expected: Any) -> bool:
    if "empty" in op.name:
        return True
    first = tree_map(lambda leaf: leaf.clone() if isinstance(leaf, torch.Tensor) else leaf, expected)
    # Small results may be the same by chance.
    for seed in range(2, 7):
        torch.manual_seed(seed)
        # Some of the database's operators set a seed themselves.
        with mock.patch("torch.manual_seed", return_value=torch.default_generator):
            again = op(sample.input, *sample.args, **sample.kwargs)
        try:
            assert_same(again, first, op)
        except (AssertionError, TypeError):
            return True
    return False


def _agree(op: OpInfo, sample: SampleInput, actual: Any, expected: Any) -> None:
    if _is_random(op, sample, expected):
        assert_alike(actual, expected)
        return
    process = sample.output_process_fn_grad or (lambda result: result)
    try:
        assert_same(*with_named_elements(op, sample, process(actual), process(expected)), op)
    except AssertionError:
        exact = _exact(op, sample, expected)
        if exact is None:
            raise
        assert_same(process(actual), process(exact), op)


NARROW = (torch.bfloat16, torch.float16)


def _exact(op: OpInfo, sample: SampleInput, expected: Any) -> Any:
    """What the operator gives in float64 for a sample in a narrow dtype, in the dtypes of `expected`; else None.

    The CPU's kernels round between their steps in some narrow dtypes, and can be further from this than the device is.
    """
    if not any(tensor.dtype in NARROW for tensor in tensors((sample.input, sample.args, sample.kwargs))):
        return None

    def wide(leaf: Any) -> Any:
        return leaf.double() if isinstance(leaf, torch.Tensor) and leaf.dtype in NARROW else leaf

    own = sample.transform(wide)
    try:
        exact = _seeded(op, own.input, *own.args, **own.kwargs)
        return tree_map(
            lambda leaf, like: leaf.to(like.dtype) if isinstance(leaf, torch.Tensor) else leaf, exact, expected
        )
    except Exception:
        return None


def _forward(op: OpInfo, dtype: torch.dtype, target: Target) -> Iterator[Callable[[], None]]:
    for sample in samples(op, dtype):

        def check(sample: SampleInput = sample) -> None:
            expected = _cpu(op, sample.input, *sample.args, **sample.kwargs)
            own = moved_sample(op, sample, target.device)
            _agree(op, sample, _seeded(target.operator(op), own.input, *own.args, **own.kwargs), expected)

        yield check


def _transformed(change: Callable[[SampleInput], SampleInput]) -> Any:
    """Forward on samples that are changed, on the CPU and on the device alike."""

    def aspect(op: OpInfo, dtype: torch.dtype, target: Target) -> Iterator[Callable[[], None]]:
        for sample in samples(op, dtype):

            def check(sample: SampleInput = sample) -> None:
                here, there = change(sample), change(moved_sample(op, sample, target.device))
                expected = _cpu(op, here.input, *here.args, **here.kwargs)
                _agree(op, here, _seeded(target.operator(op), there.input, *there.args, **there.kwargs), expected)

            yield check

    return aspect


def _with_bits(bit: Callable[[torch.Tensor], torch.Tensor]) -> Callable[[SampleInput], SampleInput]:
    def change(sample: SampleInput) -> SampleInput:
        return sample.transform(lambda leaf: bit(leaf) if isinstance(leaf, torch.Tensor) else leaf)

    return change


def _conjugated(tensor: torch.Tensor) -> torch.Tensor:
    return tensor.conj() if tensor.is_complex() else tensor


def _negated(tensor: torch.Tensor) -> torch.Tensor:
    return tensor if tensor.dtype == torch.bool else torch._neg_view(tensor)


def _in_place(op: OpInfo, dtype: torch.dtype, target: Target) -> Iterator[Callable[[], None]]:
    for sample in samples(op, dtype):
        if sample.broadcasts_input or not isinstance(sample.input, torch.Tensor):
            continue

        def check(sample: SampleInput = sample) -> None:
            own = moved_sample(op, sample, target.device)
            written, own_written = sample.input.clone(), own.input.clone()
            expected = _cpu(op.inplace_variant, written, *sample.args, **sample.kwargs)
            actual = _seeded(target.operator(op.inplace_variant), own_written, *own.args, **own.kwargs)
            _agree(op, sample, actual, expected)
            assert tree_map(id, tensors(actual))[:1] == [id(own_written)], "the result is another tensor"

        yield check


def _out(op: OpInfo, dtype: torch.dtype, target: Target) -> Iterator[Callable[[], None]]:
    """Into tensors of the right size, into empty ones that are resized, and into ones with gaps."""

    def gaps(result: torch.Tensor) -> torch.Tensor:
        room = torch.empty((*result.shape, 2), dtype=result.dtype, device=result.device)
        return room[..., 0]

    kinds: dict[str, Callable[[torch.Tensor], torch.Tensor]] = {
        "as it is": torch.empty_like,
        "resized": lambda result: torch.empty(0, dtype=result.dtype, device=result.device),
        "with gaps": gaps,
    }
    for sample in samples(op, dtype):

        def check(sample: SampleInput = sample) -> None:
            expected = _cpu(op, sample.input, *sample.args, **sample.kwargs)
            if not tensors(expected):
                raise SaysNothingError("the result is no tensor")
            own = moved_sample(op, sample, target.device)
            for make in kinds.values():
                out, own_out = (tree_map(make, moved(expected, place)) for place in ("cpu", target.device))
                _cpu(op, sample.input, *sample.args, **sample.kwargs, out=out)
                _seeded(target.operator(op), own.input, *own.args, **own.kwargs, out=own_out)
                _agree(op, sample, own_out, out)

        yield check


def _gradients(
    op: Call, sample: SampleInput, cotangents: list[torch.Tensor] | None, order: int
) -> tuple[list[torch.Tensor], list[torch.Tensor | None]]:
    result = _seeded(op, sample.input, *sample.args, **sample.kwargs)
    if sample.output_process_fn_grad is not None:
        result = sample.output_process_fn_grad(result)
    leaves = [leaf for leaf in tensors((sample.input, sample.args, sample.kwargs)) if leaf.requires_grad]
    roots = [root for root in tensors(result) if root.requires_grad]
    if not leaves or not roots:
        raise SaysNothingError("nothing needs a gradient")
    if cotangents is None:
        torch.manual_seed(3)
        cotangents = [torch.randn_like(root) for root in roots]
    own = [cotangent.to(root.device) for cotangent, root in zip(cotangents, roots, strict=True)]
    if order == 1:
        return cotangents, list(torch.autograd.grad(roots, leaves, own, allow_unused=True))
    own = [cotangent.requires_grad_() for cotangent in own]
    first = torch.autograd.grad(roots, leaves, own, allow_unused=True, create_graph=True)
    once = [gradient for gradient in first if gradient is not None and gradient.requires_grad]
    if not once:
        raise SaysNothingError("the gradient is constant")
    second = torch.autograd.grad(once, [*leaves, *own], [torch.ones_like(g) for g in once], allow_unused=True)
    return cotangents, list(second)


def _gradient(order: int) -> Any:
    def aspect(op: OpInfo, dtype: torch.dtype, target: Target) -> Iterator[Callable[[], None]]:
        for sample in samples(op, dtype, gradient=True):

            def check(sample: SampleInput = sample) -> None:
                with torch.no_grad():
                    expected = _cpu(op, sample.input, *sample.args, **sample.kwargs)
                    if _is_random(op, sample, expected):
                        raise SaysNothingError("random")
                try:
                    cotangents, expected = _gradients(op, sample, None, order)
                except SaysNothingError:
                    raise
                except Exception as error:
                    raise SaysNothingError(f"the CPU raises {type(error).__name__}") from error
                detached = [cotangent.detach() for cotangent in cotangents]
                _, actual = _gradients(target.operator(op), moved_sample(op, sample, target.device), detached, order)
                assert_same(actual, expected, op)

            yield check

    return aspect


def _refusal(op: OpInfo, sample: SampleInput, device: str) -> Exception | None:
    try:
        _seeded(op, sample.input, *sample.args, **sample.kwargs)
        if device != "cpu":
            torch.get_device_module(device).synchronize()
    except Exception as error:
        return error
    return None


def _errors(op: OpInfo, dtype: torch.dtype, target: Target) -> Iterator[Callable[[], None]]:
    """What the CPU refuses is refused with the same exception type, at the next wait at the latest."""
    if op.error_inputs_func is None or dtype != torch.float32:
        return
    for refused in error_inputs(op):

        def check(sample: SampleInput = refused.sample_input) -> None:
            expected = _refusal(op, sample, "cpu")
            if expected is None:
                raise SaysNothingError("the CPU accepts it")
            refusal = _refusal(op, moved_sample(op, sample, target.device), target.device)
            assert isinstance(refusal, type(expected)), f"{refusal!r} in place of {expected!r}"

        yield check


ASPECTS: dict[str, Any] = {
    "forward": _forward,
    "gradient": _gradient(1),
    "gradgrad": _gradient(2),
    "in-place": _in_place,
    "out": _out,
    "non-contiguous": _transformed(lambda sample: sample.noncontiguous()),
    "conjugated": _transformed(_with_bits(_conjugated)),
    "negated": _transformed(_with_bits(_negated)),
    "errors": _errors,
}


def applies(op: OpInfo, dtype: torch.dtype, aspect: str) -> bool:
    """Whether the database says that PyTorch's CPU has this aspect of the operator in this dtype."""
    match aspect:
        case "gradient":
            return supports(op, dtype, gradient=True)
        case "gradgrad":
            return supports(op, dtype, gradient=True) and bool(op.supports_gradgrad)
        case "in-place":
            return supports(op, dtype) and op.inplace_variant is not None
        case "out":
            return supports(op, dtype) and bool(op.supports_out)
        case "conjugated":
            return supports(op, dtype) and dtype.is_complex and bool(op.test_conjugated_samples)
        case "negated":
            return supports(op, dtype) and bool(op.test_neg_view) and dtype in (torch.float32, torch.complex64)
        case "errors":
            return op.error_inputs_func is not None and dtype == torch.float32
        case _:
            return supports(op, dtype)


def run(op: OpInfo, dtype: torch.dtype, aspect: str, target: Target, most_samples: int | None = None) -> Report:
    """Checks one aspect of an operator on its samples, or on the first `most_samples` of them."""
    report = Report()
    silent = {**SAYS_NOTHING, **(NOT_COMPILED if target.compiled else {})}
    if (op.formatted_name, aspect) in silent:
        report.skipped[silent[op.formatted_name, aspect]] += 1
        return report
    with warnings.catch_warnings(), _fallback_allowed(op):
        warnings.simplefilter("ignore")
        for number, check in enumerate(ASPECTS[aspect](op, dtype, target)):
            if most_samples is not None and number >= most_samples:
                report.complete = False
                break
            try:
                check()
                report.passed += 1
            except SaysNothingError as reason:
                report.skipped[str(reason)] += 1
            except NotImplementedError as error:
                report.failures.append((number, "unsupported", str(error)))
            except AssertionError as error:
                report.failures.append((number, "wrong", str(error)))
            except Exception as error:
                report.failures.append((number, type(error).__name__, str(error)))
    return report
