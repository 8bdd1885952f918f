// An argument `{{event_id.key.key}}` is replaced by that past event's result. It must be the whole string; a missing key leaves this
// argument unchanged and drops the later ones.
import { type Arg, type Args, isDict } from '../value.ts';
import type { CompletedEvent } from './completed.ts';

/** @param past returns the event with an id */
export function resolvePlaceholders(args: Args, past: (id: string) => CompletedEvent | undefined): Args {
  const resolved: [string, Arg][] = [];
  for (const [name, value] of Object.entries(args)) {
    const path = pathOf(value);
    const source = path === null ? undefined : past(path[0] ?? '');
    if (path === null || source === undefined) {
      resolved.push([name, value]);
      continue;
    }
    const found = at(source.value, path.slice(1));
    resolved.push([name, found === undefined ? value : found]);
    if (found === undefined) break;
  }
  return Object.fromEntries(resolved);
}

/** Event id and keys; null if a value is no placeholder. */
function pathOf(value: Arg): readonly string[] | null {
  if (typeof value !== 'string') return null;
  const [, inside] = /^\{\{(.*?)\}\}$/.exec(value.trim()) ?? [];
  return inside === undefined ? null : inside.split('.');
}

function at(value: Arg, keys: readonly string[]): Arg | undefined {
  let here = value;
  for (const key of keys) {
    const next = isDict(here) && Object.hasOwn(here, key) ? here[key] : undefined;
    if (next === undefined) return undefined;
    here = next;
  }
  return here;
}
