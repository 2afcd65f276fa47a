"""Writes statistics.json: what numpy says of a few samples, for StatisticsTests.

Run with numpy installed:  python3 make_statistics.py
The random draws repeat FMCore's CounterRandom, so the bootstrap intervals are comparable exactly.
"""
import json
import pathlib

import numpy as np

MASK = (1 << 64) - 1


def mix(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def bits(seed, position, lane):
    first = mix((seed + 0x9E3779B97F4A7C15 * (lane + 1)) & MASK)
    return mix(first ^ ((position * 0xD1342543DE82EF95 + 0x9E3779B97F4A7C15) & MASK))


def interval(sample, seed, resamples):
    ordered = np.sort(np.array(sample))
    n = len(ordered)
    medians = [
        float(np.median(ordered[[bits(seed, r, k) * n >> 64 for k in range(n)]]))
        for r in range(resamples)
    ]
    return [float(np.percentile(medians, 2.5)), float(np.percentile(medians, 97.5))]


generator = np.random.default_rng(20261129)
samples = [
    [1.0, 2.0],
    [3.5, 1.25, 2.0],
    [float(x) for x in np.round(generator.lognormal(3, 0.1, 5), 6)],
    [float(x) for x in np.round(generator.lognormal(3, 0.1, 10), 6)],
    [float(x) for x in np.round(generator.lognormal(3, 0.5, 20), 6)] + [5000.0],
    [7.0, 7.0, 7.0, 7.0, 9.0],
]
cases = []
for number, sample in enumerate(samples):
    median = float(np.median(sample))
    cases.append({
        "sample": sample,
        "median": median,
        "mad": float(np.median(np.abs(np.array(sample) - median))),
        "fractions": [0.0, 0.05, 0.25, 0.5, 0.9, 0.95, 0.99, 1.0],
        "percentiles": [float(np.percentile(sample, 100 * f))
                        for f in [0.0, 0.05, 0.25, 0.5, 0.9, 0.95, 0.99, 1.0]],
        "seed": 1000 + number,
        "resamples": 2000,
        "interval": interval(sample, 1000 + number, 2000),
    })
path = pathlib.Path(__file__).with_name("statistics.json")
path.write_text(json.dumps(cases, indent=1) + "\n")
