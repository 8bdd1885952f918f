// Tests a fork in the form: its initial values, and the description of its changes.
import { expect, it } from 'vitest';
import { parseExperimentSpec, resolveRuns } from '../../experiments/config/spec.ts';
import type { RunRecord } from '../../experiments/records/events.ts';
import { encodeSpec } from '../../share/spec-link.ts';
import { decodeSpec } from '../../share/url.ts';
import { checkDraft, draftOf } from '../draft.ts';
import { disabledReason } from '../form/disabled.ts';
import { forkChangesText, forkOf, forkText } from './fork.ts';

const spec = parseExperimentSpec({
  preset: 'demo',
  arms: ['route'],
  seeds: [42],
  overrides: { lr: 0.02, klBeta: 0.1 },
});
const run = { id: 'abc/route/42', spec: resolveRuns(spec)[0], device: 'CPU (WASM SIMD)' } as RunRecord;

it('fills the form with the parent’s settings, which do not count as changes', () => {
  const forked = forkOf(run, 20);
  expect(forked).toMatchObject({ arms: ['route'], seeds: [42], overrides: spec.overrides, device: 'cpu' });
  expect(forkChangesText(forked, 20)).toBe('Nothing is changed: it repeats its parent.');
  expect(forkText(forked.fork!)).toBe('route, seed 42, at step 20');
  expect(resolveRuns(forked)[0].fork).toEqual({ run: run.id, step: 20, spec: run.spec });
  // It is preserved by the form and by the address.
  expect(checkDraft(draftOf(forked)).spec).toEqual(forked);
});

it('is the same experiment in a link', async () => {
  const forked = { ...forkOf(run, 20), arms: ['none' as const, 'erase' as const] };
  expect(await decodeSpec(await encodeSpec(forked))).toEqual(forked);
});

it('continues for the parent’s number of steps if it starts at the parent’s last step', () => {
  expect(resolveRuns(forkOf(run, run.spec.steps))[0].steps).toBe(2 * run.spec.steps);
  expect(() => forkOf(run, run.spec.steps + 1)).toThrow(/its parent has \d+ steps/);
});

it('names every change, and marks the settings that it shares with the parent', () => {
  const draft = draftOf(forkOf(run, 20));
  const fields = { ...draft.fields, lr: '0.01', klBeta: '0' };
  const changed = checkDraft({ ...draft, arms: ['none', 'route'], fields }).spec!;
  const changes = forkChangesText(changed, 20);
  expect(changes).toMatch(/^From step 21 on: .*route → vanilla/);
  expect(changes).toContain('Learning rate 0.02 → 0.01');
  expect(changes.split('; ')).toHaveLength(3);
  expect(disabledReason('groupSize', draft)).toBe('a fork keeps its parent’s');
  expect(disabledReason('lr', draft)).toBeNull();
  expect(disabledReason('groupSize', { ...draft, fork: null })).toBeNull();
});

it('reports which of its arms repeats the parent', () => {
  const both = { ...forkOf(run, 20), arms: ['route' as const, 'erase' as const] };
  expect(forkChangesText(both, 20)).toBe('From step 21 on: route → erase. Without a change, route repeats its parent.');
});
