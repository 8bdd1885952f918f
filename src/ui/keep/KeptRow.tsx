// One kept experiment: what it is, how far it came, and what can be done with it.
import { useState } from 'react';
import { ARMS } from '../../experiments/spec.ts';
import type { ExperimentSummary } from '../../lab/protocol.ts';
import { bytes, moment } from '../../store/format.ts';
import { nameOf } from '../../store/kept-list.ts';
import { shownView } from '../../store/lab-state.ts';
import { placeInQueue } from '../../store/run-queue.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { goTo } from '../parts/PlaceLink.tsx';
import { saveFile } from '../parts/save-file.ts';
import { ShareLinkButton } from '../share/ShareLinkButton.tsx';
import { WhatChanged } from './WhatChanged.tsx';
import { Words } from './Words.tsx';

const armNames = (summary: ExperimentSummary) => summary.spec.arms.map((arm) => ARMS[arm]?.label ?? arm).join(', ');

export function KeptRow({ summary }: { summary: ExperimentSummary }) {
  const lab = useLabActions();
  const shown = useLab((state) => shownView(state)?.id === summary.id);
  const running = useLab((state) => state.busy && state.live?.id === summary.id);
  const busy = useLab((state) => state.busy);
  const [panel, setPanel] = useState<'words' | 'changes' | null>(null);
  const [exporting, setExporting] = useState(false);
  const { spec, status, createdAt, stepsDone, stepsTotal, device, approxBytes, tags = [], note } = summary;
  const place = useLab((state) => placeInQueue(state, summary.id));
  // What a closed tab left behind is stopped; what is at work and not here is at work in another tab.
  const elsewhere = !running && place === null && (status === 'running' || status === 'waiting');
  const unfinished = status === 'stopped' || status === 'failed';
  const queued = place === null ? null : `waiting, ${place} in the queue`;
  const label = elsewhere ? 'in another tab' : queued ? queued : summary.interrupted ? 'interrupted' : status;
  const title = nameOf(summary);
  const name = `${title}, ${moment(createdAt)}`;
  const toggle = (which: 'words' | 'changes') => setPanel(panel === which ? null : which);

  async function save(): Promise<void> {
    setExporting(true);
    const blob = await lab.exportExperiment(summary);
    setExporting(false);
    if (blob) saveFile(`${title.replace(/[^\w.-]+/g, '-').slice(0, 60)}-${summary.id.slice(0, 8)}.zip`, blob);
  }

  return (
    <li className={shown ? 'kept-row shown' : 'kept-row'}>
      <div className="kept-main">
        <p className="kept-name">
          <b>{title}</b> <span className={`tag ${tone(label)}`}>{label}</span>
          {tags.map((tag) => (
            <span key={tag} className="tag own">
              {tag}
            </span>
          ))}
        </p>
        <p className="muted">
          {title === spec.preset ? '' : `${spec.preset}: `}
          {armNames(summary)}; {spec.seeds.length === 1 ? 'seed' : 'seeds'} {spec.seeds.join(', ')}
        </p>
        <p className="muted num">
          {moment(createdAt)} · {stepsDone} of {stepsTotal} steps · {device}
          {approxBytes ? ` · about ${bytes(approxBytes)}` : ''}
        </p>
        {note ? <p className="kept-note">{note}</p> : null}
        {summary.error ? (
          <p className="error">
            {summary.error.message} {summary.error.remedy}
          </p>
        ) : null}
      </div>
      <div className="kept-tools">
        <button
          type="button"
          className="btn small"
          onClick={() => {
            void lab.open(summary.id);
            goTo('watch');
          }}
          aria-label={`Open ${name}`}
        >
          <Icon name="open" size={14} />
          Open
        </button>
        {unfinished ? (
          <button
            type="button"
            className="btn small"
            title={busy ? 'Waits in the queue for the experiment in work' : undefined}
            onClick={() => void lab.resume(summary.id)}
            aria-label={`Resume ${name}`}
          >
            <Icon name="resume" size={14} />
            Resume
          </button>
        ) : null}
        <button
          type="button"
          className="btn small"
          aria-expanded={panel === 'words'}
          onClick={() => toggle('words')}
          aria-label={`Name and tags of ${name}`}
        >
          Name and tags
        </button>
        <button
          type="button"
          className="btn small"
          aria-expanded={panel === 'changes'}
          onClick={() => toggle('changes')}
          aria-label={`What changed in ${name}`}
        >
          What changed
        </button>
        <ShareLinkButton id={summary.id} name={name} compact />
        {queued ? (
          <button
            type="button"
            className="btn small"
            onClick={() => void lab.cancelWaiting(summary.id)}
            aria-label={`Take out ${name}`}
          >
            Take out
          </button>
        ) : null}
        <button
          type="button"
          className="btn small icon"
          disabled={exporting || running || elsewhere}
          onClick={() => void save()}
          aria-label={`Export ${name}`}
          title={running ? 'Stop it first' : 'Export as a zip'}
        >
          <Icon name="download" size={14} />
        </button>
        <button
          type="button"
          className="btn small icon"
          disabled={running || elsewhere || queued !== null}
          onClick={() => lab.remove(summary, title)}
          aria-label={`Delete ${name}`}
          title={running ? 'Stop it first' : queued ? 'Take it out of the queue first' : 'Delete'}
        >
          <Icon name="trash" size={14} />
        </button>
      </div>
      {panel === 'words' ? (
        <Words
          of={summary}
          placeholder={spec.preset}
          save={(words) => lab.annotate(summary.id, words)}
          onDone={() => setPanel(null)}
        />
      ) : null}
      {panel === 'changes' ? <WhatChanged summary={summary} /> : null}
    </li>
  );
}

function tone(status: string): string {
  if (status === 'done') return 'good';
  return status === 'failed' ? 'bad' : status === 'running' ? 'accent' : 'warn';
}
