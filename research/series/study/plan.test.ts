// Tests that the plan makes equal runs once, has every cell's run, and alternates seeds so that partial data are balanced.
import { describe, expect, it } from 'vitest';
import { resolveRun } from '../../../src/experiments/config/spec.ts';
import { controlKey, runKey } from '../../../src/experiments/runs/key.ts';
import { planStudy, runOfCell, runsOf } from './plan.ts';
import { QUESTIONS, RUN_ORDER } from './questions/index.ts';
import { QUESTION_IDS } from './types.ts';

describe('questions', () => {
  it('are METHOD’s, and each has cells with existing references', () => {
    expect(QUESTIONS.map(({ id }) => id)).toEqual([...QUESTION_IDS]);
    expect(RUN_ORDER.slice(0, 5).map(({ id }) => id)).toEqual(['Q1', 'Q2', 'Q12', 'Q18', 'Q14']);
    expect(new Set(RUN_ORDER).size).toBe(QUESTIONS.length);
    for (const { id, cells } of QUESTIONS) {
      const ids = cells.map((cell) => cell.id);
      expect(new Set(ids).size, id).toBe(ids.length);
      for (const cell of cells) if (cell.against) expect(ids, `${id} ${cell.id}`).toContain(cell.against);
    }
  });

  it('name models that their runs have', () => {
    for (const { id, cells } of QUESTIONS)
      for (const cell of cells) {
        const { spec } = runOfCell(cell, 41);
        const carried = spec.shadows.map((control) => control.id);
        const own =
          spec.projection === 'route' ? ['total', 'base', 'deployed', 'steered_base', ...carried] : ['total', 'base'];
        if (!cell.shadow) expect(own, `${id} ${cell.id}`).toContain(cell.model);
        else expect(`${spec.projection}/${spec.projectTarget}`, `${id} ${cell.id}`).toBe('route/update');
      }
  });
});

describe('run keys', () => {
  const run = (arm: Parameters<typeof resolveRun>[1], overrides = {}, seed = 41) =>
    resolveRun({ schema: 1, preset: 'classic', arms: [arm], seeds: [seed], overrides, device: 'auto' }, arm, seed);

  it('ignore labels and include everything that affects the run', () => {
    expect(runKey(run('no_teacher-route'))).toBe(runKey(run('route-update', { mix: 0 })));
    expect(runKey(run('no_gate-erase'))).toBe(runKey(run('erase', { gate: 'no_gate' })));
    expect(runKey(run('erase', { checkpointEvery: 3 }))).toBe(runKey(run('erase')));
    for (const other of [run('erase', {}, 42), run('erase', { k: 4 }), run('route'), run('erase-update')])
      expect(runKey(other)).not.toBe(runKey(run('erase')));
  });

  it('of a quarantine include its settings, not its name', () => {
    const spec = run('route-update');
    const control = { id: 'a', kind: 'real', gate: 'one_sided', k: 5, mode: null } as const;
    expect(controlKey(control, spec)).toBe(controlKey({ ...control, id: 'b', settings: { pairs: spec.pairs } }, spec));
    expect(controlKey(control, spec)).not.toBe(controlKey({ ...control, settings: { pairs: 10 } }, spec));
  });
});

describe('the plan', () => {
  const plan = planStudy();

  it('makes every run and every quarantine once', () => {
    const trained = plan.jobs.map(({ run }) => run.key);
    expect(runsOf(plan).length).toBe(new Set(trained).size);
    const routed = plan.jobs.flatMap(({ run, shadows: controls }) =>
      controls.map((control) => run.key + controlKey(control, run.spec)),
    );
    expect(new Set(routed).size).toBe(routed.length);
  });

  it('has what every cell needs', () => {
    const keys = new Set(plan.jobs.map(({ run }) => run.key));
    for (const { cells } of QUESTIONS)
      for (const cell of cells)
        for (const seed of cell.seeds) {
          const { key, spec } = runOfCell(cell, seed);
          expect(keys.has(key), `${cell.id} ${seed}`).toBe(true);
          if (!cell.shadow) continue;
          const content = controlKey(cell.shadow, spec);
          const made = plan.jobs
            .filter(({ run }) => run.key === key)
            .flatMap(({ run, shadows: controls }) =>
              [...run.spec.shadows, ...controls].map((control) => controlKey(control, run.spec)),
            );
          expect(made, `${cell.id} ${seed}`).toContain(content);
        }
  });

  it('replays quarantines that were requested later, so that their runs stay unchanged', () => {
    const later = QUESTIONS.flatMap(({ cells }) => cells.filter(({ isReplayed }) => isReplayed));
    expect(new Set(later.map(({ shadow: control }) => control?.id))).toEqual(new Set(['no_gate', 'pairs_no_tests']));
    for (const cell of later)
      for (const seed of cell.seeds) {
        const { key, spec } = runOfCell(cell, seed);
        const jobs = plan.jobs.filter(({ run }) => run.key === key);
        const content = controlKey(cell.shadow!, spec);
        expect(jobs[0].run.spec.shadows.map((own) => controlKey(own, spec))).not.toContain(content);
        expect(jobs.flatMap(({ shadows: controls }) => controls.map((own) => controlKey(own, spec)))).toContain(
          content,
        );
      }
  });

  it('trains a vanilla run before runs that use its steps', () => {
    const seen = new Set<string>();
    for (const { run, needs } of plan.jobs) {
      if (needs !== null) expect(seen.has(needs), run.key).toBe(true);
      seen.add(run.key);
    }
    expect(plan.jobs.some(({ needs }) => needs !== null)).toBe(true);
  });

  it('alternates seeds within a question', () => {
    const seeds = plan.jobs.filter(({ question }) => question === 'Q2').map(({ run }) => run.spec.seed);
    expect(seeds).toEqual([...seeds].sort((a, b) => a - b));
  });

  it('for one question makes the same records as for the whole study', () => {
    const whole = new Map(runsOf(plan).map((run) => [run.key, run]));
    for (const id of QUESTION_IDS)
      for (const run of runsOf(planStudy({ questions: [id] }))) expect(run.spec).toEqual(whole.get(run.key)?.spec);
  });

  it('is small in a short check, whatever the seeds', () => {
    const short = planStudy({ questions: ['Q2'], seeds: [41, 7], steps: 3 });
    expect(runsOf(short).map(({ spec }) => [spec.arm, spec.seed, spec.steps, spec.refreshEvery])).toEqual([
      ['route-update', 7, 3, 0],
      ['erase', 7, 3, 0],
      ['erase', 7, 3, 2],
      ['route-update', 41, 3, 0],
      ['erase', 41, 3, 0],
      ['erase', 41, 3, 2],
    ]);
  });
});
