// Published probes as the tables of docs/lab-book/probe.md: each check's verdicts over the seeds, and its figures as mean ± sd.
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { markdownTable } from '../../experiments/judge/table.ts';
import { PROBE_INDEX, type ProbeSeries, readSeries } from '../../experiments/kinds/probe/series.ts';
import { seriesOrigin, seriesRows } from '../../experiments/kinds/probe/series-words.ts';

/** Of all `.json` files of a folder but its index, by name. Throws SpecError where there are none, FormatError for another kind of file. */
export async function readPublished(folder: string): Promise<ProbeSeries[]> {
  const path = resolve(folder);
  const names = await readdir(path).catch(() => [] as string[]);
  const files = names.filter((name) => name.endsWith('.json') && name !== PROBE_INDEX).sort();
  if (files.length === 0)
    throw new SpecError(`--report ${folder}: no published probe lies there.`, 'Write one with --seeds and --keep.');
  return Promise.all(files.map(async (name) => readSeries(await readFile(join(path, name), 'utf8'), name)));
}

/** Markdown. */
export function renderSeries(series: ProbeSeries): string {
  const rows = seriesRows(series);
  const hasLora = rows.some(({ lora }) => lora !== null);
  const head = ['check', 'the SVD adapter', ...(hasLora ? ['LoRA'] : [])];
  return [
    `**${series.source}**: ${seriesOrigin(series)}`,
    '',
    '```sh',
    series.command,
    '```',
    '',
    ...markdownTable({
      head,
      rows: rows.map(({ id, title, svd, lora }) => [`${id} ${title}`, svd, ...(lora === null ? [] : [lora])]),
    }),
  ].join('\n');
}
