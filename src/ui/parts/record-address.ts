// Updates the address of a view to match the stored record that it shows, so that a reload, a bookmark and the browser's back and forward
// lead to it again.
import type { Lab } from '../../store/page/lab-store.ts';
import { recordInAddress, runOnShow, withRecord } from '../../store/runs/link.ts';
import { pushOwn, replaceOwn } from './form-address.ts';
import { notifyAddressListeners, onAddressChange, type View, viewOf } from './view.ts';

interface Shown {
  view: View;
  /** Id of the record on show; null for none. */
  now(): string | null;
  /** Shows the record that the address names. */
  open(id: string): void;
  /** Shows no record, because the address does not name one. */
  close(): void;
}

export function followRecord({ view, now, open, close }: Shown) {
  const isOpen = () => viewOf(window.location.search) === view;
  const recordNow = () => recordInAddress(window.location.search);
  /** The address of a newly opened page is read before it is first written. */
  let isRead = !isOpen() || recordNow() === null;

  /** `isChosen`: whether the user chose another record, so that Back leads to the previous one. */
  function write(isChosen: boolean): void {
    if (!isOpen() || !isRead) return;
    const { href } = window.location;
    const next = withRecord(href, now());
    if (next === href) return;
    if (isChosen && recordNow() !== null) pushOwn(next);
    else replaceOwn(next);
    notifyAddressListeners();
  }

  function read(): void {
    if (!isOpen() || !isRead) return;
    const id = recordNow();
    if (id === now()) return;
    if (id === null) close();
    else open(id);
  }

  /**
   * Back, Forward and links to a record change the address, which is then read. A view that is opened without a record in its address shows
   * its previous one.
   */
  function moved(event?: Event): void {
    if (event || recordNow() !== null) read();
    // A record that is still being read stays in the address.
    if (recordNow() === null) write(false);
  }

  /**
   * Called when the view is open and the stored records are known. The view shows the record in its address, or adds the record on show to
   * the address.
   */
  function arrive(): void {
    if (!isOpen()) return;
    isRead = true;
    const id = recordNow();
    if (id === null) write(false);
    else if (id !== now()) open(id);
  }

  return { arrive, write, stop: onAddressChange(moved) };
}

/** Writes the run on show into the Lab's address, and shows the run that the address names. */
export function followRunOnShow({ store, openAsked, showLive }: Lab): () => void {
  const address = followRecord({
    view: 'lab',
    now: () => runOnShow(store.getState()),
    open: (id) => void openAsked(id),
    close() {
      const { opened, missingRun } = store.getState();
      if (opened || missingRun !== null) void showLive();
    },
  });
  const unsubscribe = store.subscribe((state, before) => {
    // The stored runs are known only when the lab is open.
    if (state.connection.status === 'ready' && before.connection.status !== 'ready') address.arrive();
    if (runOnShow(state) === runOnShow(before)) return;
    address.write(state.opened !== null || before.opened !== null);
  });
  if (store.getState().connection.status === 'ready') address.arrive();
  return () => {
    unsubscribe();
    address.stop();
  };
}
