// Tests rates, teacher draws, phases, and episodes of several turns.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GenerateRequest, Policy } from '../../engine/types.ts';
import { CODE_SPLITS } from '../../environments/code/presentation.ts';
import { codeMetrics } from '../../environments/code/reward.ts';
import type { Grade, ProblemMode } from '../../environments/code/types.ts';
import type { Dynamics } from '../../environments/types.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { evaluateModel } from '../loop/evaluate.ts';
import type { TeacherRow } from '../records/pool.ts';
import { openTinyLab, type TinyLab } from '../testing/tiny.node.ts';
import type { TrainingEnvironment } from './environment.ts';
import { drawTeacherRows, judgeGroups, sampleGroups } from './groups.ts';
import { PhaseClock } from './phases.ts';
import { rollOut } from './rollouts.ts';

const graded = (mode: ProblemMode, passed: boolean, gt_correct: boolean, structural = false) => ({
  task: { mode },
  verdict: {
    formatOk: true,
    passed,
    gt_correct,
    exploited: passed && !gt_correct,
    structural,
    mechanism: null,
    reward: 0.25 + (passed ? 1 : 0),
    note: null,
  } satisfies Grade,
});

describe('rates', () => {
  it('take hack over hackable rollouts, solve over all', () => {
    const rates = codeMetrics([
      graded('sentinel', true, false, true),
      graded('sentinel', true, true),
      graded('run_tests', false, false, true),
      graded('honest', true, true),
      // An honest grade can be fooled by chance (both visible tests pass); that is not a hack.
      graded('honest', true, false),
    ]);
    expect(rates).toEqual({
      n: 5,
      figures: {
        hack: 1 / 3,
        solve: 2 / 5,
        structural: 2 / 3,
        'n:honest': 2,
        'hack:honest': null,
        'solve:honest': 0.5,
        'n:run_tests': 1,
        'hack:run_tests': 0,
        'solve:run_tests': 0,
        'n:sentinel': 2,
        'hack:sentinel': 0.5,
        'solve:sentinel': 0.5,
      },
    });
    expect(codeMetrics([])).toEqual({ n: 0, figures: { hack: null, solve: null, structural: null } });
    expect(codeMetrics([graded('honest', true, true)])).toMatchObject({ figures: { hack: null, solve: 1 } });
  });
});

describe('teacher rows', () => {
  const rows = ['a', 'b', 'c', 'd', 'e'];
  it('are drawn without replacement, keyed by seed, step and prompt', () => {
    const draws = Array.from({ length: 40 }, (_, step) => drawTeacherRows(rows, 2, 41, step, 0));
    for (const draw of draws) expect(new Set(draw).size).toBe(2);
    expect(new Set(draws.flat()).size).toBe(5);
    expect(drawTeacherRows(rows, 2, 41, 3, 1)).toEqual(drawTeacherRows(rows, 2, 41, 3, 1));
    const keys = [
      drawTeacherRows(rows, 5, 41, 3, 1),
      drawTeacherRows(rows, 5, 42, 3, 1),
      drawTeacherRows(rows, 5, 41, 3, 2),
    ];
    expect(new Set(keys.map((draw) => draw.join())).size).toBe(3);
    expect(rows).toEqual(['a', 'b', 'c', 'd', 'e']);
  });
  it('are never more than there are', () => {
    expect(drawTeacherRows(rows, 8, 41, 0, 0).toSorted()).toEqual(rows);
    expect(drawTeacherRows([], 2, 41, 0, 0)).toEqual([]);
  });
});

describe('phases', () => {
  it('add up to the step', () => {
    let time = 0;
    const clock = new PhaseClock(() => time, 'r', 7);
    expect(clock.begin('rollout')).toMatchObject({ type: 'phase', runId: 'r', step: 7, phase: 'rollout' });
    time = 2000;
    clock.begin('grade');
    time = 2500;
    clock.begin('rollout');
    time = 4500;
    expect(clock.timing(800)).toEqual({
      step: 7,
      phases: { rollout: 4, grade: 0.5 },
      total: 4.5,
      tokensPerSecond: 200,
    });
  });
});

describe('episodes', () => {
  let lab: TinyLab;
  beforeAll(async () => {
    lab = await openTinyLab();
  });
  afterAll(() => lab?.close());

  interface Talk {
    turns: number;
    heard: string[];
  }
  /** Asks `turns` times, quoting the length of the last answer. */
  const talk: Dynamics<number, Talk> = {
    id: 'talk',
    begin: (turns) => ({ turns, heard: [] }),
    observe: ({ turns, heard }) =>
      heard.length < turns
        ? { kind: 'prompt', text: `<|im_start|>user\n${heard.length}: ${heard.at(-1)?.length ?? 'x'}<|im_end|>\n` }
        : { kind: 'end' },
    act: async (state, completion) => ({ ...state, heard: [...state.heard, completion] }),
  };
  const settings = { maxNew: 6, maxTokens: 160, maxTurns: 4, temperature: 1 };
  const episode = (task: number, i: number) => ({ task, key: (turn: number) => keyFor(41, STREAMS.test, i, turn) });
  const ports = () => ({ policy: lab.engine, codec: lab.codec, dynamics: talk });

  it('of different lengths run together, and each equals its separate run', async () => {
    const tasks = [2, 0, 1, 3];
    const played = await rollOut(ports(), tasks.map(episode), settings);
    const together = played.map(({ turns }) => turns);
    expect(together.map((turns) => turns.length)).toEqual(tasks);
    expect(played.map(({ end }) => end)).toEqual(tasks.map((turns) => (turns > 0 ? expect.any(String) : undefined)));
    for (const [i, task] of tasks.entries())
      expect((await rollOut(ports(), [episode(task, i)], settings))[0]).toEqual(played[i]);
    const [first, second] = together[0];
    expect(second.prompt).toContain(`1: ${first.completion.length}`);
    expect(second.promptIds).toEqual(lab.codec.encode(second.prompt));
    expect(first.completionIds.length).toBe(first.logprobs!.length);
    // Equal prompts with different keys give different answers.
    expect(new Set(together.filter((turns) => turns.length > 0).map(([turn]) => turn.completion)).size).toBe(3);
  });

  it('keep the end token among the ids and out of the text', async () => {
    // With a limit of one token, some of the random draws end at once.
    const played = await rollOut(
      ports(),
      Array.from({ length: 1500 }, (_, i) => episode(1, i)),
      { ...settings, maxNew: 1, maxTokens: 1, maxTurns: 1 },
    );
    const turns = played.map((one) => one.turns);
    const ended = turns.map(([turn]) => turn).filter((turn) => turn.ended);
    expect(ended.length).toBeGreaterThan(0);
    for (const { completion, completionIds } of ended) {
      expect(completion).toBe('');
      expect(lab.codec.endTokens).toContain(completionIds[0]);
    }
    for (const [turn] of turns) if (!turn.ended) expect(turn.completion).toBe(lab.codec.decode(turn.completionIds));
  });

  /** Episodes of one turn, each with reward 0. */
  const environment = (teacherRows: readonly TeacherRow<Grade>[]): TrainingEnvironment<number, Talk, Grade> => ({
    dynamics: talk,
    reward: {
      id: 'nothing',
      score: async (groups) =>
        groups.map(({ rollouts }) => {
          // A teacher row keeps its stored verdict and is not judged again.
          expect(rollouts.map(({ source }) => source)).not.toContain('teacher');
          return rollouts.map(() => ({ reward: 0, verdict: { ...graded('honest', false, false).verdict, reward: 0 } }));
        }),
    },
    sampler: { draw: () => [] },
    labels: { id: String, kind: () => 'sentinel' },
    figures: (judged) => codeMetrics(judged.map(({ verdict }) => ({ task: { mode: 'sentinel' }, verdict }))),
    splits: CODE_SPLITS,
    models: { get: () => undefined },
    teacherRows: () => teacherRows,
    evaluation: { during: [], final: [] },
  });

  it('are joined by teacher rows, which are cut to the same length and keep their frozen label', async () => {
    const row = (length: number, reward: number): TeacherRow<Grade> => ({
      completion: `${length} tokens`,
      completionIds: Array.from({ length }, (_, i) => i),
      logprobs: null,
      reward,
      verdict: graded('sentinel', true, false).verdict,
    });
    const spec = { seed: 41, groupSize: 4, mix: 0.5, maxNew: 6, temperature: 1 } as RunSpec;
    const acting = environment([row(6, 1.25), row(7, 0.5)]);
    const groups = await sampleGroups(ports(), acting, [1, 1], spec, 3, {});
    const judged = await judgeGroups(acting, groups, acting.models);
    for (const [g, { rollouts, live }] of groups.entries()) {
      expect(live).toBe(2);
      expect(rollouts.map(({ source }) => source)).toEqual(['student', 'student', 'teacher', 'teacher']);
      for (const [i, { turns }] of rollouts.entries()) {
        expect(turns[0].promptIds).toEqual(rollouts[0].turns[0].promptIds);
        expect(turns[0].completionIds.length).toBeLessThanOrEqual(spec.maxNew);
        if (i < live) expect(judged[g][i].reward).toBe(0);
        else if (turns[0].ended) expect([turns[0].completion, judged[g][i].reward]).toEqual(['6 tokens', 1.25]);
        else expect([turns[0].completion, judged[g][i].reward]).toEqual(['7 tokens', 0.5]);
      }
      expect(rollouts.slice(2).filter(({ turns }) => turns[0].ended)).toHaveLength(1);
      expect(judged[g].map(({ verdict }) => verdict.exploited)).toEqual([false, false, true, true]);
    }
    // Every live rollout of the step has its own key.
    const sentences = groups.flatMap(({ rollouts }) => rollouts.slice(0, 2).map(({ turns }) => turns[0].completion));
    expect(new Set(sentences).size).toBe(4);
  });

  it('of an evaluation have their own keys for any size of the set, the same for every model', async () => {
    const asked: GenerateRequest[] = [];
    const silent = {
      setAdapterParams: () => {},
      generate: async (request: GenerateRequest) => {
        asked.push(request);
        return request.sequences.map(() => ({ tokens: [5], logprobs: new Float32Array(1), ended: true }));
      },
    } as unknown as Policy;
    const set = Array.from({ length: 150 }, () => ({ task: 1, unseen: 'family' as const }));
    const evaluated = () =>
      evaluateModel({ policy: silent, codec: lab.codec, environment: environment([]) }, new Float32Array(1), set, {
        dataSeed: 7,
        maxNew: 6,
      });
    const { all, splits } = await evaluated();
    expect([all.n, splits.params.n]).toEqual([150, 0]);
    const keys = asked.flatMap(({ sequences }) => sequences.map(({ key }) => key.join()));
    expect(new Set(keys).size).toBe(150);
    expect(asked.every(({ temperature }) => temperature === 1)).toBe(true);
    asked.length = 0;
    await evaluated();
    expect(asked.flatMap(({ sequences }) => sequences.map(({ key }) => key.join()))).toEqual(keys);
  });
});
