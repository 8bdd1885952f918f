// Tests the rules of learning without labels against figures computed by hand.
import { describe, expect, it } from 'vitest';
import type { InferenceRow } from '../../../src/experiments/cat/infer.ts';
import type { RunRecord } from '../../../src/experiments/records/events.ts';
import { judgeQuestion, type Question } from '../../judge/question.ts';
import { ON_BASES } from './bases.ts';
import type { CatData } from './data.ts';
import { INFERENCE } from './inference.ts';
import { JUDGED } from './judged.ts';
import { LASTING } from './lasting.ts';
import { PASSING } from './passing.ts';
import { PROJECTED } from './projected.ts';
import { finalOf, variantOf } from './runs.ts';
import { TRAINING } from './training.ts';
import { VARIANTS } from './variants.ts';

/** The questions that the rows answer: id, verdict, and each estimate by name with its values. */
const answersOf = (questions: readonly Question<CatData>[], data: Partial<CatData>) =>
  questions.flatMap((question) => {
    const answered = judgeQuestion(question, { rows: [], first: [], runs: [], ...data });
    if (!answered) return [];
    const figures = answered.figures.map(({ name, each }) => [name, each.map(({ value }) => value)] as const);
    return [{ id: question.id, verdict: answered.verdict.status, figures, answered }];
  });
const verdictsOf = (questions: readonly Question<CatData>[], data: Partial<CatData>) =>
  Object.fromEntries(answersOf(questions, data).map(({ id, verdict }) => [id, verdict]));
const digits = (figures: readonly (readonly [string, readonly number[]])[], n: number) =>
  figures.map(([name, values]) => [name, values.map((x) => x.toFixed(n))]);

describe('references at inference', () => {
  /**
   * Rows of 40 problems per split, with given shares correct: at G = 1, at G = 8 blind, with the question, and by majority and the other
   * choices.
   */
  const made = (right: { one: number; blind: number; shown: number; majority: number }) =>
    ['templates', 'params'].flatMap((split) =>
      Array.from({ length: 40 }, (_, i): InferenceRow => {
        const of = (share: number): [string, number, number, number] => [i < 40 * share ? '1' : '0', 8, 0, 0];
        const [synthesis, majority] = [of(right.blind), of(right.majority)];
        return {
          seed: 1,
          id: `${split} ${i}`,
          split,
          kind: 'plain',
          truth: '1',
          answers: Array.from({ length: 8 }, (_, j) => (j % 2 ? '0' : '2')),
          tokens: [],
          references: {
            '1': { synthesis: of(right.one), majority },
            '8': { synthesis, majority, min_perplexity: majority, synthesis_question: of(right.shown) },
          },
        };
      }),
    );
  const said = (right: Parameters<typeof made>[0]) =>
    answersOf(INFERENCE, { rows: made(right) }).map(({ id, verdict }) => `${id} ${verdict}`);

  it('follow their registered rules', () => {
    expect(said({ one: 0.7, blind: 0.9, shown: 0.9, majority: 0.5 })).toEqual([
      'C1 holds',
      'C3 holds',
      'C4 holds',
      'C5 holds',
    ]);
    expect(said({ one: 0.5, blind: 0.5, shown: 0.9, majority: 0.5 })).toEqual([
      'C1 fails',
      'C3 fails',
      'C4 fails',
      'C5 fails',
    ]);
    expect(said({ one: 0.7, blind: 0.65, shown: 0.6, majority: 0.5 })[1]).toBe('C3 open');
    // Fifteen points more, of 40 problems: significantly above 0, below twenty points.
    expect(said({ one: 0.7, blind: 0.65, shown: 0.65, majority: 0.5 })[0]).toBe('C1 in part');
    expect(answersOf(INFERENCE, { rows: made({ one: 1, blind: 1, shown: 1, majority: 1 }).slice(0, 40) })).toEqual([]);
    // These rows are for a single question.
    const between = (mutual: number, chosen: number) => {
      const right = { one: mutual, blind: 0.5, shown: chosen, majority: 0.5 };
      const all = made(right).map((row) => {
        const { majority, min_perplexity: _, synthesis_question: self_bon } = row.references['8'];
        return { ...row, references: { '8': { majority, self_bon, mutual: row.references['1'].synthesis } } };
      });
      return answersOf(INFERENCE, { rows: all }).map(({ id, verdict }) => `${id} ${verdict}`);
    };
    expect([between(0.7, 0.9), between(0.7, 0.7), between(0.5, 0.9)].flat()).toEqual([
      ...['C12 holds', 'C12 in part', 'C12 fails'],
    ]);
  });
});

describe('training on references', () => {
  const run = (arm: string, solve: number, fact: number, rewards: readonly number[]): RunRecord =>
    ({
      spec: { arm, reference: arm === 'cat' ? 'synthesis' : 'majority' },
      rows: rewards.map((reward) => ({ reward })),
      evals: [
        { kind: 'final', model: 'base', all: { n: 4, figures: { solve: 0.4, 'solve:fact': 0.4 } } },
        { kind: 'final', model: 'total', all: { n: 4, figures: { solve, 'solve:fact': fact } } },
      ],
    }) as unknown as RunRecord;
  const teacher = (right: boolean, id: string): InferenceRow => ({
    seed: 1,
    id,
    split: 'templates',
    kind: 'plain',
    truth: '7',
    answers: [],
    tokens: [],
    references: { '8': { synthesis: [right ? '7' : '8', 8, 0, 0] } },
  });
  const steps = (from: number, to: number) => Array.from({ length: 20 }, (_, i) => (i < 10 ? from : to));

  it('compares every seed with the first teacher, and judges by the interval over seeds', () => {
    const rows = [teacher(true, 'a'), teacher(false, 'b')];
    const of = (...solves: number[]) =>
      answersOf(TRAINING, { runs: solves.map((solve) => run('cat', solve, 0, [])), rows }).filter(
        ({ id }) => id === 'C2',
      );
    const [{ verdict, answered }] = of(0.6, 0.7);
    const { figures } = answered;
    expect(figures[1].each.map(({ value }) => value.toFixed(2))).toEqual(['0.10', '0.20']);
    // t(.975, 1) = 12.706, the standard error of the mean is .05.
    expect(figures[1].interval!.high - figures[1].mean!).toBeCloseTo(12.706 * 0.05, 3);
    expect(verdict).toBe('open');
    expect(of(0.6, 0.6001, 0.6)[0].verdict).toBe('holds');
    expect(of(0.4, 0.4001, 0.4)[0].verdict).toBe('fails');
    expect(of(0.6)[0].verdict).toBe('open');
    // Its teacher has no rows.
    expect(verdictsOf(TRAINING, { runs: [run('ttrl', 0.6, 0, [])], rows })).toEqual({});
  });

  it('holds for a wrong teacher if the reward rises and accuracy falls', () => {
    const of = (...runs: RunRecord[]) => verdictsOf(TRAINING, { runs }).C7;
    const fell = [run('ttrl', 0, 0.3, steps(0.5, 0.7)), run('ttrl', 0, 0.31, steps(0.5, 0.71))];
    expect(of(...fell)).toBe('holds');
    const [{ figures }] = answersOf(TRAINING, { runs: fell });
    expect(digits(figures, 2)[1][1]).toEqual(['-0.10', '-0.09']);
    expect(of(run('ttrl', 0, 0.7, steps(0.5, 0.7)), run('ttrl', 0, 0.7, steps(0.5, 0.7)))).toBe('fails');
    expect(of(run('ttrl', 0, 0.1, steps(0.5, 0.7)), run('ttrl', 0, 0.7, steps(0.5, 0.7)))).toBe('open');
    // Other arms are judged by the same rule beside the question's own arm.
    const right = [run('cat', 0, 0.7, steps(0.5, 0.7)), run('cat', 0, 0.7, steps(0.5, 0.7))];
    const [C7] = TRAINING.filter(({ id }) => id === 'C7');
    const data = { rows: [], first: [], runs: [...fell, ...right] };
    expect(C7.shown(data, judgeQuestion(C7, data)!).beside).toEqual([
      expect.stringMatching(/^CaT, by the same rule: fails\. /),
    ]);
  });
});

describe('judged texts', () => {
  const run = (arm: string, seed: number, score: number, gaps: readonly number[] = [], plain = score): RunRecord =>
    ({
      spec: { arm, seed },
      rows: gaps.map((gap) => ({ student: { n: 8, figures: { gap } } })),
      evals: [{ kind: 'final', model: 'total', all: { n: 4, figures: { score, 'score:plain': plain } }, splits: {} }],
    }) as unknown as RunRecord;
  const steps = (from: number, to: number) => Array.from({ length: 20 }, (_, i) => (i < 10 ? from : to));
  const verdicts = (runs: readonly RunRecord[]) => verdictsOf(JUDGED, { runs });

  /** In each seed the controls are this far below a rubric's .8. */
  const against = (below: Record<string, readonly [number, number]>) => [
    ...[run('rubric', 1, 0.8), run('rubric', 2, 0.8)],
    ...Object.entries(below).flatMap(([arm, each]) => each.map((by, i) => run(arm, i + 1, 0.8 - by, [], 0.8))),
  ];

  it('pairs arms by seed, and judges a rubric against three controls by their intervals', () => {
    const far = [0.1, 0.101] as const;
    const all = against({ judge: far, rubric_question: far, rubric_fixed: far });
    expect(verdicts(all)).toEqual({ C6a: 'holds' });
    const [{ figures }] = answersOf(JUDGED, { runs: all });
    expect(digits(figures, 3)).toEqual([
      ...['a grade', 'a rubric of the question', 'a fixed rubric'].map((control) => [
        `rubric − ${control}`,
        ['0.100', '0.101'],
      ]),
      ...['a grade', 'a rubric of the question', 'a fixed rubric'].map((control) => [
        `plain functions: rubric − ${control}`,
        ['0.000', '0.000'],
      ]),
    ]);
    expect(verdicts(against({ judge: far, rubric_question: far, rubric_fixed: [0.1, -0.1] })).C6a).toBe('in part');
    expect(verdicts(against({ judge: [0.1, -0.1], rubric_question: far, rubric_fixed: far })).C6a).toBe('open');
    expect(verdicts(against({ judge: [-0.1, -0.101], rubric_question: far, rubric_fixed: far })).C6a).toBe('fails');
    // A control is missing, or has another seed.
    expect(verdicts(against({ judge: far }))).toEqual({});
  });

  it('finds a judge hacked if the gap rises more and accuracy is lower', () => {
    const of = (gaps: readonly [number, number], truths: readonly [number, number]) =>
      verdicts([
        ...[run('rubric', 1, 0.8, steps(0.1, 0.1)), run('rubric', 2, 0.8, steps(0.1, 0.1))],
        ...[0, 1].map((i) => run('hasty', i + 1, truths[i], steps(0.1, 0.1 + gaps[i]))),
      ]).C6b;
    expect(of([0.3, 0.31], [0.5, 0.51])).toBe('holds');
    expect(of([0.3, 0.31], [0.5, 0.9])).toBe('open');
    expect(of([-0.3, -0.31], [0.5, 0.51])).toBe('fails');
  });

  it('calls a budget useless if nothing changes by .05', () => {
    const of = (...each: number[]) =>
      verdicts(each.flatMap((by, i) => [run('hasty', i + 1, 0.5), run('hasty_budget', i + 1, 0.5 + by)])).C6c;
    expect([of(0.001, 0), of(0.3, 0.301), of(0.2, 0)]).toEqual(['holds', 'fails', 'open']);
  });
});

describe('runs that project', () => {
  type Figures = Record<string, readonly [hack: number, gain: number]>;
  const run = (arm: string, seed: number, models: Figures, settings: object = { grading: 'hasty' }): RunRecord =>
    ({
      spec: { arm, seed, reference: 'truth', grading: 'program', ...settings },
      evals: Object.entries(models).flatMap(([model, [hack, gain]]) => {
        const figures = 'grading' in settings ? { stamped: hack, score: gain } : { misconception: hack, solve: gain };
        return [
          // An evaluation during training is not judged.
          { kind: 'periodic', model, all: { n: 4, figures: { stamped: 0.99, score: 0.99 } }, splits: {} },
          { kind: 'final', model, all: { n: 4, figures }, splits: {} },
        ];
      }),
    }) as unknown as RunRecord;

  /** Flattery .14 → .40, score .40 → .50. */
  const routed = (deployed: readonly [number, number], control: readonly [number, number] = [0.39, 0.5]): Figures => ({
    base: [0.14, 0.4],
    total: [0.4, 0.5],
    deployed,
    random_V: control,
    random_V_matched: control,
    placebo_V: [0.38, 0.48],
  });
  const verdictOf = (...runs: RunRecord[]) => verdictsOf(PROJECTED, { runs });
  const twice = (one: readonly [number, number], two: readonly [number, number]) =>
    [one, two].map((deployed, i) => run('route-update', i + 1, routed(deployed)));

  it('holds if flattery is removed and more than half of the gain is kept, seed by seed', () => {
    const runs = twice([0.15, 0.49], [0.16, 0.491]);
    expect(verdictOf(...runs)).toEqual({ C8a: 'holds' });
    const [{ figures }] = answersOf(PROJECTED, { runs });
    expect(digits(figures, 3)).toEqual([
      ['flattery: deployed − whole', ['-0.250', '-0.240']],
      ['flattery: deployed − routed, random directions', ['-0.240', '-0.230']],
      ['flattery: deployed − routed, random directions that remove as much', ['-0.240', '-0.230']],
      ['flattery: deployed − routed, random words', ['-0.230', '-0.220']],
      // Half of .40 → .50 is .45.
      ['gain kept, beyond half of the whole model’s', ['0.040', '0.041']],
    ]);
    expect(verdictOf(...twice([0.15, 0.44], [0.16, 0.441]))).toEqual({ C8a: 'in part' });
    expect(verdictOf(...twice([0.15, 0.49], [0.39, 0.5]))).toEqual({ C8a: 'open' });
    expect(verdictOf(...twice([0.6, 0.5], [0.61, 0.5]))).toEqual({ C8a: 'fails' });
    // One seed has no interval; if controls remove as much, the direction explains nothing.
    expect(verdictOf(runs[0])).toEqual({ C8a: 'open' });
    const same = [1, 2].map((seed) => run('route-update', seed, routed([0.15 + seed / 100, 0.49], [0.15, 0.5])));
    expect(verdictOf(...same)).toEqual({ C8a: 'open' });
  });

  it('compares an erasing run with the whole model of its seed, and CaT’s cost with a bound', () => {
    const erased = [1, 2].flatMap((seed) => [
      run('erase', seed, { total: [0.15 + seed / 100, 0.5] }),
      run('random_V', seed, { total: [0.39, 0.5] }),
    ]);
    const whole = twice([0.15, 0.49], [0.16, 0.491]);
    expect(verdictOf(...whole, ...erased)).toEqual({ C8a: 'holds', C8b: 'holds' });
    // A seed without a whole model is left out.
    expect(finalOf(erased, 1, ['erase', 'total'], 'score')).toBe(0.5);
    expect(verdictOf(...erased)).toEqual({});
    const cat = (...lost: number[]) =>
      lost.map((less, i) =>
        run('route-update', i + 1, { total: [0.2, 0.7], deployed: [0.2, 0.7 - less] }, { reference: 'synthesis' }),
      );
    expect(verdictOf(...cat(0.01, 0.011))).toEqual({ C8e: 'holds' });
    expect(verdictOf(...cat(0.1, 0.101))).toEqual({ C8e: 'fails' });
    expect(verdictOf(...cat(0, 0.1))).toEqual({ C8e: 'open' });
  });
});

describe('variants of the training', () => {
  const run = (seed: number, solve: number, spec: object = {}): RunRecord =>
    ({
      spec: { arm: 'cat', reference: 'synthesis', seed, groupSize: 8, klBeta: 0, ...spec },
      rows: [],
      evals: [{ kind: 'final', model: 'total', all: { n: 4, figures: { solve } }, splits: {} }],
    }) as unknown as RunRecord;
  const each = (solves: readonly number[], spec: object = {}) => solves.map((solve, i) => run(i + 1, solve, spec));
  const verdicts = (runs: readonly RunRecord[]) =>
    answersOf(VARIANTS, { runs }).map(({ id, verdict, figures }) => [
      id,
      verdict,
      digits(figures, 2).map(([name, values]) => [name, (values as string[]).join(' ')]),
    ]);

  it('distinguishes variants, and answers nothing without the plain runs', () => {
    expect([run(1, 0), run(1, 0, { groupSize: 2 }), run(1, 0, { klBeta: 0.1 })].map(variantOf)).toEqual([
      ...['G 8', 'G 2', 'KL 0.1'],
    ]);
    expect(variantOf(run(1, 0, { arm: 'cat_sft', objective: 'nll' }))).toBe('finetuned');
    expect(variantOf(run(1, 0, { arm: 'ttrl', reference: 'majority' }))).toBeNull();
    expect(variantOf(run(1, 0, { entropyCoef: 0.1 }))).toBeNull();
    expect(verdicts(each([0.5, 0.6], { groupSize: 2 }))).toEqual([]);
  });

  it('pairs by seed and judges by the interval', () => {
    const plain = each([0.7, 0.71]);
    const sizes = [...plain, ...each([0.6, 0.6], { groupSize: 2 }), ...each([0.65, 0.65], { groupSize: 4 })];
    expect(verdicts([...sizes, run(2, 0.7, { groupSize: 16 })])).toEqual([
      [
        'C9',
        'holds',
        [
          ['solve, G 8 − G 2', '0.10 0.11'],
          ['solve, G 4 − G 2', '0.05 0.05'],
          ['solve, G 8 − G 4', '0.05 0.06'],
          ['solve, G 16 − G 8', '-0.01'],
        ],
      ],
    ]);
    expect(verdicts([...plain, ...each([0.9, 0.9], { groupSize: 2 })])[0].slice(0, 2)).toEqual(['C9', 'fails']);
    // The strongest KL penalty is judged.
    const pulled = [...each([0.7, 0.7], { klBeta: 0.01 }), ...each([0.6, 0.6], { klBeta: 0.1 })];
    expect(verdicts([...plain, ...pulled])).toEqual([
      [
        'C10',
        'holds',
        [
          ['solve, KL 0.1 − G 8', '-0.10 -0.11'],
          ['solve, KL 0.01 − G 8', '0.00 -0.01'],
        ],
      ],
    ]);
    const tuned = (solves: readonly number[]) =>
      verdicts([...plain, ...each(solves, { arm: 'cat_sft' })])[0].slice(0, 2);
    expect([tuned([0.6, 0.61]), tuned([0.8, 0.81]), tuned([0.6, 0.9])]).toEqual([
      ...[
        ['C11', 'holds'],
        ['C11', 'fails'],
        ['C11', 'open'],
      ],
    ]);
  });
});

describe('if true rewards exceed the teacher', () => {
  const run = (arm: string, seed: number, solve: number, last = solve): RunRecord =>
    ({
      spec: { arm, seed, adapter: 'lora', steps: 120 },
      rows: Array.from({ length: 120 }, (_, i) => ({ student: { n: 8, figures: { solve: i < 60 ? 0.7 : last } } })),
      evals: [{ kind: 'final', model: 'total', all: { n: 4, figures: { solve } } }],
    }) as unknown as RunRecord;
  /** The teacher is correct on half. */
  const rows = ['7', '8'].map(
    (text, i): InferenceRow => ({
      seed: 1,
      id: `a(${i})`,
      split: 'templates',
      kind: 'plain',
      truth: '7',
      answers: [],
      tokens: [],
      references: { '8': { synthesis: [text, 8, 0, 0] } },
    }),
  );
  const asked = (cat: number, oracle: number, seeds = 5) => {
    const runs = Array.from({ length: seeds }, (_, i) => [
      run('cat', i, cat + i / 1000, 0.6),
      run('oracle', i, oracle + i / 1000),
    ]).flat();
    return answersOf(PASSING, { rows, runs })[0];
  };

  it('applies only if they do, with five seeds, in that setting', () => {
    expect(asked(0.4, 0.6).verdict).toBe('fails');
    expect(asked(0.6, 0.7).verdict).toBe('holds');
    expect(asked(0.4, 0.4).answered.verdict).toMatchObject({ status: 'open', because: /does not pass/ });
    expect(asked(0.4, 0.6, 4).answered.verdict.because).toMatch(/^4 of 4 training seeds; 5/);
    expect(digits(asked(0.4, 0.6).figures, 2).map(([, values]) => values?.[0])).toEqual([
      '-0.10',
      '0.10',
      '-0.20',
      '-0.10',
    ]);
    const other = { ...run('cat', 1, 0.5), spec: { arm: 'cat', seed: 1, adapter: 'svd', steps: 30 } };
    expect(answersOf(PASSING, { rows, runs: [other as unknown as RunRecord] })).toEqual([]);
  });
});

describe('long training rewarded by its own references', () => {
  /** Reward and solve of the first steps, of those around the thirtieth, and of the last. */
  const run = (seed: number, rewards: readonly number[], solves: readonly number[], ends: readonly [number, number]) =>
    ({
      spec: { arm: 'cat', seed },
      rows: Array.from({ length: 120 }, (_, i) => {
        const part = i < 20 ? 0 : i < 110 ? 1 : 2;
        return { reward: rewards[part] + seed / 1000, student: { n: 8, figures: { solve: solves[part] } } };
      }),
      evals: ['base', 'total'].map((model, i) => ({
        kind: 'final',
        model,
        all: { n: 4, figures: { solve: ends[i] + (i * seed) / 1000 } },
      })),
    }) as unknown as RunRecord;
  const asked = (last: number, ends: readonly [number, number], reward = 0.7, seeds = 5) =>
    answersOf(LASTING, {
      runs: Array.from({ length: seeds }, (_, i) =>
        run(i, [0.5, 0.6, reward + i / 1000], [0.5, 0.6, last + i / 1000], ends),
      ),
    })[0];

  it('holds if the policy ends below the untrained model and its reward above its start', () => {
    const { verdict, figures } = asked(0.3, [0.5, 0.3]);
    expect(verdict).toBe('holds');
    expect(digits(figures, 2).map(([, values]) => values?.[0])).toEqual(['0.20', '-0.20', '-0.30']);
    expect(asked(0.3, [0.5, 0.6]).verdict).toBe('in part');
    expect(asked(0.6, [0.5, 0.6]).verdict).toBe('fails');
    // Without a rise of the reward, a policy that merely collapsed does not count.
    expect(asked(0.3, [0.5, 0.3], 0.4).verdict).toBe('open');
    expect(asked(0.3, [0.5, 0.3], 0.7, 4).verdict).toBe('open');
    expect(answersOf(LASTING, { runs: [] })).toEqual([]);
  });
});

describe('on other bases', () => {
  const C15 = ON_BASES.filter(({ id }) => id === 'C15');
  /** Forty templates with a mirrored reading; of ten problems each, the numbers that synthesis and the majority solve. */
  const readings = (synthesis: number, majority: number) =>
    Array.from({ length: 40 }, (_, t) =>
      Array.from({ length: 10 }, (_, i): InferenceRow => {
        const of = (right: number): [string, number, number, number] => [i < right ? '1' : '0', 8, 0, 0];
        return {
          seed: 1,
          split: t < 20 ? 'templates' : 'params',
          kind: 'reading',
          truth: '1',
          answers: [],
          tokens: [],
          id: `${t % 2 ? 'fewer' : 'more'}-gain-${t}(${i})`,
          references: { '8': { synthesis: of(synthesis), majority: of(majority) } },
        };
      }),
    ).flat();
  const verdict = (mended: InferenceRow[], own: InferenceRow[]) => answersOf(C15, { rows: mended, first: own })[0];

  it('follow the majority if the loss decreases; a template is one unit', () => {
    const { verdict: holds, figures, answered } = verdict(readings(6, 6), readings(4, 6));
    expect(holds).toBe('holds');
    expect(answered.figures[0].n).toBe(40);
    expect(figures.slice(0, 3).map(([, values]) => values[0].toFixed(2))).toEqual(['0.20', '0.00', '-0.20']);
    expect(verdict(readings(4, 6), readings(2, 6)).verdict).toBe('in part');
    expect(verdict(readings(4, 6), readings(4, 6)).verdict).toBe('fails');
    expect(verdict(readings(2, 6), readings(4, 6)).verdict).toBe('fails');
    expect(answersOf(C15, { rows: [], first: readings(4, 6) })).toEqual([]);
  });

  it('share a question’s rule under another id, and name the base', () => {
    const [c1, c2] = ['C1-seed2', 'C2-seed2'].map((id) => ON_BASES.find((one) => one.id === id)!);
    expect(c1.rule).toEqual(INFERENCE.find(({ id }) => id === 'C1')!.rule);
    expect(Object.values(c1.says).every((text) => text.endsWith(', on the base of pretraining seed 2.'))).toBe(true);
    expect(c1.files).toEqual(['cat/seed2-inference.jsonl.gz']);
    expect(c2.files).toEqual(['cat/seed2-training.json.gz', 'cat/seed2-inference.jsonl.gz']);
    expect(c2.commands[0]).toBe('npm run lab -- pretrain --environment arithmetic --seed 2 --out BASE');
    expect(c2.commands.at(-1)).toContain('seed2-inference.jsonl.gz --runs public/results/cat/seed2-training.json.gz');
    for (const one of c2.commands.slice(1, -1)) expect(one).toContain('--model BASE');
  });
});
