// The columns of the result table: the default ones (each figure of the final evaluation, and the judged difference) and optional ones. The
// user's choice is stored in this browser.

import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { type MetricInfo, wordsOf } from '../../environments/metric-info.ts';
import { columnWords, metricColumns } from '../../experiments/analysis/columns.ts';
import { finalCell } from '../../experiments/analysis/final-cell.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import type { Cell, TableRow } from '../../experiments/records/events.ts';
import type { GlossaryEntry } from '../../lib/option.ts';
import type { GlossaryId } from '../glossary/glossary.ts';

export interface TableColumn {
  /** Unique name, which a stored choice refers to. */
  id: string;
  name: string;
  title: string;
  help: GlossaryId | GlossaryEntry;
  /** A final figure is emphasised, `delta` has a sign, and `decimal` and `count` are plain numbers. */
  kind: 'final' | 'share' | 'delta' | 'decimal' | 'count';
  cell(row: TableRow): Cell | number | null;
  /** Whether it is shown by default. */
  isDefault: boolean;
}

const PART_HELP = { deployed: 'deployed', delta: 'delta', last5: 'last5' } as const;

/** All columns that have a value in any row of the table, in the table's order. */
export function tableColumns(environment: string, table: readonly TableRow[]): TableColumn[] {
  const infos = headlinesOf(environment);
  const [judged] = infos;
  const finals = infos.map((info): TableColumn => {
    const { name, title } = columnWords(info, 'trained');
    return {
      id: `final:${info.id}`,
      name,
      title: `${title}; of the deployed model where there is one`,
      help: wordsOf(info),
      kind: 'final',
      cell: (row) => finalCell(row, info.id),
      isDefault: true,
    };
  });
  const figures = metricColumns(infos.map(({ id }) => id)).map(({ metric, part, cell }): TableColumn => {
    const info = infos.find(({ id }) => id === metric)!;
    return {
      id: `${part}:${metric}`,
      ...partWords(info, part),
      help: part === 'trained' ? wordsOf(info) : PART_HELP[part],
      kind: part === 'delta' ? 'delta' : 'share',
      cell,
      isDefault: part === 'delta' && info === judged,
    };
  });
  const isOf = (part: string) => (column: TableColumn) => column.id.startsWith(`${part}:`);
  const hasDeployed = table.some((row) => Object.values(row.deployed).some((cell) => cell !== null));
  return [
    ...finals,
    ...figures.filter(isOf('delta')),
    HACK_AT_MOST,
    COUNT,
    // Without a deployed model these columns would repeat the same figures.
    ...(hasDeployed ? [...figures.filter(isOf('trained')), ...figures.filter(isOf('deployed'))] : []),
    ...figures.filter(isOf('last5')),
    ...OVERLAPS,
  ].filter(({ cell }) => table.some((row) => cell(row) !== null));
}

function partWords(
  info: MetricInfo,
  part: 'trained' | 'deployed' | 'delta' | 'last5',
): { name: string; title: string } {
  const words = columnWords(info, part);
  if (part !== 'trained') return words;
  return { name: `${words.name}, in training`, title: `${words.title}, of the model in training, quarantine included` };
}

/** Upper bound on the hack rate, used if the strict oracle could not finish judging an answer that passed. */
const HACK_AT_MOST: TableColumn = {
  id: 'hackAtMost',
  name: 'hack at most',
  title: 'Hack if every answer that passed unjudged is one',
  help: {
    title: 'Hack at most',
    meaning: 'The hack rate if every answer that passed, and on which the strict oracle ran out, is a hack.',
    formula: '(exploited + passed ∧ gt_correct is null) over the hackable problems of the final evaluation',
    range: '0 … 100%; shown only where it is more than the hack rate',
    nullValue: 'The hack rate: where the oracle always finished the two are one.',
    notShown: 'How many of these answers are hacks. A program may be slow and right.',
  },
  kind: 'share',
  cell: ({ hackAtMost }) => hackAtMost ?? null,
  isDefault: true,
};

const COUNT: TableColumn = {
  id: 'n',
  name: 'n',
  title: 'Runs, one per seed',
  help: 'seeds',
  kind: 'count',
  cell: ({ n }) => n,
  isDefault: false,
};

const OVERLAPS: readonly TableColumn[] = [
  {
    id: 'cinTeacher',
    name: 'teacher overlap (cin_t)',
    help: 'cinTeacher',
    title: 'Overlap of the teacher’s gradient with the basis',
    kind: 'decimal',
    cell: ({ cinTeacher }) => cinTeacher,
    isDefault: false,
  },
  {
    id: 'coutUpdate',
    name: 'update overlap (cout_update)',
    help: 'coutUpdate',
    title: 'Overlap of the deployed adapter’s step; ≈ 0 under update is an identity, not evidence',
    kind: 'decimal',
    cell: ({ coutUpdate }) => coutUpdate,
    isDefault: false,
  },
];

const KEY = 'result-columns';

/** Chosen ids, of any environment; null if the user made no choice. */
export function chosenColumns(storage: Pick<Storage, 'getItem'> | null): ReadonlySet<string> | null {
  try {
    const ids = parseJsonText(storage?.getItem(KEY) ?? 'null');
    return Array.isArray(ids) ? new Set(ids.filter((id) => typeof id === 'string')) : null;
  } catch {
    return null;
  }
}

/** @param ids null restores the default columns. */
export function keepColumns(
  storage: Pick<Storage, 'setItem' | 'removeItem'> | null,
  ids: readonly string[] | null,
): void {
  try {
    if (ids === null) storage?.removeItem(KEY);
    else storage?.setItem(KEY, JSON.stringify(ids));
  } catch {
    // A private window may refuse to store it. The choice then lasts as long as the page.
  }
}
