// Controls shared by every set of charts: the strength of smoothing, and the part of the axis that is drawn. They are sliders, which work
// with mouse, keyboard and touch. They change the drawing but not the computed values.
import { useId } from 'react';
import { Button } from '../parts/Button.tsx';

/** Part of the axis, as shares of its length; 0 to 1 is the whole axis. */
export type Zoom = readonly [from: number, to: number];
export const FULL_RANGE: Zoom = [0, 1];

/** Smallest part of the axis that can be drawn. */
const LEAST = 0.05;

/** The part of the axis that a drag selects; null if it is smaller than `LEAST`. */
export function zoomBetween(one: number, other: number, whole: number): Zoom | null {
  const [from, to] = [Math.min(one, other) / whole, Math.max(one, other) / whole];
  return to - from < LEAST ? null : [from, Math.min(1, to)];
}

export function Smoothing({ value, onChange }: { value: number; onChange: (beta: number) => void }) {
  const id = useId();
  return (
    <p className="chart-slider">
      <label htmlFor={id}>Smoothing</label>
      <input
        id={id}
        type="range"
        min={0}
        max={0.95}
        step={0.05}
        value={value}
        onChange={(event) => onChange(Number(event.target.value))}
        aria-valuetext={value === 0 ? 'off' : `β = ${value}`}
      />
      <output className="num" htmlFor={id}>
        {value === 0 ? 'off' : `β ${value.toFixed(2)}`}
      </output>
    </p>
  );
}

/** Each slider moves one end; the arrows move both. */
export function ZoomSliders({ value: [from, to], onChange }: { value: Zoom; onChange: (zoom: Zoom) => void }) {
  const id = useId();
  const isWhole = from === 0 && to === 1;
  const round = (x: number) => Math.round(100 * x) / 100;
  const move = (by: number) => {
    const width = to - from;
    const start = Math.min(1 - width, Math.max(0, from + by * width));
    onChange([round(start), round(start + width)]);
  };
  const slider = (end: 'from' | 'to', value: number, set: (x: number) => Zoom) => (
    <>
      <label htmlFor={`${id}${end}`} className="sr">
        {end === 'from' ? 'Left end of the axis' : 'Right end of the axis'}
      </label>
      <input
        id={`${id}${end}`}
        type="range"
        min={0}
        max={1}
        step={0.01}
        value={value}
        onChange={(event) => onChange(set(Number(event.target.value)))}
        aria-valuetext={`${Math.round(100 * value)}% of the axis`}
      />
    </>
  );
  return (
    <fieldset className="chart-slider">
      <legend>Zoom</legend>
      {slider('from', from, (x) => [round(Math.min(x, to - LEAST)), to])}
      {slider('to', to, (x) => [from, round(Math.max(x, from + LEAST))])}
      <Button label="‹" className="icon" disabled={from === 0} aria-label="Pan left" onClick={() => move(-0.5)} />
      <Button label="›" className="icon" disabled={to === 1} aria-label="Pan right" onClick={() => move(0.5)} />
      <Button label="Reset zoom" disabled={isWhole} onClick={() => onChange(FULL_RANGE)} />
    </fieldset>
  );
}
