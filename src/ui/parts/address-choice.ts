// A view's choices in its address, so that a reload, a bookmark and Share preserve them. They replace the address, so that Back leads to
// the last view rather than to the last choice.
import { useRef, useState } from 'react';
import { replaceOwn } from './form-address.ts';
import { notifyAddressListeners, viewOf } from './view.ts';

/** Pause in milliseconds after which a choice is written, because browsers refuse to replace an address at every keystroke. */
const REST_MS = 200;

/** Names and values of parameters; null for one that has its default. */
export type AddressParams = Readonly<Record<string, string | null>>;

const due = new Map<string, string | null>();
let dueView = '';
let timer: ReturnType<typeof setTimeout> | null = null;

/** Writes choices when typing has ended. Those of a view that the user has left are dropped. */
export function writeChoices(): void {
  if (timer !== null) clearTimeout(timer);
  timer = null;
  if (due.size > 0 && viewOf(window.location.search) === dueView) {
    const url = new URL(window.location.href);
    for (const [name, value] of due) {
      if (value === null) url.searchParams.delete(name);
      else url.searchParams.set(name, value);
    }
    // Comma and slash are allowed in a query, and are more readable than their escapes.
    url.search = url.search.replaceAll('%2C', ',').replaceAll('%2F', '/');
    replaceOwn(url.href);
    notifyAddressListeners();
  }
  due.clear();
}

function writeSoon(params: AddressParams): void {
  const view = viewOf(window.location.search);
  if (view !== dueView) due.clear();
  dueView = view;
  for (const [name, value] of Object.entries(params)) due.set(name, value);
  if (timer !== null) clearTimeout(timer);
  timer = setTimeout(writeChoices, REST_MS);
}

/**
 * A choice whose initial value is in the address, and a function that changes it both in the state and in the address.
 * @param params parameters with the view's own names (`VIEW_PARAMS`)
 */
export function useAddressChoice<T>(
  read: (search: string) => T,
  params: (choice: T) => AddressParams,
): [T, (change: (before: T) => T) => void] {
  const [choice, setChoice] = useState(() => read(window.location.search));
  const latest = useRef(choice);
  function change(of: (before: T) => T): void {
    latest.current = of(latest.current);
    setChoice(latest.current);
    writeSoon(params(latest.current));
  }
  return [choice, change];
}
