// The code that made a sweep's runs. A folder records which code began it (code.json); another one computes other runs under the same keys,
// and is refused, or allowed and then named wherever the runs are. The queue compares the same hash, job by job.
import { join } from 'node:path';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import { thisProcess } from '@projected-grpo-lab/base/files/lock.node.ts';
import * as z from 'zod/mini';
import type { FinishedRun } from '../../experiments/runs/finished.ts';
import { SweepError } from '../../experiments/sweep/spec.ts';
import { codeCommit } from '../code-commit.ts';
import { codeHash } from '../code-hash.ts';
import { readOwn } from './own-file.ts';

const codesSchema = z.object({
  schema: z.literal(1),
  codes: z
    .array(
      z.object({
        /** Null for a lab that did not record its code. */
        code: z.nullable(z.string().check(z.regex(/^[0-9a-f]{16}$/))),
        /** The commit that has this code; null if it is unknown. */
        commit: z.nullable(z.string().check(z.regex(/^[0-9a-f]{40}(-dirty)?$/))),
      }),
    )
    .check(z.minLength(1), z.maxLength(1000)),
});
type Codes = z.infer<typeof codesSchema>['codes'];

export const CODE_FILE = 'code.json';

/** The code that began the sweep, and codes allowed since; none in a folder of a lab that did not record it. Throws SweepError. */
export async function codesOf(folder: string): Promise<Codes> {
  const begun = await readOwn(join(folder, CODE_FILE), codesSchema, 'then the code of its runs counts as unknown.');
  return begun?.codes ?? [];
}

const ofCode = ({ code, commit }: Codes[number]): string =>
  code === null
    ? 'unknown code'
    : `code ${code}${commit === null ? '' : ` (commit ${commit.slice(0, 12)}${commit.endsWith('-dirty') ? ' with changes' : ''})`}`;

export const thisWorker = (): string => {
  const { pid, host } = thisProcess();
  return `${host}:${pid}`;
};

interface Admission {
  root: string;
  /** Whether there may be runs of a lab that did not record its code. */
  hasBegun: boolean;
  /** Value of `--other-code`. */
  isOtherAllowed: boolean;
  note(line: string): void;
}

/** Must be called before anything is trained in a folder. Throws SweepError where another code began it, and that is not allowed. */
export async function admitCode(folder: string, { root, hasBegun, isOtherAllowed, note }: Admission): Promise<void> {
  const code = codeHash();
  const codes = await codesOf(folder);
  if (code === null || codes.some((known) => known.code === code)) return;
  const own = { code, commit: await codeCommit(root) };
  if (codes.length > 0 && !isOtherAllowed)
    throw new SweepError(
      `${thisWorker()} has ${ofCode(own)}, and ${folder} was begun with ${codes.map(ofCode).join(' and ')}: the same keys may come to other runs. Nothing was changed.`,
      'Go on with the code that it was begun with, or begin another folder. `sweep run SPEC --out DIR --other-code` mixes them, and status, report and tables then say whose each run is.',
    );
  if (codes.length > 0) note(`${ofCode(own)} is allowed beside ${codes.map(ofCode).join(' and ')}.`);
  else if (hasBegun) note(`${folder} does not say which code made its runs; from here on it is ${ofCode(own)}.`);
  const before: Codes = codes.length === 0 && hasBegun ? [{ code: null, commit: null }] : codes;
  await writeWhole(join(folder, CODE_FILE), `${JSON.stringify({ schema: 1, codes: [...before, own] })}\n`);
}

/** Number of runs by code; empty where all have the same. */
export function mixedCodes(runs: Iterable<Pick<FinishedRun, 'code'>>): { code: string | null; runs: number }[] {
  const counts = new Map<string | null, number>();
  for (const { code = null } of runs) counts.set(code, (counts.get(code) ?? 0) + 1);
  return counts.size > 1 ? [...counts].map(([code, count]) => ({ code, runs: count })) : [];
}

/** A note on mixed code; none where all runs have the same. */
export function codeNotes(mixed: ReturnType<typeof mixedCodes>, codes: Codes): string[] {
  if (mixed.length === 0) return [];
  const shares = mixed.map(
    ({ code, runs }) => `${runs} of ${ofCode(codes.find((known) => known.code === code) ?? { code, commit: null })}`,
  );
  return [
    `Runs were made by different code (${shares.join(', ')}), which may compute other numbers under the same key.`,
  ];
}
