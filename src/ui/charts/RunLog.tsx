// The text log of the drawn runs: a polite live region that scrolls to the newest line as long as its end is visible.
import { useEffect, useMemo, useRef } from 'react';
import type { RunRecord } from '../../experiments/records/events.ts';
import { logLines } from '../../store/runs/log-lines.ts';

export default function RunLog({ runs }: { runs: readonly RunRecord[] }) {
  const lines = useMemo(() => logLines(runs), [runs]);
  const box = useRef<HTMLOListElement>(null);
  const atEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the box scrolls when a line is added
  useEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines.length]);
  return (
    <ol
      ref={box}
      className="run-log"
      aria-live="polite"
      aria-label="Text log"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        atEnd.current = scrollTop + clientHeight >= scrollHeight - 8;
      }}
    >
      {lines.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ol>
  );
}
