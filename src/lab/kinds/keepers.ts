// The table of kinds of this layer: how each is kept.
import type { KeeperPorts, Keepers } from './keeper.ts';
import { createProbeKeeper } from './probe/keeper.ts';
import { createRunKeeper } from './run/keeper.ts';

export function createKeepers(ports: KeeperPorts): Keepers {
  return { run: createRunKeeper(ports), study: null, probe: createProbeKeeper(ports) };
}
