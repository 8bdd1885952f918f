// Tests runs whose rollouts and evaluations use keys and values in f16: the record states it, a resumed run is equal, and runs without it keep
// their key and record.

import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { parseExperimentSpec, resolveRun } from '../../config/spec.ts';
import type { Checkpoint } from '../../records/checkpoint.ts';
import { runKey } from '../../runs/key.ts';
import { memoryCheckpoints, openTinyLab, type Ran, runTiny, type TinyLab, tinySpec } from '../../testing/tiny.node.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

const spec = (kvCache: 'f32' | 'f16') => tinySpec({ arms: ['none'], overrides: { kvCache } });
const numbers = ({ result }: Ran) => result.runs.map(({ rows, evals }) => ({ rows, evals }));
const state = ({ checkpoints }: Ran) => [...checkpoints.values()][0].at(-1)!.optimizer;

it('every answer is generated with them, ratios are logged, and a stopped run resumes to the same result', async () => {
  const asked: (string | undefined)[] = [];
  const policy = Object.assign(Object.create(lab.engine) as typeof lab.engine, {
    generate(request: Parameters<typeof lab.engine.generate>[0]) {
      asked.push(request.kvCache);
      return lab.engine.generate(request);
    },
  });
  const whole = await runTiny(lab, spec('f16'), { policy });
  expect(new Set(asked)).toEqual(new Set(['f16']));
  const [run] = whole.result.runs;
  expect(run.spec.kvCache).toBe('f16');
  const learning = run.rows.filter(({ gradNorm }) => gradNorm > 0);
  expect(learning.length).toBeGreaterThan(0);
  // Rounding changes ratios, but only a little.
  expect(learning.some(({ ratioMean }) => ratioMean !== 1)).toBe(true);
  expect(learning.every(({ ratioMean }) => Math.abs(ratioMean! - 1) < 0.01)).toBe(true);
  const plain = await runTiny(lab, spec('f32'));
  expect(state(plain)).not.toEqual(state(whole));
  expect(plain.result.runs[0].rows[0]).not.toHaveProperty('ratioMean');

  const kept = new Map<string, Checkpoint[]>();
  const stop = new AbortController();
  const onRollout = () => {
    if (kept.size > 0) stop.abort();
  };
  const checkpoints = memoryCheckpoints(kept);
  await expect(runTiny(lab, spec('f16'), { checkpoints, signal: stop.signal, onRollout })).rejects.toThrow(
    StoppedError,
  );
  const resumed = await runTiny(lab, spec('f16'), { checkpoints });
  expect(numbers(resumed)).toEqual(numbers(whole));
  expect([...kept.values()][0].at(-1)!.optimizer).toEqual(state(whole));
});

it('a run in f32 has the key and the record of one that does not set it', () => {
  const parsed = (overrides: object) => parseExperimentSpec({ overrides });
  expect(parsed({ kvCache: 'f32' })).toEqual(parsed({}));
  const keyOf = (overrides: object) => runKey(resolveRun(parsed(overrides), 'none', 41));
  expect(resolveRun(parsed({}), 'none', 41)).not.toHaveProperty('kvCache');
  expect(keyOf({ kvCache: 'f32' })).toBe(keyOf({}));
  expect(keyOf({ kvCache: 'f16' })).not.toBe(keyOf({}));
  expect(() => parsed({ kvCache: 'q8' })).toThrow('overrides.kvCache = "q8" is not allowed');
});
