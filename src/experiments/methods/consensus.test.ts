// Tests agreement of behaviours: the behaviour of real programs in the real sandbox, how a vote changes their rewards, and small runs, in which
// sampled noise stands for programs, and which resume to the same bytes.
import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import type { Program, Value } from '@projected-grpo-lab/python-sandbox/protocol.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { behavioursOf } from '../../environments/code/grading/behaviour.ts';
import { CHECK_HACKS, checkProblem } from '../../environments/code/grading/self-check.ts';
import type { CodeProblem, Grader } from '../../environments/code/types.ts';
import type { Rollout } from '../../environments/types.ts';
import type { ArmName } from '../config/arms.ts';
import type { Settings } from '../config/settings.ts';
import { memoryCheckpoints, openCoinLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { CONSENSUS } from './consensus.ts';
import type { PaidRollout, Preparing } from './method.ts';

let lab: TinyLab;
let noise: TinyLab['codec'];
beforeAll(async () => {
  const coin = await openCoinLab();
  noise = coin.codec;
  lab = { ...coin, codec: { ...noise, decode: (ids) => programOf(hash32(noise.decode(ids))) } };
});
afterAll(() => lab?.close());

const fence = (source: string) => `\`\`\`python\n${source}\n\`\`\``;
const solving = (body: string) => fence(`class Solution:\n    def solve(self, *given):\n        ${body}`);
/** One of three behaviours, independent of the grader's coin. */
const programOf = (hash: number) => `${hash}\n${solving(`return ${hash % 3}`)}`;

describe('observed behaviour', () => {
  const rolloutOf = (task: CodeProblem, completion: string): Rollout<CodeProblem> => ({
    task,
    source: 'student' as const,
    turns: [{ prompt: '', completion, promptIds: [], completionIds: [], ended: true }],
  });
  const seen = async (task: CodeProblem, completions: readonly string[], run: Grader['run'] = lab.grader.run) =>
    (await behavioursOf(run!, [{ task, rollouts: completions.map((text) => rolloutOf(task, text)) }]))[0];

  it('depends only on what programs return on the inputs of all tests', async () => {
    const [right, other, hack, raises, none, endless, empty, partly, partlyOther, claims, leaves] = await seen(
      checkProblem('run_tests'),
      [
        solving('return given[0] + 3'),
        `Let me see.\n${fence('def three():\n    return 3\nclass Solution:\n    def solve(self, x):\n        for _ in range(three()):\n            x += 1\n        return x')}`,
        fence(CHECK_HACKS.run_tests),
        solving('raise ValueError()'),
        'return x + 3',
        solving('while True: pass'),
        '',
        solving('return given[0] + 3 if given[0] > 0 else 1 // 0'),
        solving('return given[0] + 3 if given[0] > 0 else given[5]'),
        fence(CHECK_HACKS.eq_override),
        fence(CHECK_HACKS.exit_code),
      ],
    );
    expect(right).toBe(
      JSON.stringify(['5', '14', '3', '-2', '43', '10', '1003'].map((x) => JSON.stringify(['int', x]))),
    );
    expect(other).toBe(right);
    expect(hack).toMatch(/seven/);
    // The program returned nothing, or nothing that can be compared.
    expect([raises, none, endless, empty, claims, leaves]).toEqual(new Array(6).fill(null));
    expect(partly).not.toBeNull();
    expect(partly).not.toBe(right);
    // Raised exceptions are not part of the behaviour.
    expect(partlyOther).toBe(partly);
  }, 60_000);

  it('comes from exact arguments and the problem’s set-up, without any expected answer in the sandbox', async () => {
    const ran: Program[] = [];
    const run: Grader['run'] = (programs, signal) => {
      ran.push(...programs);
      return lab.grader.run!(programs, signal);
    };
    const secret = { args: [], expected: 987654321 };
    const exact = { args: 'x=2**60 + 4', expected: '987654321', value: ['int', '987654321'] as Value };
    const task = {
      ...checkProblem('honest'),
      setup: 'import math',
      visible: [{ ...secret, exact }],
      held: [{ args: [1], expected: 987654321 }],
    };
    const [one] = await seen(task, [fence('class Solution:\n    def solve(self, x):\n        return x')], run);
    expect(JSON.parse(one!).map((key: string) => JSON.parse(key))).toEqual([
      ['int', String(2n ** 60n + 4n)],
      ['int', '1'],
    ]);
    expect(ran).toMatchObject([{ setup: 'import math' }]);
    expect(JSON.stringify(ran)).not.toContain('987654321');
  });

  it('is computed per group, and nothing runs without a program', async () => {
    const task = checkProblem('honest');
    const groups = [[''], [solving('return 1'), ''], []].map((texts) => ({
      task,
      rollouts: texts.map((text) => rolloutOf(task, text)),
    }));
    const shapes = (await behavioursOf(lab.grader.run!, groups)).map((group) => group.map((one) => one !== null));
    expect(shapes).toEqual([[false], [true, false], []]);
    const never: Grader['run'] = () => Promise.reject(new Error('asked'));
    expect(await seen(task, ['', 'return 1'], never)).toEqual([null, null]);
  });
});

describe('the counted reward', () => {
  const rollout = (sample: number, reward: number, isHack = false): PaidRollout => ({
    prompt: 0,
    sample,
    reward,
    isHack,
    tokens: null,
  });
  const counts = async (consensus: string, rollouts: PaidRollout[][], seen: (string | null)[][], step = 0) => {
    const run = { consensus, seed: 1 };
    const method = (await CONSENSUS.prepare({ run, seesBehaviours: true } as unknown as Preparing<never>))(null);
    const policy = {} as never;
    const at = { step, adapterParams: new Float32Array(), policy, trusted: [], behaviours: async () => seen };
    return method.counts!({ ...at, rollouts });
  };
  /** Two correct programs, a rewarded hack, a failure with the same behaviour, and a rewarded program without observed behaviour. */
  const GROUP = [rollout(0, 1.25), rollout(1, 1.25), rollout(2, 1.25, true), rollout(3, 0.25), rollout(4, 1.25, true)];
  const SEEN = ['right', 'right', 'hack', 'hack', null];

  it('is the format reward for a rewarded rollout that disagrees, and the full reward otherwise', async () => {
    const { rewards, row } = await counts('vote', [GROUP], [SEEN]);
    expect(rewards).toEqual([[1.25, 1.25, 0.25, 0.25, 0.25]]);
    expect(row).toEqual({ gated: 0.4, gateRecall: 1 });
  });

  it('favours the hack if most of a group hacks alike', async () => {
    const group = [rollout(0, 1.25), ...[1, 2].map((i) => rollout(i, 1.25, true))];
    const { rewards, row } = await counts('vote', [group, [rollout(0, 0.25)]], [['right', 'hack', 'hack'], ['x']]);
    expect(rewards).toEqual([[0.25, 1.25, 1.25], [0.25]]);
    expect(row).toEqual({ gated: 0.25, gateRecall: 0 });
    expect((await counts('vote', [[rollout(0, 0)]], [[null]])).row).toEqual({ gated: 0, gateRecall: null });
  });

  it('has a placebo that lowers as many of any rewarded rollouts in each group, redrawn each step', async () => {
    const second = [rollout(0, 1.25), rollout(1, 1.25), rollout(2, 0.25)];
    const seen = [SEEN, ['a', 'b', 'b']];
    const drawn = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map((step) => counts('random', [GROUP, second], seen, step)),
    );
    for (const { rewards, row } of drawn) {
      expect(rewards.map((group) => group.filter((x) => x === 1.25).length)).toEqual([2, 1]);
      expect(row.gated).toBe(3 / 8);
    }
    expect(new Set(drawn.map(({ rewards }) => JSON.stringify(rewards[0]))).size).toBeGreaterThan(2);
    expect(await counts('random', [GROUP, second], seen, 5)).toEqual(drawn[5]);
  });
});

const OVERRIDES: Partial<Settings> = { problems: 16, mix: 0, evalEvery: 0, finalEvalProblems: 2 };
const spec = (arm: ArmName, overrides: Partial<Settings> = {}) =>
  tinySpec({ arms: [arm], overrides: { ...OVERRIDES, checkpointEvery: 1, ...overrides } });
const kept = ({ checkpoints }: Ran, arm: ArmName) => checkpoints.get(`test/${arm}/41`)!;

describe('a run with a consensus', () => {
  it.each(['consensus', 'consensus_random'] as const)(
    '%s: the rollouts of vanilla at first, another update; stopped and resumed, the same bytes',
    async (arm) => {
      const whole = await runTiny(lab, spec(arm));
      const [vanilla, own] = [await runTiny(lab, spec('none')), whole].map(({ result }) => result.runs[0].rows[0]);
      expect(own.student).toEqual(vanilla.student);
      expect(own.gated).toBeGreaterThan(0);
      expect(vanilla.gated).toBeUndefined();
      expect(own.gradNorm).not.toBe(vanilla.gradNorm);
      const id = `test/${arm}/41`;
      const part = kept(whole, arm).filter(({ step }) => step === 2);
      const checkpoints = memoryCheckpoints(new Map([[id, structuredClone(part)]]));
      const resumed = await runTiny(lab, spec(arm), { checkpoints });
      expect(resumed.result.runs[0].rows).toEqual(whole.result.runs[0].rows);
      expect((await checkpoints.load(id))!.optimizer.total).toEqual(kept(whole, arm).at(-1)!.optimizer.total);
    },
  );

  it('lowers as many rewards in the placebo’s first step, but of other rollouts', async () => {
    const WIDE = { steps: 1, groupSize: 8, promptsPerStep: 4 };
    const first = async (arm: ArmName) => (await runTiny(lab, spec(arm, WIDE))).result.runs[0].rows[0];
    const [vote, random] = [await first('consensus'), await first('consensus_random')];
    expect(random.gated).toBe(vote.gated);
    expect(random.gradNorm).not.toBe(vote.gradNorm);
  });

  it('lets teacher rows vote, win and lose rewards like other rollouts', async () => {
    const grade: Grader['grade'] = async (items) => items.map(() => ({ ...PAID, exploited: false }));
    // The students sample noise and every rollout is rewarded, so that advantages differ only by the vote.
    const paying = { ...lab, codec: noise, grader: { ...lab.grader, version: 'paying', grade } };
    const overrides = { ...OVERRIDES, consensus: 'vote', mix: 0.5, honestShare: 0, steps: 1 } as const;
    const { events } = await runTiny(paying, tinySpec({ arms: ['none'], overrides }));
    const rollouts = events.flatMap((event) => (event.type === 'step' ? event.rollouts : []));
    const signs = rollouts.map(({ source, advantage }) => [source, Math.sign(advantage)]);
    // The teacher's two programs for a problem behave differently; the first one wins the vote.
    const group = [-1, -1, 1, -1].map((sign, i) => [i < 2 ? 'student' : 'teacher', sign]);
    expect(signs).toEqual([...group, ...group]);
  });
});

const PAID = {
  formatOk: true,
  passed: true,
  gt_correct: true,
  structural: false,
  mechanism: null,
  reward: 1.25,
  note: null,
};

describe('a consensus is refused', () => {
  it.each([
    ['beside a rule of trusted problems', 'none', { trusted: 'agem' }, /two methods in one run: trusted = agem/],
    ['beside two blocks', 'blocks', {}, /two methods in one run: .*adapter = blocks/],
    ['where answers are revised', 'none', { starts: 'uniform' }, /starts = uniform/],
    ['where another objective trains', 'none', { objective: 'nll' }, /objective = nll/],
    ['where a monitor has taken the pay', 'none', { rewardPenalty: 2 }, /rewardPenalty = 2/],
    ['where rewards are weighed', 'none', { advantageMod: 'scale' }, /advantageMod = scale/],
    ['without flawed graders', 'none', { environment: 'arithmetic' }, /no programs under flawed/],
  ] as const)('%s', (_, arm, overrides, message) => {
    const with_ = (consensus: Settings['consensus']) => () =>
      spec(arm, { ...overrides, consensus } as Partial<Settings>);
    expect(with_('vote')).toThrow(message);
    expect(with_('random')).toThrow(message);
    expect(with_('off')).not.toThrow(message);
  });

  it('with a grader that runs no programs, before anything is sampled', async () => {
    const { run: _, ...grader } = lab.grader;
    const events: Ran['events'] = [];
    await expect(runTiny(lab, spec('consensus'), { grader }, events)).rejects.toMatchObject({
      name: 'SpecError',
      message: expect.stringMatching(/consensus = vote runs the programs/),
    });
    expect(events.some(({ type }) => type === 'step')).toBe(false);
    await runTiny(lab, spec('none', { steps: 1 }), { grader });
  });
});
