// A run as a published sheet names it: the link that opens it, and what made it.
import * as z from 'zod/mini';
import type { RunRecord } from '../records/events.ts';
import type { LabRun } from './types.ts';

const words = z.string().check(z.maxLength(2000));
/** The part behind the address's #; what it may be made of, so that none leads elsewhere. */
const hash = z.string().check(z.regex(/^[12]\.[\w-]{1,16384}$/));

export const openingSchema = z.object({ group: words, name: words, hash });
export type Opening = z.infer<typeof openingSchema>;

export async function openingsOf(runs: readonly LabRun[], open: (run: LabRun) => Promise<string>): Promise<Opening[]> {
  const openings: Opening[] = [];
  for (const run of runs) openings.push({ group: run.group, name: run.name, hash: await open(run) });
  return openings;
}

const makerOf = ({ device, appVersion, modelSha256, spec }: RunRecord): string =>
  `${device}; lab ${appVersion}; ${spec.model} ${modelSha256.slice(0, 8)}`;

/** Each once. */
export const makersOf = (runs: readonly RunRecord[]): string[] => [...new Set(runs.map(makerOf))];
