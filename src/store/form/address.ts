// The page's address contains the form: its difference from the preset behind #, or only an environment's name if the form has that
// environment's defaults. A question that cannot be run yet (because its model is missing) is also represented by its name. The address is
// written whenever typing pauses. Results that came with an address stay in it as long as the form's spec is unchanged, so that a reload
// shows them again.

import { environmentOf } from '../../experiments/config/preset-in.ts';
import { PRESETS } from '../../experiments/config/presets.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { ENVIRONMENT_NAMES, OFFERED_ENVIRONMENTS } from '../../experiments/environments/registry.ts';
import { encodeSpec, type FormAddress } from '../../share/spec-link.ts';
import type { StoreContext } from '../context.ts';
import { checkDraft, draftOfPreset } from '../draft.ts';
import type { LabState } from '../lab-state.ts';

/** Pause in milliseconds after which typing counts as finished. */
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
  /** Text of the spec that the address contains; null if it must be written again. */
  let shownSpec: string | null = textOf(store.getState().check.spec);
  let shownEnvironment = environmentIn(store.getState());
  let current: FormAddress = { hash: '', environment: null };
  let timer: ReturnType<typeof setTimeout> | null = null;

  async function write(): Promise<void> {
    timer = null;
    const { spec } = store.getState().check;
    const environment = environmentIn(store.getState());
    const text = textOf(spec);
    if (text === shownSpec) return;
    // A half-typed form has no address. The last complete address stays, unless it belongs to another question.
    if (!spec && (environment === shownEnvironment || !OFFERED_ENVIRONMENTS.includes(environment))) return;
    const address = spec ? await addressOfForm(spec) : { hash: '', environment };
    if (store.getState().check.spec !== spec || environmentIn(store.getState()) !== environment) return;
    shownSpec = text;
    shownEnvironment = environment;
    current = address;
    showAddress(address);
  }

  store.subscribe((state, before) => {
    if (state.check === before.check) return;
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(() => void write(), REST_MS);
  });

  return {
    /** Records that the form was filled from this address. */
    noteFilled(address: FormAddress): void {
      shownSpec = textOf(store.getState().check.spec);
      shownEnvironment = environmentIn(store.getState());
      current = address;
    },
    /** Drops results that came with the address, so that it contains only the form. */
    async forget(): Promise<void> {
      shownSpec = null;
      await write();
    },
    now: (): FormAddress => current,
  };
}
