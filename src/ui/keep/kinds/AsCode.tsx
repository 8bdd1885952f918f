// A stored run as a command line that reproduces its bytes, as Python code that reads its export, and as an HTML frame.
import { useState } from 'react';
import type { ExperimentSummary } from '../../../lab/protocol/experiments.ts';
import { asCommand, commandText, pythonText } from '../../../lab/records/as-command.ts';
import { KEPT_ON_PAGE } from '../../../store/kinds/kinds.ts';
import { useLabActions } from '../../lab-context.ts';
import { Button } from '../../parts/Button.tsx';

export default function AsCode({ summary }: { summary: ExperimentSummary }) {
  const lab = useLabActions();
  const command = asCommand(summary.spec);
  const [frame, setFrame] = useState<string | null>(null);

  async function makeFrame(): Promise<void> {
    const link = await lab.linkOf('run', summary, window.location.href);
    if (link) setFrame(frameText(link.href));
  }

  return (
    <div className="kept-panel as-code">
      <Snippet title="Command" text={commandText(command)} />
      <p className="muted">
        In a clone of this lab. The same spec, so the same rows on the same kind of device
        {command.needs.length > 0 ? `. It needs ${command.needs.join(', and ')}` : ''}.
      </p>
      <Snippet title="Python" text={pythonText(KEPT_ON_PAGE.run.fileName(summary))} />
      <p className="muted">Reads the zip of “Export”.</p>
      {frame === null ? (
        <Button label="As a frame for a post" onClick={() => void makeFrame()} />
      ) : (
        <Snippet title="Frame" text={frame} />
      )}
      <p className="muted">
        Its charts and result for another page, with a link back. All data is in the address; nothing is uploaded. That
        page’s readers must be able to reach this lab.
      </p>
    </div>
  );
}

/** `href` is the link that opens the run in the lab. */
function frameText(href: string): string {
  const url = new URL(href);
  url.pathname = url.pathname.replace(/[^/]*$/, 'embed.html');
  const title = 'A run of the Projected GRPO Lab';
  return `<iframe src="${url.href}" title="${title}" width="100%" height="640" loading="lazy" style="border: 0"></iframe>`;
}

function Snippet({ title, text }: { title: string; text: string }) {
  const lab = useLabActions();
  const name = `Copy as ${title === 'Python' ? title : title.toLowerCase()}`;

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      lab.tell('good', `${title} copied.`);
    } catch {
      lab.tell('info', 'The browser blocked the clipboard: select the text and copy it.');
    }
  }

  return (
    <>
      <div className="as-code-head">
        <h4>{title}</h4>
        <Button label={name} onClick={() => void copy()} />
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0}>{text}</pre>
    </>
  );
}
