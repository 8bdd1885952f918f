// Row of one stored experiment: its settings, its outcome, and its buttons.
import { useState } from 'react';
import { nameOf } from '../../../experiments/analysis/names.ts';
import { ARMS } from '../../../experiments/config/arms.ts';
import { baseOf, environmentOf } from '../../../experiments/config/preset-in.ts';
import { findEnvironment } from '../../../experiments/environments/registry.ts';
import type { BasisReport } from '../../../lab/protocol/bases.ts';
import type { ExperimentSummary } from '../../../lab/protocol/experiments.ts';
import { bytesText, moment, percent } from '../../../lib/numbers.ts';
import { oncePer } from '../../../lib/once-per.ts';
import { KEPT_ON_PAGE, runName } from '../../../store/kinds/kinds.ts';
import { distinctNames, shortName } from '../../../store/kinds/run/titles.ts';
import { shownView } from '../../../store/lab-state.ts';
import { placeInQueue } from '../../../store/queue.ts';
import { withRecord } from '../../../store/runs/link.ts';
import { MOST_PINS, togglePin, usePins } from '../../charts/pins.ts';
import { useLab, useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';
import { lazyPart } from '../../parts/lazy-part.tsx';
import { goAfterRedraw } from '../../parts/PlaceLink.tsx';
import { openAddress, viewAddress } from '../../parts/view.ts';
import { DeleteButton, ExportButton, KeptLinkButton, NotesButton, ResumeButton } from './KeptButtons.tsx';
import { KeptLine } from './KeptLine.tsx';
import type { KeptRowProps } from './kept-row.ts';
import { NotesForm } from './NotesForm.tsx';
import { WhatChanged } from './WhatChanged.tsx';

const AsCode = lazyPart(() => import('./AsCode.tsx'));

/** The list is replaced rather than modified. */
const namesOf = oncePer(distinctNames);

/** Basis of the projecting arms; empty if no arm projects. */
function basisOf({ spec }: ExperimentSummary, bases: readonly BasisReport[]): string {
  if (!spec.arms.some((arm) => ARMS[arm] && ARMS[arm].projection !== 'none')) return '–';
  const { basisSource, basisFile, pairSet } = { ...baseOf(spec).settings, ...spec.overrides };
  if (basisSource !== 'file') return basisSource === 'pairs' ? `pairs: ${pairSet}` : basisSource;
  return bases.find(({ id }) => id === basisFile)?.name ?? `${basisFile.slice(0, 8)}…`;
}

const armNames = (summary: ExperimentSummary) => summary.spec.arms.map((arm) => ARMS[arm]?.label ?? arm).join(', ');

export function RunRow({ entry: summary, isChosen, onChoose }: KeptRowProps<'run'>) {
  const lab = useLabActions();
  const shown = useLab((state) => shownView(state)?.id === summary.id);
  const running = useLab((state) => state.busy && state.live?.id === summary.id);
  const paused = useLab((state) => state.progress?.paused === true && state.progress.experimentId === summary.id);
  const busy = useLab((state) => state.busy);
  const [panel, setPanel] = useState<'words' | 'changes' | 'code' | null>(null);
  const { spec, status, createdAt, stepsDone, stepsTotal, device, approxBytes, tags = [], note, outcomes } = summary;
  const environment = environmentOf(spec);
  const basis = useLab((state) => basisOf(summary, state.bases));
  const place = useLab((state) => placeInQueue(state, summary.id));
  // The experiments of a closed tab count as stopped, so one that is running or queued but not in this tab belongs to another open tab.
  const elsewhere = !running && place === null && (status === 'running' || status === 'waiting');
  const queued = place === null ? null : `waiting, ${place} in the queue`;
  const label = labelOf();
  const title = useLab((state) => namesOf(state.kept.run).get(summary.id)) ?? runName(summary);
  const name = `${shortName(title)}, ${moment(createdAt)}`;
  const toggle = (which: 'words' | 'changes' | 'code') => setPanel(panel === which ? null : which);

  function labelOf(): string {
    if (elsewhere) return 'in another tab';
    if (queued) return queued;
    if (running && paused) return 'paused';
    return summary.interrupted ? 'interrupted' : status;
  }

  const panelOf = {
    words: () => <NotesForm kind="run" entry={summary} onDone={() => setPanel(null)} />,
    code: () => <AsCode summary={summary} />,
    changes: () => <WhatChanged summary={summary} />,
  };
  const figures = (metric: string) => <Figures outcomes={outcomes} metric={metric} arms={spec.arms} />;
  return (
    <KeptLine
      name={name}
      isShown={shown}
      isChosen={isChosen}
      onChoose={onChoose}
      createdAt={createdAt}
      facts={`${device}${approxBytes ? `, about ${bytesText(approxBytes)}` : ''}`}
      title={
        <>
          <p className="kept-name">
            <b title={title === shortName(title) ? undefined : title}>{shortName(title)}</b>{' '}
            <span className={`tag ${tone(label)}`}>{label}</span>
            {tags.map((tag) => (
              <span key={tag} className="tag own">
                {tag}
              </span>
            ))}
          </p>
          <p className="muted">
            {runName(summary) === spec.preset ? '' : `${spec.preset}: `}
            {armNames(summary)}
            {spec.fork ? `; fork of ${ARMS[spec.fork.arm].label} at step ${spec.fork.step}` : ''}
          </p>
          {note ? <p className="kept-note">{note}</p> : null}
          {summary.error ? (
            <p className="error">
              {summary.error.message} {summary.error.remedy}
            </p>
          ) : null}
        </>
      }
      question={<span title={findEnvironment(environment)?.card.question}>{environment}</span>}
      basis={basis}
      seeds={`${spec.seeds.length === 1 ? 'seed' : 'seeds'} ${spec.seeds.join(', ')}`}
      hack={figures('hack')}
      solve={figures('solve')}
      steps={status === 'done' ? stepsTotal : `${stepsDone} of ${stepsTotal}`}
      tools={
        <>
          <Button
            icon="open"
            label="Open"
            onClick={() => {
              openAddress(withRecord(viewAddress('lab'), summary.id));
              goAfterRedraw('watch');
            }}
            aria-label={`Open ${name}`}
          />
          {KEPT_ON_PAGE.run.canResume(summary) ? (
            <ResumeButton
              {...{ kind: 'run', entry: summary, name }}
              title={busy ? 'Waits in the queue until the running experiment ends' : undefined}
            />
          ) : null}
          <PinButton id={summary.id} name={name} done={status === 'done'} />
          <NotesButton name={name} open={panel === 'words'} onClick={() => toggle('words')} />
          <Button
            label="What changed"
            aria-expanded={panel === 'changes'}
            onClick={() => toggle('changes')}
            aria-label={`What changed in ${name}`}
          />
          <Button
            label="As code"
            aria-expanded={panel === 'code'}
            onClick={() => toggle('code')}
            aria-label={`As code: ${name}`}
            title="The command that trains it again, and Python that reads its export"
          />
          <KeptLinkButton kind="run" entry={summary} name={name} />
          {queued ? (
            <Button label="Remove" onClick={() => void lab.cancelWaiting(summary.id)} aria-label={`Remove ${name}`} />
          ) : null}
          <ExportButton
            {...{ kind: 'run', entry: summary, name }}
            disabled={running || elsewhere}
            title={running ? 'Stop it first' : 'Export as a zip'}
          />
          <DeleteButton
            {...{ kind: 'run', entry: summary, name }}
            disabled={running || elsewhere || queued !== null}
            title={running ? 'Stop it first' : queued ? 'Take it out of the queue first' : 'Delete'}
          />
        </>
      }
      panel={panel === null ? null : panelOf[panel]()}
    />
  );
}

/** A metric of each arm's model, in the order of the table. */
function Figures({
  outcomes = [],
  metric,
  arms,
}: {
  outcomes: ExperimentSummary['outcomes'];
  metric: string;
  arms: readonly string[];
}) {
  const shown = outcomes.flatMap(({ arm, model, values }) =>
    metric in values ? [{ name: nameOf(arm, model, arms), text: percent(values[metric], 0) }] : [],
  );
  if (shown.length === 0) return <span className="muted">–</span>;
  return (
    <span title={shown.map(({ name, text }) => `${name} ${text}`).join(', ')}>
      {shown.map(({ text }) => text).join(' · ')}
    </span>
  );
}

/** Pins an experiment, so that its lines stay in the Lab's charts behind those of the shown one. */
function PinButton({ id, name, done }: { id: string; name: string; done: boolean }) {
  const pinned = usePins().includes(id);
  return (
    <Button
      label={pinned ? 'Unpin' : 'Pin'}
      aria-pressed={pinned}
      disabled={!done && !pinned}
      onClick={() => togglePin(id)}
      aria-label={`${pinned ? 'Unpin' : 'Pin'} ${name}`}
      title={
        done ? `Keeps its lines in the Lab’s charts, behind the run on show; at most ${MOST_PINS}` : 'When it is done'
      }
    />
  );
}

function tone(status: string): string {
  if (status === 'done') return 'good';
  return status === 'failed' ? 'bad' : status === 'running' ? 'accent' : 'warn';
}
