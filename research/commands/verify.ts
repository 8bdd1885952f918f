// `verify`: judges every question again and compares the outcome with the published one, letter for letter; it also asks whether published
// runs keep their keys and links. It writes nothing.

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import { HEADLINES_PATH, headlinesText } from '../../src/findings/headline.ts';
import { type SeriesId, seriesOf } from '../../src/findings/series.ts';
import { readSheet, type SeriesSheet, sheetText } from '../../src/findings/sheet.ts';
import { headlinesOf } from '../headlines/claims.ts';
import { sourcesOf } from '../headlines/sources.ts';
import { keysNet, linksNet, type Net } from '../judge/nets.ts';
import { publishedSheet } from '../judge/publish.ts';
import { judgedSheets } from '../judge/sheets.ts';
import { command } from '../program.ts';

const usage = {
  name: 'verify',
  summary: 'Judges every question again from the published rows, and says whether the published sheets are the same.',
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
  const headlines = headlinesOf(sourcesOf(root, judged));
  const areHeadlines = (await readFile(join(root, 'public', HEADLINES_PATH), 'utf8')) === headlinesText(headlines);
  if (!areHeadlines) differing.push('the headlines');
  rows.push(['Headlines', String(headlines.length), areHeadlines ? 'the same' : 'differ']);
  const nets: Record<string, Net> = { 'Keys of runs': keysNet(root), 'Links of runs': await linksNet(sheets) };
  for (const [name, net] of Object.entries(nets)) {
    differing.push(...net.differing);
    rows.push([name, String(net.asked), net.differing.length === 0 ? 'the same' : `${net.differing.length} differ`]);
  }
  out(renderTable(['series', 'judged', 'published'], rows, () => false));
  if (differing.length > 0)
    out(`Not as published: ${differing.join(', ')}. npm run research -- publish writes them anew.`);
  return differing.length > 0 ? EXIT.failed : EXIT.ok;
});
