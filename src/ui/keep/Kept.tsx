// Experiments kept in this browser: open, resume, delete (with a few seconds to take it back).

import { ARMS } from '../../experiments/spec.ts';
import type { ExperimentSummary } from '../../lab/protocol.ts';
import { bytes, moment } from '../../store/format.ts';
import { shownView } from '../../store/lab-state.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { goTo } from '../parts/PlaceLink.tsx';
import { Empty, Section } from '../parts/Section.tsx';

export function Kept() {
  const kept = useLab((state) => state.kept);
  const storage = useLab((state) => state.storage);
  const used = storage?.usedBytes != null ? ` ${bytes(storage.usedBytes)} used.` : '';
  return (
    <Section id="kept" title="Kept runs" lead={`In this browser only, from their first step.${used}`}>
      {kept.length === 0 ? (
        <Empty title="Nothing kept yet">
          <p>Every experiment is kept here from its first step on, and is still here after a reload.</p>
        </Empty>
      ) : (
        <ul className="kept" aria-label="Kept experiments">
          {kept.map((summary) => (
            <KeptRow key={summary.id} summary={summary} />
          ))}
        </ul>
      )}
    </Section>
  );
}

const armNames = (summary: ExperimentSummary) => summary.spec.arms.map((arm) => ARMS[arm]?.label ?? arm).join(', ');

function KeptRow({ summary }: { summary: ExperimentSummary }) {
  const lab = useLabActions();
  const shown = useLab((state) => shownView(state)?.id === summary.id);
  const running = useLab((state) => state.busy && state.live?.id === summary.id);
  const busy = useLab((state) => state.busy);
  const { spec, status, createdAt, stepsDone, stepsTotal, device } = summary;
  // What a closed tab left behind is stopped; what is at work and not here is at work in another tab.
  const elsewhere = !running && (status === 'running' || status === 'waiting');
  const unfinished = status === 'stopped' || status === 'failed';
  const label = elsewhere ? 'in another tab' : status;
  const name = `${spec.preset}, ${moment(createdAt)}`;
  return (
    <li className={shown ? 'kept-row shown' : 'kept-row'}>
      <div className="kept-main">
        <p className="kept-name">
          <b>{spec.preset}</b> <span className={`tag ${tone(label)}`}>{label}</span>
        </p>
        <p className="muted">
          {armNames(summary)}; {spec.seeds.length === 1 ? 'seed' : 'seeds'} {spec.seeds.join(', ')}
        </p>
        <p className="muted num">
          {moment(createdAt)} · {stepsDone} of {stepsTotal} steps · {device}
        </p>
        {summary.error ? <p className="error">{summary.error.message}</p> : null}
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
            disabled={busy}
            onClick={() => void lab.resume(summary.id)}
            aria-label={`Resume ${name}`}
          >
            <Icon name="resume" size={14} />
            Resume
          </button>
        ) : null}
        <button
          type="button"
          className="btn small icon"
          disabled={running || elsewhere}
          onClick={() => lab.remove(summary, name)}
          aria-label={`Delete ${name}`}
          title={running ? 'Stop it first' : 'Delete'}
        >
          <Icon name="trash" size={14} />
        </button>
      </div>
    </li>
  );
}

function tone(status: string): string {
  if (status === 'done') return 'good';
  return status === 'failed' ? 'bad' : status === 'running' ? 'accent' : 'warn';
}
