"""Run the quick benchmarks, print their tables, and keep them in `benchmarks/results.md`.

make bench
"""

from benchmarks import objectives, queries, report, scaling, training


def main() -> None:
    """Measure, print, keep."""
    report.RESULTS.unlink(missing_ok=True)
    modules = {
        "Drawing queries": queries,
        "Objectives, forward and backward": objectives,
        "An epoch of training": training,
    }
    for title, module in modules.items():
        about = (module.__doc__ or "").splitlines()[0]
        print(f"\n{title}\n{about}\n", flush=True)
        table = module.measure()
        print(table.to_string(index=False), flush=True)
        report.keep(title, f"{about}\n\n{report.markdown(table)}")
    scaling.main([])
    print(f"\n{report.RESULTS}")


if __name__ == "__main__":
    main()
