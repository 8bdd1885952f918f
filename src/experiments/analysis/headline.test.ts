import { describe, expect, it } from 'vitest';
import type { RunRecord, TableRow } from '../records/events.ts';
import { headlineOf, headlineParts } from './headline.ts';

const cell = (mean: number, sd: number | null = null) => ({ mean, sd });
const figures = (values: Record<string, number>, sd: number | null = null) =>
  Object.fromEntries(Object.entries(values).map(([id, mean]) => [id, cell(mean, sd)]));

interface Own {
  n?: number;
  verdict?: string;
  sd?: number | null;
  unchanged?: string[];
}

function row(
  arm: string,
  model: string,
  values: Record<string, number>,
  { n = 1, verdict = '', sd = null, unchanged = [] }: Own = {},
): TableRow {
  const isTrained = model === 'total' || model === 'base';
  return {
    label: '',
    arm,
    model,
    n,
    // A routed row shows the trained and the deployed model; a control has only a deployed one.
    trained: isTrained ? figures(values, sd) : model === 'deployed' ? figures({ hack: 0.9, solve: 0.1 }) : {},
    deployed: isTrained ? {} : figures(values, sd),
    last5: {},
    delta: {},
    cinTeacher: null,
    coutUpdate: null,
    verdict,
    unchanged,
  };
}
/** Without runs by default, since they are only needed for the number of problems. */
const ended = (table: TableRow[], runs: RunRecord[] = []) => ({ table, runs });
const CODE = 'one-line-python';
const base = row('', 'base', { hack: 0.01, solve: 0.4 });
const same = row('route-update', 'total', { hack: 0.508, solve: 0.418 });
const deployed = row('route-update', 'deployed', { hack: 0.023, solve: 0.5 });
const END = 'Evaluated on unseen families and unseen parameters together.';
const ONE = `One seed: no spread to judge by. Untrained: hack 1%, solve 40%. ${END}`;

describe('the sentence at the end of a run', () => {
  it('compares the deployed model with vanilla in the same run, and says that one seed has no spread', () => {
    expect(headlineParts(ended([base, same, deployed]), CODE)).toMatchObject({
      sentence: 'Route (update) cut hack from vanilla’s 51% to 2%; it solves 50% (vanilla 42%).',
      evidence: ONE,
      limits: 'Route (update) has no control directions here: nothing says that its own matter.',
    });
  });

  it('gives the interval that one evaluation’s problems allow', () => {
    const rates = { n: 192, unjudged: 0, figures: { hack: 0.508, solve: 0.418, 'n:honest': 96 } };
    const run = {
      spec: { arm: 'route-update' },
      evals: [{ step: 60, model: 'total', kind: 'final', all: rates, splits: {} }],
    } as unknown as RunRecord;
    // Wilson's interval of 0.508 over 96, computed by hand.
    expect(headlineParts(ended([base, same, deployed], [run]), CODE)!.evidence).toContain(
      'One seed: no spread to judge by; on 96 problems 51% is known to within 41% to 61%.',
    );
  });

  it('reports the run’s controls: directions, left-out pairs, the steered base', () => {
    const of = (model: string, hack: number, solve = 0.4) => row('route-update', model, { hack, solve });
    const controls = [of('random_V', 0.484), of('permuted_V', 0.32), of('flipped_V', 0.531)];
    const others = [of('without_a', 0.05), of('without_b', 0.188), of('steered_base', 0)];
    expect(headlineParts(ended([base, same, deployed, ...controls, ...others]), CODE)!.limits).toBe(
      'Of 3 control directions the strongest (permuted V) removed 19 points, route (update) 49 points. With b left out of the pairs, hack is 19%. The untrained model, steered along the same directions, has hack 0%.',
    );
    // A control that only increases the hack has removed nothing.
    expect(headlineParts(ended([base, same, deployed, controls[2]]), CODE)!.limits).toContain(
      'Of 1 control direction the strongest (flipped V) removed 0 points',
    );
  });

  it('names two arms, counts the others, and never takes a control for one', () => {
    const erase = row('erase-update', 'total', { hack: 0.344, solve: 0.402 });
    const control = row('route-update', 'random_V', { hack: 0, solve: 1 });
    const kl = row('kl', 'total', { hack: 0.3, solve: 0.4 });
    const found = headlineParts(ended([base, same, deployed, control, erase, kl]), CODE)!;
    expect(found.sentence).toBe(
      'Route (update) cut hack from vanilla’s 51% to 2%; it solves 50% (vanilla 42%). Erase (update) cut hack from vanilla’s 51% to 34%; it solves 40% (vanilla 42%).',
    );
    expect(found.evidence).toContain(' 1 more in the table. ');
  });

  it('never claims that an arm removed a metric that it did not lower', () => {
    const more = row('erase', 'total', { hack: 0.7, solve: 0.4 });
    const alike = row('erase', 'total', { hack: 0.51, solve: 0.4 });
    const vanilla = row('none', 'total', { hack: 0.508, solve: 0.418 });
    for (const [arm, share] of [
      [more, 70],
      [alike, 51],
    ] as const)
      expect(headlineParts(ended([base, vanilla, arm]), CODE)!.sentence).toBe(
        `Erase hacks ${share}% (vanilla 51%); it solves 40% (vanilla 42%).`,
      );
  });

  it('says that there is little to remove if vanilla learned little hacking', () => {
    const vanilla = row('none', 'total', { hack: 0.08, solve: 0.4 });
    const erase = row('erase', 'total', { hack: 0, solve: 0.4 });
    const { sentence, limits } = headlineParts(ended([base, vanilla, erase]), CODE)!;
    expect(sentence).toBe('Erase hacks 0% (vanilla 8%); it solves 40% (vanilla 40%).');
    expect(limits).toMatch(/^Vanilla has less than 15 points more hack than untrained: there is little to take away\./);
  });

  it('has the spread and the table’s own judgement for several seeds', () => {
    const of = (verdict: string) => ({
      ...row('erase', 'total', { hack: 0.2, solve: 0.4 }, { n: 3, sd: 0.021, verdict }),
      delta: figures({ hack: -0.3, solve: 0 }),
    });
    const vanilla = row('none', 'total', { hack: 0.5, solve: 0.4 }, { n: 3, sd: 0.04 });
    const found = headlineParts(ended([base, vanilla, of('hacks less than vanilla')]), CODE)!;
    expect(found.sentence).toBe(
      'Erase cut hack from vanilla’s 50% ± 4 to 20% ± 2; it solves 40% ± 2 (vanilla 40% ± 4).',
    );
    expect(found.evidence).toContain('Mean of 3 seeds ± their standard deviation: hacks less than vanilla.');
    // A difference within the spread does not count, however large.
    expect(
      headlineParts(ended([base, vanilla, of('null: inside vanilla’s seed sd (0.400)')]), CODE)!.sentence,
    ).toContain('Erase shows no difference from vanilla in hack (20% ± 2 against 50% ± 4);');
  });

  it('compares vanilla alone with the base, in the words of its environment', () => {
    const begun = row('', 'base', { solve: 0.41, asked: 0.64 });
    const trained = row('none', 'total', { solve: 0.64, asked: 0.91 });
    expect(headlineOf(ended([begun, trained]), 'lookup')).toBe(
      'Vanilla raised solve from 41% to 64%; it asks 91% (untrained 64%). One seed: no spread to judge by. Untrained: solve 41%, asked 64%. Evaluated on held-out shapes and unseen names and numbers together.',
    );
  });

  it('calls evaluation noise no change, and says that one seed cannot show one', () => {
    const score = (arm: string, mean: number, n: number) =>
      row(arm, 'total', { score: mean }, { n, unchanged: ['score'] });
    const begun = row('', 'base', { score: 0.44 });
    const ofOne = headlineParts(ended([begun, score('rubric', 0.52, 1), score('hasty', 0.5, 1)]), 'explain')!;
    expect(ofOne.sentence).toMatch(/^Rubric without labels meets 52% \(untrained 44%\)\. Hasty judge/);
    expect(ofOne.limits).toBe(
      'Against untrained, one seed cannot show so small a change in true score of rubric and hasty judge.',
    );
    const ofThree = headlineParts(ended([begun, score('rubric', 0.52, 3), score('hasty', 0.5, 3)]), 'explain')!;
    expect(ofThree.limits).toContain('Against untrained, no change is shown in true score of rubric and hasty judge.');
  });

  it('has each metric before and after for every main row, and no control', () => {
    const control = row('route-update', 'random_V', { hack: 0, solve: 1 });
    const { metrics } = headlineParts(ended([base, same, deployed, control]), CODE)!;
    expect(
      metrics.map(({ info, before, after }) => [
        info.id,
        before.mean,
        after.map(({ name, cell: to }) => [name, to.mean]),
      ]),
    ).toEqual([
      [
        'hack',
        0.01,
        [
          ['vanilla', 0.508],
          ['routed, quarantine removed', 0.023],
        ],
      ],
      [
        'solve',
        0.4,
        [
          ['vanilla', 0.418],
          ['routed, quarantine removed', 0.5],
        ],
      ],
    ]);
  });

  it('names the splits behind its metrics, and none where groups are asked separately', () => {
    const solve = (mean: number, arm = '') => row(arm, arm ? 'total' : 'base', { solve: mean });
    expect(headlineParts(ended([solve(0.16), solve(0.3, 'none')]), 'agents')!.evidence).toContain(
      'Evaluated on other universes and held-out templates together.',
    );
    const taught = (mean: number, arm = '') => row(arm, arm ? 'total' : 'base', { taught: mean });
    expect(headlineParts(ended([taught(0.04), taught(0.3, 'none')]), 'characters')!.evidence).not.toContain(
      'Evaluated',
    );
  });

  it('is null without a comparison, or for an unknown environment', () => {
    expect(headlineOf(ended([]), CODE)).toBeNull();
    expect(headlineOf(ended([base]), CODE)).toBeNull();
    expect(headlineOf(ended([base, same, deployed]), 'elsewhere')).toBeNull();
  });
});
