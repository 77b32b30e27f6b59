"""Views alias their base: every kind of view read and written, in place and through copies, against the CPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

View = Callable[[torch.Tensor], torch.Tensor]

# Of a contiguous float32 tensor of shape [4, 6, 5].
VIEWS: dict[str, View] = {
    "itself": lambda t: t[:],
    "select": lambda t: t.select(1, 2),
    "negative index": lambda t: t[-1],
    "slice": lambda t: t[1:3],
    "slice with step": lambda t: t[:, 1::2],
    "slice of the last dimension": lambda t: t[..., 1:4],
    "several slices": lambda t: t[1:, ::3, 2:],
    "narrow": lambda t: t.narrow(1, 2, 3),
    "transpose": lambda t: t.transpose(0, 2),
    "permute": lambda t: t.permute(2, 0, 1),
    "view": lambda t: t.view(8, 15),
    "flatten": lambda t: t.flatten(),
    "reshape of a slice": lambda t: t[1:3].reshape(-1),
    "view after transpose": lambda t: t.transpose(0, 1).unflatten(2, (5, 1)),
    "unsqueeze": lambda t: t.unsqueeze(1).unsqueeze(-1),
    "squeeze": lambda t: t[:, :1].squeeze(1),
    "diagonal": lambda t: t.diagonal(0, 1, 2),
    "offset diagonal": lambda t: t.diagonal(-2, 0, 1),
    "unfold": lambda t: t.unfold(1, 2, 2),
    "split": lambda t: t.split(2, dim=1)[1],
    "chunk": lambda t: t.chunk(3, dim=1)[2],
    "unbind": lambda t: t.unbind(2)[3],
    "tensor_split": lambda t: t.tensor_split([1, 4], dim=1)[1],
    "movedim": lambda t: t.movedim(0, -1),
    "swapaxes": lambda t: t.swapaxes(0, 1)[2:],
    "as_strided": lambda t: t.as_strided((3, 4), (20, 2), 7),
    "as_strided with gaps": lambda t: t.as_strided((2, 3, 2), (37, 11, 3), 1),
    "mT": lambda t: t.mT[:, 2:],
    "real view of int32": lambda t: t.view(torch.int32)[1],
    "detach": lambda t: t.detach()[2],
}
OVERLAPPING_VIEWS: dict[str, View] = {
    "expand": lambda t: t[:, :1].expand(4, 6, 5),
    "broadcast_to": lambda t: t[0, 0].broadcast_to(3, 5),
    "overlapping unfold": lambda t: t.unfold(1, 3, 1),
    "overlapping as_strided": lambda t: t.as_strided((5, 4), (2, 1), 3),
}


def _base(device: str) -> torch.Tensor:
    return torch.arange(120.0, device=device).view(4, 6, 5)


@pytest.mark.parametrize("name", [*VIEWS, *OVERLAPPING_VIEWS])
def test_a_view_reads_its_base(device: str, name: str) -> None:
    view = {**VIEWS, **OVERLAPPING_VIEWS}[name]
    ours, expected = view(_base(device)), view(_base("cpu"))
    assert (ours.shape, ours.stride(), ours.storage_offset()) == (
        expected.shape,
        expected.stride(),
        expected.storage_offset(),
    )
    assert torch.equal(ours.cpu(), expected)
    assert torch.equal((ours + 1).cpu(), expected + 1)
    assert torch.equal(ours.contiguous().cpu(), expected.contiguous())
    assert torch.equal(ours.clone().cpu(), expected)


@pytest.mark.parametrize("name", [*VIEWS, *OVERLAPPING_VIEWS])
def test_a_view_sees_a_write_to_its_base(device: str, name: str) -> None:
    view = {**VIEWS, **OVERLAPPING_VIEWS}[name]
    results = []
    for place in ("cpu", device):
        base = _base(place)
        seen = view(base)
        base.mul_(-2)
        results.append(seen.cpu())
    assert torch.equal(results[1], results[0])


@pytest.mark.parametrize("name", VIEWS)
def test_the_base_sees_a_write_through_a_view(device: str, name: str) -> None:
    results = []
    for place in ("cpu", device):
        base = _base(place)
        other_alias = base.view(-1)[3:]
        view = VIEWS[name](base)
        view.add_(1000)
        view.copy_(view * 2)
        view.fill_(7) if view.numel() < 20 else view.zero_()
        results.append((base.cpu(), other_alias.cpu()))
    assert torch.equal(results[1][0], results[0][0])
    assert torch.equal(results[1][1], results[0][1])


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_as_the_target_of_out(device: str, name: str) -> None:
    results = []
    for place in ("cpu", device):
        base = _base(place)
        view = VIEWS[name](base)
        if view.dtype == torch.float32:
            torch.add(torch.ones(view.shape, device=place), 2, out=view)
        results.append(base.cpu())
    assert torch.equal(results[1], results[0])


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_as_the_source_and_target_of_copies_between_devices(device: str, name: str) -> None:
    base = _base(device)
    view = VIEWS[name](base)
    expected = _base("cpu")
    VIEWS[name](expected).copy_(torch.full(view.shape, 3, dtype=view.dtype))
    view.copy_(torch.full(view.shape, 3, dtype=view.dtype))  # from the host, into a view
    assert torch.equal(base.cpu(), expected)
    host = torch.zeros(view.shape, dtype=view.dtype).transpose(0, -1)
    host.copy_(view.transpose(0, -1))  # from a view, into a view on the host
    assert torch.equal(host, VIEWS[name](expected).transpose(0, -1))


def test_data_pointers_are_those_of_the_storage_plus_the_offset(device: str) -> None:
    base = _base(device)
    assert base[1].data_ptr() == base.data_ptr() + 30 * 4
    assert base[1].untyped_storage().data_ptr() == base.untyped_storage().data_ptr()
    assert base.mT.data_ptr() == base.data_ptr()
    assert _base(device).data_ptr() != base.data_ptr()


def test_writes_with_broadcast_and_cast(device: str) -> None:
    base = torch.zeros(3, 4, dtype=torch.int64, device=device)
    base[:, 1:3] = torch.tensor([1.9, -2.9], device=device)
    base[2] += 10
    assert base.tolist() == [[0, 1, -2, 0], [0, 1, -2, 0], [10, 11, 8, 10]]


def test_writes_through_a_dtype_view(device: str) -> None:
    value = torch.ones(3, device=device)
    value.view(torch.int32)[1] = 0x40000000  # 2.0
    assert value.tolist() == [1, 2, 1]
    bytes_of_it = torch.tensor([1.0], device=device).view(torch.uint8)
    assert bytes_of_it.tolist() == [0, 0, 0x80, 0x3F]


def test_complex_views(device: str) -> None:
    value = torch.tensor([1 + 2j, 3 + 4j], device=device)
    torch.view_as_real(value)[1, 0] = 9
    value.imag[0] = -5
    assert value.tolist() == [1 - 5j, 9 + 4j]
    assert value.conj().tolist() == [1 + 5j, 9 - 4j]
    assert torch.view_as_complex(torch.tensor([[1.0, 2.0]], device=device)).tolist() == [1 + 2j]


def test_a_view_of_a_view_of_a_view(device: str) -> None:
    base = torch.zeros(4, 4, device=device)
    inner = base[1:].t()[::2][:, 1:]
    inner += torch.tensor([[1.0, 2.0], [3.0, 4.0]], device=device)
    assert base.tolist() == [[0, 0, 0, 0], [0, 0, 0, 0], [1, 0, 3, 0], [2, 0, 4, 0]]


def test_overlapping_source_and_target(device: str) -> None:
    value = torch.arange(6.0, device=device)
    value[1:] = value[:-1].clone()
    assert value.tolist() == [0, 0, 1, 2, 3, 4]
    matrix = torch.arange(9.0, device=device).view(3, 3)
    matrix.copy_(matrix.t().clone())
    assert matrix.tolist() == [[0, 3, 6], [1, 4, 7], [2, 5, 8]]


def test_setitem_with_masks_and_indices(device: str) -> None:
    results = []
    for place in ("cpu", device):
        base = _base(place)
        base[0][base[0] > 20] = -1
        base[torch.tensor([1, 3], device=place), 2] = torch.arange(5.0, device=place)
        base[:, torch.tensor([0, -1], device=place)] *= 2
        base[..., None][2, 1:3] = 8
        results.append(base.cpu())
    assert torch.equal(results[1], results[0])


def test_resize_and_set(device: str) -> None:
    value = torch.arange(6.0, device=device)
    value.resize_(2, 2)
    assert value.tolist() == [[0, 1], [2, 3]]
    value.resize_(6)
    assert value.tolist() == [0, 1, 2, 3, 4, 5]
    alias = torch.empty(0, device=device).set_(value.untyped_storage(), 2, (2, 2), (2, 1))
    alias.zero_()
    assert value.tolist() == [0, 1, 0, 0, 0, 0]


def test_memory_formats(device: str) -> None:
    image = torch.arange(24.0, device=device).view(1, 2, 3, 4)
    last = image.to(memory_format=torch.channels_last)
    assert last.is_contiguous(memory_format=torch.channels_last)
    assert last.stride() == (24, 1, 8, 2)
    assert torch.equal(last.cpu(), image.cpu())
    assert (last + 1).stride() == last.stride()
    assert torch.equal(last.contiguous().flatten().cpu(), torch.arange(24.0))


_INDEX = st.integers(0, 3)
_STEP = st.one_of(
    st.tuples(st.just("slice"), _INDEX, st.integers(0, 2), st.integers(1, 3)),
    st.tuples(st.just("transpose"), _INDEX, _INDEX),
    st.tuples(st.just("select"), _INDEX, st.integers(0, 1)),
    st.tuples(st.just("unsqueeze"), _INDEX),
    st.tuples(st.just("flatten")),
    st.tuples(st.just("add"), st.integers(-3, 3)),
    st.tuples(st.just("write")),
)


def _apply(tensor: torch.Tensor, step: tuple[Any, ...]) -> torch.Tensor:
    kind, *numbers = step
    dimensions = max(tensor.dim(), 1)
    if kind == "slice" and tensor.dim():
        dimension, start, stride = numbers[0] % dimensions, numbers[1], numbers[2]
        index = [slice(None)] * tensor.dim()
        index[dimension] = slice(start, None, stride)
        return tensor[tuple(index)]
    if kind == "transpose" and tensor.dim():
        return tensor.transpose(numbers[0] % dimensions, numbers[1] % dimensions)
    if kind == "select" and tensor.dim():
        dimension = numbers[0] % dimensions
        return tensor.select(dimension, numbers[1]) if tensor.shape[dimension] > numbers[1] else tensor
    if kind == "unsqueeze":
        return tensor.unsqueeze(numbers[0] % (tensor.dim() + 1))
    if kind == "flatten":
        return tensor.reshape(-1)
    if kind == "add":
        tensor.add_(numbers[0])
    if kind == "write":
        tensor.copy_(torch.arange(tensor.numel(), device=tensor.device).view(tensor.shape) * 3)
    return tensor


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
@given(steps=st.lists(_STEP, min_size=1, max_size=7))
def test_any_chain_of_views_and_writes(device: str, steps: list[tuple[Any, ...]]) -> None:
    results = []
    for place in ("cpu", device):
        base = torch.arange(60, dtype=torch.int64, device=place).view(3, 4, 5)
        view = base
        for step in steps:
            view = _apply(view, step)
        view.mul_(2)
        results.append((view.cpu(), base.cpu()))
    assert torch.equal(results[1][0], results[0][0])
    assert torch.equal(results[1][1], results[0][1])


# Programs of a loop whose views move over their storage: read at place i, and written at place i.
MOVING_READS: dict[str, Callable[[torch.Tensor, int], torch.Tensor]] = {
    "row": lambda x, i: x[i] + 1,
    "column": lambda x, i: x[:, i] * 2,
    "batch": lambda x, i: x[i : i + 3].sum(),
    "block": lambda x, i: x[i : i + 2, i : i + 4].exp(),
    "steps": lambda x, i: x[i : i + 7 : 3] - 1,
    "transposed": lambda x, i: x.t()[i : i + 2] @ x[:, i : i + 2],
    "two places": lambda x, i: x[i] + x[19 - i],
    "flat": lambda x, i: x.view(-1)[i * 5 : i * 5 + 3].sin(),
    "windows": lambda x, i: x[i].unfold(0, 3, 2).sum(1),
    "reversed": lambda x, i: x[i].flip(0) + x.select(1, i).flip(0),
    "bits": lambda x, i: x[i].view(torch.int32) + 1,
    "cat": lambda x, i: torch.cat([x[i : i + 1], x[i + 1 : i + 2]]),
}
MOVING_WRITES: dict[str, Callable[[torch.Tensor, int], object]] = {
    "row": lambda x, i: x[i].add_(1),
    "column": lambda x, i: x[:, i].mul_(x[:, 19 - i]),
    "fill": lambda x, i: x[i : i + 2, i].fill_(3),
    "steps": lambda x, i: x[i : i + 9 : 4, 1:].sub_(x[i, 1:] + 0),
    "copy": lambda x, i: x[19 - i].copy_(x[i]),
    "out": lambda x, i: torch.add(x[i], x[i], out=x[19 - i]),
    "bytes": lambda x, i: x[i].view(torch.int32).bitwise_and_(-256),
}


@pytest.mark.parametrize("mode", ["strict", "fused"])
@pytest.mark.parametrize("name", [*MOVING_READS, *(f"write {name}" for name in MOVING_WRITES)])
def test_views_that_move_do_not_compile_anew(device: str, stats: Any, accelerator: Any, name: str, mode: str) -> None:
    before_mode = accelerator.eager_mode
    accelerator.eager_mode = mode
    try:
        cpu = torch.arange(400.0).reshape(20, 20) / 100
        x = cpu.to(device)
        places = [0, 3, 1, 7, 5, 2, 9, 4, 10, 8, 6]
        compiled = []
        for place in places:
            if name in MOVING_READS:
                read = MOVING_READS[name]
                torch.testing.assert_close(read(x, place).cpu(), read(cpu, place))
            else:
                write = MOVING_WRITES[name.removeprefix("write ")]
                write(x, place), write(cpu, place)
                torch.testing.assert_close(x.cpu(), cpu)
            compiled.append(stats["compiles"] + stats["cache_hits_disk"])
        # Place 0 may need no slice, and a few places get programs of their own.
        assert compiled[-1] == compiled[5], compiled
    finally:
        accelerator.eager_mode = before_mode
