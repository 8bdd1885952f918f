// `are generate`: writes scenarios over small universes as files.

import { join } from 'node:path';
import { integer, list, oneOf, text, toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { whileHeld } from '@projected-grpo-lab/base/files/lock.node.ts';
import { writeNew } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { generateScenario, PARTS } from '../generate/generate.ts';
import { SPLITS } from '../generate/template.ts';
import { traceText } from '../scenario/export.ts';
import { withoutOracle } from '../scenario/without-oracle.ts';
import type { Host } from './host.ts';

const usage = {
  name: 'are generate',
  summary: 'Writes scenarios over small universes, always the same for the same seed.',
  flags: {
    splits: list(SPLITS, 'Of which splits; all where none is named.'),
    n: integer('Scenarios of each split.', 10, 1, 10_000),
    seed: integer('Of universes and tasks.', 1),
    part: oneOf(
      PARTS,
      'Templates and words that training may see, its templates in other words, or held-out ones.',
      'training',
    ),
    'without-oracle': toggle(
      'Leaves out what would be right, as for an examination: `are judge TRACE --against FILE` judges a run of it.',
    ),
    out: text('DIR', 'Where the files go, one a scenario.', 'scenarios'),
  },
} as const;

export const areGenerate = (host: Host) =>
  command(host.program, usage, async ({ flags }, { out, progress, signal }) => {
    const splits = flags.splits ?? SPLITS;
    const folder = flags.out as string;
    return whileHeld(folder, progress.note, async () => {
      const total = splits.length * flags.n;
      let done = 0;
      for (const split of splits) {
        for (let index = 0; index < flags.n; index++) {
          signal.throwIfAborted();
          const { trace } = generateScenario({ split, seed: flags.seed, index, part: flags.part });
          const path = join(folder, `${trace.metadata.definition.scenario_id}.json`);
          const given = flags['without-oracle'] ? withoutOracle(trace, IMPORTABLE_CLASSES) : trace;
          await writeNew(path, '--out', traceText(given));
          progress.update('scenarios', ++done, total);
        }
      }
      progress.end();
      out(`${total} scenarios in ${folder}.`);
      return EXIT.ok;
    });
  });
