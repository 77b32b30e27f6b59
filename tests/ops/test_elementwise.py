"""Arithmetic, comparisons, bitwise and logical operators against the CPU, at the values where they are hard."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import Tensor

NAN, INF = float("nan"), float("inf")
EDGES = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 2.5, -1.5, 3.0, -3.0, 0.1, 20.5, -100.0, 1e-30, -1e30, INF, -INF, NAN]
INTEGERS = [0, 1, -1, 2, -2, 7, -7, 63, 64, 100, 2**40, -(2**62)]


def same(device: str, call: Callable[..., Any], *inputs: Any, **tolerance: float) -> None:
    """`call` gives the same values, dtypes and shapes on the device as on the CPU."""
    expected = call(*inputs)
    actual = call(*(x.to(device) if isinstance(x, Tensor) else x for x in inputs))
    torch.testing.assert_close(actual, expected, check_device=False, equal_nan=True, **tolerance)


def pairs(values: list[Any], dtype: torch.dtype) -> tuple[Tensor, Tensor]:
    """Every value with every other."""
    x = torch.tensor(values, dtype=dtype)
    first, second = torch.meshgrid(x, x, indexing="ij")
    return first, second


UNARY: dict[str, Callable[[Tensor], Any]] = {
    name: getattr(torch, name)
    for name in [
        "abs",
        "neg",
        "sign",
        "sgn",
        "signbit",
        "reciprocal",
        "floor",
        "ceil",
        "round",
        "trunc",
        "frac",
        "sqrt",
        "rsqrt",
        "exp",
        "exp2",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "sigmoid",
        "sinc",
        "deg2rad",
        "rad2deg",
        "frexp",
        "nan_to_num",
        "angle",
        "isnan",
        "isinf",
        "isposinf",
        "isneginf",
        "isfinite",
        "logical_not",
        "square",
        "positive",
    ]
}
UNARY["round decimals"] = lambda x: x.round(decimals=1)
UNARY["round tens"] = lambda x: x.round(decimals=-1)
UNARY["nan_to_num named"] = lambda x: x.nan_to_num(nan=2.5, posinf=3.5, neginf=-4.5)
UNARY["logit"] = lambda x: x.logit(0.3)
UNARY["clamp"] = lambda x: x.clamp(-1.5, 2.5)
UNARY["clamp crossed"] = lambda x: x.clamp(2, 1)
UNARY["clamp to nan"] = lambda x: x.clamp(0, NAN)


@pytest.mark.parametrize("name", UNARY)
def test_functions_of_one_operand(device: str, name: str) -> None:
    same(device, UNARY[name], torch.tensor(EDGES))


@pytest.mark.parametrize(
    "name",
    [
        "abs",
        "sign",
        "signbit",
        "round",
        "exp",
        "log2",
        "sin",
        "rsqrt",
        "frexp",
        "nan_to_num",
        "isnan",
        "atan",
        "cosh",
        "clamp",
    ],
)
def test_functions_of_a_bfloat16(device: str, name: str) -> None:
    same(device, UNARY[name], torch.tensor(EDGES).bfloat16())


@pytest.mark.parametrize(
    "name",
    [
        "abs",
        "neg",
        "sign",
        "sgn",
        "signbit",
        "floor",
        "round",
        "sqrt",
        "exp",
        "atan",
        "sigmoid",
        "isnan",
        "clamp",
        "nan_to_num",
    ],
)
def test_functions_of_integers(device: str, name: str) -> None:
    same(device, UNARY[name], torch.tensor([-3, -1, 0, 1, 2, 50], dtype=torch.int64))


BINARY: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    name: getattr(torch, name)
    for name in [
        "add",
        "sub",
        "mul",
        "div",
        "floor_divide",
        "pow",
        "maximum",
        "minimum",
        "fmax",
        "fmin",
        "atan2",
        "copysign",
        "hypot",
        "logaddexp",
        "logaddexp2",
        "heaviside",
        "xlogy",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "logical_and",
        "logical_or",
        "logical_xor",
        "float_power",
        "isclose",
    ]
}
BINARY["xlog1py"] = torch.special.xlog1py
BINARY["ldexp"] = lambda a, b: torch.ldexp(a, b.clamp(-100, 100))
BINARY["trunc"] = lambda a, b: torch.div(a, b, rounding_mode="trunc")
BINARY["remainder"] = lambda a, b: torch.remainder(a.clamp(-200, 200), b)
BINARY["fmod"] = lambda a, b: torch.fmod(a.clamp(-200, 200), b.clamp(1e-3, 200))
BINARY["nextafter"] = lambda a, b: torch.nextafter(a + 0.25, b)
BINARY["where"] = lambda a, b: torch.where(a > b, a, b)
BINARY["where number"] = lambda a, b: torch.where(a > b, a, 2.5)
BINARY["add alpha"] = lambda a, b: torch.add(a, b, alpha=2.5)
BINARY["rsub alpha"] = lambda a, b: torch.rsub(a, b, alpha=2.5)
BINARY["addcmul"] = lambda a, b: torch.addcmul(a, a, b, value=2.5)
BINARY["addcdiv"] = lambda a, b: torch.addcdiv(a, a, b, value=2.5)
BINARY["lerp"] = lambda a, b: torch.lerp(a, b, 0.75)
BINARY["lerp weights"] = lambda a, b: torch.lerp(a, b, torch.tensor(0.25, dtype=a.dtype, device=a.device))
BINARY["clamp tensors"] = lambda a, b: torch.clamp(a, b, b + 1)
BINARY["clamp_min tensor"] = lambda a, b: torch.clamp_min(a, b)
BINARY["clamp_max tensor"] = lambda a, b: torch.clamp_max(a, b)

NARROW = [
    "add",
    "mul",
    "div",
    "pow",
    "maximum",
    "trunc",
    "floor_divide",
    "nextafter",
    "eq",
    "lerp",
    "addcdiv",
    "copysign",
]


@pytest.mark.parametrize("name", BINARY)
def test_functions_of_two_operands(device: str, name: str) -> None:
    call = BINARY[name]
    same(device, call, *pairs(EDGES, torch.float32))
    if name in NARROW:
        same(device, call, *pairs(EDGES, torch.bfloat16))


INTEGER: dict[str, Callable[[Tensor, Tensor], Tensor]] = {
    name: getattr(torch, name)
    for name in [
        "add",
        "sub",
        "mul",
        "div",
        "floor_divide",
        "remainder",
        "fmod",
        "pow",
        "maximum",
        "minimum",
        "gcd",
        "lcm",
        "eq",
        "lt",
        "ge",
        "logical_and",
        "bitwise_and",
        "bitwise_or",
        "bitwise_xor",
        "bitwise_left_shift",
        "bitwise_right_shift",
        "heaviside",
    ]
}
INTEGER["trunc"] = BINARY["trunc"]
INTEGER["lshift"] = operator.lshift
INTEGER["rshift"] = operator.rshift
DIVIDING = {"floor_divide", "remainder", "fmod", "trunc"}


@pytest.mark.parametrize("name", INTEGER)
def test_integers_are_exact(device: str, name: str) -> None:
    first, second = pairs(INTEGERS, torch.int64)
    if name == "lcm":
        first, second = first % 1000, second % 1000
    if name in DIVIDING:
        first, second = first[second != 0], second[second != 0]
    same(device, INTEGER[name], first, second)
    if name in ("add", "maximum", "eq", "lshift"):
        return
    small, large = first.clamp(0, 200).to(torch.uint8), second.clamp(0, 200).to(torch.uint8)
    if name in DIVIDING:
        large = large.clamp(1, 200)
    same(device, INTEGER[name], small, large)


@pytest.mark.parametrize("name", ["add", "mul", "maximum", "logical_xor", "bitwise_or", "eq", "lt", "div"])
def test_booleans(device: str, name: str) -> None:
    first, second = pairs([True, False], torch.bool)
    same(device, {**BINARY, **INTEGER}[name], first, second)


SCALARS: dict[str, Callable[[Tensor], Tensor]] = {
    "add": lambda x: x + 2.5,
    "radd": lambda x: 2.5 + x,
    "rsub": lambda x: 2.5 - x,
    "mul": lambda x: x * -3,
    "div": lambda x: x / 7,
    "rdiv": lambda x: 7 / x,
    "floordiv": lambda x: x // 3,
    "rfloordiv": lambda x: 7 // x,
    "mod": lambda x: x % 3,
    "rmod": lambda x: 7 % x,
    "fmod": lambda x: torch.fmod(x, 2.5),
    "square root": lambda x: x**0.5,
    "cube": lambda x: x**3,
    "inverse square": lambda x: (x * 1.0) ** -2,
    "fifth": lambda x: x**5,
    "exponential": lambda x: 2.5**x,
    "power of two": lambda x: 2**x,
    "lt": lambda x: x < 2.5,
    "ne": lambda x: x != 3,
    "xlogy": lambda x: torch.xlogy(x, 2.5),
    "xlogy self": lambda x: torch.xlogy(2.5, x),
    "copysign": lambda x: torch.copysign(x, -1.0),
    "clamp_min": lambda x: x.clamp_min(2.5),
    "clamp_max": lambda x: x.clamp_max(2),
    "fill": lambda x: x.clone().fill_(7),
    "in place": lambda x: (x * 1.0).add_(3, alpha=2).mul_(0.5).sub_(1).div_(3),
}


@pytest.mark.parametrize(
    ("name", "dtype"),
    [(name, torch.float32) for name in SCALARS]
    + [(name, (torch.bfloat16, torch.int64)[k % 2]) for k, name in enumerate(SCALARS)],
)
def test_operators_with_numbers(device: str, name: str, dtype: torch.dtype) -> None:
    same(device, SCALARS[name], torch.tensor([1, 2, 3, 4, 5, 6, 7], dtype=dtype))


@pytest.mark.parametrize("name", ["bitwise_and", "bitwise_or", "bitwise_xor", "lshift", "rshift"])
def test_bitwise_operators_with_numbers(device: str, name: str) -> None:
    call = getattr(operator, name.replace("bitwise_", "") + ("_" if name in ("bitwise_and", "bitwise_or") else ""))
    x = torch.tensor([0, 1, 5, -7, 2**40])
    same(device, lambda x: call(x, 3), x)
    same(device, lambda x: call(3, x.clamp(0, 20)), x)


COMPLEX: dict[str, Callable[[Tensor], Any]] = {
    name: getattr(torch, name)
    for name in [
        "abs",
        "angle",
        "neg",
        "sgn",
        "reciprocal",
        "sqrt",
        "rsqrt",
        "exp",
        "expm1",
        "log",
        "log2",
        "log10",
        "log1p",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "sigmoid",
        "square",
        "isnan",
        "isinf",
        "isfinite",
        "conj_physical",
        "real",
        "imag",
        "logical_not",
        "nan_to_num",
    ]
}
COMPLEX["mul"] = lambda z: z * z.flip(0)
COMPLEX["div"] = lambda z: z / z.flip(0)
COMPLEX["pow"] = lambda z: z ** (1.5 + 0.5j)
COMPLEX["square root"] = lambda z: z**0.5
COMPLEX["number"] = lambda z: z * (2 - 1j) + 3
COMPLEX["conjugate"] = lambda z: z.conj() * z
COMPLEX["eq"] = lambda z: z == z.flip(0)
COMPLEX["where"] = lambda z: torch.where(z.real > 0, z, z.conj())
COMPLEX["polar"] = lambda z: torch.polar(z.real.abs(), z.imag)
COMPLEX["complex"] = lambda z: torch.complex(z.imag.contiguous(), z.real.contiguous())
COMPLEX["lerp"] = lambda z: torch.lerp(z, z.flip(0), 0.5 + 0.2j)
COMPLEX["logaddexp"] = lambda z: torch.logaddexp(z, z.flip(0))


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(device: str, name: str) -> None:
    values = [0.5 + 1j, -1 + 2j, 0.3 - 0.7j, -2 - 0.1j, 1.5 + 0j, 0.25j, 3 - 4j]
    same(device, COMPLEX[name], torch.tensor(values, dtype=torch.complex64), rtol=5e-6, atol=1e-6)


def test_absolute_value_of_a_complex_nan_is_nan(device: str) -> None:
    same(device, torch.abs, torch.tensor([complex(0, NAN), complex(NAN, 0), complex(INF, NAN), complex(3e38, 0)]))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,)])
def test_empty_and_0_dim_tensors(device: str, shape: tuple[int, ...]) -> None:
    x = torch.randn(shape).abs() + 0.5
    same(device, lambda x: (x.exp() + x * 2).clamp(max=3) / x.pow(2) - torch.maximum(x, x.flip(0) if x.dim() else x), x)
    same(device, lambda x: torch.gcd(x, x + 4), (x * 10).long())


def test_operands_broadcast_and_promote(device: str) -> None:
    a, b = torch.randn(4, 1, 3), torch.randn(5, 1).bfloat16()
    same(device, torch.mul, a, b)
    same(device, torch.add, torch.arange(5), torch.randn(()))
    same(device, torch.add, torch.arange(5, dtype=torch.int32), torch.tensor(2.5))
    same(device, torch.lt, torch.arange(5), torch.randn(5).half())
    same(device, torch.true_divide, torch.arange(5, dtype=torch.uint8), torch.arange(1, 6))


def test_operands_may_be_strided(device: str) -> None:
    x = torch.randn(6, 8)
    same(device, lambda x: x.t()[::2, 1:] * x.t()[1::2, :-1], x)
    same(device, lambda x: x.clone().t().mul_(2).add_(x.t()[:, :1]), x)


def test_a_maximum_keeps_a_nan_on_either_side(device: str) -> None:
    x, y = torch.tensor([NAN, 1.0, NAN]), torch.tensor([1.0, NAN, NAN])
    for call in (torch.maximum, torch.minimum, torch.clamp_min, torch.clamp_max, torch.hypot):
        same(device, call, x, y)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_an_arctangent_of_many_elements_keeps_their_order(device: str, dtype: torch.dtype) -> None:
    x = torch.linspace(-3, 3, 1000, dtype=dtype)
    same(device, torch.atan, x)
    same(device, lambda x: torch.atan2(x, torch.ones_like(x)), x)


def test_logarithms_of_exact_powers_are_exact(device: str) -> None:
    two = torch.tensor([2.0**e for e in range(-126, 128)])
    ten = torch.tensor([10.0**e for e in range(-30, 38)])
    assert torch.equal(two.to(device).log2().cpu(), torch.arange(-126.0, 128))
    assert torch.equal(ten.to(device).log10().cpu(), torch.arange(-30.0, 38))
    assert torch.equal(torch.arange(-126.0, 128).to(device).exp2().cpu(), two)


def test_integer_powers_beyond_64_squarings(device: str) -> None:
    base, exponent = torch.tensor([0, 3, -1, 1, -1, 2]), torch.tensor([64, 41, 2**40 + 1, -5, -3, -1])
    same(device, torch.pow, base, exponent)
    same(device, lambda n: 3**n, torch.arange(40))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_frexp_reads_the_bits(device: str, dtype: torch.dtype) -> None:
    same(device, torch.frexp, torch.tensor([0.0, -0.0, 1.0, 3.0, -0.5, 1e-30, 3e38, INF, -INF, NAN], dtype=dtype))


def test_neighbours_of_a_bfloat16_are_bfloat16(device: str) -> None:
    x = torch.tensor([1.0, -1.0, 100.0]).bfloat16()
    same(device, torch.nextafter, x, torch.zeros_like(x))


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int8, torch.int16, torch.int64, torch.bool, torch.bfloat16])
def test_floats_convert_as_on_the_cpu(device: str, dtype: torch.dtype) -> None:
    same(device, lambda x: x.to(dtype), torch.tensor([-1.0, 0.0, -0.0, 0.6, 300.0, -200.0, 40000.0, 2.5]))


@pytest.mark.parametrize("name", sorted(DIVIDING))
def test_an_integer_division_by_zero_is_an_error(accelerator: Any, device: str, name: str) -> None:
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        INTEGER[name](torch.tensor([1, 2], device=device), torch.tensor([1, 0], device=device)).cpu()
    assert (torch.tensor([7], device=device) // 2).item() == 3


def test_numbers_that_vary_do_not_recompile(stats: Any, device: str, strict_mode: None) -> None:
    x = torch.randn(3, 5, device=device)

    def step(number: float) -> Tensor:
        return ((x * number + number).clamp(-number, number) / number).add(x, alpha=number).lerp(x, number / 9)

    step(2.5)
    compiles = stats["compiles"]
    for number in (3.5, 4.25, 7.0):
        step(number)
    assert stats["compiles"] == compiles


def test_gradients(device: str) -> None:
    def gradients(x: Tensor, y: Tensor) -> tuple[Tensor, ...]:
        x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
        z = (x * y + x / y).sin() * torch.atan2(x, y) + x.abs().pow(1.5) - torch.hypot(x, y).log() + (x - y).tanh()
        z = (
            z
            + torch.where(x > y, x, y * 2)
            + torch.maximum(x, y) * x.clamp(-0.5, 0.5)
            + torch.lerp(x, y, 0.3)
            + x.sigmoid()
        )
        return torch.autograd.grad((z * z).sum(), (x, y))

    same(device, gradients, torch.randn(4, 5), torch.rand(5) + 0.5, rtol=1e-4, atol=1e-4)


def test_equal(device: str) -> None:
    a, b = torch.arange(6.0).view(2, 3), torch.arange(6.0).view(2, 3)
    for x, y in ((a, b), (a, b + 1), (a, b.t()), (a[:0], b[:0]), (a.t(), b.t()), (a / 0, b / 0)):
        assert torch.equal(x.to(device), y.to(device)) == torch.equal(x, y)
    with pytest.raises(RuntimeError):
        torch.equal(a.to(device), b.to(device).int())
