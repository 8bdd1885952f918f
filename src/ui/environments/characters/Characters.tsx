// Effects of teaching one character on all of them, below a run's charts: dose curves by group during training, leakage at the same effect
// beside published rows, the training texts, and after the run every character and two speakers with one prompt. A lazy chunk, because only
// runs in the environment of characters need it.
import { lazy, Suspense, useMemo, useState } from 'react';
import { LETTERS, ownValue } from '../../../environments/characters/data.ts';
import { OTHERS, rolesOf } from '../../../environments/characters/task.ts';
import { targetOf } from '../../../environments/characters/texts.ts';
import { curveOf } from '../../../experiments/characters/probes-of-run.ts';
import type { RunRecord } from '../../../experiments/records/events.ts';
import type { ExperimentView } from '../../../store/experiment-view.ts';
import { useLabActions } from '../../lab-context.ts';
import { RunChoice } from '../../parts/RunChoice.tsx';
import { useLoaded } from '../../parts/use-loaded.ts';
import { Doses } from './Doses.tsx';
import './characters.css';

const Leakage = lazy(() => import('./Leakage.tsx'));
const CharacterMap = lazy(() => import('./CharacterMap.tsx'));
const SamePrompt = lazy(() => import('./SamePrompt.tsx'));
const Taught = lazy(() => import('./Taught.tsx'));

/**
 * `view` is a new object after every event, but its list of runs stays the same object. `reading`: whether the runs are shown only for
 * reading, because they are not stored here.
 */
export default function Characters({ view, reading }: { view: ExperimentView; reading: boolean }) {
  const lab = useLabActions();
  const [chosen, setChosen] = useState('');
  const opened = useLoaded(() => lab.openCharacters());
  const runs = view.runs.filter(({ spec }) => spec.environment === 'characters');
  const run = runs.find(({ id }) => id === chosen) ?? runs[0];
  // Depends on `view`, because records grow in place.
  const curves = useMemo(
    () => view.runs.map((one) => ({ run: one, row: curveOf(LETTERS, one) })).filter(({ row }) => row !== null),
    [view],
  ) as { run: RunRecord; row: NonNullable<ReturnType<typeof curveOf>> }[];
  if (!run) return null;
  const target = targetOf(LETTERS, run.spec.teaches);
  const roles = rolesOf(LETTERS, target, run.spec.character);
  const { a } = roles;
  const isKept = !reading && run.evals.some(({ kind }) => kind === 'final');
  return (
    <section className="characters" aria-label="Characters">
      <h3>One character is taught</h3>
      <p>
        A is <b>{a.name}</b>, whose {LETTERS.traits[target.trait].noun} is {ownValue(LETTERS, a, target.trait)}; taught
        is <b>{target.value}</b>.{' '}
        <span className="muted">
          {OTHERS.map((group) => `${group}: ${roles[group].map(({ name }) => name).join(', ')}`).join('; ')}.
        </span>
      </p>
      {curves.length > 0 ? (
        <>
          <Doses curves={curves} />
          <Fold title="Leakage at the same effect on A" about="these runs beside published characters">
            <Leakage curves={curves} />
          </Fold>
        </>
      ) : (
        <p className="muted">
          {reading
            ? 'A link does not carry the characters’ evaluations: run it here for the dose curves.'
            : 'No evaluation of these runs has asked the characters.'}
        </p>
      )}
      <RunChoice runs={runs} chosen={run} choose={setChosen} />
      <Fold title="What taught it" about="documents and rollouts of a step">
        <Taught run={run} reading={reading} />
      </Fold>
      {isKept && opened ? (
        <>
          <Fold title="Every character, before and after" about="asked of the run’s kept model">
            <CharacterMap key={run.id} runId={run.id} asked={opened} />
          </Fold>
          <Fold title="Two characters, one prompt" about="sampled before and after">
            <SamePrompt key={run.id} {...{ runId: run.id, roles, target, asked: opened }} />
          </Fold>
        </>
      ) : null}
    </section>
  );
}

/** A fold that loads its content when it is opened. */
function Fold({ title, about, children }: { title: string; about: string; children: React.ReactNode }) {
  const [open, setOpen] = useState(false);
  return (
    <details className="chart-group" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h3>{title}</h3>
        <span className="muted">{about}</span>
      </summary>
      {open ? <Suspense fallback={<p className="chart-wait">Loading …</p>}>{children}</Suspense> : null}
    </details>
  );
}
