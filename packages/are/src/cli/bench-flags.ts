// Options of `are bench`, which of them do not affect a row, and the effect of the two noise options on a run: levels of noise in
// environment and tools, and apps operated by other agents.

import { integer, list, number, oneOf, text, toggle, type Values } from '@projected-grpo-lab/base/commands/args.ts';
import type { PlayOptions } from '../agents/play.ts';
import { appAgents, type Expert, expertApps } from '../augment/app-agents.ts';
import { atLevel, NOISE_LEVELS } from '../augment/levels.ts';
import { PARTS } from '../generate/generate.ts';
import { FLAGS_WITHOUT_EFFECT, judgeFlags } from './flags.ts';
import type { Host, OwnFlags } from './host.ts';
import { CONCURRENCY_FLAG } from './in-parallel.ts';
import { GENERATION_FLAGS, modelFlags } from './model-flags.ts';
import { agentsOf } from './players.ts';
import { SET_SPLITS } from './scenario-set.node.ts';

const NOISE_FLAGS = {
  noise: oneOf(
    NOISE_LEVELS,
    'Mails, messages, products and flats that have nothing to do with the task, and calls that fail: 10 a minute and a tenth at medium.',
    'none',
  ),
  a2a: number('Agent-to-agent: the share of apps that an expert has in the agent’s place.', 0, 0, 1),
} as const;

const splitsFlag = (help: string) => list([...SET_SPLITS, 'all'], help);
export const usageFor = (host: Host) => ({
  name: 'are bench',
  summary: 'Runs agents on generated scenarios, or on a set such as Gaia2, and prints their success by split.',
  positional: ['[SET]'],
  flags: {
    agents: list(
      agentsOf(host),
      `Who acts; react with --endpoint, else all without a model. ${['react', ...host.models.agents].join(', ')}: a model.`,
    ),
    splits: splitsFlag('Of which splits; all where none is named.'),
    split: splitsFlag('The same.'),
    n: integer('Scenarios of each split; 10 of generated ones, all of a set where it is left out.', null, 1, 10_000),
    runs: integer('Runs of each scenario; an agent that draws draws anew in each.', 3, 1, 100),
    seed: integer('Of universes and tasks.', 1),
    part: oneOf(
      PARTS,
      'Templates and words that training may see, its templates in other words, or held-out ones.',
      'held out',
    ),
    rows: text('FILE', 'JSON lines, a run each; what stands there under the same options is not run again.', null),
    out: text('DIR', 'A folder for rows.jsonl and, as the reference’s benchmark writes it, output.jsonl.', null),
    traces: toggle('With --out: every run as a trace, under traces/; a run that was stopped goes on within itself.'),
    'old-rows': toggle('Counts rows of an earlier lab, which do not say with which options they were made.'),
    ...CONCURRENCY_FLAG,
    'price-read': number('Dollars for a million tokens that the model reads: success within dollars.', null, 0, 1e6),
    'price-written': number('The same of tokens that it writes.', null, 0, 1e6),
    'max-steps': integer('Actions of the agent in all.', 80, 1, 10_000),
    size: oneOf(['usual', 'small'], 'How much there is in a universe; small: as where tiny-agent learnt.', 'usual'),
    duration: oneOf(
      ['benchmark', 'file'],
      'Simulated seconds of a run of a set: 1800, or 420 where time is tagged, as in the reference’s benchmark; or what the file says.',
      'benchmark',
    ),
    ...host.apps.flags,
    ...GENERATION_FLAGS,
    ...NOISE_FLAGS,
    ...modelFlags(host),
    ...judgeFlags(host),
  },
  notes: [
    'SET is a folder of scenarios, or rows of scenario_id and data as Hugging Face has Gaia2 (.parquet, .jsonl, .json).',
    'The agents without a model are controls: the oracle passes all, the others none, or the generator or the verifier is at fault.',
    'pass@k: scenarios that one run of k passes at least; pass^k: that all k pass.',
    'Within a budget: runs that passed and cost no more; --json has the whole curves.',
  ].join('\n'),
});
export type BenchOptions = Values<ReturnType<typeof usageFor>['flags']> & OwnFlags;

/** Options that select runs or output folders; they do not affect a row. */
export const BENCH_ONLY_FLAGS = [
  ...FLAGS_WITHOUT_EFFECT,
  ...['agents', 'splits', 'split', 'n', 'runs', 'rows', 'out', 'traces', 'old-rows'],
  ...['price-read', 'price-written'],
];
/** These flags do not affect an agent without a model. */
export const flagsOfModel = (host: Host): string[] => Object.keys(modelFlags(host));

type NoiseFlags = Values<typeof NOISE_FLAGS>;

/** Name in rows and headings; null without noise. */
export function noiseName({ noise, a2a }: NoiseFlags): string | null {
  const names = [...(noise === 'none' ? [] : [`noise ${noise}`]), ...(a2a === 0 ? [] : [`agent-to-agent ${a2a}`])];
  return names.length === 0 ? null : names.join(', ');
}

/** Play options for the noise. Beside an agent without a model, an app operated by another agent does not answer. */
export function noiseOptions({ noise, a2a }: NoiseFlags, seed: number, expert: Expert | null): Partial<PlayOptions> {
  return {
    ...atLevel(noise, seed),
    ...(a2a > 0 && {
      experts: (world) => appAgents(world, expertApps(world.apps, a2a, seed), expert ?? (() => Promise.resolve(''))),
    }),
  };
}
