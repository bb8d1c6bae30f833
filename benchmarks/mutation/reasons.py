"""Why no test kills a mutant that survives: by file and change."""

WHY = {
    ("answers/sources.py", "np.arange(sets.shape[1]) == 0  ->  np.arange(sets.shape[1]) != 0"): (
        "a skip asks about any label: nobody reads which"
    ),
    ("evaluation/assisted.py", "1  ->  2"): "a degree of freedom more or less, in an interval for large samples",
    ("evaluation/by_class.py", "1.0  ->  2.1"): "cut off at one in the next line",
    ("noise/em.py", "0.1  ->  0.30000000000000004"): "where an iteration starts: the tests find the rates from either",
    ("noise/em.py", "2  ->  3"): "the first rates are known exactly: a matrix of zeros, of which only the sum is read",
    (
        "noise/em.py",
        "np.sort(told)[-1] - np.sort(told)[-2] > AS_WELL  ->  np.sort(told)[-1] - np.sort(told)[-2] >= AS_WELL",
    ): "two real numbers that are never equal",
    ("objectives/logspace.py", "total.min().item() > 1e-30  ->  total.min().item() >= 1e-30"): (
        "at the limit both ways give the same"
    ),
    ("objectives/logspace.py", "-1  ->  --1"): "of two dimensions the last is number one",
    ("queries/adaptive.py", "-q * rng.uniform(0.9, 1.0, (n, k))  ->  -q / rng.uniform(0.9, 1.0, (n, k))"): (
        "a random factor near one either way"
    ),
    ("queries/adaptive.py", "value > worth[rows]  ->  value >= worth[rows]"): (
        "a label joins only if the mass comes nearer the best: never equal"
    ),
}
