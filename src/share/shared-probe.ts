// A probe's results in a link: every check's outcome, the trajectories, every sample's cosine in thousandths, and a digest of all numbers,
// by which a probe on this machine is compared bit for bit. Results are after #, so they are never sent to a server; the request itself
// (src/store/kinds/probe/link.ts) is in the query.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import * as z from 'zod/mini';
import { KINDS } from '../experiments/kinds/kinds.ts';
import { CHECK_WORDS } from '../experiments/kinds/probe/rules.ts';
import { CHECKS, type CheckResult, type ProbeReport, type SampleRow } from '../experiments/kinds/probe/types.ts';
import { digest } from '../experiments/records/kind.ts';
import { fromUnits, packJson, toUnits, units, unpackJson } from './pack.ts';
import { isProbeHash, PROBE_MARK } from './view-hash.ts';

/** Longest part after # that is written, and longest encoded text that is read, in characters. */
const MAX_HASH = 8192;
const MAX_ENCODED = 16_384;

const OUTCOMES = ['pass', 'fail', 'undecided', 'not run'] as const;
const BUCKETS = ['pure', 'solves', 'none'] as const;

interface SharedSample {
  bucket: (typeof BUCKETS)[number];
  tokens: number;
  cos: number | null;
}

export interface SharedProbe {
  source: string;
  adapter: 'svd' | 'lora';
  device: string;
  appVersion: string;
  problems: number;
  samples: number;
  modulesWithBasis: number;
  digest: string;
  verdicts: CheckResult[];
  /** Mean cos_S_contrib by step; empty if the link had no room. */
  cos: { vanilla: (number | null)[]; projected: (number | null)[] };
  /** Samples of the vanilla replay. */
  rows: SharedSample[];
  /** The student's hack rate by step in the trainings of check T5, vanilla and projected; null if there were none. */
  hack: { vanilla: (number | null)[]; projected: (number | null)[] } | null;
}

/** Most steps, or samples. */
const MOST = 2000;
const column = z.array(units).check(z.maxLength(MOST));
const count = z.int().check(z.minimum(0), z.maximum(1e6));
const words = (most: number) => z.string().check(z.maxLength(most), z.regex(/^[^\p{Cc}]*$/u));
const packed = z.strictObject({
  s: words(200),
  a: z.enum(['svd', 'lora']),
  n: words(200),
  v: words(40),
  p: count,
  c: count,
  m: count,
  h: z.string().check(z.regex(/^[\w-]{22}$/)),
  /** Outcome, value and note of each check. */
  o: z
    .array(z.tuple([z.int().check(z.minimum(0), z.maximum(OUTCOMES.length - 1)), words(1000), words(1000)]))
    .check(z.length(CHECKS.length)),
  x: z.optional(z.tuple([column, column])),
  /** Bucket, tokens and cosine, one list each over all samples. */
  r: z.optional(z.tuple([z.string().check(z.regex(/^[0-2]{0,2000}$/)), column, column])),
  t: z.optional(z.tuple([column, column])),
});

/** Equal digests mean equal probes. */
export const probeDigest = (report: ProbeReport): Promise<string> => digest(KINDS.probe.digested(report));

/**
 * The part of an address after #, and how much of the probe it carries: all; `steps` without the samples; only `verdicts`.
 * @param rows samples of the vanilla replay
 */
export async function encodeProbe(
  report: ProbeReport,
  rows: readonly SampleRow[],
  made: { device: string; appVersion: string },
): Promise<{ hash: string; carries: 'all' | 'steps' | 'verdicts' } | null> {
  const trained = report.trajectories?.svd ?? null;
  const base = {
    s: report.pool.source.slice(0, 200),
    a: report.adapter,
    n: made.device,
    v: made.appVersion,
    p: report.pool.problems,
    c: report.pool.samples,
    m: report.modulesWithBasis,
    h: await probeDigest(report),
    o: report.verdicts.map(({ outcome, value, note }) => [OUTCOMES.indexOf(outcome), value, note]),
  };
  const steps = {
    x: [report.vanilla.map(({ cos }) => toUnits(cos)), report.projected.map(({ cos }) => toUnits(cos))],
    ...(trained ? { t: [trained.vanilla.map(toUnits), trained.projected.map(toUnits)] } : {}),
  };
  const bucket = ({ structural, gt_pass }: SampleRow) => (!structural || gt_pass === null ? 2 : gt_pass ? 1 : 0);
  const samples = {
    r: [rows.map(bucket).join(''), rows.map((row) => row.n_tokens), rows.map((row) => toUnits(row.cos_S_contrib))],
  };
  for (const [carries, content] of [
    ['all', { ...base, ...steps, ...samples }],
    ['steps', { ...base, ...steps }],
    ['verdicts', base],
  ] as const) {
    const hash = PROBE_MARK + (await packJson(content));
    if (hash.length <= MAX_HASH && (carries !== 'all' || rows.length <= MOST)) return { hash, carries };
  }
  return null;
}

/** Null for another hash. Throws FormatError for damaged results. */
export async function decodeProbe(hash: string): Promise<SharedProbe | null> {
  if (!isProbeHash(hash)) return null;
  const text = hash.replace(/^#/, '').slice(PROBE_MARK.length);
  const bad = (cause?: unknown) =>
    new FormatError('The probe’s results in the address are damaged.', 'Copy the link again.', { cause });
  if (text.length > MAX_ENCODED) throw bad();
  const parsed = packed.safeParse(
    await unpackJson(text).catch((cause) => {
      throw bad(cause);
    }),
  );
  if (!parsed.success) throw bad(parsed.error);
  const { s, a, n, v, p, c, m, h, o, x = [[], []], r = ['', [], []], t } = parsed.data;
  const [buckets, tokens, cosines] = r;
  if (tokens.length !== buckets.length || cosines.length !== buckets.length || tokens.includes(null)) throw bad();
  const lines = ([vanilla, projected]: [(number | null)[], (number | null)[]]) => ({
    vanilla: vanilla.map(fromUnits),
    projected: projected.map(fromUnits),
  });
  return {
    source: s,
    adapter: a,
    device: n,
    appVersion: v,
    problems: p,
    samples: c,
    modulesWithBasis: m,
    digest: h,
    verdicts: o.map(([outcome, value, note], i) => ({
      id: CHECKS[i],
      ...CHECK_WORDS[CHECKS[i]],
      outcome: OUTCOMES[outcome],
      value,
      note,
      figures: {},
    })),
    cos: lines(x),
    rows: [...buckets].map((bucket, i) => ({
      bucket: BUCKETS[Number(bucket)],
      tokens: tokens[i] ?? 0,
      cos: fromUnits(cosines[i]),
    })),
    hack: t ? lines(t) : null,
  };
}
