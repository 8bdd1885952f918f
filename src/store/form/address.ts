// The page's address carries the form: its difference from the preset behind #, or an environment's name alone where the form has that
// environment's defaults. A question that cannot be run yet (it needs a model that is not here) has its name alone too. It is written
// whenever typing pauses; what came with an address stays in it while the form says the same, so that
// results in a link are there after a reload.

import { environmentOf } from '../../experiments/config/preset-in.ts';
import { PRESETS } from '../../experiments/config/presets.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { ENVIRONMENT_NAMES, OFFERED_ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import { encodeSpec, type FormAddress } from '../../share/spec-link.ts';
import type { StoreContext } from '../context.ts';
import { checkDraft, draftOfPreset } from '../draft.ts';
import type { LabState } from '../lab-state.ts';

/** Pause after which typing counts as done. */
const REST_MS = 200;

const textOf = (spec: ExperimentSpec | null) => JSON.stringify(spec);
const defaultIn = (environment: string) => textOf(checkDraft(draftOfPreset('demo', 'auto', { environment })).spec);

async function addressOfForm(spec: ExperimentSpec): Promise<FormAddress> {
  const environment = environmentOf(spec);
  if (ENVIRONMENT_NAMES.includes(environment) && textOf(spec) === defaultIn(environment))
    return { hash: '', environment: environment === PRESETS.demo.settings.environment ? null : environment };
  return { hash: await encodeSpec(spec), environment: null };
}

const environmentIn = ({ draft }: LabState): string => draft.fields.environment.trim();

export function followAddress({ store, showAddress = () => {} }: StoreContext) {
  /** Spec that the address stands for, and its environment. */
  let words: string | null = textOf(store.getState().check.spec);
  let saidEnvironment = environmentIn(store.getState());
  let current: FormAddress = { hash: '', environment: null };
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function write(): Promise<void> {
    timer = null;
    const { spec } = store.getState().check;
    const environment = environmentIn(store.getState());
    const text = textOf(spec);
    if (text === words) return;
    // A half-typed form has no address; the last whole one stays, unless it is of another question.
    if (!spec && (environment === saidEnvironment || !OFFERED_ENVIRONMENTS.includes(environment))) return;
    const address = spec ? await addressOfForm(spec) : { hash: '', environment };
    if (store.getState().check.spec !== spec || environmentIn(store.getState()) !== environment) return;
    words = text;
    saidEnvironment = environment;
    current = address;
    showAddress(address);
  }

  store.subscribe((state, before) => {
    if (state.check === before.check) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => void write(), REST_MS);
  });

  return {
    /** Notes that the form was filled from this address. */
    came(address: FormAddress): void {
      words = textOf(store.getState().check.spec);
      saidEnvironment = environmentIn(store.getState());
      current = address;
    },
    /** Drops what came with the address, so that it is of the form alone. */
    async forget(): Promise<void> {
      words = null;
      await write();
    },
    now: (): FormAddress => current,
  };
}
