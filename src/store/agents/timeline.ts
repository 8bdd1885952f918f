// The marks of a timeline: all entries within a window of simulated time, drawn with at most one mark per pixel of an actor's row, however
// many entries there are.
import { ACTORS, type Actor, type Entry } from '../../lab/protocol/agents.ts';

export interface Mark {
  /** Index of the mark's first entry. */
  readonly place: number;
  readonly actor: Actor;
  readonly kind: Entry['kind'];
  readonly isBad: boolean;
  /** In pixels; the width of a wait shows its duration. */
  readonly x: number;
  readonly width: number;
  readonly count: number;
}

interface TimeWindow {
  /** Simulated seconds since 1970. */
  readonly from: number;
  readonly to: number;
}

/** A window over the whole run, or over this many seconds around a time. */
export function windowOf(entries: readonly Entry[], start: number, now: number, seconds: number | null): TimeWindow {
  const end = Math.max(entries.at(-1)?.time ?? start, start + 1);
  if (seconds === null || end - start <= seconds) return { from: start, to: end };
  const from = Math.min(Math.max(start, now - seconds / 2), end - seconds);
  return { from, to: from + seconds };
}

/** In seconds; a float of seconds since 1970 can still resolve it. */
const MILLI = 1e-3;
/** Least width of a mark, in pixels. */
const LEAST = 4;

export function marksIn(entries: readonly Entry[], { from, to }: TimeWindow, width: number): Mark[] {
  const marks: Mark[] = [];
  const last = new Map<Actor, { at: number; x: number }>();
  const scale = width / (to - from);
  // Entries are in the order of their end times.
  for (let place = placeAt(entries, from - MILLI) + 1; place < entries.length; place++) {
    const entry = entries[place] as Entry;
    if (entry.from > to && entry.time > to) break;
    const x = Math.max(0, (Math.min(entry.from, to) - from) * scale);
    const wide = Math.max(LEAST, (Math.min(entry.time, to) - from) * scale - x);
    const isBad = isFailed(entry);
    const before = last.get(entry.actor);
    const known = before && marks[before.at];
    if (known && Math.abs(before.x - x) < 1 && wide <= known.width + 1) {
      marks[before.at] = { ...known, isBad: known.isBad || isBad, count: known.count + 1 };
      continue;
    }
    last.set(entry.actor, { at: marks.length, x });
    marks.push({ place, actor: entry.actor, kind: entry.kind, isBad, x, width: wide, count: 1 });
  }
  return marks;
}

export const isFailed = (entry: Entry): boolean =>
  (entry.kind === 'call' && 'error' in entry.outcome) || (entry.kind === 'turn' && !entry.verdict.success);

/** The entry of the mark nearest to a point, or null if there are no marks. */
export function nearest(marks: readonly Mark[], x: number, actor: Actor): number | null {
  let best: Mark | null = null;
  const far = (mark: Mark) =>
    Math.max(mark.x - x, x - mark.x - mark.width, 0) +
    Math.abs(ACTORS.indexOf(mark.actor) - ACTORS.indexOf(actor)) * 20;
  for (const mark of marks) if (best === null || far(mark) < far(best)) best = mark;
  return best?.place ?? null;
}

/** The last entry that has happened at a given time, or -1 if there is none. Entry times never decrease. */
export function placeAt(entries: readonly Entry[], time: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle] as Entry).time <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
