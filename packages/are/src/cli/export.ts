// `are export FILE`: writes one scenario, from a file or a set's rows, to its own file with its apps and its documents' texts.
import { text } from '@projected-grpo-lab/base/commands/args.ts';
import { command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { writeNew } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { IMPORTABLE_CLASSES } from '../apps/registry.ts';
import { traceText } from '../scenario/export.ts';
import { makeScenario } from '../scenario/import.ts';
import type { Host } from './host.ts';
import { loader } from './loaded.ts';
import { readTrace } from './scenario-set.node.ts';

const usageFor = ({ apps }: Host) => ({
  name: 'are export',
  summary:
    'Writes one scenario as a file of its own, that can be played: of rows as Hugging Face has them, for example.',
  positional: ['FILE'],
  flags: {
    scenario: text('ID', 'Of a file or folder with several scenarios: which.', null),
    out: text('FILE', 'Where the file goes; SCENARIO.json by its own name where absent.', null),
    ...apps.flags,
  },
});

export const areExport = (host: Host) =>
  command(host.program, usageFor(host), async ({ flags, positional }, context) => {
    const { out, progress } = context;
    const trace = await loader(host, flags, context)(await readTrace(positional[0] as string, flags.scenario));
    const { id, skipped } = makeScenario(trace, IMPORTABLE_CLASSES);
    for (const one of skipped) progress.note(`Left out where it is played: ${one}`);
    const path = flags.out ?? `${id.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 120)}.json`;
    await writeNew(path, '--out', traceText(trace));
    out(`${id} is in ${path}.`);
    return EXIT.ok;
  });
