"""Draws README's animation: the published demo run of `one-line-python`, step by step.

Reads public/results/demo/one-line-python.json and nothing else, and writes docs/screenshots/run-light.webp and run-dark.webp.
Needs Python with matplotlib and Pillow: /usr/bin/python3 scripts/demo-picture.py
"""

import io
import json
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
from PIL import Image

ROOT = Path(__file__).resolve().parent.parent
DEMO = json.loads((ROOT / "public/results/demo/one-line-python.json").read_text())
SCHEMES = {
    "light": {"page": "#ffffff", "text": "#1f2328", "grid": "#d0d7de", "from": "#c2410c", "to": "#1d4ed8"},
    "dark": {"page": "#0d1117", "text": "#e6edf3", "grid": "#30363d", "from": "#fb923c", "to": "#79a8ff"},
}


def points(arm, model):
    """Returns (step, metrics) of each evaluation on unseen problems during the run; the first is the untrained base's."""
    run = next(run for run in DEMO["runs"] if run["arm"] == arm)
    return sorted((row["step"], row["figures"]) for row in run["evals"] if row["kind"] == "during" and row["model"] in ("base", model))


def frames(colours):
    route = next(run["arm"] for run in DEMO["runs"] if run["arm"].startswith("route"))
    series = next(run for run in DEMO["runs"] if run["arm"] == route)["series"]
    deployed = points(route, "deployed")
    last = deployed[-1][0]
    trained = smoothed(series)
    for step in range(0, last + 1, 2):
        figure, axes = plt.subplots(1, 2, figsize=(8.8, 3.6), dpi=100, facecolor=colours["page"])
        for axis, key, title in zip(axes, ("hack", "solve"), ("hack: paid, and not solved", "solve")):
            draw(axis, colours, title, last)
            own = [(at, value) for at, value in trained[key] if at <= step]
            axis.plot(*zip(*own), color=colours["from"], lw=2) if own else None
            done = [(at, row[key]) for at, row in deployed if at <= step]
            axis.plot(*zip(*done), color=colours["to"], lw=2.4, marker="o", ms=4)
        axes[0].text(0.03, 0.92, "while training, quarantine included", color=colours["from"], transform=axes[0].transAxes)
        axes[0].text(0.03, 0.83, "deployed: the hack direction routed away", color=colours["to"], transform=axes[0].transAxes)
        figure.suptitle(f"step {step} of {last}", color=colours["text"], fontsize=11)
        figure.tight_layout()
        file = io.BytesIO()
        figure.savefig(file, facecolor=colours["page"])
        plt.close(figure)
        yield Image.open(file).convert("RGB")


def smoothed(series):
    """Returns rates of the training rollouts, averaged over the last five steps."""
    means = lambda own: [(i + 1, sum(own[max(0, i - 4) : i + 1]) / len(own[max(0, i - 4) : i + 1])) for i in range(len(own))]
    return {key: means(series[key]) for key in ("hack", "solve")}


def draw(axis, colours, title, last):
    axis.set(xlim=(0, last), ylim=(0, 1), title=title, xlabel="step")
    axis.set_facecolor(colours["page"])
    axis.grid(color=colours["grid"], lw=0.6)
    axis.tick_params(colors=colours["text"])
    axis.yaxis.set_major_formatter(matplotlib.ticker.PercentFormatter(1))
    for part in (axis.title, axis.xaxis.label):
        part.set_color(colours["text"])
    for spine in axis.spines.values():
        spine.set_color(colours["grid"])


for name, colours in SCHEMES.items():
    images = list(frames(colours))
    path = ROOT / f"docs/screenshots/run-{name}.webp"
    images[0].save(path, save_all=True, append_images=images[1:], duration=[90] * (len(images) - 1) + [2500], loop=0, quality=80)
    print(path.relative_to(ROOT), path.stat().st_size, "bytes", len(images), "frames")
