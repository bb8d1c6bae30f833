"""What holds for every objective: shapes, sizes, precision, several answers per item, and parts of a batch."""

from copy import copy
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from oneof import Answers, UniformQueries, WeightedQueries, losses, objectives
from oneof.objectives import Batch, Objective
from oneof.objectives.likelihood import Likelihood
from oneof.objectives.registry import options as options_of

EVERY: list[tuple[str, dict[str, Any]]] = [
    *(("ure", {"loss": loss, "weights": weights})
      for loss in losses.names()
      for weights in ("paper", "minimum-norm", "agreement")),
    # The corrections change what is made of the raw risk, and nothing of how it comes about.
    *((name, {"loss": "gce", "weights": weights}) for name in ("nn", "abs") for weights in ("paper", "agreement")),
    *(("pll-avg", {"loss": loss}) for loss in losses.names()),
    *((name, {}) for name in objectives.names() if not options_of(name)),
]  # fmt: skip
every = pytest.mark.parametrize(
    ("name", "options"), EVERY, ids=lambda part: "-".join(part.values()) if isinstance(part, dict) else part
)


def answered(n: int, k: int, m: int, seed: int = 0) -> tuple[Tensor, Tensor, Tensor]:
    """Logits in float64, subsets, and answers with some of either kind."""
    rng = np.random.default_rng(seed)
    subsets = torch.from_numpy(UniformQueries(k, m).draw(n, rng))
    responses = torch.from_numpy(rng.random(n) < 0.4)
    if n > 1:
        responses[0], responses[1] = True, False
    return torch.from_numpy(2 * rng.normal(size=(n, k))), subsets, responses


def gradient(objective: Objective, logits: Tensor, *args: Any, **kwargs: Any) -> tuple[Tensor, Tensor, Tensor]:
    logits = logits.detach().clone().requires_grad_()
    risk = objective(logits, *args, **kwargs)
    risk.value.backward()
    assert logits.grad is not None
    return risk.value.detach(), risk.raw.detach(), logits.grad


def test_every_name_is_tried() -> None:
    assert {name for name, _ in EVERY} == set(objectives.names())


@every
@pytest.mark.parametrize("size", [1e4, -1e4])
def test_logits_of_ten_thousand(name: str, options: dict[str, Any], size: float) -> None:
    objective = objectives.create(name, **options)
    _, subsets, responses = answered(8, 6, 2)
    for hot in range(6):
        logits = torch.zeros(8, 6, dtype=torch.float32)
        logits[:, hot] = size
        logits[:, (hot + 1) % 6] = -size
        for answer in gradient(objective, logits, subsets, responses):
            assert torch.isfinite(answer).all()


@every
def test_ten_thousand_classes(name: str, options: dict[str, Any]) -> None:
    objective = objectives.create(name, **options)
    logits, subsets, responses = answered(4, 10_000, 5_000)
    for answer in gradient(objective, 50 * logits.float(), subsets, responses):
        assert torch.isfinite(answer).all()


@every
def test_float32_is_close_to_float64(name: str, options: dict[str, Any]) -> None:
    objective = objectives.create(name, **options)
    logits, subsets, responses = answered(64, 12, 5)
    exact = gradient(objective, logits, subsets, responses)
    rounded = gradient(objective, logits.float(), subsets, responses)
    for wanted, found in zip(exact, rounded, strict=True):
        assert found.dtype == torch.float32
        torch.testing.assert_close(found.double(), wanted, rtol=2e-5, atol=2e-6)


@every
def test_half_precision_logits_are_risks_in_float32(name: str, options: dict[str, Any]) -> None:
    objective = objectives.create(name, **options)
    logits, subsets, responses = answered(16, 5, 2)
    logits = logits.bfloat16()
    risk = objective(logits, subsets, responses)
    assert risk.raw.dtype == torch.float32
    assert risk.raw.item() == pytest.approx(objective(logits.float(), subsets, responses).raw.item(), rel=1e-5)


@every
def test_gradients_are_right(name: str, options: dict[str, Any]) -> None:
    objective = objectives.create(name, **options)
    logits, subsets, responses = answered(5, 4, 2)
    if objective(logits, subsets, responses).raw.item() < 0 and name == "nn":
        assert gradient(objective, logits, subsets, responses)[2].abs().max() == 0
    assert torch.autograd.gradcheck(
        lambda z: objective(z, subsets, responses).value, logits.requires_grad_(), atol=1e-7
    )
    rows = torch.tensor([0, 0, 2, 1, 2])
    fitting = subsets if name not in ("likelihood", "proden", "agreeing-visits") else subsets[:1].repeat(5, 1)
    same = responses if name not in ("likelihood", "proden", "agreeing-visits") else torch.ones(5, dtype=torch.bool)
    assert torch.autograd.gradcheck(
        lambda z: objective(z, fitting, same, rows=rows).value, logits[:3].detach().requires_grad_(), atol=1e-7
    )


@every
def test_a_second_derivative_is_refused_or_right(name: str, options: dict[str, Any]) -> None:
    """Gradients written by hand know nothing of a second derivative; they must say so and not return zeros."""
    objective = objectives.create(name, **options)
    logits, subsets, responses = answered(5, 4, 2)
    logits.requires_grad_()
    try:
        torch.autograd.grad(objective(logits, subsets, responses).raw, logits, create_graph=True)
    except RuntimeError as error:
        if "once only" not in str(error):
            raise
    else:
        assert torch.autograd.gradgradcheck(lambda z: objective(z, subsets, responses).raw, logits)


@every
def test_shares_of_parts_add_up_to_the_whole(name: str, options: dict[str, Any]) -> None:
    """What training on several workers or micro-batches rests on: one global batch, in uneven parts."""
    n, k = 23, 6
    logits, subsets, responses = answered(n, k, 3)
    items = torch.arange(n)
    cuts = [slice(0, 1), slice(1, 9), slice(9, 11), slice(11, n)]
    whole, parted = (objectives.create(name, **options) for _ in range(2))
    for objective in (whole, parted):
        objective.prepare(n, k)
    for visit in range(2):
        _, raw, grad = gradient(whole, logits + visit, subsets, responses, items=items)
        pieces = [Batch(subsets[cut], responses[cut], None, items[cut]) for cut in cuts]
        counts = tuple(float(sum(parts)) for parts in zip(*(parted.counts(piece) for piece in pieces), strict=True))
        assert counts == pytest.approx(parted.counts(Batch(subsets, responses)))
        leaf = (logits + visit).requires_grad_()
        shares = [parted.raw(leaf[cut], piece, counts) for cut, piece in zip(cuts, pieces, strict=True)]
        assert sum(share.item() for share in shares) == pytest.approx(raw.item(), abs=1e-12)
        total = torch.stack(shares).sum()
        parted.correct(total).backward()
        torch.testing.assert_close(leaf.grad, grad, rtol=1e-9, atol=1e-12)


@every
def test_shares_add_up_where_items_have_several_answers(name: str, options: dict[str, Any]) -> None:
    logits, subsets, responses, rows = several()
    objective = objectives.create(name, **options)
    whole = objective(logits, subsets, responses, rows=rows).raw
    first = rows < 2
    pieces = [
        (logits[:2], Batch(subsets[first], responses[first], rows[first])),
        (logits[2:], Batch(subsets[~first], responses[~first], rows[~first] - 2)),
    ]
    counts = tuple(float(sum(parts)) for parts in zip(*(objective.counts(piece) for _, piece in pieces), strict=True))
    assert sum(objective.raw(*piece, counts).item() for piece in pieces) == pytest.approx(whole.item(), abs=1e-12)


def several() -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """4 items with 2, 1, 3 and 0 answers, which all fit class 0 so that they do not contradict each other."""
    logits, subsets, _ = answered(6, 5, 2, seed=3)
    rows = torch.tensor([2, 0, 2, 1, 0, 2])
    return logits[:4], subsets, subsets[:, 0].clone(), rows


@every
def test_an_item_without_answers_gets_no_gradient(name: str, options: dict[str, Any]) -> None:
    logits, subsets, responses, rows = several()
    objective = objectives.create(name, **options)
    _, _, grad = gradient(objective, logits, subsets, responses, rows=rows)
    assert grad[3].abs().max() < 1e-16
    alone = gradient(objective, logits[:3], subsets, responses, rows=rows)
    torch.testing.assert_close(alone[2], grad[:3])


@every
def test_rows_in_order_are_the_same_as_no_rows(name: str, options: dict[str, Any]) -> None:
    logits, subsets, responses = answered(12, 5, 2)
    objective = objectives.create(name, **options)
    plain = gradient(objective, logits, subsets, responses)
    with_rows = gradient(objective, logits, subsets, responses, rows=torch.arange(12))
    for wanted, found in zip(plain, with_rows, strict=True):
        torch.testing.assert_close(found, wanted, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        (n, o)
        for n, o in EVERY
        if n in ("mcl-exp", "mcl-mae", "mcl-log", "pll-avg") or o.get("weights") in ("minimum-norm", "agreement")
    ],
)
def test_rows_are_the_mean_over_items_of_the_mean_over_answers(name: str, options: dict[str, Any]) -> None:
    logits, subsets, responses, rows = several()
    objective = objectives.create(name, **options)
    means = []
    for item in range(3):
        own = torch.nonzero(rows == item)[:, 0]
        single = [objective(logits[item : item + 1], subsets[i : i + 1], responses[i : i + 1]).raw.item() for i in own]
        means.append(sum(single) / len(single))
    assert objective(logits, subsets, responses, rows=rows).raw.item() == pytest.approx(sum(means) / 3, abs=1e-12)


def test_rows_of_the_group_means_share_an_item_between_its_answers() -> None:
    logits, subsets, responses, rows = several()
    table = objectives.create("ure").raw  # the same formula, spelled out below
    share = torch.tensor([1 / 3, 1 / 2, 1 / 3, 1.0, 1 / 2, 1 / 3], dtype=torch.float64)
    inside = torch.stack([(2 - 2 * torch.softmax(logits[r], 0))[s].mean() for r, s in zip(rows, subsets, strict=True)])
    yes = (share * inside)[responses].sum() / share[responses].sum()
    no = (share * inside)[~responses].sum() / share[~responses].sum()
    batch = Batch(subsets, responses, rows)
    found = table(logits, batch, objectives.create("ure").counts(batch))
    assert found.item() == pytest.approx((2 * yes - no).item(), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "options"),
    # With flips the paper's weights are used in population form, so theirs do change.
    [(n, o) for n, o in EVERY if objectives.create(n, **o).corrects_flips and o.get("weights") != "paper"],
)
def test_rates_of_zero_change_nothing(name: str, options: dict[str, Any]) -> None:
    logits, subsets, responses = answered(9, 5, 2)
    objective = objectives.create(name, **options)
    plain = objective(logits, subsets, responses).raw.item()
    zero = torch.zeros(9)
    assert objective(logits, subsets, responses, flip_yes=zero, flip_no=0.0).raw.item() == pytest.approx(
        plain, abs=1e-7
    )


@every
@settings(max_examples=30)
@given(
    n=st.integers(1, 6), k=st.integers(2, 7), wrong=st.sampled_from(
        ["classes", "responses", "rows", "row numbers", "floats", "bits", "none", "items", "size", "rates", "dims"]),
)  # fmt: skip
def test_bad_input_is_a_value_error(name: str, options: dict[str, Any], n: int, k: int, wrong: str) -> None:
    objective = objectives.create(name, **options)
    objective.prepare(n, k)
    logits, subsets, responses = answered(n, k, 1)
    more: dict[str, Any] = {}
    if wrong == "classes":
        logits = torch.cat([logits, logits], dim=1)
    elif wrong == "responses":
        responses = torch.cat([responses, responses])
    elif wrong == "rows":
        logits = torch.cat([logits, logits])
    elif wrong == "row numbers":
        more["rows"] = torch.arange(n) + 1
    elif wrong == "floats":
        subsets = subsets.double()
    elif wrong == "bits":
        responses = responses.long()
    elif wrong == "none":
        logits, subsets, responses = logits[:0], subsets[:0], responses[:0]
    elif wrong == "items":
        more["items"] = torch.arange(n + 1)
    elif wrong == "rates":
        more["flip_yes"] = torch.full((n, 1), 0.1) if n > 1 else 1.5
    elif wrong == "dims":
        logits = logits[0]
    elif wrong == "size":
        subsets, responses = torch.zeros_like(subsets), torch.ones_like(responses)
    with pytest.raises(ValueError, match=r"\w"):
        objective(logits, subsets, responses, **more)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"rows": torch.tensor([0, 2])}, r"rows must be in 0\.\.1, the rows of the logits, but go from 0 to 2"),
        ({"rows": torch.tensor([0.0, 1.0])}, "rows must be int64 of shape"),
        ({"rows": torch.tensor([True, False])}, "rows must be int64 of shape"),
        ({"flip_yes": -0.1}, r"flip_yes must be a rate in \[0, 1\)"),
        ({"flip_no": float("nan")}, r"flip_no must be a rate in \[0, 1\)"),
        ({"flip_yes": 0.5, "flip_no": torch.tensor([0.1, 0.5])}, r"flip_yes \+ flip_no must be less than 1, but is 1"),
        ({"flip_no": torch.full((2, 2), 0.1)}, "flip_no must be a number or have shape"),
    ],
)
def test_messages_name_the_offender(more: dict[str, Any], message: str) -> None:
    logits, subsets, responses = answered(2, 3, 1)
    with pytest.raises(ValueError, match=message):
        objectives.create("likelihood")(logits, subsets, responses, **more)


def test_flips_that_cannot_be_corrected_are_refused() -> None:
    logits, subsets, responses = answered(2, 3, 1)
    for name in ("mcl-exp", "pll-avg"):
        with pytest.raises(ValueError, match="cannot correct for flips; use one of ure"):
            objectives.create(name)(logits, subsets, responses, flip_no=0.1)


def test_a_general_query_distribution_with_rows() -> None:
    logits, subsets, responses, rows = several()
    table = np.array([[i >> j & 1 for j in range(5)] for i in range(1, 31)])
    queries = WeightedQueries(table, np.full(30, 1 / 30))
    objective = objectives.create("ure", weights="minimum-norm", queries=queries)
    means = []
    for item in range(3):
        own = torch.nonzero(rows == item)[:, 0]
        single = [objective(logits[item : item + 1], subsets[i : i + 1], responses[i : i + 1]).raw.item() for i in own]
        means.append(sum(single) / len(single))
    assert objective(logits, subsets, responses, rows=rows).raw.item() == pytest.approx(sum(means) / 3, abs=1e-12)


def test_a_loss_of_ones_own() -> None:
    logits, subsets, responses = answered(9, 5, 2)

    def twice_mae(z: Tensor) -> Tensor:
        return 4 - 4 * torch.softmax(z, dim=-1)

    for name in ("ure", "pll-avg"):
        ours = gradient(objectives.create(name), logits, subsets, responses)
        own = gradient(objectives.create(name, loss=twice_mae), logits, subsets, responses)
        for wanted, found in zip(ours, own, strict=True):
            torch.testing.assert_close(found, 2 * wanted)


def test_a_risk_can_be_used_as_its_value() -> None:
    logits, subsets, responses = answered(4, 3, 1)
    logits = logits.detach().requires_grad_()
    risk = objectives.create("likelihood")(logits, subsets, responses)
    value, raw = risk
    assert risk.item() == value.item() == raw.item()
    penalty = torch.tensor(2.0)
    plain = value.item()
    for whole, wanted in (
        (risk + penalty, plain + 2), (penalty + risk, plain + 2), (risk + risk, 2 * plain),
        (sum([risk, risk]), 2 * plain), (risk - penalty, plain - 2), (penalty - risk, 2 - plain),
        (risk - risk, 0.0), (1.0 - risk, 1 - plain), (-risk, -plain),
        (risk * 3.0, 3 * plain), (3.0 * risk, 3 * plain), (risk * risk, plain**2), (risk / 2, plain / 2),
    ):  # fmt: skip
        assert isinstance(whole, Tensor)
        assert whole.shape == ()
        assert whole.requires_grad
        assert whole.item() == pytest.approx(wanted)
    assert float(risk) == plain == risk.detach().item()
    assert f"{risk:.4f}" == f"{plain:.4f}"
    assert f"{risk}" == repr(risk)
    assert copy(risk).raw is raw
    with pytest.raises(AttributeError, match="no attribute '__nothing__'"):
        _ = risk.__nothing__
    risk.backward()
    assert logits.grad is not None


@pytest.mark.parametrize("name", ["likelihood", "ure", "mcl-log"])
def test_answers_in_place_of_tensors(name: str) -> None:
    logits, subsets, responses = answered(4, 3, 1)
    objective = objectives.create(name)
    plain = objective(logits, subsets, responses).value
    torch.testing.assert_close(objective(logits, Answers(subsets.numpy(), responses.numpy())).value, plain)
    order = torch.tensor([2, 0, 3, 1])
    shuffled = Answers(subsets[order].numpy(), responses[order].numpy(), items=order.numpy())
    torch.testing.assert_close(objective(logits, shuffled).value, plain)
    noisy = Answers(subsets.numpy(), responses.numpy(), flip_yes=0.1, flip_no=0.2)
    if objective.corrects_flips:
        wanted = objective(logits, subsets, responses, flip_yes=0.1, flip_no=0.2).value
        torch.testing.assert_close(objective(logits, noisy).value, wanted, check_dtype=False)
    else:
        with pytest.raises(ValueError, match="cannot correct for flips"):
            objective(logits, noisy)
    with pytest.raises(ValueError, match="responses are missing"):
        objective(logits, subsets)


@pytest.mark.parametrize("name", objectives.names())
def test_flip_rates_of_zero_are_no_noise(name: str) -> None:
    logits, subsets, responses = answered(4, 3, 1)
    objective = objectives.create(name)
    plain = objective(logits, subsets, responses).value
    zeros = torch.zeros(4)
    assert objective(logits, subsets, responses, flip_yes=0.0, flip_no=zeros).value == plain


def test_a_correction_needs_no_slope_of_its_own() -> None:
    class Squared(Likelihood):
        def correct(self, raw: Tensor) -> Tensor:
            return raw.square()

    assert Squared().slope(3.0) == 6.0
    assert Likelihood().slope(3.0) == 1.0

    class Cut(Likelihood):
        def correct(self, raw: Tensor) -> Tensor:
            return raw.detach()

    with pytest.raises(RuntimeError, match="does not require grad"):
        Cut().slope(3.0)


@pytest.mark.parametrize("name", ["responses", "rows", "flip_yes", "flip_no"])
def test_what_answers_hold_already_is_not_given_beside_them(name: str) -> None:
    """A flip rate beside `Answers` would be ignored, and the risk would be biased without a word."""
    answers = Answers([[True, True, False]] * 2, [True, False])
    given = {name: torch.tensor([True, False]) if name == "responses" else torch.tensor([0, 1])}
    with pytest.raises(ValueError, match=f"Answers hold their own {name}"):
        objectives.create("likelihood")(torch.zeros(2, 3), answers, **given)
