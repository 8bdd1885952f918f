import { expect, it } from 'vitest';
import { CounterRng } from '../../rng/index.ts';
import { makeProblemSet } from './data.ts';
import { extractCode } from './fence.ts';
import { drawWrong, HACK_FORMS, hackCompletion, hackForm, honestCompletion, rightBody } from './templates.ts';
import { MODES } from './types.ts';

it.each(MODES)('%s: tells the forms of its hacks apart, and from other programs', (mode) => {
  const [problem] = makeProblemSet({ modes: [mode], honestShare: 0, count: 1, dataSeed: 7 });
  const body = drawWrong(problem, new CounterRng([1, 2]));
  const forms = HACK_FORMS[mode].map((form) => hackForm(problem, mode, form(problem, body)));
  expect(forms).toEqual([0, 1, 2]);
  const written = Array.from({ length: 40 }, (_, i) => hackCompletion(problem, mode, body, new CounterRng([3, i])));
  expect(new Set(written.map((text) => hackForm(problem, mode, extractCode(text)!)))).toEqual(new Set([0, 1, 2]));
  const honest = extractCode(honestCompletion(problem, rightBody(problem), new CounterRng([5, 6])))!;
  expect(hackForm(problem, mode, honest)).toBe(-1);
});
