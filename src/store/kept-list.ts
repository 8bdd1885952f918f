// The list of kept experiments and probes as a person wants to see it: searched, filtered, sorted. Pure; the page holds the choice.
import { ARMS } from '../experiments/spec.ts';
import type { ExperimentSummary } from '../lab/protocol.ts';
import type { ProbeRecord } from '../lab/protocol-probe.ts';
import { askedOf, outcomesOf, probeName } from './probe-name.ts';

export type KeptEntry = ExperimentSummary | ProbeRecord;

export const isProbeEntry = (entry: KeptEntry): entry is ProbeRecord => 'report' in entry;

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
  kind: '' | 'run' | 'probe';
  status: string;
  tag: string;
  order: Order;
}

export const NO_FILTER: KeptFilter = { text: '', kind: '', status: '', tag: '', order: 'newest' };

/** Its own name, or its preset's; a probe's own, or what it was asked. */
export const nameOf = (entry: KeptEntry): string =>
  isProbeEntry(entry) ? probeName(entry) : entry.name || entry.spec.preset;

export function tagsOf(kept: readonly KeptEntry[]): string[] {
  return [...new Set(kept.flatMap(({ tags }) => tags ?? []))].sort((a, b) => a.localeCompare(b));
}

/** Every word must occur somewhere: in name, preset, arms, seeds, tags, note, device or version; of a probe, in what it was asked. */
export function listKept(kept: readonly KeptEntry[], filter: KeptFilter): KeptEntry[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (entry: KeptEntry) => {
    if (filter.kind && (filter.kind === 'probe') !== isProbeEntry(entry)) return false;
    if (filter.status && statusOf(entry) !== filter.status) return false;
    if (filter.tag && !entry.tags?.includes(filter.tag)) return false;
    const text = isProbeEntry(entry) ? probeHaystack(entry) : haystack(entry);
    return words.every((word) => text.includes(word));
  };
  return kept.filter(matches).sort(comparison[filter.order]);
}

function haystack({ name, note, tags = [], spec, status, device, appVersion }: ExperimentSummary): string {
  const arms = spec.arms.flatMap((arm) => [arm, ARMS[arm]?.label ?? '']);
  const seeds = spec.seeds.map((seed) => `seed ${seed}`);
  return [name, note, ...tags, spec.preset, ...arms, ...seeds, status, device, appVersion].join('\n').toLowerCase();
}

function probeHaystack(record: ProbeRecord): string {
  const { name, note, tags = [], device } = record;
  return [name, note, ...tags, 'probe', askedOf(record), outcomesOf(record), statusOf(record), device]
    .join('\n')
    .toLowerCase();
}

const statusOf = (entry: KeptEntry): string =>
  isProbeEntry(entry) ? (entry.report ? 'done' : 'stopped') : entry.status;
const changedAt = (entry: KeptEntry): number => (isProbeEntry(entry) ? entry.createdAt : entry.updatedAt);
const sizeOf = (entry: KeptEntry): number => (isProbeEntry(entry) ? 0 : (entry.approxBytes ?? 0));

type Comparison = (a: KeptEntry, b: KeptEntry) => number;
const newest: Comparison = (a, b) => b.createdAt - a.createdAt;
const comparison: Record<Order, Comparison> = {
  newest,
  oldest: (a, b) => newest(b, a),
  changed: (a, b) => changedAt(b) - changedAt(a),
  name: (a, b) => nameOf(a).localeCompare(nameOf(b)) || newest(a, b),
  size: (a, b) => sizeOf(b) - sizeOf(a) || newest(a, b),
};
