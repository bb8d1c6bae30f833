"""Objectives behind the one tensor of labels that other programs pass on: plain, in transformers, in Lightning."""

import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import oneof
from oneof import Answers, UniformQueries, objectives, respond
from oneof.objectives import compute_loss_func

LABELS = np.arange(240) % 4


@pytest.fixture(scope="module")
def answers() -> Answers:
    subsets = UniformQueries(4, 2).draw(len(LABELS), rng=0)
    return Answers(subsets, respond(subsets, LABELS))


@pytest.mark.parametrize("objective", ["likelihood", "abs"])
def test_the_loss_is_the_objective(answers: Answers, objective: str) -> None:
    logits = torch.randn(len(LABELS), 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    expected = objectives.create(objective)(logits, answers).value
    signed = torch.from_numpy(answers.signed)
    for outputs in (logits, {"logits": logits}, SimpleNamespace(logits=logits)):
        torch.testing.assert_close(compute_loss_func(objective)(outputs, signed), expected)


def test_micro_batches_add_up_to_the_batch(answers: Answers) -> None:
    logits = torch.randn(len(LABELS), 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    signed, loss = torch.from_numpy(answers.signed), compute_loss_func()
    parts = [loss(logits[rows], signed[rows], signed.numel()) for rows in (slice(0, 100), slice(100, 240))]
    torch.testing.assert_close(sum(parts), loss(logits, signed))
    with pytest.raises(ValueError, match="gradient_accumulation_steps=1"):
        compute_loss_func("abs")(logits[:100], signed[:100], torch.tensor(signed.numel()))


def test_a_skip_teaches_nothing() -> None:
    logits = torch.randn(2, 4, requires_grad=True)
    loss = compute_loss_func()(logits, torch.tensor([[0, 0, 0, 0], [1, 1, 0, 0]]))
    loss.backward()
    assert not logits.grad[0].any()
    assert logits.grad[1].any()
    assert compute_loss_func()(logits, torch.zeros(2, 4)).item() == 0


def test_other_shapes_and_outputs_are_refused() -> None:
    with pytest.raises(ValueError, match=r"labels \(2,\) must have the shape of the logits, \(2, 4\)"):
        compute_loss_func()(torch.zeros(2, 4), torch.zeros(2))
    with pytest.raises(ValueError, match="expected logits"):
        compute_loss_func()("nothing", torch.zeros(2, 4))


@pytest.mark.slow
def test_the_trainer_of_transformers_learns_from_answers(answers: Answers, tmp_path: Path) -> None:
    """A small BERT, made here; each text is two words, the first of which tells the class."""
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    pytest.importorskip("accelerate", reason="accelerate is not installed")
    rng = np.random.default_rng(0)
    texts = np.stack([LABELS + 1, rng.integers(5, 9, len(LABELS))], axis=1)
    rows = [
        {"input_ids": text, "labels": signed}
        for text, signed in zip(texts.tolist(), answers.signed.tolist(), strict=True)
    ]
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=10, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=32, num_labels=4
    )
    model = transformers.BertForSequenceClassification(config)
    arguments = transformers.TrainingArguments(
        str(tmp_path), num_train_epochs=12, per_device_train_batch_size=20, gradient_accumulation_steps=2,
        learning_rate=1e-2, report_to=[], save_strategy="no", disable_tqdm=True, use_cpu=True, seed=0,
    )  # fmt: skip
    trainer = transformers.Trainer(
        model, arguments, train_dataset=rows, compute_loss_func=compute_loss_func("likelihood")
    )
    trainer.train()
    guessed = trainer.predict([{"input_ids": row["input_ids"]} for row in rows]).predictions.argmax(axis=1)
    assert (guessed == LABELS).mean() > 0.95


def test_the_lightning_module_of_the_documents_learns(answers: Answers, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its body, in a plain loop: a LightningModule is a module with `log`, and its Trainer calls these two methods."""

    class Module(nn.Module):
        def log(self, name: str, value: Any) -> None:
            assert torch.isfinite(value)

    lightning: Any = SimpleNamespace(LightningModule=Module)
    monkeypatch.setitem(sys.modules, "lightning", lightning)
    page = (Path(__file__).parents[2] / "docs" / "pytorch.md").read_text(encoding="utf-8")
    block = re.search(r"^```python\n(import lightning\n.*?)^```", page, re.DOTALL | re.MULTILINE)
    names: dict[str, Any] = {"oneof": oneof}
    exec(block[1], names)
    torch.manual_seed(0)
    learner = names["Learner"](nn.Linear(4, 4))
    x = torch.eye(4)[torch.from_numpy(LABELS)]
    batch = (x, torch.tensor(answers.subsets), torch.tensor(answers.responses))
    optimizer = learner.configure_optimizers()
    for number in range(300):
        optimizer.zero_grad()
        learner.training_step(batch, number).backward()
        optimizer.step()
    assert (learner.network(x).argmax(1).numpy() == LABELS).all()
