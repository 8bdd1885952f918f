// Row of one stored probe: its settings, its checks' results, and its buttons. The probe's chunk is loaded when a button needs it.
import { useState } from 'react';
import { moment } from '../../../lib/numbers.ts';
import { KEPT_ON_PAGE } from '../../../store/kinds/kinds.ts';
import { outcomesOf, probeDescription, probeName } from '../../../store/kinds/probe/name.ts';
import { useLab, useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';
import { openView } from '../../parts/view.ts';
import { KIND_ROUTES } from '../../parts/views.ts';
import { DeleteButton, ExportButton, KeptLinkButton, NotesButton, ResumeButton } from './KeptButtons.tsx';
import { KeptLine } from './KeptLine.tsx';
import type { KeptRowProps } from './kept-row.ts';
import { NotesForm } from './NotesForm.tsx';

export function ProbeRow({ entry: record, isChosen, onChoose }: KeptRowProps<'probe'>) {
  const lab = useLabActions();
  const busy = useLab((state) => state.busy || state.probing);
  const ready = useLab((state) => state.connection.status === 'ready');
  const working = useLab((state) => state.probing && state.probingId === record.id);
  const [writing, setWriting] = useState(false);
  const { report, file, done, total, createdAt, device, training, tags = [], note } = record;
  const title = probeName(record);
  const name = `${title}, ${moment(createdAt)}`;
  const unfinished = report === null || Boolean(training);
  const opened = () => lab.openProbe();

  async function show(): Promise<void> {
    openView(KIND_ROUTES.probe);
    window.scrollTo(0, 0);
    await (await opened()).show(record.id);
  }

  return (
    <KeptLine
      name={name}
      isChosen={isChosen}
      onChoose={onChoose}
      createdAt={createdAt}
      facts={device}
      title={
        <>
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
          {record.name ? <p className="muted">{probeDescription(record)}</p> : null}
          {report ? <p className="muted">{outcomesOf(record)}</p> : null}
          {note ? <p className="kept-note">{note}</p> : null}
        </>
      }
      question="test of a basis"
      seeds={record.ask ? `seed ${record.ask.seed}` : null}
      steps={report ? total : working ? `${total} steps` : `${done} of ${total}`}
      tools={
        <>
          {report ? <Button icon="open" label="Show" onClick={() => void show()} aria-label={`Show ${name}`} /> : null}
          {KEPT_ON_PAGE.probe.canResume(record) && !working ? (
            <ResumeButton {...{ kind: 'probe', entry: record, name }} disabled={!ready || busy} />
          ) : null}
          <NotesButton name={name} open={writing} onClick={() => setWriting(!writing)} />
          <KeptLinkButton kind="probe" entry={record} name={name} />
          <ExportButton
            {...{ kind: 'probe', entry: record, name }}
            disabled={!report}
            title={report ? 'Export as a zip' : 'Resume it first'}
          />
          <DeleteButton
            {...{ kind: 'probe', entry: record, name }}
            disabled={busy && unfinished}
            title="Delete"
            before={async () => (await opened()).forget(record)}
          />
        </>
      }
      panel={writing ? <NotesForm kind="probe" entry={record} onDone={() => setWriting(false)} /> : null}
    />
  );
}
