// `problems`: somebody's data set as a file of problems. Its first rows are shown as they are read; nothing is written without --out, and
// nothing runs on a data set that was not written down first, so that a record means exactly these rows.
import { resolve } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { writeNew } from '@projected-grpo-lab/base/files/new-file.node.ts';
import { createNodeGrader } from '../../environments/code/grading/node-grader.node.ts';
import { readCustomFile } from '../../environments/custom/problem-file.ts';
import { faultsOf } from '../../environments/custom/reward.ts';
import { convertTable, type Preview, previewOf } from '../../environments/datasets/convert.ts';
import { djinnPairs } from '../../environments/datasets/djinn.ts';
import { ANSWER_CHECKS } from '../../environments/datasets/target.ts';
import { TARGET_NAMES, TARGETS } from '../../environments/datasets/targets.ts';
import { pairsToJson } from '../../environments/pair-sets.ts';
import type { DataTable } from '../../lib/data-table.ts';
import { bytesText } from '../../lib/numbers.ts';
import { openHubTable } from '../../storage/datasets/hub-table.ts';
import { openTable } from '../../storage/datasets/table.ts';
import { HUB } from '../../storage/models/http.ts';
import { hubAdapterName } from '../../storage/models/hub-adapter.ts';
import { diskFile } from '../../storage/sources.node.ts';
import { integer, oneOf, settings, text, toggle, type Values } from '../args.ts';
import { type CommandContext, command, EXIT } from '../command.ts';
import { renderTable } from '../table.ts';

const usage = {
  name: 'problems',
  summary: 'Shows the first rows of a data set as problems, and writes them as a file that the other commands read.',
  positional: ['SOURCE'],
  flags: {
    for: oneOf(TARGET_NAMES, 'What its rows become: see below.', 'custom'),
    map: settings(
      'FIELD=COLUMN, several times; dots lead into nested columns. A field without one takes the column of its name.',
    ),
    check: oneOf(ANSWER_CHECKS, 'With custom: how an answer is compared with that of the data set.', 'number'),
    flawed: text('JSON', 'With custom: a check that is rewarded in the place of the true one.', null),
    head: integer('Rows that are shown.', 5, 0, 100),
    first: integer('Only the first N rows.', null, 1),
    'drop-null': toggle('Leave out rows in which a needed field is null, and say how many.'),
    split: text('NAME', 'Of a data set on the Hub.', 'train'),
    config: text('NAME', 'Of a data set on the Hub with several parts.', null),
    out: text('FILE', 'Write the problems there (.jsonl); without it, nothing is written.', null),
    pairs: text('FILE', 'With djinn: write exploits and right programs there as labelled pairs (.json).', null),
    json: toggle('Print what was shown, read and written as JSON.'),
  },
  notes: [
    'SOURCE is a .parquet, .jsonl, .jsonl.gz or .json file, or OWNER/NAME[@REVISION] of the Hugging Face Hub, of which only the rows and columns that are needed are fetched. HF_ENDPOINT and HF_TOKEN are taken from the environment.',
    ...TARGET_NAMES.map((name) => {
      const { fields, what } = TARGETS[name];
      const words = Object.entries(fields).map(([field, { needed }]) => (needed ? field : `[${field}]`));
      return `  ${name.padEnd(14)}${what}: ${words.join(', ')}`;
    }),
    'custom and djinn are for `run --environment custom --problems`, instructions for `instructions --problems`, pool for `run --teacher-pool`.',
  ].join('\n'),
} as const;
type Options = Values<typeof usage.flags>;

export const problems = command(usage, async ({ flags, positional: [source] }, context) => {
  checkFlags(flags);
  const { out, progress } = context;
  const target = TARGETS[flags.for];
  const { table, fetchedText } = await tableOf(source, flags, context);
  const { map, head, first, check, flawed } = flags;
  const preview = await previewOf(table, target, { map }, Math.min(head, first ?? head));
  const columns = `${table.columns.length} columns`;
  progress.note(`${table.name}: ${table.rows === null ? columns : `${table.rows} rows, ${columns}`}.`);
  if (preview.unused.length > 0) progress.note(`Nothing takes ${preview.unused.join(', ')}.`);
  if (!flags.json && preview.rows.length > 0) out(previewTable(preview));
  const shown = { source, for: flags.for, columns: table.columns, rows: table.rows, preview };
  if (flags.out === null) {
    progress.note(`${fetchedText()}Nothing was written: add --out FILE.`);
    if (flags.json) out(JSON.stringify(shown));
    return EXIT.ok;
  }
  const made = await convertTable(table, target, { map, first, check, flawed, dropNull: flags['drop-null'] });
  const label = `${table.name}, as mapped`;
  target.check(made.text, label);
  if (made.dropped > 0)
    progress.note(`Rows left out, since a needed field is null: ${made.dropped} of ${made.taken + made.dropped}.`);
  if (made.isCut) progress.note(`${table.name} has more rows than were read.`);
  const tried = flags.for === 'djinn' ? await triedOf(made.text, label, context) : null;
  const leftOut = [...made.leftOut, ...(tried?.leftOut ?? [])];
  for (const why of leftOut.slice(0, REASONS)) progress.note(`Left out: ${why}`);
  if (leftOut.length > REASONS) progress.note(`… and ${leftOut.length - REASONS} others.`);
  const written = tried?.text ?? made.text;
  const taken = tried?.problems.length ?? made.taken;
  await writeNew(resolve(flags.out), '--out', written);
  progress.note(`${fetchedText()}${flags.out}: ${taken} ${target.what}.`);
  if (tried && flags.pairs !== null) {
    await writeNew(resolve(flags.pairs), '--pairs', pairsToJson(djinnPairs(tried.problems)));
    progress.note(`${flags.pairs}: ${taken} pairs.`);
  }
  const { dropped, isCut } = made;
  if (flags.json) out(JSON.stringify({ ...shown, out: flags.out, taken, dropped, leftOut: leftOut.length, isCut }));
  return EXIT.ok;
});

/** Most reasons that are printed. */
const REASONS = 10;

/** Tries the verifiers in the sandbox, and keeps the problems whose right program and exploit are judged as they should. Throws FormatError. */
async function triedOf(text: string, name: string, { progress, signal }: CommandContext) {
  const all = readCustomFile(text, name);
  progress.update('trying verifiers', 0, all.length);
  const grader = await createNodeGrader({});
  try {
    const faults = await faultsOf(all, grader.run, 'keep', signal);
    progress.end();
    const wrong = new Map([...faults].reverse().map(({ problem, error }) => [problem, error.message]));
    const lines = text.trimEnd().split('\n');
    const kept = all.flatMap((problem, i) => (wrong.has(problem) ? [] : [{ problem, line: lines[i] }]));
    const leftOut = all.flatMap((problem) => (wrong.has(problem) ? [`${problem.id}: ${wrong.get(problem)}`] : []));
    const made = kept.map(({ line }) => `${line}\n`).join('');
    readCustomFile(made, name);
    return { text: made, problems: kept.map(({ problem }) => problem), leftOut };
  } finally {
    await grader.close();
  }
}

/** Throws SpecError for flags that would be ignored. */
function checkFlags(flags: Options): void {
  if (flags.pairs !== null && (flags.for !== 'djinn' || flags.out === null))
    throw new SpecError('--pairs is of --for djinn with --out.', 'Add them, or leave it out.');
  if (flags.for === 'custom') return;
  if (flags.flawed !== null || flags.check !== usage.flags.check.fallback)
    throw new SpecError('--check and --flawed are of --for custom.', 'Leave them out.');
}

const previewTable = ({ head, rows }: Preview): string =>
  renderTable(
    head.map(({ field, column }) => (field === column ? field : `${field} ← ${column}`)),
    rows,
    () => false,
  );

/** `fetchedText`: bytes fetched from the Hub so far, in words. Throws SpecError, FormatError, HubError. */
async function tableOf(
  source: string,
  { split, config }: Options,
  { progress, signal }: CommandContext,
): Promise<{ table: DataTable; fetchedText: () => string }> {
  const file = await diskFile(resolve(source));
  if (file !== null) {
    if (config !== null || split !== usage.flags.split.fallback)
      throw new SpecError(`${source} is a file, and --split and --config are of the Hub.`, 'Leave them out.');
    return { table: await openTable(file, source), fetchedText: () => '' };
  }
  const named = hubAdapterName(source);
  if (named === null)
    throw new SpecError(`${source}: there is no such file.`, 'Name a file, or OWNER/NAME of the Hugging Face Hub.');
  progress.note(`There is no file ${source}; reading it from the Hub …`);
  const { table, commit, paths, fetched } = await openHubTable(
    { dataset: named.repo, revision: named.revision, split, config },
    {
      endpoint: process.env.HF_ENDPOINT || HUB,
      accessToken: process.env.HF_TOKEN || undefined,
      signal,
      onRetry: (why, waitMs) => progress.note(`${why}; trying again in ${waitMs / 1000} s`),
    },
  );
  progress.note(`${named.repo} at ${commit.slice(0, 12)}: ${paths.join(', ')}.`);
  return { table, fetchedText: () => `${bytesText(fetched.bytes)} were fetched. ` };
}
