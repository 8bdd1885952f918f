// `arena`: judges the runs of the arena's sweeps (docs/arena.md): shares kept and removed of every model, with intervals, and the bar.
import { stat } from 'node:fs/promises';
import { integers, oneOf, text, toggle, unknownName } from '@projected-grpo-lab/base/commands/args.ts';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '../../src/cli/ports.node.ts';
import { SweepFolder } from '../../src/cli/sweep/folder.ts';
import { renderTable, textTable } from '../../src/cli/table.ts';
import { shareText } from '../../src/experiments/analysis/arena.ts';
import { isComplete } from '../../src/experiments/analysis/compare.ts';
import { FEWEST_CLEAN, ONSET, SIGNALS } from '../../src/experiments/analysis/early-warning.ts';
import { armLabel } from '../../src/experiments/analysis/names.ts';
import { SETTING_NAMES, type SettingName } from '../../src/experiments/config/settings.ts';
import { type Judgeable, judge, ruleWords, verdictText } from '../../src/experiments/judge/rule.ts';
import type { Column } from '../../src/experiments/judge/table.ts';
import type { FinishedRun } from '../../src/experiments/runs/finished.ts';
import { frontierOf, unitNote } from '../../src/findings/arena/frontier.ts';
import { ARENA_SHEETS, type JudgedRow } from '../../src/findings/arena/sheet.ts';
import { decimal, inBrackets } from '../../src/lib/numbers.ts';
import type { Ratio } from '../../src/stats/index.ts';
import { PACKED_RUNS, packRunsWithCommits } from '../judge/pack.ts';
import { evaluatedAgain, linkOf, publishArena } from '../judge/publish.ts';
import { readStudyRuns } from '../judge/runs.node.ts';
import { command } from '../program.ts';
import { judgedRowsBy, type SettingRow } from '../series/prediction/arena/by-setting.ts';
import { judgedRows } from '../series/prediction/arena/estimates.ts';
import { arenaSheet } from '../series/prediction/arena/published.ts';
import {
  type EarlyWarning,
  earlyWarning,
  estimateOf,
  WARNING_NAMES,
  WARNING_RULE,
} from '../series/prediction/early-warning.ts';

const usage = {
  name: 'arena',
  summary: 'Kept and removed of every model in the arena’s runs, with intervals, and the bar.',
  positional: ['DIR|FILE', '[DIR|FILE…]'],
  flags: {
    json: toggle('Print the rows as JSON.'),
    publish: oneOf(
      ARENA_SHEETS,
      'Write public/results/arena/NAME.json.gz, which the page’s Arena shows, NAME.runs.json.gz, the runs, and docs/figures/arena.svg.',
      null,
    ),
    out: text(
      'FILE',
      'Write the runs that were read into one file, NAME.runs.json.gz, which this command reads again.',
      null,
    ),
    seeds: integers('Only the cells of these training seeds.'),
    by: text(
      'OPTION,…',
      'A row for every value of these options, such as lr,k: a method’s settings set against each other.',
      null,
    ),
    warning: toggle('Print what warned before hacking rose instead: AUC and lead against runs with repaired graders.'),
  },
  notes:
    'What is read: folders of sweeps; files that `run --json` writes, as merge needs them; published runs (NAME.runs.json.gz), so that more can join them.',
} as const;

const share = (ratio: Ratio): string => shareText(ratio, '') ?? '';

/** Relearning may be measured in fewer cells than the rest; the count is then shown. */
const relearned = ({ relearned, n }: JudgedRow): string =>
  relearned ? `${share(relearned)}${relearned.n === n ? '' : `, n ${relearned.n}`}` : '';

const columnsOf = (rows: readonly JudgedRow[]): Column<JudgedRow>[] => [
  ['model', ({ arm, model }) => `${armLabel(arm)}, ${model}`],
  ['removed, %', ({ removed }) => share(removed)],
  ['kept, honest', ({ kept }) => share(kept.honest)],
  ['kept, hackable', ({ kept }) => share(kept.hackable)],
  ['kept, both', ({ kept }) => share(kept.both)],
  ...(rows.some((row) => row.relearned) ? [['relearned, %', relearned] as const] : []),
  ['cells', ({ n }) => String(n)],
  ['bar', ({ verdict }) => verdict],
];

const intervalText = ({ mean, interval }: Judgeable, digits: number): string => {
  const of = (value: number) => decimal(value, digits);
  return mean === null ? '' : of(mean) + inBrackets(interval, of);
};

/** Each signal's AUC and lead, and the verdict on the update's directions. */
export function renderWarning({ warnings, estimates }: EarlyWarning): string {
  if (warnings.length === 0)
    return `No comparison: it needs runs of vanilla whose hacking rises by ${100 * ONSET.rise} points, and ${FEWEST_CLEAN} runs of the same settings with repaired graders.`;
  const rows = warnings.map(({ signal, side, auc, lead, warned }) => [
    SIGNALS[signal].label,
    side,
    intervalText(estimateOf(auc), 2),
    intervalText(estimateOf(lead), 1),
    `${warned} of ${lead.length}`,
  ]);
  const table = renderTable(['signal', 'warns when', 'AUC', 'lead, steps', 'warned'], rows, () => false);
  const verdict = verdictText(judge(WARNING_RULE, estimates));
  const rule = ruleWords(WARNING_RULE, { names: WARNING_NAMES, unit: 'run that hacks' });
  return `${table}\n\nEarly warning by the update’s directions: ${verdict}.\n${rule}`;
}

export const arena = command(usage, async ({ flags, positional }, { out }) => {
  const { seeds } = flags;
  const found = (await runsIn(positional)).filter(({ record }) => seeds?.includes(record.spec.seed) ?? true);
  const runs = found.map(({ record }) => record);
  if (flags.out) {
    if (!flags.out.endsWith(PACKED_RUNS))
      throw new SpecError(`--out ${flags.out}: no name of a file of runs`, `Let it end in ${PACKED_RUNS}.`);
    await writeWhole(flags.out, packRunsWithCommits(found));
    out(`Wrote ${flags.out}: ${found.length} runs.`);
    return EXIT.ok;
  }
  if (flags.warning) {
    const warned = earlyWarning(runs);
    out(flags.json ? JSON.stringify(warned, null, 1) : renderWarning(warned));
    return EXIT.ok;
  }
  if (flags.publish) {
    const sheet = await arenaSheet(runs, linkOf, evaluatedAgain(process.cwd(), flags.publish));
    out(`Wrote ${await publishArena(process.cwd(), flags.publish, sheet, found)}: ${sheet.points.length} models.`);
    return EXIT.ok;
  }
  if (flags.by) {
    const rows = judgedRowsBy(runs, settingNames(flags.by));
    const [model, ...rest] = columnsOf(rows);
    const columns: Column<SettingRow>[] = [model, ['settings', ({ settings }) => settings], ...rest];
    out(flags.json ? JSON.stringify(rows, null, 1) : textTable(rows, columns, undefined, () => false));
    return EXIT.ok;
  }
  const judged = judgedRows(runs);
  if (flags.json) out(JSON.stringify(judged, null, 1));
  else {
    out(textTable(judged, columnsOf(judged), undefined, () => false));
    out(unitNote(frontierOf({ points: judged })));
  }
  return EXIT.ok;
});

/** Throws SpecError for an unknown option. */
function settingNames(text: string): SettingName[] {
  return text.split(',').map((name) => {
    const known = SETTING_NAMES.find((one) => one === name.trim());
    if (known) return known;
    throw unknownName(`Unknown option ${name} in --by`, name, SETTING_NAMES, 'See: npm run lab -- run --settings');
  });
}

/** Reads folders of sweeps and files of runs; a run found twice counts once. */
async function runsIn(paths: readonly string[]): Promise<FinishedRun[]> {
  const found = new Map<string, FinishedRun>();
  for (const path of paths) {
    const isFile = (await stat(path).catch(() => null))?.isFile() ?? false;
    const own = isFile ? await readStudyRuns(path) : [...(await (await SweepFolder.open(path)).all()).values()];
    for (const run of own) if (isComplete(run.record)) found.set(run.key, run);
  }
  return [...found.values()];
}
