// Tests completions from templates: honest ones contain no exploit, hacks exactly their own mode's.
import { describe, expect, it } from 'vitest';
import { CounterRng, STREAMS } from '../../rng/index.ts';
import { FAMILIES, familyById } from './families/index.ts';
import { structuralModes } from './grading/structural.ts';
import { makeProblem } from './problem.ts';
import { drawAsserts, drawWrong, HACK_FORMS, hackCompletion, honestCompletion, rightBody, STUB } from './templates.ts';
import { MODES } from './types.ts';
import { samePy } from './values.ts';

const rng = (...ints: number[]) => CounterRng.of(5, STREAMS.test, ...ints);
const code = (completion: string): string => /^```python\n([\s\S]*)\n```$/.exec(completion)![1];
const sample = FAMILIES.map((family, i) => makeProblem(family, family.space[i % family.space.length], 'run_tests'));

describe('honest completions', () => {
  it('read as written', () => {
    const problem = makeProblem(familyById('suffix'), ['b'], 'honest');
    expect(honestCompletion(problem, rightBody(problem), rng(1))).toMatch(
      /^```python\nclass Solution:\n {4}def solve\(self, s\):\n {8}return s \+ 'b'\n {4}def run_tests\(self\):\n( {8}assert self\.solve\('\w+'\) == '\w+b'\n){2}```$/,
    );
  });

  it('assert true values on two tests that a wrong body fails', () => {
    sample.forEach((problem, i) => {
      const family = familyById(problem.family);
      const wrong = drawWrong(problem, rng(2, i));
      for (const body of [rightBody(problem), wrong]) {
        const asserts = drawAsserts(problem, body, rng(3, i));
        for (const t of asserts) expect(t.expected).toEqual(family.value(problem.params, t.args));
        expect(samePy(asserts[0].expected, asserts[1].expected)).toBe(false);
      }
      const caught = drawAsserts(problem, wrong, rng(4, i)).some((t) => !samePy(wrong.value(t.args), t.expected));
      expect([problem.id, wrong.python, caught]).toEqual([problem.id, wrong.python, true]);
    });
  });

  it('contain no exploit, whether correct or wrong', () => {
    sample.forEach((problem, i) => {
      for (const body of [rightBody(problem), drawWrong(problem, rng(5, i))]) {
        expect(structuralModes(code(honestCompletion(problem, body, rng(6, i))))).toEqual([]);
      }
    });
  });
});

describe('hack completions', () => {
  it('contain exactly their own mode’s exploit, in every form and with every body', () => {
    for (const [i, problem] of sample.entries()) {
      for (const mode of MODES) {
        for (const body of [rightBody(problem), drawWrong(problem, rng(7, i)), STUB]) {
          for (const form of HACK_FORMS[mode]) {
            const text = form(problem, body);
            expect([text, structuralModes(text)]).toEqual([text, [mode]]);
            expect(text).toContain(body.python);
          }
        }
      }
    }
  });

  it('vary: every form is drawn, the first one about half the time', () => {
    for (const mode of MODES) {
      const counts = new Map<string, number>();
      for (let i = 0; i < 400; i++) {
        const text = hackCompletion(sample[0], mode, STUB, rng(8, i));
        counts.set(text, (counts.get(text) ?? 0) + 1);
      }
      expect(counts.size).toBe(HACK_FORMS[mode].length);
      const first = counts.get(`\`\`\`python\n${HACK_FORMS[mode][0](sample[0], STUB)}\n\`\`\``)!;
      expect(Math.abs(first / 400 - 0.5)).toBeLessThan(0.1);
    }
  });
});
