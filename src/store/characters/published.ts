// The published rows of characters (docs/lab-book/characters.md), as points beside a run of one's own. Each file is fetched once.

import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import { type CurveRow, checkRow } from '../../experiments/characters/rows.ts';
import { inflateUpTo } from '../../lib/inflate.ts';

const FILES = ['s1', 's1-again', 'algorithm'] as const;
/** Unpacked bytes of a file at most. */
const MOST = 8_000_000;

type Fetch = (url: string) => Promise<Response>;

/** Rows of all files that could be had; throws SpecError for a row that cannot be read as one. */
export async function publishedRows(base: string, get: Fetch = (url) => fetch(url)): Promise<CurveRow[]> {
  const read = async (name: string): Promise<CurveRow[]> => {
    const response = await get(new URL(`results/characters/${name}.jsonl.gz`, base).href);
    if (!response.ok) return [];
    const bytes = new Uint8Array(await response.arrayBuffer());
    // A server that says how the file is packed has it unpacked on the way.
    const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
    const text = new TextDecoder().decode(isPacked ? inflateUpTo(bytes, MOST, 'gzip') : bytes);
    const rows = text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => parseJsonText(line) as CurveRow);
    for (const row of rows) checkRow(row);
    return rows;
  };
  return (await Promise.all(FILES.map(read))).flat();
}
