// Checks that one declaration is enough for an option: it adds the option to the form, link, run key, record, comparison and glossary.

import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { expect, it } from 'vitest';
import { differencesBetween } from '../../experiments/analysis/differences.ts';
import { disabledReasonIn, meaningIn } from '../../experiments/config/effect.ts';
import { FIELDS, SETTING_NAMES, type SettingName } from '../../experiments/config/settings.ts';
import { type ExperimentSpec, parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { runSpec } from '../../experiments/records/run-schema.ts';
import { runKey } from '../../experiments/runs/key.ts';
import { encodeSpec } from '../../share/spec-link.ts';
import { decodeSpec } from '../../share/url.ts';
import { checkDraft, draftOf, FIELD_INFO } from '../draft.ts';
import { GLOSSARY } from '../glossary/glossary.ts';
import { glossaryOf } from '../glossary/of-setting.ts';

const TEXTS: Partial<Record<SettingName, string[]>> = {
  chatArgs: ['{"enable_thinking":false}'],
  chatTemplate: ['chatml'],
};

/** Values other than the default that the declaration allows. */
function others(name: SettingName): unknown[] {
  const { kind, default: initial } = FIELDS[name];
  if (kind.type === 'boolean') return [!initial];
  if (kind.type === 'choice') return kind.options.filter((option) => option !== initial);
  if (kind.type === 'choices') return kind.options.map((option) => [option]);
  if (kind.type === 'text') return TEXTS[name] ?? [];
  const step = kind.type === 'integer' ? 1 : Math.max((kind.max - kind.min) / 1000, 1e-3);
  return [Number(initial) + step, Number(initial) - step, kind.min, kind.max].filter((value) => value !== initial);
}

/** Settings that must be set before an option can be changed. */
const TOGETHER: Partial<Record<SettingName, object>> = {
  importanceSampling: { lossType: 'grpo' },
  monitor: { rewardPenalty: 2 },
  // The teacher's rows were graded by the flawed graders.
  graders: { mix: 0 },
};
const ENVIRONMENTS = ['one-line-python', 'arithmetic', 'chain', 'characters', 'explain', 'agents'];

/** The first valid experiment that changes only this option, and the same experiment without the change. */
function walked(name: SettingName): { before: ExperimentSpec; after: ExperimentSpec } | null {
  for (const environment of ENVIRONMENTS)
    for (const value of others(name))
      try {
        const plain = { preset: 'demo', arms: ['none'], overrides: { environment, ...TOGETHER[name] } };
        const before = parseExperimentSpec(plain);
        const after = parseExperimentSpec({ ...plain, overrides: { ...plain.overrides, [name]: value } });
        if (name in after.overrides) return { before, after };
      } catch (error) {
        if (!(error instanceof SpecError)) throw error;
      }
  return null;
}

/** Options that are excluded because they are free texts or depend on another option: the steps of stages, a file, turns. */
const NOT_ALONE: readonly SettingName[] = ['stages', 'pairSet', 'basisFile', 'teacherPool', 'model', 'environment'];

it.each(SETTING_NAMES.filter((name) => !NOT_ALONE.includes(name)))('%s', async (name) => {
  const { before, after } = walked(name)!;
  const [plain, run] = [before, after].map((spec) => resolveRuns(spec)[0]);
  expect(after.overrides).toMatchObject({ [name]: run[name] });

  expect(FIELD_INFO.map((info) => info.name)).toContain(name);
  expect(checkDraft(draftOf(after))).toMatchObject({ spec: after });
  expect(await decodeSpec(await encodeSpec(after))).toEqual(after);
  expect(runSpec.parse(run)).toEqual(run);
  expect(runSpec.safeParse({ ...run, [name]: { not: 'a value' } }).success).toBe(false);
  expect(Object.hasOwn(GLOSSARY, glossaryOf(name))).toBe(true);

  const { role, label } = FIELDS[name];
  // Storing a run does not change any of its numbers.
  expect(runKey(run) === runKey(plain)).toBe(name === 'checkpointEvery');
  const set = (spec: typeof run) => ({
    id: 'x',
    label: 'x',
    model: 'total',
    runs: [{ spec, modelSha256: 'm', graderVersion: 'g' } as unknown as RunRecord],
  });
  const differences = differencesBetween(set(plain), set(run)).map((difference) => difference.name);
  // The option has no effect here, or its value means the same as the default.
  const [meant, meantBefore] = [run, plain].map((spec) => JSON.stringify(meaningIn(spec, name)));
  const isSame = disabledReasonIn(run, name) !== null || meant === meantBefore;
  if (role === 'training') expect(differences).toEqual(isSame ? [] : expect.arrayContaining([label]));
  else expect(differences).toEqual(role === 'intervention' && !isSame ? ['baseline'] : []);
});
