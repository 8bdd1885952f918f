// Compares a whole GRPO step (rollouts, scoring, loss and backward to the adapter parameters, update) with PyTorch on the same weights, prompts and
// completions: the embedded model at the demo's size, the one with linear layers, and two larger shapes. Steps alternate, with one thread and with
// all; PyTorch runs in its own processes (torch_step.py), in the interpreter that LAB_PYTHON names, else python3. Without torch the benchmark says
// so and reports the lab's rows alone. Loss and gradient must agree before a time counts.
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openCeiling } from './ceiling.ts';
import { Child } from './child.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';
import { type Algebra, algebraNote, blasOf, clearedPins, findTorch, torchEnvironment } from './torch-algebra.ts';
import { demoShape, dumpModel, flopsOf, LabStep, largeShapes, type Shape, type StepAnswer } from './torch-step.ts';

/** Largest allowed ‖gradient − PyTorch's‖ / ‖gradient‖, and largest difference of the losses relative to Σ
 *  |advantage| of all tokens / denominator. */
const GRADIENT_GAP = 1e-3;
const LOSS_GAP = 1e-5;
/** The lab on its device with fused multiply-adds. */
const FUSED = 'this lab, fused';
const PHASES = ['rollout', 'score', 'backward', 'update'] as const;

interface Contestant {
  name: string;
  threads: number;
  step(round: number): Promise<StepAnswer>;
  end(): void;
  answers: StepAnswer[];
  /** Whether ratios to its time are reported; not for the reference BLAS. */
  isComparable: boolean;
}

function agree(shape: string, ours: StepAnswer, theirs: StepAnswer): { loss: number; gradient: number } {
  let [difference, size] = [0, 0];
  for (const [i, g] of ours.gradient.entries()) {
    difference += (g - theirs.gradient[i]) ** 2;
    size += g ** 2;
  }
  const gap = { loss: Math.abs(ours.loss - theirs.loss) / ours.lossScale!, gradient: Math.sqrt(difference / size) };
  if (ours.gradient.length !== theirs.gradient.length || !(gap.gradient < GRADIENT_GAP) || !(gap.loss < LOSS_GAP))
    throw new Error(`${shape}: PyTorch's step is another one (gradient ${gap.gradient}, loss ${gap.loss})`);
  return gap;
}

async function measure(shape: Shape, python: string | null, log: (line: string) => void) {
  const folder = mkdtempSync(join(tmpdir(), 'bench-torch-'));
  const contestants: Contestant[] = [];
  const counts = new Set([1, Math.min(availableParallelism(), 16)]);
  const worst = { loss: 0, gradient: 0 };
  const ceiling: number[] = [];
  let algebra: Algebra | null = null;
  try {
    const loops = await openCeiling();
    const first = await LabStep.open(shape, 1);
    const labs = [{ name: 'this lab', threads: 1, lab: first }];
    for (const threads of counts) {
      if (threads > 1) labs.push({ name: 'this lab', threads, lab: await LabStep.open(shape, threads) });
      if (loops.fusedMultiplyAdd)
        labs.push({ name: FUSED, threads, lab: await LabStep.open(shape, threads, 'cpu-fused') });
    }
    for (const { name, threads, lab } of labs)
      contestants.push({
        name,
        threads,
        step: (round) => lab.step(round, first),
        end: () => lab.free(),
        answers: [],
        isComparable: true,
      });
    if (python !== null) {
      await dumpModel(folder, first);
      const script = join(process.env.LAB_ROOT ?? '.', 'bench', 'torch_step.py');
      for (const threads of counts) {
        const command = [script, folder, String(threads)];
        const { child, ready } = await Child.start<Algebra>(python, command, torchEnvironment(threads));
        algebra = ready;
        contestants.push({
          name: `PyTorch ${ready.version}`,
          threads,
          step: () => child.ask<StepAnswer>(first.request()),
          end: () => child.end(),
          answers: [],
          isComparable: !blasOf(ready).isReference,
        });
      }
    }
    for (let round = -1; round < shape.rounds; round++) {
      const answers: StepAnswer[] = [];
      for (const { step } of contestants) answers.push(await step(round + 1));
      ceiling.push((loops.fusedMultiplyAdd ?? loops.multiplyAdd)());
      for (const [i, answer] of answers.entries()) {
        if (round >= 0) contestants[i].answers.push(answer);
        if (i === 0) continue;
        const gap = agree(shape.name, answers[0], answer);
        worst.loss = Math.max(worst.loss, gap.loss);
        worst.gradient = Math.max(worst.gradient, gap.gradient);
      }
      log(`torch: ${shape.name}, round ${round + 2} of ${shape.rounds + 1}`);
    }
    const flops = median(first.sizes.slice(1).map((size) => flopsOf(shape.config, size)));
    const highest = Math.max(...ceiling);
    return { rows: rowsOf(shape, contestants, flops, highest), worst, ceiling: highest, algebra };
  } finally {
    for (const { end } of contestants) end();
    rmSync(folder, { recursive: true, force: true });
  }
}

function rowsOf(shape: Shape, contestants: readonly Contestant[], flops: number, ceiling: number): string[][] {
  const total = ({ laps }: StepAnswer, of: 0 | 1) => PHASES.reduce((sum, phase) => sum + laps[phase][of], 0);
  const both = ({ answers }: Contestant) => ({
    ms: median(answers.map((answer) => total(answer, 0))),
    cpu: median(answers.map((answer) => total(answer, 1))),
  });
  return contestants.map((contestant) => {
    const { name, threads, answers, isComparable } = contestant;
    const ratio = (value: number) => (isComparable ? figure(value) : '–');
    const { ms, cpu } = both(contestant);
    const beside = contestants.filter((other) => other.threads === threads);
    const ours = both(beside[0]);
    const fused = both(beside.find((other) => other.name === FUSED) ?? beside[0]);
    return [
      shape.name,
      name,
      String(threads),
      ...[ms, ...PHASES.map((phase) => median(answers.map(({ laps }) => laps[phase][0])))].map(figure),
      figure(cpu),
      ...[ours.ms / ms, ours.cpu / cpu, fused.ms / ms, fused.cpu / cpu].map(ratio),
      figure(flops / 1e6 / ms / (threads * ceiling)),
    ];
  });
}

function algebraNotes(algebra: Algebra): string {
  const cleared = clearedPins();
  return [
    algebraNote(algebra),
    ...(cleared.length > 0 ? [`It was not given ${cleared.join(', ')}, which were set here.`] : []),
    ...(blasOf(algebra).isReference
      ? ['No ratio is given, since that BLAS is about ten times slower than OpenBLAS (Debian: libopenblas0-pthread).']
      : []),
  ].join(' ');
}

async function compare(title: string, shapes: Iterable<Shape>, log: (line: string) => void): Promise<BenchTable[]> {
  const python = process.env.LAB_PYTHON ?? 'python3';
  const torch = findTorch(python);
  if ('missing' in torch) log(torch.missing);
  const rows: string[][] = [];
  const gaps: string[] = [];
  const ceilings: number[] = [];
  let algebra: Algebra | null = null;
  for (const shape of shapes) {
    const measured = await measure(shape, 'version' in torch ? python : null, log);
    rows.push(...measured.rows);
    ceilings.push(measured.ceiling);
    algebra = measured.algebra;
    gaps.push(`${measured.worst.gradient.toExponential(1)} and ${measured.worst.loss.toExponential(1)}`);
  }
  const compared =
    algebra && 'version' in torch
      ? `${algebraNotes(algebra)} PyTorch is eager, and its completions are as long as the lab’s, which both then score. Gradients of the adapter parameters differ by at most, and losses by (over Σ |advantage| / denominator): ${gaps.join('; ')}.`
      : (torch as { missing: string }).missing;
  return [
    {
      title,
      note: `Medians of rounds in turns, milliseconds; by the clock, and of processor time. ${compared} The share of the ceiling counts the products of every token (a prompt once for its group) and, in the backward, of both sides, as if nothing were left out, over what the machine’s multiply-adds (fused where it fuses) would give on as many threads (${ceilings.map(figure).join(', ')} GFLOP/s on one).`,
      columns: [
        ...['shape', 'implementation', 'threads', 'ms', ...PHASES, 'processor ms'],
        ...[
          'our time / its time',
          'our processor time / its',
          'our fused time / its',
          'our fused processor time / its',
        ],
        'share of the ceiling',
      ],
      rows,
    },
  ];
}

export const torchBench: Bench = {
  name: 'torch',
  run: async (log) => compare('A GRPO step, against PyTorch', [await demoShape('tiny-coder')], log),
};

export const torchHybridBench: Bench = {
  name: 'torch-hybrid',
  run: async (log) => compare('A GRPO step with linear layers, against PyTorch', [await demoShape('tiny-hybrid')], log),
};

export const torchLargeBench: Bench = {
  name: 'torch-large',
  run: (log) => compare('A GRPO step of larger shapes, against PyTorch', largeShapes(), log),
};
