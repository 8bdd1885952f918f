// The published rows of characters (docs/lab-book/characters.md), drawn as points beside the user's own run. Each file is fetched once.

import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { type CurveRow, checkRow } from '../../experiments/characters/rows.ts';
import { type Fetch, publishedFiles } from '../published-file.ts';

const FILES = ['s1', 's1-again', 'algorithm'] as const;

/** Rows of all files that exist. Throws SpecError for an invalid row, FormatError, and errors of fetch. */
export async function publishedRows(base: string, get?: Fetch): Promise<CurveRow[]> {
  const files = publishedFiles(base, get);
  const read = async (name: string): Promise<CurveRow[]> => {
    const text = await files.text(`results/characters/${name}.jsonl.gz`);
    const rows = (text ?? '')
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => parseJsonText(line) as CurveRow);
    for (const row of rows) checkRow(row);
    return rows;
  };
  return (await Promise.all(FILES.map(read))).flat();
}
