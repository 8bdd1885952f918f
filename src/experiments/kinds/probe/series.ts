// A probe repeated with other seeds: each check's verdicts, and its measures as mean ± sd over the seeds. It is small enough to publish: verdicts
// and trajectories, without samples.

import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { listOf, mapOf } from '@projected-grpo-lab/base/lists.ts';
import * as z from 'zod/mini';
import { mean, sd } from '../../../stats/index.ts';
import { CHECKS, type CheckId, type Outcome, type ProbeReport, type StepSummary, type Trajectory } from './types.ts';

const known = z.nullable(z.number());
const words = z.string().check(z.maxLength(400));
const check = z.object({
  id: z.enum(CHECKS),
  outcome: z.enum(['pass', 'fail', 'undecided', 'not run']),
  figures: mapOf(known),
});
const trajectory = z.object({ vanilla: listOf(known), projected: listOf(known), clipped: listOf(known) });
const part = z.object({
  checks: listOf(check, CHECKS.length).check(z.length(CHECKS.length)),
  /** Mean cos_S_contrib by step. */
  cos: z.object({ vanilla: listOf(known), projected: listOf(known) }),
  trajectory: z.nullable(trajectory),
});
const schema = z.object({
  schema: z.literal(1),
  /** Name of the teacher, for readers. */
  source: words,
  /** The command that produced it. */
  command: words,
  app: words,
  device: words,
  modelSha256: words,
  problems: z.int(),
  samples: z.int(),
  seeds: listOf(z.object({ seed: z.int(), svd: part, lora: z.nullable(part) }), 64).check(z.minLength(1)),
});
export type ProbeSeries = z.infer<typeof schema>;
export type SeriesPart = z.infer<typeof part>;

/** Four significant digits, since published values are for reading. */
const fourDigits = (x: number | null): number | null => (x === null ? null : Number(x.toPrecision(4)));

function seriesPart(report: ProbeReport, trained: Trajectory | null): SeriesPart {
  const cos = (steps: readonly StepSummary[]) => steps.map((step) => fourDigits(step.cos));
  return {
    checks: report.verdicts.map(({ id, outcome, figures }) => ({
      id,
      outcome,
      figures: Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, fourDigits(value)])),
    })),
    cos: { vanilla: cos(report.vanilla), projected: cos(report.projected) },
    trajectory: trained && {
      vanilla: trained.vanilla.map(fourDigits),
      projected: trained.projected.map(fourDigits),
      clipped: trained.clipped.map(fourDigits),
    },
  };
}

/** `reports` by seed. */
export function seriesOf(
  about: Pick<ProbeSeries, 'command' | 'app' | 'device' | 'modelSha256'>,
  reports: readonly (readonly [seed: number, report: ProbeReport])[],
): ProbeSeries {
  const [[, { pool }]] = reports;
  return {
    schema: 1,
    ...about,
    source: pool.source,
    problems: pool.problems,
    samples: pool.samples,
    seeds: reports.map(([seed, report]) => ({
      seed,
      svd: seriesPart(report, report.trajectories?.svd ?? null),
      lora: report.lora ? seriesPart(report.lora, report.trajectories?.lora ?? null) : null,
    })),
  };
}

/** Name of the file in a folder of published probes that lists its files for the page. */
export const PROBE_INDEX = 'index.json';
const index = z.object({
  schema: z.literal(1),
  files: listOf(z.string().check(z.regex(/^[a-z0-9-]{1,80}\.json$/)), 100),
});

/** File names, in their order. Throws FormatError. */
export function readProbeIndex(text: string, label: string): string[] {
  return readAs(index, text, label, 'Reload the page.').files;
}

/** Throws FormatError. */
export function readSeries(text: string, label: string): ProbeSeries {
  return readAs(schema, text, label, 'Measure it again with `probe --seeds … --keep`.');
}

function readAs<T>(as: z.ZodMiniType<T>, text: string, label: string, remedy: string): T {
  let value: unknown;
  try {
    value = parseJsonText(text);
  } catch (cause) {
    throw new FormatError(`${label} is not JSON.`, remedy, { cause });
  }
  const parsed = as.safeParse(value);
  if (parsed.success) return parsed.data;
  const [{ path, message }] = parsed.error.issues;
  throw new FormatError(`${label}: ${path.map(String).join('.')} is invalid (${message}).`, remedy);
}

export interface Spread {
  n: number;
  mean: number;
  /** Null at n = 1. */
  sd: number | null;
}

export interface CheckSummary {
  id: CheckId;
  /** Count of each verdict. */
  outcomes: Partial<Record<Outcome, number>>;
  figures: Record<string, Spread>;
}

/** Summary of one adapter's checks over the seeds. Measures that no seed has are left out. */
export function summarise(parts: readonly SeriesPart[]): CheckSummary[] {
  return CHECKS.map((id) => {
    const own = parts.flatMap(({ checks }) => checks.filter((one) => one.id === id));
    const outcomes: CheckSummary['outcomes'] = {};
    for (const { outcome } of own) outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    const names = [...new Set(own.flatMap(({ figures }) => Object.keys(figures)))];
    const figures = names.flatMap((name): [string, Spread][] => {
      const values = own.flatMap((one) => one.figures[name] ?? []);
      const average = mean(values);
      return average === null ? [] : [[name, { n: values.length, mean: average, sd: sd(values) }]];
    });
    return { id, outcomes, figures: Object.fromEntries(figures) };
  });
}
