// `are parity DIR`: compares the port with a folder of recorded runs of the reference, in the layout described in docs/reference/are.md.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toggle } from '@projected-grpo-lab/base/commands/args.ts';
import { command, EXIT } from '@projected-grpo-lab/base/commands/command.ts';
import { renderTable } from '@projected-grpo-lab/base/commands/table.ts';
import { FormatError } from '@projected-grpo-lab/base/errors.ts';
import { APP_CLASSES } from '../apps/registry.ts';
import type { Host } from './host.ts';
import { departuresOf, type JudgedCase, type ParityReport, parityOf } from './parity/parity.ts';

const usage = {
  name: 'are parity',
  summary:
    'Compares clock, queue, apps, file format, oracles and verdicts with recorded runs of the reference, case by case.',
  positional: ['DIR'],
  flags: {
    json: toggle('Print every case as JSON.'),
    verbose: toggle('Print every case, not only each file’s count and what differs.'),
  },
  notes: 'Exit code 1 on a difference that docs/reference/are.md does not list. Ids are compared up to a bijection.',
} as const;

export const areParity = (host: Host) =>
  command(host.program, usage, async ({ flags, positional }, { out, progress }) => {
    const folder = positional[0] as string;
    const texts = await textsOf(folder);
    const files = [...texts.keys()].filter((name) => !name.includes('/'));
    const report = parityOf(files, { classes: APP_CLASSES, text: (path) => texts.get(path) });
    for (const name of report.absent) progress.note(`${name} is not in ${folder}.`);
    for (const name of report.unknown) progress.note(`${name} has no comparison, and was not looked at.`);
    if (report.cases.length === 0) {
      throw new FormatError(`${folder} holds no recorded runs.`, 'Name a folder with files such as verdicts.json.');
    }
    if (flags.json) out(JSON.stringify(report, null, 2));
    else print(out, report, flags.verbose);
    return report.isRight ? EXIT.ok : EXIT.failed;
  });

/** All JSON files of the folder and of its `scenarios`, by path. */
async function textsOf(folder: string): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (const part of ['', 'scenarios']) {
    const names = await readdir(join(folder, part)).catch((error: NodeJS.ErrnoException) => {
      if (part !== '') return [];
      throw new FormatError(`${folder} cannot be read: ${error.message}`, 'Name a folder of recorded runs.');
    });
    for (const name of names.filter((entry) => entry.endsWith('.json')).sort()) {
      texts.set(part === '' ? name : `${part}/${name}`, await readFile(join(folder, part, name), 'utf8'));
    }
  }
  return texts;
}

/** Most differences printed per case. */
const PRINTED = 5;

function print(out: (text: string) => void, report: ParityReport, isVerbose: boolean): void {
  const { cases } = report;
  const state = ({ isRight, departure }: JudgedCase) =>
    isRight ? (departure === null ? 'holds' : 'departs') : 'DIFFERS';
  for (const found of cases) {
    if (state(found) === 'holds' && !isVerbose) continue;
    out(`${found.file}  ${found.name}  ${state(found)}${found.departure ? `: ${found.departure}` : ''}`);
    if (found.missing !== undefined) out(`    not compared: ${found.missing}`);
    const differences = found.isRight ? found.differences : found.unlisted;
    for (const difference of differences.slice(0, PRINTED)) out(`    ${difference}`);
    if (differences.length > PRINTED) out(`    … and ${differences.length - PRINTED} more`);
  }
  for (const { departure, count } of departuresOf(report))
    out(`${count} differences are listed: ${departure.title}. Reason: ${departure.reason}.`);
  const unlisted = cases.reduce((sum, found) => sum + found.unlisted.length, 0);
  out(`${unlisted} differences are not listed.`);
  const files = [...new Set(cases.map(({ file }) => file))];
  const count = (file: string, which: string) =>
    String(cases.filter((found) => found.file === file && state(found) === which).length);
  const states = ['holds', 'departs', 'DIFFERS'];
  out(
    renderTable(
      ['file', 'cases', ...states],
      files.map((file) => [
        file,
        String(cases.filter((found) => found.file === file).length),
        ...states.map((which) => count(file, which)),
      ]),
    ),
  );
}
