import { describe, expect, it } from 'vitest';
import type { TableRow } from '../records/events.ts';
import { headlineOf, headlineParts } from './headline.ts';

const cell = (mean: number) => ({ mean, sd: null });
const figures = (values: Record<string, number>) =>
  Object.fromEntries(Object.entries(values).map(([id, mean]) => [id, cell(mean)]));

function row(arm: string, model: string, values: Record<string, number>, n = 1, verdict = ''): TableRow {
  const isDeployed = model === 'deployed';
  return {
    label: '',
    arm,
    model,
    n,
    // A routed row shows the trained model beside the deployed one.
    trained: isDeployed ? figures({ hack: 0.9, solve: 0.1 }) : figures(values),
    deployed: isDeployed ? figures(values) : {},
    last5: {},
    delta: {},
    cinTeacher: null,
    coutUpdate: null,
    verdict,
  };
}
const CODE = 'one-line-python';
const base = row('', 'base', { hack: 0.01, solve: 0.4 });
const same = row('route-update', 'total', { hack: 0.508, solve: 0.418 });
const deployed = row('route-update', 'deployed', { hack: 0.023, solve: 0.5 });

describe('the headline', () => {
  it('sets what is deployed against vanilla, which the same run is, and says what one seed is worth', () => {
    expect(headlineOf([base, same, deployed], CODE)).toBe(
      'Hack: vanilla 51%, deployed 2%; untrained 1%. Solve: vanilla 42%, deployed 50%; untrained 40%. Evaluated on unseen families and unseen parameters together. One seed: suggestive, not a result.',
    );
  });

  it('names two arms, counts the others, and never takes a control for one', () => {
    const erase = row('erase-update', 'total', { hack: 0.344, solve: 0.402 });
    const control = row('route-update', 'random_V', { hack: 0, solve: 1 });
    expect(headlineOf([base, same, deployed, control, erase], CODE)).toBe(
      'Hack: vanilla 51%, deployed 2%, erase (update) 34%; untrained 1%. Solve: vanilla 42%, deployed 50%, erase (update) 40%; untrained 40%. Evaluated on unseen families and unseen parameters together. One seed: suggestive, not a result.',
    );
    const kl = row('kl', 'total', { hack: 0.3, solve: 0.4 });
    expect(headlineOf([base, same, deployed, erase, kl], CODE)).toContain(' 1 more in the table. ');
  });

  it('has the table’s own judgement where there are several seeds', () => {
    const vanilla = row('none', 'total', { hack: 0.5, solve: 0.4 }, 3, 'what the others are compared with');
    const erase = {
      ...row('erase', 'total', { hack: 0.2, solve: 0.4 }, 3, 'hacks less than vanilla'),
      delta: figures({ hack: -0.3, solve: 0 }),
    };
    expect(headlineOf([base, vanilla, erase], CODE)).toBe(
      'Hack: vanilla 50%, erase 20%; untrained 1%. Solve: vanilla 40%, erase 40%; untrained 40%. Evaluated on unseen families and unseen parameters together. Mean of 3 seeds: hacks less than vanilla.',
    );
  });

  it('sets vanilla alone against the base, in the words of its environment', () => {
    const begun = row('', 'base', { solve: 0.41, asked: 0.64 });
    const trained = row('none', 'total', { solve: 0.64, asked: 0.91 });
    expect(headlineOf([begun, trained], 'lookup')).toBe(
      'Solve: vanilla 64%; untrained 41%. Asked: vanilla 91%; untrained 64%. Evaluated on held-out shapes and unseen names and numbers together. One seed: suggestive, not a result.',
    );
  });

  it('never says of one seed that no change is shown: one seed cannot show it', () => {
    const score = (arm: string, mean: number, n: number) => ({
      ...row(arm, 'total', { score: mean }, n),
      unchanged: ['score'],
    });
    const begun = row('', 'base', { score: 0.44 });
    const ofOne = headlineOf([begun, score('rubric', 0.52, 1), score('hasty', 0.5, 1)], 'explain');
    expect(ofOne).toContain(
      'Against untrained, one seed cannot show so small a change in true score of rubric, hasty judge. One seed:',
    );
    const ofThree = headlineOf([begun, score('rubric', 0.52, 3), score('hasty', 0.5, 3)], 'explain');
    expect(ofThree).toContain('Against untrained, no change is shown in true score of rubric, hasty judge.');
  });

  it('names the parts of which its figures are, and none where groups are asked apart', () => {
    const solve = (mean: number, arm = '') => row(arm, arm ? 'total' : 'base', { solve: mean });
    expect(headlineParts([solve(0.16), solve(0.3, 'none')], 'agents')!.figures).toBe(
      'Solve: vanilla 30%; untrained 16%. Evaluated on other universes and held-out templates together.',
    );
    const taught = (mean: number, arm = '') => row(arm, arm ? 'total' : 'base', { taught: mean });
    expect(headlineParts([taught(0.04), taught(0.3, 'none')], 'characters')!.figures).toBe(
      'Taught: vanilla 30%; untrained 4%.',
    );
  });

  it('says nothing without something to compare, or of an environment that is not known', () => {
    expect(headlineOf([], CODE)).toBeNull();
    expect(headlineOf([base], CODE)).toBeNull();
    expect(headlineOf([base, same, deployed], 'elsewhere')).toBeNull();
  });
});
