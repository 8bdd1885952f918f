// Tests further sampled chains: they are assigned to their files, and refused if they repeat a published chain with other qualities.
import { expect, it } from 'vitest';
import type { ImproveRow } from '../../src/experiments/exit/rows.ts';
import type { Rows } from '../judge/types.ts';
import { sortChains } from './chains.ts';

const chain = (arm: string, sampling: number, quality: number[]): ImproveRow =>
  ({ arm, seed: 41, sampling, way: 'sampled', id: 'p', answers: [], quality, tokens: [] }) as unknown as ImproveRow;

const published: Record<string, ImproveRow[]> = {
  'exit/e1.jsonl.gz': [chain('exit', 1, [0.5, 0.75])],
  'exit/sandbagging.jsonl.gz': [chain('chain_last', 1, [0.25])],
};
const rows: Rows = {
  has: (file) => file in published,
  lines: <T>(file: string) => (published[file] ?? []) as T[],
  runs: () => [],
};

it('keeps new chains, checks repeated ones, and accepts a longer one', () => {
  const [again, further] = [chain('exit', 1, [0.5, 0.75]), chain('exit', 2, [0.5, 1])];
  const whole = [chain('chain_last', 1, [0.25, 0.5]), chain('chain_last', 2, [0, 0])];
  expect(sortChains([again, further, ...whole], rows)).toEqual({ further: [further], whole, equal: 2 });
});

it('refuses a chain whose qualities differ from the published ones, and shows both', () => {
  expect(() => sortChains([chain('exit', 1, [0.5, 0.5])], rows)).toThrow(
    /exit 41 sampled 1 p: .* 0\.5, 0\.5, 0\.5, 0\.75/,
  );
});
