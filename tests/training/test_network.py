"""Preprocessing inside the network."""

import numpy as np
import scipy.sparse as sp
import torch
from torch import nn

from oneof import OneOfClassifier
from oneof.training import Features, Network
from oneof.training.network import standardise


def test_standardised_features_have_mean_0_and_deviation_1():
    x = np.random.default_rng(0).normal([5, -3, 0], [10, 0.1, 1], (500, 3))
    x[:, 2] = 4.0
    network = Network(nn.Identity(), *standardise(Features(x)))
    seen = network(torch.from_numpy(x.astype(np.float32)))
    torch.testing.assert_close(seen.mean(0), torch.zeros(3), atol=1e-4, rtol=0)
    torch.testing.assert_close(seen.std(0, correction=0)[:2], torch.ones(2), atol=1e-4, rtol=0)
    assert bool((seen[:, 2] == 0).all()), "a feature that never varies is centred and left unscaled"


def test_images_are_standardised_by_channel():
    images = np.random.default_rng(0).integers(0, 256, (50, 3, 8, 8), dtype=np.uint8)
    images[:, 1] //= 4
    mean, scale = standardise(Features(images))
    assert mean.shape == scale.shape == (3, 1, 1)
    seen = Network(nn.Identity(), mean, scale)(torch.from_numpy(images))
    assert seen.dtype == torch.float32
    torch.testing.assert_close(seen.mean(dim=(0, 2, 3)), torch.zeros(3), atol=1e-4, rtol=0)
    torch.testing.assert_close(seen.std(dim=(0, 2, 3), correction=0), torch.ones(3), atol=1e-4, rtol=0)


def test_only_the_given_rows_count_and_a_sample_of_them_is_enough():
    x = np.arange(1000, dtype=np.float32)[:, None]
    assert standardise(Features(x), np.arange(10))[0].item() == 4.5
    sampled = standardise(Features(x), sample=100)[0].item()
    assert abs(sampled - 499.5) < 10


def test_sparse_features_stay_sparse_at_zero():
    mean, scale = standardise(Features(sp.csr_matrix(np.eye(3))))
    assert (mean.tolist(), scale.tolist()) == ([0.0], [1.0])


def test_preprocessing_is_part_of_the_state():
    network = Network(nn.Linear(2, 2), torch.ones(2), torch.full((2,), 0.5))
    assert {"mean", "scale", "backbone.weight"} <= set(network.state_dict())
    assert not any(name in dict(network.named_parameters()) for name in ("mean", "scale"))


def test_a_frozen_body_stays_as_it_is_while_the_head_learns():
    """Weights, the statistics of batch normalisation, and no dropout; what is not frozen trains as always."""
    torch.manual_seed(0)
    body = nn.Sequential(nn.Linear(3, 8), nn.BatchNorm1d(8), nn.Dropout(0.5)).requires_grad_(False)
    network = nn.Sequential(body, nn.BatchNorm1d(8), nn.Linear(8, 3))
    x, labels = np.repeat(np.eye(3), 20, axis=0), np.repeat([0, 1, 2], 20)
    trained = OneOfClassifier(backbone=network, epochs=3, random_state=0).fit(x, labels).network_.backbone
    for name, before in network.state_dict().items():
        same = torch.equal(before, trained.state_dict()[name])
        assert same == name.startswith("0."), name
