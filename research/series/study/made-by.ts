// Commits of the code that made the published runs: they are in the index, beside the digests of the files and not part of them, so that a
// run repeated by later code has the same bytes. Runs published before commits were recorded have none.

import type { ControlEvaluation, FinishedRun } from '../../../src/experiments/runs/finished.ts';
import { controlKey } from '../../../src/experiments/runs/key.ts';

/** Runs and quarantines made by one commit. */
export interface RunsOfCommit {
  /** 40 hex digits, followed by `-dirty` if the code had uncommitted changes. */
  commit: string;
  /** Run keys. */
  runs: string[];
  /** Quarantines that were replayed later, by run and content. */
  quarantines: string[];
}

const nameOf = ({ key, record }: FinishedRun, { shadow: control }: ControlEvaluation): string =>
  `${key}: ${controlKey(control, record.spec)}`;

/** One entry per commit, in the order of the runs. */
export function runsByCommit(runs: Iterable<FinishedRun>): RunsOfCommit[] {
  const found = new Map<string, RunsOfCommit>();
  const entryOf = (commit: string): RunsOfCommit => {
    const known = found.get(commit) ?? { commit, runs: [], quarantines: [] };
    found.set(commit, known);
    return known;
  };
  for (const run of runs) {
    if (run.commit !== undefined) entryOf(run.commit).runs.push(run.key);
    for (const one of run.rerouted)
      if (one.commit !== undefined) entryOf(one.commit).quarantines.push(nameOf(run, one));
  }
  return [...found.values()];
}

/** The runs, with the commits that the index lists for them. */
export function withCommits<Run extends FinishedRun>(runs: readonly Run[], made: readonly RunsOfCommit[] = []): Run[] {
  const byRun = new Map(made.flatMap(({ commit, runs: keys }) => keys.map((key) => [key, commit] as const)));
  const byQuarantine = new Map(
    made.flatMap(({ commit, quarantines }) => quarantines.map((name) => [name, commit] as const)),
  );
  const commitOf = (commit: string | undefined) => (commit === undefined ? {} : { commit });
  return runs.map((run) => ({
    ...run,
    ...commitOf(byRun.get(run.key)),
    rerouted: run.rerouted.map((one) => ({ ...one, ...commitOf(byQuarantine.get(nameOf(run, one))) })),
  }));
}

/** Prepares a run for publication: parts published before keep their known or unknown commit. */
export function withEarlierCommits(run: FinishedRun, before: FinishedRun | undefined): FinishedRun {
  if (!before) return run;
  const known = new Map(before.rerouted.map((one) => [nameOf(before, one), one.commit]));
  const replayed = run.rerouted.map((one) => {
    const name = nameOf(run, one);
    return known.has(name) ? withCommit(one, known.get(name)) : one;
  });
  return withCommit({ ...run, rerouted: replayed }, before.commit);
}

function withCommit<T extends { commit?: string }>(made: T, commit: string | undefined): T {
  const { commit: _, ...rest } = made;
  return (commit === undefined ? rest : { ...rest, commit }) as T;
}
