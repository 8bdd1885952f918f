// `tables LOG --format inspect`: the samples of a log of Inspect as the lab's rollouts, one JSON line each, for `jq`, pandas and scripts.
import { openAsBlob } from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder, writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import type { LogReport } from '../../lab/protocol/logs.ts';
import { openLog } from '../../lab/records/opened-log.ts';

export interface WrittenRollouts {
  file: string;
  log: LogReport;
}

/** Throws FormatError for a file that is no log. Numbers that are not known are null, as JSON writes them. */
export async function writeLogRollouts(path: string, out: string): Promise<WrittenRollouts> {
  const log = await openLog(await openAsBlob(path), basename(path));
  const lines: string[] = [];
  for await (const { rollouts } of log.each('')) for (const one of rollouts) lines.push(`${JSON.stringify(one)}\n`);
  await makeFolder(out);
  const file = join(out, 'rollouts.jsonl');
  await writeWhole(file, lines.join(''));
  return { file, log: log.report };
}
