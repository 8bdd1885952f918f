// `demo`: runs an environment's demo preset and publishes it below public/results/demo: the page shows it before anything has run in a
// browser; beside it are its steps for the picture of the method, the optimizer's steps on which other bases are tried, two or three of its
// rollouts to read, and, for characters, replies before and after. The same bytes on every machine with the same device kind.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { demoOf, demoPath } from '../../experiments/analysis/demo.ts';
import { samplesOf, samplesPath } from '../../experiments/analysis/demo-samples.ts';
import { demoStepsOf, demoStepsPath, keptStepsPath } from '../../experiments/analysis/demo-steps.ts';
import { SHOWN_REPLIES_PATH } from '../../experiments/characters/replies.ts';
import { CAPABILITIES } from '../../experiments/config/environments.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { PRETRAINED_ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import { canTryBases } from '../../experiments/kinds/run/own-choice.ts';
import type { ExperimentResult, RolloutRecord } from '../../experiments/records/events.ts';
import { writeSteps } from '../../lab/records/archive-steps.ts';
import { integer, oneOf, text } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { writeWhole } from '../ports.node.ts';
import { rolloutsFile, runName } from '../run/folder.ts';
import { run } from '../run/run.ts';
import { stepFolder } from '../run/step-folder.ts';
import { demoReplies } from './demo-replies.ts';

const usage = {
  name: 'demo',
  summary: 'Runs an environment’s demo preset on the CPU and publishes its rows for the page’s first sight.',
  flags: {
    environment: oneOf(PRETRAINED_ENVIRONMENTS, 'Which one.', PRETRAINED_ENVIRONMENTS[0]),
    threads: integer('Threads of the CPU device; all cores where absent.', null, 1),
    out: text('DIR', 'Keep checkpoints there, so that the same command goes on.', null),
    from: text(
      'FILE',
      'Train nothing: publish the rollouts and steps of this result (run --json), kept in --out.',
      null,
    ),
  },
  notes: 'A test compares the published specs with the presets as they are.',
} as const;

const ENVIRONMENTS_TAUGHT = CAPABILITIES.filter(({ teaches }) => teaches).map(({ id }) => id);

/** The optimizer steps of the runs whose basis can be tried again (basis-trial.ts), by their paths below `public/`. */
async function keptIn(folder: string, { spec, runs }: ExperimentResult): Promise<Map<string, Uint8Array<ArrayBuffer>>> {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const store = stepFolder((runId) => join(resolve(folder), `${runName(runId)}.steps`));
  for (const run of runs.filter((run) => canTryBases(run.spec))) {
    const bytes = writeSteps(await store.load(run.id));
    if (bytes) files.set(keptStepsPath(environmentOf(spec), run.spec), bytes);
  }
  return files;
}

const samplesIn = (folder: string, { spec, runs }: ExperimentResult) =>
  samplesOf(spec, runs, async ({ id }, step) => {
    const lines = await readFile(rolloutsFile(resolve(folder), id, step), 'utf8');
    return lines
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as RolloutRecord);
  });

export const demo = command(usage, async ({ flags }, context) => {
  const publish = async (file: string, content: unknown) => {
    if (content === null) return;
    const bytes = content instanceof Uint8Array ? content : `${JSON.stringify(content)}\n`;
    await writeWhole(resolve(context.root, `public/${file}`), bytes);
    context.out(`public/${file}: ${bytes.length} bytes.`);
  };
  /** Replies of the taught character and of another, in the environment of characters. */
  const replies = async (folder: string, result: ExperimentResult) => {
    if (ENVIRONMENTS_TAUGHT.includes(environmentOf(result.spec)))
      await publish(SHOWN_REPLIES_PATH, await demoReplies(folder, result, flags.threads, context));
  };
  const steps = async (folder: string, result: ExperimentResult) => {
    for (const [file, bytes] of await keptIn(folder, result)) await publish(file, bytes);
  };
  if (flags.from !== null) {
    if (flags.out === null)
      throw new SpecError('--from is there and --out is missing.', 'Name the folder that its run was kept in.');
    const result = JSON.parse(await readFile(flags.from, 'utf8')) as ExperimentResult;
    await publish(samplesPath(environmentOf(result.spec)), await samplesIn(flags.out, result));
    await steps(flags.out, result);
    await replies(flags.out, result);
    return EXIT.ok;
  }
  const folder = await mkdtemp(join(tmpdir(), 'lab-demo-'));
  const json = join(folder, 'result.json');
  const kept = flags.out ?? join(folder, 'run');
  try {
    const given = [...(flags.threads === null ? [] : ['--threads', String(flags.threads)]), ...['--out', kept]];
    const code = await run.run(
      ['--preset', 'demo', '--environment', flags.environment, '--device', 'cpu', '--json', json, ...given],
      { ...context, out: () => {} },
    );
    if (code !== EXIT.ok) return code;
    const result = JSON.parse(await readFile(json, 'utf8')) as ExperimentResult;
    // The person who opens it chooses the device.
    const spec = { ...result.spec, device: 'auto' as const };
    await publish(demoPath(flags.environment), demoOf({ ...result, spec }));
    await publish(samplesPath(flags.environment), await samplesIn(kept, { ...result, spec }));
    await publish(demoStepsPath(flags.environment), demoStepsOf(result));
    await steps(kept, result);
    await replies(kept, { ...result, spec });
    return EXIT.ok;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
