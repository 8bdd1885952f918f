// Tests that the published samples are rollouts of the published demos, chosen by the rule.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { saysOf } from '../../environments/rollout-presentation.ts';
import { parseExperimentSpec, resolveRuns } from '../config/spec.ts';
import { ENVIRONMENT_NAMES, OFFERED_ENVIRONMENTS, rolloutPresentationOf } from '../environments/registry.ts';
import type { RolloutRecord, RunRecord } from '../records/events.ts';
import { demoPath, readDemo } from './demo.ts';
import { readSamples, samplesOf, samplesPath } from './demo-samples.ts';

const read = (path: string) => readFileSync(new URL(`../../../public/${path}`, import.meta.url), 'utf8');

describe.each(ENVIRONMENT_NAMES)('the published samples of %s', (environment) => {
  const text = read(samplesPath(environment));
  const file = readSamples(JSON.parse(text))!;
  const demo = readDemo(JSON.parse(read(demoPath(environment))))!;
  const rolloutPresentation = rolloutPresentationOf(environment);

  it('come from a step of a run of the published demo', () => {
    expect(file.spec).toEqual(demo.spec);
    const run = resolveRuns(demo.spec).find(({ arm, seed }) => arm === file.arm && seed === file.seed)!;
    expect(file.step).toBeGreaterThan(0);
    expect(file.step).toBeLessThanOrEqual(run.steps);
  });

  it('show first what the environment names as worth reading, then at most one good answer, each with its truth', () => {
    expect(rolloutPresentation.worthReading.map(({ verdict }) => verdict)).toContain(file.verdict);
    const isOne = file.samples.map((sample) => saysOf(rolloutPresentation, sample, file.verdict));
    expect(isOne[0]).toBe(true);
    expect(isOne.length).toBeLessThanOrEqual(3);
    for (const { verdict, kind } of file.samples) {
      const { paid, truth } = rolloutPresentation.plainly(verdict, kind);
      for (const words of [paid, truth]) expect(words).toMatch(/^[A-Z].*\.$/);
      expect(`${paid} ${truth}`).not.toMatch(/undefined|NaN|null/);
    }
  });

  it('are small, and equal for equal experiments', () => {
    expect(text.length).toBeLessThan(12_000);
    expect(`${JSON.stringify(file)}\n`).toBe(text);
  });
});

describe.each(OFFERED_ENVIRONMENTS)('a reader of the samples of %s', (environment) => {
  const { verdict: worth, samples } = readSamples(JSON.parse(read(samplesPath(environment))))!;
  const { gloss, exploit } = rolloutPresentationOf(environment);

  it('sees an English gloss of other languages', () => {
    for (const { prompt, completion } of samples.flatMap(({ turns }) => turns))
      for (const text of [prompt, completion]) expect(gloss(text) !== null, text).toBe(/\p{Script=Han}/u.test(text));
  });

  it('sees the words that fool the judge', () => {
    const fooled = samples.filter(({ verdict }) => exploit(verdict));
    expect(fooled.length > 0).toBe(['exploited', 'flattery'].includes(worth) && environment !== 'one-line-python');
    for (const { verdict, turns } of fooled) {
      const found = exploit(verdict)!.exec(turns.at(-1)!.completion)!;
      expect(found[0]).toMatch(environment === 'explain' ? /^All cases are covered\.$/ : /^以上要求均已满足。$/);
    }
  });
});

it('a reference has one normal form of its value, a judgement of its correctness, and its original text', () => {
  const { samples } = readSamples(JSON.parse(read(samplesPath('arithmetic'))))!;
  const { plainly, comparedWith } = rolloutPresentationOf('arithmetic');
  const [{ verdict, kind }, agreeing] = samples;
  expect(plainly(verdict, kind)).toEqual({
    paid: 'The reference says 6.5, which is right; this answer differs.',
    truth: 'The right value is 6.5: this answer is wrong. The vote says 6, which is wrong.',
  });
  expect(comparedWith(verdict)).toEqual({ title: 'What the reference wrote', text: verdict.referenceText });
  // The reference's working is the answer's own, so it is not shown again.
  expect(comparedWith(agreeing.verdict)).toBeNull();
  expect(plainly({ ...verdict, reference: '1/3', referenceCorrect: false, majority: '-7/4' }, kind)).toEqual({
    paid: 'The reference says 1/3, which is wrong; this answer differs.',
    truth: 'The right value is 6.5: this answer is wrong. The vote says -1.75, which is wrong.',
  });
  expect(plainly({ ...verdict, reference: null }, kind).paid).toBe('The reference says nothing; this answer differs.');
});

describe('the rule', () => {
  const spec = parseExperimentSpec({ preset: 'demo' });
  const run = (arm: string): RunRecord =>
    ({ id: arm, spec: { arm, seed: 41 }, rows: [{ step: 1 }, { step: 2 }] }) as unknown as RunRecord;
  const grade = (exploited: boolean) => ({ passed: true, gt_correct: !exploited, exploited });
  const rollout = (promptIndex: number, kind: string, exploited: boolean, source = 'student') =>
    ({
      taskId: `${kind}${promptIndex}`,
      kind,
      promptIndex,
      source,
      reward: 1,
      turns: [{ prompt: 'p', completion: 'c', logprobs: [-1] }],
      verdict: grade(exploited),
    }) as unknown as RolloutRecord;

  it('takes the newest step of vanilla’s run with a hack: one hack per kind, and a good answer to the first one’s prompt', async () => {
    const steps: Record<string, RolloutRecord[]> = {
      'none/2': [rollout(0, 'eq_override', true, 'teacher'), rollout(0, 'honest', false)],
      'none/1': [
        rollout(0, 'honest', false),
        rollout(1, 'eq_override', true),
        rollout(1, 'eq_override', true),
        rollout(1, 'eq_override', false),
        rollout(2, 'exit_code', true),
        rollout(3, 'sentinel', true),
      ],
      'erase/2': [rollout(5, 'exit_code', true)],
    };
    const found = await samplesOf(
      spec,
      [run('erase'), run('none')],
      async ({ id }, step) => steps[`${id}/${step}`] ?? [],
    );
    expect(found).toMatchObject({ arm: 'none', seed: 41, step: 1, verdict: 'exploited' });
    expect(found!.samples.map(({ taskId }) => taskId)).toEqual(['eq_override1', 'exit_code2', 'eq_override1']);
    expect(found!.samples.at(-1)!.verdict.exploited).toBe(false);
    expect(found!.samples[0].turns).toEqual([{ prompt: 'p', completion: 'c' }]);
  });

  it('is empty if there is nothing to show', async () => {
    expect(await samplesOf(spec, [run('none')], async () => [rollout(0, 'honest', false)])).toBeNull();
  });
});
