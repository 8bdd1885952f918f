// One input, read: a result or a named error, in time, and nothing of the program's own objects touched. The time is the process's
// own, not the clock's, so that a machine at work elsewhere finds no faults.
import { isNamed } from '@projected-grpo-lab/base/errors.ts';
import type { Random } from './random.ts';

/** Of one reader. */
export interface Reader {
  readonly name: string;
  /** Where what it reads comes from, in a few words. */
  readonly what: string;
  /** What it is made for: read without a word. */
  readonly good: Uint8Array | Promise<Uint8Array>;
  /** An input made from it; the same random numbers make the same one. */
  make(random: Random): Promise<Uint8Array> | Uint8Array;
  /** Reads it to the end, as the lab does. */
  read(input: Uint8Array): unknown;
}

/** Milliseconds of processor time for a megabyte, and for anything smaller. */
export const TIME_A_MEGABYTE = 250;
/** A slow reading is measured again: the first of a kind is compiled, and memory is given back at moments of its own. */
const TRIES = 3;

export type Verdict = { kind: 'result' | 'refused' | 'fault'; why: string; ms: number };

export async function judge(reader: Reader, input: Uint8Array): Promise<Verdict> {
  const limit = TIME_A_MEGABYTE * Math.max(1, input.length / 1e6);
  let verdict: Verdict = { kind: 'result', why: '', ms: Number.POSITIVE_INFINITY };
  for (let tries = 0; tries < TRIES && verdict.ms > limit; tries++) {
    const before = process.cpuUsage();
    const [kind, why] = await outcome(reader, input);
    const { user, system } = process.cpuUsage(before);
    verdict = { kind, why, ms: Math.min(verdict.ms, (user + system) / 1000) };
  }
  const touched = pollution();
  if (touched) return { ...verdict, kind: 'fault', why: `it set ${touched}` };
  if (verdict.kind === 'fault' || verdict.ms <= limit) return verdict;
  const why = `${input.length} bytes took ${verdict.ms.toFixed(0)} ms of ${limit.toFixed(0)} (${verdict.why || 'and were read'})`;
  return { ...verdict, kind: 'fault', why };
}

async function outcome(reader: Reader, input: Uint8Array): Promise<[Verdict['kind'], string]> {
  try {
    // A reader may keep what it is given.
    await reader.read(input.slice());
    return ['result', ''];
  } catch (error) {
    if (isNamed(error)) return ['refused', `${error.name}: ${error.message}`];
    const stack = error instanceof Error ? (error.stack ?? '').split('\n').slice(1, 5).join('\n') : '';
    return ['fault', `no named error: ${String(error).slice(0, 300)}\n${stack}`];
  }
}

const BASES = { Object, Array, Function, String, Number, Map, 'Object.prototype': Object.prototype } as const;
const prototypes = [Object, Array, Function, String, Number, Map].map((base) => base.prototype as object);
const known = new Map<object, number>(
  [...Object.values(BASES), ...prototypes].map((base) => [base, Reflect.ownKeys(base).length]),
);

/** A property that a shared object has got since the start; it is taken away again. Null if there is none. */
function pollution(): string | null {
  for (const [base, count] of known) {
    const keys = Reflect.ownKeys(base);
    if (keys.length === count) continue;
    const added = keys.at(-1)!;
    Reflect.deleteProperty(base, added);
    return `a property ${String(added)} of ${Object.entries(BASES).find(([, own]) => own === base)?.[0] ?? 'a prototype'}`;
  }
  return null;
}
