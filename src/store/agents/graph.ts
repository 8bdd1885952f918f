// The graph of a scenario's events at a given entry of a run, for display: which events have fired, which wait, and which will never fire
// and why.
import type { Entry, GraphNode, PlayedRun } from '../../lab/protocol/agents.ts';

/** Outcome of an event in a played run: its place, or why it did not fire. */
interface EventOutcome {
  readonly place: number | null;
  readonly why: string | null;
  /** The verifier stopped earlier, so the event's outcome is unknown. */
  readonly isOpen: boolean;
}

export function eventOutcomes({ unfired, rows }: PlayedRun, entries: readonly Entry[]): Map<string, EventOutcome> {
  const fates = new Map<string, EventOutcome>();
  for (const [place, entry] of entries.entries()) {
    if (entry.kind === 'call' && entry.id !== null && entry.actor !== 'agent')
      fates.set(entry.id, { place, why: null, isOpen: false });
  }
  for (const { id, why } of unfired) fates.set(id, { place: null, why, isOpen: false });
  for (const { oracleId, isAgent, status, place } of rows) {
    if (!isAgent) continue;
    const why = place === null && status === 'no call matches' ? 'No call of the agent matches this one.' : null;
    fates.set(oracleId, { place, why, isOpen: status === 'not looked at' });
  }
  return fates;
}

type NodeStatus = 'fired' | 'partly fired' | 'waiting' | 'never';

export interface NodeState {
  readonly status: NodeStatus;
  readonly fired: number;
  /** The place of its last event that has happened, or else of the first one that will. */
  readonly place: number | null;
  readonly why: string | null;
  readonly isOpen: boolean;
}

const UNPLAYED: NodeState = { status: 'waiting', fired: 0, place: null, why: null, isOpen: false };

/** @param place index of the selected entry */
export function stateOf(
  { events }: GraphNode,
  fates: ReadonlyMap<string, EventOutcome> | null,
  place: number,
): NodeState {
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

/** A node's state in words. Only the agent's nodes can be done or unmatched. */
export function statusWords({ actor, events }: GraphNode, { status, fired, isOpen }: NodeState): string {
  if (isOpen) return 'not looked at';
  if (status === 'partly fired') return `${fired} of ${events.length} fired`;
  if (actor !== 'agent') return status === 'never' ? 'never fires' : status;
  return status === 'fired' ? 'done' : status === 'never' ? 'not matched' : 'not yet';
}
