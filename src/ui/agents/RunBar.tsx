// Edits of the shown run, a button that removes them, and ways to share the run: a link, or its trace as a file.

import { isAlone } from '../../store/agents/link.ts';
import { useLabActions } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { useViewLink } from '../parts/view-link.ts';
import { copyLink } from '../share/ShareLinkButton.tsx';
import { are, useAre } from './use-are.ts';

export function RunBar() {
  const lab = useLabActions();
  const edits = useAre((state) => state.played?.recipe.edits ?? NONE);
  const id = useAre((state) => state.scenario?.id ?? 'scenario');
  const isSelfContained = useAre(({ played }) => !played || isAlone(played.recipe));
  const isDone = useAre((state) => state.status === 'done');

  async function link() {
    const href = await linkOfRun();
    if (href === null) {
      lab.tell(
        'info',
        isSelfContained
          ? 'This run is too long for a link. Export the trace and send that.'
          : 'A link cannot hold what experts and server tools did. Export the trace and send that.',
      );
      return null;
    }
    return { href, carries: 'the scenario, who played it and what was edited', needs: '' };
  }

  useViewLink(async () => (isDone ? link() : null));
  if (!isDone) return null;
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
          <Button label="Without edits" onClick={() => void are.removeEdits()} />
        </>
      ) : null}
    </div>
  );
}

/** Null for a run that is too long for an address. */
async function linkOfRun(): Promise<string | null> {
  const hash = await are.link();
  if (hash === null) return null;
  const href = new URL('?view=agents', window.location.href);
  href.hash = hash;
  return href.href;
}

const NONE: readonly never[] = [];
