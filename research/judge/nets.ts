// Checks that every published run keeps its key, and that every link of a published sheet opens, whatever changes in the lab.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runKey } from '../../src/experiments/runs/key.ts';
import type { SeriesSheet } from '../../src/findings/sheet.ts';
import { decodeShare } from '../../src/share/url.ts';
import { resultsFolder } from './folder.ts';
import { PACKED_RUNS, unpackRuns } from './pack.ts';

/** Number of checked runs or links, and the names of changed ones. */
export interface Net {
  asked: number;
  differing: string[];
}

/** Files of packed runs below public/results, of the study and of other series. */
function packedFiles(root: string): string[] {
  const folder = resultsFolder(root);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /^q\d+\.json\.gz$/.test(name) || name.endsWith(PACKED_RUNS))
    .sort();
}

/** The keys of twelve pilots of the arena contain an option that the run did not have, as undefined. */
const withoutUndefined = (key: string): string => key.replace(/, \w+ undefined/g, '');

/** Whether each published run still has the key that it was published under. */
export function keysNet(root: string): Net {
  const net: Net = { asked: 0, differing: [] };
  for (const file of packedFiles(root))
    for (const { key, record } of unpackRuns(readFileSync(join(resultsFolder(root), file)), file)) {
      net.asked++;
      if (runKey(record.spec) !== withoutUndefined(key)) net.differing.push(`${file}: ${key}`);
    }
  return net;
}

/** Whether each link of the sheets opens a run of the same arms and seeds as a new link would. */
export async function linksNet(sheets: Iterable<SeriesSheet>): Promise<Net> {
  const net: Net = { asked: 0, differing: [] };
  for (const { questions } of sheets)
    for (const { id, runs } of questions)
      for (const { name, hash } of runs) {
        net.asked++;
        const opened = await decodeShare(hash).catch(() => null);
        if (!opened || opened.spec.arms.length === 0 || opened.spec.seeds.length === 0)
          net.differing.push(`${id}: ${name}`);
      }
  return net;
}
