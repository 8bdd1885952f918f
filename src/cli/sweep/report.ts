// `sweep report`: writes the results of a sweep as Markdown and JSON, and the sweep that trains its best configuration on fresh seeds.
import { join, relative } from 'node:path';
import { writeWhole } from '@projected-grpo-lab/base/files/disk.node.ts';
import type { RunSpec } from '../../experiments/config/run-spec.ts';
import { SETTING_NAMES } from '../../experiments/config/settings.ts';
import { groupsOf, reportOf } from '../../experiments/sweep/report.ts';
import { reportMarkdown } from '../../experiments/sweep/report-text.ts';
import { text, toggle, unknownName } from '../args.ts';
import { command, EXIT } from '../command.ts';
import { codeNotes, mixedCodes } from './code.ts';
import { SweepFolder } from './folder.ts';

const usage = {
  name: 'sweep report',
  summary:
    'Writes report.md and report.json into the folder, and best-again.json: the best configuration on fresh seeds.',
  positional: ['DIR'],
  flags: {
    by: text('A,B,…', 'Group the runs by these options too; seed and arm may be among them.', null),
    json: toggle('Print the JSON in place of the Markdown.'),
  },
} as const;

/** Path relative to the working folder; as given where it is outside. */
const displayPath = (path: string): string => (relative('.', path).startsWith('..') ? path : relative('.', path));

const GROUPS: readonly string[] = [...SETTING_NAMES, 'arm', 'seed'];

export const sweepReport = command(usage, async ({ flags, positional }, { out }) => {
  const folder = await SweepFolder.open(positional[0]);
  const by = flags.by?.split(',').map((name) => name.trim()) ?? [];
  for (const name of by)
    if (!GROUPS.includes(name))
      throw unknownName(
        `--by ${name}: there is no such option`,
        name,
        GROUPS,
        'npm run lab -- run --settings lists them.',
      );
  const state = await folder.state();
  const all = await folder.told(state);
  const { failed, stopped, interim } = state;
  const runs = new Map([...all].filter(([key]) => !stopped.has(key)).map(([key, { record }]) => [key, record]));
  const report = reportOf(folder.plan, runs, new Set(failed.keys()), interim);
  report.notes.unshift(...codeNotes(mixedCodes(all.values()), await folder.codes()));
  const groups = by.length ? groupsOf(folder.plan, runs, by as (keyof RunSpec)[]) : [];
  const file = join(folder.path, 'best-again.json');
  const again = `npm run lab -- sweep run ${displayPath(file)} --out ${displayPath(`${folder.path}-again`)}`;
  const markdown = reportMarkdown(report, groups, again);
  const json = JSON.stringify({ ...report, groups }, null, 1);
  await writeWhole(join(folder.path, 'report.md'), markdown);
  await writeWhole(join(folder.path, 'report.json'), `${json}\n`);
  if (report.best) await writeWhole(file, `${JSON.stringify(report.best.again, null, 2)}\n`);
  out(flags.json ? json : markdown.trimEnd());
  return EXIT.ok;
});
