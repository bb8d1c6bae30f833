"""Callbacks: functions that are called after each epoch with its row of figures.

A row is a dictionary, as in `model.history_`. Two callbacks are ready to use: they write the figures to TensorBoard or
to MLflow.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from numbers import Real
from typing import Any

Callback = Callable[[dict[str, Any]], None]


class TensorBoard:
    """Writes each figure as a curve over the epochs into a folder for `tensorboard --logdir`.

    >>> OneOfClassifier(callbacks=[TensorBoard("runs/first")])  # doctest: +SKIP
    """

    def __init__(self, folder: str) -> None:
        _need("tensorboard", "pip install 'oneof[tensorboard]'")
        self.folder = folder
        self._writer: Any = None

    def __call__(self, row: dict[str, Any]) -> None:
        """Write the figures of an epoch."""
        if self._writer is None:
            from torch.utils.tensorboard import SummaryWriter

            self._writer = SummaryWriter(self.folder)
        for name, value in figures(row):
            self._writer.add_scalar(name, value, row["epoch"])
        self._writer.flush()  # so that the curves of a running or killed process can be seen

    def __getstate__(self) -> dict[str, Any]:
        """Without the open file: scikit-learn copies the parameters of an estimator."""
        return {"folder": self.folder, "_writer": None}


class MLflow:
    """Writes each figure as a metric of a run of this experiment, to the server that MLFLOW_TRACKING_URI names.

    If a run is active already (`with mlflow.start_run():`), the figures are written to that one. Without that variable
    MLflow keeps its own database, for which `mlflow-skinny` is not enough. Where nothing can be written, making the
    callback fails, before anything is trained.

    >>> OneOfClassifier(callbacks=[MLflow("birds")])  # doctest: +SKIP
    """

    def __init__(self, experiment: str) -> None:
        _need("mlflow", "pip install mlflow")
        import mlflow

        try:
            mlflow.get_experiment_by_name(experiment)
        except Exception as error:  # of its own, of the network or of a database
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ValueError(
                f"mlflow:{experiment}: {reason} (MLFLOW_TRACKING_URI names a server; to keep the figures here, "
                "`pip install mlflow`: mlflow-skinny alone cannot)"
            ) from None
        self.experiment = experiment
        self._started: str | None = None

    def __call__(self, row: dict[str, Any]) -> None:
        """Write the figures of an epoch."""
        import mlflow

        active = mlflow.active_run()
        if active is not None and row["epoch"] == 1 and active.info.run_id == self._started:
            mlflow.end_run()  # the run of an earlier training
            active = None
        if active is None:
            mlflow.set_experiment(self.experiment)
            self._started = mlflow.start_run().info.run_id
        mlflow.log_metrics(dict(figures(row)), step=row["epoch"])


_KINDS: dict[str, Callable[[str], Callback]] = {"tensorboard": TensorBoard, "mlflow": MLflow}


def create(text: str) -> Callback:
    """The callback that a text such as `tensorboard:FOLDER` or `mlflow:EXPERIMENT` means.

    >>> create("wandb:birds")
    Traceback (most recent call last):
    ...
    ValueError: 'wandb:birds': expected tensorboard:FOLDER or mlflow:EXPERIMENT
    """
    kind, _, where = text.partition(":")
    if kind not in _KINDS or not where:
        raise ValueError(f"{text!r}: expected tensorboard:FOLDER or mlflow:EXPERIMENT")
    return _KINDS[kind](where)


def figures(row: dict[str, Any]) -> Iterator[tuple[str, float]]:
    """The figures of a row that are numbers, without the epoch itself.

    >>> dict(figures({"epoch": 2, "objective": 0.5, "network": "linear"}))
    {'objective': 0.5}
    """
    for name, value in row.items():
        if name != "epoch" and isinstance(value, Real):
            yield name, float(value)


def _need(package: str, remedy: str) -> None:
    if find_spec(package) is None:
        raise ValueError(f"logging to {package} needs a package that is not installed: {remedy}")
