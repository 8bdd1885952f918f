// A second entry point, for frames in other pages, which draws a link's charts. It has no worker, no storage and no actions, so any page
// may frame it (scripts/tool/policy.mjs), while framing the lab itself is forbidden. All of its data are in its address.

import { isNamed } from '@projected-grpo-lab/base/errors.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { decodeShare, type Share } from '../../share/url.ts';
import { Embed, Unreadable } from './Embed.tsx';
import './embed.css';

const root = createRoot(document.getElementById('root')!);

async function renderShare(): Promise<void> {
  const { hash } = window.location;
  const read: Share | Error = await decodeShare(hash).catch((error: Error) => error);
  root.render(
    <StrictMode>
      {read instanceof Error ? (
        <Unreadable message={read.message} remedy={isNamed(read) ? read.remedy : ''} />
      ) : (
        <Embed share={read} lab={`./${hash}`} />
      )}
    </StrictMode>,
  );
}

window.addEventListener('hashchange', () => void renderShare());
void renderShare();
