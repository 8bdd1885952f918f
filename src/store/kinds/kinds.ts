// Texts of the page about stored entries, by kind: in a list, a notice and a link. Every page has the list, but few open a probe, so the
// probe's view is loaded on demand.
import { ARMS } from '../../experiments/config/arms.ts';
import type { KindId } from '../../experiments/records/kind.ts';
import type { ExperimentSummary } from '../../lab/protocol/experiments.ts';
import type { SummaryOf } from '../../lab/protocol/kept.ts';
import type { ProbeRecord } from '../../lab/protocol/probe.ts';
import type { LabState } from '../lab-state.ts';
import { afterNews } from '../queue.ts';
import type { ShareLink } from '../share/actions.ts';
import { outcomesOf, probeDescription } from './probe/name.ts';
import type { Probe } from './probe/probe.ts';

/** Parts of the page's store that a kind may need. */
export interface KindPorts {
  /** Shows a stored run. */
  open(id: string): Promise<void>;
  shareKept(id: string): Promise<ShareLink | null>;
  resume(id: string): Promise<void>;
  openProbe(): Promise<Pick<Probe, 'linkOf' | 'run' | 'goOn'>>;
}

/** A link, and the words of the notice after it was copied. */
export interface KeptLink {
  href: string;
  /** Such as `the experiment and 40 steps of each run`. */
  carries: string;
  /** A sentence that starts with a space, or empty. */
  needs: string;
}

interface KeptKindOnPage<K extends KindId> {
  /** A description that is used if there is no name. */
  unnamed(entry: SummaryOf<K>): string;
  /** Texts to search in addition to name, tags and note. */
  texts(entry: SummaryOf<K>): readonly string[];
  /** done, running, waiting, stopped or failed. */
  status(entry: SummaryOf<K>): string;
  /** Milliseconds since the epoch. */
  changedAt(entry: SummaryOf<K>): number;
  /** Approximate bytes; 0 if they are not counted. */
  size(entry: SummaryOf<K>): number;
  /** File name of its zip archive. */
  fileName(entry: SummaryOf<K>): string;
  /** Help text of the button that copies its link. */
  linkHelp: string;
  /** The notice after an import. */
  imported(entry: SummaryOf<K>, ports: KindPorts): { message: string; action?: { label: string; run(): void } };
  /** The page's address with the entry. If the entry is gone, null, and a notice is shown. */
  link(entry: SummaryOf<K>, href: string, ports: KindPorts): Promise<KeptLink | null>;
  /** Whether it is unfinished and can be resumed in its own view. */
  canResume(entry: SummaryOf<K>): boolean;
  resume(entry: SummaryOf<K>, ports: KindPorts): Promise<void>;
  /** Changes of the page, besides the list, after an update of an entry (`arrives`) and after its deletion. */
  arrives?(state: LabState, entry: SummaryOf<K>): Partial<LabState>;
  leaves?(state: LabState, id: string): Partial<LabState>;
}

/** Its own name, or its preset's name. */
export const runName = ({ name, spec }: Pick<ExperimentSummary, 'name' | 'spec'>): string => name || spec.preset;

const runOnPage: KeptKindOnPage<'run'> = {
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
      .slice(0, 60)}-${summary.id.slice(-8)}.zip`,
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

/** The address with the run behind `#`, and the notice's words. The query is dropped because it belonged to another view. */
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
        ? ` Whoever runs it needs ${needs.join(' and ')} too: a link has no room for them, an exported run has.`
        : '',
  };
}

const statusOfProbe = ({ report }: ProbeRecord) => (report ? 'done' : 'stopped');

const CARRIES = {
  all: 'its verdicts, steps and samples',
  steps: 'its verdicts and steps, without the samples',
  verdicts: 'its verdicts alone',
};

/** A sentence for a link to a probe that names the files which the link cannot contain. */
export const PROBE_FILES = ' Its pool, basis or pairs are kept in this browser alone: send their files too.';

const probeOnPage: KeptKindOnPage<'probe'> = {
  unnamed: probeDescription,
  texts: (record) => ['probe', probeDescription(record), outcomesOf(record), statusOfProbe(record), record.device],
  status: statusOfProbe,
  changedAt: ({ createdAt }) => createdAt,
  size: () => 0,
  fileName: ({ id }) => `probe-${id.replace(/^file-/, '').slice(0, 12)}.zip`,
  linkHelp: 'Copy a link that carries the probe and its results; nothing is sent to a server',
  imported: ({ report }) => ({ message: `A probe of ${report?.pool.samples} samples was imported: see Probe.` }),
  async link(record, href, { openProbe }) {
    const link = await (await openProbe()).linkOf(record, href);
    if (!link) return null;
    const { carries, needs } = link;
    return {
      href: link.href,
      carries: carries === null ? 'what was asked, without results' : `what was asked and ${CARRIES[carries]}`,
      needs: needs ? PROBE_FILES : '',
    };
  },
  canResume: ({ report, training, ask }) => ask !== null && (report === null || Boolean(training)),
  /** Resumes the probe itself, or the training that was requested. */
  async resume(record, { openProbe }) {
    const probe = await openProbe();
    await (record.report ? probe.goOn(record) : record.ask && probe.run(record.ask));
  },
};

export const KEPT_ON_PAGE: { readonly [K in KindId]: KeptKindOnPage<K> } = { run: runOnPage, probe: probeOnPage };
