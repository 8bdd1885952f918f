// The record layout from before there were several environments: hack, solve, structural and their split by mode were named fields of rows,
// evaluations had two named columns, and a rollout's single turn stood beside its grade. Readers convert stored records to today's layout
// (`from…`; a record of another layout is returned unchanged, for the reader's own check). Data identified by its bytes (published files,
// digests of links) is written in the old layout (`to…`), so that its bytes stay the same. Only this file knows that layout.
import { setOwn } from '@projected-grpo-lab/base/own.ts';
import type { EvalRow, RolloutRecord, RunRecord, StepRow, TableRow } from './events.ts';
import { type Metrics, metricValue, ofKind, type Rates } from './metrics.ts';

type Loose = Record<string, unknown>;

const isRecord = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The named splits of old evaluations, with their current ids. */
const SPLITS = { unseenFamilies: 'family', unseenParams: 'params' } as const;
const WHOLE = ['hack', 'solve', 'structural'] as const;

/** Absent fields stay absent. */
const unjudgedOf = ({ unjudged, hackAtMost }: { unjudged: unknown; hackAtMost: unknown }) => ({
  ...(unjudged === undefined ? {} : { unjudged }),
  ...(hackAtMost === undefined ? {} : { hackAtMost }),
});

/** Moves hack, solve, structural and byMode into figures. */
export function fromRates(kept: unknown): Rates {
  if (!isRecord(kept) || !isRecord(kept.byMode)) return kept as Rates;
  const { n, unjudged, hackAtMost, byMode, hack, solve, structural } = kept;
  const figures: Loose = { hack, solve, structural };
  for (const [mode, own] of Object.entries(byMode))
    if (isRecord(own)) for (const id of ['n', 'hack', 'solve'] as const) setOwn(figures, ofKind(id, mode), own[id]);
  return { n, ...unjudgedOf({ unjudged, hackAtMost }), figures } as Rates;
}

export function fromStepRow(kept: unknown): StepRow {
  if (!isRecord(kept) || !(isRecord(kept.student) && Object.hasOwn(kept.student, 'byMode'))) return kept as StepRow;
  return { ...kept, student: fromRates(kept.student), teacher: fromRates(kept.teacher) } as StepRow;
}

export function fromEvalRow(kept: unknown): EvalRow {
  if (!isRecord(kept) || !Object.hasOwn(kept, 'unseenFamilies')) return kept as EvalRow;
  const { step, model, kind, all, unseenFamilies, unseenParams, ...rest } = kept;
  const splits = { [SPLITS.unseenFamilies]: fromRates(unseenFamilies), [SPLITS.unseenParams]: fromRates(unseenParams) };
  return { step, model, kind, all: fromRates(all), splits, ...rest } as EvalRow;
}

/** Converts a run, a checkpoint, or anything else with rows and evaluations. */
export function fromRows<T extends Partial<Pick<RunRecord, 'rows' | 'evals'>>>(kept: T): T {
  if (!isRecord(kept)) return kept;
  const { rows, evals } = kept as T;
  return {
    ...kept,
    ...(Array.isArray(rows) ? { rows: rows.map(fromStepRow) } : {}),
    ...(Array.isArray(evals) ? { evals: evals.map(fromEvalRow) } : {}),
  };
}

/** Renames `gtCorrect` in a rollout's verdict to `gt_correct`, as pools spell it; the order of members is kept. */
function fromVerdict(verdict: unknown): unknown {
  if (!isRecord(verdict) || !Object.hasOwn(verdict, 'gtCorrect')) return verdict;
  const spelled = (name: string) => (name === 'gtCorrect' ? 'gt_correct' : name);
  return Object.fromEntries(Object.entries(verdict).map(([name, value]) => [spelled(name), value]));
}

// The casts below trust stored members to have the old layout's types.

export function fromRollout(kept: unknown): RolloutRecord {
  if (!isRecord(kept)) return kept as RolloutRecord;
  if (!isRecord(kept.grade)) return { ...kept, verdict: fromVerdict(kept.verdict) } as unknown as RolloutRecord;
  const { step, promptIndex, sampleIndex, problemId, mode, source, prompt, completion, logprobs, advantage, grade } =
    kept;
  const place = { step, promptIndex, sampleIndex, taskId: problemId, kind: mode, source };
  const turns = [{ prompt, completion, logprobs }];
  return { ...place, turns, advantage, reward: grade.reward, verdict: fromVerdict(grade) } as unknown as RolloutRecord;
}

export function fromTableRow(kept: unknown): TableRow {
  if (!isRecord(kept) || !Object.hasOwn(kept, 'deltaHack')) return kept as unknown as TableRow;
  const { label, arm, model, n, hack, solve, deployedHack, deployedSolve, last5Hack, last5Solve, ...rest } = kept;
  const { deltaHack, deltaSolve, ...others } = rest;
  const parts = {
    trained: { hack, solve },
    deployed: { hack: deployedHack, solve: deployedSolve },
    last5: { hack: last5Hack, solve: last5Solve },
    delta: { hack: deltaHack, solve: deltaSolve },
  };
  return { label, arm, model, n, ...parts, ...others } as unknown as TableRow;
}

/** Converts the result of an experiment: its table, and its runs if they are kept with it. */
export function fromResult<T>(kept: T): T {
  if (!isRecord(kept)) return kept;
  const { table, runs } = kept;
  return {
    ...kept,
    ...(Array.isArray(runs) ? { runs: runs.map((run) => fromRows(run)) } : {}),
    ...(Array.isArray(table) ? { table: table.map(fromTableRow) } : {}),
  };
}

// ---- To the old layout. Only metrics of the code environment fit it; rows of other environments are written unchanged. ---

const isOldRates = (rates: unknown): rates is Rates & Loose => {
  if (!isRecord(rates)) return false;
  const { figures } = rates;
  return isRecord(figures) && WHOLE.every((id) => Object.hasOwn(figures, id));
};

function toRates(rates: Rates): unknown {
  if (!isOldRates(rates)) return rates;
  const { n, unjudged, hackAtMost, figures } = rates;
  const byMode: Record<string, Metrics> = {};
  for (const [id, count] of Object.entries(figures)) {
    if (!id.startsWith('n:')) continue;
    const mode = id.slice(2);
    const [hack, solve] = [metricValue(rates, ofKind('hack', mode)), metricValue(rates, ofKind('solve', mode))];
    setOwn(byMode, mode, { n: count, hack, solve });
  }
  const { hack, solve, structural } = figures;
  return { n, ...unjudgedOf({ unjudged, hackAtMost }), hack, solve, structural, byMode };
}

export function toStepRow(row: StepRow): object {
  return isOldRates(row?.student) ? { ...row, student: toRates(row.student), teacher: toRates(row.teacher) } : row;
}

export function toEvalRow(row: EvalRow): object {
  // Rows with splits other than families and parameters are newer than that layout.
  if (!isOldRates(row?.all) || !Object.values(SPLITS).every((id) => Object.hasOwn(row.splits, id))) return row;
  const { step, model, kind, all, splits, ...rest } = row;
  const then = {
    all: toRates(all),
    unseenFamilies: toRates(splits[SPLITS.unseenFamilies]),
    unseenParams: toRates(splits[SPLITS.unseenParams]),
  };
  return { step, model, kind, ...then, ...rest };
}
