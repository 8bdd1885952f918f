// Tests every question's registration: the fingerprint matches the present rule, and commit and date match the history.
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { SERIES_IDS } from '../../src/findings/series.ts';
import { readSheet } from '../../src/findings/sheet.ts';
import { ENVIRONMENT_QUESTIONS } from '../series/questions.ts';
import { studyFacts } from '../series/study/facts.ts';
import { datesOf, factsOf, fingerprintOf } from './age.ts';
import { ageOfRows } from './ages.ts';
import { publishedRows, publishedSheet } from './publish.ts';
import { PUBLICATIONS, REGISTRATIONS } from './registrations.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const ENTRIES = Object.values(ENVIRONMENT_QUESTIONS).flat();
const FACTS = new Map([...studyFacts(), ...ENTRIES.map(({ id, rule }) => [id, factsOf(rule)] as const)]);

const git = (...args: string[]): string =>
  execFileSync('git', ['--no-optional-locks', '-C', ROOT, ...args], { encoding: 'utf8', maxBuffer: 1 << 26 }).trim();

/** Full hash and time of each ancestor commit; the reason as text if the clone has no history. */
function history(): Map<string, number> | string {
  try {
    if (git('rev-parse', '--show-prefix') !== '') return 'the project is no checkout of its own';
    if (git('rev-parse', '--is-shallow-repository') === 'true') return 'the clone is shallow';
    const all = git('log', '--format=%H %ct')
      .split('\n')
      .map((line) => line.split(' '));
    const known = new Map(all.map(([commit, at]) => [commit, 1000 * Number(at)] as const));
    const declared = Object.values(REGISTRATIONS).flatMap(({ commit }) => commit ?? []);
    const isOurs = declared.some((short) => all.some(([commit]) => commit.startsWith(short)));
    return isOurs ? known : 'the project came without its history';
  } catch {
    return 'there is no git';
  }
}
const known = history();
if (typeof known === 'string') console.warn(`Registrations are not compared with the history: ${known}.`);

it('has every question, and no other', () => {
  expect(Object.keys(REGISTRATIONS).sort()).toEqual([...FACTS.keys()].sort());
});

it.each([...FACTS])('%s is judged by the rule that was registered', (id, facts) => {
  const fingerprint = fingerprintOf(facts);
  expect(
    REGISTRATIONS[id]?.rule,
    `The rule of ${id} has changed since its registration (registrations.ts): renew it, with rule: '${fingerprint}' and the commit that has the new rule. Where only a key was renamed, the commit stays.`,
  ).toBe(fingerprint);
});

describe.skipIf(typeof known === 'string')('the history', () => {
  const commits = known as Map<string, number>;
  const dateOf = (short: string) => {
    const found = [...commits].filter(([commit]) => commit.startsWith(short));
    return found.length === 1 ? new Date(found[0][1]).toISOString().replace('.000Z', 'Z') : `${found.length} commits`;
  };

  it.each(Object.entries(REGISTRATIONS))('has the commit of %s, with that date', (_, { commit, at }) => {
    expect(commit === null ? undefined : dateOf(commit)).toBe(at);
  });

  it('has the unchanged files whose rows have no date in the commits declared to have published them', () => {
    const names = Object.keys(PUBLICATIONS);
    const now = git('hash-object', ...names.map((name) => `public/results/${name}`)).split('\n');
    for (const [i, [name, { commit, at }]] of Object.entries(PUBLICATIONS).entries()) {
      expect(dateOf(commit), name).toBe(at);
      expect(git('rev-parse', `${commit}:public/results/${name}`), name).toBe(now[i]);
    }
  });
});

it('declares by when each file with undated rows was published', () => {
  const rows = publishedRows(ROOT);
  // The rows of a question that has not been run are no file yet.
  const files = [...new Set(ENTRIES.flatMap((question) => question.files))].filter(
    (name) => name.endsWith('.jsonl.gz') && rows.has(name),
  );
  const undated = files.filter((name) => datesOf(rows.lines(name)).undated > 0);
  expect(Object.keys(PUBLICATIONS).sort()).toEqual(undated.sort());
});

it('every question with rows states which came first', async () => {
  for (const id of SERIES_IDS)
    for (const { age, id: name, n } of readSheet(await publishedSheet(ROOT, id)).questions)
      expect(age?.said ?? (n > 0 ? 'nothing' : ''), name).not.toBe('nothing');
});

it('a rule that is not listed has no date', () => {
  const [{ rule }] = ENTRIES;
  expect(ageOfRows({ id: 'C99', rule }, [datesOf([{ createdAt: 1 }])])).toEqual({
    status: 'unknown',
    said: 'The history does not tell when its rule was written.',
  });
});
