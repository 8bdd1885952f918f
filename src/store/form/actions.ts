// Changes to the configure form, and the page's address that contains it.

import type { ArmName } from '../../experiments/config/arms.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { PRESETS } from '../../experiments/config/presets.ts';
import type { PresetName } from '../../experiments/config/run-spec.ts';
import type { SettingName } from '../../experiments/config/settings.ts';
import type { ExperimentSpec } from '../../experiments/config/spec.ts';
import { ENVIRONMENT_NAMES, findEnvironment } from '../../experiments/environments/registry.ts';
import type { DeviceChoice } from '../../lab/protocol/protocol.ts';
import { encodeSpec } from '../../share/spec-link.ts';
import type { StoreContext } from '../context.ts';
import { checkDraft, type Draft, draftIn, draftOf, draftOfPreset } from '../draft.ts';
import { type LabState, loadedModel, problemOf } from '../lab-state.ts';
import { withoutChanges } from './changed.ts';

/**
 * The preset unchanged, in the form's environment. An environment that needs a file is replaced by the preset's own. A preset for real
 * models uses the form's model, because it does not name one.
 */
function presetDraft({ preset, device, fields }: Draft): Draft {
  const environment = fields.environment.trim();
  return draftOfPreset(preset, device, {
    ...(ENVIRONMENT_NAMES.includes(environment) && { environment }),
    ...(PRESETS[preset].realModel && { model: fields.model.trim() }),
  });
}

/** The loaded model, unless it is one of the lab's own. */
function thirdPartyModel(state: LabState): string | null {
  const model = loadedModel(state);
  return model?.isOwn === false && !EMBEDDED_MODELS.includes(model.id) ? model.id : null;
}

export function createFormActions({ store, client, notices }: StoreContext) {
  function change(patch: Partial<Draft>): void {
    const draft = { ...store.getState().draft, ...patch };
    store.setState({ draft, check: checkDraft(draft) });
  }

  function fill(spec: ExperimentSpec): void {
    change(draftOf(spec));
  }

  return {
    fill,

    /** Fills the form with a resumed run's settings. The user's previous changes in the form can be restored. */
    follow(spec: ExperimentSpec): void {
      const { draft, check } = store.getState();
      if (JSON.stringify(check.spec) === JSON.stringify(spec)) return;
      fill(spec);
      if (JSON.stringify(draft) === JSON.stringify(presetDraft(draft))) return;
      notices.tell('info', 'The form has the resumed run’s settings.', {
        action: { label: 'Undo', run: () => change(draft) },
      });
    },

    /** A loaded third-party model remains the student, and an environment that needs no file remains the environment. */
    choosePreset(preset: PresetName): void {
      const state = store.getState();
      const next = presetDraft({ ...state.draft, preset });
      const model = thirdPartyModel(state);
      const keeps = model !== null && state.draft.fields.model === model;
      change(keeps ? { ...next, fields: { ...next.fields, model } } : next);
    },

    /** Only the settings are reset to the preset. */
    resetSettings(): void {
      change(withoutChanges(store.getState().draft));
    },

    toggleArm(arm: ArmName): void {
      const { arms } = store.getState().draft;
      change({ arms: arms.includes(arm) ? arms.filter((name) => name !== arm) : [...arms, arm] });
    },

    setSeeds(seeds: string): void {
      change({ seeds });
    },

    setField(name: SettingName, value: string): void {
      const state = store.getState();
      const { draft } = state;
      const found = name === 'environment' ? findEnvironment(value) : null;
      const next = found ? draftIn(draft, value) : { ...draft, fields: { ...draft.fields, [name]: value } };
      // A question that needs a real model uses the loaded one.
      const model = found?.needsModel ? thirdPartyModel(state) : null;
      change(model === null ? next : { ...next, fields: { ...next.fields, model } });
    },

    /** Informs the worker at once, so that the badge shows the next experiment's device. */
    async chooseDevice(device: DeviceChoice): Promise<void> {
      const before = store.getState().draft.device;
      change({ device });
      const { connection, busy } = store.getState();
      if (connection.status !== 'ready' || busy) return;
      try {
        store.setState({ device: await client.request('setDevice', { device }) });
      } catch (error) {
        change({ device: before });
        notices.fail(error);
      }
    },

    /** An empty address means the default experiment. An invalid one sets a problem and does not change the form. */
    async fillFromAddress(hash: string): Promise<void> {
      if (hash.replace(/^#/, '') === '') return;
      try {
        const { decodeSpec } = await import('../../share/url.ts');
        fill(await decodeSpec(hash));
        store.setState({ addressProblem: null });
      } catch (error) {
        store.setState({ addressProblem: problemOf(error) });
      }
    },

    /** The experiment starting from the untrained model, with the current settings. */
    leaveFork(): void {
      change({ fork: null });
    },

    dismissAddressProblem(): void {
      store.setState({ addressProblem: null });
    },

    /** The form as a hash; null as long as it has any error. */
    async address(): Promise<string | null> {
      const { spec } = store.getState().check;
      return spec ? encodeSpec(spec) : null;
    },
  };
}

export type FormActions = ReturnType<typeof createFormActions>;
