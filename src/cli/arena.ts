// `arena`: what the runs of the arena's sweeps come to (docs/arena.md): kept and removed of every model, with intervals, and the bar.
import type { ArenaRow } from '../experiments/analysis/arena.ts';
import { armLabel } from '../experiments/analysis/names.ts';
import { earlyWarning } from '../experiments/arena/early-warning.ts';
import { judgedRows } from '../experiments/arena/estimates.ts';
import { arenaSheet } from '../experiments/arena/published.ts';
import { ARENA_SHEETS } from '../experiments/arena/sheet.ts';
import type { RunRecord } from '../experiments/records/events.ts';
import type { Ratio } from '../stats/index.ts';
import { renderWarning } from './arena-warning.ts';
import { oneOf, toggle } from './args.ts';
import { command, EXIT } from './command.ts';
import { linkOf, publishArena } from './findings/publish.ts';
import { SweepFolder } from './sweep/folder.ts';
import { renderTable } from './table.ts';

const usage = {
  name: 'arena',
  summary: 'Kept and removed of every model in the folders of the arena’s sweeps, with intervals, and the bar.',
  positional: ['DIR', '[DIR]', '[DIR]'],
  flags: {
    json: toggle('Print the rows as JSON.'),
    publish: oneOf(ARENA_SHEETS, 'Write public/results/arena/NAME.json.gz, which the page’s Arena shows.', null),
    warning: toggle('Print what warned before hacking rose instead: AUC and lead against runs with repaired graders.'),
  },
} as const;

const share = ({ ratio, interval }: Ratio): string => {
  const of = (value: number) => (100 * value).toFixed(0);
  return ratio === null ? '' : interval ? `${of(ratio)} [${of(interval.low)}, ${of(interval.high)}]` : of(ratio);
};

const cells = (row: ArenaRow): string[] => [
  `${armLabel(row.arm)}, ${row.model}`,
  share(row.removed),
  share(row.kept.honest),
  share(row.kept.hackable),
  share(row.kept.both),
  String(row.n),
];

export const arena = command(usage, async ({ flags, positional }, { out }) => {
  const runs: RunRecord[] = [];
  for (const path of positional) {
    const folder = await SweepFolder.open(path);
    for (const { record } of (await folder.all()).values()) runs.push(record);
  }
  if (flags.warning) {
    const found = earlyWarning(runs);
    out(flags.json ? JSON.stringify(found, null, 1) : renderWarning(found));
    return EXIT.ok;
  }
  if (flags.publish) {
    const sheet = await arenaSheet(runs, linkOf);
    out(`Wrote ${await publishArena(process.cwd(), flags.publish, sheet)}: ${sheet.points.length} models.`);
    return EXIT.ok;
  }
  const judged = judgedRows(runs);
  if (flags.json) out(JSON.stringify(judged, null, 1));
  else {
    const titles = ['model', 'removed, %', 'kept, honest', 'kept, hackable', 'kept, both', 'cells', 'bar'];
    out(
      renderTable(
        titles,
        judged.map((row) => [...cells(row), row.verdict]),
        () => false,
      ),
    );
  }
  return EXIT.ok;
});
