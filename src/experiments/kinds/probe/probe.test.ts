// Tests the probe from pool to verdicts on a small random model with the real tokenizer, problems, pairs and grader; resumed after a stop; and
// with parts removed: no projection, a random V, a flipped V, a pool without both kinds.

import { FormatError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeProblemSet } from '../../../environments/code/data.ts';
import { templatePool } from '../../pools/templates.ts';
import { openTinyLab, type TinyLab } from '../../testing/tiny.node.ts';
import { poolGroups } from './pool.ts';
import { type ProbePool, type ProbePorts, runProbe } from './probe.ts';
import { type ProbeInput, type ProbeSpec, probeSpec } from './spec.ts';
import type { ProbeStore } from './store.ts';
import { memoryProbeStore } from './testing/memory-store.ts';
import type { CheckId, ProbeReport, Variant } from './types.ts';

const MINUTES = 60_000;
let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab.close());

type Pool = Pick<ProbePool, 'source' | 'groups'>;

const small = (input: ProbeInput = {}): ProbeSpec => ({
  ...probeSpec({ problems: 4, ...input, overrides: { pairs: 6, k: 2, maxNew: 40, ...input.overrides } }),
  randomDraws: 5,
  permutations: 200,
});

async function pool(correct: number, { problems, perProblem, vanilla }: ProbeSpec): Promise<Pool> {
  const { modes, dataSeed, maxNew } = vanilla;
  const set = makeProblemSet({ modes, honestShare: 0, count: problems, dataSeed });
  const draft = { rows: perProblem, correct };
  const stream = templatePool(set, { dataSeed, draft, grader: lab.grader, artifacts: null });
  for (;;) {
    const next = await stream.next();
    if (next.done)
      return { source: 'templates', groups: poolGroups(next.value, { problems, perProblem, maxNew }, lab.codec) };
  }
}

interface Ran {
  report: ProbeReport;
  reports: string[];
}

/** `stopAt`: the progress label at which the probe is stopped. */
async function probed(spec: ProbeSpec, from: Pool, store: ProbeStore, stopAt?: string): Promise<Ran> {
  const stop = new AbortController();
  const ports: ProbePorts = {
    policy: lab.engine,
    device: lab.device,
    codec: lab.codec,
    artifacts: null,
    modelSha256: 'random',
    store,
    signal: stop.signal,
  };
  const reports: string[] = [];
  const stream = runProbe(spec, from, ports);
  for (;;) {
    const next = await stream.next();
    if (next.done) return { report: next.value, reports };
    reports.push(`${next.value.what} ${next.value.done}/${next.value.total}`);
    if (reports.at(-1) === stopAt) stop.abort();
  }
}

const outcome = ({ verdicts }: ProbeReport, id: CheckId) => verdicts.find((verdict) => verdict.id === id)?.outcome;

async function allRows(store: ProbeStore, steps: number) {
  const of = async (variant: Variant) =>
    Promise.all(Array.from({ length: steps }, (_, i) => store.loadRows(variant, i + 1)));
  return { vanilla: await of('vanilla'), projected: await of('projected') };
}

describe('probe', () => {
  it(
    'measures every sample, says every verdict, and goes on after a stop to the same bytes',
    async () => {
      const spec = small({ perModule: true });
      const from = await pool(3, spec);
      const store = memoryProbeStore();
      const { report, reports } = await probed(spec, from, store);
      expect(reports).toContain('vanilla replay 0/4');
      expect(reports).toContain('projected replay 4/4');
      expect(report.verdicts.map(({ id }) => id)).toEqual(['T1', 'T2', 'T3', 'T4', 'T5', 'T6', 'T7']);
      expect(report.verdicts.every(({ value, threshold, excludes }) => value && threshold && excludes)).toBe(true);
      expect([outcome(report, 'T1'), outcome(report, 'T2'), outcome(report, 'T3')]).toEqual(['pass', 'pass', 'pass']);
      expect([outcome(report, 'T5'), outcome(report, 'T6')]).toEqual(['not run', 'not run']);
      expect(report.pool).toEqual({ source: 'templates', problems: 4, samples: 32 });
      expect(report.bound).toBeCloseTo(Math.sqrt(report.modulesWithBasis), 12);

      const { vanilla, projected } = await allRows(store, 4);
      for (const rows of [...vanilla, ...projected]) {
        expect(rows).toHaveLength(8);
        for (const row of rows ?? []) {
          const cos = row.cos_S_contrib as number;
          expect(Math.abs(cos)).toBeLessThanOrEqual(report.bound);
          expect(row.cos_normalised).toBeCloseTo(cos / report.bound, 6);
          expect(row.cos_random).toHaveLength(5);
          expect(Object.keys(row.modules ?? {})).toHaveLength(report.modulesWithBasis);
          expect(row.structural).toBe(true);
          expect(row.exploited).toBe(!row.gt_pass);
        }
      }
      // The first step starts untrained; later ones differ, since the projection removed something.
      expect(projected[0]).toEqual(vanilla[0]);
      expect(projected[3]).not.toEqual(vanilla[3]);
      expect(report.projected.every(({ cosOut }) => (cosOut as number) < 1e-5)).toBe(true);
      expect(report.vanilla.every(({ cosIn, cosOut }) => cosIn === cosOut)).toBe(true);

      const stopped = memoryProbeStore();
      for (const at of ['vanilla replay 2/4', 'projected replay 1/4'])
        await expect(probed(spec, from, stopped, at)).rejects.toThrow(StoppedError);
      const again = await probed(spec, from, stopped);
      expect(again.reports).not.toContain('vanilla replay 0/4');
      expect(again.reports).not.toContain('projected replay 0/4');
      expect(JSON.stringify(again.report)).toBe(JSON.stringify(report));
      expect(JSON.stringify(await allRows(stopped, 4))).toBe(JSON.stringify({ vanilla, projected }));
      await expect(probed(small({ seed: 42 }), from, stopped)).rejects.toThrow(FormatError);
    },
    2 * MINUTES,
  );

  it(
    'fails T3 with projection switched off',
    async () => {
      const spec = small();
      const off = { ...spec, projected: { ...spec.projected, projection: 'none' as const } };
      expect(outcome((await probed(off, await pool(3, off), memoryProbeStore())).report, 'T3')).toBe('fail');
    },
    MINUTES,
  );

  it(
    'turns every cosine around with the sign of V, and has others under a random V',
    async () => {
      const [real, flipped, random] = await Promise.all(
        (['pairs', 'flipped', 'random'] as const).map(async (basisSource) => {
          const spec = small({ problems: 1, overrides: { basisSource } });
          return { spec, from: await pool(3, spec), store: memoryProbeStore() };
        }),
      );
      const cosines: (number | null)[][] = [];
      for (const { spec, from, store } of [real, flipped, random]) {
        await probed(spec, from, store);
        cosines.push(((await store.loadRows('vanilla', 1)) ?? []).map((row) => row.cos_S_contrib));
      }
      expect(cosines[1]).toEqual(cosines[0].map((cos) => -(cos as number)));
      expect(cosines[2]).not.toEqual(cosines[0]);
    },
    MINUTES,
  );

  it(
    'decides nothing about hacks that solve where the pool has none, and fails T1 without hacks',
    async () => {
      const spec = small({ problems: 2 });
      const pure = (await probed(spec, await pool(0, spec), memoryProbeStore())).report;
      expect([outcome(pure, 'T4'), outcome(pure, 'T7')]).toEqual(['undecided', 'undecided']);
      const none = (await probed(spec, await pool(8, spec), memoryProbeStore())).report;
      expect(none.verdicts[0]).toMatchObject({ outcome: 'fail', note: expect.stringMatching(/not merged/) });
    },
    MINUTES,
  );
});
