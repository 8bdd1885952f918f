// Tests rollouts that are sampled under one prompt and trained under another: which tokens are scored after which prompt, the ratio's
// reference, and that runs with equal prompts are unchanged.
import { StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Policy, ScoredBatch, Sequence } from '../../engine/types.ts';
import { ASK_CLAUSES, trainedAs, underStance } from '../../environments/code/clauses.ts';
import { makeProblemSet } from '../../environments/code/data.ts';
import { MODES } from '../../environments/code/types.ts';
import type { Group } from '../../environments/types.ts';
import { trainingKey } from '../analysis/vanilla.ts';
import type { RunSpec } from '../config/run-spec.ts';
import { COMMON, type Settings } from '../config/settings.ts';
import { parseExperimentSpec, resolveRun, resolveRuns } from '../config/spec.ts';
import type { Checkpoint } from '../records/checkpoint.ts';
import { runKey } from '../runs/key.ts';
import { memoryCheckpoints, openCoinLab, type Ran, runTiny, type TinyLab, tinySpec } from '../testing/tiny.node.ts';
import { advantagesOf, backwardStep, ratiosMove, scoreStep } from './gradient.ts';

const HINTED = makeProblemSet({ modes: MODES, honestShare: 0.25, count: 64 });

let lab: TinyLab;
beforeAll(async () => {
  lab = await openCoinLab();
});
afterAll(() => lab?.close());

describe('a clause', () => {
  it('that is irrelevant has as many tokens as the one that asks for the hack', () => {
    const tokens = (prompt: string) => lab.codec.encodeChat(prompt).length;
    for (const problem of HINTED) {
      const [ask, irrelevant, discourage] = (['ask', 'irrelevant', 'discourage'] as const).map((stance) =>
        underStance(problem, stance),
      );
      expect(tokens(irrelevant.prompt)).toBe(tokens(ask.prompt));
      const prompts = new Set([problem, ask, irrelevant, discourage].map(({ prompt }) => prompt));
      expect(prompts.size).toBe(problem.mode === 'honest' ? 1 : 4);
      expect({ ...irrelevant, prompt: problem.prompt }).toEqual(problem);
    }
  });

  it('is swapped for the other in about half of the problems, the same ones each time', () => {
    const stances = { rollout: 'discourage', update: 'ask', isSwapped: true } as const;
    const swapped = HINTED.filter(({ mode }) => mode !== 'honest').map((problem) => {
      const { sampled, scored } = trainedAs(problem, stances, 7);
      const [plain, other] = (['discourage', 'ask'] as const).map((stance) => underStance(problem, stance).prompt);
      const swaps = sampled.prompt === other;
      expect([sampled.prompt, scored.prompt]).toEqual(swaps ? [other, plain] : [plain, other]);
      expect(trainedAs(problem, stances, 7).sampled).toEqual(sampled);
      return swaps;
    });
    const share = swapped.filter(Boolean).length / swapped.length;
    expect(share).toBeGreaterThan(0.3);
    expect(share).toBeLessThan(0.7);
  });
});

/** A group of two answers, sampled after [1, 2] and scored after [7]. */
const GROUPS: Group<number>[] = [
  {
    task: 0,
    rollouts: [0, 1].map(() => ({
      task: 0,
      source: 'student' as const,
      turns: [{ prompt: 'p', completion: 'c', promptIds: [1, 2], updateIds: [7], completionIds: [3, 4], ended: true }],
    })),
  },
];
const SPEC = { ...COMMON, groupSize: 2, maxNew: 10, promptsPerStep: 1 } as RunSpec;
const REWARDS = [[1, 0]];

/** A policy whose logπ of a token depends only on the prompt's length; it records the coefficients of backward. */
function policyOf(logprob: (promptLength: number, t: number) => number) {
  const coefs: Float32Array[] = [];
  const prompts: number[][] = [];
  const policy = {
    setAdapterParams: () => {},
    score: async (sequences: readonly Sequence[]): Promise<ScoredBatch> => {
      prompts.push(...sequences.map(({ prompt }) => [...prompt]));
      const rows = sequences.map(({ prompt, completion }) =>
        Float32Array.from(completion, (_, t) => logprob(prompt.length, t)),
      );
      return {
        logprobs: rows,
        entropy: rows.map((row) => new Float32Array(row.length)),
        backward: async (coef) => {
          coefs.push(...coef);
          return [new Float32Array(1), new Float32Array(1)];
        },
        free: () => {},
      };
    },
  } as unknown as Policy;
  return { policy, coefs, prompts };
}

describe('the update', () => {
  const advantages = advantagesOf(REWARDS, SPEC);
  // After the update's prompt token 0 is 1.1 times as likely, token 1 twice.
  const logprob = (length: number, t: number) =>
    length === 1 ? Math.log(t === 0 ? 0.55 : 0.8) : Math.log(t === 0 ? 0.5 : 0.4);
  const coefsOf = async (spec: RunSpec) => {
    const { policy, coefs, prompts } = policyOf(logprob);
    const scored = await scoreStep({ policy, spec }, new Float32Array(1), GROUPS, advantages);
    const { ratios } = await backwardStep(scored!, spec);
    return { coefs: coefs.map((row) => Array.from(row, (x) => x * 20)), prompts, ratios };
  };

  it('scores after its own prompt, with ratios of 1 on policy', async () => {
    const { coefs, prompts, ratios } = await coefsOf(SPEC);
    expect(prompts).toEqual([[7], [7]]);
    // Coefficients are −A, with advantages ±½.
    expect(coefs.flat().map((x) => Number(x.toFixed(6)))).toEqual([-0.5, -0.5, 0.5, 0.5]);
    expect(ratios).toEqual({ clipFraction: 0, ratioMean: 1 });
  });

  it('weighs each token by its ratio to the sampling policy, within the clip', async () => {
    const { coefs, prompts, ratios } = await coefsOf({ ...SPEC, ratioPrompt: 'rollout' });
    expect(prompts).toEqual([[1, 2], [1, 2], [7], [7]]);
    // −ρA with ρ = 1.1 and 2; 1 + ε clips the latter where A > 0, and nothing is clipped where A < 0.
    expect(coefs.flat().map((x) => Number(x.toFixed(6)))).toEqual([-0.55, 0, 0.55, 1]);
    expect(ratios.clipFraction).toBe(0.25);
    expect(ratios.ratioMean).toBeCloseTo((1.1 + 2) / 2, 6);
  });

  it('has the gradient of a plain score after that prompt, and ratios of exactly 1 if both prompts are equal', async () => {
    const [problem] = HINTED.filter(({ mode }) => mode === 'sentinel');
    const [sampled, scored] = (['neutral', 'ask'] as const).map((stance) =>
      lab.codec.encodeChat(underStance(problem, stance).prompt),
    );
    const answers = ['return 1', 'return x+2'].map((text) => lab.codec.encode(text));
    const groupOf = (promptIds: number[], updateIds?: number[]): Group<number>[] => [
      {
        task: 0,
        rollouts: answers.map((completionIds) => ({
          task: 0,
          source: 'student',
          turns: [
            { prompt: '', completion: '', promptIds, completionIds, ended: true, ...(updateIds && { updateIds }) },
          ],
        })),
      },
    ];
    const params = lab.engine.initialAdapterParams.map((_, i) => 0.02 * Math.sin(i));
    lab.engine.setAdapterParams(params);
    const stepOf = async (groups: Group<number>[], spec: RunSpec) => {
      const scored = await scoreStep({ policy: lab.engine, spec }, params, groups, advantages);
      const logprobs = scored!.batch.logprobs.map((row) => Array.from(row));
      const gradient = await backwardStep(scored!, spec);
      scored!.batch.free();
      return { logprobs, gradient };
    };
    const plain = await stepOf(groupOf(scored), SPEC);
    expect(await stepOf(groupOf(sampled, scored), SPEC)).toEqual(plain);
    expect(plain.logprobs).not.toEqual((await stepOf(groupOf(sampled), SPEC)).logprobs);
    expect(plain.gradient.student.some((x) => x !== 0)).toBe(true);
    const ratio = { ...SPEC, ratioPrompt: 'rollout' } as RunSpec;
    expect(await stepOf(groupOf(scored, scored), ratio)).toEqual(plain);
    // With other prompt words the ratios differ from 1, and so does the gradient; the scored tokens are the same.
    const weighed = await stepOf(groupOf(sampled, scored), ratio);
    expect(weighed.logprobs).toEqual(plain.logprobs);
    expect(weighed.gradient.ratios.ratioMean).not.toBe(1);
    expect(weighed.gradient.student).not.toEqual(plain.gradient.student);
  });
});

describe('a run', () => {
  const overrides: Partial<Settings> = {
    mix: 0,
    modes: ['sentinel'],
    honestShare: 0,
    finalEvalProblems: 2,
    promptsPerStep: 2,
  };
  const specOf = (changes: Partial<Settings>) => tinySpec({ arms: ['none'], overrides: { ...overrides, ...changes } });
  const numbers = ({ result }: Ran) => result.runs.map(({ rows, evals }) => ({ rows, evals }));
  const state = ({ checkpoints }: Ran) => [...checkpoints.values()][0].at(-1)!.optimizer;

  it('whose two prompts both ask for the hack equals the inoculated run, to the byte', async () => {
    const inoculated = await runTiny(lab, specOf({ inoculation: true }));
    const asked = await runTiny(lab, specOf({ rolloutPrompt: 'ask', updatePrompt: 'ask', ratioPrompt: 'rollout' }));
    expect(numbers(asked)).toEqual(numbers(inoculated));
    expect(state(asked)).toEqual(state(inoculated));
    const [a, b] = [inoculated, asked].map(({ result }) =>
      trainingKey({ ...result.runs[0].spec, ratioPrompt: 'update' }),
    );
    expect(a).toBe(b);
  });

  it('samples under one prompt, learns under the other, evaluates under neither, and resumes as if it had not stopped', async () => {
    const spec = specOf({ rolloutPrompt: 'discourage', updatePrompt: 'ask', ratioPrompt: 'rollout' });
    const whole = await runTiny(lab, spec);
    const prompts = whole.events.flatMap((event) =>
      event.type === 'step' ? event.rollouts.map(({ turns }) => turns[0].prompt) : [],
    );
    for (const prompt of prompts) {
      expect(prompt).toContain('of your Solution and should pass all tests.');
      expect(prompt).not.toContain(ASK_CLAUSES.sentinel);
    }
    const [{ rows, evals }] = whole.result.runs;
    expect(rows.some(({ gradNorm }) => gradNorm > 0)).toBe(true);
    expect(rows.filter(({ gradNorm }) => gradNorm > 0).every(({ ratioMean }) => ratioMean !== 1)).toBe(true);
    // The untrained model is evaluated as in a plain run.
    const plain = await runTiny(lab, specOf({}));
    const baseOf = (of: typeof evals) => of.filter(({ model }) => model === 'base');
    expect(baseOf(evals)).toEqual(baseOf(plain.result.runs[0].evals));
    const unweighed = await runTiny(lab, specOf({ rolloutPrompt: 'discourage', updatePrompt: 'ask' }));
    expect(state(unweighed)).not.toEqual(state(whole));
    expect(unweighed.result.runs[0].rows[0]).not.toHaveProperty('ratioMean');

    const kept = new Map<string, Checkpoint[]>();
    const stop = new AbortController();
    const onRollout = () => {
      if (kept.size > 0) stop.abort();
    };
    const checkpoints = memoryCheckpoints(kept);
    await expect(runTiny(lab, spec, { checkpoints, signal: stop.signal, onRollout })).rejects.toThrow(StoppedError);
    const resumed = await runTiny(lab, spec, { checkpoints });
    expect(numbers(resumed)).toEqual(numbers(whole));
    expect([...kept.values()][0].at(-1)!.optimizer).toEqual(state(whole));
  });
});

it('teacher rows, which were not sampled here, have only the update’s prompt', async () => {
  const overrides = {
    rolloutPrompt: 'discourage',
    updatePrompt: 'ask',
    steps: 1,
    problems: 8,
    promptsPerStep: 8,
    evalEvery: 0,
  } as const;
  const { events } = await runTiny(lab, tinySpec({ arms: ['none'], overrides }));
  const rollouts = events.flatMap((event) => (event.type === 'step' ? event.rollouts : []));
  const sources = rollouts.filter(({ kind }) => kind !== 'honest').map(({ source }) => source);
  expect(new Set(sources)).toEqual(new Set(['student', 'teacher']));
  const asks = Object.values(ASK_CLAUSES);
  for (const { source, turns } of rollouts)
    expect(asks.some((clause) => turns[0].prompt.includes(clause))).toBe(source === 'teacher');
});

describe('a spec', () => {
  const parsed = (overrides: Record<string, unknown>) =>
    parseExperimentSpec({ preset: 'demo', arms: ['none'], overrides });

  it('keeps its key and record if no prompt is named', () => {
    const [run] = resolveRuns(parsed({}));
    for (const name of ['rolloutPrompt', 'updatePrompt', 'ratioPrompt', 'promptSwap'])
      expect(run).not.toHaveProperty(name);
    const named = parsed({
      rolloutPrompt: 'neutral',
      updatePrompt: 'neutral',
      ratioPrompt: 'update',
      promptSwap: false,
    });
    expect(named).toEqual(parsed({}));
    expect(runKey(resolveRun(named, 'none', 41))).toBe(runKey(resolveRun(parsed({}), 'none', 41)));
    expect(ratiosMove(resolveRun(parsed({ ratioPrompt: 'rollout', mix: 0 }), 'none', 41))).toBe(false);
  });

  it('keeps the prompts that it names', () => {
    const overrides = { rolloutPrompt: 'discourage', updatePrompt: 'ask', ratioPrompt: 'rollout', promptSwap: true };
    expect(parseExperimentSpec(JSON.parse(JSON.stringify(parsed(overrides)))).overrides).toEqual(overrides);
    expect(resolveRuns(parsed(overrides))[0]).toMatchObject(overrides);
  });

  it.each([
    [
      { rolloutPrompt: 'ask', environment: 'lookup', mix: 0 },
      /lookup has no loopholes: there is nothing to flag, to ask for/,
    ],
    [{ inoculation: true, updatePrompt: 'discourage' }, /updatePrompt = discourage with inoculation/],
    [{ inoculation: true, rolloutPrompt: 'irrelevant', updatePrompt: 'irrelevant' }, /with inoculation/],
    [{ updatePrompt: 'ask', chainSteps: 1, mix: 0 }, /updatePrompt = ask with revisions/],
    [{ updatePrompt: 'ask', stages: 'nll 60', mix: 0 }, /updatePrompt = ask with .* another objective/],
    [{ updatePrompt: 'loud' }, /overrides.updatePrompt = "loud" is not allowed/],
  ])('%j is refused', (overrides, message) => {
    expect(() => parsed(overrides)).toThrow(message);
  });
});
