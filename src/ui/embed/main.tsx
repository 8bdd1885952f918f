// Another entry than the lab's: the charts of a link, for a frame in somebody's post. It has no worker, no storage and no buttons, so
// that any page may frame it (scripts/tool/policy.mjs), which the lab itself forbids. What it draws is in its address alone.

import { isNamed } from '@projected-grpo-lab/base/errors.ts';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { decodeShare, type Share } from '../../share/url.ts';
import { Embed, Unreadable } from './Embed.tsx';
import './embed.css';

const root = createRoot(document.getElementById('root')!);

async function show(): Promise<void> {
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

window.addEventListener('hashchange', () => void show());
void show();
