// Tests composed forms: their number, which are held out, and that oracle and controls behave as in templates.

import { hash32 } from '@projected-grpo-lab/base/hash.ts';
import { describe, expect, it } from 'vitest';
import { playScripted, type ScriptedName } from '../../agents/play.ts';
import { APP_CLASSES } from '../../apps/registry.ts';
import { parseTrace } from '../../scenario/schema.ts';
import { generateScenario, PARTS, type Part, templatesOfPart } from '../generate.ts';
import { SPLITS } from '../template.ts';
import { ACT_IDS } from './acts.ts';
import { FORMS } from './forms.ts';

const COMPOSED = PARTS.filter((part) => part.startsWith('composed'));
/** Prime steps through a long list, so that a few samples cover all its frames. */
const spread = (part: Part, count: number) =>
  SPLITS.flatMap((split) => {
    const { length } = templatesOfPart(split, part);
    return Array.from({ length: count }, (_, i) => ({ split, part, index: (i * 37) % length }));
  });
const passes = async (text: string, agent: ScriptedName) => {
  const { verdict } = await playScripted(parseTrace(text), agent, { classes: APP_CLASSES, seed: 1 });
  return verdict.success;
};

describe('forms by composition', () => {
  it('are more than 200 per split, each of them unique', () => {
    const counts = Object.fromEntries(
      SPLITS.map((split) => [split, FORMS.filter((form) => form.split === split).length]),
    );
    expect(counts).toEqual({ execution: 221, search: 922, ambiguity: 209, adaptability: 434, time: 238 });
    expect(new Set(FORMS.map(({ id }) => id)).size).toBe(FORMS.length);
  });

  it('are held out by hash, while every act and frame also occurs in training', () => {
    for (const { id, isHeldOut } of FORMS) expect(isHeldOut).toBe(hash32(id) % 4 === 0);
    for (const split of SPLITS) {
      const [training, heldOut] = [templatesOfPart(split, 'composed'), templatesOfPart(split, 'composed held out')];
      expect(heldOut.length).toBeGreaterThanOrEqual(10);
      expect(templatesOfPart(split, 'composed new words')).toEqual(training);
      const known = new Set(training.map(({ id }) => id));
      expect(heldOut.filter(({ id }) => known.has(id))).toEqual([]);
      const words = (ids: readonly string[]) =>
        ids.flatMap((id) => id.split('/')[1]!.split(/, then |: |, | of | by | and /));
      if (split !== 'search')
        for (const act of ACT_IDS)
          expect(
            training.some(({ id }) => id.includes(act)),
            `${split} ${act}`,
          ).toBe(true);
      const seen = new Set(words([...known]));
      expect(words(heldOut.map(({ id }) => id)).filter((part) => !seen.has(part) && split === 'ambiguity')).toEqual([]);
    }
  });

  it.each(COMPOSED)('are passed by the oracle, and by no control (%s)', async (part) => {
    for (const wanted of spread(part, 6)) {
      const { trace, template } = generateScenario({ ...wanted, seed: 5 });
      const text = JSON.stringify(trace);
      const agents: readonly ScriptedName[] = ['oracle', 'oracle-mistake', 'random', 'silent'];
      const passed: string[] = [];
      for (const agent of agents) if (await passes(text, agent)) passed.push(agent);
      expect([template.id, passed]).toEqual([template.id, ['oracle']]);
    }
  });

  it('are passed by the oracle in small universes too, for every eleventh form', async () => {
    for (const part of ['composed', 'composed held out'] as const)
      for (const split of SPLITS)
        for (let index = 0; index < templatesOfPart(split, part).length; index += 11) {
          const { trace, template } = generateScenario({
            split,
            part,
            index,
            seed: 6,
            size: { people: 5, mails: 4, occasions: 4, products: 4 },
          });
          expect([template.id, await passes(JSON.stringify(trace), 'oracle')]).toEqual([template.id, true]);
        }
  }, 60_000);
});
