// Compares episodes of four turns with as many tokens in one turn, and with four turns that each prefill all earlier tokens: the cost of turns, and
// what the kept cache saves. No token ends a turn, so that every row does the same work in every round.

import { chooseNodeDevice } from '../src/cli/ports.node.ts';
import { Engine } from '../src/engine/decoder/engine.ts';
import { initialWeights } from '../src/engine/decoder/trainer.ts';
import type { RolloutWork } from '../src/engine/types.ts';
import type { DeviceChoice } from '../src/experiments/config/spec.ts';
import { TINY_CODER } from '../src/experiments/loop/pretrain.ts';
import { CounterRng, keyFor, STREAMS } from '../src/rng/index.ts';
import { type Bench, type BenchTable, figure, median } from './table.ts';

const PROMPTS = 8;
const EACH = 8;
const PROMPT = 60;
const TURNS = 4;
const NEW = 40;
const SHOWN = 16;
const ROUNDS = 5;

/** Returns `length` random token ids, different for each `number`. */
const ids = (number: number, length: number): number[] => {
  const rng = CounterRng.of(1, STREAMS.data, number);
  return Array.from({ length }, () => rng.int(TINY_CODER.vocab));
};
const prompts = Array.from({ length: PROMPTS }, (_, i) => ids(i, PROMPT));
const promptOf = Array.from({ length: PROMPTS * EACH }, (_, i) => i % PROMPTS);
const keyOf = (i: number, turn: number) => keyFor(1, STREAMS.rollout, i, turn);
const shownAfter = (i: number, turn: number) => ids(1000 + i * TURNS + turn, SHOWN);
const settings = { temperature: 1, endTokens: [] };

/** `run` resolves to the number of tokens that went through the model. */
const WAYS: readonly { label: string; run: (engine: Engine) => Promise<number> }[] = [
  {
    label: `one turn of ${TURNS * NEW}`,
    run: async (engine) => {
      const sequences = promptOf.map((prompt, i) => ({ prompt, key: keyOf(i, 0) }));
      await engine.generate({ prompts, sequences, maxNew: TURNS * NEW, ...settings });
      return PROMPTS * PROMPT + promptOf.length * (TURNS * NEW - 1);
    },
  },
  {
    label: `${TURNS} turns of ${NEW}, one cache`,
    run: async (engine) => {
      let work: RolloutWork = { prefilled: 0, decoded: 0, alike: 0, idle: 0 };
      await engine.generateEpisodes({
        prompts,
        sequences: promptOf.map((prompt, i) => ({ prompt, key: (turn) => keyOf(i, turn) })),
        maxNew: NEW,
        maxTokens: TURNS * NEW + (TURNS - 1) * SHOWN,
        maxTurns: TURNS,
        ...settings,
        act: async (i, { turn }) => (turn + 1 < TURNS ? shownAfter(i, turn) : null),
        onWork: (done) => {
          work = done;
        },
      });
      return work.prefilled + work.decoded + work.idle;
    },
  },
  {
    label: `${TURNS} turns of ${NEW}, each prefilled anew`,
    run: async (engine) => {
      let through = 0;
      let before = promptOf.map((prompt) => prompts[prompt]);
      for (let turn = 0; turn < TURNS; turn++) {
        const now = before;
        const sequences = now.map((_, i) => ({ prompt: i, key: keyOf(i, turn) }));
        const said = await engine.generate({ prompts: now, sequences, maxNew: NEW, ...settings });
        through += now.reduce((sum, prompt) => sum + prompt.length + NEW - 1, 0);
        before = now.map((prompt, i) => [...prompt, ...said[i].tokens, ...shownAfter(i, turn)]);
      }
      return through;
    },
  },
];

export const episodesBench: Bench = {
  name: 'episodes',
  async run(log): Promise<BenchTable[]> {
    const { report, device } = await chooseNodeDevice({ device: 'auto' });
    device.destroy();
    const choices: DeviceChoice[] = report.kind === 'webgpu' ? ['cpu', 'webgpu'] : ['cpu'];
    const rows: string[][] = [];
    for (const choice of choices) {
      const { device } = await chooseNodeDevice({ device: choice });
      const weights = initialWeights(TINY_CODER, 1);
      const engine = await Engine.create({ device, config: TINY_CODER, weights, adapter: 'none' });
      const seconds = WAYS.map((): number[] => []);
      const through = WAYS.map(() => 0);
      for (let round = 0; round <= ROUNDS; round++) {
        for (const [i, { label, run }] of WAYS.entries()) {
          const began = performance.now();
          through[i] = await run(engine);
          const took = (performance.now() - began) / 1000;
          log(`${device.name}, ${label}: ${took.toFixed(2)} s`);
          // The first round allocates buffers and compiles, so it is not counted.
          if (round > 0) seconds[i].push(took);
        }
      }
      for (const [i, { label }] of WAYS.entries()) {
        const took = median(seconds[i]);
        const sampled = promptOf.length * TURNS * NEW;
        rows.push([
          label,
          device.name,
          figure(took),
          figure(sampled / took),
          String(through[i]),
          figure(through[i] / took),
        ]);
      }
      engine.free();
      device.destroy();
    }
    return [
      {
        title: 'Episodes of several turns',
        note:
          `The embedded model’s shape, ${PROMPTS} prompts of ${PROMPT} tokens × ${EACH} episodes, ${SHOWN} tokens shown after a ` +
          `turn; medians of ${ROUNDS} interleaved rounds.`,
        columns: ['what', 'device', 'seconds', 'sampled tokens/s', 'tokens through the model', 'of these a second'],
        rows,
      },
    ];
  },
};
