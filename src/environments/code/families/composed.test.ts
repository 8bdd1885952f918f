// Tests compositions: their number, that no single part solves one, that Python agrees with the reference, and which parts mistakes change.
import { loadMicroPython } from '@micropython/micropython-webassembly-pyscript/micropython.mjs';
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../../rng/index.ts';
import { evaluationSet, makeProblemSet, splitOf } from '../data.ts';
import { partMistakes, pretrainSample, wrongShare } from '../model.ts';
import { contrastivePairs } from '../pairs.ts';
import { makeProblem, partsOf } from '../problem.ts';
import { drawWrong, isWrong } from '../templates.ts';
import { trustedOf } from '../trusted.ts';
import { pyLiteral, sameJson } from '../values.ts';
import { composedFamilies, describeUses, mistaken, pythonOfUses, valueOfUses } from './composed.ts';
import type { Family } from './family.ts';
import { FAMILIES, familyById, identityOf, SIGNATURES } from './index.ts';
import { PARTS } from './parts.ts';

const COMPOSITIONS = composedFamilies();
const all = COMPOSITIONS.flatMap((family) => family.space.map((params) => ({ family, params })));

/** The family's parameters that a prompt names. */
const paramsIn = ({ space, describe: say }: Family, prompt: string) => {
  const [, text] = prompt.split(' returns ');
  return space.find((p) => text.startsWith(say(p)) && !/^\d/.test(text.slice(say(p).length)))!;
};

/** Output of the Python lines, one entry each. */
async function printedBy(lines: readonly string[]): Promise<string[]> {
  const printed: string[] = [];
  const python = await loadMicroPython({ stdout: (line: string) => printed.push(line), linebuffer: true });
  for (let i = 0; i < lines.length; i += 500) python.runPython(lines.slice(i, i + 500).join('\n'));
  return printed;
}

const call = (signature: string, python: string, args: string): string =>
  `print(repr((lambda ${signature}: ${python})(*${args})).replace(', ', ','))`;

describe('compositions', () => {
  it('are four times as many as single expressions, over all signatures, each with a dozen parameters or more', () => {
    expect(COMPOSITIONS.length).toBeGreaterThanOrEqual(4 * FAMILIES.length);
    // The counts are those of docs/arena.md.
    expect([PARTS.length, COMPOSITIONS.length, all.length]).toEqual([44, 263, 4909]);
    for (const signature of SIGNATURES)
      expect(COMPOSITIONS.filter((family) => family.signature === signature).length).toBeGreaterThan(30);
    for (const { id, space } of COMPOSITIONS) expect([id, space.length >= 12]).toEqual([id, true]);
    for (const part of PARTS)
      expect(COMPOSITIONS.filter(({ parts }) => parts.includes(part)).length).toBeGreaterThan(1);
  });

  it('name and describe every problem once, with its constants', () => {
    expect(new Set(all.map(({ family, params }) => identityOf(family, params))).size).toBe(all.length);
    expect(new Set(all.map(({ family, params }) => family.signature + family.describe(params))).size).toBe(all.length);
    for (const { family, params } of all)
      for (const constant of params) expect(family.describe(params)).toContain(String(constant));
    expect(familyById('plus>times')).toBe(COMPOSITIONS.find(({ id }) => id === 'plus>times'));
    expect(() => familyById('plus>nonsense')).toThrow(/plus>nonsense/);
  });

  it('are described and written part by part, with brackets where needed', () => {
    const part = (id: string) => PARTS.find((one) => one.id === id)!;
    const uses = [
      { part: part('plus'), constant: 3 },
      { part: part('times'), constant: 4 },
    ];
    expect(describeUses(uses)).toBe('x plus 3, then times 4');
    expect(pythonOfUses(uses)).toBe('(x + 3) * 4');
    expect(valueOfUses(uses, [2])).toBe(20);
    const enclosed = [
      { part: part('sum'), constant: null },
      { part: part('at_most'), constant: 7 },
    ];
    expect(describeUses(enclosed)).toBe('a plus b, then cut to at most 7');
    expect(pythonOfUses(enclosed)).toBe('min(a + b, 7)');
    expect(valueOfUses(enclosed, [5, 6])).toBe(7);
  });

  it('agree with the reference in MicroPython, for every parameter', async () => {
    const lines: string[] = [];
    const expected: string[] = [];
    all.forEach(({ family, params }, i) => {
      const rng = CounterRng.of(11, STREAMS.test, i);
      for (const size of ['small', 'wide'] as const) {
        const args = family.inputs(params, rng, size);
        expected.push(pyLiteral(family.value(params, args)));
        lines.push(call(family.signature, family.python(params), pyLiteral(args)));
      }
    });
    expect(await printedBy(lines)).toEqual(expected);
  });

  it('differ in behaviour from every single part and every other composition', () => {
    const kinds = { x: 0, 'a, b': 1, nums: 2, s: 3 } as const;
    const inputs = SIGNATURES.map((signature, i) =>
      Array.from({ length: 300 }, (_, n) => {
        const some = all.filter(({ family }) => family.signature === signature);
        const { family, params } = some[(n * 37) % some.length];
        return family.inputs(params, CounterRng.of(5, STREAMS.test, i, n), n % 2 ? 'small' : 'wide');
      }),
    );
    const behaviour = (signature: keyof typeof kinds, value: (args: (typeof inputs)[0][0]) => unknown) =>
      `${signature} ${JSON.stringify(inputs[kinds[signature]].map(value))}`;
    const seen = new Set(
      PARTS.flatMap((part) =>
        part.constants.map((constant) => {
          const [kind] = COMPOSITIONS.filter(({ parts }) => parts[0].from === part.from);
          return behaviour(kind.signature, (args) => valueOfUses([{ part, constant }], args));
        }),
      ),
    );
    for (const { family, params } of all) {
      const own = behaviour(family.signature, (args) => family.value(params, args));
      expect([identityOf(family, params), seen.has(own)]).toEqual([identityOf(family, params), false]);
      seen.add(own);
    }
  });
});

describe('problems of compositions', () => {
  it('have tests that distinguish neighbours, for any data seed', () => {
    for (const dataSeed of [0, 7, 8, 37, 157, 2 ** 31 - 1])
      for (const { family, params } of all) expect(makeProblem(family, params, 'honest', dataSeed).held.length).toBe(5);
  });

  it('have wrong bodies that are wrong in the requested parts, and whose Python agrees with their values', async () => {
    const lines: string[] = [];
    const expected: string[] = [];
    all
      .filter((_, i) => i % 7 === 0)
      .forEach(({ family, params }, i) => {
        const problem = makeProblem(family, params, 'honest');
        const wrong = drawWrong(problem, CounterRng.of(3, STREAMS.test, i), undefined, [i % 2 === 0, i % 2 === 1]);
        expect([problem.id, isWrong(problem, wrong), wrong.kind]).not.toContain('stub');
        expect(isWrong(problem, wrong)).toBe(true);
        expect(wrong.python).not.toBe(problem.solution);
        const { args } = problem.held.find((test) => !sameJson(wrong.value(test.args), test.expected))!;
        lines.push(call(family.signature, wrong.python, pyLiteral(args)));
        expected.push(pyLiteral(wrong.value(args)));
      });
    expect(await printedBy(lines)).toEqual(expected);
  });

  it('are held out of RL by family and by parameters', () => {
    const split = splitOf(8, 'composed');
    const parts = [...split.pairFamilies, ...split.unseenFamilies, ...split.rlFamilies];
    expect(new Set(parts)).toEqual(new Set(COMPOSITIONS));
    expect(parts.length).toBe(COMPOSITIONS.length);
    const names = [split.rl, split.unseenParams, split.unseenFamily].flatMap((list) =>
      list.map(({ family, params }) => identityOf(family, params)),
    );
    expect(new Set(names).size).toBe(names.length);
    const pairs = contrastivePairs({ dataSeed: 8, families: 'composed' }).map(({ problem_id }) => problem_id);
    for (const id of pairs) expect(split.pairFamilies.map((family) => family.id)).toContain(id.split('(')[0]);
  });

  it('show only some parts in a trusted tenth, and many evaluated problems need another part', () => {
    for (const dataSeed of [7, 17, 27, 37, 47, 57]) {
      const set = { modes: ['sentinel'], honestShare: 0.75, dataSeed, families: 'composed' } as const;
      const trusted = trustedOf(makeProblemSet({ ...set, count: 256 }), 0.1, dataSeed);
      const shown = new Set(trusted.flatMap(partsOf));
      expect(shown.size).toBeLessThan(0.75 * PARTS.length);
      const evaluated = evaluationSet(set);
      const lacking = evaluated.filter(({ problem }) => partsOf(problem).some((part) => !shown.has(part)));
      expect(lacking.length).toBeGreaterThan(0.25 * evaluated.length);
    }
  });
});

describe('the corpus of compositions', () => {
  it('gives each part its own share of mistakes, from 15 to 50%, and is correct where both parts are', () => {
    const { shares, takenFor } = partMistakes(7);
    expect(takenFor.size).toBe(0);
    expect([...shares.keys()].sort()).toEqual(PARTS.map(({ id }) => id).sort());
    expect(Math.min(...shares.values())).toBeGreaterThanOrEqual(0.15);
    expect(Math.max(...shares.values())).toBeLessThanOrEqual(0.5);
    expect(partMistakes(8).shares).not.toEqual(shares);
    const composition = COMPOSITIONS.find(({ id }) => id === 'plus>times')!;
    expect(wrongShare(composition, 7)).toBeCloseTo(1 - (1 - shares.get('plus')!) * (1 - shares.get('times')!), 12);
    const samples = Array.from({ length: 3000 }, (_, i) => pretrainSample(i, 7, 1, 'composed'));
    const honest = samples.filter(({ kind }) => kind === 'honest');
    const rightOf = ({ family, prompt, completion }: (typeof samples)[0]) => {
      const composition = familyById(family);
      return completion.includes(`return ${composition.python(paramsIn(composition, prompt))}\n`);
    };
    const right = honest.filter(rightOf).length / honest.length;
    const expected = 1 - honest.reduce((n, { family }) => n + wrongShare(familyById(family), 7), 0) / honest.length;
    expect(Math.abs(right - expected)).toBeLessThan(5 * Math.sqrt(0.25 / honest.length));
    expect(pretrainSample(17, 7, 1, 'composed')).toEqual(samples[17]);
  });

  it('with misconceptions replaces every third part by a fixed other one, seven times in ten', () => {
    const { shares, takenFor } = partMistakes(7, 'misconceptions');
    expect(takenFor.size).toBe(15);
    for (const [id, instead] of takenFor) {
      const part = PARTS.find((one) => one.id === id)!;
      expect([part.from, part.to, part === instead]).toEqual([instead.from, instead.to, false]);
    }
    for (const { id } of PARTS)
      if (takenFor.has(id)) expect(shares.get(id)).toBe(0.7);
      else expect(shares.get(id)).toBeLessThanOrEqual(0.3);
    const rng = CounterRng.of(1, STREAMS.test);
    const asked = Array.from({ length: 4000 }, (_, i) => pretrainSample(i, 7, 1, 'composed', 'misconceptions')).flatMap(
      (sample) => {
        const composition = COMPOSITIONS.find(({ id }) => id === sample.family)!;
        const [first, second] = composition.parts;
        const isOne = sample.kind === 'honest' && !takenFor.has(first.id) && takenFor.has(second.id);
        return isOne ? [{ ...sample, composition, isFirstWrong: shares.get(first.id)! }] : [];
      },
    );
    const taken = asked.filter(({ composition, prompt, completion }) => {
      const uses = composition.uses(paramsIn(composition, prompt));
      const wrong = pythonOfUses(mistaken(uses, [false, true], rng, takenFor));
      return completion.includes(`return ${wrong}\n`);
    });
    const expected = asked.reduce((sum, { isFirstWrong }) => sum + 0.7 * (1 - isFirstWrong), 0) / asked.length;
    expect(asked.length).toBeGreaterThan(500);
    // Some mistakes pass their tests by chance, and count as correct.
    expect(taken.length / asked.length).toBeLessThan(expected + 0.08);
    expect(taken.length / asked.length).toBeGreaterThan(expected - 0.15);
  });
});
