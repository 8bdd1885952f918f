// The table of kinds of this layer, second half: what one looks like in the list of kept things. Null for what is not kept by itself.
import type { ComponentType } from 'react';
import type { KindId } from '../../experiments/records/kind.ts';
import type { KeptKind, SummaryOf } from '../../lab/protocol/kept.ts';
import { ProbeRow } from './probe/ProbeRow.tsx';
import { RunRow } from './run/RunRow.tsx';

type Row<K extends KeptKind> = ComponentType<{ entry: SummaryOf<K> }>;

export const KIND_ROWS = { run: RunRow, study: null, probe: ProbeRow } as const satisfies {
  [K in KindId]: K extends KeptKind ? Row<K> : null;
};
const KEPT_ROWS: { readonly [K in KeptKind]: Row<K> } = KIND_ROWS;

export function KeptItem<K extends KeptKind>({ kind, entry }: { kind: K; entry: SummaryOf<K> }) {
  const Own: Row<K> = KEPT_ROWS[kind];
  return <Own entry={entry} />;
}
