// Describes an opened log above its rollouts, in place of a run's description.
import type { LogReport } from '../../../lab/protocol/logs.ts';
import { useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';

/** Maximum number of displayed characters of a name, since a log may contain names of any length. */
const MAX_NAME = 120;
const cut = (text: string) => (text.length > MAX_NAME ? `${text.slice(0, MAX_NAME)}…` : text);

export function LogHead({ log }: { log: LogReport }) {
  const lab = useLabActions();
  return (
    <div className="callout slim log-head">
      <p>
        <b>{cut(log.name)}</b>: {cut(log.task)} by {cut(log.model)}, {log.samples.toLocaleString('en-GB')} samples
        {log.status === 'success' ? '' : ` (${log.status})`}, scored by{' '}
        {log.scorers.length > 0 ? cut(log.scorers.join(', ')) : 'nothing'}. It is read here and not kept; labels are.
      </p>
      {log.notes.map((note) => (
        <p key={note} className="muted">
          {note}
        </p>
      ))}
      <Button
        icon="close"
        label="Close the log"
        onClick={() => void lab.openLabelling().then((labelling) => labelling.closeLog())}
      />
    </div>
  );
}
