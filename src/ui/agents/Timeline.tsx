// Rows of user, agent and environment over simulated time. Pointing is optional: the slider above reaches every entry by keyboard, and the
// list below describes each.
import { type MouseEvent, memo, useMemo, useRef, useState } from 'react';
import { ACTORS, type Actor } from '../../lab/protocol/agents.ts';
import { type Mark, marksIn, nearest, windowOf } from '../../store/agents/timeline.ts';
import { sinceStart } from '../../store/agents/words.ts';
import { Chips } from '../parts/Choice.tsx';
import { useWidth } from '../parts/use-width.ts';
import { PictureButton } from './PictureButton.tsx';
import { are, useAre, useDeferredAre } from './use-are.ts';

const ROW = 30;
const NAMES = 92;
const AXIS = 20;
const HEIGHT = ACTORS.length * ROW + AXIS;
/** Widths of the time window in simulated seconds; null shows the whole run. */
const SPANS = [
  [null, 'whole run'],
  [600, '10 minutes'],
  [60, '1 minute'],
] as const;

export function Timeline() {
  const entries = useDeferredAre((state) => state.entries);
  const place = useDeferredAre((state) => state.place);
  const now = useAre((state) => state.now);
  const [span, setSpan] = useState<number | null>(null);
  const [box, width] = useWidth();
  const drawing = useRef<SVGSVGElement>(null);
  const start = entries[0]?.from ?? 0;
  const room = Math.max(1, width - NAMES - 8);
  // The window of a whole run does not move with playback.
  const centre = span === null ? 0 : now;
  const shown = useMemo(() => windowOf(entries, start, centre, span), [entries, start, centre, span]);
  const marks = useMemo(() => marksIn(entries, shown, room), [entries, shown, room]);
  const xOf = (time: number) => NAMES + ((time - shown.from) / (shown.to - shown.from)) * room;

  function onClick(event: MouseEvent<SVGSVGElement>): void {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const actor = ACTORS[Math.floor((event.clientY - top) / ROW)] as Actor | undefined;
    const found = actor && nearest(marks, event.clientX - left - NAMES, actor);
    if (found !== null && found !== undefined) are.jump(found);
  }

  return (
    <div className="are-timeline" ref={box}>
      <div className="are-actions">
        <Chips<number | null> legend="Time range" options={SPANS} value={span} onChange={setSpan} />
        {entries.length > 0 ? <PictureButton what="timeline" drawing={drawing} /> : null}
      </div>
      {width > 0 ? (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the slider above does it by keyboard
        <svg
          ref={drawing}
          width={width}
          height={HEIGHT}
          role="img"
          aria-label={`Timeline: ${entries.length} entries in ${Math.round(shown.to - shown.from)} simulated seconds`}
          onClick={onClick}
        >
          {ACTORS.map((actor, row) => (
            <g key={actor}>
              <rect className="actor-row" x={NAMES} y={row * ROW + 3} width={room} height={ROW - 6} rx={3} />
              <text x={0} y={row * ROW + ROW / 2 + 4}>
                {actor}
              </text>
            </g>
          ))}
          {marks.map((mark) => (
            <TimelineMark key={mark.place} mark={mark} most={room - 4} isLater={mark.place > place} />
          ))}
          <line className="now" x1={xOf(now)} x2={xOf(now)} y1={0} y2={ACTORS.length * ROW} />
          <text x={NAMES} y={HEIGHT - 5}>
            {sinceStart(shown.from - start)}
          </text>
          <text x={NAMES + room} y={HEIGHT - 5} textAnchor="end">
            {sinceStart(shown.to - start)}
          </text>
        </svg>
      ) : null}
    </div>
  );
}

/** Redrawn only if the mark changes or playback passes it. */
const TimelineMark = memo(({ mark, most, isLater }: { mark: Mark; most: number; isLater: boolean }) => {
  const { actor, kind, isBad, x, width } = mark;
  return (
    <rect
      className={`mark ${actor} ${kind}${isBad ? ' bad' : ''}${isLater ? ' later' : ''}`}
      x={NAMES + Math.min(x, most)}
      y={ACTORS.indexOf(actor) * ROW + (kind === 'notification' ? 10 : 6)}
      width={width}
      height={kind === 'notification' ? ROW - 20 : ROW - 12}
      rx={2}
    />
  );
});
