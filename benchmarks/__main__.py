"""Run the quick benchmarks, print their tables, and keep them in `results/timing/`.

make bench
python -m benchmarks.pages      # then: put them into the pages
"""

from benchmarks import objectives, queries, report, scaling, training


def main() -> None:
    """Measure, print, and keep the rows."""
    for name, module in {"queries": queries, "objectives": objectives, "training": training}.items():
        print(f"\n{(module.__doc__ or '').splitlines()[0]}\n", flush=True)
        table = module.measure()
        print(table.to_string(index=False), flush=True)
        report.keep(name, table)
    scaling.main([])


if __name__ == "__main__":
    main()
