// The list of kept experiments as a person wants to see it: searched, filtered, sorted. Pure; the page holds the choice.
import { ARMS } from '../experiments/spec.ts';
import type { ExperimentSummary } from '../lab/protocol.ts';

export const ORDERS = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  changed: 'Last changed',
  name: 'Name',
  size: 'Largest first',
} as const;
export type Order = keyof typeof ORDERS;

export interface KeptFilter {
  text: string;
  /** Empty: all. */
  status: string;
  tag: string;
  order: Order;
}

export const NO_FILTER: KeptFilter = { text: '', status: '', tag: '', order: 'newest' };

/** Its own name, or its preset's. */
export const nameOf = ({ name, spec }: ExperimentSummary): string => name || spec.preset;

export function tagsOf(kept: readonly ExperimentSummary[]): string[] {
  return [...new Set(kept.flatMap(({ tags }) => tags ?? []))].sort((a, b) => a.localeCompare(b));
}

/** Every word must occur somewhere: in name, preset, arms, seeds, tags, note, device or version. */
export function listKept(kept: readonly ExperimentSummary[], filter: KeptFilter): ExperimentSummary[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (summary: ExperimentSummary) => {
    if (filter.status && summary.status !== filter.status) return false;
    if (filter.tag && !summary.tags?.includes(filter.tag)) return false;
    const text = haystack(summary);
    return words.every((word) => text.includes(word));
  };
  return kept.filter(matches).sort(comparison[filter.order]);
}

function haystack({ name, note, tags = [], spec, status, device, appVersion }: ExperimentSummary): string {
  const arms = spec.arms.flatMap((arm) => [arm, ARMS[arm]?.label ?? '']);
  const seeds = spec.seeds.map((seed) => `seed ${seed}`);
  return [name, note, ...tags, spec.preset, ...arms, ...seeds, status, device, appVersion].join('\n').toLowerCase();
}

type Comparison = (a: ExperimentSummary, b: ExperimentSummary) => number;
const newest: Comparison = (a, b) => b.createdAt - a.createdAt;
const comparison: Record<Order, Comparison> = {
  newest,
  oldest: (a, b) => newest(b, a),
  changed: (a, b) => b.updatedAt - a.updatedAt,
  name: (a, b) => nameOf(a).localeCompare(nameOf(b)) || newest(a, b),
  size: (a, b) => (b.approxBytes ?? 0) - (a.approxBytes ?? 0) || newest(a, b),
};
