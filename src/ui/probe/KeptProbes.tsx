// Probes kept in this browser: shown, gone on with, taken away as files, deleted; and those that come as files.
import type { ProbeRecord } from '../../lab/protocol-probe.ts';
import { moment } from '../../store/format.ts';
import { useLab, useLabActions } from '../lab-context.ts';
import { FileButton } from '../parts/FileButton.tsx';
import { Icon } from '../parts/Icon.tsx';
import { Empty, Section } from '../parts/Section.tsx';
import { saveFile } from '../parts/save-file.ts';
import { useProbe, useProbeActions } from './use-probe.ts';

export function KeptProbes() {
  const lab = useLabActions();
  const kept = useProbe((state) => state.kept);
  return (
    <Section
      id="probe-kept"
      title="Kept probes"
      lead="Every step is kept as it is done. An exported probe holds its report and a step_NNN.jsonl.gz for each step, one row a sample."
      actions={
        <FileButton
          label="Import a probe"
          what="Probe file"
          accept=".zip"
          onFiles={(files) => void lab.dropFiles(files)}
        />
      }
    >
      {kept.length === 0 ? (
        <Empty title="No probe kept yet">
          <p>
            Seven checks: T1 the teacher hacks, T2 the cosines are there, T3 projection removes what it claims, T4 V
            tells hacks from hacks that solve, T5 and T6 the same claims against training, T7 the GRPO-contrastive
            basis. Run the probe above, or drop an exported one on the page.
          </p>
        </Empty>
      ) : (
        <ul className="kept" aria-label="Kept probes">
          {kept.map((record) => (
            <Entry key={record.id} record={record} />
          ))}
        </ul>
      )}
    </Section>
  );
}

function Entry({ record }: { record: ProbeRecord }) {
  const probe = useProbeActions();
  const busy = useLab((state) => state.busy);
  const working = useProbe((state) => state.work !== null);
  const isShown = useProbe((state) => state.shown?.record.id === record.id);
  const { report, ask, file, done, total, createdAt } = record;
  const name = nameOf(record);
  const counts = (['pass', 'fail', 'undecided', 'not run'] as const).flatMap((outcome) => {
    const n = (report?.verdicts ?? []).filter((verdict) => verdict.outcome === outcome).length;
    return n > 0 ? `${n} ${outcome}` : [];
  });

  async function save(): Promise<void> {
    const blob = await probe.exported(record);
    if (blob) saveFile(`probe-${record.id.replace(/^file-/, '').slice(0, 12)}.zip`, blob);
  }

  return (
    <li className="kept-row">
      <div className="kept-main">
        <p className="kept-name">
          <b>{name}</b> {file ? <span className="tag">from a file</span> : null}{' '}
          {isShown ? <span className="tag accent">on show</span> : null}
        </p>
        <p className="muted num">
          {report ? counts.join(', ') : `${done} of ${total} steps`}
          {' · '}
          {moment(createdAt)}
        </p>
      </div>
      <div className="kept-tools">
        {report ? (
          <>
            <button type="button" className="btn small" disabled={isShown} onClick={() => void probe.show(record.id)}>
              <Icon name="open" size={14} />
              Show<span className="unseen"> {name}</span>
            </button>
            <button type="button" className="btn small" onClick={() => void save()}>
              <Icon name="download" size={14} />
              Export<span className="unseen"> {name}</span>
            </button>
          </>
        ) : ask ? (
          <button type="button" className="btn small" disabled={working || busy} onClick={() => void probe.run(ask)}>
            <Icon name="resume" size={14} />
            Resume<span className="unseen"> {name}</span>
          </button>
        ) : null}
        <button
          type="button"
          className="btn small"
          disabled={working && !report}
          onClick={() => void probe.remove(record)}
        >
          <Icon name="trash" size={14} />
          Delete<span className="unseen"> {name}</span>
        </button>
      </div>
    </li>
  );
}

function nameOf({ file, ask, report }: ProbeRecord): string {
  if (file || !ask) return file ?? report?.pool.source ?? 'a probe';
  const { teacher, problems, samples, seed, settings } = ask;
  const who = teacher.kind === 'templates' ? 'templates' : `pool ${teacher.sha256.slice(0, 8)}`;
  const changed = Object.entries(settings).flatMap(([key, value]) =>
    key === 'basisSource' ? [] : `${key} ${String(value).slice(0, 12)}`,
  );
  return [`${who}, ${problems} × ${samples}`, `seed ${seed}`, ...changed].join(', ');
}
