// Further sampled chains of revisions, beside the published ones. A chain that repeats a published sampling must equal it; otherwise the
// repeated model is another one.

import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '../../src/cli/ports.node.ts';
import type { ImproveRow } from '../../src/experiments/exit/rows.ts';
import { gzipText } from '../../src/lib/inflate.ts';
import { WHOLE_CHAINS, WHOLE_FOLLOWED } from '../headlines/learning.ts';
import { resultsFolder } from '../judge/folder.ts';
import type { Rows } from '../judge/types.ts';
import { FIVE } from '../series/exit/arms.ts';
import { MORE_LINES } from './published.ts';

const chainKey = ({ arm, seed, sampling, way, id }: ImproveRow): string => `${arm} ${seed} ${way} ${sampling} ${id}`;

/** Chains by the file to which they belong. */
export interface SortedChains {
  /** Further samplings of models trained on single revisions, and of the untrained model. */
  further: ImproveRow[];
  /** Chains of the models that were trained on whole chains. */
  whole: ImproveRow[];
  /** Number of chains that repeat a published sampling and equal it. */
  equal: number;
}

/** Throws FormatError for a chain that repeats a published sampling and differs from it. */
export function sortChains(chains: readonly ImproveRow[], rows: Rows): SortedChains {
  const published = new Map(
    [...FIVE, WHOLE_CHAINS].flatMap((file) => rows.lines<ImproveRow>(file).map((row) => [chainKey(row), row] as const)),
  );
  const sorted: SortedChains = { further: [], whole: [], equal: 0 };
  for (const chain of chains) {
    const known = published.get(chainKey(chain));
    if (known) {
      // A published chain may have fewer revisions.
      if (known.quality.some((value, i) => value !== chain.quality[i]))
        throw new FormatError(
          `${chainKey(chain)}: its qualities are ${chain.quality.slice(0, known.quality.length).join(', ')}, ${known.quality.join(', ')} are published.`,
          'Make the models again on the device kind of the published runs, and sample them as these were.',
        );
      sorted.equal++;
    }
    if (chain.arm === 'chain_last') sorted.whole.push(chain);
    else if (!known) sorted.further.push(chain);
  }
  return sorted;
}

/** Returns the files' names below public/results. */
export async function publishChains(root: string, { further, whole }: SortedChains): Promise<string[]> {
  const files: [string, readonly ImproveRow[]][] = [
    [MORE_LINES[FIVE[0]], further],
    [WHOLE_FOLLOWED, whole],
  ];
  const written = files.filter(([, chains]) => chains.length > 0);
  for (const [name, chains] of written) {
    const path = join(resultsFolder(root), name);
    await mkdir(dirname(path), { recursive: true });
    await writeWhole(path, gzipText(`${chains.map((chain) => JSON.stringify(chain)).join('\n')}\n`));
  }
  return written.map(([name]) => name);
}
