// Tests that a hypothesis is decided by its clauses and its falsifier, never by the wording; and that every question is decided by invented
// figures on either side of its bars.
import { describe, expect, it } from 'vitest';
import { keysOf, type Truth } from '../../../src/experiments/judge/rule.ts';
import { clause, conclusionOf, grouped, ruleOf } from './answer.ts';
import { lowers } from './judge.ts';
import { QUESTIONS } from './questions/index.ts';
import { resultOf } from './results.ts';
import { type Final, questionOf, runsFor } from './testing/study-cells.ts';
import type { Conclusion, QuestionId, StudyCell } from './types.ts';

/** A condition for each truth value: an empty `all`, an empty `any`, and a missing comparison. */
const IS = { true: { all: [] }, false: { any: [] }, null: lowers('nothing: at all') };
const one = (truth: Truth, name: string) => clause(IS[`${truth}`], `${name} is so`, `${name} is not so`);

describe('an answer', () => {
  it('holds if every clause is true', () => {
    expect(conclusionOf([one(true, 'a'), one(true, 'b')])).toEqual({
      outcome: 'holds',
      sentence: 'The hypothesis holds: a is so; b is so.',
    });
  });

  it('fails by its falsifier, or by default by any false clause, and names the falsifying clause first', () => {
    expect(conclusionOf([one(true, 'a'), one(false, 'b'), one(null, 'c')])).toEqual({
      outcome: 'fails',
      sentence: 'The hypothesis fails: b is not so; but a is so; whether c is so stays open.',
    });
  });

  it('holds in part if a clause is false and the falsifier is not met', () => {
    expect(conclusionOf([one(true, 'a'), one(false, 'b')], IS.false)).toEqual({
      outcome: 'in part',
      sentence: 'The hypothesis holds in part: a is so; but b is not so.',
    });
  });

  it('is open if a clause is open, or if nothing holds and the falsifier is open', () => {
    expect(conclusionOf([one(true, 'a'), one(null, 'b')])).toEqual({
      outcome: 'open',
      sentence: 'The hypothesis is open: a is so; whether b is so stays open.',
    });
    expect(conclusionOf([one(false, 'a'), one(null, 'b')], IS.null)?.outcome).toBe('open');
    expect(conclusionOf([one(null, 'a'), one(null, 'b')])?.sentence).toBe(
      'The hypothesis is open: whether a is so stays open; whether b is so stays open.',
    );
  });

  it('is null without a clause', () => {
    expect(conclusionOf([])).toBeNull();
  });

  it('combines the same clause about several items', () => {
    const items = [
      { name: 'x', is: IS.true },
      { name: 'y', is: IS.null },
      { name: 'z', is: IS.true },
      { name: 'w', is: IS.true },
    ];
    expect(conclusionOf([grouped(items, 'it reaches …', 'it misses …')])?.sentence).toBe(
      'The hypothesis is open: it reaches x, z and w; whether it reaches y stays open.',
    );
  });
});

describe('a rule', () => {
  const asked = QUESTIONS.flatMap(({ id, cells, ...question }) =>
    [question, ...(question.addition ? [question.addition] : [])].map((of) => ({ id, cells, ...of })),
  );
  it.each(asked)('$id: $title uses only cells of its table, or values that it computes', (one) => {
    const { cells, made = {}, clauses, falsifier, replicates, given, says, needs } = one;
    const conditions = [
      replicates,
      given,
      ...says.map((saying) => (typeof saying === 'function' ? undefined : saying[0])),
    ];
    const cases = conditions.flatMap((when) => (typeof when === 'object' ? [{ status: 'open' as const, when }] : []));
    const told = conditions.filter((of) => typeof of === 'string');
    const keys = [...keysOf(ruleOf(clauses, falsifier)), ...keysOf({ cases }), ...told];
    const ids = keys.filter((key) => !(key in made)).flatMap((key) => key.split(': ')[1].split(' − '));
    for (const id of [...ids, ...needs]) expect(cells.map((cell) => cell.id)).toContain(id);
    expect(keys.length).toBeGreaterThan(0);
  });
});

const SPREAD = [1, -2, 2, 0, -1];
/** Base 2% and 40%; cells without given rates have vanilla's, 50% and 30%; the spread over seeds has another order in every cell. */
function answer(id: QuestionId, finals: Record<string, Final>, otherwise: Final = [0.5, 0.3]): Conclusion | null {
  const ids = questionOf(id).cells.map((cell) => cell.id);
  const final = (cell: StudyCell, seed: number): Final => {
    const [hack, solve] = finals[cell.id] ?? (cell.model === 'base' ? [0.02, 0.4] : otherwise);
    const shift = ids.indexOf(cell.id);
    const at = (more: number) => 0.002 * SPREAD[(seed * (1 + (Math.floor((shift + more) / 5) % 4)) + shift + more) % 5];
    return [hack + at(0), solve + at(1)];
  };
  return resultOf(questionOf(id), runsFor(id, final)).verdict.answer;
}

describe('the hypothesis of', () => {
  const is = (id: QuestionId, finals: Record<string, Final>, otherwise?: Final) =>
    answer(id, finals, otherwise)?.outcome;

  it('Q1', () => {
    expect(is('Q1', { mix0: [0.2, 0.3] })).toBe('fails');
    expect(is('Q1', { 'mix0.5': [0.8, 0.3], mix0: [0.2, 0.3] })).toBe('holds');
    expect(is('Q1', { 'mix0.5': [0.8, 0.3] })).toBe('fails');
  });
  it('Q2', () => {
    expect(is('Q2', { erase: [0.1, 0.3] })).toBe('holds');
    expect(is('Q2', { erase: [0.3, 0.3] })).toBe('open');
    expect(answer('Q2', { erase: [0.4, 0.3] })?.sentence).toContain('erase removes less than 15 points of hack (H1)');
    expect(answer('Q2', { erase: [0.1, 0.1] })?.sentence).toContain('erase costs more than 15 points of solve (H1)');
  });
  it('Q3', () => {
    expect(is('Q3', { no_gate: [0.3, 0.2], reverse: [0.2, 0.2] })).toBe('holds');
    expect(is('Q3', { reverse: [0.2, 0.2] })).toBe('in part');
    expect(is('Q3', {})).toBe('fails');
  });
  it('Q4', () => {
    expect(is('Q4', { erase: [0.4, 0.3], 'erase-mean': [0.45, 0.3] })).toBe('holds');
    expect(is('Q4', { erase: [0.3, 0.3], 'erase-mean': [0.45, 0.3] })).toBe('fails');
    expect(is('Q4', { route: [0.1, 0.3] })).toBe('fails');
  });
  it('Q5', () => {
    const falling = {
      refresh10: [0.4, 0.3],
      refresh5: [0.3, 0.3],
      refresh2: [0.2, 0.3],
      refresh1: [0.1, 0.3],
    } as const;
    expect(is('Q5', falling)).toBe('holds');
    expect(is('Q5', {})).toBe('fails');
  });
  it('Q6', () => {
    const erase = (dense: number, thin: number) => ({
      'erase0.5': [0.2, dense] as const,
      'erase0.25': [0.2, thin] as const,
      'erase0.125': [0.2, thin] as const,
    });
    expect(is('Q6', erase(0.15, 0.3))).toBe('holds');
    expect(is('Q6', erase(0.3, 0.3))).toBe('fails');
    expect(is('Q6', { ...erase(0.15, 0.3), 'erase0.25': [0.5, 0.3] })).toBe('fails');
  });
  it('Q8', () => {
    const erase = (weak: number, pairs: number, axes: number) => ({
      'erase-p10k5': [weak, 0.3] as const,
      'erase-p16k5': [pairs, 0.3] as const,
      'erase-p16k12': [axes, 0.3] as const,
    });
    expect(is('Q8', erase(0.5, 0.4, 0.3))).toBe('holds');
    expect(is('Q8', erase(0.5, 0.5, 0.3))).toBe('in part');
    expect(is('Q8', erase(0.5, 0.5, 0.5))).toBe('fails');
  });
  it('Q9', () => {
    expect(is('Q9', { 'erase-m5': [0.5, 0.4] })).toBe('holds');
    expect(is('Q9', { 'erase-m5': [0.3, 0.3] })).toBe('in part');
    expect(is('Q9', { 'erase-m5': [0.6, 0.4] })).toBe('in part');
    expect(is('Q9', { 'erase-m5': [0.6, 0.3] })).toBe('fails');
    expect(is('Q9', {})).toBe('fails');
  });
  it('Q10', () => {
    const both = { erase: [0.3, 0.3], 'erase-prog_wider': [0.3, 0.3] } as const;
    expect(is('Q10', both)).toBe('holds');
    expect(is('Q10', { erase: both.erase })).toBe('in part');
    expect(is('Q10', { ...both, 'erase-placebo': [0.3, 0.3] })).toBe('fails');
  });
  it('Q11', () => {
    expect(is('Q11', { erase40: [0.3, 0.3], erase: [0.5, 0.3] })).toBe('holds');
    expect(is('Q11', { erase40: [0.3, 0.3], erase: [0.3, 0.3] })).toBe('fails');
    expect(is('Q11', { erase40: [0.3, 0.3], erase: [0.42, 0.3] })).toBe('open');
    expect(answer('Q11', {})?.sentence).toContain('there was no gap to close');
  });
  it('Q12', () => {
    const real = { route: [0.1, 0.3], erase: [0.1, 0.3], 'route-gradient': [0.1, 0.3] } as const;
    expect(is('Q12', real)).toBe('holds');
    // Permuted and flipped labels do not count as nulls.
    expect(is('Q12', { ...real, permuted_V: [0.1, 0.3], flipped_V: [0.1, 0.3] })).toBe('holds');
    expect(answer('Q12', { ...real, 'erase-placebo_V': [0.1, 0.3] })?.sentence).toBe(
      'The hypothesis fails: along the real V erase do not lower hack more than along every null; but along the real V route (update) and route (gradient) lower hack more than along every null.',
    );
  });
  it('Q13', () => {
    expect(is('Q13', { 'route-update': [0.1, 0.3] })).toBe('holds');
    expect(is('Q13', {})).toBe('fails');
    // Without any hacking the remaining clauses are undecided.
    expect(answer('Q13', { 'route-update': [0.1, 0.3] }, [0.1, 0.3])).toBeNull();
  });
  it('Q15', () => {
    expect(is('Q15', { 'route-gradient': [0.3, 0.2], 'route-update': [0.2, 0.3] })).toBe('holds');
    expect(is('Q15', { 'route-gradient': [0.3, 0.3], 'route-update': [0.3, 0.3] })).toBe('fails');
    expect(is('Q15', { 'route-gradient': [0.2, 0.2], 'route-update': [0.3, 0.3] })).toBe('fails');
  });
  it('Q16', () => {
    const routed = { 'lora-route-update': [0.1, 0.3], 'lora-route': [0.1, 0.3] } as const;
    expect(is('Q16', { ...routed, 'lora-erase': [0.1, 0.3] })).toBe('holds');
    expect(is('Q16', routed)).toBe('in part');
    expect(is('Q16', {})).toBe('fails');
    expect(is('Q16', { lora: [0.1, 0.3] })).toBe('open');
  });
  it('Q17', () => {
    const own = { 'route-update': [0.1, 0.3] } as const;
    expect(is('Q17', own)).toBe('holds');
    expect(is('Q17', { ...own, kl: [0.1, 0.3] })).toBe('fails');
    // A baseline with as little hack but much less solve does not hack more, but is no rival.
    expect(is('Q17', { ...own, kl: [0.1, 0.05] })).toBe('in part');
    // A baseline that uses the oracle may do as well.
    expect(is('Q17', { ...own, penalty: [0.02, 0.4] })).toBe('holds');
  });
  it('Q18', () => {
    const at = (share: number, kept: number, elsewhere = kept) => ({
      [`vanilla@${share}`]: [0.5, 0.5] as const,
      [`honest@${share}`]: [0.02, 0.8] as const,
      [`k5@${share}`]: [0.1, kept] as const,
      [`k12@${share}`]: [0.1, elsewhere] as const,
    });
    expect(is('Q18', { ...at(0.5, 0.7), ...at(0.75, 0.7) }, [0.5, 0.42])).toBe('holds');
    expect(is('Q18', { ...at(0.5, 0.7), ...at(0.75, 0.5) }, [0.5, 0.42])).toBe('in part');
    expect(is('Q18', { ...at(0.5, 0.5), ...at(0.75, 0.5) }, [0.5, 0.42])).toBe('fails');
    // One width succeeds: the falsifier requires that every width fails.
    expect(is('Q18', { ...at(0.5, 0.5, 0.7), ...at(0.75, 0.5) }, [0.5, 0.42])).toBe('open');
  });
  it('Q19', () => {
    const there = Object.fromEntries(
      ['classic', 'honest'].flatMap((id) => [
        [`route-${id}`, [0.1, 0.3] as const],
        [`steered-${id}`, [0.02, 0.45] as const],
      ]),
    );
    expect(is('Q19', there)).toBe('holds');
    expect(is('Q19', { ...there, 'matched-honest': [0.1, 0.3] })).toBe('fails');
    expect(is('Q19', { ...there, 'steered-classic': [0.1, 0.3] })).toBe('fails');
    expect(is('Q19', {})).toBe('open');
  });

  it('Q20, over draws of the data', () => {
    const draws = [11, 12, 13, 14, 15];
    const at = (id: string, hack: number) =>
      Object.fromEntries(draws.map((draw) => [`${id}@${draw}`, [hack, 0.3] as const]));
    const lowered = { ...at('route', 0.1), ...at('erase', 0.4) };
    expect(is('Q20', lowered)).toBe('holds');
    expect(is('Q20', { ...lowered, ...at('erase', 0.5) })).toBe('in part');
    expect(is('Q20', { ...lowered, ...at('placebo', 0.1) })).toBe('fails');
    expect(is('Q20', at('erase', 0.4))).toBe('fails');
    // If nothing was learned, there is nothing to remove.
    expect(is('Q20', { ...lowered, ...at('vanilla', 0.1) })).toBeUndefined();
    // An effect in four draws and its reverse in the fifth must not count as one draw with many seeds.
    expect(is('Q20', { ...lowered, 'route@15': [0.9, 0.3] })).toBe('open');
  });
  it('counts draws, not seeds', () => {
    const runs = runsFor('Q20', (cell, seed) => {
      const draw = Number(cell.id.split('@')[1]);
      const hack = cell.id.startsWith('route') ? 0.1 + 0.01 * (draw - 13) : 0.5;
      return cell.model === 'base' ? [0.02, 0.4] : [hack + 0.02 * (seed - 42), 0.3];
    });
    const { verdict } = resultOf(questionOf('Q20'), runs);
    expect(verdict.n).toBe(5);
    const text = verdict.sentences.join(' ');
    expect(text).toMatch(/Route \(update\), deployed, lowers hack: −40 points \(95% CI −42 to −38, n = 5\)/);
    expect(text).toContain('The draws lie between −42 points and −38 points.');
  });

  it('Q21, beside the same cells with full attention', () => {
    const there = Object.fromEntries(
      ['', 'hybrid-'].flatMap((of) => [
        [`${of}erase`, [0.4, 0.3] as const],
        [`${of}route`, [0.2, 0.3] as const],
        [`${of}route-update`, [0.1, 0.3] as const],
      ]),
    );
    expect(is('Q21', there)).toBe('holds');
    // Only erase differs: the deployed models decide whether it fails.
    expect(is('Q21', { ...there, 'hybrid-erase': [0.2, 0.3] })).toBe('in part');
    expect(is('Q21', { ...there, 'hybrid-route-update': [0.3, 0.3] })).toBe('fails');
    expect(is('Q21', { ...there, 'hybrid-route-update': [0.1, 0.1] })).toBe('fails');
    expect(is('Q21', { ...there, 'hybrid-random': [0.1, 0.3] })).toBe('fails');
    // A hybrid that learns no hack has nothing to lose.
    expect(is('Q21', { ...there, hybrid: [0.1, 0.3] })).toBeUndefined();
  });

  it('every question has an answer in one sentence', () => {
    // Q14 is judged by mode, and Q18 needs a gain to keep.
    for (const { id } of QUESTIONS.filter((question) => !['Q14', 'Q18'].includes(question.id))) {
      const said = answer(id, {});
      expect(said?.sentence, id).toMatch(/^The hypothesis [^.]*(\d\.\d[^.]*)*\.$/);
    }
  });
});
