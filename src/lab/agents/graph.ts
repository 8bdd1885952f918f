// The graph of a scenario's events: who does what, after what. Events that nothing follows, and that do the same after the same, are one
// node, or a thousand mails would be drawn.
import type { TraceEvent } from '@projected-grpo-lab/are/scenario/schema.ts';
import type { GraphNode } from '../protocol/agents.ts';

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
