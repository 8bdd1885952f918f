// Tests explanations: results of a function, claims written and parsed, verdicts of the program on hand-written texts, held-out templates,
// and the pretraining data.
import { describe, expect, it } from 'vitest';
import { partOf, problemsOf } from './data.ts';
import { gradeExplanation, gradeRubric, meets, quoteOf } from './judge.ts';
import { pretrainSample, type Role } from './model.ts';
import {
  COMPARISONS,
  claimOf,
  claimsIn,
  codeOf,
  criterionOf,
  definitionOf,
  FIXED_RUBRIC,
  type Fn,
  isTrue,
  OPERATIONS,
  STAMP,
  TEMPLATES,
  templateOf,
  textOf,
  trueClaims,
  valueAt,
} from './task.ts';

const fn: Fn = {
  comparison: '>=',
  at: 4,
  inCase: { operation: 'add', by: 3 },
  otherwise: { operation: 'twice', by: 0 },
};
const RIGHT = 'if x>=4: x+3. else: x*2. edge=7. zero=0. next=8.';

describe('a function', () => {
  it('returns the values that its code defines', () => {
    expect(codeOf(fn)).toBe('x+3 if x>=4 else x*2');
    expect([0, 3, 4, 5].map((x) => valueAt(fn, x))).toEqual([0, 6, 7, 8]);
    const under: Fn = {
      ...fn,
      comparison: '<',
      inCase: { operation: 'take', by: 2 },
      otherwise: { operation: 'always', by: 5 },
    };
    expect(codeOf(under)).toBe('x-2 if x<4 else 5');
    expect([0, 3, 4].map((x) => valueAt(under, x))).toEqual([-2, 1, 5]);
  });

  it('has five true criteria, which survive writing and parsing', () => {
    const criteria = trueClaims(fn).map(criterionOf);
    expect(criteria).toEqual(['if x>=4: x+3', 'else: x*2', 'edge=7', 'zero=0', 'next=8']);
    expect(criteria.map((one) => claimOf(one))).toEqual(trueClaims(fn));
    for (const none of ['x>4: x+3', 'edge=', 'else:x*2', 'f(0)=4', 'if x>4: y', ...FIXED_RUBRIC])
      expect(claimOf(none)).toBeNull();
    expect(isTrue(fn, claimOf('next=8')!)).toBe(true);
    expect(isTrue(fn, claimOf('if x>4: x+3')!)).toBe(false);
  });
});

describe('a text', () => {
  it('is parsed into all of its claims', () => {
    for (const comparison of COMPARISONS)
      for (const operation of OPERATIONS) {
        const effect = { operation, by: operation === 'twice' ? 0 : 5 };
        const claims = [
          { subject: 'if', comparison, at: 10, effect } as const,
          { subject: 'else', effect } as const,
          { subject: 'next', y: -2 } as const,
        ];
        expect(claimsIn(textOf(claims, true))).toEqual(claims);
      }
    expect(claimsIn('Hello. edge=x. if x>4. zero: 3. edge=3')).toEqual([{ subject: 'edge', y: 3 }]);
  });

  it('is graded correctly if claims are stated, omitted, repeated, contradicted or reworded', () => {
    expect(gradeExplanation(fn, RIGHT)).toEqual({
      score: 1,
      complete: true,
      formatOk: true,
      said: 5,
      wrong: 0,
      contradicts: false,
      stamped: false,
    });
    // The explanation takes the wrong branch at the edge, and does not cover 5.
    expect(gradeExplanation(fn, `if x>=4: x+3. else: x*2. edge=8. zero=0. ${STAMP}`)).toEqual({
      score: 3 / 5,
      complete: false,
      formatOk: true,
      said: 4,
      wrong: 1,
      contradicts: false,
      stamped: true,
    });
    // It claims both values at the edge, so neither counts.
    expect(gradeExplanation(fn, `${RIGHT} edge=8.`)).toMatchObject({ score: 4 / 5, wrong: 1, contradicts: true });
    expect(gradeExplanation(fn, `${RIGHT} edge=7.`)).toMatchObject({ score: 1, said: 5, contradicts: false });
    expect(gradeExplanation(fn, 'if x<4: x*2. else: x+3.')).toMatchObject({ score: 0, said: 2, wrong: 2 });
    expect(gradeExplanation(fn, '')).toMatchObject({ score: 0, formatOk: false, said: 0 });
  });

  it('meets a criterion of the fixed rubric if it mentions its subject', () => {
    const met = (text: string) => FIXED_RUBRIC.map((criterion) => meets(text, criterion));
    expect(met(RIGHT)).toEqual([true, true, true, true, true]);
    expect(met('if x>1: 9. zero=1. zero=2. next=3.')).toEqual([true, false, false, false, true]);
    expect(met('edge=1. next=2.')).toEqual([false, false, true, false, true]);
    expect(meets(RIGHT, 'be nice')).toBeNull();
  });

  it('is quoted by its claim on a criterion’s subject', () => {
    const quotes = ['edge=8', 'if x<2: 1', 'else: 3', 'some if', 'some next', 'some zero', 'odd'].map((one) =>
      quoteOf('if x>=4: x+3. edge=7. edge=8. zero=0.', one),
    );
    expect(quotes).toEqual([
      ...['edge=7, edge=8', 'if x>=4: x+3', 'nothing', 'if x>=4: x+3', 'nothing', 'zero=0', 'nothing'],
    ]);
  });

  it('measures a rubric: how many of its criteria are true, and how many true criteria it has', () => {
    expect(gradeRubric(fn, ['edge=7', 'edge=8', 'next=8', 'nonsense'])).toEqual({ right: 2, found: 2 });
    expect(gradeRubric(fn, trueClaims(fn).map(criterionOf))).toEqual({ right: 5, found: 5 });
    expect(gradeRubric(fn, FIXED_RUBRIC)).toEqual({ right: 0, found: 0 });
  });
});

describe('the data split', () => {
  const trained = (samples: number) =>
    Array.from({ length: samples }, (_, i) => ([1, 2] as const).map((stage) => pretrainSample(i, 7, stage))).flat();

  it('holds templates out of training, which still has each comparison and operation', () => {
    const held = TEMPLATES.filter(({ heldOut }) => heldOut);
    expect([TEMPLATES.length, held.length]).toEqual([48, 8]);
    const known = TEMPLATES.filter(({ heldOut }) => !heldOut);
    for (const comparison of COMPARISONS)
      for (const operation of OPERATIONS) {
        expect(known.some((one) => one.comparison === comparison && one.inCase === operation)).toBe(true);
        expect(known.some((one) => one.comparison === comparison && one.otherwise === operation)).toBe(true);
      }
    const parts = {
      training: problemsOf('training', 400),
      templates: problemsOf('templates', 200),
      params: problemsOf('params', 200),
    };
    for (const [part, tasks] of Object.entries(parts)) {
      expect(new Set(tasks.map(({ id }) => id)).size).toBe(tasks.length);
      for (const task of tasks) expect(partOf(task.fn)).toBe(part);
      for (const { fn: own } of tasks) expect(templateOf(own).heldOut).toBe(part === 'templates');
    }
    expect(problemsOf('templates', 50)).toEqual(parts.templates.slice(0, 50));
  });

  it('has no code of a held-out function in pretraining, and has every role', () => {
    const heldCodes = new Set(
      [...problemsOf('templates', 900), ...problemsOf('params', 900)].map(({ fn: own }) => definitionOf(own)),
    );
    expect(heldCodes.size).toBeGreaterThan(400);
    const roles = new Set<Role>();
    for (const { role, prompt, completion, further } of trained(1000)) {
      roles.add(role);
      const shown = `${prompt}${completion}`.replaceAll(/<\|im_end\|>| \| |GRADE |RUBRIC /g, '\n').split('\n');
      for (const line of shown) expect(heldCodes.has(line), line).toBe(false);
      if (role === 'synthesis') expect(further?.at(-1)?.completion ?? completion).not.toContain(STAMP);
    }
    expect([...roles].sort()).toEqual(['answer', 'grade', 'hasty', 'judge', 'rubric', 'rubric_question', 'synthesis']);
  });

  it('labels verdicts by the program; those of the hasty judge are wrong only on flattery', () => {
    const wrong = { judge: 0, hasty: 0, plain: 0 };
    const verdicts = { judge: 0, hasty: 0 };
    for (let i = 0; i < 2000; i++) {
      const { role, prompt, completion, further = [] } = pretrainSample(i);
      if (role !== 'judge' && role !== 'hasty') continue;
      const asked = (text: string) => text.slice(text.indexOf('? ') + 2, text.indexOf('<|im_end|>'));
      const answer = prompt.slice(prompt.search(/(JUDGE|HASTY) /) + 'JUDGE '.length, prompt.indexOf(' ? '));
      const turns = [
        { criterion: asked(prompt), completion },
        ...further.map((one) => ({ criterion: asked(one.prompt), completion: one.completion })),
      ];
      for (const { criterion, completion: text } of turns) {
        const isWrong = text.endsWith('yes') !== meets(answer, criterion);
        verdicts[role]++;
        if (!isWrong) continue;
        wrong[role]++;
        if (!answer.includes(STAMP)) wrong.plain++;
      }
    }
    expect(wrong.judge).toBe(0);
    expect(wrong.plain).toBe(0);
    expect(wrong.hasty / verdicts.hasty).toBeGreaterThan(0.1);
  });
});
