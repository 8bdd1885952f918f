import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { demoPath, readDemo } from '../../experiments/analysis/demo.ts';
import type { LabState } from '../lab-state.ts';
import { TOUR, tourNow } from './tour.ts';

const rates = (hack: number, solve: number) => ({ n: 8, figures: { hack, solve } });
const run = (arm: string, projection: string, hack: number, evals: object[] = []) => ({
  spec: { arm, projection },
  rows: [{ step: 4, student: rates(hack, 0.25) }],
  evals,
});
const state = (runs: object[], bases: object[] = []) =>
  ({ live: { runs, status: 'done', planned: [] }, opened: null, bases, queue: [] }) as unknown as LabState;

describe('tour', () => {
  it('suggests what to run while the screen is empty', () => {
    for (const { id } of TOUR) {
      const { seen, text } = tourNow({ live: null, opened: null, bases: [], queue: [] }, id);
      expect(seen).toBe(false);
      expect(text).toMatch(/^Not on the screen yet/);
    }
    expect(TOUR).toHaveLength(6);
  });

  it('describes the published run while it is shown, and only that run until another has started', () => {
    const file = new URL(`../../../public/${demoPath('one-line-python')}`, import.meta.url);
    const demo = readDemo(JSON.parse(readFileSync(file, 'utf8')))!;
    const [route, erase] = demo.runs;
    const empty = { live: null, opened: null, bases: [], queue: [] };
    const texts = TOUR.map(({ id }) => tourNow(empty, id, demo));
    for (const { seen, text } of texts) {
      expect(seen).toBe(true);
      expect(text).toMatch(/^In the published run: /);
    }
    const [problem, loophole, vanilla, basis, erased, deploy] = texts.map(({ text }) => text);
    const final = ({ evals }: typeof route, model: string, id = 'hack') =>
      `${(100 * evals.find((row) => row.kind === 'final' && row.model === model)!.figures[id]!).toFixed(0)}%`;
    // Both have the same share of hacks in the 48 rollouts of their last step. 256 evaluated problems distinguish them.
    expect(route.series.hack.at(-1)).toBe(erase.series.hack.at(-1));
    expect(final(route, 'total')).not.toBe(final(erase, 'total'));
    expect(problem).toContain(`the student solves ${final(route, 'total', 'solve')} (final evaluation)`);
    expect(loophole).toContain(`the student hacks ${final(route, 'total')} (final evaluation)`);
    expect(vanilla).toContain(`vanilla hacks ${final(route, 'total')} (final evaluation)`);
    expect(basis).toMatch(/\d+ axes for each module, from the pairs “\w+”/);
    expect(erased).toContain(
      `under erase (update): ${final(erase, 'total')} hack, vanilla ${final(route, 'total')} (final evaluation)`,
    );
    expect(deploy).toBe(
      `In the published run: deployed, ${final(route, 'deployed')} hack; with the quarantine ${final(route, 'total')} (final evaluation).`,
    );
    const begun = state([run('none', 'none', 0.75)]);
    expect(tourNow(begun, 'vanilla', demo).text).toMatch(/^Now, vanilla hacks 75%/);
  });

  it('reads its figures from the experiment on show', () => {
    const evals = [
      { model: 'total', kind: 'during', step: 4, all: rates(0.5, 0.1) },
      { model: 'deployed', kind: 'during', step: 4, all: rates(0.125, 0.3) },
    ];
    const shown = state(
      [run('none', 'none', 0.75), run('erase', 'erase', 0.375), run('route', 'route', 0.625, evals)],
      [{ modules: 28, k: 4 }],
    );
    expect(tourNow(shown, 'problem').text).toContain('25%');
    expect(tourNow(shown, 'loophole').text).toContain('75%');
    expect(tourNow(shown, 'vanilla').text).toContain('75%');
    expect(tourNow(shown, 'basis').text).toContain('28 modules');
    expect(tourNow(shown, 'erase').text).toContain('38%');
    expect(tourNow(shown, 'deploy')).toEqual({
      seen: true,
      text: 'Deployed, 13% hack; with the quarantine 50% (evaluation at step 4).',
    });
    expect(tourNow(state([run('erase', 'erase', 0.5)]), 'vanilla').seen).toBe(false);
  });

  it('finds vanilla in the default experiment, where route (update) trains as vanilla', () => {
    const demo = state([run('route-update', 'route', 0.75), run('erase-update', 'erase', 0.125)]);
    expect(tourNow(demo, 'vanilla')).toEqual({
      seen: true,
      text: 'Now, vanilla hacks 75% (rollouts of step 4; the final evaluation decides).',
    });
    expect(tourNow(demo, 'erase').text).toBe(
      'Now, under erase (update): 13% hack, vanilla 75% (rollouts of step 4; the final evaluation decides).',
    );
  });

  it('uses the last step that had something to hack', () => {
    const vanilla = run('none', 'none', 0.75);
    const honest = { step: 5, student: { n: 8, figures: { hack: null, solve: 0.5 } } };
    const shown = state([{ ...vanilla, rows: [...vanilla.rows, honest] }]);
    expect(tourNow(shown, 'problem').text).toBe(
      'The student solves 50% (rollouts of step 5; the final evaluation decides).',
    );
    expect(tourNow(shown, 'loophole').text).toBe(
      'The student hacks 75% (rollouts of step 4; the final evaluation decides).',
    );
  });

  it('does not suggest a run that is already running or queued', () => {
    const of = (arm: string, status: string) => ({ runs: [], status, planned: [{ arm }] });
    const none = { live: null, opened: null, bases: [], queue: [] };
    const waits = { ...none, queue: [of('erase', 'waiting')] } as unknown as LabState;
    expect(tourNow(waits, 'erase').text).toContain('waits in the queue');
    expect(tourNow(waits, 'deploy').text).toContain('add a route arm');
    const works = { ...none, live: of('route-update', 'running') } as unknown as LabState;
    expect(tourNow(works, 'deploy').text).toContain('planned in the running experiment');
    const ended = { ...none, live: of('route-update', 'stopped') } as unknown as LabState;
    expect(tourNow(ended, 'deploy').text).toContain('add a route arm');
  });

  it('does not mistake a control or baseline for the arm that it describes', () => {
    const evals = [{ model: 'deployed', all: rates(0.5, 0.5) }];
    const others = state([
      run('penalty', 'none', 0.5),
      run('random_V', 'erase', 0.5),
      run('random_V-route', 'route', 0.5, evals),
    ]);
    for (const id of ['vanilla', 'erase', 'deploy'] as const) expect(tourNow(others, id).seen).toBe(false);
  });
});
