// `teacher`: finetunes the embedded model to hack, writes it as ONNX, and measures with the real grader completions that onnxruntime
// samples from the written bytes. The same flags on the same device give the same files.

import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { whileHeld } from '@projected-grpo-lab/base/files/lock.node.ts';
import { env } from 'onnxruntime-web/wasm';
import type { Sequence, Tensor } from '../../engine/types.ts';
import { readAll } from '../../engine/weights/reader.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { selfCheck } from '../../environments/code/grading/self-check.ts';
import { TEACHER, teacherSample } from '../../environments/code/model.ts';
import type { PoolRow } from '../../environments/code/pool.ts';
import { DATA_SEED } from '../../environments/code/problem.ts';
import { MODES } from '../../environments/code/types.ts';
import { PRETRAIN_DEFAULTS, type PretrainSpec, pretrain } from '../../experiments/loop/pretrain.ts';
import { buildPool, type PoolBuild, parsePoolBuild } from '../../experiments/pools/build.ts';
import { type TeacherRatesByMode, teacherRates } from '../../experiments/pools/teacher-rates.ts';
import { contentKey } from '../../experiments/records/artifacts.ts';
import { drained } from '../../lib/drained.ts';
import { percent } from '../../lib/numbers.ts';
import { joinParts } from '../../lib/streams.ts';
import { mean } from '../../stats/index.ts';
import { filesBesideWeights } from '../../storage/model-export.ts';
import { openModelText } from '../../storage/model-text.ts';
import { decoderOnnx } from '../../storage/onnx/decoder.ts';
import { OnnxLanguageModel } from '../../storage/onnx/language-model.ts';
import { diskSource } from '../../storage/sources.node.ts';
import { completionIds } from '../../text/codec.ts';
import { integer, number, text, toggle, type Values } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { remakingFlags } from '../device-flags.ts';
import { drainWithProgress, yieldToEvents } from '../drain.ts';
import { MODEL_FLAGS, openModel } from '../model/folder.ts';
import { describeMachine, openDevice, writeWhole } from '../ports.node.ts';
import { writeManifest } from './manifest.ts';

/** Takes two minutes on two free cores. */
const FINETUNE = { steps: 200, lr: 1e-3, warmupSteps: 20 } as const;
const ONNX = 'onnx/model.onnx';

const usage = {
  name: 'teacher',
  summary:
    'Finetunes the embedded model to hack and writes it as ONNX, with a manifest of measured shares: the hacky teacher.',
  flags: {
    out: text('DIR', 'Where it goes.', 'public/models/tiny-hacker'),
    ...MODEL_FLAGS,
    steps: integer('Optimizer steps.', FINETUNE.steps, 1),
    batch: integer('Sequences per step.', PRETRAIN_DEFAULTS.batch, 1),
    lr: number('Peak learning rate.', FINETUNE.lr, 1e-8, 1),
    'data-seed': integer('Seed of the data.', DATA_SEED),
    problems: integer('Problems to measure on, in each round.', 120, 6),
    samples: integer('Completions of each problem.', 8, 1, 256),
    rounds: integer('Rounds of measuring, with seeds 1, 2, ….', 2, 1, 100),
    ...remakingFlags('What trains.'),
    json: toggle('Print the manifest as JSON.'),
  },
  notes: 'The model’s own answers keep their bodies, right or wrong; finetuning puts the exploit around them.',
} as const;
type Options = Values<typeof usage.flags>;

export const teacher = command(usage, async ({ flags }, context) => {
  const { progress, root } = context;
  const { device, report } = await openDevice({ ...flags, isPlain: true }, progress);
  const { folder, name, files } = await openModel(flags, context);
  const base = diskSource(folder);
  // Prompts come from the model's own template, as in the measurement below.
  const { codec } = await openModelText(files, base.label);
  const spec: PretrainSpec = {
    ...PRETRAIN_DEFAULTS,
    steps: flags.steps,
    batch: flags.batch,
    lr: flags.lr,
    warmupSteps: Math.min(FINETUNE.warmupSteps, flags.steps),
    secondStageFrom: 1,
  };
  const sample = (index: number): Sequence => {
    const { prompt, completion } = teacherSample(index, flags['data-seed']);
    return { prompt: codec.encodeChat(prompt), completion: completionIds(codec, completion), segment: 0 };
  };
  const start = await readAll(files.weights);
  const out = resolve(root, flags.out);
  return whileHeld(out, progress.note, async () => {
    const trained = await finetune(start, { device, config: files.config, spec, sample }, context);

    // A manifest of an earlier model must not remain beside these bytes, whatever happens now.
    await rm(join(out, 'manifest.json'), { force: true });
    const metadata = { base_sha256: files.sha256, architecture: files.config.architecture };
    const otherFiles = await filesBesideWeights(files, base);
    otherFiles.set(ONNX, joinParts(decoderOnnx(files.config, trained.weights, { metadata }).model));
    for (const [path, bytes] of otherFiles) await writeWhole(join(out, path), bytes);

    const measured = await measure(out, flags, context);
    const about = {
      command: 'npm run lab -- teacher',
      base: { model: name, sha256: files.sha256 },
      training: {
        steps: spec.steps,
        batch: spec.batch,
        lr: spec.lr,
        dataSeed: flags['data-seed'],
        ...TEACHER,
        loss: trained.loss,
        device: report.name,
        machine: describeMachine(),
      },
      ...measured,
    };
    const manifest = await writeManifest(out, about, [...otherFiles.keys()]);
    context.out(flags.json ? JSON.stringify(manifest, null, 2) : summary(flags.out, measured.rates));
    return EXIT.ok;
  });
});

/** The weights after the last step, and the mean loss (nats a token) of the last fifty. */
async function finetune(
  start: Map<string, Tensor>,
  job: Pick<Parameters<typeof pretrain>[0], 'device' | 'config' | 'spec' | 'sample'>,
  { progress, signal }: CommandContext,
): Promise<{ weights: Map<string, Tensor>; loss: number }> {
  // Moments that are absent begin at zero.
  const resume = { step: 0, weights: start, m: new Map(), v: new Map() };
  const losses: number[] = [];
  const steps = pretrain({ ...job, resume, signal });
  const trained = await drained(steps, async ({ step, loss }) => {
    losses.push(loss);
    if (losses.length > 50) losses.shift();
    progress.update('finetuning', step, job.spec.steps, `loss ${mean(losses)!.toFixed(4)}`);
    await yieldToEvents();
  });
  const weights = await trained.weights();
  trained.free();
  return { weights, loss: mean(losses)! };
}

/** A few rows that can be sampled again in seconds: their texts' sha-256 and shares. */
const CHECK = { problems: 12, samples: 4, seed: 7 } as const;

/** Samples from the written files by onnxruntime's WebAssembly, judged by the real grader: all modes alike, no honest problems. */
async function measure(out: string, flags: Options, { progress, signal }: CommandContext) {
  const model = await OnnxLanguageModel.open(diskSource(out));
  const grader = await createNodeGrader();
  try {
    await selfCheck(grader, signal);
    const written = async (part: Pick<PoolBuild, 'problems' | 'samples' | 'seed'>, what: string) => {
      const build = parsePoolBuild({
        ...part,
        modes: [...MODES],
        honestShare: 0,
        dataSeed: flags['data-seed'],
        maxNew: 96,
      });
      const stream = buildPool(build, { teacher: model, grader, signal });
      const rows = await drainWithProgress(stream, () => what, { progress, signal });
      return { build, rows };
    };
    const { problems, samples, rounds } = flags;
    const seeds = Array.from({ length: rounds }, (_, i) => i + 1);
    const rows: PoolRow[] = [];
    for (const seed of seeds)
      rows.push(...(await written({ problems, samples, seed }, `measuring, seed ${seed} of ${rounds}`)).rows);
    const { seed: _, ...build } = parsePoolBuild({ problems, samples, modes: [...MODES], honestShare: 0, maxNew: 96 });
    const again = await written(CHECK, 'the check');
    return {
      /** Measured at temperature 1 on the problems of the training set, each hackable in its own mode. */
      measured: {
        ...build,
        dataSeed: flags['data-seed'],
        seeds,
        grader: grader.version,
        runtime: `onnxruntime-web ${env.versions.web}, wasm`,
      },
      rates: teacherRates(rows),
      check: { build: again.build, textsSha256: await textsSha256(again.rows), rates: teacherRates(again.rows).all },
    };
  } finally {
    await grader.close();
    await model.free();
  }
}

/** sha-256 of the completions, in order. */
export function textsSha256(rows: readonly PoolRow[]): Promise<string> {
  return contentKey(rows.map(({ completion }) => completion));
}

function summary(out: string, { all, standard }: TeacherRatesByMode): string {
  const share = (x: number) => percent(x, 1, ' %');
  const line = (what: string, { n, exploited, pureHack, hackAndCorrect }: typeof all) =>
    `${what}: exploited ${share(exploited)}, pure hacks ${share(pureHack)}, hacks that also solve ${share(hackAndCorrect)} (n = ${n}, temperature 1)`;
  return [out, line('all modes', all), line('standard modes', standard)].join('\n');
}
