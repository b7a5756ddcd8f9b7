"""Delivery ratio over loss, one line for each number of retries."""

from typing import Any

from matplotlib.figure import Figure


def draw(measures: Any) -> dict[str, Figure]:
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    for axes, system in zip(figure.subplots(1, 2, sharey=True), ("psvr/all", "shen")):
        chosen = measures[(measures.measure == "delivery_ratio") & (measures.system == system)]
        for retries, line in chosen.groupby("retries"):
            line = line.sort_values("loss")
            axes.errorbar(
                100 * line.loss,
                line.value,
                [line.value - line.low, line.high - line.value],
                marker="o",
                capsize=3,
                label=f"{retries} retries",
            )
        axes.set(title=system, xlabel="loss per reception (%)")
        axes.legend()
    figure.axes[0].set_ylabel("delivered (%)")
    return {"delivery": figure}
