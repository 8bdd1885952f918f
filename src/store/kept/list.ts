// The list of stored entries of every kind: searched, filtered and sorted. Pure functions; the page stores the choice.
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { KIND_IDS, type KindId } from '../../experiments/records/kind.ts';
import type { SummaryOf } from '../../lab/protocol/kept.ts';
import { KEPT_ON_PAGE } from '../kinds/kinds.ts';
import type { KeptLists } from '../lab-state.ts';

interface EntryOf<K extends KindId> {
  kind: K;
  entry: SummaryOf<K>;
}
/** A stored entry and its kind. */
export type KeptEntry = { [K in KindId]: EntryOf<K> }[KindId];

export const ORDERS = {
  newest: 'Newest first',
  oldest: 'Oldest first',
  changed: 'Last changed',
  name: 'Name',
  size: 'Largest first',
  question: 'Question',
  hack: 'Least hack first',
  solve: 'Most solved first',
  steps: 'Most steps first',
} as const;
export type Order = keyof typeof ORDERS;

export interface KeptFilter {
  text: string;
  /** Empty for no filter. */
  kind: '' | KindId;
  status: string;
  tag: string;
  order: Order;
}

export const NO_FILTER: KeptFilter = { text: '', kind: '', status: '', tag: '', order: 'newest' };

const PARAMETERS = { find: 'text', kind: 'kind', status: 'status', tag: 'tag', order: 'order' } as const;

/** The filter's values by their names in the address; null for each default. */
export const filterParams = (filter: KeptFilter): Record<string, string | null> =>
  Object.fromEntries(
    Object.entries(PARAMETERS).map(([name, field]) => [
      name,
      filter[field] === NO_FILTER[field] ? null : filter[field],
    ]),
  );

/** The filter in an address. Unknown values are ignored. */
export function filterInAddress(search: string): KeptFilter {
  const params = new URLSearchParams(search);
  const text = (name: keyof typeof PARAMETERS) => (params.get(name) ?? '').slice(0, 200);
  return {
    text: text('find'),
    kind: KIND_IDS.find((id) => id === text('kind')) ?? '',
    status: text('status'),
    tag: text('tag'),
    order: (Object.keys(ORDERS) as Order[]).find((order) => order === text('order')) ?? NO_FILTER.order,
  };
}

/** Entries of all kinds, in the kinds' order. */
const allKept = (kept: KeptLists): KeptEntry[] =>
  KIND_IDS.flatMap((kind) => kept[kind].map((entry) => ({ kind, entry }) as KeptEntry));

export function tagsOf(kept: KeptLists): string[] {
  return [...new Set(allKept(kept).flatMap(({ entry }) => entry.tags ?? []))].sort((a, b) => a.localeCompare(b));
}

/** Every word must occur in the name, the tags, the note or the texts of its kind. */
export function listKept(kept: KeptLists, filter: KeptFilter): KeptEntry[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean);
  const matches = (one: KeptEntry) => {
    if (filter.kind && one.kind !== filter.kind) return false;
    if (filter.status && statusOf(one) !== filter.status) return false;
    if (filter.tag && !one.entry.tags?.includes(filter.tag)) return false;
    const text = textOf(one);
    return words.every((word) => text.includes(word));
  };
  return allKept(kept).filter(matches).sort(comparison[filter.order]);
}

function textOf<K extends KindId>({ kind, entry }: EntryOf<K>): string {
  const { name, note, tags = [] } = entry;
  return [name, note, ...tags, ...KEPT_ON_PAGE[kind].texts(entry)].join('\n').toLowerCase();
}

/** Its own name, or a description of it. */
export const nameOf = <K extends KindId>({ kind, entry }: EntryOf<K>): string =>
  entry.name || KEPT_ON_PAGE[kind].unnamed(entry);
const statusOf = <K extends KindId>({ kind, entry }: EntryOf<K>): string => KEPT_ON_PAGE[kind].status(entry);
const changedAt = <K extends KindId>({ kind, entry }: EntryOf<K>): number => KEPT_ON_PAGE[kind].changedAt(entry);
const sizeOf = <K extends KindId>({ kind, entry }: EntryOf<K>): number => KEPT_ON_PAGE[kind].size(entry);

/** The environment, which identifies the question. */
export const questionOf = ({ kind, entry }: KeptEntry): string =>
  kind === 'run' ? environmentOf(entry.spec) : 'probe';
const stepsOf = ({ kind, entry }: KeptEntry): number => (kind === 'run' ? entry.stepsTotal : entry.total);
/** The entry's values of one metric, one for each model; empty if nothing was measured. */
const valuesOf = ({ kind, entry }: KeptEntry, metric: string): number[] =>
  kind === 'run' ? (entry.outcomes ?? []).flatMap(({ values }) => values[metric] ?? []) : [];
/** An entry without the figure is last in either order. */
const least = (one: KeptEntry, metric: string) => Math.min(Number.MAX_VALUE, ...valuesOf(one, metric));
const most = (one: KeptEntry, metric: string) => Math.max(-1, ...valuesOf(one, metric));

type Comparison = (a: KeptEntry, b: KeptEntry) => number;
const newest: Comparison = (a, b) => b.entry.createdAt - a.entry.createdAt;
const comparison: Record<Order, Comparison> = {
  newest,
  oldest: (a, b) => newest(b, a),
  changed: (a, b) => changedAt(b) - changedAt(a),
  name: (a, b) => nameOf(a).localeCompare(nameOf(b)) || newest(a, b),
  size: (a, b) => sizeOf(b) - sizeOf(a) || newest(a, b),
  question: (a, b) => questionOf(a).localeCompare(questionOf(b)) || newest(a, b),
  hack: (a, b) => least(a, 'hack') - least(b, 'hack') || newest(a, b),
  solve: (a, b) => most(b, 'solve') - most(a, 'solve') || newest(a, b),
  steps: (a, b) => stepsOf(b) - stepsOf(a) || newest(a, b),
};
