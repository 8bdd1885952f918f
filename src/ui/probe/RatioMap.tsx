// Policy ratios of vanilla's training, step by step. Each column is a histogram, with the share at the clip bounds below it. Most tokens
// stay at 1, so the shade is scaled to the others. Every cell has its number.
import type { Trajectory } from '../../experiments/kinds/probe/types.ts';
import { percent } from '../../lib/numbers.ts';
import { ratiosCsv, ratioTable } from '../../store/kinds/probe/trainings.ts';
import { DownloadButton } from '../parts/DownloadButton.tsx';
import { HeatTable } from '../parts/HeatTable.tsx';

/** Shares below 10 %, which most cells have, get a decimal place. */
const shareText = (share: number | null) => percent(share, share !== null && share > 0 && share < 0.1 ? 1 : 0, '');

export function RatioMap({ trajectory, label }: { trajectory: Trajectory; label: string }) {
  const table = ratioTable(trajectory);
  const title = `Policy ratios of ${label}`;
  if (!table)
    return (
      <p className="none">
        {title}: all are 1 by construction with one inner epoch and recomputed log-probabilities, so that nothing can
        stand at the clip bounds. With two inner epochs they can leave 1.
      </p>
    );
  const { bins, clipped, most, centre } = table;
  const shade = (share: number | null, bin: number) =>
    share === null ? 0 : Math.min(1, share / (bin === centre ? 1 : most || 1));
  return (
    <div className="probe-modules">
      <div className="probe-ratio-head">
        <h3>{title}</h3>
        <DownloadButton label="CSV" file="probe-ratios.csv" text={() => ratiosCsv(table)} />
      </div>
      <p className="muted">
        Share of the scored tokens, in %, by ratio ρ = π/π_old after the last inner epoch. At the clip bounds the
        gradient is flat: where half of them stand there, a step is mostly noise.
      </p>
      <HeatTable
        label={title}
        corner="ρ"
        columns={clipped.map((_, step) => String(step + 1))}
        rows={bins.map(({ label: bin, inside, shares }, row) => ({
          label: bin,
          cells: shares.map((share) => ({
            text: shareText(share),
            shade: shade(share, row),
            tone: inside ? 'below' : 'above',
          })),
        }))}
        foot={{ label: 'at the clip', cells: clipped.map(shareText) }}
      />
    </div>
  );
}
