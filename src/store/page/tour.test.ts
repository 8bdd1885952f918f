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
  it('says what to run while the screen is empty', () => {
    for (const { id } of TOUR) {
      const { seen, text } = tourNow({ live: null, opened: null, bases: [], queue: [] }, id);
      expect(seen).toBe(false);
      expect(text).toMatch(/^Not on the screen yet/);
    }
    expect(TOUR).toHaveLength(6);
  });

  it('speaks of the published run where that is on the screen, and of it alone until a run has begun', () => {
    const file = new URL(`../../../public/${demoPath('one-line-python')}`, import.meta.url);
    const demo = readDemo(JSON.parse(readFileSync(file, 'utf8')))!;
    const [route] = demo.runs;
    const last = (id: string) => `${(100 * route.series[id].at(-1)!).toFixed(1)}%`;
    const empty = { live: null, opened: null, bases: [], queue: [] };
    const texts = TOUR.map(({ id }) => tourNow(empty, id, demo));
    for (const { seen, text } of texts) {
      expect(seen).toBe(true);
      expect(text).toMatch(/^In the published run: /);
    }
    const [problem, loophole, vanilla, basis, erase, deploy] = texts.map(({ text }) => text);
    // The student's figures are those of the last run, erase.
    const erased = `${(100 * demo.runs[1].series.hack.at(-1)!).toFixed(1)}%`;
    expect(problem).toContain('at step 60 the student solves');
    expect(loophole).toContain(erased);
    expect(vanilla).toContain(`${last('hack')} of its rollouts hack at step 60`);
    expect(basis).toMatch(/\d+ axes for each module, from the pairs “\w+”/);
    expect(erase).toContain(`under erase (update): ${erased}`);
    const final = (model: string) => route.evals.find((row) => row.kind === 'final' && row.model === model)!;
    const hack = (model: string) => `${(100 * final(model).figures.hack!).toFixed(1)}%`;
    expect(deploy).toBe(
      `In the published run: deployed, ${hack('deployed')} hack; with the quarantine ${hack('total')} (final evaluation).`,
    );
    const begun = state([run('none', 'none', 0.75)]);
    expect(tourNow(begun, 'vanilla', demo).text).toMatch(/^Now: 75\.0%/);
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
    expect(tourNow(shown, 'problem').text).toContain('25.0%');
    expect(tourNow(shown, 'loophole').text).toContain('62.5%');
    expect(tourNow(shown, 'vanilla').text).toContain('75.0%');
    expect(tourNow(shown, 'basis').text).toContain('28 modules');
    expect(tourNow(shown, 'erase').text).toContain('37.5%');
    expect(tourNow(shown, 'deploy')).toEqual({
      seen: true,
      text: 'Deployed, 12.5% hack; with the quarantine 50.0% (evaluation at step 4).',
    });
    expect(tourNow(state([run('erase', 'erase', 0.5)]), 'vanilla').seen).toBe(false);
  });

  it('finds vanilla in the default experiment, where route (update) trains as vanilla', () => {
    const demo = state([run('route-update', 'route', 0.75), run('erase-update', 'erase', 0.125)]);
    expect(tourNow(demo, 'vanilla')).toEqual({
      seen: true,
      text: 'Now: 75.0% of its rollouts hack at step 4 (last point, not smoothed).',
    });
    expect(tourNow(demo, 'erase').text).toBe(
      'Now, erase (update): 12.5% of its rollouts hack at step 4 (last point, not smoothed).',
    );
  });

  it('reads the last step that had something to hack', () => {
    const vanilla = run('none', 'none', 0.75);
    const honest = { step: 5, student: { n: 8, figures: { hack: null, solve: 0.5 } } };
    const shown = state([{ ...vanilla, rows: [...vanilla.rows, honest] }]);
    expect(tourNow(shown, 'problem').text).toBe('At step 5 the student solves 50.0% (last point, not smoothed).');
    expect(tourNow(shown, 'loophole').text).toBe('At step 4 the student hacks 75.0% (last point, not smoothed).');
  });

  it('does not ask for a run of what is under way or waits already', () => {
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

  it('takes no control or baseline for the arm that it is about', () => {
    const evals = [{ model: 'deployed', all: rates(0.5, 0.5) }];
    const others = state([
      run('penalty', 'none', 0.5),
      run('random_V', 'erase', 0.5),
      run('random_V-route', 'route', 0.5, evals),
    ]);
    for (const id of ['vanilla', 'erase', 'deploy'] as const) expect(tourNow(others, id).seen).toBe(false);
  });
});
