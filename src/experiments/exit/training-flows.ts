// Summary of a training step of self-improvement, computed only from its rollouts: how many answers preceded each, and how revisions changed the answer.
// Only for environments whose verdicts report both.

export interface StepFlow {
  step: number;
  /** Number of rollouts by how many answers preceded: base tasks, after one, after two, … */
  depths: number[];
  /** Counts of revisions that are now solved, better, equally good or worse. */
  solved: number;
  better: number;
  same: number;
  worse: number;
}

interface Scored {
  verdict: Readonly<Record<string, unknown>>;
}

/** Null if no rollout reports what it started from. */
export function flowOf(step: number, rollouts: readonly Scored[]): StepFlow | null {
  const flow: StepFlow = { step, depths: [], solved: 0, better: 0, same: 0, worse: 0 };
  for (const { verdict } of rollouts) {
    const { depth, before, quality } = verdict;
    if (
      !Number.isSafeInteger(depth) ||
      (depth as number) < 0 ||
      (depth as number) > MOST ||
      typeof quality !== 'number'
    )
      continue;
    while (flow.depths.length <= (depth as number)) flow.depths.push(0);
    flow.depths[depth as number] += 1;
    if (typeof before !== 'number') continue;
    flow[quality < before ? 'worse' : quality === before ? 'same' : quality >= 1 ? 'solved' : 'better'] += 1;
  }
  return flow.depths.length > 0 ? flow : null;
}

/** Deepest accepted depth, since a file may contain any number. */
const MOST = 1000;

/** At most `most` of a run's steps, evenly spaced, including the last. */
export function someOf(steps: readonly number[], most: number): number[] {
  const every = Math.ceil(steps.length / most);
  return steps.filter((_, i) => (steps.length - 1 - i) % every === 0);
}

export interface FlowShares {
  /** Steps `from` … `to` together. */
  from: number;
  to: number;
  /** Share of each part; they sum to 1, or are all 0 if nothing was counted. */
  shares: number[];
}

/** Groups neighbouring steps into at most `blocks` columns, with shares of the counts that `of` returns. */
export function blocksOf(
  flows: readonly StepFlow[],
  blocks: number,
  of: (flow: StepFlow) => readonly number[],
): FlowShares[] {
  const size = Math.max(1, Math.ceil(flows.length / blocks));
  return Array.from({ length: Math.ceil(flows.length / size) }, (_, b) => {
    const part = flows.slice(b * size, (b + 1) * size);
    const counts = part.map(of);
    const sums = Array.from({ length: Math.max(0, ...counts.map(({ length }) => length)) }, (_, i) =>
      counts.reduce((sum, count) => sum + (count[i] ?? 0), 0),
    );
    const total = sums.reduce((a, b) => a + b, 0);
    return {
      from: part[0].step,
      to: part[part.length - 1].step,
      shares: sums.map((sum) => (total > 0 ? sum / total : 0)),
    };
  });
}

/** Base tasks, after one, two or three answers, and after more. */
export const DEPTH_PARTS = ['base tasks', 'after 1', 'after 2', 'after 3', 'after more'] as const;
export const depthParts = ({ depths }: StepFlow): number[] => [
  ...[0, 1, 2, 3].map((depth) => depths[depth] ?? 0),
  depths.slice(4).reduce((a, b) => a + b, 0),
];

export const FLOW_PARTS = ['solved', 'better', 'as good', 'worse'] as const;
export const flowParts = ({ solved, better, same, worse }: StepFlow): number[] => [solved, better, same, worse];
