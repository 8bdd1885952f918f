// `publish`: writes everything derived from the published rows: a sheet per series for the page's Findings, the headlines of its first
// screen, the study's page of the docs, figures, and the marked parts of README and the docs.
import { join } from 'node:path';
import { list } from '@projected-grpo-lab/base/commands/args.ts';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { writeWhole } from '../../src/cli/ports.node.ts';
import { SHOWN_CHAINS_PATH } from '../../src/experiments/exit/shown-chains.ts';
import { FRONT_PATH } from '../../src/findings/front.ts';
import { HEADLINES_PATH } from '../../src/findings/headline.ts';
import { SERIES_IDS, type SeriesId } from '../../src/findings/series.ts';
import type { SeriesSheet } from '../../src/findings/sheet.ts';
import { headlinesOf } from '../headlines/claims.ts';
import { frontOf } from '../headlines/front.ts';
import { FRONTIER_PATH, frontierOf, frontierSvg } from '../headlines/frontier.ts';
import { sourcesOf } from '../headlines/sources.ts';
import {
  publishedRows,
  writeArenaDocs,
  writeFigures,
  writeFront,
  writeHeadlines,
  writeReadme,
  writeSheet,
  writeShownChains,
  writeSummary,
} from '../judge/publish.ts';
import { FINDINGS_PAGE } from '../judge/readme.ts';
import { judgedSheets } from '../judge/sheets.ts';
import { command } from '../program.ts';
import { writeResults } from '../series/study/publish.ts';

const usage = {
  name: 'publish',
  summary:
    'Writes the sheets of every series, the headlines, and the marked parts of README and the docs, from the published rows.',
  flags: { series: list(SERIES_IDS, 'Only the sheets of these; headlines, README and figures need all.') },
} as const;

export const publish = command(usage, async ({ flags }, { root, progress }) => {
  const sheets = new Map<SeriesId, SeriesSheet>();
  for await (const { id, sheet } of judgedSheets(root, flags.series)) {
    sheets.set(id, sheet);
    progress.note(`public/results/${id}/sheet.json.gz: ${await writeSheet(root, id, sheet)} bytes.`);
  }
  if (sheets.has('study')) progress.note(await writeResults(root));
  if (!flags.series) {
    const rows = publishedRows(root);
    const known = sourcesOf(root, sheets, rows);
    const headlines = headlinesOf(known);
    progress.note(`public/${HEADLINES_PATH}: ${await writeHeadlines(root, headlines)} bytes.`);
    progress.note(`public/${SHOWN_CHAINS_PATH}: ${await writeShownChains(root, rows)} bytes.`);
    const { front } = frontOf(known, sheets);
    progress.note(`public/${FRONT_PATH}: ${await writeFront(root, front)} bytes.`);
    await writeFigures(root, headlines);
    await writeWhole(join(root, FRONTIER_PATH), frontierSvg(frontierOf(known)));
    await writeArenaDocs(root);
    if (await writeReadme(root, headlines, sheets)) progress.note('README.md: its lines of them.');
  }
  if (await writeSummary(root, sheets)) progress.note(`${FINDINGS_PAGE}: a sentence a question.`);
  return EXIT.ok;
});
