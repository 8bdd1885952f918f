// The seven checks: measured value, threshold, verdict, and the failure that would look like success without the check.

import { type CheckResult, type ProbeReport, STATUS_OF } from '../../experiments/kinds/probe/types.ts';
import type { ProbeRecord } from '../../lab/protocol/probe.ts';
import { KeptLinkButton } from '../keep/kinds/KeptButtons.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { Section } from '../parts/Section.tsx';
import { GROUPS } from '../parts/StatusTag.tsx';

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
  /** The table's label, and the prefix of its checks' test ids, because a page may have several tables. */
  label?: string;
  name?: string;
}

export function VerdictTable({ verdicts, label = 'Checks', name = 'verdict' }: VerdictTableProps) {
  return (
    <DataTable
      label={label}
      className="result probe-verdicts"
      rows={verdicts}
      testId={({ id }) => `${name}-${id}`}
      columns={[
        { head: 'Check', cell: nameOf },
        { head: 'Verdict', cell: statusOf, className: '' },
        { head: 'Value', cell: measuredText, className: '', narrow: 'Value' },
        { head: 'Threshold', cell: ({ threshold }) => threshold, className: '', narrow: 'Threshold' },
        { head: 'The failure that it rules out', cell: ({ excludes }) => excludes, className: '', narrow: 'Excludes' },
      ]}
    />
  );
}

const nameOf = ({ id, what }: CheckResult) => (
  <>
    {id} <span className="probe-what">{what}</span>
  </>
);

function statusOf({ outcome }: CheckResult) {
  const status = STATUS_OF[outcome];
  return <span className={`tag ${GROUPS.find((group) => group.standing === status)?.tone}`}>{status}</span>;
}

const measuredText = ({ outcome, value, note }: CheckResult) => (
  <>
    {outcome === 'not run' ? null : <p className="num">{value}</p>}
    {note === '' ? null : <p className="probe-note">{note}</p>}
  </>
);
