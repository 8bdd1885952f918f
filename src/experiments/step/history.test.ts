// Tests a sampler's input and memory: all returns of a group, and its own state in the checkpoint.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TaskHistory, TaskSampler } from '../../environments/types.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import type { RunRecord } from '../records/events.ts';
import { talkEnvironment, talkSpec, trainTalk } from '../testing/talk.ts';
import { openTinyLab, type TinyLab } from '../testing/tiny.node.ts';
import { SamplerMemory } from './history.ts';

let lab: TinyLab;
beforeAll(async () => {
  lab = await openTinyLab();
});
afterAll(() => lab?.close());

/** A sampler that repeats the tasks with the most varied rewards, by its own state and by the history; it begins with 0, 1, 2, … */
function spreadSeeking(seen: TaskHistory[] = []): TaskSampler<number> & { spreads: Map<number, number> } {
  let next = 0;
  const spreads = new Map<number, number>();
  return {
    spreads,
    draw: ({ count, history }) => {
      seen.push(history);
      const [[best] = [0]] = [...spreads].sort(([a, x], [b, y]) => y - x || a - b);
      return Array.from({ length: count }, (_, i) => (i === 0 ? best : next++));
    },
    learn: ({ groups }) => {
      for (const { task, judged } of groups) {
        const rewards = judged.map(({ reward }) => reward);
        spreads.set(task, Math.max(...rewards) - Math.min(...rewards));
      }
    },
    save: () => ({ next, spreads: [...spreads] }),
    restore: (saved) => {
      const state = saved as { next: number; spreads: [number, number][] } | null;
      next = state?.next ?? 0;
      spreads.clear();
      for (const [task, spread] of state?.spreads ?? []) spreads.set(task, spread);
    },
  };
}

const deterministic = ({ timings: _, ...rest }: RunRecord) => rest;
const last = (kept: Map<string, Checkpoint[]>) => kept.get('test/none/41')!.at(-1)!;

describe('a sampler that remembers', () => {
  it('resumed by another instance gives the same bytes, and a second run of the environment starts fresh', async () => {
    const spec = talkSpec({ steps: 5 });
    const sampler = spreadSeeking();
    const environment = talkEnvironment({ sampler });
    const whole = await trainTalk(lab, spec, { environment });
    expect(sampler.spreads.size).toBeGreaterThan(3);
    const again = await trainTalk(lab, spec, { environment });
    expect(deterministic(again.record)).toEqual(deterministic(whole.record));

    const kept = new Map<string, Checkpoint[]>();
    const stop = new AbortController();
    const ports = { signal: stop.signal, onRollout: () => kept.size > 0 && stop.abort() };
    await expect(
      trainTalk(lab, spec, { environment: talkEnvironment({ sampler: spreadSeeking() }), ...ports }, kept),
    ).rejects.toThrow(StoppedError);
    expect(JSON.parse(last(kept).sampler!)).toMatchObject({ next: 2 });
    const resumed = await trainTalk(lab, spec, { environment: talkEnvironment({ sampler: spreadSeeking() }) }, kept);
    expect(deterministic(resumed.record)).toEqual(deterministic(whole.record));
    const { optimizer, history, returns, sampler: state } = last(whole.kept);
    expect(last(kept)).toMatchObject({ optimizer, history, returns, sampler: state });
  });

  it('sees every return of every visit, and only the mean of a visit from an older checkpoint', async () => {
    const seen: TaskHistory[] = [];
    const spec = talkSpec({ steps: 3, checkpointEvery: 1 });
    const { kept } = await trainTalk(lab, spec, { environment: talkEnvironment({ sampler: spreadSeeking(seen) }) });
    const [history] = seen;
    const visits = history.returns('0');
    expect(visits.length).toBeGreaterThan(1);
    for (const [i, visit] of visits.entries()) {
      expect(visit).toHaveLength(4);
      expect(history.rewards('0')[i]).toBeCloseTo(visit.reduce((a, b) => a + b) / 4, 12);
    }
    expect(history.returns('constructor')).toEqual([]);

    const { returns: _, ...old } = kept.get('test/none/41')![0];
    const memory = new SamplerMemory(spreadSeeking(), old);
    expect(memory.history.returns('0')).toEqual([[], []]);
    expect(memory.history.rewards('0')).toEqual(old.history['0']);
  });

  it('refuses a state that is not JSON, and any for a sampler that keeps none', () => {
    const from = { history: {}, sampler: '{"next":3' };
    expect(() => new SamplerMemory(spreadSeeking(), from)).toThrow(SpecError);
    expect(() => new SamplerMemory(talkEnvironment().sampler, { ...from, sampler: '{}' })).toThrow(/keeps none/);
  });
});
