// Whether a run here equals a link's: bit for bit, by digest; else how much it differs, and the likely cause.

import type { RunRecord } from '../experiments/records/events.ts';
import { metricValue } from '../experiments/records/metrics.ts';
import { isGpuName, numericsOf } from '../experiments/records/numerics.ts';
import { QUANTUM } from './pack.ts';
import { digestOf, linkLayout, quantised, type SharedRun, seriesValue, withControls } from './shared-run.ts';
import type { Share } from './url.ts';

interface Difference {
  /** |here − there| of a rate, a reward or an overlap. */
  size: number;
  /** For example `solve` or `cinStudent`; for a model's evaluation `deployed hack, final evaluation`. */
  what: string;
  arm: string;
  seed: number;
  step: number;
}

export type Reproduction =
  | { identical: true; runs: number }
  | {
      identical: false;
      /** Number of runs whose digests differ. */
      differing: number;
      runs: number;
      /** Null if the link carries no points, or if none of them differs. */
      largest: Difference | null;
      reasons: string[];
    };

/** `runs` are those of the same experiment here. Null while a run of the link has no finished counterpart. */
export async function reproductionOf(share: Share, runs: readonly RunRecord[]): Promise<Reproduction | null> {
  const pairs = share.runs.map((shared) => ({
    shared,
    here: runs.find(({ spec, status }) => status === 'done' && spec.arm === shared.arm && spec.seed === shared.seed),
  }));
  if (pairs.length === 0 || pairs.some(({ here }) => !here)) return null;
  let differing = 0;
  let largest: Difference | null = null;
  for (const { shared, here } of pairs) {
    const logged = shared.shadows ? withControls(here!, shared.shadows) : here!;
    if ((await digestOf(logged)) === shared.digest) continue;
    differing++;
    for (const found of differences(shared, here!)) if (!largest || found.size > largest.size) largest = found;
  }
  if (differing === 0) return { identical: true, runs: pairs.length };
  return { identical: false, differing, runs: pairs.length, largest, reasons: reasonsFor(share, pairs[0].here!) };
}

function differences(shared: SharedRun, run: RunRecord): Difference[] {
  const { arm, seed } = shared;
  const found: Difference[] = [];
  const compare = (what: string, step: number, there: number | null, here: number | null | undefined) => {
    // A metric that only one side has counts as the largest difference of a share.
    const size = there === null && (here === null || here === undefined) ? 0 : gap(there, here);
    if (size > QUANTUM / 2) found.push({ size, what, arm, seed, step });
  };
  const { headlines, series } = linkLayout(run.spec.environment);
  const rows = new Map(run.rows.map((row) => [row.step, row]));
  shared.steps.forEach((step, i) => {
    const row = rows.get(step);
    for (const name of series) compare(name, step, shared.series[name][i], row && seriesValue(row, name));
  });
  for (const { step, kind, model, figures } of shared.evals) {
    const row = run.evals.find((other) => other.step === step && other.kind === kind && other.model === model);
    const where = kind === 'final' ? 'final evaluation' : 'evaluation on the way';
    for (const id of headlines)
      compare(`${model} ${id}, ${where}`, step, figures[id], row && quantised(metricValue(row.all, id)));
  }
  return found;
}

function gap(there: number | null, here: number | null | undefined): number {
  return there === null || here === null || here === undefined ? 1 : Math.abs(here - there);
}

function reasonsFor(share: Share, here: RunRecord): string[] {
  const reasons: string[] = [];
  const { device, appVersion, modelSha256, graderVersion } = share;
  if (modelSha256 !== null && modelSha256 !== here.modelSha256)
    reasons.push(`another model (${modelSha256.slice(0, 8)} there, ${here.modelSha256.slice(0, 8)} here)`);
  if (device !== null && device !== here.device) {
    const kinds = numericsOf(device) !== numericsOf(here.device);
    const what = kinds ? 'kind of device' : isGpuName(device) ? 'GPU or driver' : 'device';
    reasons.push(`another ${what} (${device} there, ${here.device} here)`);
  }
  if (appVersion !== null && appVersion !== here.appVersion)
    reasons.push(`another version of the lab (${appVersion} there, ${here.appVersion} here)`);
  if (graderVersion !== null && graderVersion !== here.graderVersion)
    reasons.push(`another grader (${graderVersion} there, ${here.graderVersion} here)`);
  return reasons;
}
