// Tests stored teacher pools: the same rows as the templates give the same run, byte for byte; other rows give another run; and rows that do not
// fit the run are refused before training.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EngineLanguageModel } from '../../engine/language-model.ts';
import { makeProblemSet } from '../../environments/code/data.ts';
import { type PoolRow, poolFromJsonl, poolToJsonl } from '../../environments/code/pool.ts';
import type { Settings } from '../config/settings.ts';
import { buildPool, parsePoolBuild } from '../pools/build.ts';
import { openTinyLab, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import type { ArtifactStore } from './artifacts.ts';
import type { LabEvent, RolloutRecord } from './events.ts';
import { groupByProblem, type KeptPool, rowsByProblem, storedPoolRows } from './pool.ts';

const HASH = 'a'.repeat(64);

describe('a stored teacher pool', () => {
  let lab: TinyLab;
  beforeAll(async () => {
    lab = await openTinyLab();
  });
  afterAll(() => lab.close());

  const storing = (pools: Record<string, KeptPool>, saved: string[] = []): { artifacts: ArtifactStore } => ({
    artifacts: {
      loadPool: async () => null,
      savePool: async (_, lines) => void saved.push(lines),
      loadTeacherPool: async (id) => pools[id] ?? null,
      loadBasis: async () => null,
      loadPairs: async () => null,
      saveBasis: async () => {},
    },
  });
  const run = (kept: KeptPool | null, changes: Partial<Settings> = {}, events: LabEvent[] = []) =>
    runTiny(
      lab,
      tinySpec({ arms: ['none'], overrides: { teacherPool: HASH, ...changes } }),
      storing(kept ? { [HASH]: kept } : {}),
      events,
    );
  async function templates(changes: Partial<Settings> = {}) {
    const saved: string[] = [];
    const ran = await runTiny(lab, tinySpec({ arms: ['none'], overrides: changes }), storing({}, saved));
    return { ran, kept: { lines: saved[0], graderVersion: lab.grader.version } };
  }
  const teachers = (events: readonly LabEvent[]): RolloutRecord[] =>
    events.flatMap((event) =>
      event.type === 'step' ? event.rollouts.filter(({ source }) => source === 'teacher') : [],
    );
  const computed = ({ result }: Awaited<ReturnType<typeof run>>) =>
    JSON.stringify(result.runs.map(({ rows, evals }) => ({ rows, evals })));

  it('with the templates’ rows gives exactly the templates’ run', async () => {
    const { ran, kept } = await templates();
    const copied = await run(kept);
    expect(computed(copied)).toBe(computed(ran));
    expect(JSON.stringify(teachers(copied.events))).toBe(JSON.stringify(teachers(ran.events)));
    expect(teachers(copied.events).length).toBeGreaterThan(0);
    const rows = poolFromJsonl(kept.lines);
    expect(ran.result.runs[0].teacherPool).toBeUndefined();
    expect(copied.result.runs[0].teacherPool).toEqual({
      sha256: HASH,
      rows: rows.length,
      problems: 4,
      ofProblems: 4,
      unused: 0,
      cut: rows.filter(({ completion }) => lab.codec.encode(completion).length + 1 > 10).length,
      retokenised: 0,
      withLogprobs: 0,
      graderKnown: true,
    });
    // The order of prompts in the file does not matter.
    const mixed = [0, 1, 2, 3, 4].flatMap((own) => rows.filter((_, i) => i % 5 === own));
    const sorted = groupByProblem(mixed).map(({ problem_id }) => problem_id);
    expect(sorted.filter((id, i) => id !== sorted[i - 1])).toHaveLength(4);
  });

  it('written by a model gives the teacher’s rollouts; groups of problems without rows are live', async () => {
    const stream = buildPool(parsePoolBuild({ problems: 8, samples: 2, maxNew: 10 }), {
      teacher: new EngineLanguageModel({ id: 'tiny', policy: lab.engine, adapterParams: null, codec: lab.codec }),
      grader: lab.grader,
    });
    let rows: PoolRow[] = [];
    for (let next = await stream.next(); ; next = await stream.next()) {
      if (!next.done) continue;
      rows = next.value;
      break;
    }
    const written = new Set(rows.map(({ completion }) => completion));
    const kept = { lines: poolToJsonl(rows), graderVersion: null };
    const ran = await run(kept, { groupSize: 4, mix: 0.5 });
    const samples = teachers(ran.events);
    expect(samples.length).toBeGreaterThan(0);
    expect(samples.every(({ turns }) => written.has(turns[0].completion))).toBe(true);
    expect(ran.result.runs[0].teacherPool).toMatchObject({ rows: 8, problems: 4, withLogprobs: 8, graderKnown: true });

    const missing = rows[0].problem_id;
    const fewer = { lines: poolToJsonl(rows.filter((row) => row.problem_id !== missing)), graderVersion: null };
    const partly = await run(fewer, { groupSize: 4, mix: 0.5 });
    expect(partly.result.runs[0].teacherPool).toMatchObject({ problems: 3, ofProblems: 4 });
    const groups = partly.events.flatMap((event) => (event.type === 'step' ? event.rollouts : []));
    const live = groups.filter(({ taskId }) => taskId === missing);
    expect(live.length).toBeGreaterThan(0);
    expect(live.every(({ source }) => source === 'student')).toBe(true);
  });

  it('is refused before training if it is not stored, matches no problem, or was labelled by another grader', async () => {
    const { kept } = await templates();
    const refused = async (work: Promise<unknown>, events: LabEvent[], says: RegExp) => {
      const error: unknown = await work.then(
        () => null,
        (reason) => reason,
      );
      expect(error).toBeInstanceOf(SpecError);
      expect((error as SpecError).message).toMatch(says);
      expect((error as SpecError).remedy).not.toBe('');
      expect(events.some(({ type }) => type === 'step' || type === 'eval')).toBe(false);
    };
    let events: LabEvent[] = [];
    await refused(run(null, {}, events), events, /needs the teacher pool .*aaaa/);
    events = [];
    await refused(
      run(kept, { dataSeed: 8 }, events),
      events,
      /20 rows for 4 problems, and none of them is among the 4/,
    );
    events = [];
    await refused(run({ ...kept, graderVersion: 'grader 0' }, {}, events), events, /was graded by grader 0/);
    const marked = poolFromJsonl(kept.lines).map((row, i) => (i === 3 ? { ...row, grader_version: 'grader 1' } : row));
    events = [];
    await refused(run({ ...kept, lines: poolToJsonl(marked) }, {}, events), events, /graded by grader 1/);
    // An unknown grader is accepted and reported.
    expect((await run({ ...kept, graderVersion: null })).result.runs[0].teacherPool?.graderKnown).toBe(false);
  });

  it('is refused with the names of missing or invalid fields', () => {
    const labels = { reward: 1.25, passed: true, gt_correct: true, exploited: false, mechanism: null };
    const row = { problem_id: 'x', prompt: 'x', completion: 'y', ...labels };
    expect(() => poolFromJsonl('{"problem_id": "x", "completion": "y"}')).toThrow(
      'line 1 of the pool has no prompt, reward, passed, gt_correct, exploited, mechanism.',
    );
    expect(() => poolFromJsonl(JSON.stringify({ ...row, passed: 'yes' }))).toThrow(
      'line 1 of the pool has another kind of value than the lab reads in passed.',
    );
    expect(() => poolFromJsonl('[]')).toThrow('line 1 of the pool is no object.');
  });

  it('gives the stored tokens with their log-probabilities, unless another tokenizer made them', () => {
    const problems = makeProblemSet({ modes: ['sentinel'], honestShare: 0, count: 1 });
    const [problem] = problems;
    const completion = 'x = 1';
    const ids = lab.codec.encode(completion);
    const base = { problem_id: problem.id, prompt: problem.prompt, completion, reward: 0, passed: false };
    const row: PoolRow = { ...base, gt_correct: false, exploited: false, mechanism: null };
    const logprobs = ids.map((_, i) => -i / 8);
    const pool: PoolRow[] = [
      row,
      { ...row, completion_ids: ids, logprobs },
      { ...row, completion_ids: [...ids, lab.codec.endTokens[0]], logprobs: [...logprobs, -9] },
      { ...row, completion_ids: ids.map((id) => id + 1), logprobs },
      { ...row, completion_ids: [lab.codec.vocabSize + 5], logprobs: [-1] },
      { ...row, problem_id: 'another' },
    ];
    const { rows, retokenised } = rowsByProblem(pool, problems, lab.codec);
    const own = rows.get(problem.id)!;
    const tokenised = [...ids, lab.codec.endTokens[0]];
    expect(own.map((teacher) => teacher.completionIds)).toEqual([tokenised, ids, tokenised, tokenised, tokenised]);
    expect(own.map((teacher) => teacher.logprobs)).toEqual([null, logprobs, [...logprobs, -9], null, null]);
    expect(retokenised).toBe(2);
    const kept = { lines: poolToJsonl(pool), graderVersion: null };
    const { use } = storedPoolRows(HASH, kept, problems, { codec: lab.codec, graderVersion: 'v', maxNew: ids.length });
    expect(use).toMatchObject({ rows: 5, unused: 1, cut: 4, retokenised: 2, withLogprobs: 2, graderKnown: false });
  });
});
