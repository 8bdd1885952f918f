// The dialog with all settings: preset, device, every option by its group, and every arm with its description, and one search over them. It
// is a separate chunk, because most runs do not need it.
import { memo, useEffect, useId, useRef, useState } from 'react';
import { ARMS } from '../../experiments/config/arms.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { PRESETS } from '../../experiments/config/presets.ts';
import { PRESET_NAMES, type PresetName } from '../../experiments/config/run-spec.ts';
import type { FieldInfo, SettingName } from '../../experiments/config/settings.ts';
import type { DeviceChoice } from '../../lab/protocol/protocol.ts';
import { HEADINGS } from '../../lib/option.ts';
import { type Draft, FIELD_INFO, presetText } from '../../store/draft.ts';
import { findArms } from '../../store/form/arms.ts';
import { isOfOtherEnvironments } from '../../store/form/disabled.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Segmented } from '../parts/Choice.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { ArmChip } from './ArmChip.tsx';
import { Field } from './Field.tsx';
import './all-settings.css';

const SoftwareNote = lazyPart(() => import('../device/SoftwareNote.tsx'));

/** The settings that are changed most often, which come before the groups. */
const BASIC: readonly string[] = ['environment', 'steps', 'mix', 'honestShare', 'promptsPerStep', 'groupSize'];
/** Presets for embedded models come before those for real models. */
const PRESET_ORDER = [...PRESET_NAMES].sort((a, b) => Number(PRESETS[a].realModel) - Number(PRESETS[b].realModel));

const isChanged = (draft: Draft, name: SettingName) => draft.fields[name].trim() !== presetText(draft, name);

/** Whether the option's name, id, group or help contains every word. */
function isFound({ name, label, help, heading }: FieldInfo, query: string): boolean {
  const text = `${label} ${name} ${heading} ${help}`.toLowerCase();
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

export default function AllSettings({ onClose }: { onClose: () => void }) {
  const lab = useLabActions();
  const dialog = useRef<HTMLDialogElement>(null);
  const preset = useLab((state) => state.draft.preset);
  const [query, setQuery] = useState('');
  useEffect(() => {
    if (!dialog.current?.open) dialog.current?.showModal();
  }, []);
  const found = FIELD_INFO.filter((info) => isFound(info, query.trim()));
  const basic = found.filter(({ name }) => BASIC.includes(name));
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={dialog}
      className="settings-sheet"
      aria-labelledby="settings-title"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current.close()}
    >
      <div className="settings-in">
        <header className="settings-head">
          <h2 id="settings-title">All settings</h2>
          <input
            type="search"
            aria-label="Find a setting or an arm"
            placeholder="Find a setting or an arm"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <Button label="Done" tone="primary" onClick={() => dialog.current?.close()} />
        </header>
        {query.trim() === '' ? (
          <div className="settings-top">
            <PresetField />
            <DeviceField />
          </div>
        ) : null}
        {basic.length > 0 ? (
          <div className="pair">
            {basic.map((info) => (
              <OwnField key={info.name} info={info} />
            ))}
          </div>
        ) : null}
        <div className="advanced">
          {HEADINGS.map((group) => (
            <Group
              key={group}
              title={group}
              isSearched={query.trim() !== ''}
              fields={found.filter(({ name, heading }) => heading === group && !BASIC.includes(name))}
            />
          ))}
          <AllArms query={query.trim()} />
        </div>
        <Button icon="resume" label="Back to the preset" onClick={() => lab.choosePreset(preset)} />
      </div>
    </dialog>
  );
}

/** Every arm that the environment offers, with its id as used in links and on the command line. */
function AllArms({ query }: { query: string }) {
  const environment = useLab((state) => state.draft.fields.environment.trim());
  const [open, setOpen] = useState(false);
  const found = findArms(query, environment);
  if (found.length === 0) return null;
  const isOpen = open || query !== '';
  return (
    <details className="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Arms <span className="muted">{found.length}</span>
      </summary>
      {isOpen ? (
        <ul className="all-arms" aria-label="All arms">
          {found.map((name) => (
            <li key={name}>
              <ArmChip name={name} />
              <span>
                {ARMS[name].description} <code>{name}</code>
              </span>
            </li>
          ))}
        </ul>
      ) : null}
    </details>
  );
}

function PresetField() {
  const lab = useLabActions();
  const preset = useLab((state) => state.draft.preset);
  // The preset's description is worded for environments with loopholes.
  const isAlike = useLab(({ draft }) => capabilitiesOf(draft.fields.environment.trim())?.loopholes !== false);
  // Presets for real models can be chosen once a user's model is loaded.
  const isEmbedded = useLab(({ draft }) => EMBEDDED_MODELS.includes(draft.fields.model.trim()));
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Preset</label>
      <select
        id={id}
        value={preset}
        onChange={(event) => lab.choosePreset(event.target.value as PresetName)}
        aria-describedby={`${id}-help`}
      >
        {PRESET_ORDER.map((name) => (
          <option key={name} value={name} disabled={PRESETS[name].realModel && isEmbedded}>
            {name}
            {PRESETS[name].realModel ? ' (real models)' : ''}
          </option>
        ))}
      </select>
      <p className="help" id={`${id}-help`}>
        {isAlike ? PRESETS[preset].description : 'Default sizes and arms of this environment.'}
      </p>
    </div>
  );
}

const DEVICES: readonly (readonly [DeviceChoice, string])[] = [
  ['auto', 'Auto'],
  ['webgpu', 'WebGPU'],
  ['webgpu-int8', 'WebGPU, 8-bit'],
  ['cpu-fused', 'CPU, fused'],
  ['cpu', 'CPU'],
];

function DeviceField() {
  const lab = useLabActions();
  const chosen = useLab((state) => state.draft.device);
  const hasNote = useLab((state) => state.device?.isSoftware || state.comparison !== null);
  const device = useLab((state) => state.device);
  const busy = useLab((state) => state.busy);
  // A device that this machine lacks is not offered, unless a link has chosen it.
  const fuses = useLab(({ connection }) => connection.status === 'ready' && connection.report.fusedProblem === null);
  const isThere: Partial<Record<DeviceChoice, boolean>> = {
    'cpu-fused': fuses,
    'webgpu-int8': device?.kind === 'webgpu',
  };
  return (
    <div className="field">
      <Segmented
        legend="Device"
        className="wide"
        options={DEVICES.filter(([choice]) => isThere[choice] !== false || chosen === choice)}
        value={chosen}
        onChange={(choice) => void lab.chooseDevice(choice)}
        disabled={busy}
      />
      {device ? <p className="help">{device.reason}</p> : null}
      {hasNote ? <SoftwareNote /> : null}
    </div>
  );
}

/** Hidden if the setting belongs only to other environments and was not changed. */
const OwnField = memo(function OwnField({ info }: { info: FieldInfo }) {
  const isHidden = useLab(({ draft }) => isOfOtherEnvironments(info.name, draft) && !isChanged(draft, info.name));
  return isHidden ? null : <Field info={info} />;
});

interface GroupProps {
  title: string;
  fields: readonly FieldInfo[];
  /** A search unfolds the groups with matches. */
  isSearched: boolean;
}

/** One folded group of settings. It unfolds by itself if a setting in it has an error. */
function Group({ title, fields, isSearched }: GroupProps) {
  const [open, setOpen] = useState(false);
  const changed = useLab((state) => fields.filter(({ name }) => isChanged(state.draft, name)).length);
  const wrong = useLab((state) => fields.filter(({ name }) => state.check.fields[name]).length);
  const isEmpty = useLab(({ draft }) =>
    fields.every(({ name }) => isOfOtherEnvironments(name, draft) && !isChanged(draft, name)),
  );
  if (isEmpty) return null;
  const isOpen = open || isSearched || wrong > 0;
  return (
    <details className="fold" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {title}{' '}
        {wrong > 0 ? (
          <span className="tag bad">{wrong} to correct</span>
        ) : changed > 0 ? (
          <span className="tag">{changed} changed</span>
        ) : null}
      </summary>
      {isOpen ? (
        <div className="group">
          {fields.map((info) => (
            <OwnField key={info.name} info={info} />
          ))}
        </div>
      ) : null}
    </details>
  );
}
