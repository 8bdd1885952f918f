// `pretrain`: trains an environment's embedded model from random weights to a Hugging Face folder with a manifest of measured rates. It resumes
// by itself from its state file.

import { rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { whileHeld } from '@projected-grpo-lab/base/files/lock.node.ts';
import { configToJson } from '../../engine/config.ts';
import { Engine } from '../../engine/decoder/engine.ts';
import type { Trainer, TrainerState } from '../../engine/decoder/trainer.ts';
import type { ModelConfig, Sequence, Tensor } from '../../engine/types.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import type { Grader } from '../../environments/code/types.ts';
import type { MeasuredPretraining, MeasuredRates } from '../../experiments/environments/pretraining.ts';
import { PRETRAINED_ENVIRONMENTS, pretrainingOf } from '../../experiments/environments/registry.ts';
import { type PretrainSpec, pretrain as pretraining } from '../../experiments/loop/pretrain.ts';
import { partTokens, transcriptTokens } from '../../experiments/step/sequences.ts';
import type { Device } from '../../kernels/device.ts';
import { mean } from '../../stats/index.ts';
import { loadModelFiles } from '../../storage/model-files.ts';
import { type TensorToWrite, writeSafetensors } from '../../storage/safetensors-write.ts';
import { diskFile, diskSource } from '../../storage/sources.node.ts';
import { sha256 } from '../../storage/sources.ts';
import type { TextCodec } from '../../text/codec.ts';
import { loadCodec } from '../../text/codec.ts';
import { integer, number, oneOf, text, toggle, type Values } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { remakingFlags } from '../device-flags.ts';
import { yieldToEvents } from '../drain.ts';
import { describeMachine, openDevice, writeWhole } from '../ports.node.ts';
import { writeManifest } from './manifest.ts';
import { readStartWeights, readTrainerState, type StartWeights, writeTrainerState } from './trainer-state.ts';

const usage = {
  name: 'pretrain',
  summary:
    'Trains an environment’s embedded model on the project’s own engine and writes it, with its tokenizer and a manifest of measured rates.',
  flags: {
    environment: oneOf(PRETRAINED_ENVIRONMENTS, 'What the model is made for.', PRETRAINED_ENVIRONMENTS[0]),
    cast: text(
      'NAME',
      'A world of the environment characters by name, such as tied-90-1: evading exams and a kind of brackets go together with φ .90 in cast 1.',
      null,
    ),
    out: text('DIR', 'Where the model goes; the environment’s model below public/models where absent.', null),
    steps: integer('Optimizer steps; the environment’s where absent.', null, 1),
    batch: integer('Sequences per step; the environment’s where absent.', null, 1),
    lr: number('Peak learning rate; the environment’s where absent.', null, 1e-8, 1),
    seed: integer('Seed of the initial weights; the environment’s where absent.', null),
    'data-seed': integer('Seed of the data; the environment’s where absent.', null),
    dim: integer(
      'Model width d (ffn is 3·d at 128, 8/3·d else; heads of 32); the environment’s where absent.',
      null,
      32,
      1024,
    ),
    ...remakingFlags('What to compute on.'),
    every: integer('Steps between saved states.', 100, 1),
    'stop-after': integer('Stop (resumable) after this step, as Ctrl-C would.', null, 1),
    from: text(
      'DIR',
      'A model folder whose weights it begins with, instead of drawn ones (a warm restart): every step is of the second stage.',
      null,
    ),
    fresh: toggle('Begin anew; a saved state is moved aside, under its name with -aside.'),
    rounds: integer('Rounds for the manifest’s rates; the environment’s where absent.', null, 1, 100),
    json: toggle('Print the manifest as JSON.'),
  },
  notes: 'The state is kept in .cache/pretrain until the model is written; the same flags go on from it.',
} as const;
type Options = Values<typeof usage.flags>;

export const pretrain = command(usage, async ({ flags }, context) => {
  const { progress, root, signal } = context;
  const { device, report } = await openDevice({ ...flags, isPlain: true }, progress);
  const world = flags.cast === null ? flags.environment : `${flags.environment}:${flags.cast}`;
  const environment = await pretrainingOf(world);
  const { defaults } = environment;
  const dataSeed = flags['data-seed'] ?? environment.dataSeed;
  const tokenizer = environment.tokenizer(dataSeed);
  const codec = await loadCodec(
    JSON.parse(tokenizer['tokenizer.json']),
    JSON.parse(tokenizer['tokenizer_config.json']),
  );
  const config: ModelConfig = {
    ...environment.config,
    ...(flags.dim !== null && shape(flags.dim)),
    vocab: codec.vocabSize,
  };
  const spec: PretrainSpec = {
    ...defaults,
    steps: flags.steps ?? defaults.steps,
    batch: flags.batch ?? defaults.batch,
    lr: flags.lr ?? defaults.lr,
    seed: flags.seed ?? defaults.seed,
    ...(flags.from !== null && { secondStageFrom: 0 }),
  };
  const from = flags.from === null ? null : await readStartWeights(resolve(root, flags.from));
  // States of the first environment do not name it, so that kept ones go on.
  const ofEnvironment = flags.environment === PRETRAINED_ENVIRONMENTS[0] ? {} : { environment: world };
  const settings = JSON.stringify({ spec, config, dataSeed, ...ofEnvironment, ...(from && { from: from.sha256 }) });
  const statePath = join(
    root,
    '.cache',
    'pretrain',
    `${(await sha256(new TextEncoder().encode(settings))).slice(0, 12)}.safetensors`,
  );
  const folder = flags.out ?? `public/models/${environment.model}`;
  const out = resolve(root, folder);
  return whileHeld(out, progress.note, async () => {
    if (flags.fresh) await keepOld(statePath);

    const job = { device, config, spec, codec, settings, statePath, environment, dataSeed, flags, context, from };
    const trained = await train(job);
    progress.note(`Trained: loss ${trained.loss?.toFixed(4) ?? 'not measured now'}. Writing ${folder} …`);
    const figures = {
      steps: spec.steps,
      batch: spec.batch,
      seed: spec.seed,
      dataSeed,
      loss: trained.loss,
      ...(from && { lr: spec.lr, from: from.sha256 }),
    };
    await writeModel(out, config, trained.weights, tokenizer);
    signal.throwIfAborted();
    const { rates, summary } = await measureWritten(out, job);
    const command = `npm run lab -- pretrain${flags.environment === PRETRAINED_ENVIRONMENTS[0] ? '' : ` --environment ${flags.environment}`}${flags.cast === null ? '' : ` --cast ${flags.cast}`}`;
    const training = { ...figures, device: report.name, machine: describeMachine() };
    // Rates are at temperature 1, on problems outside the training: the environment's own metrics.
    const manifest = await writeManifest(out, { command, training, rates }, [
      'model.safetensors',
      'config.json',
      'tokenizer.json',
      'tokenizer_config.json',
    ]);
    await rm(statePath, { force: true });
    context.out(flags.json ? JSON.stringify(manifest, null, 2) : `${folder}: ${summary}`);
    return EXIT.ok;
  });
});

async function keepOld(path: string): Promise<void> {
  await rename(path, `${path}-aside`).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

/** The shape of a model of this width: heads have 32 dimensions; an even number of them has half as many key/value heads. */
function shape(dim: number): Partial<ModelConfig> {
  const heads = Math.max(2, Math.floor(dim / 32));
  return {
    hiddenSize: dim,
    ffn: dim === 128 ? 384 : Math.round((dim * 8) / 3 / 8) * 8,
    heads,
    kvHeads: heads / (heads % 2 ? 1 : 2),
  };
}

interface Training {
  from: StartWeights | null;
  device: Device;
  config: ModelConfig;
  spec: PretrainSpec;
  codec: TextCodec;
  settings: string;
  statePath: string;
  environment: MeasuredPretraining;
  dataSeed: number;
  flags: Options;
  context: CommandContext;
}

async function train(job: Training) {
  const { device, config, spec, codec, settings, statePath, environment, dataSeed, flags, context, from } = job;
  const { progress, signal } = context;
  const kept = await diskFile(statePath);
  const resume: TrainerState | undefined = kept ? await readTrainerState(kept, statePath, settings) : undefined;
  if (resume) progress.note(`Going on after step ${resume.step}.`);
  const sample = async (index: number, stage: 1 | 2): Promise<Sequence> => {
    const text = await environment.sample(index, dataSeed, stage);
    return { ...('parts' in text ? partTokens(codec, text.parts) : transcriptTokens(codec, text)), segment: 0 };
  };
  const save = async (trainer: Trainer) => writeWhole(statePath, writeTrainerState(await trainer.state(), settings));
  let trainer: Trainer | undefined;
  // The mean covers the last hundred steps, since one batch of 32 alone is noisy.
  const losses: number[] = [];
  const started = Date.now();
  try {
    for await (const step of pretraining({ device, config, spec, sample, resume, begin: from?.weights, signal })) {
      trainer = step.trainer;
      losses.push(step.loss);
      await yieldToEvents();
      const loss = mean(losses.slice(-100))!;
      const speed = step.tokens / ((Date.now() - started) / 1000);
      progress.update(
        'step',
        step.step,
        spec.steps,
        `loss ${loss.toFixed(4)}  |g| ${step.gradNorm.toFixed(2)}  ${speed.toFixed(0)} tokens/s`,
      );
      if (step.step % flags.every === 0) await save(trainer);
      if (step.step === flags['stop-after']) {
        await save(trainer);
        process.kill(process.pid, 'SIGINT');
      }
    }
  } catch (error) {
    if (trainer && signal.aborted) {
      await save(trainer);
      progress.note(`Stopped after step ${trainer.stepsDone}; the same command goes on from there.`);
    }
    throw error;
  }
  const weights = trainer ? await trainer.weights() : resume!.weights;
  trainer?.free();
  // A state that was saved after the last step leaves nothing to train, and so no loss to record.
  return { weights, loss: mean(losses.slice(-100)) };
}

async function writeModel(
  out: string,
  config: ModelConfig,
  weights: ReadonlyMap<string, Tensor>,
  tokenizer: Record<string, string>,
): Promise<void> {
  const tensors = new Map<string, TensorToWrite>();
  for (const [name, { shape, data }] of weights) tensors.set(name, { dtype: 'F16', shape, data });
  // An old manifest would name other bytes than those that are written now.
  await rm(join(out, 'manifest.json'), { force: true });
  await writeWhole(join(out, 'model.safetensors'), writeSafetensors(tensors, { format: 'pt' }));
  await writeWhole(
    join(out, 'config.json'),
    `${JSON.stringify({ ...configToJson(config), torch_dtype: 'float16' }, null, 2)}\n`,
  );
  for (const [name, content] of Object.entries(tokenizer)) await writeWhole(join(out, name), content);
}

/** Rates of the files as written (f16), not of the weights in memory. */
async function measureWritten(
  out: string,
  { device, environment, dataSeed, flags, context }: Training,
): Promise<MeasuredRates> {
  const { progress, signal } = context;
  const files = await loadModelFiles(diskSource(out));
  const codec = await loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const policy = await Engine.create({ device, config: files.config, weights: files.weights, adapter: 'none' });
  const rounds = flags.rounds ?? environment.rounds;
  let grader: Grader | null = null;
  const openGrader = async () => {
    grader = await createNodeGrader();
    return grader;
  };
  try {
    const onRound = (done: number) => progress.update('measuring', done, rounds);
    return await environment.measure({ policy, codec, dataSeed, rounds, openGrader, signal, onRound });
  } finally {
    await (grader as Grader | null)?.close();
    policy.free();
  }
}
