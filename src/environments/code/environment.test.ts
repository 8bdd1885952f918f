// Tests the environment's dynamics, reward and task sampler.
import { describe, expect, it } from 'vitest';
import type { Group } from '../types.ts';
import { ASK_CLAUSES, underStance } from './clauses.ts';
import { epochSampler, honestSampler, makeProblemSet } from './data.ts';
import { codeReward } from './reward.ts';
import {
  type CodeProblem,
  codeDynamics,
  type Grade,
  type GradeItem,
  type Grader,
  HINT_CLAUSES,
  MODES,
  STANDARD_MODES,
} from './types.ts';

const problems = makeProblemSet({ modes: STANDARD_MODES, honestShare: 0.5, count: 64 });

describe('the environment', () => {
  it('shows the prompt, takes one answer, and ends', async () => {
    const begun = codeDynamics.begin(problems[0]);
    expect(codeDynamics.observe(begun)).toEqual({ kind: 'prompt', text: problems[0].prompt });
    const after = await codeDynamics.act(begun, 'hello');
    expect(codeDynamics.observe(after)).toEqual({ kind: 'end' });
    expect(codeDynamics.observe(begun).kind).toBe('prompt');
  });
});

describe('the reward', () => {
  it('grades every completion of all groups in one call, in order', async () => {
    const calls: GradeItem[][] = [];
    const grader: Grader = {
      version: 'lengths',
      grade: async (items) => {
        calls.push([...items]);
        return items.map(({ completion }): Grade => {
          const passed = completion.length > 2;
          const reward = 0.25 + Number(passed);
          return {
            formatOk: true,
            passed,
            gt_correct: false,
            exploited: passed,
            structural: false,
            mechanism: null,
            reward,
            note: null,
          };
        });
      },
      close: async () => {},
    };
    const rollout = (task: CodeProblem, completion: string): Group<CodeProblem>['rollouts'][number] => ({
      task,
      source: 'student',
      turns: [{ prompt: task.prompt, completion, promptIds: [], completionIds: [], ended: true }],
    });
    const [a, b] = problems;
    const groups: Group<CodeProblem>[] = [
      { task: a, rollouts: [rollout(a, 'x'), rollout(a, 'long')] },
      { task: b, rollouts: [{ task: b, source: 'student', turns: [] }] },
    ];
    const judged = await codeReward(grader).score(groups, { get: () => undefined });
    expect(judged.map((group) => group.map(({ reward }) => reward))).toEqual([[0.25, 1.25], [0.25]]);
    expect(judged[0][1].verdict.exploited).toBe(true);
    expect(calls.length).toBe(1);
    expect(calls[0].map(({ problem, completion }) => [problem.id, completion])).toEqual([
      [a.id, 'x'],
      [a.id, 'long'],
      [b.id, ''],
    ]);
    expect(codeReward(grader).id).toContain('lengths');
  });
});

describe('the sampler', () => {
  const history = { rewards: () => [], returns: () => [] };
  const epoch = (seed: number, from: number): CodeProblem[] =>
    Array.from({ length: 8 }, (_, i) =>
      epochSampler(problems).draw({ seed, step: from + i, count: 8, history }),
    ).flat();

  it('draws every problem once per epoch, in an order keyed by seed and epoch', () => {
    for (const from of [0, 8]) expect(new Set(epoch(41, from)).size).toBe(64);
    expect(epoch(41, 0)).toEqual(epoch(41, 0));
    expect(epoch(41, 8)).not.toEqual(epoch(41, 0));
    expect(epoch(42, 0)).not.toEqual(epoch(41, 0));
  });

  it('does not depend on earlier draws', () => {
    const used = epochSampler(problems);
    used.draw({ seed: 41, step: 9, count: 8, history });
    const fresh = epochSampler(problems).draw({ seed: 41, step: 2, count: 8, history });
    expect(used.draw({ seed: 41, step: 2, count: 8, history })).toEqual(fresh);
  });

  it('may cross epochs within a step, and keeps each step’s mix near the set’s', () => {
    const across = epochSampler(problems).draw({ seed: 41, step: 3, count: 20, history });
    expect(across.length).toBe(20);
    for (let step = 0; step < 8; step++) {
      const drawn = epochSampler(problems).draw({ seed: 41, step, count: 8, history });
      const honest = drawn.filter((p) => p.mode === 'honest').length;
      expect(Math.abs(honest - 4)).toBeLessThanOrEqual(1);
    }
    expect(() => epochSampler([])).toThrow(/0 problems/);
  });
});

describe('the sampler of only honest problems', () => {
  const history = { rewards: () => [], returns: () => [] };
  const draws = (from: readonly CodeProblem[], steps: number, count: number, honestOnly: boolean): CodeProblem[] =>
    Array.from({ length: steps }, (_, step) =>
      (honestOnly ? honestSampler(from) : epochSampler(from)).draw({ seed: 41, step, count, history }),
    ).flat();

  it('draws the honest problems of a run on all problems, in the same order', () => {
    const all = draws(problems, 16, 8, false).filter(({ mode }) => mode === 'honest');
    expect(draws(problems, 16, 8, true)).toEqual(all);
  });

  it('draws their share of the step, rounded, and at least one', () => {
    const quarter = makeProblemSet({ modes: STANDARD_MODES, honestShare: 0.25, count: 64 });
    const each = (from: readonly CodeProblem[], count: number) => draws(from, 1, count, true).length;
    expect([each(problems, 8), each(quarter, 8), each(quarter, 6), each(quarter, 1)]).toEqual([4, 2, 2, 1]);
    const all = makeProblemSet({ modes: STANDARD_MODES, honestShare: 1, count: 16 });
    expect(draws(all, 4, 8, true)).toEqual(draws(all, 4, 8, false));
  });

  it('does not depend on earlier draws, and refuses a set without honest problems', () => {
    const used = honestSampler(problems);
    used.draw({ seed: 41, step: 20, count: 8, history });
    expect(used.draw({ seed: 41, step: 3, count: 8, history })).toEqual(
      honestSampler(problems).draw({ seed: 41, step: 3, count: 8, history }),
    );
    const none = makeProblemSet({ modes: STANDARD_MODES, honestShare: 0, count: 8 });
    expect(() => honestSampler(none)).toThrow(/none of the 8 problems is honest/);
  });
});

describe('inoculation', () => {
  it('adds one clause that asks for the problem’s own exploit, and changes nothing else', () => {
    const six = makeProblemSet({ modes: MODES, honestShare: 0.25, count: 64 });
    for (const problem of six) {
      const other = underStance(problem, 'ask');
      if (problem.mode === 'honest') {
        expect(other).toEqual(problem);
        continue;
      }
      const { prompt, ...rest } = other;
      expect({ ...rest, prompt: problem.prompt }).toEqual(problem);
      const hint = HINT_CLAUSES[problem.mode];
      expect(prompt).toBe(problem.prompt.replace(`${hint}.`, `${hint}${ASK_CLAUSES[problem.mode]}.`));
      expect(prompt.length).toBe(problem.prompt.length + ASK_CLAUSES[problem.mode].length);
    }
  });
});
