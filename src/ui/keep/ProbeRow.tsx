// One kept probe: what it was asked, what its checks said, and what can be done with it. The probe's own part of the page is fetched
// when something is asked of it.
import { useState } from 'react';
import type { ProbeRecord } from '../../lab/protocol-probe.ts';
import { moment } from '../../store/format.ts';
import { askedOf, outcomesOf, probeName } from '../../store/probe-name.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { saveFile } from '../parts/save-file.ts';
import { openView } from '../parts/view.ts';
import { ShareProbe } from '../probe/ShareProbe.tsx';
import { Words } from './Words.tsx';

export function ProbeRow({ record }: { record: ProbeRecord }) {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy || state.probing);
  const ready = useLab((state) => state.connection.status === 'ready');
  const working = useLab((state) => state.probing && state.probingId === record.id);
  const [writing, setWriting] = useState(false);
  const { report, ask, file, done, total, createdAt, device, training, tags = [], note } = record;
  const title = probeName(record);
  const name = `${title}, ${moment(createdAt)}`;
  const unfinished = report === null || Boolean(training);
  const opened = () => lab.openProbe();

  async function show(): Promise<void> {
    openView('probe');
    window.scrollTo(0, 0);
    await (await opened()).show(record.id);
  }
  async function goOn(): Promise<void> {
    openView('probe');
    const probe = await opened();
    await (report ? probe.goOn(record) : ask && probe.run(ask));
  }
  async function save(): Promise<void> {
    const blob = await (await opened()).exported(record);
    if (blob) saveFile(`probe-${record.id.replace(/^file-/, '').slice(0, 12)}.zip`, blob);
  }
  async function remove(): Promise<void> {
    (await opened()).forget(record);
    lab.removeProbe(record, title);
  }

  return (
    <li className="kept-row">
      <div className="kept-main">
        <p className="kept-name">
          <b>{title}</b> <span className="tag accent">probe</span>
          {working ? (
            <span className="tag accent">running</span>
          ) : (
            <>
              {report ? null : <span className="tag warn">stopped</span>}
              {training ? <span className="tag warn">{training.check} stopped</span> : null}
            </>
          )}
          {file ? <span className="tag">from a file</span> : null}
          {tags.map((tag) => (
            <span key={tag} className="tag own">
              {tag}
            </span>
          ))}
        </p>
        {record.name ? <p className="muted">{askedOf(record)}</p> : null}
        <p className="muted num">
          {moment(createdAt)} · {report ? outcomesOf(record) : working ? `${total} steps` : `${done} of ${total} steps`}
          {device ? ` · ${device}` : ''}
        </p>
        {note ? <p className="kept-note">{note}</p> : null}
      </div>
      <div className="kept-tools">
        {report ? (
          <button type="button" className="btn small" onClick={() => void show()} aria-label={`Show ${name}`}>
            <Icon name="open" size={14} />
            Show
          </button>
        ) : null}
        {unfinished && ask && !working ? (
          <button
            type="button"
            className="btn small"
            disabled={!ready || busy}
            onClick={() => void goOn()}
            aria-label={`Resume ${name}`}
          >
            <Icon name="resume" size={14} />
            Resume
          </button>
        ) : null}
        <button
          type="button"
          className="btn small"
          aria-expanded={writing}
          onClick={() => setWriting(!writing)}
          aria-label={`Name and tags of ${name}`}
        >
          Name and tags
        </button>
        <ShareProbe record={record} name={name} compact />
        <button
          type="button"
          className="btn small icon"
          disabled={!report}
          onClick={() => void save()}
          aria-label={`Export ${name}`}
          title={report ? 'Export as a zip' : 'Let it go on first'}
        >
          <Icon name="download" size={14} />
        </button>
        <button
          type="button"
          className="btn small icon"
          disabled={busy && unfinished}
          onClick={() => void remove()}
          aria-label={`Delete ${name}`}
          title="Delete"
        >
          <Icon name="trash" size={14} />
        </button>
      </div>
      {writing ? (
        <Words
          of={record}
          placeholder={askedOf(record)}
          save={(words) => lab.annotateProbe(record.id, words)}
          onDone={() => setWriting(false)}
        />
      ) : null}
    </li>
  );
}
