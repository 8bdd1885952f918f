// Buttons that play, pause, step and jump in simulated time.
import { useEffect, useId } from 'react';
import { SPEEDS } from '../../store/agents/state.ts';
import { sinceStart } from '../../store/agents/words.ts';
import { Button } from '../parts/Button.tsx';
import { Chips } from '../parts/Choice.tsx';
import { Icon } from '../parts/Icon.tsx';
import { are, useAre } from './use-are.ts';

export function Transport() {
  const isPlaying = useAre((state) => state.isPlaying);
  const speed = useAre((state) => state.speed);
  const place = useAre((state) => state.place);
  const count = useAre((state) => state.entries.length);
  const start = useAre((state) => state.entries[0]?.from ?? 0);
  const now = useAre((state) => Math.floor(state.now));
  const isDone = useAre((state) => state.status === 'done');
  const slider = useId();
  useFrames(isPlaying);

  return (
    <div className="are-transport">
      <div className="are-actions">
        <Button
          isLarge
          className="icon"
          disabled={place <= 0}
          onClick={() => are.jump(place - 1)}
          aria-label="Step back"
        >
          <span className="are-back">
            <Icon name="step" />
          </span>
        </Button>
        <Button
          icon={isPlaying ? 'pause' : 'play'}
          label={isPlaying ? 'Pause' : 'Play'}
          isLarge
          disabled={!isDone}
          onClick={isPlaying ? are.pause : are.play}
        />
        <Button
          icon="step"
          isLarge
          disabled={place >= count - 1}
          onClick={() => are.jump(place + 1)}
          aria-label="Step"
        />
        <Chips
          legend="Speed"
          options={SPEEDS.map((one) => [one, one === null ? 'at once' : `${one}×`] as const)}
          value={speed}
          onChange={are.setSpeed}
        />
      </div>
      <div className="are-slider">
        <label htmlFor={slider}>Entry</label>
        <input
          id={slider}
          type="range"
          min={0}
          max={Math.max(0, count - 1)}
          value={Math.max(0, place)}
          aria-valuetext={`${place + 1} of ${count}, ${sinceStart(now - start)}`}
          onChange={(event) => are.jump(Number(event.target.value))}
        />
        <output className="muted" htmlFor={slider}>
          {place + 1} of {count}, {sinceStart(now - start)}
        </output>
      </div>
    </div>
  );
}

/** Maximum number of seconds by which one frame advances, so that a late frame (after the tab was hidden) does not skip minutes. */
const MOST_SECONDS = 0.25;

function useFrames(isPlaying: boolean): void {
  useEffect(() => {
    if (!isPlaying) return;
    let last = performance.now();
    let frame = requestAnimationFrame(function next(time) {
      are.advance(Math.min(MOST_SECONDS, Math.max(0, (time - last) / 1000)));
      last = time;
      frame = requestAnimationFrame(next);
    });
    return () => cancelAnimationFrame(frame);
  }, [isPlaying]);
}
