// Measures the GRPO step of the small real model: MiniMind2-Small's shape with a LoRA of rank 16, 8 prompts × 8 completions of 40 + 48 tokens. Each
// part is timed by itself, with the share of its time that its products would take at the machine's ceiling of multiply-adds. Weights are random;
// no completion ends early, so that all steps have the same size.
import { availableParallelism } from 'node:os';
import { adamStep, zeroMoments } from '../src/algorithms/adamw.ts';
import { groupAdvantages } from '../src/algorithms/advantages.ts';
import { sequenceLoss } from '../src/algorithms/grpo-loss.ts';
import { chooseNodeDevice } from '../src/cli/ports.node.ts';
import { Engine } from '../src/engine/decoder/engine.ts';
import { initialWeights } from '../src/engine/decoder/trainer.ts';
import { memoryNeed } from '../src/engine/memory/memory.ts';
import { QWEN3_26M } from '../src/engine/testing/qwen3.ts';
import { linearShape, linearsOf } from '../src/engine/weight-names.ts';
import { keyFor, STREAMS } from '../src/rng/index.ts';
import { openCeiling } from './ceiling.ts';
import { type Bench, figure, median } from './table.ts';

const [PROMPTS, GROUP, PROMPT_TOKENS, MAX_NEW, RANK, ROUNDS] = [8, 8, 40, 48, 16, 2];
const PARTS = ['fold', 'prefill', 'decode', 'grade', 'score', 'backward', 'optimizer'] as const;
type Part = (typeof PARTS)[number];

/** FLOPs of the products alone: a group's prompt counts once, with gradients of activations and of A and B. */
function flops(): Record<Part, number> {
  const { layers, vocab, hiddenSize } = QWEN3_26M;
  const shapes = linearsOf(QWEN3_26M, 0).map((role) => linearShape(QWEN3_26M, role));
  const linears = layers * shapes.reduce((sum, [dOut, dIn]) => sum + dOut * dIn, 0);
  const sides = layers * shapes.reduce((sum, [dOut, dIn]) => sum + RANK * (dOut + dIn), 0);
  const head = vocab * hiddenSize;
  const fresh = PROMPTS * GROUP * MAX_NEW;
  const prompts = PROMPTS * PROMPT_TOKENS;
  return {
    fold: 2 * RANK * linears,
    prefill: 2 * (linears * prompts + head * PROMPTS),
    decode: 2 * (linears + head) * (fresh - PROMPTS * GROUP),
    grade: 0,
    score: 2 * (linears * (prompts + fresh) + head * fresh),
    backward: 2 * (linears * (prompts + fresh) + head * fresh) + 4 * sides * (prompts + fresh),
    optimizer: 0,
  };
}

async function step(engine: Engine, round: number): Promise<Record<Part, number>> {
  const times = Object.fromEntries(PARTS.map((part) => [part, 0])) as Record<Part, number>;
  let at = performance.now();
  const lap = (part: Part) => {
    const now = performance.now();
    times[part] += now - at;
    at = now;
  };
  // B is not 0, so that W' is folded as in every step but the first.
  engine.setAdapterParams(engine.initialAdapterParams.map((x, i) => (x === 0 ? 1e-3 * Math.sin(i + round) : x)));
  await engine.device.sync();
  lap('fold');
  const prompts = Array.from({ length: PROMPTS }, (_, p) =>
    Array.from({ length: PROMPT_TOKENS }, (_, i) => ((p * PROMPT_TOKENS + i) * 12_347) % QWEN3_26M.vocab),
  );
  const of = prompts.flatMap((_, prompt) => Array.from({ length: GROUP }, () => prompt));
  const sequences = of.map((prompt, i) => ({ prompt, key: keyFor(3, STREAMS.rollout, round, i) }));
  const written = await engine.generate({ prompts, sequences, maxNew: MAX_NEW, temperature: 1, endTokens: [] });
  lap('decode');
  // With one new token, only the prompts' pass and one sampling remain. It runs after the whole rollout, so that
  // scratch is allocated only once.
  await engine.generate({ prompts, sequences, maxNew: 1, temperature: 1, endTokens: [] });
  lap('prefill');
  times.decode = Math.max(0, times.decode - times.prefill);
  const rewards = written.map(({ tokens }) => tokens.filter((id) => id % 2 === 0).length / tokens.length);
  const advantages = prompts.flatMap(
    (_, p) => groupAdvantages(rewards.slice(p * GROUP, (p + 1) * GROUP), 'none').advantages,
  );
  lap('grade');
  const scored = await engine.score(
    written.map(({ tokens }, i) => ({ prompt: prompts[of[i]], completion: tokens, segment: 0 })),
    1,
  );
  lap('score');
  const settings = { clipEps: 0.2, klBeta: 0, denominator: of.length * MAX_NEW };
  const coef = scored.logprobs.map(
    (logprobs, i) => sequenceLoss({ logprobs, old: written[i].logprobs, advantage: advantages[i] }, settings).coef,
  );
  const [gradient] = await scored.backward(coef);
  scored.free();
  lap('backward');
  adamStep(zeroMoments(gradient.length), gradient, 1, 2e-4, { beta1: 0.9, beta2: 0.95, adamEps: 1e-8 });
  lap('optimizer');
  return times;
}

export const smallBench: Bench = {
  name: 'small',
  async run(log) {
    const loops = await openCeiling();
    const most = Math.min(availableParallelism(), 16);
    const { device } = await chooseNodeDevice({ device: 'cpu', threads: most });
    const weights = initialWeights(QWEN3_26M, 1);
    const engine = await Engine.create({
      device,
      config: QWEN3_26M,
      weights,
      adapter: { adapter: 'lora', loraRank: RANK },
    });
    const rounds: Record<Part, number>[] = [];
    let ceiling = 0;
    for (let round = -1; round < ROUNDS; round++) {
      const times = await step(engine, round + 1);
      ceiling = Math.max(ceiling, loops.multiplyAdd());
      if (round >= 0) rounds.push(times);
      log(`small: round ${round + 2} of ${ROUNDS + 1}`);
    }
    const size = { prompts: PROMPTS, sequences: PROMPTS * GROUP, promptTokens: PROMPT_TOKENS };
    const planned = memoryNeed(QWEN3_26M, {
      kind: 'cpu',
      storage: 'f32',
      adapter: { adapter: 'lora', loraRank: RANK },
      rollouts: [{ ...size, maxNew: MAX_NEW }],
      scores: [{ ...size, completionTokens: MAX_NEW, segments: 1 }],
    });
    const { peak } = device.memory();
    engine.free();
    device.destroy();
    if (peak > planned.total) throw new Error(`${peak} bytes were taken, ${planned.total} planned`);
    const work = flops();
    const ms = (part: Part) => median(rounds.map((times) => times[part]));
    const total = PARTS.reduce((sum, part) => sum + ms(part), 0);
    const all = PARTS.reduce((sum, part) => sum + work[part], 0);
    const share = (operations: number, time: number) =>
      operations === 0 ? '' : figure(operations / 1e6 / time / (most * ceiling));
    return [
      {
        title: 'A GRPO step of the small real model, by parts',
        note: `MiniMind2-Small’s shape (8 layers of width 512, 26 M parameters) with random weights and a LoRA of rank ${RANK}; ${PROMPTS} prompts × ${GROUP} of ${PROMPT_TOKENS} + ${MAX_NEW} tokens, ${most} threads; medians of ${ROUNDS} rounds. A part’s share of the ceiling counts its products over what ${most} × ${figure(ceiling)} GFLOP/s would give. Memory: ${figure(planned.total / 1e6)} MB planned, ${figure(peak / 1e6)} MB taken.`,
        columns: ['part', 'ms', 'of the step', 'share of the ceiling'],
        rows: [
          ...PARTS.map((part) => [part, figure(ms(part)), figure(ms(part) / total), share(work[part], ms(part))]),
          ['step', figure(total), '1.00', share(all, total)],
        ],
      },
    ];
  },
};
