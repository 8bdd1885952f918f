// The graph of a scenario's events for a person: who does what, after what, and at a moment of a run what has fired, what waits, and what
// never will, and why. Events that nothing follows, and that do the same after the same, are one node, or a thousand mails would be drawn.
import type { TraceEvent } from '@projected-grpo-lab/are/scenario/schema.ts';
import type { Lane } from './entries.ts';
import type { PlayedRun } from './play.ts';
import { matchRows, unfired } from './verdict.ts';

export interface GraphNode {
  /** Of the first of its events. */
  readonly id: string;
  readonly lane: Lane | 'condition';
  /** `App.tool` */
  readonly call: string;
  readonly turn: number;
  readonly events: readonly string[];
  /** Ids of nodes. */
  readonly after: readonly string[];
}

const LANE_OF: Readonly<Record<string, GraphNode['lane']>> = { USER: 'user', AGENT: 'agent', ENV: 'environment' };
/** So many alike are drawn as one. */
const ALIKE = 4;

export function graphOf(events: readonly TraceEvent[], turnOf: ReadonlyMap<string, number>): GraphNode[] {
  const followed = new Set(events.flatMap(({ dependencies }) => dependencies));
  const callOf = ({ action }: TraceEvent) => [action?.app, action?.function].filter(Boolean).join('.');
  const keyOf = (event: TraceEvent) =>
    JSON.stringify([event.event_type, callOf(event), [...event.dependencies].sort()]);
  const alike = new Map<string, string[]>();
  for (const event of events) {
    if (followed.has(event.event_id)) continue;
    const known = alike.get(keyOf(event));
    if (known) known.push(event.event_id);
    else alike.set(keyOf(event), [event.event_id]);
  }
  const groups = new Map(
    [...alike.values()].filter(({ length }) => length >= ALIKE).map((ids) => [ids[0] as string, ids]),
  );
  const inGroup = new Set([...groups.values()].flatMap((ids) => ids.slice(1)));
  return events
    .filter(({ event_id }) => !inGroup.has(event_id))
    .map((event) => ({
      id: event.event_id,
      lane: LANE_OF[event.event_type] ?? 'condition',
      call: callOf(event),
      turn: turnOf.get(event.event_id) ?? 0,
      events: groups.get(event.event_id) ?? [event.event_id],
      after: [...new Set(event.dependencies)],
    }));
}

/** Of an event in a run that was played: where it happened; or that it did not, and why. */
export interface Fate {
  readonly place: number | null;
  readonly why: string | null;
  /** The verifier got so far and no further, so that nothing is known of it. */
  readonly isOpen: boolean;
}

export function fatesOf(played: PlayedRun): Map<string, Fate> {
  const { scenario, entries } = played;
  const fates = new Map<string, Fate>();
  for (const [place, entry] of entries.entries()) {
    if (entry.kind === 'call' && entry.id !== null && entry.lane !== 'agent')
      fates.set(entry.id, { place, why: null, isOpen: false });
  }
  for (const { id, why } of unfired(scenario.events, entries)) fates.set(id, { place: null, why, isOpen: false });
  for (const { oracleId, type, status, place } of matchRows(played)) {
    if (type !== 'AGENT') continue;
    const why = place === null && status === 'no call matches' ? 'No call of the agent is this one.' : null;
    fates.set(oracleId, { place, why, isOpen: status === 'not looked at' });
  }
  return fates;
}

export type NodeStatus = 'fired' | 'partly fired' | 'waiting' | 'never';

export interface NodeState {
  readonly status: NodeStatus;
  readonly fired: number;
  /** The last of its events that has happened, or the first that will. */
  readonly place: number | null;
  readonly why: string | null;
  readonly isOpen: boolean;
}

const UNPLAYED: NodeState = { status: 'waiting', fired: 0, place: null, why: null, isOpen: false };

/** @param place of the entry that is looked at */
export function stateOf({ events }: GraphNode, fates: ReadonlyMap<string, Fate> | null, place: number): NodeState {
  if (fates === null) return UNPLAYED;
  const own = events.flatMap((id) => fates.get(id) ?? []);
  const places = own.flatMap((fate) => fate.place ?? []).sort((a, b) => a - b);
  const happened = places.filter((at) => at <= place);
  const at = happened.at(-1) ?? places[0] ?? null;
  const why = own.find((fate) => fate.why !== null)?.why ?? null;
  const isOpen = own.some((fate) => fate.isOpen);
  const rest = { fired: happened.length, place: at, why, isOpen };
  if (happened.length === events.length) return { status: 'fired', ...rest };
  if (happened.length > 0) return { status: 'partly fired', ...rest };
  return { status: places.length === 0 && why !== null ? 'never' : 'waiting', ...rest };
}

/** What a node's state is called, of what the oracle alone does too. */
export function statusWords({ lane, events }: GraphNode, { status, fired, isOpen }: NodeState): string {
  if (isOpen) return 'not looked at';
  if (status === 'partly fired') return `${fired} of ${events.length} fired`;
  if (lane !== 'agent') return status === 'never' ? 'never fires' : status;
  return status === 'fired' ? 'done' : status === 'never' ? 'not matched' : 'not yet';
}
