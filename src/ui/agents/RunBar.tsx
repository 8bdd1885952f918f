// Edits of the shown run, a button that removes them, and ways to share the run: a link, or its trace as a file.

import { isAlone } from '../../store/agents/link.ts';
import { useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { copyLink } from '../share/ShareLinkButton.tsx';
import { are, useAre } from './use-are.ts';

export function RunBar() {
  const lab = useLabActions();
  const edits = useAre((state) => state.played?.recipe.edits ?? NONE);
  const id = useAre((state) => state.scenario?.id ?? 'scenario');
  const isSelfContained = useAre(({ played }) => !played || isAlone(played.recipe));
  const isDone = useAre((state) => state.status === 'done');
  if (!isDone) return null;

  async function link() {
    const hash = await are.link();
    if (hash === null) {
      lab.tell(
        'info',
        isSelfContained
          ? 'This run is too long for a link. Export the trace and send that.'
          : 'A link cannot hold what experts and server tools did. Export the trace and send that.',
      );
      return null;
    }
    const href = new URL('?view=agents', window.location.href);
    href.hash = hash;
    return { href: href.href, carries: 'the scenario, who played it and what was edited', needs: '' };
  }

  return (
    <div className="are-actions">
      <Button
        icon="share"
        label="Share the run"
        isLarge
        onClick={() => void copyLink(lab, link())}
        title="Copy a link in which this run is played again; nothing is sent to a server"
      />
      <DownloadButton
        label="Export the trace"
        file={`${id.replace(/[^\w.-]+/g, '_').slice(0, 80)}.trace.json`}
        text={async () => (await are.exported()) ?? ''}
      />
      {edits.length > 0 ? (
        <>
          <span role="status">
            Edited: {edits.map(({ at, app, tool }) => `act ${at + 1} is ${app}.${tool}`).join('; ')}.
          </span>
          <Button label="Without edits" onClick={() => void are.unamend()} />
        </>
      ) : null}
    </div>
  );
}

const NONE: readonly never[] = [];
