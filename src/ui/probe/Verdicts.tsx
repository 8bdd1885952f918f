// The seven checks: what was measured, the threshold, the verdict, and the failure that would look like success without the check.
import type { Outcome, ProbeReport, Verdict } from '../../experiments/probe/types.ts';
import type { ProbeAsk, ProbeRecord } from '../../lab/protocol-probe.ts';
import { commandOf } from '../../store/probe-command.ts';
import { withProbe } from '../../store/probe-link.ts';
import { useLabActions } from '../lab-context.ts';
import { Icon } from '../parts/Icon.tsx';
import { Section } from '../parts/Section.tsx';

const TONES: Record<Outcome, string> = { pass: 'good', fail: 'bad', undecided: 'warn', 'not run': '' };

export function Verdicts({ record, report }: { record: ProbeRecord; report: ProbeReport }) {
  const { pool, adapter, verdicts } = report;
  return (
    <Section
      id="probe-verdicts"
      title="Verdicts"
      actions={record.ask ? <CopyLink ask={record.ask} /> : null}
      lead={
        <>
          {record.file ? `${record.file}: ` : ''}
          {pool.samples} samples of {pool.problems} problems, {pool.source};{' '}
          {adapter === 'lora' ? 'LoRA' : 'knobs on singular directions'}
          {record.device ? `, ${record.device}` : ''}.
        </>
      }
    >
      <div className="table-box">
        <table className="result probe-verdicts">
          <thead>
            <tr>
              <th scope="col">Check</th>
              <th scope="col">Verdict</th>
              <th scope="col">Value</th>
              <th scope="col">Threshold</th>
              <th scope="col">The sneaky failure that it excludes</th>
            </tr>
          </thead>
          <tbody>
            {verdicts.map((verdict) => (
              <Row key={verdict.id} verdict={verdict} record={record} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function Row({ verdict, record }: { verdict: Verdict; record: ProbeRecord }) {
  const { id, what, outcome, value, threshold, excludes, note } = verdict;
  return (
    <tr data-testid={`verdict-${id}`}>
      <th scope="row">
        {id} <span className="probe-what">{what}</span>
      </th>
      <td>
        <span className={`tag ${TONES[outcome]}`}>{outcome}</span>
      </td>
      <td data-label="Value">
        {outcome === 'not run' ? <NotRun id={id} ask={record.ask} /> : <p className="num">{value}</p>}
        {note !== '' && outcome !== 'not run' ? <p className="probe-note">{note}</p> : null}
      </td>
      <td data-label="Threshold">{threshold}</td>
      <td data-label="Excludes">{excludes}</td>
    </tr>
  );
}

/** T5 and T6 are trainings, which the command line runs beside the probe. */
function NotRun({ id, ask }: { id: Verdict['id']; ask: ProbeRecord['ask'] }) {
  return (
    <>
      <p>
        {id === 'T6'
          ? 'Needs a second replay and two more trainings, with LoRA. On the command line:'
          : 'Needs two trainings of 20 steps, vanilla and erase. On the command line:'}
      </p>
      <code className="probe-command">{commandOf(ask, id === 'T6' ? 'T6' : 'T5')}</code>
    </>
  );
}

function CopyLink({ ask }: { ask: ProbeAsk }) {
  const lab = useLabActions();
  const { teacher, settings } = ask;
  const isHereAlone = teacher.kind === 'pool' || settings.basisFile || settings.pairSet?.startsWith('pairs:');
  const needs = isHereAlone ? ' Its pool, basis or pairs are kept in this browser alone: send their files too.' : '';

  async function copy(): Promise<void> {
    const href = await withProbe(window.location.href, ask);
    try {
      await navigator.clipboard.writeText(href);
      lab.tell('good', `Link copied: opening it fills this form.${needs}`);
    } catch {
      window.history.replaceState(null, '', href);
      lab.tell('info', `The clipboard is closed to this page; the address bar now has the link.${needs}`);
    }
  }

  return (
    <button type="button" className="btn small" onClick={() => void copy()}>
      <Icon name="share" size={14} />
      Copy the link
    </button>
  );
}
