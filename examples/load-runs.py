"""Loads a run or a sweep into pandas.

    npm run lab -- run --preset smoke --json run.json && npm run lab -- tables run.json --out tables
    npm run lab -- tables SWEEP_FOLDER --out tables
    python3 examples/load-runs.py tables

Each step is a row, with TRL's names of columns. steps.parquet holds the same (pandas.read_parquet, with pyarrow); the CSV needs no package more.
"""
import sys

import pandas as pd


def load(folder: str) -> pd.DataFrame:
    return pd.read_csv(f"{folder}/steps.csv")


def last_steps(steps: pd.DataFrame, count: int = 5) -> pd.DataFrame:
    """Averages the last steps of each run; each run is a row."""
    tail = steps.sort_values("step").groupby("run", sort=False).tail(count)
    return tail.groupby("run", sort=False).mean(numeric_only=True)


if __name__ == "__main__":
    steps = load(sys.argv[1])
    options = [name for name in steps.columns if name.startswith("option/")]
    print(f"{steps['run'].nunique()} runs, {len(steps)} steps; options: {', '.join(options)}")
    print(last_steps(steps)[["reward", "kl", "entropy"]].round(4).to_string())
