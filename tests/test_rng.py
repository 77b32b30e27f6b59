"""Random numbers: seeds, generators, their states, and that draws follow their distributions."""

from __future__ import annotations

from typing import Any

import pytest
import torch


def test_seed_and_draw_order_decide_the_numbers(device: str) -> None:
    torch.manual_seed(7)
    first = [torch.rand(3, device=device), torch.randn(3, device=device), torch.randint(9, (3,), device=device)]
    torch.manual_seed(7)
    again = [torch.rand(3, device=device), torch.randn(3, device=device), torch.randint(9, (3,), device=device)]
    assert all(torch.equal(one, other) for one, other in zip(first, again, strict=True))
    torch.manual_seed(8)
    assert not torch.equal(torch.rand(3, device=device), first[0])


def test_a_generator_of_ones_own(device: str) -> None:
    generator = torch.Generator(device).manual_seed(42)
    assert generator.device.type == device
    assert generator.initial_seed() == 42
    before = torch.rand(3, device=device)
    torch.manual_seed(0)
    first = torch.rand(4, device=device, generator=generator)
    generator.manual_seed(42)
    assert torch.equal(torch.rand(4, device=device, generator=generator), first)
    # The default generator was not moved by either.
    torch.manual_seed(0)
    torch.rand(3, device=device)
    torch.manual_seed(0)
    assert torch.equal(torch.rand(3, device=device), before)


def test_generator_state(device: str) -> None:
    generator = torch.Generator(device).manual_seed(1)
    torch.rand(5, device=device, generator=generator)
    state = generator.get_state()
    assert (state.device.type, state.dtype) == ("cpu", torch.uint8)
    first = torch.rand(5, device=device, generator=generator)
    clone = torch.Generator(device)
    clone.set_state(state)
    assert torch.equal(torch.rand(5, device=device, generator=clone), first)
    with pytest.raises((RuntimeError, ValueError), match="16 bytes"):
        generator.set_state(torch.zeros(3, dtype=torch.uint8))
    copied = generator.clone_state()
    assert torch.equal(
        torch.rand(2, device=device, generator=copied), torch.rand(2, device=device, generator=generator)
    )


def test_module_functions(device: str, accelerator: Any) -> None:
    accelerator.manual_seed(11)
    assert accelerator.initial_seed() == 11
    state = accelerator.get_rng_state()
    first = torch.rand(5, device=device)
    accelerator.set_rng_state(state)
    assert torch.equal(torch.rand(5, device=device), first)
    states = accelerator.get_rng_state_all()
    first = torch.rand(5, device=device)
    accelerator.set_rng_state_all(states)
    assert torch.equal(torch.rand(5, device=device), first)
    assert accelerator.seed() == accelerator.initial_seed()
    accelerator.seed_all()
    accelerator.manual_seed_all(11)
    assert accelerator.initial_seed() == 11
    assert len(accelerator.default_generators) == accelerator.device_count()


def test_seeding_opens_no_client_and_is_not_lost(fresh_process: Any, accelerator: Any) -> None:
    program = """
    import torch
    module = torch.get_device_module(d)
    torch.manual_seed(123)
    with torch.random.fork_rng():
        torch.manual_seed(5)
    assert module.initial_seed() == 123
    assert not module.is_initialized()
    first = torch.rand(4, device=d)
    torch.manual_seed(123)
    assert torch.equal(torch.rand(4, device=d), first)
    print(first.tolist())
    """
    assert fresh_process.run(program).stdout == fresh_process.run(program).stdout


def test_the_same_numbers_in_each_mode(device: str, accelerator: Any) -> None:
    before = accelerator.eager_mode
    drawn = []
    try:
        for mode in accelerator.EagerMode:
            accelerator.eager_mode = mode
            torch.manual_seed(2)
            drawn.append([torch.rand(7, device=device).tolist(), torch.randn(7, device=device).tolist()])
    finally:
        accelerator.eager_mode = before
    assert drawn[0] == drawn[1] == drawn[2]


def test_a_new_seed_compiles_nothing(device: str, stats: Any) -> None:
    torch.rand(31, device=device)
    stats.reset()
    for seed in range(5):
        torch.manual_seed(seed)
        torch.rand(31, device=device)
    assert stats["compiles"] == 0


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float64])
def test_uniform_is_in_the_half_open_interval(device: str, dtype: torch.dtype) -> None:
    drawn = torch.rand(20_000, device=device, dtype=dtype).double().cpu()
    assert drawn.min() >= 0
    assert drawn.max() < 1
    assert drawn.mean().item() == pytest.approx(0.5, abs=0.01)
    assert drawn.var().item() == pytest.approx(1 / 12, abs=0.005)


def test_normal(device: str) -> None:
    drawn = torch.randn(50_000, device=device).cpu()
    assert drawn.mean().item() == pytest.approx(0, abs=0.02)
    assert drawn.std().item() == pytest.approx(1, abs=0.02)
    shifted = torch.empty(50_000, device=device).normal_(3, 2).cpu()
    assert shifted.mean().item() == pytest.approx(3, abs=0.05)
    assert shifted.std().item() == pytest.approx(2, abs=0.05)


def test_integers(device: str) -> None:
    drawn = torch.randint(-3, 4, (10_000,), device=device)
    assert drawn.dtype == torch.int64
    assert sorted(set(drawn.tolist())) == [-3, -2, -1, 0, 1, 2, 3]
    large = torch.randint(2**40, 2**40 + 5, (100,), device=device)
    assert int(large.min()) >= 2**40


def test_permutation(device: str) -> None:
    drawn = torch.randperm(1000, device=device).tolist()
    assert sorted(drawn) == list(range(1000))
    assert drawn != list(range(1000))


def test_dropout_keeps_the_mean(device: str) -> None:
    dropped = torch.nn.functional.dropout(torch.ones(50_000, device=device), 0.3).cpu()
    kept = dropped != 0
    assert kept.float().mean().item() == pytest.approx(0.7, abs=0.02)
    torch.testing.assert_close(dropped[kept], torch.full_like(dropped[kept], 1 / 0.7))


def test_bernoulli_and_multinomial(device: str) -> None:
    assert torch.bernoulli(torch.tensor([0.0, 1.0], device=device)).tolist() == [0, 1]
    weights = torch.tensor([0.0, 3.0, 1.0], device=device)
    drawn = torch.multinomial(weights, 8000, replacement=True).bincount(minlength=3).tolist()
    assert drawn[0] == 0
    assert drawn[1] / drawn[2] == pytest.approx(3, abs=0.5)
    assert sorted(torch.multinomial(weights, 2).tolist()) == [1, 2]
