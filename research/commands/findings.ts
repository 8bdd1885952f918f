// `findings`: what the published rows of every series answer, question by question, and the sheets that the page's Findings open on.

import { join } from 'node:path';
import { list, toggle } from '../../src/cli/args.ts';
import { command, EXIT } from '../../src/cli/command.ts';
import { writeWhole } from '../../src/cli/ports.node.ts';
import { reportOf } from '../../src/cli/study/publish.ts';
import { SHOWN_CHAINS_PATH } from '../../src/experiments/exit/shown-chains.ts';
import { HEADLINES_PATH } from '../../src/findings/headline.ts';
import { SERIES, SERIES_IDS, type SeriesId } from '../../src/findings/series.ts';
import type { SeriesSheet } from '../../src/findings/sheet.ts';
import { headlinesOf } from '../headlines/claims.ts';
import { FRONTIER_PATH, frontierOf, frontierSvg } from '../headlines/frontier.ts';
import {
  headlineRows,
  judgedOf,
  publishedRows,
  sheetOf,
  writeArenaDocs,
  writeFigures,
  writeHeadlines,
  writeReadme,
  writeSheet,
  writeShownChains,
  writeSummary,
} from '../judge/publish.ts';
import type { Question } from '../judge/question.ts';
import { FINDINGS_PAGE } from '../judge/readme.ts';
import { ENVIRONMENT_QUESTIONS } from '../series/questions.ts';

const usage = {
  name: 'findings',
  summary: 'Judges the questions of every series from the published rows, and writes what the page’s Findings open on.',
  flags: {
    series: list(SERIES_IDS, 'Only these.'),
    dry: toggle('Print the verdicts; write nothing.'),
    json: toggle('Print the sheets as JSON.'),
  },
  notes: 'The study’s page of the docs is written by study --report.',
} as const;

export const findings = command(usage, async ({ flags }, { out, root, progress }) => {
  const rows = publishedRows(root);
  const ofRows = (questions: readonly Question[]) => sheetOf(questions, judgedOf(questions, rows), rows);
  const sheets = new Map<SeriesId, SeriesSheet>();
  for (const { id, title } of SERIES) {
    if (flags.series && !flags.series.includes(id)) continue;
    const sheet = id === 'study' ? (await reportOf(root)).sheet : await ofRows(ENVIRONMENT_QUESTIONS[id]);
    sheets.set(id, sheet);
    if (flags.json) out(JSON.stringify({ series: id, ...sheet }));
    else
      out(
        [
          title,
          ...sheet.questions.map((one) =>
            [
              `${one.id.padEnd(9)} ${one.standing.padEnd(8)} ${one.said} ${one.verdict}`,
              ...(one.limits ?? []),
              one.age?.said ?? '',
            ]
              .join('\n                   ')
              .trimEnd(),
          ),
          '',
        ].join('\n'),
      );
    if (!flags.dry) progress.note(`public/results/${id}/sheet.json.gz: ${await writeSheet(root, id, sheet)} bytes.`);
  }
  if (!flags.dry && !flags.series) {
    const known = headlineRows(root, rows);
    const headlines = headlinesOf(known);
    progress.note(`public/${HEADLINES_PATH}: ${await writeHeadlines(root, headlines)} bytes.`);
    progress.note(`public/${SHOWN_CHAINS_PATH}: ${await writeShownChains(root, rows)} bytes.`);
    await writeFigures(root, headlines);
    await writeWhole(join(root, FRONTIER_PATH), frontierSvg(frontierOf(known)));
    await writeArenaDocs(root);
    if (await writeReadme(root, headlines, sheets)) progress.note('README.md: its lines of them.');
  }
  if (!flags.dry && (await writeSummary(root, sheets))) progress.note(`${FINDINGS_PAGE}: a sentence a question.`);
  return EXIT.ok;
});
