// Finished runs → a question's figures: for every cell its runs, statistics, and the comparison with its reference cell, the sign-flip p
// adjusted by Holm over the question's comparisons. The page, the command line and the report use these.

import { MODES } from '../../../src/environments/code/types.ts';
import { cellOf } from '../../../src/experiments/analysis/compare.ts';
import {
  type ArmSet,
  armStatistics,
  FINAL_HACK,
  FINAL_SOLVE,
  RUN_METRICS,
} from '../../../src/experiments/analysis/statistics.ts';
import { plural, points, signedPoints } from '../../../src/experiments/analysis/words.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { finalRow, metricValue, ofKind } from '../../../src/experiments/records/metrics.ts';
import { controlRow, type FinishedRun, type FinishedRuns } from '../../../src/experiments/runs/finished.ts';
import { mean } from '../../../src/stats/index.ts';
import { verdictOn } from './answer.ts';
import { H1 } from './h1.ts';
import { change, hack, metricOfCell } from './judge.ts';
import { type ArmComparison, compareSets, holmWithin } from './paired.ts';
import { runOfCell, type StudyScope, seedsOfCell } from './plan.ts';
import { restoringNote } from './restoring.ts';
import type { CellResult, CellResults, StudyCell, StudyQuestion, StudyVerdict } from './types.ts';

export interface QuestionResult {
  question: StudyQuestion;
  figures: CellResults;
  verdict: StudyVerdict;
  /** Verdict of the question's later addition; null if it has none. */
  addition: StudyVerdict | null;
  /** Finished (cell, seed) pairs; `planned` counts all. */
  done: number;
  planned: number;
  /** Notes on the tables: confounds, seeds cut, devices. */
  notes: string[];
}

export function resultOf(question: StudyQuestion, runs: FinishedRuns, scope: StudyScope = {}): QuestionResult {
  const cells = question.cells.filter((cell) => seedsOfCell(cell, scope).length > 0);
  const sets = new Map(cells.map((cell) => [cell.id, setOf(cell, runs, scope)]));
  const figures = new Map<string, CellResult>();
  const comparisons = comparedCells(cells, sets);
  for (const cell of cells) {
    const set = sets.get(cell.id) as ArmSet;
    const statistics = armStatistics(set);
    // Runs in the statistics: the base, which every run evaluates, is one model, so it counts once and has no spread.
    const counted = set.runs.filter(({ id }) => statistics.perSeed.some(({ runId }) => runId === id));
    const of = (measure: 'hack' | 'solve') =>
      cellOf(counted.map((run) => metricOfCell(cell, measure).value(run, set.model)));
    figures.set(cell.id, {
      cell,
      set,
      statistics,
      hack: of('hack'),
      solve: of('solve'),
      ...detailNotes(counted, set.model),
      comparison: comparisons.get(cell.id) ?? null,
    });
  }
  const done = [...sets.values()].reduce((sum, set) => sum + set.runs.length, 0);
  const planned = cells.reduce((sum, cell) => sum + seedsOfCell(cell, scope).length, 0);
  const restored = restoringNote(figures);
  return {
    question,
    figures,
    verdict: judgedVerdict(question, figures),
    addition: question.addition ? verdictOn(question.addition, figures) : null,
    done,
    planned,
    notes: [
      ...(restored ? [restored] : []),
      ...notesOn([...comparisons.values()]),
      ...[...sets.values()].flatMap(tooNarrow),
    ],
  };
}

/**
 * Details of one model's final evaluations that a mean over modes hides: hack by mode, and how often the exploit's code is present, whether
 * it passed or not. Hack also falls if passing falls, and a mean can fall because only three of four modes do.
 */
function detailNotes(runs: readonly RunRecord[], model: string): Pick<CellResult, 'structural' | 'byMode'> {
  const rates = runs.flatMap((run) => finalRow(run, model)?.all ?? []);
  const byMode = MODES.flatMap((mode) => {
    const own = rates.flatMap((of) => metricValue(of, ofKind('hack', mode)) ?? []);
    return own.length === 0 ? [] : [[mode, mean(own) as number] as const];
  });
  return { structural: cellOf(rates.map((of) => metricValue(of, 'structural'))), byMode: Object.fromEntries(byMode) };
}

/** Most cells that a note names; it counts the rest. */
const NAMED = 3;

/** Notes without repeats, each with the cells that it is about. */
function notesOn(comparisons: readonly ArmComparison[]): string[] {
  const about = new Map<string, string[]>();
  for (const { reference, other, notes } of comparisons) {
    if (reference.model === 'base' || other.model === 'base') continue;
    for (const note of notes) {
      // A note that applies to several cells appears once.
      const general = note.replace(other.label, 'these lines');
      about.set(general, [...(about.get(general) ?? []), other.label]);
    }
  }
  return [...about].map(([note, labels]) => {
    const named = labels.slice(0, NAMED).join('; ');
    return `${note} (${labels.length > NAMED ? `${named} and ${labels.length - NAMED} more` : named})`;
  });
}

/**
 * A matched random basis that removed less than the real one, however wide, does not count as matched; its evaluation says so
 * (`widthNote`).
 */
function tooNarrow({ label, model, runs }: ArmSet): string[] {
  const narrow = runs.filter((run) => /r is not enough|does not fit in memory/.test(finalRow(run, model)?.note ?? ''));
  if (narrow.length === 0) return [];
  return [
    `${label}: in ${plural(narrow.length, 'seed')} of ${runs.length} not wide enough to remove as much as the real V.`,
  ];
}

/** If vanilla hardly hacks, there is nothing to remove, and nothing is decided. */
function judgedVerdict(question: StudyQuestion, figures: CellResults): StudyVerdict {
  const verdict = verdictOn(question, figures);
  const untrained = figures.get('base');
  const below = change(figures, hack('base'));
  if (!untrained || below === null || verdict.standing === 'not run' || -below >= H1.learned) return verdict;
  const trained = figures.get(untrained.cell.against ?? '')?.cell.label ?? 'vanilla';
  const text = `The ${trained} model hacks ${signedPoints(-below)} against the base, less than ${points(H1.learned)}: there is nothing to remove, and nothing is decided.`;
  const standing = question.reference === null ? 'new here' : 'undecided';
  return { ...verdict, answer: null, sentences: [text, ...verdict.sentences], standing };
}

/** Cells that are no interventions: they are shown, and not tested. */
const LANDMARKS: readonly string[] = ['base', 'steered_base'];

function comparedCells(cells: readonly StudyCell[], sets: ReadonlyMap<string, ArmSet>) {
  const pairs = cells.flatMap((cell) => {
    const [own, reference] = [sets.get(cell.id), cell.against === null ? undefined : sets.get(cell.against)];
    if (!own || !reference || own.runs.length === 0 || reference.runs.length === 0) return [];
    const figures = cell.mode ? [metricOfCell(cell, 'hack'), metricOfCell(cell, 'solve')] : RUN_METRICS;
    return [{ cell, comparison: compareSets(reference, own, figures) }];
  });
  // Hack and solve of the final evaluation are judged; the base, steered or not, is shown but not tested.
  let adjusted = pairs.map(({ comparison }) => comparison);
  const tested = adjusted.map(
    ({ reference, other }) => ![reference, other].some(({ model }) => LANDMARKS.includes(model)),
  );
  for (const figure of [FINAL_HACK, FINAL_SOLVE])
    for (const isAdded of [false, true]) {
      const isMember = (i: number) => tested[i] && (pairs[i].cell.isAdded ?? false) === isAdded;
      const after = holmWithin(
        adjusted.filter((_, i) => isMember(i)),
        figure.id,
      );
      let next = 0;
      adjusted = adjusted.map((comparison, i) => (isMember(i) ? after[next++] : comparison));
    }
  return new Map(pairs.map(({ cell }, i) => [cell.id, adjusted[i]]));
}

/** A cell's finished runs, each with the final evaluation of the cell's model under the cell's own name for it. */
function setOf(cell: StudyCell, runs: FinishedRuns, scope: StudyScope): ArmSet {
  const found = seedsOfCell(cell, scope).flatMap((seed) => {
    const run = runs.get(runOfCell(cell, seed, scope).key);
    const record = run ? recordFor(cell, run) : null;
    return record ? [record] : [];
  });
  return { id: cell.id, label: cell.label, model: cell.model, runs: found, shadow: cell.shadow };
}

function recordFor(cell: StudyCell, run: FinishedRun): RunRecord | null {
  const { record } = run;
  if (!cell.shadow) return finalRow(record, cell.model) ? record : null;
  const row = controlRow(cell.shadow, run);
  if (!row) return null;
  const evals = record.evals.filter((own) => own.model !== cell.model || own.kind !== 'final');
  return { ...record, evals: [...evals, { ...row, model: cell.model }] };
}
