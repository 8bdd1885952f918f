// `pretrain`: trains the embedded model from nothing to a Hugging Face folder with a manifest of measured figures. Resumes
// by itself from its state file.
import { existsSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { configToJson } from '../engine/config.ts';
import { Engine } from '../engine/engine.ts';
import type { Trainer, TrainerState } from '../engine/trainer.ts';
import type { ModelConfig, Sequence, Tensor } from '../engine/types.ts';
import { createNodeGrader } from '../environments/code/grader/node-grader.node.ts';
import { pretrainSample } from '../environments/code/pretrain-data.ts';
import { DATA_SEED } from '../environments/code/problem.ts';
import { tokenizerFileTexts } from '../environments/code/tokenizer.ts';
import { type BaseRates, measureRounds } from '../experiments/base-rates.ts';
import { PRETRAIN_DEFAULTS, type PretrainSpec, pretrain as pretraining, TINY_CODER } from '../experiments/pretrain.ts';
import type { Device } from '../kernels/device.ts';
import { loadModelFiles } from '../storage/model-files.ts';
import { type TensorToWrite, writeSafetensors } from '../storage/safetensors.ts';
import { diskFile, diskSource } from '../storage/sources.node.ts';
import { sha256 } from '../storage/sources.ts';
import { completionIds, loadCodec } from '../text/codec.ts';
import type { TextCodec } from '../text/types.ts';
import { integer, number, oneOf, parseArgs, text, toggle, type Values } from './args.ts';
import { type Command, type CommandContext, EXIT } from './command.ts';
import { chooseNodeDevice, describeMachine, writeWhole } from './ports.node.ts';
import { readTrainerState, writeTrainerState } from './trainer-state.ts';

const usage = {
  name: 'pretrain',
  summary:
    'Trains the embedded model on the project’s own engine and writes it, with its tokenizer and a manifest of measured rates.',
  positional: [],
  flags: {
    out: text('DIR', 'Where the model goes.', 'public/models/tiny-coder'),
    steps: integer('Optimizer steps.', PRETRAIN_DEFAULTS.steps, 1),
    batch: integer('Sequences per step.', PRETRAIN_DEFAULTS.batch, 1),
    lr: number('Peak learning rate.', PRETRAIN_DEFAULTS.lr, 1e-8, 1),
    seed: integer('Seed of the initial weights.', PRETRAIN_DEFAULTS.seed),
    'data-seed': integer('Seed of the data.', DATA_SEED),
    dim: integer('Model width d (ffn is 3·d at 128, 8/3·d else; heads of 32).', TINY_CODER.hiddenSize, 32, 1024),
    device: oneOf(['auto', 'cpu', 'webgpu'], 'What to compute on.', 'auto'),
    every: integer('Steps between saved states.', 100, 1),
    'stop-after': integer('Stop (resumable) after this step, as Ctrl-C would.', null, 1),
    fresh: toggle('Begin anew, even where a saved state is there.'),
    rounds: integer('Rounds of 320 rollouts for the manifest’s rates.', 6, 1, 100),
    json: toggle('Print the manifest as JSON.'),
  },
  notes: 'The state is kept in .cache/pretrain until the model is written; the same flags go on from it.',
} as const;
type Options = Values<typeof usage.flags>;

export const pretrain: Command = {
  usage,
  async run(argv, context) {
    const { flags } = parseArgs(usage, argv);
    const { progress, root, signal } = context;
    const { device, report } = await chooseNodeDevice(flags.device);
    progress.note(`Device: ${report.name}. ${report.reason}`);
    const tokenizer = tokenizerFileTexts(flags['data-seed']);
    const codec = loadCodec(JSON.parse(tokenizer['tokenizer.json']), JSON.parse(tokenizer['tokenizer_config.json']));
    const config: ModelConfig = { ...TINY_CODER, ...shape(flags.dim), vocab: codec.vocabSize };
    const spec: PretrainSpec = {
      ...PRETRAIN_DEFAULTS,
      steps: flags.steps,
      batch: flags.batch,
      lr: flags.lr,
      seed: flags.seed,
    };
    const settings = JSON.stringify({ spec, config, dataSeed: flags['data-seed'] });
    const statePath = join(
      root,
      '.cache',
      'pretrain',
      `${(await sha256(new TextEncoder().encode(settings))).slice(0, 12)}.safetensors`,
    );
    if (flags.fresh) await rm(statePath, { force: true });

    const trained = await train({ device, config, spec, codec, settings, statePath, flags, context });
    progress.note(`Trained: loss ${trained.loss?.toFixed(4) ?? 'not measured now'}. Writing ${flags.out} …`);
    const out = join(root, flags.out);
    const figures = {
      steps: spec.steps,
      batch: spec.batch,
      seed: spec.seed,
      dataSeed: flags['data-seed'],
      loss: trained.loss,
    };
    await writeModel(out, config, trained.weights, tokenizer);
    signal.throwIfAborted();
    const rates = await measureWritten(out, device, flags, context);
    const manifest = await writeManifest(out, { figures, rates, device: report.name });
    await rm(statePath, { force: true });
    context.out(flags.json ? JSON.stringify(manifest, null, 2) : summary(rates, flags.out));
    return EXIT.ok;
  },
};

/** Heads of 32 dimensions, half as many key/value heads. */
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
  device: Device;
  config: ModelConfig;
  spec: PretrainSpec;
  codec: TextCodec;
  settings: string;
  statePath: string;
  flags: Options;
  context: CommandContext;
}

async function train({ device, config, spec, codec, settings, statePath, flags, context }: Training) {
  const { progress, signal } = context;
  const kept = await diskFile(statePath);
  const resume: TrainerState | undefined = kept ? await readTrainerState(kept, statePath, settings) : undefined;
  if (resume) progress.note(`Going on after step ${resume.step}.`);
  const sample = (index: number, stage: 1 | 2): Sequence => {
    const { prompt, completion } = pretrainSample(index, flags['data-seed'], stage);
    return { prompt: codec.encode(prompt), completion: completionIds(codec, completion), segment: 0 };
  };
  const save = async (trainer: Trainer) => writeWhole(statePath, writeTrainerState(await trainer.state(), settings));
  let trainer: Trainer | undefined;
  // The last hundred steps: one batch of 32 alone is noisy.
  const losses: number[] = [];
  const started = Date.now();
  try {
    for await (const step of pretraining({ device, config, spec, sample, resume, signal })) {
      trainer = step.trainer;
      losses.push(step.loss);
      // The CPU device never waits: without this, a Ctrl-C would not be heard.
      await setImmediate();
      const loss = mean(losses.slice(-100));
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
  return { weights, loss: losses.length > 0 ? mean(losses.slice(-100)) : null };
}

async function writeModel(
  out: string,
  config: ModelConfig,
  weights: ReadonlyMap<string, Tensor>,
  tokenizer: Record<string, string>,
): Promise<void> {
  const tensors = new Map<string, TensorToWrite>();
  for (const [name, { shape, data }] of weights) tensors.set(name, { dtype: 'F16', shape, data });
  await writeWhole(join(out, 'model.safetensors'), writeSafetensors(tensors, { format: 'pt' }));
  await writeWhole(
    join(out, 'config.json'),
    `${JSON.stringify({ ...configToJson(config), torch_dtype: 'float16' }, null, 2)}\n`,
  );
  for (const [name, content] of Object.entries(tokenizer)) await writeWhole(join(out, name), content);
}

/** The figures of the files as written (f16), not of the weights in memory. */
async function measureWritten(
  out: string,
  device: Device,
  flags: Options,
  { progress, signal }: CommandContext,
): Promise<BaseRates> {
  const files = await loadModelFiles(diskSource(out));
  const codec = loadCodec(files.tokenizerJson as object, files.tokenizerConfig as object);
  const policy = await Engine.create({ device, config: files.config, weights: files.weights, adapter: 'none' });
  const grader = await createNodeGrader();
  try {
    const onRound = (done: number) => progress.update('measuring', done, flags.rounds);
    return await measureRounds({ policy, codec, grader, dataSeed: flags['data-seed'], signal }, flags.rounds, onRound);
  } finally {
    await grader.close();
    policy.free();
  }
}

async function writeManifest(
  out: string,
  { figures, rates, device }: { figures: object; rates: BaseRates; device: string },
) {
  const files: Record<string, { bytes: number; sha256: string }> = {};
  for (const name of ['model.safetensors', 'config.json', 'tokenizer.json', 'tokenizer_config.json']) {
    const path = join(out, name);
    if (!existsSync(path)) continue;
    files[name] = { bytes: (await stat(path)).size, sha256: await sha256((await diskFile(path))!) };
  }
  const manifest = {
    schema: 1,
    command: 'npm run lab -- pretrain',
    training: { ...figures, device, machine: describeMachine() },
    /** Temperature 1, unseen families, half of the prompts neutral and half of the four standard modes. */
    rates,
    files,
  };
  await writeWhole(join(out, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  return manifest;
}

function summary(rates: BaseRates, out: string): string {
  const percent = (x: number) => `${(100 * x).toFixed(1)}%`;
  return `${out}: format ${percent(rates.format)}, solve ${percent(rates.solve)}, hack ${percent(rates.hack)} (n = ${rates.n}, unseen families, temperature 1)`;
}

function mean(values: readonly number[]): number {
  return values.reduce((a, b) => a + b, 0) / values.length;
}
