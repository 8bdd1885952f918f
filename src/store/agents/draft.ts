// A scenario while a user edits it: its pieces as JSON (the definition, an app with its state, an event), which are joined to the whole
// again. The worker checks the whole in the same way as a file (lab/agents/scenario.ts).
import type { Trace, TraceEvent } from '@projected-grpo-lab/are/scenario/schema.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';

export type Piece =
  | { readonly kind: 'definition' }
  | { readonly kind: 'apps'; readonly at: number }
  | { readonly kind: 'events'; readonly at: number };

export const keyOf = (piece: Piece): string => (piece.kind === 'definition' ? piece.kind : `${piece.kind} ${piece.at}`);

export function piecesOf({ apps, events }: Trace): { piece: Piece; name: string }[] {
  return [
    { piece: { kind: 'definition' }, name: 'Definition: id, seed, start, duration' },
    ...apps.map(({ name }, at) => ({ piece: { kind: 'apps', at } as const, name: `App ${name}` })),
    ...events.map(({ event_id, action }, at) => ({
      piece: { kind: 'events', at } as const,
      name: `Event ${event_id}: ${[action?.app, action?.function].filter(Boolean).join('.')}`,
    })),
  ];
}

export function pieceText(trace: Trace, piece: Piece): string {
  const value = piece.kind === 'definition' ? trace.metadata.definition : trace[piece.kind][piece.at];
  return JSON.stringify(value ?? null, null, 2);
}

/** The scenario with the new text for one piece, unchecked. Throws SpecError if the text is not JSON. */
export function withPiece(trace: Trace, piece: Piece, text: string): Trace {
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (error) {
    throw new SpecError(`This is not JSON: ${(error as Error).message}`, 'Check quotes and commas.');
  }
  if (piece.kind === 'definition')
    return { ...trace, metadata: { ...trace.metadata, definition: value as Trace['metadata']['definition'] } };
  return { ...trace, [piece.kind]: (trace[piece.kind] as readonly unknown[]).with(piece.at, value) };
}

/** Adds, after the last event, a message from the oracle to the user as a template to edit. */
export function withNewEvent(trace: Trace): Trace {
  const known = new Set(trace.events.map(({ event_id }) => event_id));
  let number = trace.events.length + 1;
  while (known.has(`event_${number}`)) number++;
  const last = trace.events.at(-1)?.event_id;
  const event: TraceEvent = {
    class_name: 'OracleEvent',
    event_type: 'AGENT',
    event_time: null,
    event_id: `event_${number}`,
    dependencies: last === undefined ? [] : [last],
    event_relative_time: 1,
    action: {
      action_id: '',
      app: 'AgentUserInterface',
      function: 'send_message_to_user',
      operation_type: null,
      args: [{ name: 'content', value: 'Done.', value_type: 'str' }],
    },
  };
  return { ...trace, events: [...trace.events, event] };
}

export function withoutPiece(trace: Trace, piece: Piece): Trace {
  if (piece.kind === 'definition') return trace;
  return { ...trace, [piece.kind]: (trace[piece.kind] as readonly unknown[]).toSpliced(piece.at, 1) };
}
