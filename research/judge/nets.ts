// Every published run keeps its key, and every link of a published sheet opens, whatever changes in the lab.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runKey } from '../../src/experiments/runs/key.ts';
import type { SeriesSheet } from '../../src/findings/sheet.ts';
import { decodeShare } from '../../src/share/url.ts';
import { resultsFolder } from './folder.ts';
import { PACKED_RUNS, unpackRuns } from './pack.ts';

/** Number of runs or links that were checked, and the names of those that have changed. */
export interface Net {
  asked: number;
  differing: string[];
}

/** Files of packed runs, below public/results: the study's, and those of other series. */
function packedFiles(root: string): string[] {
  const folder = resultsFolder(root);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /^q\d+\.json\.gz$/.test(name) || name.endsWith(PACKED_RUNS))
    .sort();
}

/** Twelve pilots of the arena were published when an option that a run did not have was named in its key, as undefined. */
const withoutUndefined = (key: string): string => key.replace(/, \w+ undefined/g, '');

/** Whether each published run has the key today that it was published under. */
export function keysNet(root: string): Net {
  const net: Net = { asked: 0, differing: [] };
  for (const file of packedFiles(root))
    for (const { key, record } of unpackRuns(readFileSync(join(resultsFolder(root), file)), file)) {
      net.asked++;
      if (runKey(record.spec) !== withoutUndefined(key)) net.differing.push(`${file}: ${key}`);
    }
  return net;
}

/** Whether each link of the sheets opens a run of the arms and seeds that a link of today would name. */
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
