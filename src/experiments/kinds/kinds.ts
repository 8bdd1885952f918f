// The table of kinds of this layer: what each is, apart from how it is kept (lab), shown (store, ui) and asked for (cli).
import type { Kind, KindId } from '../records/kind.ts';
import { probe } from './probe/kind.ts';
import { run } from './run/kind.ts';
import { study } from './study/kind.ts';

export const KINDS = { run, study, probe } as const satisfies Record<KindId, Kind>;
