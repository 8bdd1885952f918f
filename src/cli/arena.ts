// `arena`: what the runs of the arena's sweeps come to (docs/arena.md): kept and removed of every model, with intervals, and the bar.
import { type ArenaRow, arenaRows } from '../experiments/analysis/arena.ts';
import { armLabel } from '../experiments/analysis/names.ts';
import { ARENA_RULE, arenaEstimates } from '../experiments/arena.ts';
import { earlyWarning } from '../experiments/early-warning.ts';
import { judge, verdictText } from '../experiments/judge/rule.ts';
import type { RunRecord } from '../experiments/records/events.ts';
import type { Ratio } from '../stats/index.ts';
import { renderWarning } from './arena-warning.ts';
import { toggle } from './args.ts';
import { command, EXIT } from './command.ts';
import { SweepFolder } from './sweep/folder.ts';
import { renderTable } from './table.ts';

const usage = {
  name: 'arena',
  summary: 'Kept and removed of every model in the folders of the arena’s sweeps, with intervals, and the bar.',
  positional: ['DIR', '[DIR]', '[DIR]'],
  flags: {
    json: toggle('Print the rows as JSON.'),
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
  const rows = arenaRows(runs);
  const judged = rows.map((row) => {
    const estimates = arenaEstimates(runs, row.arm, row.model);
    const missing = (ARENA_RULE.needs ?? []).flatMap(({ of, least }) =>
      of.filter((key) => (estimates[key]?.n ?? 0) < least),
    );
    return { ...row, verdict: missing.length > 0 ? 'open' : verdictText(judge(ARENA_RULE, estimates)) };
  });
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
