// Measures training steps of the presets on the embedded model: seconds by phase, rollouts and tokens per second.
// Figures are medians over the steps after the first, which allocates buffers and compiles.
import { availableParallelism } from 'node:os';
import { chooseNodeDevice, loadEmbeddedModel } from '../src/cli/ports.node.ts';
import { Engine } from '../src/engine/decoder/engine.ts';
import { initialWeights } from '../src/engine/decoder/trainer.ts';
import { createNodeGrader } from '../src/environments/code/grading/node-grader.node.ts';
import { tokenizerFileTexts } from '../src/environments/code/tokenizer.ts';
import { type DeviceChoice, parseExperimentSpec, resolveRuns } from '../src/experiments/config/spec.ts';
import { runExperiment } from '../src/experiments/kinds/run/experiment.ts';
import { TINY_CODER } from '../src/experiments/loop/pretrain.ts';
import type { StepRow, StepTiming } from '../src/experiments/records/events.ts';
import { allowFused } from '../src/kernels/cpu/fused.node.ts';
import { fusedProblem } from '../src/kernels/cpu/simd.ts';
import { SIMD_NAMES } from '../src/kernels/device.ts';
import { loadCodec } from '../src/text/codec.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';

const STEPS = 6;
const PHASES = ['rollout', 'grade', 'score', 'backward', 'update'] as const;

/** Opens the embedded model, or untrained weights of the same shape if it is missing. */
async function model() {
  try {
    const files = await loadEmbeddedModel(process.env.LAB_ROOT ?? '.', 'tiny-coder');
    return { ...files, name: 'tiny-coder' };
  } catch {
    const texts = tokenizerFileTexts();
    return {
      config: TINY_CODER,
      weights: initialWeights(TINY_CODER, 1),
      sha256: 'untrained',
      tokenizerJson: JSON.parse(texts['tokenizer.json']),
      tokenizerConfig: JSON.parse(texts['tokenizer_config.json']),
      name: 'tiny-coder (untrained: completions of full length)',
    };
  }
}

/** The last case repeats the demo's step with LoRA, to compare its cost with that of singular directions. */
const CASES = [
  { preset: 'classic', adapter: 'svd', label: '4 prompts × 8 (classic)' },
  { preset: 'demo', adapter: 'svd', label: '8 prompts × 8 (demo)' },
  { preset: 'demo', adapter: 'lora', label: '8 prompts × 8 (demo), LoRA of rank 32' },
] as const;

type Entry = (typeof CASES)[number];
type Timed = { timing: StepTiming; row: StepRow };

/** Opens a run whose steps can be made one by one. */
async function openSteps(choice: DeviceChoice, { preset, adapter }: Entry, threads?: number) {
  const { config, weights, sha256, tokenizerJson, tokenizerConfig } = await model();
  const { device } = await chooseNodeDevice({ device: choice, threads });
  const grader = await createNodeGrader();
  const spec = parseExperimentSpec({
    preset,
    arms: ['route-update'],
    seeds: [41],
    device: choice,
    overrides: { steps: STEPS, evalEvery: 0, finalEvalProblems: 1, checkpointEvery: 0, adapter },
  });
  const stream = runExperiment(spec, {
    experimentId: 'bench',
    policy: await Engine.create({ device, config, weights, adapter: resolveRuns(spec)[0] }),
    device,
    codec: await loadCodec(tokenizerJson as object, tokenizerConfig as object),
    grader,
    about: { modelId: 'tiny-coder', modelSha256: sha256, appVersion: 'bench' },
    checkpoints: null,
    artifacts: null,
    date: () => Date.now(),
    now: () => performance.now(),
  });
  return {
    name: device.name,
    async next(): Promise<Timed> {
      for (;;) {
        const { value, done } = await stream.next();
        if (done) throw new Error('the run has no more steps');
        if (value.type === 'step') return value;
      }
    },
    async close() {
      await grader.close();
      device.destroy();
    },
  };
}

async function steps(choice: DeviceChoice, entry: Entry, log: (line: string) => void) {
  const { name, next, close } = await openSteps(choice, entry);
  const timed: Timed[] = [];
  for (let step = 1; step <= STEPS; step++) {
    timed.push(await next());
    const { timing } = timed[step - 1];
    log(`${name}, ${entry.preset}, ${entry.adapter}: step ${step} of ${STEPS}, ${timing.total.toFixed(2)} s`);
  }
  await close();
  return { name, timed: timed.slice(1) };
}

/** Returns the CPU kinds to measure: only the plain one if the machine has no fused operations. */
async function cpuKinds(): Promise<('cpu' | 'cpu-fused')[]> {
  allowFused();
  return (await fusedProblem()) === null ? ['cpu', 'cpu-fused'] : ['cpu'];
}

/** Measures the demo's step on both kinds of CPU device, with every number of threads up to the cores, in alternating steps; all rows of one kind
 *  must be equal. */
export const threadsBench: Bench = {
  name: 'threads',
  async run(log): Promise<BenchTable[]> {
    const counts = Array.from({ length: Math.min(availableParallelism(), 16) }, (_, i) => i + 1);
    const ways = (await cpuKinds()).flatMap((kind) => counts.map((threads) => ({ kind, threads })));
    const runs = await Promise.all(ways.map(({ kind, threads }) => openSteps(kind, CASES[1], threads)));
    const timed: Timed[][] = ways.map(() => []);
    for (let step = 1; step <= STEPS; step++) {
      for (const [i, { next }] of runs.entries()) timed[i].push(await next());
      const rows = timed.map((steps, i) => `${ways[i].kind} ${JSON.stringify(steps[step - 1].row)}`);
      if (new Set(rows).size !== new Set(ways.map(({ kind }) => kind)).size)
        throw new Error(`step ${step} differs with the number of threads`);
      log(
        `step ${step} of ${STEPS}: ${timed.map((steps) => `${steps[step - 1].timing.total.toFixed(2)} s`).join(', ')}`,
      );
    }
    for (const { close } of runs) await close();
    const of = (steps: Timed[], value: (timing: StepTiming) => number) =>
      median(steps.slice(1).map(({ timing }) => value(timing)));
    const total = timed.map((steps) => of(steps, (timing) => timing.total));
    const plain = (threads: number) => total[ways.findIndex((way) => way.threads === threads)];
    return [
      {
        title: 'The demo’s step by threads',
        note: `${(await model()).name} route (update) with its controls; medians of ${STEPS - 1} steps, in seconds, a step of each in turns. A device’s rows are equal to the last digit with any number of threads.`,
        columns: ['device', 'threads', 'total', ...PHASES, 'speed-up', 'plain time / its time'],
        rows: ways.map(({ kind, threads }, i) => [
          SIMD_NAMES[kind],
          String(threads),
          figure(total[i]),
          ...PHASES.map((phase) => figure(of(timed[i], ({ phases }) => phases[phase] ?? 0))),
          figure(total[ways.findIndex((way) => way.kind === kind)] / total[i]),
          figure(plain(threads) / total[i]),
        ]),
      },
    ];
  },
};

export const stepBench: Bench = {
  name: 'step',
  async run(log): Promise<BenchTable[]> {
    const { report, device } = await chooseNodeDevice({ device: 'auto' });
    device.destroy();
    const choices: DeviceChoice[] = [...(await cpuKinds()), ...(report.kind === 'webgpu' ? (['webgpu'] as const) : [])];
    const rows: string[][] = [];
    for (const choice of choices) {
      for (const entry of CASES) {
        const { name, timed } = await steps(choice, entry, log);
        const of = (value: (entry: (typeof timed)[number]) => number) => median(timed.map(value));
        const live = of(({ row }) => row.student.n);
        rows.push([
          name,
          entry.label,
          figure(of(({ timing }) => timing.total)),
          ...PHASES.map((phase) => figure(of(({ timing }) => timing.phases[phase] ?? 0))),
          figure(live / of(({ timing }) => timing.phases.rollout)),
          figure(of(({ timing }) => timing.tokensPerSecond)),
        ]);
      }
    }
    return [
      {
        title: 'A training step, by phase',
        note: `${(await model()).name}, route (update) with its controls; medians of ${STEPS - 1} steps, in seconds.`,
        columns: ['device', 'step', 'total', ...PHASES, 'rollouts/s', 'tokens/s'],
        rows,
      },
    ];
  },
};
