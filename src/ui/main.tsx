// The page's entry: opens the worker, fills the form from the address, mounts the page; starts at once where asked to. On a host
// without the headers for threads it sees to it, once all is loaded, that the next visit has them.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connectLab, keepAwake } from '../lab/connect.ts';
import { asksToStart, environmentAsked, type FormAddress } from '../share/url.ts';
import { createLab, type Lab } from '../store/page/lab-store.ts';
import { App } from './App.tsx';
import { isWipeAsked } from './device/wipe-asked.ts';
import { LabContext } from './lab-context.ts';
import { isOwnEntry, landed, putFormAddress } from './parts/form-address.ts';
import { tellAddress, viewOf } from './parts/view.ts';
import './styles/index.css';
import { parseJsonText } from '@projected-grpo-lab/base/json.ts';
import type { Later, LaterList } from '../store/undoable-delete.ts';

// What closed pages have deleted, noted in the browser's own storage: written in the moment in which a page closes, when only what
// needs no time is sure to happen. What is there may have been written by any version of the lab, or by hand.

const KEY = 'deleted';
const REQUESTS: readonly string[] = ['kept.delete', 'deleteBasis', 'deletePool'];

export const laterList: LaterList = {
  read() {
    try {
      const list = parseJsonText(localStorage.getItem(KEY) ?? '[]');
      return Array.isArray(list) ? list.filter(isLater) : [];
    } catch {
      return [];
    }
  },
  write(list) {
    try {
      if (list.length === 0) localStorage.removeItem(KEY);
      else localStorage.setItem(KEY, JSON.stringify(list));
    } catch {
      // A browser without storage: then it stays, and can be deleted again.
    }
  },
};

function isLater(one: Partial<Later> | null): one is Later {
  const { key, request } = one ?? {};
  return typeof key === 'string' && REQUESTS.includes(request?.kind ?? '') && typeof request?.params?.id === 'string';
}

// Puts the page of one lab into the document.

export function mount(lab: Lab, root: HTMLElement): void {
  createRoot(root).render(
    <StrictMode>
      <LabContext value={lab}>
        <App />
      </LabContext>
    </StrictMode>,
  );
}

function open(): void {
  const { client, init } = connectLab();
  const showAddress = (address: FormAddress) => {
    putFormAddress(address, viewOf(window.location.search) === 'lab');
    tellAddress();
  };
  const lab = createLab({ client, init, showAddress, later: laterList });
  keepAwake(client);
  window.addEventListener('pagehide', () => lab.deletions.closing());
  window.addEventListener('pageshow', ({ persisted }) => persisted && lab.deletions.reopened());

  mount(lab, document.getElementById('root')!);
  const url = new URL(window.location.href);
  landed();
  void lab.boot(url.hash, asksToStart(url), environmentAsked(url));
  // A link of this lab, pasted over the address of an open page, changes the part after # alone; so do Back and Forward, which leave
  // the form as it is.
  window.addEventListener('hashchange', () => {
    if (isOwnEntry()) showAddress(lab.formAddress());
    else void lab.fillFromAddress(window.location.hash);
  });

  if (!crossOriginIsolated)
    window.addEventListener('load', async () => (await import('../lab/isolation.ts')).pageIsolation(), { once: true });
}

// Before the worker opens what is to be deleted.
if (isWipeAsked()) void import('./device/wipe.ts').then(({ wipe }) => wipe()).finally(open);
else open();
