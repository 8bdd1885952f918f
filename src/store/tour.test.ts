import { describe, expect, it } from 'vitest';
import type { LabState } from './lab-state.ts';
import { TOUR, tourNow } from './tour.ts';

const rates = (hack: number, solve: number) => ({ n: 8, hack, solve });
const run = (arm: string, projection: string, hack: number, evals: object[] = []) => ({
  spec: { arm, projection },
  rows: [{ step: 4, student: rates(hack, 0.25) }],
  evals,
});
const state = (runs: object[], bases: object[] = []) =>
  ({ live: { runs }, opened: null, bases }) as unknown as LabState;

describe('tour', () => {
  it('says what to run while the screen is empty', () => {
    for (const { id } of TOUR) {
      const { seen, text } = tourNow({ live: null, opened: null, bases: [] }, id);
      expect(seen).toBe(false);
      expect(text).toMatch(/^Not on the screen yet/);
    }
    expect(TOUR).toHaveLength(6);
  });

  it('reads its figures from the experiment on show', () => {
    const evals = [
      { model: 'total', all: rates(0.5, 0.1) },
      { model: 'deployed', all: rates(0.125, 0.3) },
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
      text: 'Deployed, 12.5% hack; with the quarantine 50.0%.',
    });
    expect(tourNow(state([run('erase', 'erase', 0.5)]), 'vanilla').seen).toBe(false);
  });
});
