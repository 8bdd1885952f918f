// `kinds`: which kinds of linear layers contain the hack, from the checkpoints of routing runs.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { markdownTable } from '../../src/experiments/judge/table.ts';
import { SafetensorsFile } from '../../src/storage/safetensors.ts';
import { diskFile } from '../../src/storage/sources.node.ts';
import { command } from '../program.ts';
import { kindNorms, kindsTable } from '../series/study/kinds.ts';

const usage = {
  name: 'kinds',
  summary: 'Shares of the whole update and of its quarantine by kind of Linear, over the seeds of a folder.',
  positional: ['DIR'],
  flags: {},
  notes: 'DIR is a folder of `run --out`; its route (update) runs are read.',
} as const;

export const kinds = command(usage, async ({ positional: [folder] }, { out }) => {
  const names = (await readdir(folder)).filter((name) => /^route-update-\d+\.safetensors$/.test(name)).sort();
  if (names.length === 0)
    throw new SpecError(
      `${folder} has no checkpoint of route (update).`,
      'Train one: run --arms route-update --out DIR.',
    );
  const runs = await Promise.all(
    names.map(async (name) => {
      const file = await diskFile(join(folder, name));
      return kindNorms(await SafetensorsFile.open(file!, name));
    }),
  );
  const title = `Squared norms by kind of Linear, mean ± sd over ${names.length} runs`;
  out([title, '', ...markdownTable(kindsTable(title, runs), true)].join('\n'));
  return EXIT.ok;
});
