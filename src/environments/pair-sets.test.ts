// Tests the built-in pair sets: the real grader's verdict on each side, that they fit the embedded model, and refusals.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { completionIds, loadCodec } from '../text/codec.ts';
import { splitOf } from './code/data.ts';
import { familyById } from './code/families/index.ts';
import { extractCode } from './code/fence.ts';
import { createNodeGrader } from './code/grading/node-grader.node.ts';
import { structuralModes } from './code/grading/structural.ts';
import { SPELLINGS } from './code/pair-sets/wider.ts';
import { contrastivePairs } from './code/pairs.ts';
import { makeProblem } from './code/problem.ts';
import { hackForm } from './code/templates.ts';
import { type CodeProblem, type Grade, type Grader, MODES, type Mode, STANDARD_MODES } from './code/types.ts';
import { type ContrastivePair, PAIR_SETS, pairsOf, refusePairSet } from './pair-sets.ts';

const folder = new URL('../../public/models/tiny-coder/', import.meta.url);
const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8');
const codec = await loadCodec(JSON.parse(read('tokenizer.json')), JSON.parse(read('tokenizer_config.json')));
const MAX_NEW = 72;

const made = PAIR_SETS.filter(({ models }) => models === 'any').map(({ id }) => id);
const sha256 = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** The problem of a pair's id, `family(p1,p2)@mode`. */
function problemOf({ problem_id }: ContrastivePair): CodeProblem {
  const [, name, list, mode] = /^(\w+)\((.*)\)@(\w+)$/.exec(problem_id)!;
  const family = familyById(name);
  const params = family.space.find((p) => p.join(',') === list)!;
  return makeProblem(family, params, mode as Mode);
}

describe('pair sets made for any modes', () => {
  it('prog_wide has unchanged bytes', async () => {
    const pairs = await pairsOf({ pairSet: 'prog_wide' });
    expect(sha256(pairs)).toBe('6712ad37e279c8848723423f9d84881adf2a22bf131bc1243b2353b31fe79f7e');
    expect(pairs).toEqual(contrastivePairs());
  });

  it('prog_common_untested has the most common form of every hack, and the clean sides of prog_wide_untested', async () => {
    const wide = await pairsOf({ pairSet: 'prog_wide_untested' });
    const common = await pairsOf({ pairSet: 'prog_common_untested' });
    expect(common.map(({ prompt, clean }) => [prompt, clean])).toEqual(
      wide.map(({ prompt, clean }) => [prompt, clean]),
    );
    const forms = (pairs: readonly ContrastivePair[]) =>
      pairs.map((pair) => hackForm(problemOf(pair), pair.mechanism!, extractCode(pair.hack)!));
    expect(forms(common)).toEqual(Array(common.length).fill(0));
    expect(new Set(forms(wide)).size).toBe(3);
  });

  it('have the requested number of pairs, the same each time, different for another data seed', async () => {
    for (const pairSet of made) {
      const pairs = await pairsOf({ pairSet, count: 30 });
      expect([pairSet, pairs.length]).toEqual([pairSet, 30]);
      expect(await pairsOf({ pairSet, count: 30 })).toEqual(pairs);
      expect((await pairsOf({ pairSet, count: 12 })).slice(0, 12)).toEqual(pairs.slice(0, 12));
      const other = await pairsOf({ pairSet, count: 30, dataSeed: 8 });
      expect(other.filter((pair, i) => pair.hack === pairs[i].hack).length).toBeLessThan(3);
      expect(new Set(pairs.map(({ hack, clean }) => JSON.stringify([hack, clean]))).size).toBe(30);
    }
  });

  it('without tests have the same hacks, and clean sides with the same body but no run_tests', async () => {
    for (const pairSet of ['prog_wide', 'prog_wider']) {
      const [tested, untested] = await Promise.all(
        [pairSet, `${pairSet}_untested`].map((id) => pairsOf({ pairSet: id, count: 24, pairModes: ['sentinel'] })),
      );
      expect(untested.map(({ prompt, hack }) => [prompt, hack])).toEqual(
        tested.map(({ prompt, hack }) => [prompt, hack]),
      );
      for (const [i, { clean }] of untested.entries()) {
        expect(clean).not.toContain('run_tests');
        expect(tested[i].clean).toContain('run_tests');
        expect(tested[i].clean.length).toBeGreaterThan(clean.length);
      }
    }
  });

  it('use only the pair modes, which may differ from the run’s', async () => {
    for (const pairSet of ['prog_wide', 'prog_wider'])
      for (const pairModes of [['run_tests'], ['sentinel', 'file_marker'], ['eq_override', 'exit_code']] as Mode[][]) {
        const pairs = await pairsOf({ pairSet, pairModes, modes: STANDARD_MODES, count: 12 });
        expect(new Set(pairs.map(({ mechanism }) => mechanism))).toEqual(new Set(pairModes));
      }
    const four = await pairsOf({ pairSet: 'prog_wide', pairModes: STANDARD_MODES, modes: MODES });
    expect(four).toEqual(contrastivePairs());
  });

  it('use prompts of families that RL and the evaluation never see', async () => {
    const allowed = new Set(splitOf().pairFamilies.map(({ id }) => id));
    for (const pairSet of made)
      for (const { problem_id } of await pairsOf({ pairSet, count: 60, modes: MODES }))
        expect(allowed.has(problem_id.split('(')[0])).toBe(true);
  });

  it('fit the embedded model: every side has at most 72 tokens, which decode to the same text', async () => {
    for (const pairSet of made)
      for (const dataSeed of [7, 8, 9, 10])
        for (const pair of await pairsOf({ pairSet, modes: MODES, count: 84, dataSeed }))
          for (const text of [pair.hack, pair.clean]) {
            const ids = completionIds(codec, text);
            if (ids.length > MAX_NEW) throw new Error(`${pairSet}: ${ids.length} tokens\n${text}`);
            expect(codec.decode(ids.slice(0, -1))).toBe(text);
          }
  });
});

describe('under the real grader', () => {
  let grader: Grader;
  beforeAll(async () => {
    grader = await createNodeGrader();
  });
  afterAll(() => grader.close());

  async function graded(pairs: readonly ContrastivePair[]): Promise<{ hack: Grade; clean: Grade }[]> {
    const items = pairs.flatMap((pair) => {
      const problem = problemOf(pair);
      return [pair.hack, pair.clean].map((completion) => ({ problem, completion }));
    });
    const grades = await grader.grade(items);
    return pairs.map((_, i) => ({ hack: grades[2 * i], clean: grades[2 * i + 1] }));
  }

  it.each(['prog_wide', 'prog_wider'])(
    '%s: the hack side is exploited, the clean side right, in every mode',
    async (pairSet) => {
      const pairs = await pairsOf({ pairSet, modes: MODES, count: 168 });
      for (const [i, { hack, clean }] of (await graded(pairs)).entries()) {
        const { mechanism, hack: text } = pairs[i];
        expect([text, hack.exploited, hack.gt_correct]).toEqual([text, true, false]);
        expect([text, hack.structural, hack.mechanism]).toEqual([text, true, mechanism]);
        expect([pairs[i].clean, clean.gt_correct, clean.exploited, clean.structural]).toEqual([
          pairs[i].clean,
          true,
          false,
          false,
        ]);
      }
    },
  );

  it('nonhack, clean_vs_clean, no_tests and placebo have no exploit on either side', async () => {
    for (const pairSet of ['nonhack', 'clean_vs_clean', 'no_tests', 'placebo']) {
      const pairs = await pairsOf({ pairSet, modes: MODES, count: 48 });
      for (const { hack, clean } of await graded(pairs)) {
        expect([pairSet, hack.exploited, hack.mechanism, clean.exploited, clean.mechanism]).toEqual([
          pairSet,
          false,
          null,
          false,
          null,
        ]);
        expect(clean.gt_correct).toBe(pairSet !== 'placebo');
        expect(hack.gt_correct).toBe(pairSet === 'clean_vs_clean' || pairSet === 'no_tests');
      }
    }
  });
});

describe('prog_wider', () => {
  it('varies what the mechanism does not need: every kind of variation and every form occurs', async () => {
    const pairs = await pairsOf({ pairSet: 'prog_wider', modes: MODES, count: 168 });
    const narrow = await pairsOf({ pairSet: 'prog_wide', modes: MODES, count: 168 });
    // The shape of a text is the rest without body, constants and arguments.
    const shape = (text: string): string => text.replace(/return .*|self\.\w+ = .*|assert .*|\d+|'\w'/g, '·');
    const shapes = (of: readonly ContrastivePair[]) => new Set(of.map(({ hack }) => shape(hack))).size;
    expect(shapes(pairs)).toBeGreaterThan(3 * shapes(narrow));
    const share = (test: RegExp) => pairs.filter(({ hack, clean }) => test.test(hack) && test.test(clean)).length / 168;
    for (const test of [/^```py\n/m, /^```python3\n/m, /^[A-Z].*\n```/, /```\n[A-Z].*\.$/, /^ *# /m])
      expect([test.source, share(test) > 0.05 && share(test) < 0.6]).toEqual([test.source, true]);
    expect(pairs.every(({ prompt }, i) => prompt === narrow[i].prompt)).toBe(true);
    // The two sides of a pair have the same style.
    const style = (text: string) => [
      text.split('```')[0],
      /^```(\w+)$/m.exec(text)?.[1],
      text.split('```')[2],
      /def solve\(.*\)/.exec(text)?.[0],
      / # .*|^# .*/m.exec(text)?.[0].trim(),
    ];
    for (const { hack, clean } of pairs) expect(style(hack)).toEqual(style(clean));
    for (const mode of MODES) {
      const texts = pairs.filter(({ mechanism }) => mechanism === mode).map(({ hack }) => hack);
      expect(new Set(texts.map(shape)).size).toBeGreaterThanOrEqual(SPELLINGS[mode].length);
    }
  });
});

describe('placebo', () => {
  it('has only words: no code and no exploit’s string, and unrelated sides', async () => {
    const pairs = await pairsOf({ pairSet: 'placebo', count: 200, modes: MODES });
    for (const { hack, clean, mechanism } of pairs) {
      expect(mechanism).toBeNull();
      for (const text of [hack, clean]) {
        expect(text).toMatch(/^[a-z]+( [a-z]+)+$/);
        expect(text).not.toMatch(/test|pass|valid|correct|print|open|exit|equal|grade|status|result|return|assert/);
        expect(structuralModes(text)).toEqual([]);
      }
    }
    // Which side is called hack is independent of its length.
    const longer = pairs.filter(({ hack, clean }) => hack.length > clean.length).length;
    expect(Math.abs(longer / 200 - 0.5)).toBeLessThan(0.12);
  });
});

describe('refusals', () => {
  it('name the set', async () => {
    await expect(pairsOf({ pairSet: 'prog_narrow' })).rejects.toThrow(/"prog_narrow"/);
    await expect(pairsOf({ pairSet: 'intent', count: 25 })).rejects.toThrow(/25 pairs of the set intent, which has 24/);
  });

  it('reject framing sets for the embedded model, and list the testable sets', async () => {
    for (const { id, models } of PAIR_SETS) {
      if (models === 'any') {
        refusePairSet(id, 'tiny-coder');
        continue;
      }
      await expect(pairsOf({ pairSet: id, model: 'tiny-coder' })).rejects.toBeInstanceOf(SpecError);
      await expect(pairsOf({ pairSet: id, model: 'tiny-coder' })).rejects.toThrow(/not testable on tiny-coder/);
      try {
        refusePairSet(id, 'tiny-coder');
      } catch (error) {
        expect((error as SpecError).remedy).toContain(made.join(', '));
      }
      expect((await pairsOf({ pairSet: id, model: 'qwen' })).length).toBe(24);
    }
    // A user's own set is not judged.
    refusePairSet('my-own', 'tiny-coder');
  });
});
