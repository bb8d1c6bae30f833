"""Why a mutant that no test kills is none, or what a test of it would have to be: by file and change."""

WHY = {
    ("queries/adaptive.py", "-q * rng.uniform(0.9, 1.0, (n, k))  ->  -q / rng.uniform(0.9, 1.0, (n, k))"): (
        "a random factor near one either way"
    ),
    ("queries/adaptive.py", "value > worth[rows]  ->  value >= worth[rows]"): (
        "a label joins only if the mass comes nearer the best: never equal"
    ),
}
