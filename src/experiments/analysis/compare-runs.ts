// Compares stored runs of any experiments pair by pair: checks METHOD's rules of comparison first and gives the reasons for a refusal, then makes
// the table, paired by seed. Pure functions; the page draws the result.
import { type PairedDifference, pairedDifference } from '../../stats/index.ts';
import { ARMS } from '../config/arms.ts';
import type { ExperimentSpec } from '../config/spec.ts';
import { headlinesOf } from '../environments/registry.ts';
import type { RunRecord } from '../records/events.ts';
import { finalRow } from '../records/metrics.ts';
import { type Cell, cellOf, isComplete, type MetricId, seedsOf } from './compare.ts';
import { differencesBetween, differenceText, provenanceNotes } from './differences.ts';
import { nameOf } from './names.ts';
import { metricsOf, type RunMetric } from './statistics.ts';
import { isVanillaEquivalent } from './vanilla.ts';

/** Fewest seeds for an interval and a statement on the spread: with two, an interval would just be the two differences. */
const LEAST_SEEDS = 3;

/** A model of a run at its end: the trained one, or under route the one without its quarantine. */
export type ComparedModel = 'total' | 'deployed';

/** One model of one arm of an experiment, over all seeds. */
export interface ComparedGroup {
  id: string;
  label: string;
  arm: string;
  model: ComparedModel;
  /** Whether it stands for vanilla in its own experiment, and is drawn like vanilla. */
  isVanilla: boolean;
  /** Planned seeds, ascending; `runs` has those that started, by ascending seed. */
  seeds: number[];
  runs: RunRecord[];
}

export interface Refusal {
  rule: 'incomplete' | 'single' | 'seeds' | 'confound' | 'same';
  message: string;
  remedy: string;
}

export interface ComparedRow {
  id: string;
  label: string;
  measure: MetricId;
  reference: Cell | null;
  other: Cell | null;
  pairs: { seed: number; reference: number | null; other: number | null }[];
  /** Null where one of the models lacks the metric; the interval is null below LEAST_SEEDS. */
  delta: PairedDifference | null;
  /** |Δ| within the reference's sd over seeds, or within its own standard error; null below LEAST_SEEDS. */
  isNull: boolean | null;
}

export type Comparison =
  | { allowed: false; refusals: Refusal[] }
  | {
      allowed: true;
      n: number;
      /** The difference between the two groups; at most one. */
      differences: string[];
      /** Warnings that METHOD does not treat as refusals. */
      notes: string[];
      rows: ComparedRow[];
    };

/** The groups of one experiment: every arm as trained, and under route also as deployed. */
export function groupsOf(
  experimentId: string,
  name: string,
  spec: Pick<ExperimentSpec, 'arms' | 'seeds'>,
  runs: readonly RunRecord[],
): ComparedGroup[] {
  const seeds = [...spec.seeds].sort((a, b) => a - b);
  return spec.arms.flatMap((arm) => {
    const own = runs.filter((run) => run.spec.arm === arm).sort((a, b) => a.spec.seed - b.spec.seed);
    const group = (model: ComparedModel): ComparedGroup => ({
      id: `${experimentId}/${arm}/${model}`,
      label: `${nameOf(arm, model, spec.arms)} · ${name}`,
      arm,
      model,
      isVanilla: model === 'total' && isVanillaEquivalent(arm, spec.arms),
      seeds,
      runs: own,
    });
    return ARMS[arm]?.projection === 'route' ? [group('total'), group('deployed')] : [group('total')];
  });
}

export function compareGroups(reference: ComparedGroup, other: ComparedGroup): Comparison {
  const refusals = refuse(reference, other);
  if (refusals.length > 0) return { allowed: false, refusals };
  const notes = notesOn(reference, other);
  const differences = changedDifferences(reference, other);
  const rows = measuresOf(reference).map((entry) => rowOf(entry, reference, other));
  return { allowed: true, n: reference.runs.length, differences, notes, rows };
}

// ---- refusals ------------------------------------------------------------------------------------------------------

function refuse(reference: ComparedGroup, other: ComparedGroup): Refusal[] {
  if (reference.id === other.id)
    return [{ rule: 'same', message: 'A group is not compared with itself.', remedy: 'Pick another reference.' }];
  const refusals = [reference, other].flatMap(incomplete);
  const [a, b] = [reference.seeds, other.seeds];
  if (a.length !== b.length && Math.min(a.length, b.length) === 1) {
    refusals.push({
      rule: 'single',
      message: `A single seed (${listed(a.length === 1 ? a : b)}) cannot be compared with a mean over ${Math.max(a.length, b.length)} seeds: it has no spread.`,
      remedy: `Run both with the seeds ${listed(a.length > b.length ? a : b)}.`,
    });
  } else if (a.join() !== b.join()) {
    const common = a.filter((seed) => b.includes(seed));
    refusals.push({
      rule: 'seeds',
      message: `The seeds differ: ${listed(a)} against ${listed(b)}. Differences are taken seed by seed.`,
      remedy: `Run both with the same seeds${common.length ? ` (both have ${listed(common)})` : ''}.`,
    });
  }
  if (reference.runs.length > 0 && other.runs.length > 0) {
    const differences = changedDifferences(reference, other);
    if (differences.length > 1)
      refusals.push({
        rule: 'confound',
        message: `${differences.length} things differ: ${differences.join('; ')}. Their effects are confounded: no result can be attributed to one of them.`,
        remedy: 'Change one option at a time: add the run that lies between the two.',
      });
  }
  return refusals;
}

function incomplete(group: ComparedGroup): Refusal[] {
  const missing = group.seeds.flatMap((seed) => {
    const run = group.runs.find((candidate) => candidate.spec.seed === seed);
    if (!run) return [`seed ${seed} has not begun`];
    if (isComplete(run) && finalRow(run, group.model)) return [];
    const { length } = run.rows;
    return [
      length < run.spec.steps
        ? `seed ${seed} logged ${length} of ${run.spec.steps} steps`
        : `seed ${seed} has no final evaluation`,
    ];
  });
  if (missing.length === 0) return [];
  return [
    {
      rule: 'incomplete',
      message: `“${group.label}” is incomplete: ${missing.join(', ')}. Only runs that logged all their steps count.`,
      remedy: 'Resume it, then compare.',
    },
  ];
}

/** Possible causes of the difference, each as `label (reference → other)`. */
const changedDifferences = (reference: ComparedGroup, other: ComparedGroup): string[] =>
  differencesBetween(reference, other).map(differenceText);

const listed = (seeds: readonly number[]) => seeds.join(', ');

function notesOn(reference: ComparedGroup, other: ComparedGroup): string[] {
  const notes = provenanceNotes([...reference.runs, ...other.runs]);
  if (changedDifferences(reference, other).length === 0)
    notes.push('No setting that matters differs: any difference is noise from the device or version.');
  const n = reference.seeds.length;
  if (n === 1) notes.push('One seed: there is no spread and no interval, and nothing here can be called an effect.');
  else if (n < LEAST_SEEDS)
    notes.push('Two seeds: too few for an interval, or for a word on the spread. A third gives both.');
  else if (n < 6)
    notes.push(
      `With ${n} seeds a percentile interval covers less than 95%: read it as a lower bound on the uncertainty.`,
    );
  return notes;
}

// ---- the table -----------------------------------------------------------------------------------------------------

const measuresOf = ({ runs }: ComparedGroup): RunMetric[] =>
  headlinesOf(runs[0]?.spec.environment ?? '').flatMap(({ id }) => metricsOf(id));

function rowOf({ id, label, measure, value }: RunMetric, reference: ComparedGroup, other: ComparedGroup): ComparedRow {
  const before = reference.runs.map((run) => value(run, reference.model));
  const after = other.runs.map((run) => value(run, other.model));
  const isWhole = (values: readonly (number | null)[]): values is number[] => values.every((x) => x !== null);
  const paired = isWhole(before) && isWhole(after) ? pairedDifference(before, after) : null;
  const isEnough = before.length >= LEAST_SEEDS;
  const delta = paired && !isEnough ? { ...paired, interval: null } : paired;
  const cell = cellOf(before);
  return {
    id,
    label,
    measure,
    reference: cell,
    other: cellOf(after),
    pairs: seedsOf(reference.runs).map((seed, i) => ({ seed, reference: before[i], other: after[i] })),
    delta,
    isNull: delta && isEnough && cell?.sd != null ? isNullEffect(delta, cell.sd) : null,
  };
}

/** The rule of table.ts: inside the reference's spread, or inside the paired differences' own standard error. */
function isNullEffect(delta: PairedDifference, spread: number): boolean {
  const error = (delta.sd ?? 0) / Math.sqrt(delta.n);
  return Math.abs(delta.mean) <= Math.max(spread, error);
}
