// `are pairs`: error rates of a judge of texts, on labelled pairs of texts (verifier/text-pairs).

import { oneOf, toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import { isAcceptable } from '../verifier/text-pairs/item.ts';
import { PAIR_PART_NAMES, type PairRate, pairRates } from '../verifier/text-pairs/pairs.ts';
import { judgeFlags, openJudge } from './flags.ts';
import type { Host } from './host.ts';

const usageFor = (host: Host) => ({
  name: 'are pairs',
  summary: 'Says how often a judge of texts errs, by what was done to the text.',
  flags: {
    ...judgeFlags(host),
    part: oneOf(['all', ...PAIR_PART_NAMES], 'Which pairs.', 'all'),
    wrong: toggle('Lists what was judged wrongly.'),
    ...host.models.device('What a judge of a folder is computed on.'),
  },
  notes:
    'Of a text that says the same (right, paraphrase) a rejection is wrong, of the others an acceptance. The held-out pairs were not tuned on.',
});

export const arePairs = (host: Host) =>
  command(host.program, usageFor(host), async ({ flags }, context) => {
    const { out, progress, signal } = context;
    const judge = await openJudge(host, flags, context);
    const parts = flags.part === 'all' ? PAIR_PART_NAMES : [flags.part];
    const wrong: string[] = [];
    let rates: PairRate[];
    try {
      rates = await pairRates(judge.engine, parts, {
        onWrong: (item, kind, part) =>
          wrong.push(`${part}, ${kind}: ${JSON.stringify(item[kind])} for ${JSON.stringify(item.oracle)}`),
        onJudged: (done, total) => {
          signal.throwIfAborted();
          progress.update('pairs', done, total);
        },
      });
    } finally {
      progress.end();
      judge.free();
    }
    if (flags.json) out(JSON.stringify({ judge: flags.soft, rates }, null, 2));
    else {
      const rows = rates
        .filter(({ part }) => part === parts[0])
        .map(({ kind }) => [
          kind,
          isAcceptable(kind) ? 'rejected' : 'accepted',
          ...parts.map((part) => {
            const found = rates.find((rate) => rate.part === part && rate.kind === kind) as PairRate;
            return `${found.wrong} of ${found.n}`;
          }),
        ]);
      out(renderTable(['text', 'wrongly', ...parts], rows, (column) => column > 1));
    }
    if (flags.wrong) for (const line of wrong) out(line);
    return EXIT.ok;
  });
