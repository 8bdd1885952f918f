// `are bench`: agents on generated scenarios or on a set such as Gaia2, several runs of each. Prints a table by split with scenarios passed
// at least once and in every run, and a run's cost. Rows are appended to a file as they are finished, so an interrupted bench can resume.

import { type CommandContext, command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { SCRIPTED_AGENTS } from '../agents/play.ts';
import { generateScenario } from '../generate/generate.ts';
import { SPLITS } from '../generate/template.ts';
import { SMALL_SIZE } from '../generate/universe.ts';
import { type BenchOptions, noiseName, usageFor } from './bench-flags.ts';
import { shownRow } from './bench-rows.ts';
import { Bench, type Job } from './bench-runs.ts';
import { tableOf, tableText } from './bench-tables.ts';
import type { Host } from './host.ts';
import { checkConcurrency } from './in-parallel.ts';
import { loader } from './loaded.ts';
import type { AgentName } from './opened.ts';
import { agentOf } from './players.ts';
import { openSet, SET_SPLITS, type SetEntry } from './scenario-set.node.ts';

export const areBench = (host: Host) =>
  command(host.program, usageFor(host), async ({ flags, positional }, context) => {
    const { out, progress } = context;
    const { runs } = flags;
    const agents = agentsFor(host, flags);
    const wanted = flags.splits ?? flags.split;
    const isWanted = (split: string) => wanted === null || wanted.some((name) => name === split || name === 'all');
    const path = positional[0];
    const entries =
      path === undefined ? generatedEntries(flags, isWanted) : await entriesOfSet(host, path, flags, isWanted, context);
    const splits = SET_SPLITS.filter((split) => entries.some((entry) => entry.split === split));
    const bench = await Bench.open(host, flags, agents, path !== undefined, context);
    const jobs: Job[] = entries.flatMap((entry, place) => {
      const index = place - entries.findIndex(({ split }) => split === entry.split);
      return agents.flatMap((agent) => Array.from({ length: runs }, (_, run) => ({ entry, index, agent, run })));
    });
    const rows = await bench.all(jobs);
    const prices = { read: flags['price-read'], written: flags['price-written'] };
    const options = { agents, splits, runs, prices, isSet: path !== undefined };
    const broken = rows.filter(({ exception }) => exception !== undefined);
    if (broken.length > 0)
      progress.note(`${broken.length} runs ended in an error and count as failed, the first: ${broken[0]?.exception}`);
    const unjudged = rows.filter((row) => row.unjudged).length;
    if (unjudged > 0) progress.note(`${unjudged} runs had nothing to be judged by and count as failed.`);
    if (flags.json) {
      const about = { ...(path === undefined ? { part: flags.part } : { set: path }), n: flags.n ?? GENERATED };
      out(JSON.stringify({ ...about, runs, table: tableOf(rows, options), rows: rows.map(shownRow) }, null, 2));
      return EXIT.ok;
    }
    const noise = noiseName(flags);
    const what = path === undefined ? flags.part : path;
    out(
      `${what}${noise === null ? '' : `, ${noise}`}, ${entries.length} scenarios, ${runs} runs of each: success (pass@1) in %, mean ± standard deviation over runs.`,
    );
    out(tableText(rows, options));
    return EXIT.ok;
  });

function agentsFor(host: Host, flags: BenchOptions): readonly AgentName[] {
  checkConcurrency(flags);
  if (flags.agents === null) {
    const agent = agentOf(host, null, flags);
    return agent === 'oracle' ? SCRIPTED_AGENTS : [agent];
  }
  // Controls may run beside an agent with a model.
  const asking = flags.agents.find((agent) => agent === 'react' || agent === 'language');
  agentOf(host, asking ?? flags.agents[0] ?? null, flags);
  return flags.agents;
}

/** Default number of scenarios per split. */
const GENERATED = 10;

function generatedEntries({ n, seed, part, size }: BenchOptions, isWanted: (split: string) => boolean): SetEntry[] {
  return SPLITS.filter(isWanted).flatMap((split) =>
    Array.from({ length: n ?? GENERATED }, (_, index): SetEntry => {
      const own = { split, seed, index, part, size: size === 'small' ? SMALL_SIZE : {} };
      return {
        id: `${split} ${index}`,
        split,
        where: `${split} ${index}`,
        load: async () => generateScenario(own).trace,
      };
    }),
  );
}

async function entriesOfSet(
  host: Host,
  path: string,
  flags: BenchOptions,
  isWanted: (split: string) => boolean,
  context: CommandContext,
) {
  const { n } = flags;
  const loaded = loader(host, flags, context);
  const found = new Map<string, number>();
  // Once a split has enough scenarios, its other rows are not read.
  const isEnough = ({ split }: SetEntry) => {
    found.set(split, (found.get(split) ?? 0) + 1);
    return n !== null && SET_SPLITS.filter(isWanted).every((one) => (found.get(one) ?? 0) >= n);
  };
  const entries = (await openSet(path, context.progress.note, isEnough))
    .filter(({ split }) => isWanted(split))
    .map((entry): SetEntry => ({ ...entry, load: async () => loaded(await entry.load()) }));
  const chosen = SET_SPLITS.flatMap((split) =>
    entries.filter((entry) => entry.split === split).slice(0, n ?? undefined),
  );
  if (chosen.length > 0) return chosen;
  throw new SpecError(`${path} has no scenarios of these splits.`, 'Leave --splits out.');
}
