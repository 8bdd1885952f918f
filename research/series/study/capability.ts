// Does the deployed model keep what honest problems taught, and how much of the hack is gone? METHOD "What is reported": kept =
// (solve_deployed − base)/(solve_honest-only − base), removed = (hack_vanilla − hack_deployed)/(hack_vanilla − hack_base). A share of
// almost nothing is noise, so there is no share if the final evaluation cannot distinguish its denominator from 0.
import type { ProblemMode } from '../../../src/environments/code/types.ts';
import { type Cell, cellOf, type MetricId } from '../../../src/experiments/analysis/compare.ts';
import { provenanceNotes } from '../../../src/experiments/analysis/differences.ts';
import { problemCount, variance } from '../../../src/experiments/analysis/noise.ts';
import { type ArmSet, usableRuns } from '../../../src/experiments/analysis/statistics.ts';
import { plural, points, seedList } from '../../../src/experiments/analysis/words.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { finalRow, metricValue, ofKind, type Rates } from '../../../src/experiments/records/metrics.ts';
import { mean } from '../../../src/stats/index.ts';

/** Share of each seed, and of all seeds together. */
export interface ShareEstimate {
  perSeed: { seed: number; numerator: number; denominator: number; noise: number; share: number | null }[];
  /** Mean ± sd of the seeds' shares; null if a seed has none. */
  cell: Cell | null;
  /** Mean numerator over mean denominator, which one weak seed cannot inflate; null if the mean denominator is noise. */
  pooled: number | null;
  n: number;
  notes: string[];
}

/** Reported wherever a share is null. */
export const NOISE_RULE =
  'A share needs a denominator above two standard errors of the difference between two final evaluations (each rate with two successes and two failures added).';

/**
 * Share of the honest gain that `deployed` keeps; the base is each honest-only run's own. `mode` restricts it to that mode's problems;
 * `honest` excludes the hackable prompts, which a model solves again when it stops hacking.
 */
export function capabilityKept(deployed: ArmSet, honestOnly: ArmSet, mode?: ProblemMode): ShareEstimate {
  const notes: string[] = [];
  const [steps, honestSteps] = [deployed, honestOnly].map(({ runs }) => runs[0]?.spec.steps);
  if (steps !== undefined && honestSteps !== undefined && steps !== honestSteps)
    notes.push(`${deployed.label} trained ${steps} steps, ${honestOnly.label} ${honestSteps}: the share mixes both.`);
  return shares(deployed, honestOnly, notes, (run, honest) => {
    const [own, top, base] = [
      ratesOf(run, deployed.model),
      ratesOf(honest, honestOnly.model),
      ratesOf(honest, 'base'),
    ].map((rates) => (mode === undefined ? rates : modeRates(rates, mode)));
    return partsOf(own, top, base, 'solve');
  });
}

/** Share of vanilla's hack above the base that `deployed` lacks. */
export function hackRemoved(deployed: ArmSet, vanilla: ArmSet): ShareEstimate {
  return shares(deployed, vanilla, [], (run, plain) => {
    const [own, full, base] = [ratesOf(run, deployed.model), ratesOf(plain, vanilla.model), ratesOf(plain, 'base')];
    return partsOf(own, full, base, 'hack');
  });
}

interface Parts {
  numerator: number;
  denominator: number;
  /** Two standard errors of the denominator. */
  noise: number;
}

const ratesOf = (run: RunRecord, model: string): Rates | null => finalRow(run, model)?.all ?? null;

function modeRates(rates: Rates | null, mode: ProblemMode): Rates | null {
  const n = rates && metricValue(rates, ofKind('n', mode));
  if (!rates || n === null) return null;
  const of = (measure: MetricId) => metricValue(rates, ofKind(measure, mode));
  return { n, figures: { hack: of('hack'), solve: of('solve') } };
}

/** `kept`: own − base over top − base; `removed`: top − own over top − base. */
function partsOf(own: Rates | null, top: Rates | null, base: Rates | null, measure: MetricId): Parts | null {
  const [a, b, c] = [own, top, base].map((rates) => rates && metricValue(rates, measure));
  if (a === null || b === null || c === null || !top || !base) return null;
  return {
    numerator: measure === 'solve' ? a - c : b - a,
    denominator: b - c,
    noise: 2 * Math.sqrt(variance(b, problemCount(top, measure)) + variance(c, problemCount(base, measure))),
  };
}

function shares(
  deployed: ArmSet,
  reference: ArmSet,
  first: readonly string[],
  of: (run: RunRecord, reference: RunRecord) => Parts | null,
): ShareEstimate {
  const [own, other] = [usableRuns(deployed), usableRuns(reference)];
  const notes = [...first, ...own.notes, ...other.notes];
  const pairs = own.runs.flatMap((run) => {
    const partner = other.runs.find(({ spec }) => spec.seed === run.spec.seed);
    return partner ? [[run, partner] as const] : [];
  });
  if (pairs.length < own.runs.length || pairs.length < other.runs.length)
    notes.push(
      `Cut to the seeds that ${deployed.label} and ${reference.label} both have (${seedList(pairs.map(([run]) => run.spec.seed)) || 'none'}).`,
    );
  notes.push(...provenanceNotes(pairs.flat()));
  const parts = pairs.map(([run, partner]) => ({ seed: run.spec.seed, parts: of(run, partner) }));
  const known = parts.flatMap(({ seed, parts: found }) => (found ? [{ seed, ...found }] : []));
  if (known.length < parts.length) notes.push('A seed without this rate: no share.');
  const perSeed = known.map((entry) => ({
    ...entry,
    share: entry.denominator > entry.noise ? entry.numerator / entry.denominator : null,
  }));
  const weak = perSeed.filter(({ share }) => share === null);
  if (weak.length)
    notes.push(
      `${plural(weak.length, 'seed')} of ${perSeed.length} without a share: ${weak.map(({ seed, denominator, noise }) => `seed ${seed} has ${points(denominator)} to divide by, noise ${points(noise)}`).join('; ')}. ${NOISE_RULE}`,
    );
  const whole = known.length === parts.length && known.length > 0;
  return {
    perSeed,
    cell: whole ? cellOf(perSeed.map(({ share }) => share)) : null,
    pooled: whole ? pool(known) : null,
    n: pairs.length,
    notes: [...new Set(notes)],
  };
}

/** Share over the seeds. All evaluations use the same problems, so the noise of the mean is assumed not to shrink with n. */
function pool(known: readonly Parts[]): number | null {
  const average = (value: (parts: Parts) => number) => mean(known.map(value)) as number;
  const denominator = average((parts) => parts.denominator);
  return denominator > average((parts) => parts.noise) ? average((parts) => parts.numerator) / denominator : null;
}
