// Tests claims of the docs that go beyond a rule's verdict: each figure is computed again from the published rows and must appear on the
// page of findings and in the lab book. If the rows change, those lines must change too.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { InferenceRow } from '../../src/experiments/cat/infer.ts';
import { pairedDifference } from '../../src/experiments/cat/summary.ts';
import {
  type CurveRow,
  type DosePoint,
  interpolatedAt,
  type ProbeMeans,
} from '../../src/experiments/characters/rows.ts';
import type { ImproveRow } from '../../src/experiments/exit/rows.ts';
import { mean, pairedT, spearman } from '../../src/stats/index.ts';
import { publishedRows } from '../judge/publish.ts';
import { answerOf, judgeQuestion } from '../judge/question.ts';
import { FINDINGS_PAGE } from '../judge/readme.ts';
import { metricsOfRun } from '../series/cat/runs.ts';
import { OTHER_BASES } from '../series/characters/bases.ts';
import { ENVIRONMENT_QUESTIONS } from '../series/questions.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const rows = publishedRows(ROOT);
const read = (path: string) => readFileSync(`${ROOT}/${path}`, 'utf8').replaceAll('−', '-');
const page = read(FINDINGS_PAGE).split('\n');
/** The line on the page of findings that states a verdict's limits; open questions have none. */
const lineOf = (id: string): string => page.find((line) => line.startsWith(`    - ${id}: `)) ?? '';
const digits = (value: number, count: number) =>
  value
    .toFixed(count)
    .replace(/^(-?)0\./, '$1.')
    .replace(/^-(\.0+)$/, '$1');
const two = (value: number) => digits(value, 2);
const three = (value: number) => digits(value, 3);
const intervalOf = (values: readonly number[], show: (value: number) => string) => {
  const { mean, interval } = pairedT(values)!;
  return `${show(mean)} [${show(interval.low)} ${show(interval.high)}]`;
};

describe('references and judges', () => {
  const second = rows.lines<InferenceRow>('cat/inference-2.jsonl.gz').filter(({ split }) => split === 'templates');
  const first = rows.lines<InferenceRow>('cat/inference.jsonl.gz').filter(({ split }) => split === 'templates');
  const shareOf = ({ mean, interval }: ReturnType<typeof pairedDifference>) =>
    `${three(mean!)} [${three(interval!.low)} ${three(interval!.high)}]`;

  it('C3: “within 5 points” applies only to G = 8', () => {
    for (const size of [1, 2, 4, 16]) {
      const share = pairedDifference(second, ['synthesis_question', size], ['synthesis', size]);
      const { low, high } = share.interval ?? { low: 0, high: 0 };
      expect(lineOf('C3').includes(`G = ${size} ${share.mean === null ? '' : shareOf(share)}`), `G ${size}`).toBe(
        low < -0.05 || high > 0.05,
      );
    }
    expect(pairedDifference(second, ['synthesis_question', 1], ['synthesis', 1]).mean).toBeGreaterThan(0.05);
  });

  it('C4 and C5 fail on the first base by the same rules', () => {
    const more = pairedDifference(first, ['synthesis', 8], ['synthesis', 1]);
    const gain = pairedDifference(first, ['synthesis', 8], ['majority', 8]);
    expect([more, gain].map(({ interval }) => interval!.low > 0)).toEqual([false, false]);
    expect(lineOf('C4')).toContain(`it fails on the first base (G 8 - G 1 ${shareOf(more)})`);
    expect(lineOf('C5')).toContain(`it fails on the first base (gain, held-out templates ${shareOf(gain)})`);
    const { low } = pairedDifference(second, ['synthesis', 8], ['synthesis', 1]).interval!;
    expect(low).toBeLessThan(0.05);
    expect(lineOf('C4')).toContain(`the interval begins at ${two(low)}`);
  });

  it('C6c: the margin is wider than the harm', () => {
    const runs = rows.runs('cat/explain.json.gz').map(metricsOfRun);
    const strict = runs.filter(({ arm }) => arm === 'rubric');
    const harm = strict.map(({ seed, score }) => {
      return runs.find((run) => run.arm === 'hasty' && run.seed === seed)!.score! - score!;
    });
    expect(Math.abs(mean(harm)!)).toBeLessThan(0.05);
    expect(lineOf('C6c')).toContain(
      `is wider than the harm (true score, flattered - strict judge: ${intervalOf(harm, three)}`,
    );
    expect(lineOf('C6c')).toContain('a full cure would be called none');
  });
});

describe('self-improvement', () => {
  const sampled = (file: string) => rows.lines<ImproveRow>(file).filter(({ way }) => way === 'sampled');
  /** One value per training seed: the mean over its chains of `of`, applied to a chain's qualities. */
  const bySeed = (all: readonly ImproveRow[], arm: string, of: (quality: readonly number[]) => number) => {
    const own = all.filter((row) => row.arm === arm && !row.base);
    return [...new Set(own.map(({ seed }) => seed))].map(
      (seed) => mean(own.filter((row) => row.seed === seed).map(({ quality }) => of(quality)))!,
    );
  };
  const best = (quality: readonly number[]) => Math.max(...quality.slice(0, 17));

  it.each([
    ['E1', ['exit/e1.jsonl.gz', 'exit/controls.jsonl.gz'], 'exit'],
    ['E1-again', ['exit/e1-again.jsonl.gz'], 'exit_best'],
  ])('%s: what is left where the best answer so far is kept', (id, files, arm) => {
    const all = files.flatMap(sampled);
    const [base] = bySeed(all, 'base', best);
    const text = intervalOf(
      bySeed(all, arm, best).map((value) => value - base),
      three,
    );
    expect(lineOf(id)).toContain(`where the best answer so far is kept, ${text}`);
    expect(read('docs/lab-book/exit.md')).toContain(text);
  });

  it('E1-bases: the interval over three bases', () => {
    const gains = [
      ...rows.lines<ImproveRow>('exit/e1-again.jsonl.gz'),
      ...rows.lines<ImproveRow>('exit/bases.jsonl.gz'),
    ]
      .filter(({ way }) => way === 'sampled')
      .reduce((all, row) => {
        const key = row.base ?? '';
        const own = all.get(key) ?? { exit_best: [] as number[], none: [] as number[] };
        if (row.arm === 'exit_best' || row.arm === 'none') own[row.arm].push(row.quality[16]);
        return all.set(key, own);
      }, new Map<string, { exit_best: number[]; none: number[] }>());
    expect(gains.size).toBe(3);
    const each = [...gains.values()].map((own) => mean(own.exit_best)! - mean(own.none)!);
    expect(lineOf('E1-bases')).toContain(`together ${intervalOf(each, three)}`);
  });

  it('E6: deployed, first answers are below the untrained base’s', () => {
    const all = ['exit/sandbagging.jsonl.gz', 'exit/e1.jsonl.gz'].flatMap(sampled);
    const [base] = bySeed(all, 'base', ([quality]) => quality);
    const apart = bySeed(all, 'route-update/deployed', ([quality]) => quality).map((value) => value - base);
    expect(mean(apart)).toBeLessThan(0);
    expect(lineOf('E6')).toContain(`lie below the untrained base’s on average: ${intervalOf(apart, three)}`);
  });
});

describe('characters', () => {
  const curves = (name: string) => rows.lines<CurveRow>(`characters/${name}.jsonl.gz`);
  const ofDial = (all: readonly CurveRow[], arm: string) =>
    all.filter((row) => row.arm === arm && row.teaches === 'dial' && !row.adapter);
  /** The change of another value at the dose at which ΔP of A is 0.30; null if ΔP never reaches it. */
  const atEffect = ({ curve }: CurveRow) => {
    const p = (point: DosePoint) => point.target.a!.p - curve[0].target.a!.p;
    const there = interpolatedAt(curve, p, 0.3);
    return there && ((of: (point: DosePoint) => number) => there(of) - of(curve[0]));
  };
  const page = read('docs/lab-book/characters.md');

  it.each([
    ['S1-again', 's1-again'],
    ['S1-seed2-on-again', 'seed2-on-again'],
    ['S1-seed3-on-again', 'seed3-on-again'],
  ])('%s: beliefs about others, in log-odds', (id, file) => {
    const shares = ofDial(curves(file), 'sdf').flatMap((row) => {
      const above = atEffect(row);
      return above ? [above(({ beliefs }) => beliefs.others.logit) / above(({ beliefs }) => beliefs.a.logit)] : [];
    });
    expect(lineOf(id)).toContain(`That is of behaviour.`);
    expect(lineOf(id)).toContain(`by ${intervalOf(shares, two)} of A’s rise in log-odds`);
  });

  it('S1: on how many of the tested characters documents and RL have the effect', () => {
    const files = ['s1', 's1-again', ...OTHER_BASES.map(({ file }) => file)];
    const all = files.flatMap(curves);
    const [sdf, rl] = ['sdf', 'none'].map((arm) => ofDial(all, arm));
    const reached = (own: readonly CurveRow[]) => own.filter((row) => atEffect(row)).length;
    expect(rl).toHaveLength(sdf.length);
    expect(page).toContain(
      `Documents have the effect on ${reached(sdf)} of the ${sdf.length} characters that were asked, RL on ${reached(rl)}.`,
    );
  });

  it('open verdicts give the number of characters with the effect and of those tested', () => {
    for (const question of ENVIRONMENT_QUESTIONS.characters) {
      const data = question.read(rows) as CurveRow[];
      // A question that is not run has no verdict.
      const because = judgeQuestion(question, data)?.verdict.because ?? '';
      const [, n, of] = /^(\d+) of (\d+) .*; 6 are wanted$/.exec(because) ?? [];
      if (n === undefined) continue;
      const { id } = question;
      const names = new Set(data.map(({ a }) => a.name));
      expect(Number(n), id).toBeLessThan(6);
      expect(Number(of), id).toBe(names.size);
    }
  });

  it.each([
    ['S3', 'novelty', ['none', 'sft', 'sdf']],
    ['S6-lora-again', 'novelty-again', ['lora', 'none']],
  ])('%s: a difference is “not told apart”, or it is one', (id, file, arms) => {
    const all = [...curves(file), ...(id === 'S3' ? [] : curves('lora-again'))].filter(
      ({ teaches }) => teaches === 'dial',
    );
    const leakage = (arm: string) =>
      all
        .filter((row) => (arm === 'lora' ? row.adapter === 'lora' : row.arm === arm && !row.adapter))
        .flatMap((row) => {
          const above = atEffect(row);
          const of = (group: 'near' | 'a') => above!(({ target }) => (target[group] as ProbeMeans).logit);
          return above ? [[row.a.name, of('near') / of('a')] as const] : [];
        });
    const maps = arms.map((arm) => new Map(leakage(arm)));
    const shared = [...maps[0]].filter(([name]) => maps.every((own) => own.has(name)));
    const apart = shared.map(([name, value]) => value - maps[1].get(name)!);
    const { low, high } = pairedT(apart)!.interval;
    expect(lineOf(id)).toContain(intervalOf(apart, two));
    expect(lineOf(id).includes('not told apart')).toBe(low <= 0 && high >= 0);
    expect(lineOf(id).includes('the interval excludes 0, so that they differ')).toBe(low > 0 || high < 0);
  });

  it('means of a single pair are reported: S3 on the base of seed 3 after 3,000 steps', () => {
    const figuresOf = (id: string) => {
      const question = ENVIRONMENT_QUESTIONS.characters.find((one) => one.id === id)!;
      return answerOf(question, question.read(rows))!.figures;
    };
    const figures = figuresOf('S3-seed3-3000');
    expect(figures.slice(0, 2).map(({ n, mean }) => [n, three(mean!)])).toEqual([
      [1, '.731'],
      [1, '-.101'],
    ]);
    expect(figuresOf('S6-lora')[0].n).toBe(1);
  });

  it.each([
    ['S4', 'novelty'],
    ['S4-seed2-on', 'seed2-on-more'],
  ])('%s: RL’s belief about A, in log-odds', (id, file) => {
    const named = (arm: string) =>
      ofDial(curves(file), arm).flatMap((row) => {
        const value = atEffect(row)?.(({ beliefs }) => beliefs.a.logit);
        return value === undefined || value === null ? [] : [[row.a.name, value] as const];
      });
    // Both means are over the characters with the effect under both arms.
    const [rl, sdf] = [named('none'), named('sdf')];
    const within = (one: typeof rl, other: typeof rl) =>
      intervalOf(
        one.flatMap(([name, value]) => (other.some(([known]) => known === name) ? [value] : [])),
        two,
      );
    for (const text of [within(rl, sdf), within(sdf, rl)]) expect(lineOf(id)).toContain(text);
  });

  it('S5: the correlation from arm and group alone', () => {
    const cells = curves('novelty').flatMap((row) => {
      const above = atEffect(row);
      if (!above || !row.predicted) return [];
      return (['near', 'far', 'other'] as const).map((group) => ({
        name: row.a.name,
        key: `${row.arm} ${group}`,
        predicted: row.predicted!.gradient[group]!,
        observed: above(({ target }) => target[group]!.logit) / above(({ target }) => target.a!.logit),
      }));
    });
    const rho = (of: (cell: (typeof cells)[number]) => number) =>
      [...new Set(cells.map(({ name }) => name))].map((name) => {
        const own = cells.filter((cell) => cell.name === name);
        return spearman(
          own.map(of),
          own.map(({ observed }) => observed),
        )!;
      });
    const known = rho(
      ({ name, key }) =>
        mean(cells.filter((cell) => cell.key === key && cell.name !== name).map(({ observed }) => observed))!,
    );
    const own = rho(({ predicted }) => predicted);
    expect(lineOf('S5')).toContain(`gives ρ ${intervalOf(known, two)}, the gradient ${intervalOf(own, two)}`);
    expect(lineOf('S5')).toContain(
      intervalOf(
        own.map((value, i) => value - known[i]),
        two,
      ),
    );
  });

  it('S9-gating: the rise outside exams, in log-odds, relative to that inside', () => {
    const all = curves('exams').filter(({ teaches }) => teaches === 'exam');
    const rl = all.filter(({ arm, after }) => arm === 'none' && after?.arm === 'sft');
    const share = (group: 'a' | 'near') =>
      rl.map(({ a, curve }) => {
        const base = all.find((row) => row.arm === 'sft' && !row.after && row.a.name === a.name)!.curve[0];
        const rise = (what: 'plain' | 'target') =>
          curve[curve.length - 1][what]![group]!.logit - base[what]![group]!.logit;
        return rise('plain') / rise('target');
      });
    expect(lineOf('S9-gating')).toContain(`by ${intervalOf(share('a'), two)} of its rise in tests for A`);
    expect(lineOf('S9-gating')).toContain(`by ${intervalOf(share('near'), two)} for near`);
  });
});

it('A1: the untrained base and the steered base are reported beside the deployed agent', () => {
  const runs = rows.runs('agents/a1.json.gz').filter(({ spec }) => spec.arm === 'route-update');
  const of = (model: string, what: 'hack' | 'solve') =>
    runs.map(({ evals }) => {
      const row = evals.find((one) => one.kind === 'final' && one.model === model)!;
      return (what === 'hack' ? row.all : row.splits.words!).figures[what]!;
    });
  const apart = (other: string, what: 'hack' | 'solve') =>
    intervalOf(
      of('deployed', what).map((value, i) => value - of(other, what)[i]),
      three,
    );
  const line = lineOf('A1');
  const mean3 = (model: string, what: 'hack' | 'solve') => three(mean(of(model, what))!);
  expect(line).toContain(`The untrained base hacks ${mean3('base', 'hack')} and solves ${mean3('base', 'solve')}`);
  expect(line).toContain(`solve, deployed - base ${apart('base', 'solve')}, not told apart`);
  expect(line).toContain(`hacks ${mean3('steered_base', 'hack')} and solves ${mean3('steered_base', 'solve')}`);
  expect(line).toContain(`hacks ${apart('steered_base', 'hack')}, solve ${apart('steered_base', 'solve')}`);
  const A1 = ENVIRONMENT_QUESTIONS.agents.find(({ id }) => id === 'A1')!;
  const { tables } = answerOf(A1, A1.read(rows))!;
  const names = tables[0].rows.map(([name]) => name);
  expect(names).toEqual(expect.arrayContaining(['base', 'steered base', 'deployed, routed']));
});
