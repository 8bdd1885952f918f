// Metrics of judged rollouts: numbers by metric id, and how they are counted.

/** Values by MetricInfo.id; null if there was nothing to measure. */
export type Metrics = Record<string, number | null>;

export interface Rates {
  n: number;
  figures: Metrics;
}

/** A judged rollout from which metrics are counted. */
export interface JudgedTask<Task, Verdict> {
  task: Task;
  verdict: Verdict;
}

/** Id of a metric restricted to one kind of task: `hack:run_tests`. */
export const ofKind = (id: string, kind: string): string => `${id}:${kind}`;

/** Null if there are no items. */
export const shareOf = <Verdict>(
  items: readonly JudgedTask<unknown, Verdict>[],
  holds: (verdict: Verdict) => boolean,
): number | null => (items.length === 0 ? null : items.filter(({ verdict }) => holds(verdict)).length / items.length);

/** `n:kind` and `solve:kind` for every kind that has tasks, in the order of `kinds`. */
export function solveByKind<Task extends { kind: string }, Verdict>(
  items: readonly JudgedTask<Task, Verdict>[],
  kinds: readonly string[],
  isSolved: (verdict: Verdict) => boolean,
): Metrics {
  const figures: Metrics = {};
  for (const kind of kinds) {
    const own = items.filter(({ task }) => task.kind === kind);
    if (own.length === 0) continue;
    figures[ofKind('n', kind)] = own.length;
    figures[ofKind('solve', kind)] = shareOf(own, isSolved);
  }
  return figures;
}
