// `verify`: judges every question again and compares the result with the published one, character by character; prints every figure of
// README, the first screens and the ten sentences as published and as computed from the rows; and checks that published runs keep their
// keys and links. It writes nothing.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import { FRONT_PATH, frontText } from '../../src/findings/front.ts';
import { HEADLINES_PATH, headlinesText } from '../../src/findings/headline.ts';
import { type SeriesId, seriesOf } from '../../src/findings/series.ts';
import { readSheet, type SeriesSheet, sheetText } from '../../src/findings/sheet.ts';
import { sourcedHeadlines } from '../headlines/claims.ts';
import { figureRows } from '../headlines/figures.ts';
import { frontOf } from '../headlines/front.ts';
import { sourcesOf } from '../headlines/sources.ts';
import { keysNet, linksNet, type Net } from '../judge/nets.ts';
import { publishedSheet } from '../judge/publish.ts';
import { judgedSheets } from '../judge/sheets.ts';
import { command } from '../program.ts';

const usage = {
  name: 'verify',
  summary:
    'Judges every question again from the published rows, says whether the published sheets are the same, and prints every figure of README, the first screens and the ten sentences beside what the rows give.',
  flags: {},
} as const;

export const verify = command(usage, async (_, { out, root }) => {
  const rows: string[][] = [];
  const differing: string[] = [];
  const sheets: SeriesSheet[] = [];
  const judged = new Map<SeriesId, SeriesSheet>();
  for await (const { id, sheet } of judgedSheets(root)) {
    const published = await publishedSheet(root, id);
    const known = readSheet(published);
    sheets.push(known);
    judged.set(id, sheet);
    const before = new Map(known.questions.map((question) => [question.id, JSON.stringify(question)]));
    const changed = sheet.questions.filter((question) => before.get(question.id) !== JSON.stringify(question));
    const gone = before.size - sheet.questions.filter(({ id }) => before.has(id)).length;
    const isSame = published === sheetText(sheet);
    if (!isSame)
      differing.push(...changed.map((question) => question.id), ...(gone > 0 ? [`${gone} of ${id} gone`] : []));
    rows.push([seriesOf(id).label, String(sheet.questions.length), isSame ? 'the same' : `${changed.length} differ`]);
  }
  const sources = sourcesOf(root, judged);
  const sourced = sourcedHeadlines(sources);
  const headlines = sourced.map(({ headline }) => headline);
  const areHeadlines = (await readFile(join(root, 'public', HEADLINES_PATH), 'utf8')) === headlinesText(headlines);
  if (!areHeadlines) differing.push('the headlines');
  rows.push(['Headlines', String(headlines.length), areHeadlines ? 'the same' : 'differ']);
  const front = frontOf(sources, judged);
  const isFront = (await readFile(join(root, 'public', FRONT_PATH), 'utf8')) === frontText(front.front);
  if (!isFront) differing.push('the front of the findings');
  rows.push(['Front', String(front.ten.length), isFront ? 'the same' : 'differ']);
  const figures = figureRows(root, sourced, front, sources, judged);
  const others = figures.filter(({ published, computed }) => published !== computed);
  differing.push(...others.map(({ place, of, figure }) => `${figure} (${of}, ${place})`));
  rows.push(['Figures', String(figures.length), others.length === 0 ? 'the same' : `${others.length} differ`]);
  const nets: Record<string, Net> = { 'Keys of runs': keysNet(root), 'Links of runs': await linksNet(sheets) };
  for (const [name, net] of Object.entries(nets)) {
    differing.push(...net.differing);
    rows.push([name, String(net.asked), net.differing.length === 0 ? 'the same' : `${net.differing.length} differ`]);
  }
  out(
    renderTable(
      ['in', 'of', 'figure', 'published', 'from the rows', 'rows'],
      figures.map(({ place, of, figure, published, computed, source }) => [
        ...[place, of, figure],
        ...[published ?? 'not there', computed === published ? computed : `${computed} (differs)`, source],
      ]),
      () => false,
    ),
  );
  out(renderTable(['series', 'judged', 'published'], rows, () => false));
  if (differing.length > 0)
    out(`Not as published: ${differing.join(', ')}. npm run research -- publish writes them anew.`);
  return differing.length > 0 ? EXIT.failed : EXIT.ok;
});
