// A shared run in a frame: its conclusion, the meaning of its metrics, the curves, and a link to the lab, where it can be run again.
import { useMemo } from 'react';
import { armLabel } from '../../experiments/analysis/names.ts';
import { plural } from '../../experiments/analysis/words.ts';
import { environmentOf } from '../../experiments/config/preset-in.ts';
import { headlinesOf } from '../../experiments/environments/registry.ts';
import type { Share } from '../../share/url.ts';
import { runsOfShare } from '../../store/charts/elsewhere.ts';
import { HeadlineCharts, useRunCharts } from '../charts/Charts.tsx';
import { Conclusion, Explained } from '../share/Reading.tsx';

/** `lab` is the address that opens the same link in the lab. */
export function Embed({ share, lab }: { share: Share; lab: string }) {
  const { spec, runs, appVersion, modelSha256, device } = share;
  const environment = environmentOf(spec);
  const metrics = headlinesOf(environment);
  const drawn = useMemo(() => runsOfShare(share), [share]);
  const build = useRunCharts(drawn);
  return (
    <main className="embed">
      <h1>{spec.arms.map(armLabel).join(', ')}</h1>
      <p className="muted">
        {environment}, preset {spec.preset}; {plural(spec.seeds.length, 'seed')}.
      </p>
      <Conclusion runs={runs} metrics={metrics} />
      {drawn.some(({ rows }) => rows.length > 0) ? (
        <HeadlineCharts place="embed-chart" environment={environment} build={build} isFramed />
      ) : (
        <p>This link carries no trajectories: open it in the lab and run it there.</p>
      )}
      <Explained metrics={metrics} />
      <p className="embed-origin muted">
        Computed with lab {appVersion ?? '?'}, model {modelSha256?.slice(0, 8) ?? '?'}, on{' '}
        {device ?? 'an unnamed device'}.{' '}
        <a href={lab} target="_blank" rel="noopener">
          Open in the lab, and run it again
        </a>
      </p>
    </main>
  );
}

export function Unreadable({ message, remedy }: { message: string; remedy: string }) {
  return (
    <main className="embed">
      <p role="alert">
        <b>{message}</b> {remedy}
      </p>
    </main>
  );
}
