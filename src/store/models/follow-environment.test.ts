// Tests that the form's environment brings its own model: which model is required, and that a failed load is not repeated endlessly.
import { describe, expect, it } from 'vitest';
import { createStore } from 'zustand/vanilla';
import { checkDraft, draftIn, draftOfPreset } from '../draft.ts';
import type { LabState } from '../lab-state.ts';
import { followEnvironment, lacksRealModel, wantedModel } from './follow-environment.ts';

function stateIn(environment: string, loaded: string, busy = false): LabState {
  const draft = draftIn(draftOfPreset('demo', 'auto'), environment);
  const connection = { status: 'ready', report: { model: { id: loaded } } };
  return { draft, check: checkDraft(draft), connection, busy } as unknown as LabState;
}

describe('the required model', () => {
  it('is the environment’s own if another embedded one is loaded', () => {
    expect(wantedModel(stateIn('arithmetic', 'tiny-coder'))).toBe('tiny-arithmetic');
    expect(wantedModel(stateIn('one-line-python', 'tiny-arithmetic'))).toBe('tiny-coder');
    expect(wantedModel(stateIn('arithmetic', 'tiny-arithmetic'))).toBeNull();
  });

  it('is none if a third-party model is loaded, or while something runs', () => {
    expect(wantedModel(stateIn('arithmetic', 'Qwen3-0.6B'))).toBeNull();
    expect(wantedModel(stateIn('arithmetic', 'tiny-coder', true))).toBeNull();
  });
});

it('is missing for a question about a real model as long as one of the lab’s own is loaded', () => {
  expect(lacksRealModel(stateIn('instructions', 'tiny-arithmetic'))).toBe(true);
  expect(lacksRealModel(stateIn('instructions', 'minimind2-small'))).toBe(false);
  expect(lacksRealModel(stateIn('one-line-python', 'tiny-coder'))).toBe(false);
  // No other model is fetched instead.
  expect(wantedModel(stateIn('instructions', 'tiny-coder'))).toBeNull();
});

describe('the form in another environment', () => {
  it('takes the environment’s arms and settings, preserves changes, and can be switched back', () => {
    const demo = draftOfPreset('demo', 'auto');
    const changed = { ...demo, seeds: '7', fields: { ...demo.fields, lr: '0.01' } };
    const there = draftIn(changed, 'arithmetic');
    expect(there.arms).toEqual(['none', 'cat', 'ttrl']);
    expect(there.fields).toMatchObject({ environment: 'arithmetic', model: 'tiny-arithmetic', mix: '0', lr: '0.01' });
    expect(there.seeds).toBe('7');
    expect(checkDraft(there).spec).not.toBeNull();
    expect(draftIn(there, 'one-line-python')).toEqual(changed);
  });
});

it('loads a model once, and does not retry after a failure until another model is required', async () => {
  const store = createStore<LabState>(() => stateIn('one-line-python', 'tiny-coder'));
  const asked: string[] = [];
  let works = false;
  const settle = followEnvironment({ store }, async (id) => {
    asked.push(id);
    if (works) store.setState(stateIn('arithmetic', id));
    return works;
  });
  store.setState(stateIn('arithmetic', 'tiny-coder'));
  await settle();
  store.setState(stateIn('arithmetic', 'tiny-coder'));
  await settle();
  expect(asked).toEqual(['tiny-arithmetic']);
  store.setState(stateIn('one-line-python', 'tiny-coder'));
  works = true;
  store.setState(stateIn('arithmetic', 'tiny-coder'));
  await settle();
  expect(asked).toEqual(['tiny-arithmetic', 'tiny-arithmetic']);
  expect(wantedModel(store.getState())).toBeNull();
});
