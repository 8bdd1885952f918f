// Links that open published runs from a sheet, and the devices and versions that computed the runs.

import type { RunRecord } from '../../src/experiments/records/events.ts';
import type { Opening } from '../../src/findings/opening.ts';
import type { LabRun } from './types.ts';

export async function openingsOf(runs: readonly LabRun[], open: (run: LabRun) => Promise<string>): Promise<Opening[]> {
  const openings: Opening[] = [];
  for (const run of runs) openings.push({ group: run.group, name: run.name, hash: await open(run) });
  return openings;
}

const makerOf = ({ device, appVersion, modelSha256, spec }: RunRecord): string =>
  `${device}; lab ${appVersion}; ${spec.model} ${modelSha256.slice(0, 8)}`;

export const makersOf = (runs: readonly RunRecord[]): string[] => [...new Set(runs.map(makerOf))];
