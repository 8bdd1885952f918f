// `improve`: chains of self-improvement on an environment's held-out tasks, by the untrained model and by the models of kept runs, as tables;
// inference alone, nothing is trained.

import { readdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { deployed } from '../../algorithms/optimizer.ts';
import type { Engine } from '../../engine/decoder/engine.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { Grader } from '../../environments/code/types.ts';
import { CAPABILITIES } from '../../experiments/config/environments.ts';
import { promptSettingsOf, thoughtsIn } from '../../experiments/config/options/prompts.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { parseExperimentSpec, resolveRuns, withDefaults } from '../../experiments/config/spec.ts';
import { environmentNamed } from '../../experiments/environments/registry.ts';
import { improve as improveTasks } from '../../experiments/exit/chains.ts';
import { IMPROVE_ROWS, type ImproveRow, WAYS } from '../../experiments/exit/rows.ts';
import { judgingAnswers } from '../../experiments/step/answers.ts';
import type { TrainingEnvironment } from '../../experiments/step/environment.ts';
import { drained } from '../../lib/drained.ts';
import type { ModelFiles } from '../../storage/model-files.ts';
import { openModelText } from '../../storage/model-text.ts';
import type { PromptCodec } from '../../text/codec.ts';
import { integer, list, oneOf, text, toggle, type Values } from '../args.ts';
import { madeBy } from '../code-commit.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { remakingFlags } from '../device-flags.ts';
import { checkpointOf, RUN_WORDS } from '../files/checkpoint.node.ts';
import { jsonLines, RowFile, readRows } from '../files/rows.node.ts';
import { ADAPTER_FLAG } from '../model/adapter.ts';
import { openEngine } from '../model/engine.ts';
import { openModel } from '../model/folder.ts';
import { noteUnread, PROMPT_FLAGS, ROWS_ALONE, refuseUnused, THINKING_FLAG } from '../model/prompts.ts';
import { loadEmbeddedModel } from '../ports.node.ts';
import { modelIdOf } from '../run/model.ts';
import { ownRows } from './own.ts';
import { improveTables } from './tables.ts';

const ENVIRONMENTS = CAPABILITIES.filter(({ improves }) => improves).map(({ id }) => id);

const usage = {
  name: 'improve',
  summary: 'Lets models revise their own answers step by step (ExIt), and says what each step is worth.',
  flags: {
    environment: oneOf(ENVIRONMENTS, 'Whose held-out tasks are answered.', 'chain'),
    run: text('DIR', 'A folder of `run --out`: its models beside the untrained one.', null),
    'arm-seed': text('RUN', 'One of its runs, such as exit-41; all where absent.', null),
    deployed: toggle('Of a run that routes, its model without each quarantine beside the whole one.'),
    'no-base': toggle('The runs’ models alone, without the untrained one.'),
    model: text(
      'DIR',
      'A folder in Hugging Face’s layout: with --problems what answers them, with --run the base of its runs.',
      null,
    ),
    adapter: ADAPTER_FLAG,
    problems: text(
      'FILE',
      'JSON lines with `question` and a number as `answer`, or LeetCode problems with asserts as the rl-rewardhacking file has.',
      null,
    ),
    ...PROMPT_FLAGS,
    'max-new': integer('With --problems: most tokens of an answer.', 256, 1),
    thinking: THINKING_FLAG,
    ways: list(WAYS, 'Chains at temperature 1, greedy chains, independent answers; all where absent.'),
    steps: integer('Revisions after the first answer.', 16, 1, 1000),
    count: integer('Tasks.', 128, 1, 4096),
    seeds: integer('Sampling seeds, one after the other.', 1, 1, 100),
    rows: text('FILE', 'Print the tables of rows that were written before (.gz too); nothing is computed.', null),
    out: text('FILE', 'Write the rows there, a JSON line each; a file that is there is not written over.', null),
    ...remakingFlags('What to compute on.'),
    json: toggle('Print the rows as JSON lines instead of tables.'),
  },
  notes: [
    'Of a greedy chain there is one, whatever the sampling seeds. With --problems, a stopped call goes on where --out was written to.',
    'An answer to a question is worth 1 or 0, a program the share of tests that it passes; what the check said is shown, the truth is not.',
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

export const improve = command(usage, async ({ flags }, context) => {
  const rows = await rowsOf(flags, context);
  context.out(flags.json ? jsonLines(rows).trimEnd() : improveTables(rows));
  return EXIT.ok;
});

async function rowsOf(flags: Options, context: CommandContext): Promise<ImproveRow[]> {
  const { rows, model, adapter, problems, run } = flags;
  const isNamed = model !== null || adapter !== null;
  if (rows !== null) refuseUnused(flags, ROWS_ALONE);
  if (rows !== null) return readRows(rows, IMPROVE_ROWS, context.progress.note);
  const isOwn = problems !== null || (isNamed && run === null);
  if (!isOwn && (flags['chat-template'] !== null || Object.keys(flags['chat-arg']).length > 0))
    throw new SpecError(
      '--chat-template and --chat-arg are of a model that answers a file’s problems.',
      'Give --model DIR with --problems FILE, or leave them out.',
    );
  if (!isOwn) return compute(flags, context);
  if (!isNamed || problems === null || run !== null)
    throw new SpecError(
      'A model of one’s own iterates on a file’s problems, or is the base of runs.',
      'Give --model DIR (or --adapter DIR) with --problems FILE, or with --run DIR.',
    );
  return ownRows({ ...flags, problems }, context);
}

/** The model that answers: a run's adapter parameters, or the untrained ones. */
interface AnsweringModel {
  spec: RunSpec;
  name: { arm: string; seed: number | null };
  adapterParams: Float32Array | null;
}

async function compute(flags: Options, context: CommandContext): Promise<ImproveRow[]> {
  const { progress, root, signal } = context;
  const file = flags.out === null ? null : await RowFile.create<ImproveRow>(flags.out, context.progress.note);
  const trained = await runsOf(flags);
  const base = trained[0]?.spec ?? defaultRunIn(flags.environment);
  const files = await baseOf(base.model, flags, context);
  const words = await openModelText(files, base.model, promptSettingsOf(base));
  await noteUnread(words, progress);
  const { codec } = words;
  // Thoughts are treated as in the training, unless a flag says otherwise; an embedded model has none, so that all of its text is read.
  const thinking = flags.thinking ?? thoughtsIn(base, isOwnBase(flags) ? words.knowsThinking : null);
  const { adapter, loraRank } = base;
  const use = { adapter: { adapter, loraRank } };
  const { device, engine, free } = await openEngine(files, { ...flags, isPlain: true }, context, use);
  if (file) file.by = await madeBy(root, device.name);
  const grader = await createNodeGrader({ workers: 1 });
  const rows: ImproveRow[] = [];
  try {
    // There is no teacher, so that none of its rows is made.
    const settings = { ...base, mix: 0, finalEvalProblems: flags.count };
    const environment = judgingAnswers(await openEnvironment(settings, flags.environment, codec, grader), thinking);
    const untrained: AnsweringModel = { spec: base, name: { arm: 'base', seed: null }, adapterParams: null };
    const own = isOwnBase(flags) ? { base: base.model } : {};
    const all = flags['no-base'] ? trained : [untrained, ...trained];
    for (const [i, { name, adapterParams }] of all.entries()) {
      progress.update('models', i, all.length, `${name.arm} ${name.seed ?? ''}`);
      if (adapterParams && adapterParams.length !== engine.adapterLayout.total)
        throw new SpecError('The runs of the folder have different adapters.', 'Choose one with --arm-seed.');
      engine.setAdapterParams(adapterParams ?? engine.initialAdapterParams);
      const made = await rowsOfModel({ policy: engine, codec }, environment, base, { ...name, ...own }, flags, signal);
      rows.push(...made);
      // Rows are written model by model, so that a stop loses only the model under way.
      await file?.append(...made);
    }
  } finally {
    free();
    await grader.close();
  }
  return rows;
}

async function rowsOfModel(
  ports: { policy: Engine; codec: PromptCodec },
  environment: TrainingEnvironment,
  { maxNew }: RunSpec,
  name: AnsweringModel['name'] & Pick<ImproveRow, 'base'>,
  flags: Options,
  signal: AbortSignal,
): Promise<ImproveRow[]> {
  const tasks = environment.evaluation.final.map(({ task }) => task);
  const rows: ImproveRow[] = [];
  for (const way of flags.ways ?? WAYS)
    for (let seed = 1; seed <= (way === 'greedy' ? 1 : flags.seeds); seed++) {
      const isIndependent = way === 'independent';
      const settings = {
        steps: flags.steps,
        seed,
        temperature: way === 'greedy' ? 0 : 1,
        maxNew,
        isIndependent,
        signal,
      };
      const sampling = way === 'greedy' ? 0 : seed;
      for (const row of await improveTasks(ports, environment, tasks, settings))
        rows.push({ ...name, sampling, way, ...row });
      signal.throwIfAborted();
    }
  return rows;
}

/** The embedded model that the runs name, or the folder that they were trained on. */
async function baseOf(id: string, flags: Options, context: CommandContext): Promise<ModelFiles> {
  if (!isOwnBase(flags)) return loadEmbeddedModel(context.root, id);
  const own = await modelIdOf(flags, context);
  if (own === id) return (await openModel(flags, context)).files;
  const named = flags.model ?? flags.adapter;
  throw new SpecError(`${named}: the runs were trained on ${id}.`, 'Name that folder, and its --adapter.');
}

const isOwnBase = ({ model, adapter }: Options): boolean => model !== null || adapter !== null;

async function runsOf({ run, 'arm-seed': one, deployed: isDeployed }: Options): Promise<AnsweringModel[]> {
  if (run === null) return [];
  const names = await readdir(resolve(run)).catch(() => []);
  const found = [...new Set(names.flatMap((name) => /^(.+)\.checkpoint$/.exec(name)?.[1] ?? []))].sort();
  const wanted = one !== null ? [one] : found.length > 0 ? found : [null];
  const models = await Promise.all(
    wanted.map(async (id): Promise<AnsweringModel[]> => {
      const { spec: kept, optimizer } = await checkpointOf(run, id, RUN_WORDS);
      const spec = withDefaults(kept) as RunSpec;
      const { arm, seed, projection } = spec;
      const whole = { spec, name: { arm, seed }, adapterParams: optimizer.total };
      if (!isDeployed || projection !== 'route') return [whole];
      const quarantines = { deployed: optimizer.hack, ...optimizer.shadows };
      const others = Object.entries(quarantines).map(([name, quarantine]) => ({
        spec,
        name: { arm: `${arm}/${name}`, seed },
        adapterParams: deployed(optimizer, quarantine),
      }));
      return [whole, ...others];
    }),
  );
  return models.flat();
}

async function openEnvironment(
  spec: RunSpec,
  id: string,
  codec: PromptCodec,
  grader: Grader,
): Promise<TrainingEnvironment> {
  if (spec.environment !== id)
    throw new SpecError(`The runs acted in ${spec.environment}.`, `Give --environment ${spec.environment}.`);
  const maker = await environmentNamed(id).load();
  return drained(maker.make(spec, { codec, grader, artifacts: null }));
}

const defaultRunIn = (environment: string): RunSpec =>
  resolveRuns(parseExperimentSpec({ preset: 'demo', overrides: { environment } }))[0];
