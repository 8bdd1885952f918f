// The legend that all charts share: colour, dash and marker of every line, and over how many seeds it is drawn.
import type { LegendEntry } from '../../store/charts/data.ts';
import { MarkerShape } from './MarkerShape.tsx';

export function Swatch({ entry }: { entry: Pick<LegendEntry, 'style'> }) {
  const { color, dash, marker, hollow } = entry.style;
  return (
    <svg className="swatch" width="30" height="12" viewBox="0 0 30 12" aria-hidden="true">
      <path d="M1 6H29" stroke={color} strokeWidth="2" strokeDasharray={dash} />
      <MarkerShape marker={marker} cx={15} cy={6} r={4} color={color} hollow={hollow} />
    </svg>
  );
}

export function Legend({ entries }: { entries: readonly LegendEntry[] }) {
  return (
    <ul className="legend" aria-label="Lines in the charts">
      {entries.map((entry) => (
        <li key={entry.id}>
          <Swatch entry={entry} />
          <span>{entry.label}</span>
          <span className="muted num">n = {entry.n}</span>
        </li>
      ))}
    </ul>
  );
}
