// The browsers in which the lab was tested, with device, test and date, read from the file that the tests wrote.
import { fetchTested } from '../../store/device/tested.ts';
import { DataTable } from '../parts/DataTable.tsx';
import { Section } from '../parts/Section.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

const TAG = { passed: 'tag good', failed: 'tag bad', 'not tested': 'tag warn', 'not there': 'tag' } as const;

/** A browser reports its own name before its version. */
const withoutEngine = (version: string, engine: string): string =>
  version.startsWith(`${engine} `) ? version.slice(engine.length + 1) : version;

export function TestedTable() {
  // The table is omitted if its file cannot be loaded.
  const tested = useLoaded(() => fetchTested().catch(() => null));
  if (!tested || tested.rows.length === 0) return null;
  return (
    <Section
      id="tested"
      title="Where it was tested"
      lead={`Outcomes of the project’s own tests on ${tested.date}, on ${tested.machine}.`}
    >
      <DataTable
        label="Tested browsers"
        isNamed
        rows={tested.rows}
        columns={[
          {
            head: 'Browser',
            cell: ({ engine, version }) => (
              <>
                {engine}
                {version ? <span className="muted"> {withoutEngine(version, engine)}</span> : null}
              </>
            ),
          },
          { head: 'Device', cell: ({ device }) => device, className: '' },
          { head: 'Outcome', cell: ({ status }) => <span className={TAG[status]}>{status}</span>, className: '' },
          { head: 'What was done', cell: ({ shows }) => shows, className: '' },
        ]}
      />
    </Section>
  );
}
