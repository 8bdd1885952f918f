// All entries, in a box that draws only those near its visible part. Entries after the selected one are faint.
import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { isFailed } from '../../store/agents/timeline.ts';
import { lineOf, sinceStart } from '../../store/agents/words.ts';
import { are, useAre } from './use-are.ts';

/** Height of a row and maximum height of the box, in pixels. */
const ROW = 36;
const BOX = 432;
const OVERSCAN = 8;

export function EntryList() {
  const entries = useAre((state) => state.entries);
  const place = useAre((state) => state.place);
  const box = useRef<HTMLElement>(null);
  const [top, setTop] = useState(0);
  const first = Math.max(0, Math.floor(top / ROW) - OVERSCAN);
  const end = Math.min(entries.length, Math.ceil((top + BOX) / ROW) + OVERSCAN);
  const start = entries[0]?.from ?? 0;

  useEffect(() => {
    const element = box.current;
    if (!element || place < 0) return;
    const y = place * ROW;
    if (y < element.scrollTop) element.scrollTop = y;
    else if (y + ROW > element.scrollTop + element.clientHeight) element.scrollTop = y + ROW - element.clientHeight;
  }, [place]);

  function onKeyDown(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const to = placeAfterKey(event.key, place, entries.length);
    if (to === null) return;
    event.preventDefault();
    are.jump(to);
  }

  return (
    <section
      ref={box}
      className="are-list"
      aria-label="Entries"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard must scroll it and move between entries
      tabIndex={0}
      onKeyDown={onKeyDown}
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
    >
      <div style={{ height: first * ROW }} />
      {entries.slice(first, end).map((entry, at) => {
        const own = first + at;
        const { head, rest } = lineOf(entry);
        return (
          <button
            key={own}
            type="button"
            tabIndex={-1}
            className={`are-row${own > place ? ' later' : ''}${isFailed(entry) ? ' bad' : ''}`}
            aria-current={own === place ? true : undefined}
            onClick={() => are.jump(own)}
          >
            <span className="are-time">{sinceStart(entry.time - start)}</span>
            <span className={`are-dot ${entry.actor}`} aria-hidden="true" />
            <span className="are-line">
              <b>{head}</b> {rest}
            </span>
          </button>
        );
      })}
      <div style={{ height: (entries.length - end) * ROW }} />
    </section>
  );
}

function placeAfterKey(key: string, place: number, count: number): number | null {
  switch (key) {
    case 'ArrowDown':
    case 'j':
      return Math.min(count - 1, place + 1);
    case 'ArrowUp':
    case 'k':
      return Math.max(0, place - 1);
    case 'Home':
      return 0;
    case 'End':
      return count - 1;
    default:
      return null;
  }
}
