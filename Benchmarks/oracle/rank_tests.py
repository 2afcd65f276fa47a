"""Writes Tests/FMBenchTests/Fixtures/rank_tests.json: what scipy says of rank tests and Holm.

Run with numpy and scipy installed; the version is in the file:
    python3 Benchmarks/oracle/rank_tests.py
Exact values with ties or zeros are scipy's permutation tests over every arrangement.
"""
import json
import pathlib

import numpy as np
import scipy
from scipy import stats

EVERY = stats.PermutationMethod(n_resamples=10**9)
generator = np.random.default_rng(20261130)


def floats(values):
    return [float(x) for x in np.round(values, 6)]


def signed(differences, method):
    p = stats.wilcoxon(
        differences, zero_method="pratt", correction=False, method=method).pvalue
    return {"differences": floats(differences), "p": float(p)}


def ranked(first, second, method):
    p = stats.mannwhitneyu(first, second, alternative="two-sided", method=method).pvalue
    return {"first": floats(first), "second": floats(second), "p": float(p)}


def draw(n, mean=0.0):
    return np.round(generator.normal(mean, 1, n), 6)


def holm(values):
    order = sorted(range(len(values)), key=lambda i: values[i])
    adjusted, least = [0.0] * len(values), 0.0
    for place, index in enumerate(order):
        least = max(least, min(1.0, values[index] * (len(values) - place)))
        adjusted[index] = least
    return adjusted


signed_cases = [signed(draw(n, mean), "exact")
                for n, mean in [(1, 1), (2, 1), (5, 2), (6, 3), (9, 0.3), (10, 0), (10, 2),
                                (12, 0.7), (20, 0.4), (25, 0.5), (50, 0.3)]]
# Ties and zeros.
signed_cases += [signed(np.array(d, float), EVERY) for d in [
    [1, 1, 1, 1, 1, 1], [1, -1, 2, -2, 3], [0, 0, 1, 2, 3, 4, 5, 6], [0, 0, 0, -1, 2],
    [1, 2, 2, 3, 3, 3, -1, -2, 4, 5], [0.5, 0.5, -0.5, 0, 1, 1, 1.5, -2, 2, 2]]]
signed_cases += [signed(draw(n, 0.2), "approx") for n in [51, 80, 200]]
signed_cases.append(signed(
    np.round(np.round(generator.normal(0.3, 1, 120), 1) + 0.05, 6), "approx"))

ranked_cases = [ranked(draw(n), draw(m, mean), "exact")
                for n, m, mean in [(1, 1, 0), (3, 3, 5), (4, 4, 9), (5, 5, 9), (5, 7, 1),
                                   (10, 10, 0), (10, 10, 1), (9, 20, 0.5), (30, 30, 0.4)]]
ranked_cases += [ranked(np.array(a, float), np.array(b, float), EVERY) for a, b in [
    ([1, 2, 2, 3], [2, 3, 3, 4]), ([1, 1, 1], [1, 1, 1]), ([1, 2, 3, 4, 5, 6], [3, 3, 3, 7, 8, 9]),
    ([5, 5, 6, 7, 8], [5, 9, 9, 10, 11, 12])]]
ranked_cases += [ranked(draw(n), draw(m, 0.3), "asymptotic") for n, m in [(31, 30), (60, 40)]]
ranked_cases.append(
    ranked(np.round(draw(50), 1), np.round(draw(50, 0.4), 1), "asymptotic"))

families = [[0.01], [0.04, 0.01, 0.03], [0.5, 0.9, 0.001, 0.02, 0.02], [1, 1], [0.2, 0.3, 0.4]]
path = (pathlib.Path(__file__).resolve().parents[2]
        / "Tests/FMBenchTests/Fixtures/rank_tests.json")
path.write_text(json.dumps({
    "scipy": scipy.__version__,
    "signed": signed_cases,
    "ranked": ranked_cases,
    "holm": [{"values": v, "adjusted": holm(v)} for v in families],
    "quantiles": [{"p": p, "z": float(stats.norm.ppf(p))}
                  for p in [1e-6, 0.001, 0.025, 0.3, 0.5, 0.8, 0.975, 0.99791666]],
    "variation": [{"sample": s, "value": float(stats.variation(s, ddof=1))}
                  for s in [[1.0, 2.0], [10.0, 10.5, 9.7, 10.1]]],
}, indent=1) + "\n")
