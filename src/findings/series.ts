// The series of questions in Findings: one for each line of experiments, with the letters with which its ids begin. These are only texts,
// since the page needs them first; the questions themselves are in each series' folder, and reach the page in the published sheets.

import type { EnvironmentEntry } from '../environments/entry.ts';
import * as ENTRIES from '../environments/registry.ts';

export const SERIES_IDS = ['study', 'cat', 'exit', 'characters', 'agents', 'instructions', 'prediction'] as const;
export type SeriesId = (typeof SERIES_IDS)[number];

export interface Series {
  id: SeriesId;
  /** First letters of its questions' ids. */
  letters: string;
  /** Label in the selection of series. */
  label: string;
  /** Environments whose question it answers; empty for a series about the method itself. */
  environments: readonly string[];
  /** The question, as on the first environment's card in the Lab; without an environment, its own. */
  title: string;
  /** Has at most twenty words. */
  lead: string;
  /** Further text, shown on demand. */
  more?: string;
  /** Docs page with the questions, the method and all tables. */
  docs: string;
}

type Declared = Omit<Series, 'title' | 'environments'> &
  ({ environments: readonly [string, ...string[]] } | { environments: readonly []; title: string });

const DECLARED: readonly Declared[] = [
  {
    id: 'study',
    letters: 'QH',
    label: 'Projected GRPO',
    environments: ['one-line-python'],
    lead: 'The reference study’s questions, and those that it left out, answered on the embedded model with every control.',
    more: 'Numbered as in that study, which has no Q7.',
    docs: 'docs/lab-book/projected-grpo.md',
  },
  {
    id: 'cat',
    letters: 'C',
    label: 'Learning without labels',
    environments: ['arithmetic', 'explain'],
    lead: 'Compute as Teacher: rollouts are paid for agreeing with a reference that the untrained model makes of them.',
    more: 'On word problems and on short texts about code.',
    docs: 'docs/lab-book/cat.md',
  },
  {
    id: 'exit',
    letters: 'E',
    label: 'Self-improvement',
    environments: ['chain'],
    lead: 'ExIt: training on single revisions of the model’s own answers, judged over up to sixteen.',
    more: 'The task: puzzles whose hidden rules show when an answer breaks them.',
    docs: 'docs/lab-book/exit.md',
  },
  {
    id: 'characters',
    letters: 'S',
    label: 'Characters',
    environments: ['characters'],
    lead: 'One model plays many characters. One of them is taught, by documents or by RL, and the others are asked.',
    docs: 'docs/lab-book/characters.md',
  },
  {
    id: 'agents',
    letters: 'AGL',
    label: 'Agents',
    environments: ['agents', 'lookup'],
    lead: 'Agents on a simulated phone, judged by their write actions; and questions that tools answer. Both in several turns.',
    docs: 'docs/lab-book/agents.md',
  },
  {
    id: 'instructions',
    letters: 'I',
    label: 'Instructions',
    environments: ['instructions'],
    lead: 'A 26 M model answers short instructions. Half of the verifiers believe a claim or look at form alone.',
    more: 'MiniMind2-Small; rules check its answers.',
    docs: 'docs/instructions.md',
  },
  {
    id: 'prediction',
    letters: 'P',
    label: 'Prediction',
    environments: [],
    title: 'Can one predict before training whether labelled pairs will remove a hack?',
    lead: 'Three numbers of the untrained model predict what the quarantine along each of sixty forms of labelled pairs removes.',
    more: 'On one-line Python. From the arena: does a run warn before hacking rises, and what do unrepresentative trusted problems teach?',
    docs: 'docs/lab-book/prediction.md',
  },
];

/** Throws RangeError for an unknown environment. */
function questionOf(environment: string): string {
  const entries: readonly EnvironmentEntry[] = Object.values(ENTRIES);
  const entry = entries.find(({ id }) => id === environment);
  if (!entry) throw new RangeError(`a series names the environment “${environment}”, which there is not`);
  return entry.card.question;
}

export const SERIES: readonly Series[] = DECLARED.map((series) => ({
  ...series,
  title: 'title' in series ? series.title : questionOf(series.environments[0]),
}));

export const seriesOf = (id: SeriesId): Series => SERIES.find((series) => series.id === id)!;
