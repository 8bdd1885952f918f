// A kept run as the list, the notices and a link speak of it.
import { ARMS } from '../../../experiments/config/spec.ts';
import type { ExperimentSummary } from '../../../lab/protocol/experiments.ts';
import { afterNews } from '../../queue.ts';
import type { ShareLink } from '../../share/actions.ts';
import type { KeptKindOnPage, KeptLink } from '../kept-kind.ts';

/** Its own name, or its preset's. */
export const runName = ({ name, spec }: Pick<ExperimentSummary, 'name' | 'spec'>): string => name || spec.preset;

export const runOnPage: KeptKindOnPage<'run'> = {
  unnamed: ({ spec }) => spec.preset,
  texts: ({ spec, status, device, appVersion }) => [
    spec.preset,
    ...spec.arms.flatMap((arm) => [arm, ARMS[arm]?.label ?? '']),
    ...spec.seeds.map((seed) => `seed ${seed}`),
    ...[status, device, appVersion],
  ],
  status: ({ status }) => status,
  changedAt: ({ updatedAt }) => updatedAt,
  size: ({ approxBytes = 0 }) => approxBytes,
  fileName: (summary) =>
    `${runName(summary)
      .replace(/[^\w.-]+/g, '-')
      .slice(0, 60)}-${summary.id.slice(0, 8)}.zip`,
  linkHelp: 'Copy a link that carries the experiment and its results; nothing is sent to a server',
  imported: (summary, { open }) => ({
    message: `“${runName(summary)}” was imported.`,
    action: { label: 'Open', run: () => void open(summary.id) },
  }),
  async link({ id }, href, { shareKept }) {
    const link = await shareKept(id);
    return link && runLink(link, href);
  },
  canResume: ({ status }) => status === 'stopped' || status === 'failed',
  resume: ({ id }, { resume }) => resume(id),
  arrives: afterNews,
  leaves: ({ opened, live, rollouts }, id) => ({
    opened: opened?.id === id ? null : opened,
    live: live?.id === id ? null : live,
    rollouts: (opened ?? live)?.id === id ? null : rollouts,
  }),
};

/** The address and the words for the run behind `#`; what stood in the query belonged to another view. */
export function runLink({ hash, points, isPlan, needs }: ShareLink, href: string): KeptLink {
  const url = new URL(href);
  url.search = '';
  url.hash = hash;
  return {
    href: url.href,
    carries: isPlan
      ? 'the whole experiment: opening it fills the form'
      : points === null
        ? 'the experiment, without its trajectories'
        : `the experiment and ${points} steps of each run`,
    needs:
      needs.length > 0
        ? ` Whoever runs it needs ${needs.join(' and ')} as well: a link has no room for that, an exported run carries it.`
        : '',
  };
}
