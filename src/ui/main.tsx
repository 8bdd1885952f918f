// The page's entry: opens the worker, fills the form from the address, mounts the page, and starts a run if the address asks for it.
// On a host without the headers for threads it registers, once all is loaded, a service worker that adds them from the next visit on.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connectLab, keepAwake } from '../lab/connect.ts';
import { asksToStart, environmentAsked, type FormAddress } from '../share/url.ts';
import { createLab } from '../store/page/lab-store.ts';
import { App } from './App.tsx';
import { isWipeAsked } from './device/wipe-asked.ts';
import { laterList } from './keep/later-list.ts';
import { LabContext } from './lab-context.ts';
import { isOwnEntry, landed, putFormAddress } from './parts/form-address.ts';
import { followRunOnShow } from './parts/record-address.ts';
import { tellAddress, viewOf } from './parts/view.ts';
import './styles/index.css';

function open(): void {
  const { client, init } = connectLab();
  const showAddress = (address: FormAddress) => {
    putFormAddress(address, viewOf(window.location.search) === 'lab');
    tellAddress();
  };
  const lab = createLab({ client, init, showAddress, later: laterList });
  keepAwake(client);
  // What is at work stops with the page. It is kept up to its last checkpoint, but whoever leaves by accident is asked first.
  window.addEventListener('beforeunload', (event) => {
    const { busy, probing, poolWork } = lab.store.getState();
    if (busy || probing || poolWork !== null) event.preventDefault();
  });
  window.addEventListener('pagehide', () => lab.deletions.closing());
  window.addEventListener('pageshow', ({ persisted }) => persisted && lab.deletions.reopened());

  createRoot(document.getElementById('root')!).render(
    <StrictMode>
      <LabContext value={lab}>
        <App />
      </LabContext>
    </StrictMode>,
  );
  const url = new URL(window.location.href);
  landed();
  void lab.boot(url.hash, asksToStart(url), environmentAsked(url));
  // A link pasted over the address of an open page changes only the part after #, and fills the form. Back and Forward change it too,
  // but leave the form as it is.
  window.addEventListener('hashchange', () => {
    if (isOwnEntry()) showAddress(lab.formAddress());
    else void lab.fillFromAddress(window.location.hash);
  });

  followRunOnShow(lab);

  if (!crossOriginIsolated)
    window.addEventListener('load', async () => (await import('../lab/isolation.ts')).pageIsolation(), { once: true });
}

// Deletion comes first, before the worker opens the databases.
if (isWipeAsked()) void import('./device/wipe.ts').then(({ wipe }) => wipe()).finally(open);
else open();
