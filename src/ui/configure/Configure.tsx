// The form of an experiment: arms, seeds, the hack basis and Run. Everything else is in the settings dialog (AllSettings.tsx), whose
// changes are summarised here. While an experiment is shown the form folds to one bar, which shows its progress, or its settings once it
// has ended.

import { type FormEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { builtInPairSet } from '../../environments/code/pair-sets/table.ts';
import { ARMS } from '../../experiments/config/arms.ts';
import { shownView } from '../../store/lab-state.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { lazyPart } from '../parts/lazy-part.tsx';
import { MetricHelp } from '../parts/MetricHelp.tsx';
import { goAfterRedraw } from '../parts/PlaceLink.tsx';
import { ArmsField } from './ArmsField.tsx';
import { BasisField } from './BasisField.tsx';
import { ChangedSettings } from './ChangedSettings.tsx';
import { RunBar } from './RunBar.tsx';

const WhoIsTaught = lazyPart(() => import('../environments/characters/WhoIsTaught.tsx'));
const ForkNote = lazyPart(() => import('./ForkNote.tsx'));
const InUse = lazyPart(() => import('./InUse.tsx'));
const AllSettings = lazyPart(() => import('./AllSettings.tsx'));

interface ConfigureProps {
  onNearRun: () => void;
  /** The bar of the running experiment. */
  strip: ReactNode;
}

export function Configure({ onNearRun, strip }: ConfigureProps) {
  const lab = useLabActions();
  const isFork = useLab((state) => state.draft.fork !== null);
  const form = useRef<HTMLFormElement>(null);
  const busy = useLab((state) => state.busy);
  const [hasSheet, setSheet] = useState(false);
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
    setSheet(false);
    void lab.start();
    goAfterRedraw('watch');
  }

  return (
    <>
      <form
        className={isFolded ? 'configure folded' : 'configure'}
        onSubmit={submit}
        aria-labelledby="configure-title"
        noValidate
        id="configure"
        ref={form}
      >
        {busy ? strip : null}
        {isFolded ? <Summary isHidden={busy} onOpen={() => setFolded(false)} /> : null}
        <div className="configure-scroll" hidden={isFolded}>
          <div className="configure-head">
            <h2 id="configure-title" tabIndex={-1}>
              Configure
            </h2>
            {isAtWork ? <Button label="Collapse" tone="quiet" onClick={() => setFolded(true)} /> : null}
          </div>
          <AddressProblem />
          {isFork ? <ForkNote /> : null}
          <ArmsField />
          <SeedsField />
          <CharactersPanel />
          <BasisField />
          <FilesInUse />
          <ChangedSettings onOpen={() => setSheet(true)} />
        </div>
        <RunBar onNearRun={onNearRun} />
      </form>
      {hasSheet ? <AllSettings onClose={() => setSheet(false)} /> : null}
    </>
  );
}

/** The form folds whenever another run is shown. An error in it unfolds it. */
function useFold() {
  const shown = useLab((state) => shownView(state)?.id ?? (state.busy ? 'starting' : null));
  // When a fork is requested, the form unfolds so that it can be changed. Once the fork trains, the form is no longer a fork.
  const isFork = useLab((state) => state.draft.fork !== null);
  const isWrong = useLab((state) => state.addressProblem !== null || Object.keys(state.check.fields).length > 0);
  // A form that the user opened stays open while its run is shown.
  const [openedFor, setOpenedFor] = useState<string | null>(null);
  return {
    isAtWork: shown !== null,
    isFolded: shown !== null && shown !== openedFor && !isWrong && !isFork,
    setFolded: (folded: boolean) => setOpenedFor(folded ? null : shown),
  };
}

/** The form's content in one line, or only its button if a run occupies the line. */
function Summary({ isHidden, onOpen }: { isHidden: boolean; onOpen: () => void }) {
  const { preset, arms, seeds, fields, fork } = useLab((state) => state.draft);
  const names = arms.map((arm) => ARMS[arm].label).join(', ');
  const seedWord = seeds.includes(',') ? 'seeds' : 'seed';
  return (
    <div className="configure-summary">
      {isHidden ? null : (
        <>
          <h2>Configure</h2>
          <p>
            <b>{fields.environment}</b>, {fork ? `fork of ${ARMS[fork.arm].label} at step ${fork.step}` : preset}:{' '}
            {names}; {seedWord} {seeds}; {fields.steps} steps
          </p>
        </>
      )}
      <Button label="Change" aria-expanded={false} aria-controls="configure" onClick={onOpen} />
    </div>
  );
}

function CharactersPanel() {
  // The comparison is by name, because the panel supports only one set of characters.
  const isKnown = useLab(({ draft }) => draft.fields.environment.trim() === 'characters');
  return isKnown ? <WhoIsTaught /> : null;
}

/** Drawn only if the form names a file from the library, which is rare. */
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
