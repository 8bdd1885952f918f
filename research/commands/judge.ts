// `judge`: judges every series from its published rows, question by question. It writes nothing.
import { list, toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SERIES_IDS, seriesOf } from '../../src/findings/series.ts';
import { comparisonText } from '../draws/compare.ts';
import { headlineRows } from '../judge/publish.ts';
import { judgedSheets } from '../judge/sheets.ts';
import { command } from '../program.ts';

const usage = {
  name: 'judge',
  summary: 'Judges the questions of every series from the published rows, and prints the verdicts.',
  flags: { series: list(SERIES_IDS, 'Only these.'), json: toggle('Print the sheets as JSON.') },
} as const;

export const judge = command(usage, async ({ flags }, { out, root }) => {
  for await (const { id, sheet } of judgedSheets(root, flags.series)) {
    if (flags.json) {
      out(JSON.stringify({ series: id, ...sheet }));
      continue;
    }
    const lines = sheet.questions.map((one) =>
      [
        `${one.id.padEnd(9)} ${one.standing.padEnd(8)} ${one.said} ${one.verdict}`,
        ...(one.limits ?? []),
        one.age?.said ?? '',
      ]
        .join('\n                   ')
        .trimEnd(),
    );
    out([seriesOf(id).title, ...lines, ''].join('\n'));
  }
  // Headlines whose models were evaluated with further draws: as published → with all draws.
  if (!flags.json && !flags.series) out(comparisonText(headlineRows(root), root));
  return EXIT.ok;
});
