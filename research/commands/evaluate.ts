// `evaluate`: repeats the runs behind README's headlines (or the arena's judged rows), checks that each equals the published one, evaluates
// their models with several sampling seeds, and publishes the new rows beside the old ones. It can be stopped at any time: a run is written
// as a whole, an unfinished one resumes from its last checkpoint, and finished or published ones are not repeated.

import { join, resolve } from 'node:path';
import { integer, list, text, toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { readRows } from '../../src/cli/files/rows.node.ts';
import { embeddedHost } from '../../src/cli/run/embedded-host.ts';
import { openRunsFolder, prepareRunsFolder } from '../../src/cli/run/runs-folder.ts';
import { ARM_NAMES } from '../../src/experiments/config/arms.ts';
import { MOST_EVALUATION_SEEDS } from '../../src/experiments/config/options/evaluation.ts';
import { IMPROVE_ROWS } from '../../src/experiments/exit/rows.ts';
import { runKey } from '../../src/experiments/runs/key.ts';
import { trainPlanned } from '../../src/experiments/runs/runner.ts';
import { arenaRunsName } from '../../src/findings/arena/sheet.ts';
import { SIMD_NAMES } from '../../src/kernels/device.ts';
import { drained } from '../../src/lib/drained.ts';
import { differenceFrom, JUDGED_SEEDS, repeatRuns, repeatSpec, vanillaBeside } from '../draws/again.ts';
import { publishChains, sortChains } from '../draws/chains.ts';
import { comparisonText } from '../draws/compare.ts';
import { ARENA_SOURCE, drawsName, finishedDraws, publishDraws } from '../draws/published.ts';
import { SOURCE_IDS, type Source, sourceOf } from '../draws/sources.ts';
import { resultsFolder } from '../judge/folder.ts';
import { evaluatedAgain, headlineRows, linkOf, publishArena } from '../judge/publish.ts';
import { readStudyRuns } from '../judge/runs.node.ts';
import { command } from '../program.ts';
import { arenaSheet } from '../series/prediction/arena/published.ts';

/** Devices on which published runs are repeated, and the folders of their models. Another device gives other digits. */
const HOSTS = [
  { choice: 'cpu', name: SIMD_NAMES.cpu, models: 'public/models' },
  { choice: 'cpu-fused', name: SIMD_NAMES['cpu-fused'], models: '.cache/models' },
] as const;

const usage = {
  name: 'evaluate',
  summary:
    'Makes the runs of headlines again, checks them against what is published, and evaluates them with several sampling seeds.',
  flags: {
    headline: list(SOURCE_IDS, 'Only the headlines that these questions judge; all of them without.'),
    arms: list(ARM_NAMES, 'Only the runs of these arms, the first ones first.'),
    arena: toggle('The arena’s judged runs instead: 342 runs, some hours on two cores.'),
    seeds: integer('Sampling seeds of every final evaluation.', JUDGED_SEEDS, 2, MOST_EVALUATION_SEEDS),
    threads: integer('Threads of the CPU device. Changes no digit.', null, 1, 1024),
    publish: toggle('Make no run: pack what the folder has into public/results/draws, and print old → new.'),
    chains: text('FILE', 'Make no run: publish chains that `lab improve` sampled of the models of E1, checked.', null),
    out: text('DIR', 'Folder of finished runs, checkpoints and kept steps.', 'evaluate'),
  },
  notes:
    'Ctrl-C stops cleanly; the same command goes on. Runs of minimind2-small need it in .cache/models: npm run lab -- model minimind2-small.',
} as const;

export const evaluate = command(usage, async ({ flags }, { out, progress, signal, root }) => {
  if (flags.arena && flags.headline)
    throw new SpecError('--arena and --headline are two selections of runs.', 'Give one of them.');
  const rows = headlineRows(root);
  if (flags.chains !== null) {
    const sorted = sortChains(await readRows(resolve(flags.chains), IMPROVE_ROWS, progress.note), rows);
    out(`${sorted.equal} chains repeat published ones, and are equal to them.`);
    for (const name of await publishChains(root, sorted)) out(`Wrote ${name}.`);
    return EXIT.ok;
  }
  const wanted = flags.headline ?? (flags.arena ? [ARENA_SOURCE] : SOURCE_IDS.filter((id) => id !== ARENA_SOURCE));
  const sources = wanted.map((id) => sourceOf(id, rows));
  const folder = openRunsFolder(resolve(flags.out), progress.note);
  await prepareRunsFolder(folder.path);
  const { threads } = flags;
  const hosts = HOSTS.map(({ choice: device, name, models }) => {
    const ports = { root, device, threads, isPlain: false, models: join(root, models), store: folder, signal };
    return [name as string, embeddedHost(ports)] as const;
  });
  const hostOf = new Map(hosts);
  let differing = 0;
  try {
    for (const source of sources) {
      const runs = repeatableRuns(source, flags.arms, hostOf, progress.note);
      const published = source.runs.map(({ record }) => record);
      const deviceOf = new Map(runs.map(({ spec, device }) => [runKey(repeatSpec(spec, flags.seeds)), device]));
      const shown = finishedDraws(root, source.id);
      if (!flags.publish) {
        for (const [i, planned] of repeatRuns(runs, flags.seeds).entries()) {
          if (shown.has(planned.key)) continue;
          const { arm, seed } = planned.spec;
          const name = `${source.id} ${i + 1} of ${runs.length}: ${arm}, seed ${seed}`;
          const known = await folder.load(planned.key);
          const begun = performance.now();
          const vanilla = vanillaBeside(planned, published, flags.seeds);
          const made = trainPlanned(planned, folder, hostOf.get(deviceOf.get(planned.key)!)!, vanilla);
          if (!known)
            await drained(made, (event) => {
              if (event.type === 'step') progress.update(name, event.row.step, planned.spec.steps);
            });
          const seconds = known ? '' : `, ${Math.round((performance.now() - begun) / 1000)} s`;
          progress.note(`${name}${seconds}`);
        }
        progress.end();
      }
      const equal = [];
      for (const run of runs) {
        const key = runKey(repeatSpec(run.spec, flags.seeds));
        const again = shown.get(key) ?? (await folder.load(key));
        if (!again) continue;
        const difference = differenceFrom(run, again.record);
        if (difference === null) equal.push(again);
        else {
          differing++;
          out(`${source.id}: ${again.key}: not what is published: ${difference}.`);
        }
      }
      if (runs.length > 0)
        out(`${source.id}: ${equal.length} of ${runs.length} runs made again, and equal to what is published.`);
      if (!flags.publish || equal.length === 0) continue;
      await publishDraws(root, source.id, equal);
      out(`Wrote ${drawsName(source.id)}.`);
      if (source.id === ARENA_SOURCE) out(`Wrote ${await publishJudgedArena(root)}.`);
    }
  } finally {
    for (const host of hostOf.values()) await host.close();
  }
  out(comparisonText(headlineRows(root), root));
  return differing > 0 ? EXIT.failed : EXIT.ok;
});

/** Writes the arena's judged sheet again from its published runs. */
async function publishJudgedArena(root: string): Promise<string> {
  const runs = await readStudyRuns(join(resultsFolder(root), arenaRunsName('judged')));
  const records = runs.map(({ record }) => record);
  return publishArena(root, 'judged', await arenaSheet(records, linkOf, evaluatedAgain(root, 'judged')), runs);
}

/** Notes which published runs this command cannot repeat. */
function repeatableRuns(
  { id, runs: all }: Source,
  arms: readonly string[] | null,
  devices: ReadonlyMap<string, unknown>,
  note: (line: string) => void,
) {
  const runs = arms ? arms.flatMap((arm) => all.filter(({ record }) => record.spec.arm === arm)) : all;
  const own = runs.filter(({ record }) => devices.has(record.device));
  if (all.length === 0)
    note(`${id}: its figures come of rows that other commands evaluate (chains, characters); nothing is made again.`);
  else if (own.length < runs.length)
    note(`${id}: ${runs.length - own.length} of ${runs.length} runs were made on another device, and are left out.`);
  return own.map(({ record }) => record);
}
