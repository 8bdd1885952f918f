// Rollouts as the user reads them: filtered, counted by reward, and grouped by their prompt (GRPO compares the rollouts of a group). All of
// this works on heads, so that a whole run can be filtered without loading its texts.

import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { RolloutPresentation } from '../../environments/rollout-presentation.ts';
import type { RolloutLabel } from '../../experiments/records/events.ts';
import { ROLLOUT_LABELS } from '../../experiments/records/rollout-labels.ts';
import type { RolloutHead } from '../../lab/protocol/rollout-index.ts';
import { minus } from '../../lib/numbers.ts';
import { refKey } from './link.ts';

/** Filters for the rollouts of an environment: `all`, an outcome, or one of its other filters. */
export const verdictsOf = ({ outcomes, filters }: RolloutPresentation): string[] => [
  'all',
  ...outcomes.map(({ id }) => id),
  ...filters.map(({ name }) => name),
];

export const LABEL_FILTERS = ['all', ...ROLLOUT_LABELS, 'unlabelled'] as const;

export interface RolloutFilter {
  source: 'all' | 'student' | 'teacher';
  verdict: string;
  kind: string;
  label: (typeof LABEL_FILTERS)[number];
  /** Rewards r with lo ≤ r < hi; null selects all. */
  reward: { lo: number; hi: number } | null;
}

export const NO_FILTER: RolloutFilter = { source: 'all', verdict: 'all', kind: 'all', label: 'all', reward: null };

const NO_LABELS: ReadonlyMap<string, RolloutLabel> = new Map();

export interface RolloutGroup {
  key: string;
  runId: string;
  step: number;
  promptIndex: number;
  taskId: string;
  kind: string;
  /** Rollouts that the filter selects, in the order of the group. */
  rollouts: RolloutHead[];
}

/** @param label the user's label; null if there is none */
export function passesFilter(filter: RolloutFilter, head: RolloutHead, label: RolloutLabel['label'] = null): boolean {
  if (filter.label !== 'all' && filter.label !== (label ?? 'unlabelled')) return false;
  if (filter.source !== 'all' && head.source !== filter.source) return false;
  if (filter.kind !== 'all' && head.kind !== filter.kind) return false;
  // A rollout without a reward is not in any range.
  if (filter.reward && !(head.reward >= filter.reward.lo && head.reward < filter.reward.hi)) return false;
  return filter.verdict === 'all' || head.outcome === filter.verdict || head.kept.includes(filter.verdict);
}

/** Groups by run, step and prompt, in the order of their first members. */
export function groupRollouts(
  heads: readonly RolloutHead[],
  filter: RolloutFilter,
  labels: ReadonlyMap<string, RolloutLabel> = NO_LABELS,
): RolloutGroup[] {
  const groups = new Map<string, RolloutGroup>();
  for (const head of heads) {
    if (!passesFilter(filter, head, labels.get(refKey(head))?.label)) continue;
    const { runId, step, promptIndex, taskId, kind } = head;
    const key = `${runId}:${step}:${promptIndex}`;
    const group = groups.get(key);
    if (group) group.rollouts.push(head);
    else groups.set(key, { key, runId, step, promptIndex, taskId, kind, rollouts: [head] });
  }
  return [...groups.values()];
}

export interface RewardBin {
  lo: number;
  hi: number;
  label: string;
  /** Counts by outcome. Outcomes without rollouts are absent. */
  outcomes: Record<string, number>;
  total: number;
}

const MAX_BINS = 10;

/** Counts by reward: one bin per value if there are few (a grade has four), otherwise ten bins of equal width. */
export function rewardBins(heads: readonly RolloutHead[]): RewardBin[] {
  const values = [...new Set(heads.map(({ reward }) => reward).filter((x) => !Number.isNaN(x)))].sort((a, b) => a - b);
  if (values.length === 0) return [];
  const bin = (lo: number, hi: number, label: string): RewardBin => ({ lo, hi, label, outcomes: {}, total: 0 });
  const last = values[values.length - 1];
  const bins: RewardBin[] =
    values.length <= MAX_BINS
      ? values.map((value, i) => bin(value, values[i + 1] ?? Number.POSITIVE_INFINITY, short(value)))
      : Array.from({ length: MAX_BINS }, (_, i) => {
          const edge = (n: number) => values[0] + ((last - values[0]) * n) / MAX_BINS;
          const top = i === MAX_BINS - 1 ? Number.POSITIVE_INFINITY : edge(i + 1);
          return bin(edge(i), top, `${short(edge(i))} to ${short(edge(i + 1))}`);
        });
  for (const head of heads) {
    const home = bins.find(({ lo, hi }) => head.reward >= lo && head.reward < hi);
    if (!home) continue;
    setOwn(home.outcomes, head.outcome, (home.outcomes[head.outcome] ?? 0) + 1);
    home.total++;
  }
  return bins;
}

const short = (x: number) => minus(String(Number(x.toFixed(2))));

export interface PromptPart {
  text: string;
  kind: 'text' | 'markup' | 'hint';
}

const MARKUP = /<\|[^|>]*\|>(?:system|user|assistant)?/;

/** Splits a chat prompt so that the markup can be drawn faintly and the hint clause stands out. */
export function splitPrompt(prompt: string, hint: string | null): PromptPart[] {
  const parts: PromptPart[] = [];
  const push = (text: string, kind: PromptPart['kind']) => {
    if (text !== '') parts.push({ text, kind });
  };
  for (const piece of prompt.split(new RegExp(`(${MARKUP.source})`))) {
    if (MARKUP.test(piece)) {
      push(piece, 'markup');
      continue;
    }
    const at = hint ? piece.indexOf(hint) : -1;
    if (!hint || at < 0) {
      push(piece, 'text');
      continue;
    }
    push(piece.slice(0, at), 'text');
    push(hint, 'hint');
    push(piece.slice(at + hint.length), 'text');
  }
  return parts;
}
