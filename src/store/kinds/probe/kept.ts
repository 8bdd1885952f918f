// A kept probe as the list, the notices and a link speak of it. Alone, because every page has the list, and few open the view.
import type { ProbeRecord } from '../../../lab/protocol/probe.ts';
import type { KeptKindOnPage } from '../kept-kind.ts';
import { askedOf, outcomesOf } from './name.ts';

const statusOf = ({ report }: ProbeRecord) => (report ? 'done' : 'stopped');

const CARRIES = {
  all: 'its verdicts, steps and samples',
  steps: 'its verdicts and steps, without the samples',
  verdicts: 'its verdicts alone',
};

export const probeOnPage: KeptKindOnPage<'probe'> = {
  unnamed: askedOf,
  texts: (record) => ['probe', askedOf(record), outcomesOf(record), statusOf(record), record.device],
  status: statusOf,
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
      needs: needs ? ' Its pool, basis or pairs are kept in this browser alone: send their files too.' : '',
    };
  },
  canResume: ({ report, training, ask }) => ask !== null && (report === null || Boolean(training)),
  /** The probe itself, or the training that was asked of it. */
  async resume(record, { openProbe }) {
    const probe = await openProbe();
    await (record.report ? probe.goOn(record) : record.ask && probe.run(record.ask));
  },
};
