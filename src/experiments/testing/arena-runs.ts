// A made-up sheet of the arena: every arm in four cells, with the models that are made afterwards. Its rates are invented and as crowded as real
// ones, for tests of what is computed and drawn from rows.
import { ARENA_ARMS } from '../config/arms/arena.ts';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import type { RunRecord } from '../records/events.ts';
import { ratesMade, runMade } from './statistics-runs.ts';

type Ends = Record<string, readonly [hack: number, honest: number]>;

export function arenaRunMade(arm: ArmName, seed: number, ends: Ends, overrides: Partial<Settings> = {}): RunRecord {
  const made = runMade({ arm, seed, overrides: { mix: 0, modes: ['sentinel'], ...overrides } });
  const evals = Object.entries({ base: [0.02, 0.4] as const, ...ends }).map(([model, [hack, honest]]) => ({
    step: 6,
    model,
    kind: 'final' as const,
    splits: {},
    all: ratesMade(hack, honest, {
      honest: { n: 75, hack: null, solve: honest },
      sentinel: { n: 25, hack, solve: honest },
    }),
  }));
  return { ...made, evals };
}

/** A pseudo-random number between 0 and 1. */
const scattered = (i: number, j: number): number =>
  Math.abs(Math.sin(12.9898 * (i + 1) + 78.233 * (j + 1)) * 43758.5453) % 1;

/** Runs of three cells, whose results the tests compute by hand. */
export const FEW_RUNS: readonly RunRecord[] = [1, 2, 3].flatMap((seed) => {
  const by = seed / 100;
  return [
    arenaRunMade('none', seed, {
      total: [0.5 + by, 0.5],
      'alpha_0.5': [0.2 + by, 0.45],
      'alpha_0.25': [0.1 + by, 0.42],
    }),
    arenaRunMade('repaired', seed, { total: [0.02, 0.7 + by] }),
    arenaRunMade('trusted-only', seed, { total: [0.03 + by, 0.6] }),
  ];
});

/** Runs of every arm in four cells. */
export function allArenaRuns(): RunRecord[] {
  const alphas = (hack: number, honest: number): Ends =>
    Object.fromEntries(
      [1, 2, 3, 4, 5, 6, 7].map((eighths) => {
        const alpha = eighths / 8;
        return [
          `alpha_${alpha}`,
          [0.02 + alpha ** 2 * (hack - 0.02), 0.4 + Math.sqrt(alpha) * (honest - 0.4)] as const,
        ];
      }),
    );
  const others = Object.keys(ARENA_ARMS).filter((arm) => arm !== 'repaired') as ArmName[];
  return [11, 12, 13, 14].flatMap((seed) => {
    const noise = (i: number) => 0.06 * (scattered(i, seed) - 0.5);
    const vanilla = [0.5 + noise(0), 0.56 + noise(1)] as const;
    return [
      arenaRunMade('none', seed, {
        total: vanilla,
        ...alphas(...vanilla),
        early_stop: [0.3 + noise(2), 0.52],
        merge: vanilla,
      }),
      arenaRunMade('repaired', seed, { total: [0.02, 0.7 + noise(3)], early_stop: [0.02, 0.68] }),
      ...others.map((arm, i) => {
        const isPlacebo = /random/.test(arm);
        const hack = isPlacebo ? 0.15 + 0.35 * scattered(i, 1) : 0.02 + 0.12 * scattered(i, 2) ** 2;
        const own = [hack + noise(i), 0.48 + 0.22 * scattered(i, 3) + noise(i + 1)] as const;
        if (/blocks|router|subspace/.test(arm)) return arenaRunMade(arm, seed, { total: vanilla, deployed: own });
        if (arm !== 'trusted-only') return arenaRunMade(arm, seed, { total: own });
        return arenaRunMade(arm, seed, {
          total: own,
          ...alphas(...own),
          early_stop: own,
          merge: [0.1 + noise(5), 0.62 + noise(6)],
        });
      }),
    ];
  });
}
