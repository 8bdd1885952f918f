// Loads an environment's own model with the environment: if the form names another embedded model than the loaded one, it is fetched and
// opened. A third-party model is not replaced, and the estimate shows whether it fits the form.

import { baseOf, EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { findEnvironment } from '../../experiments/environments/registry.ts';
import type { StoreContext } from '../context.ts';
import { type LabState, loadedModel } from '../lab-state.ts';

/** The embedded model to load instead of the loaded one; null if the loaded one can stay. */
export function wantedModel(state: LabState): string | null {
  const loaded = loadedModel(state)?.id;
  const { spec } = state.check;
  if (!spec || loaded === undefined || state.busy || !EMBEDDED_MODELS.includes(loaded)) return null;
  const model = state.heldModel ?? modelOf(spec);
  return model !== loaded && EMBEDDED_MODELS.includes(model) ? model : null;
}

/** Whether the form's question needs a real model while the form names one of the lab's own. */
export function asksForModel({ draft: { fields } }: LabState): boolean {
  const needsModel = findEnvironment(fields.environment.trim())?.needsModel;
  return needsModel === true && EMBEDDED_MODELS.includes(fields.model.trim());
}

/** Whether the form's question needs a real model while one of the lab's own is loaded. */
export function lacksRealModel(state: LabState): boolean {
  const loaded = loadedModel(state)?.id;
  const { needsModel } = findEnvironment(state.draft.fields.environment.trim()) ?? {};
  return needsModel === true && loaded !== undefined && EMBEDDED_MODELS.includes(loaded);
}

const modelOf = (spec: ExperimentSpec): string => spec.overrides.model ?? baseOf(spec).settings.model;

/** `load` opens the model with that id and returns whether it succeeded. Returns a function that loads the form's model once. */
export function followEnvironment(
  { store }: Pick<StoreContext, 'store'>,
  load: (id: string) => Promise<boolean>,
): () => Promise<void> {
  let loading: Promise<void> | null = null;
  /** The model that could not be loaded. It is not tried again until another one has been tried. */
  let failed: string | null = null;

  async function settle(): Promise<void> {
    for (let wanted = wantedModel(store.getState()); wanted !== null && wanted !== failed; ) {
      failed = (await load(wanted)) ? null : wanted;
      wanted = wantedModel(store.getState());
    }
  }
  function once(): Promise<void> {
    loading ??= settle().finally(() => {
      loading = null;
    });
    return loading;
  }
  store.subscribe((state, before) => {
    const isSame = (key: 'connection' | 'busy' | 'heldModel') => state[key] === before[key];
    if (state.check.spec === before.check.spec && isSame('connection') && isSame('busy') && isSame('heldModel')) return;
    if (wantedModel(state) === null) failed = null;
    else void once();
  });
  return once;
}
