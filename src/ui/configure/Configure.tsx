// The form of an experiment: preset, arms, seeds and basic settings in view; all other settings are folded by group.

import { type FormEvent, memo, useDeferredValue, useEffect, useId, useRef, useState } from 'react';
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { capabilitiesOf } from '../../experiments/config/environments.ts';
import { EMBEDDED_MODELS } from '../../experiments/config/preset-in.ts';
import { PRESETS } from '../../experiments/config/presets.ts';
import { PRESET_NAMES, type PresetName } from '../../experiments/config/run-spec.ts';
import type { FieldInfo, SettingName } from '../../experiments/config/settings.ts';
import type { DeviceChoice } from '../../lab/protocol/protocol.ts';
import { HEADINGS, type Heading } from '../../lib/option.ts';
import { type Draft, FIELD_INFO, presetText } from '../../store/draft.ts';
import { isOfOtherEnvironments } from '../../store/form/disabled.ts';
import { shownView } from '../../store/lab-state.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Segmented } from '../parts/Choice.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { goSoon } from '../parts/PlaceLink.tsx';
import { ArmsField } from './ArmsField.tsx';
import { Field } from './Field.tsx';
import { RunBar } from './RunBar.tsx';

const WhoIsTaught = lazyPart(() => import('../environments/characters/WhoIsTaught.tsx'));
const InUse = lazyPart(() => import('./InUse.tsx'));
const SoftwareNote = lazyPart(() => import('../device/SoftwareNote.tsx'));

/** Settings in view; the others are folded. */
const BASIC = ['environment', 'steps', 'mix', 'honestShare', 'promptsPerStep', 'groupSize'] as const;
/** Presets for embedded models come before those for real models. */
const PRESET_ORDER = [...PRESET_NAMES].sort((a, b) => Number(PRESETS[a].realModel) - Number(PRESETS[b].realModel));

const isBasic = (name: string) => BASIC.some((basic) => basic === name);
const isChanged = (draft: Draft, name: SettingName) => draft.fields[name].trim() !== presetText(draft, name);

export function Configure({ onNearRun }: { onNearRun: () => void }) {
  const lab = useLabActions();
  const preset = useLab((state) => state.draft.preset);
  const form = useRef<HTMLFormElement>(null);
  // The hundreds of fields in folded groups are drawn after the visible ones, in slices.
  const isWhole = useDeferredValue(true, false);
  const { isFolded, isAtWork, setFolded } = useFold();

  useEffect(() => {
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
      // Without this, Enter in a field would submit the form a second time.
      event.preventDefault();
      form.current?.querySelector<HTMLButtonElement>('button[type=submit]:not(:disabled)')?.click();
    };
    window.addEventListener('keydown', key);
    return () => window.removeEventListener('keydown', key);
  }, []);

  function submit(event: FormEvent): void {
    event.preventDefault();
    void lab.start();
    goSoon('watch');
  }

  return (
    <form
      className={isFolded ? 'configure folded' : 'configure'}
      onSubmit={submit}
      aria-labelledby="configure-title"
      noValidate
      id="configure"
      ref={form}
    >
      {isFolded ? <Summary onOpen={() => setFolded(false)} /> : null}
      <div className="configure-scroll" hidden={isFolded}>
        <div className="configure-head">
          <h2 id="configure-title" tabIndex={-1}>
            Configure
          </h2>
          {isAtWork ? <Button label="Collapse" tone="quiet" onClick={() => setFolded(true)} /> : null}
        </div>
        <AddressProblem />
        <PresetField />
        <ArmsField />
        <SeedsField />
        <CharactersPanel />
        <div className="pair">
          {BASIC.map((name) => (
            <OwnField key={name} info={FIELD_INFO.find((field) => field.name === name)!} />
          ))}
        </div>
        <DeviceField />
        <BasisFromPairs />
        <FilesInUse />
        <div className="advanced">
          <h3>Advanced</h3>
          {isWhole ? HEADINGS.map((group) => <Group key={group} group={group} />) : null}
          <Button icon="resume" label="Back to the preset" onClick={() => lab.choosePreset(preset)} />
        </div>
      </div>
      <RunBar onNearRun={onNearRun} />
    </form>
  );
}

/** The form folds whenever another run is shown; an error in it unfolds it. */
function useFold() {
  const shown = useLab((state) => shownView(state)?.id ?? (state.busy ? 'starting' : null));
  const isWrong = useLab((state) => state.addressProblem !== null || Object.keys(state.check.fields).length > 0);
  // A form that was opened by hand stays open while its run is shown.
  const [openedFor, setOpenedFor] = useState<string | null>(null);
  return {
    isAtWork: shown !== null,
    isFolded: shown !== null && shown !== openedFor && !isWrong,
    setFolded: (folded: boolean) => setOpenedFor(folded ? null : shown),
  };
}

/** The form's content in one line. */
function Summary({ onOpen }: { onOpen: () => void }) {
  const { preset, arms, seeds, fields } = useLab((state) => state.draft);
  const names = arms.map((arm) => ARMS[arm].label).join(', ');
  const seedWord = seeds.includes(',') ? 'seeds' : 'seed';
  return (
    <div className="configure-summary">
      <h2>Configure</h2>
      <p>
        <b>{fields.environment}</b>, {preset}: {names}; {seedWord} {seeds}; {fields.steps} steps
      </p>
      <Button label="Change" aria-expanded={false} aria-controls="configure" onClick={onOpen} />
    </div>
  );
}

function CharactersPanel() {
  // Compared by name, because the panel knows only one set of characters.
  const isKnown = useLab(({ draft }) => draft.fields.environment.trim() === 'characters');
  return isKnown ? <WhoIsTaught /> : null;
}

/** The basis that a run extracts by itself; one from a file stands beside Run (BasisChip.tsx). */
function BasisFromPairs() {
  const fromPairs = useLab(({ draft: { arms, fields }, pairSets }) =>
    fields.basisSource === 'pairs' && arms.some((arm) => ARMS[arm].projection !== 'none')
      ? (pairSets.find((set) => set.id === fields.pairSet)?.name ?? fields.pairSet)
      : '',
  );
  if (fromPairs === '') return null;
  return (
    <p className="help">
      <b>Hack basis:</b> extracted from the labelled pairs “{fromPairs}” when the run begins.
    </p>
  );
}

/** Drawn only where the form names a file of the library, as few forms do. */
function FilesInUse() {
  const namesOne = useLab(
    ({ draft: { fields } }) =>
      fields.teacherPool.trim() !== '' || (fields.basisSource !== 'file' && !builtInPairSet(fields.pairSet)),
  );
  return namesOne ? <InUse /> : null;
}

function AddressProblem() {
  const lab = useLabActions();
  const problem = useLab((state) => state.addressProblem);
  if (!problem) return null;
  return (
    <div className="callout bad" role="alert">
      <p>
        <b>The address did not fill the form.</b> {problem.message}
      </p>
      <p>{problem.remedy} The default experiment is filled in instead.</p>
      <Button label="Dismiss" onClick={lab.dismissAddressProblem} />
    </div>
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

const SEEDS_HELP = 'Separated by commas. Each arm is trained once per seed.';

function SeedsField() {
  const lab = useLabActions();
  const seeds = useLab((state) => state.draft.seeds);
  const error = useLab((state) => state.check.fields.seeds);
  const id = useId();
  return (
    <div className="field">
      <div className="field-head">
        <label htmlFor={id}>Seeds</label>
        <MetricHelp id="seeds" name="pairing by seed" lead={SEEDS_HELP} />
      </div>
      <input
        id={id}
        type="text"
        inputMode="numeric"
        value={seeds}
        onChange={(event) => lab.setSeeds(event.target.value)}
        aria-invalid={error ? true : undefined}
        aria-describedby={`${id}-help`}
      />
      <p className={error ? 'error' : 'unseen'} id={`${id}-help`} role={error ? 'alert' : undefined}>
        {error ?? SEEDS_HELP}
      </p>
    </div>
  );
}

const DEVICES: readonly (readonly [DeviceChoice, string])[] = [
  ['auto', 'Auto'],
  ['webgpu', 'WebGPU'],
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
  return (
    <div className="field">
      <Segmented
        legend="Device"
        className="wide"
        options={DEVICES.filter(([choice]) => choice !== 'cpu-fused' || fuses || chosen === choice)}
        value={chosen}
        onChange={(choice) => void lab.chooseDevice(choice)}
        disabled={busy}
      />
      {device ? <p className="help">{device.reason}</p> : null}
      {hasNote ? <SoftwareNote /> : null}
    </div>
  );
}

/** Hidden if the setting belongs to other environments only and was not changed. */
const OwnField = memo(function OwnField({ info }: { info: FieldInfo }) {
  const isHidden = useLab(({ draft }) => isOfOtherEnvironments(info.name, draft) && !isChanged(draft, info.name));
  return isHidden ? null : <Field info={info} />;
});

/** One folded group of advanced settings; it opens by itself if a setting in it is wrong. */
const Group = memo(function Group({ group }: { group: Heading }) {
  const fields = FIELD_INFO.filter(({ name, heading }) => heading === group && !isBasic(name));
  const [open, setOpen] = useState(false);
  const changed = useLab((state) => fields.filter(({ name }) => isChanged(state.draft, name)).length);
  const wrong = useLab((state) => fields.filter(({ name }) => state.check.fields[name]).length);
  const isEmpty = useLab(({ draft }) =>
    fields.every(({ name }) => isOfOtherEnvironments(name, draft) && !isChanged(draft, name)),
  );
  if (isEmpty) return null;
  return (
    <details className="fold" open={open || wrong > 0} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        {group}{' '}
        {wrong > 0 ? (
          <span className="tag bad">{wrong} to correct</span>
        ) : changed > 0 ? (
          <span className="tag">{changed} changed</span>
        ) : null}
      </summary>
      <div className="group">
        {fields.map((info) => (
          <OwnField key={info.name} info={info} />
        ))}
      </div>
    </details>
  );
});
