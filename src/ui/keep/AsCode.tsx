// A kept run as a command line that trains it again to the same bytes, and as Python that reads its export.
import type { ExperimentSummary } from '../../lab/protocol/experiments.ts';
import { asCommand, commandText, pythonText } from '../../lab/records/as-command.ts';
import { KEPT_ON_PAGE } from '../../store/kinds/kinds.ts';
import { useLabActions } from '../lab-context.ts';

export default function AsCode({ summary }: { summary: ExperimentSummary }) {
  const command = asCommand(summary.spec);
  return (
    <div className="kept-panel as-code">
      <Snippet title="Command" text={commandText(command)} />
      <p className="muted">
        In a clone of this lab. The same spec, so the same rows on the same kind of device
        {command.needs.length > 0 ? `. It needs ${command.needs.join(', and ')}` : ''}.
      </p>
      <Snippet title="Python" text={pythonText(KEPT_ON_PAGE.run.fileName(summary))} />
      <p className="muted">Reads the zip of “Export”.</p>
    </div>
  );
}

function Snippet({ title, text }: { title: string; text: string }) {
  const lab = useLabActions();
  const name = `Copy as ${title.toLowerCase() === 'python' ? 'Python' : 'command'}`;

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      lab.tell('good', `${title} copied.`);
    } catch {
      lab.tell('info', 'The clipboard is closed to this page: select the text and copy it.');
    }
  }

  return (
    <>
      <div className="as-code-head">
        <h4>{title}</h4>
        <button type="button" className="btn small" onClick={() => void copy()}>
          {name}
        </button>
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}
