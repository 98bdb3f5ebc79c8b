"""The weights of the kernel mean embedding."""

import json

import numpy as np

from ml4c.embedding import DIMENSION, SCALES, Embedding, draw_embedding


def test_drawn_once_and_kept():
    embedding = draw_embedding(5)
    assert draw_embedding(5) == embedding != draw_embedding(6)
    assert Embedding.from_dict(json.loads(json.dumps(embedding.to_dict()))) == embedding


def test_weights_have_three_scales_and_phases_fill_the_circle():
    weights = np.array([draw_embedding(seed).weights for seed in range(400)])
    spread = weights.std(axis=0)
    np.testing.assert_allclose(spread / np.repeat(SCALES, DIMENSION // 3), 1.0, atol=0.15)
    phases = np.array([draw_embedding(seed).phases for seed in range(400)])
    assert 0 <= phases.min() < 0.05
    assert 6.2 < phases.max() <= 2 * np.pi
