// Finished runs of the study → public/results (shown to visitors without a GPU), and public/results → its sheet and
// docs/lab-book/projected-grpo.md. The report reads only the published files, so no figure in it can be written by hand.
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SpecError } from '@projected-grpo-lab/base/errors.ts';
import { writeWhole } from '../../../src/cli/ports.node.ts';
import type { FinishedRun } from '../../../src/experiments/runs/finished.ts';
import type { SeriesSheet } from '../../../src/findings/sheet.ts';
import { sha256 } from '../../../src/storage/sources.ts';
import { ageOf, datesOf, fingerprintOf } from '../../judge/age.ts';
import { resultsFolder } from '../../judge/folder.ts';
import { type PackedRun, type PublishedRun, packRuns, readPacked, unpackRun } from '../../judge/pack.ts';
import { REGISTRATIONS } from '../../judge/registrations.ts';
import { caveats } from './caveats.ts';
import { studyFacts } from './facts.ts';
import { runsByCommit, withCommits, withEarlierCommits } from './made-by.ts';
import { trainsAlike } from './merge.ts';
import { planStudy } from './plan.ts';
import { QUESTIONS } from './questions/index.ts';
import { h1Of, provenance, reportMarkdown, resultsOf } from './report.ts';
import { type ResultsIndex, readIndex } from './results-index.ts';
import { shownH1, shownOf } from './shown.ts';
import { sharesOf } from './template-share.ts';
import type { QuestionId } from './types.ts';

/** Limit for all published files together. */
const MOST_BYTES = 10 * 2 ** 20;

/** Packs the plan's finished runs; others in the folder (short checks) are left out. Throws SpecError above the limit. */
export async function publish(runs: ReadonlyMap<string, FinishedRun>, root: string): Promise<string> {
  const folder = resultsFolder(root);
  const { runs: before, packed: entries } = await readPublished(root);
  const byQuestion = new Map<string, Map<string, FinishedRun>>();
  for (const { question, run } of planStudy().jobs) {
    const made = runs.get(run.key);
    const earlier = made && before.get(run.key);
    const found = made && withEarlierCommits(made, earlier && trainsAlike(made, earlier) ? earlier : undefined);
    const isKnown = [...byQuestion.values()].some((known) => known.has(run.key));
    if (!found || isKnown) continue;
    const own = byQuestion.get(question) ?? new Map<string, FinishedRun>();
    byQuestion.set(question, own.set(run.key, found));
  }
  const index: ResultsIndex = { schema: 1, runs: 0, bytes: 0, files: [] };
  const packed = new Map<string, Uint8Array>();
  for (const [question, own] of byQuestion) {
    const bytes = packRuns([...own.values()], entries);
    const name = `${question.toLowerCase()}.json.gz`;
    packed.set(name, bytes);
    index.files.push({ name, question, runs: own.size, bytes: bytes.length, sha256: await sha256(bytes) });
    index.runs += own.size;
    index.bytes += bytes.length;
  }
  if (index.bytes > MOST_BYTES)
    throw new SpecError(
      `The published files would take ${index.bytes} bytes, more than ${MOST_BYTES}.`,
      'Publish fewer controls or seeds.',
    );
  for (const [name, bytes] of packed) await writeWhole(join(folder, name), bytes);
  for (const name of await readdir(folder).catch(() => []))
    if (name.endsWith('.json.gz') && !packed.has(name)) await rm(join(folder, name));
  const made = runsByCommit([...byQuestion.values()].flatMap((own) => [...own.values()]));
  if (made.length > 0) index.made = made;
  await writeWhole(join(folder, 'index.json'), `${JSON.stringify(index, null, 2)}\n`);
  return `${index.runs} runs in ${index.files.length} files, ${index.bytes} bytes, below public/results.`;
}

/** Published runs by key; empty if there are none. */
export async function published(root: string): Promise<Map<string, PublishedRun>> {
  return (await readPublished(root)).runs;
}

const NONE: ResultsIndex = { schema: 1, runs: 0, bytes: 0, files: [] };

export interface InFiles {
  index: ResultsIndex;
  runs: Map<string, PublishedRun>;
  /** Runs in the files' packed form. */
  packed: Map<string, PackedRun>;
  /** Run key → its file. */
  files: Map<string, string>;
}

/** Reads every file with its runs: several megabytes, so callers with several uses should read once. */
export async function readPublished(root: string): Promise<InFiles> {
  const folder = resultsFolder(root);
  const text = await readFile(join(folder, 'index.json'), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (text === null) return { index: NONE, runs: new Map(), packed: new Map(), files: new Map() };
  const index = readIndex(text);
  const runs: PublishedRun[] = [];
  const packed = new Map<string, PackedRun>();
  const files = new Map<string, string>();
  for (const { name } of index.files) {
    const bytes = await readFile(join(folder, name));
    for (const [entry, run] of readPacked(bytes, name, (entry, room) => [entry, unpackRun(entry, room)] as const)) {
      runs.push(run);
      packed.set(run.key, entry);
      files.set(run.key, name);
    }
  }
  return { index, runs: new Map(withCommits(runs, index.made).map((run) => [run.key, run])), packed, files };
}

/** Computed only from public/results. */
export interface Report {
  /** Text of docs/lab-book/projected-grpo.md. */
  results: string;
  /** The page's sheet. After `study --publish` it is outdated until `publish`. */
  sheet: SeriesSheet;
}

export async function reportOf(root: string, read?: InFiles): Promise<Report> {
  const { index, runs, files } = read ?? (await readPublished(root));
  const seconds = [...runs.values()].reduce((sum, run) => sum + run.seconds, 0);
  const about = [
    'Generated by `npm run research -- publish` from `public/results`; a test compares the two. How each word and figure comes about is in [how the study is judged](../explanation/study.md).',
    '',
    ...provenance(runs.values()),
    ...(runs.size > 0
      ? [`Training took ${(seconds / 3600).toFixed(1)} hours of process time, evaluations at the end not counted.`]
      : []),
  ];
  const results = resultsOf(QUESTIONS, runs);
  const shares = await sharesOf(runs);
  const first = caveats(results, shares);
  const rows = index.files.map(({ sha256 }) => sha256);
  const inFiles = (id: QuestionId) => filesOf(id, files);
  const shown = [shownH1(h1Of(results), inFiles), ...results.flatMap((result) => shownOf(result, inFiles))];
  const facts = studyFacts();
  const questions = shown.map((question) => {
    const own = plannedOf(question.id).flatMap((key) => runs.get(key)?.record ?? []);
    const age = ageOf(REGISTRATIONS[question.id], fingerprintOf(facts.get(question.id)), [datesOf(own)]);
    return age ? { ...question, age } : question;
  });
  const origin = { about: provenance(runs.values()), runs: runs.size, seconds, rows };
  return { results: reportMarkdown(results, about, first), sheet: { questions, first, origin } };
}

/** Row files with runs of a question's plan. */
function filesOf(id: QuestionId, files: ReadonlyMap<string, string>): string[] {
  const names = plannedOf(id).flatMap((key) => files.get(key) ?? []);
  return [...new Set(names)].sort();
}

/** Keys of the runs that an entry's question plans; H1 has Q2's. */
function plannedOf(entry: string): string[] {
  const id = (entry === 'H1' ? 'Q2' : entry.replace(/-added$/, '')) as QuestionId;
  return planStudy({ questions: [id] }).jobs.map(({ run }) => run.key);
}

/** Writes docs/lab-book/projected-grpo.md; returns a message that names it. */
export async function writeResults(root: string): Promise<string> {
  const { results } = await reportOf(root);
  await writeWhole(join(root, 'docs', 'lab-book', 'projected-grpo.md'), results);
  return `docs/lab-book/projected-grpo.md: ${results.split('\n').length} lines.`;
}
