// Which browsers the lab was tested in, on what, how and when: read from what the tests wrote.
import { fetchTested } from '../../store/device/tested.ts';
import { Section } from '../parts/Section.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import { useLoaded } from '../parts/use-loaded.ts';

const TAG = { passed: 'tag good', failed: 'tag bad', 'not tested': 'tag warn', 'not there': 'tag' } as const;

export function TestedTable() {
  // Without it the page is what it is: nothing here depends on it.
  const tested = useLoaded(() => fetchTested().catch(() => null));
  if (!tested || tested.rows.length === 0) return null;
  return (
    <Section
      id="tested"
      title="Where it was tested"
      lead={`Outcomes of the project’s own tests on ${tested.date}, on ${tested.machine}.`}
    >
      <TableBox label="Tested browsers">
        <table className="result" aria-label="Tested browsers">
          <thead>
            <tr>
              <th scope="col">Browser</th>
              <th scope="col">Device</th>
              <th scope="col">Outcome</th>
              <th scope="col">What was done</th>
            </tr>
          </thead>
          <tbody>
            {tested.rows.map(({ engine, version, device, status, shows }) => (
              <tr key={`${engine} ${device}`}>
                <th scope="row">
                  {engine}
                  {version ? <span className="muted"> {version}</span> : null}
                </th>
                <td>{device}</td>
                <td>
                  <span className={TAG[status]}>{status}</span>
                </td>
                <td className="words">{shows}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </TableBox>
    </Section>
  );
}
