// A finished probe as one zip: report.json, and a step_NNN.jsonl.gz for each step of both replays; the folder that the command
// line keeps with --out is the same, so that it can be packed (zip -rD) and dropped here. What comes back is checked field by field.
import { gunzipSync, gzipSync, strFromU8, strToU8, zipSync } from 'fflate';
import * as z from 'zod/mini';
import { rowsFromJsonl, rowsToJsonl } from '../experiments/probe/store.ts';
import { CHECKS, type ProbeReport, type SampleRow, type Variant } from '../experiments/probe/types.ts';
import { FormatError, SpecError } from '../lib/errors.ts';
import { sha256 } from '../storage/sources.ts';
import { type Unkept, VARIANTS } from './probe-store.ts';
import type { LoadedProbe } from './protocol-probe.ts';

const REPORT = 'report.json';
const ROWS = /^(vanilla|projected)\/step_\d{3,7}\.jsonl\.gz$/;
/** Of one step, unpacked. */
const MAX_STEP_BYTES = 32 * 2 ** 20;
const REMEDY = 'Export the probe again.';

const stepFile = (replay: Variant, step: number) => `${replay}/step_${String(step).padStart(3, '0')}.jsonl.gz`;

/** Throws SpecError for a probe that is not finished. Equal probes give equal bytes. */
export function writeProbe({ record, rows }: LoadedProbe): Blob {
  if (!record.report) throw new SpecError('The probe is not finished.', 'Let it go on first.');
  const options = { level: 9, mtime: 0 } as const;
  const files: Record<string, Uint8Array> = { [REPORT]: strToU8(`${JSON.stringify(record.report, null, 1)}\n`) };
  for (const replay of VARIANTS)
    for (const { step } of record.report[replay])
      files[stepFile(replay, step)] = gzipSync(
        strToU8(rowsToJsonl(rows[replay].filter((row) => row.step === step))),
        options,
      );
  const zip = zipSync(files, { level: 6, mtime: '1980-01-02T00:00:00' });
  return new Blob([zip as Uint8Array<ArrayBuffer>], { type: 'application/zip' });
}

export const isProbe = (files: ReadonlyMap<string, Uint8Array>): boolean =>
  files.has(REPORT) && [...files.keys()].some((name) => ROWS.test(name));

/** Other files of the folder (optimizer states, pool, trainings) are passed over. Throws FormatError, naming the file. */
export async function readProbe(
  files: ReadonlyMap<string, Uint8Array<ArrayBuffer>>,
  label: string,
): Promise<{ record: Unkept; rows: LoadedProbe['rows'] }> {
  const bytes = files.get(REPORT)!;
  const report = checked(Report, `${label}: ${REPORT}`, () => JSON.parse(strFromU8(bytes))) as ProbeReport;
  const rows: LoadedProbe['rows'] = { vanilla: [], projected: [] };
  for (const replay of VARIANTS) {
    for (const { step, samples } of report[replay]) {
      const name = stepFile(replay, step);
      const packed = files.get(name);
      if (!packed) throw new FormatError(`${label}: ${name} is missing.`, REMEDY);
      const own = checked(Rows, `${label}: ${name}`, () => rowsFromJsonl(strFromU8(unpack(packed)))) as SampleRow[];
      if (own.length !== samples || own.some((row) => row.step !== step))
        throw new FormatError(`${label}: ${name} does not hold the ${samples} rows of step ${step}.`, REMEDY);
      for (const row of own) rows[replay].push(row);
    }
  }
  const done = report.vanilla.length + report.projected.length;
  const id = `file-${(await sha256(bytes)).slice(0, 32)}`;
  const record = { schema: 1, id, ask: null, file: label, device: '', done, total: done, report } as const;
  return { record, rows };
}

function unpack(packed: Uint8Array): Uint8Array {
  // The last four bytes of a gzip file say how much it holds; it is not unpacked into more.
  const says = new DataView(packed.buffer, packed.byteOffset, packed.byteLength).getUint32(packed.byteLength - 4, true);
  if (says > MAX_STEP_BYTES) throw new Error(`${says} bytes are more than ${MAX_STEP_BYTES}`);
  return gunzipSync(packed, { out: new Uint8Array(says) });
}

function checked(schema: z.ZodMiniType, what: string, read: () => unknown): unknown {
  let value: unknown;
  try {
    value = read();
  } catch (cause) {
    throw new FormatError(`${what} cannot be read (${cause instanceof Error ? cause.message : cause}).`, REMEDY, {
      cause,
    });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new FormatError(
    `${what}: ${path.map(String).join('.') || 'the file'} is not as it should be (${message}).`,
    REMEDY,
  );
}

const count = z.int().check(z.nonnegative());
const words = z.string().check(z.maxLength(4000));
const known = z.nullable(z.number());

const Row = z.object({
  step: z.int().check(z.positive()),
  sample: count,
  problem: z.string(),
  completion: z.string(),
  exploited: z.boolean(),
  gt_pass: z.boolean(),
  structural: z.boolean(),
  n_tokens: count,
  nll: z.number(),
  cos_S_contrib: known,
  cos_normalised: known,
  cos_grpo: known,
  cos_random: z.array(known),
  modules: z.optional(z.record(z.string().check(z.maxLength(200)), known)),
});
const Rows = z.array(Row).check(z.maxLength(4096));

const Step = z.object({
  step: z.int().check(z.positive()),
  problem: z.string(),
  samples: count,
  tokens: count,
  lr: z.number(),
  nll: z.number(),
  cos: known,
  cosIn: known,
  cosOut: known,
  cosOutUpdate: known,
  fired: known,
  gradNorm: z.number(),
});
const Contrast = z.object({
  nPure: count,
  nBoth: count,
  mixedProblems: count,
  meanPure: known,
  meanBoth: known,
  t: known,
  p: known,
  permutationP: known,
  exact: z.boolean(),
});
const Discrimination = z.object({
  plain: Contrast,
  lengthMatched: Contrast,
  random: z.object({ t: z.array(known), passing: count, permutationPassing: count, p: known }),
});
const Report = z.object({
  schema: z.literal(1),
  key: words,
  adapter: z.enum(['svd', 'lora']),
  pool: z.object({ source: words, problems: count, samples: count }),
  modulesWithBasis: count,
  bound: z.number(),
  vanilla: z.array(Step).check(z.minLength(1), z.maxLength(10_000)),
  projected: z.array(Step).check(z.minLength(1), z.maxLength(10_000)),
  discrimination: Discrimination,
  grpoDiscrimination: Discrimination,
  contrastive: z.object({
    pairs: count,
    equalLength: z.object({ tokens: count, meanAngle: known, maxAngle: known }),
    asTheyAre: z.object({
      differing: count,
      meanAngle: known,
      modules: z.array(z.object({ name: words, angles: z.array(z.number()) })),
    }),
  }),
  verdicts: z
    .array(
      z.object({
        id: z.enum(CHECKS),
        what: words,
        value: words,
        threshold: words,
        outcome: z.enum(['pass', 'fail', 'undecided', 'not run']),
        excludes: words,
        note: words,
        figures: z.record(z.string(), known),
      }),
    )
    .check(z.minLength(CHECKS.length), z.maxLength(CHECKS.length)),
});
