// The table of kinds of this layer, second half: what one looks like in the list of kept things.
import type { ComponentType } from 'react';
import type { KeptKind, SummaryOf } from '../../../lab/protocol/kept.ts';
import { ProbeRow } from './ProbeRow.tsx';
import { RunRow } from './RunRow.tsx';

type Row<K extends KeptKind> = ComponentType<{ entry: SummaryOf<K> }>;

const ROWS: { readonly [K in KeptKind]: Row<K> } = { run: RunRow, probe: ProbeRow };

export function KeptItem<K extends KeptKind>({ kind, entry }: { kind: K; entry: SummaryOf<K> }) {
  const Own: Row<K> = ROWS[kind];
  return <Own entry={entry} />;
}
