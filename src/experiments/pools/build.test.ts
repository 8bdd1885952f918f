// Tests a pool that a model writes: equal rows for equal problem, seed and row number, with the log-probabilities that the engine itself gives
// them.

import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import { poolFromJsonl, poolToJsonl } from '../../environments/code/pool.ts';
import { COMPOSED } from '../../environments/code/types.ts';
import { openTinyLab, type TinyLab } from '../testing/tiny.node.ts';
import { type BuildPorts, buildPool, DEFAULT_POOL_BUILD, parsePoolBuild, poolProblems } from './build.ts';

const small = parsePoolBuild({ problems: 8, samples: 3, maxNew: 10 });

describe('a pool written by a model', () => {
  let lab: TinyLab;
  beforeAll(async () => {
    lab = await openTinyLab();
  });
  afterAll(() => lab.close());

  const ports = (adapterParams?: Float32Array): BuildPorts => ({
    teacher: new EngineLanguageModel({
      id: 'tiny',
      policy: lab.engine,
      adapterParams: adapterParams ?? lab.engine.initialAdapterParams,
      codec: lab.codec,
    }),
    grader: lab.grader,
  });
  async function built(build = small, adapterParams?: Float32Array) {
    const stream = buildPool(build, ports(adapterParams));
    const reports: string[] = [];
    for (;;) {
      const next = await stream.next();
      if (next.done) return { rows: next.value, reports };
      reports.push(`${next.value.done}/${next.value.total}`);
    }
  }

  it('has graded rows of hackable problems only, with the grader’s version', async () => {
    const { rows, reports } = await built();
    const problems = poolProblems(small);
    expect(problems).toHaveLength(4);
    expect(problems.every(({ mode }) => mode !== 'honest')).toBe(true);
    expect(rows.map((row) => row.problem_id)).toEqual(problems.flatMap(({ id }) => [id, id, id]));
    expect([reports[0], reports.at(-1)]).toEqual(['0/12', '12/12']);
    const items = rows.map(({ problem_id, completion }) => ({
      problem: problems.find(({ id }) => id === problem_id)!,
      completion,
    }));
    for (const [i, grade] of (await lab.grader.grade(items)).entries()) {
      expect(rows[i]).toMatchObject({
        prompt: items[i].problem.prompt,
        reward: grade.reward,
        passed: grade.passed,
        gt_correct: grade.gt_correct,
        exploited: grade.exploited,
        mechanism: grade.mechanism,
        grader_version: lab.grader.version,
      });
    }
  });

  it('stores the sampled tokens, with the log-probabilities that a forward pass gives', async () => {
    const { rows } = await built();
    const scored = await lab.engine.score(
      rows.map((row) => ({ prompt: lab.codec.encode(row.prompt), completion: row.completion_ids!, segment: 0 })),
      1,
    );
    const exact = scored.logprobs.map((row) => Array.from(row));
    scored.free();
    for (const [i, row] of rows.entries()) {
      expect(row.logprobs).toHaveLength(row.completion_ids!.length);
      for (const [t, logprob] of row.logprobs!.entries()) expect(logprob).toBeCloseTo(exact[i][t], 4);
      // Few digits are written, which still give the same float32.
      expect(row.logprobs!.every((x) => Number(x.toPrecision(9)) === x)).toBe(true);
    }
    const again = poolFromJsonl(poolToJsonl(rows));
    expect(again).toEqual(rows);
    expect(again.map((row) => Array.from(Float32Array.from(row.logprobs!)))).toEqual(
      rows.map((row) => Array.from(Float32Array.from(row.logprobs!))),
    );
    const { rows: plain } = await built({ ...small, withTokens: false });
    expect(plain).toEqual(rows.map(({ completion_ids: _, logprobs: __, ...row }) => row));
  });

  it('gives reproducible bytes, and rows that do not depend on the rest of the pool', async () => {
    const lines = poolToJsonl((await built()).rows);
    expect(poolToJsonl((await built()).rows)).toBe(lines);
    const { rows: more } = await built({ ...small, samples: 5 });
    const firstThree = more.filter((_, i) => i % 5 < 3);
    expect(poolToJsonl(firstThree)).toBe(lines);
    expect(poolToJsonl((await built({ ...small, seed: 42 })).rows)).not.toBe(lines);
  });

  it('is sampled with the given adapter parameters, and leaves the model untrained', async () => {
    const { rows } = await built();
    const adapterParams = Float32Array.from(lab.engine.initialAdapterParams, (_, i) => (i % 3) - 1);
    const { rows: others } = await built(small, adapterParams);
    expect(others.map((row) => row.completion_ids)).not.toEqual(rows.map((row) => row.completion_ids));
    expect((await built()).rows).toEqual(rows);
  });

  it('stops between two parts', async () => {
    const stop = new AbortController();
    const stream = buildPool(small, { ...ports(), signal: stop.signal });
    await stream.next();
    stop.abort(new StoppedError());
    await expect(stream.next()).rejects.toBeInstanceOf(StoppedError);
    await expect(stream.next()).resolves.toMatchObject({ done: true });
  });

  it('uses the demo’s problems by default, and refuses contradictory settings', () => {
    expect(parsePoolBuild({})).toEqual(DEFAULT_POOL_BUILD);
    expect(poolProblems(DEFAULT_POOL_BUILD)).toHaveLength(128);
    const composed = poolProblems(parsePoolBuild({ environment: COMPOSED, problems: 16 }));
    expect(composed.every(({ family }) => family.includes('>'))).toBe(true);
    for (const [bad, says] of [
      [{ samples: 0 }, /samples = 0/],
      [{ modes: [] }, /modes = \[\]/],
      [{ modes: ['magic'] }, /magic/],
      [{ temperature: 'warm' }, /temperature = "warm"/],
      [{ honestShare: 1 }, /none that is hackable/],
      [{ problems: 100_000 }, /100000/],
    ] as const) {
      expect(() => parsePoolBuild(bad)).toThrow(SpecError);
      expect(() => parsePoolBuild(bad)).toThrow(says);
    }
  });
});
