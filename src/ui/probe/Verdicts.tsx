// The seven checks: what was measured, the threshold, the verdict, and the failure that would look like success without the check.

import { type CheckResult, type ProbeReport, STATUS_OF } from '../../experiments/kinds/probe/types.ts';
import type { ProbeRecord } from '../../lab/protocol/probe.ts';
import { KeptLinkButton } from '../keep/kinds/KeptButtons.tsx';
import { Section } from '../parts/Section.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { GROUPS } from '../questions/words.tsx';

export function Verdicts({ record, report }: { record: ProbeRecord; report: ProbeReport }) {
  const { pool, adapter, verdicts } = report;
  return (
    <Section
      id="probe-verdicts"
      title="Verdicts"
      actions={<KeptLinkButton kind="probe" entry={record} />}
      lead={
        <>
          {record.file ? `${record.file}: ` : ''}
          {pool.samples} samples of {pool.problems} problems, {pool.source};{' '}
          {adapter === 'lora' ? 'LoRA' : 'the SVD adapter'}
          {record.device ? `, ${record.device}` : ''}.
        </>
      }
    >
      <VerdictTable verdicts={verdicts} />
    </Section>
  );
}

interface VerdictTableProps {
  verdicts: readonly CheckResult[];
  /** A page may have several tables: what this one is called, and what is before a check's id. */
  label?: string;
  name?: string;
}

export function VerdictTable({ verdicts, label = 'Checks', name = 'verdict' }: VerdictTableProps) {
  return (
    <TableBox label={label}>
      <table className="result probe-verdicts">
        <thead>
          <tr>
            <th scope="col">Check</th>
            <th scope="col">Verdict</th>
            <th scope="col">Value</th>
            <th scope="col">Threshold</th>
            <th scope="col">The failure that it rules out</th>
          </tr>
        </thead>
        <tbody>
          {verdicts.map((verdict) => (
            <Row key={verdict.id} verdict={verdict} name={name} />
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

function Row({ verdict, name }: { verdict: CheckResult; name: string }) {
  const { id, what, outcome, value, threshold, excludes, note } = verdict;
  const status = STATUS_OF[outcome];
  return (
    <tr data-testid={`${name}-${id}`}>
      <th scope="row">
        {id} <span className="probe-what">{what}</span>
      </th>
      <td>
        <span className={`tag ${GROUPS.find((group) => group.standing === status)?.tone}`}>{status}</span>
      </td>
      <td data-label="Value">
        {outcome === 'not run' ? null : <p className="num">{value}</p>}
        {note === '' ? null : <p className="probe-note">{note}</p>}
      </td>
      <td data-label="Threshold">{threshold}</td>
      <td data-label="Excludes">{excludes}</td>
    </tr>
  );
}
