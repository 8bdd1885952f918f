// An experiment as files: JSON (spec, runs with their rows, table, verdicts) and CSV (the table; the per-step rows).
import type { RunRecord, StepRow, TableRow } from '../experiments/events.ts';
import type { ExperimentView } from './experiment-view.ts';

type Cell = string | number | null | undefined;

/** RFC 4180: quotes where needed, CRLF between lines. */
export function toCsv(header: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const cell = (value: Cell) => {
    const text = value === null || value === undefined ? '' : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${[header, ...rows].map((row) => row.map(cell).join(',')).join('\r\n')}\r\n`;
}

export function experimentJson(view: ExperimentView): string {
  const { id, spec, status, createdAt, runs, result } = view;
  const table = result?.table ?? null;
  const verdicts = result?.verdicts ?? null;
  return `${JSON.stringify({ id, spec, status, createdAt, runs, table, verdicts }, null, 1)}\n`;
}

const MEASURES = [
  'hack',
  'solve',
  'deployedHack',
  'deployedSolve',
  'last5Hack',
  'last5Solve',
  'deltaHack',
  'deltaSolve',
] as const satisfies readonly (keyof TableRow)[];

export function tableCsv(table: readonly TableRow[]): string {
  const header = ['label', 'arm', 'model', 'n', ...MEASURES.flatMap((name) => [name, `${name}_sd`])];
  return toCsv(
    [...header, 'cin_t', 'cout_update', 'verdict'],
    table.map((row) => [
      row.label,
      row.arm,
      row.model,
      row.n,
      ...MEASURES.flatMap((name) => [row[name]?.mean, row[name]?.sd]),
      row.cinTeacher,
      row.coutUpdate,
      row.verdict,
    ]),
  );
}

const NUMBERS = [
  'reward',
  'rewardStd',
  'fracRewardZeroStd',
  'loss',
  'kl',
  'entropy',
  'gradNorm',
  'lr',
  'cinStudent',
  'cinTeacher',
  'cin',
  'cinNull',
  'cout',
  'coutUpdate',
  'fired',
  'normDeltaS',
  'normDeltaSHack',
  'completionMeanLength',
  'completionClippedRatio',
  'rolloutTokens',
] as const satisfies readonly (keyof StepRow)[];
/** Columns only where some run logs them. */
const OCCASIONAL = ['flagged', 'clipFraction', 'ratioMean'] as const satisfies readonly (keyof StepRow)[];

export function stepsCsv(runs: readonly RunRecord[]): string {
  const rates = ['student', 'teacher'] as const;
  const shares = ['n', 'hack', 'solve', 'structural'] as const;
  const header = ['arm', 'seed', 'step', ...rates.flatMap((who) => shares.map((what) => `${who}_${what}`)), ...NUMBERS];
  const logged = OCCASIONAL.filter((name) => runs.some(({ rows }) => rows.some((row) => row[name] !== undefined)));
  return toCsv(
    [...header, ...logged, 'seconds', 'tokens_per_second'],
    runs.flatMap((run) =>
      run.rows.map((row) => {
        const timing = run.timings.find(({ step }) => step === row.step);
        return [
          run.spec.arm,
          run.spec.seed,
          row.step,
          ...rates.flatMap((who) => shares.map((what) => row[who][what])),
          ...NUMBERS.map((name) => row[name]),
          ...logged.map((name) => row[name]),
          timing?.total,
          timing?.tokensPerSecond,
        ];
      }),
    ),
  );
}
