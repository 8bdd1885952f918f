// The page's entry point: opens the worker, fills the form from the address, mounts the page, and starts a run if the address requests it.
// After everything is loaded it registers a service worker. On a host without the headers for threads, the service worker adds them from
// the next visit on. Unless the lab is served by this machine, it also stores the lab for offline use.

import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { connectLab, keepAwake } from '../lab/connect.ts';
import { isOwnMachine } from '../lib/own-machine.ts';
import { asksToStart, environmentInAddress, type FormAddress } from '../share/spec-link.ts';
import { createLab, type Lab } from '../store/page/lab-store.ts';
import { recordInAddress, runOnShow } from '../store/runs/link.ts';
import { App } from './App.tsx';
import { isWipeRequested } from './device/wipe-requested.ts';
import { storedDeletions } from './keep/pending-deletions.ts';
import { LabContext } from './lab-context.ts';
import { isOwnEntry, putFormAddress, removeStartParameter } from './parts/form-address.ts';
import { notifyAddressListeners, onAddressChange, viewOf } from './parts/view.ts';
import './styles/index.css';

function open(): void {
  const { client, init } = connectLab();
  const showAddress = (address: FormAddress) => {
    putFormAddress(address, viewOf(window.location.search) === 'lab');
    notifyAddressListeners();
  };
  const lab = createLab({ client, init, showAddress, later: storedDeletions });
  keepAwake(client);
  // Work stops when the page closes. It is stored up to its last checkpoint, but the browser asks before a user leaves by accident.
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
  removeStartParameter();
  void lab.boot(url.hash, asksToStart(url), environmentInAddress(url));
  // A link that is pasted over the address of an open page changes only the part after #, and fills the form. Back and Forward change it
  // too, but do not change the form.
  window.addEventListener('hashchange', () => {
    if (isOwnEntry()) showAddress(lab.formAddress());
    else void lab.fillFromAddress(window.location.hash);
  });

  followRun(lab);
  window.addEventListener('load', () => void afterLoad(lab), { once: true });
}

async function afterLoad(lab: Lab): Promise<void> {
  if (!crossOriginIsolated) await (await import('../lab/isolation.ts')).pageIsolation();
  const isServed = navigator.serviceWorker?.controller || !isOwnMachine(window.location.hostname);
  if (!import.meta.env.PROD || (crossOriginIsolated && !isServed)) return;
  const [{ keepPageOffline }, { offerNewVersion }] = await Promise.all([
    import('../lab/offline.ts'),
    import('../store/page/new-version.ts'),
  ]);
  await keepPageOffline((version) => offerNewVersion(lab.store, lab, version, () => window.location.reload()));
}

/** Updates the address of the run on show. Its code is loaded with the first run that is opened, has ended, or is requested. */
function followRun(lab: Lab): void {
  let isFollowed = false;
  async function look(): Promise<void> {
    if (isFollowed || (recordInAddress(window.location.search) ?? runOnShow(lab.store.getState())) === null) return;
    isFollowed = true;
    (await import('./parts/record-address.ts')).followRunOnShow(lab);
  }
  lab.store.subscribe(() => void look());
  onAddressChange(() => void look());
  void look();
}

// Deletion comes first, before the worker opens the databases.
if (isWipeRequested()) void import('./device/wipe.ts').then(({ deleteAllData }) => deleteAllData()).finally(open);
else open();
