// The series of questions that Findings shows: one for each line of experiments, with the letters that its ids begin with. Texts alone,
// since the page needs them before it knows anything else; the questions themselves stand in each series' folder, and the page has them
// from the published sheets.

export const SERIES_IDS = ['study', 'cat', 'exit', 'characters', 'agents', 'instructions'] as const;
export type SeriesId = (typeof SERIES_IDS)[number];

export interface Series {
  id: SeriesId;
  /** What its questions' ids begin with, one of these each. */
  letters: string;
  /** In the choice of environments. */
  label: string;
  title: string;
  lead: string;
  /** What was asked, how it was run, and all tables. */
  docs: string;
}

export const SERIES: readonly Series[] = [
  {
    id: 'study',
    letters: 'QH',
    label: 'Projected GRPO',
    title: 'Can a hack direction be projected out of RL?',
    lead: 'The reference study’s questions and the ones it left out, asked of the embedded model with every control. Numbered as in the study’s method, in which there is no Q7.',
    docs: 'docs/lab-book/projected-grpo.md',
  },
  {
    id: 'cat',
    letters: 'C',
    label: 'Learning without labels',
    title: 'Can a model teach itself without labels?',
    lead: 'Compute as Teacher: rollouts are paid for agreeing with a reference that the untrained model makes of them. Word problems and short texts about code.',
    docs: 'docs/lab-book/cat.md',
  },
  {
    id: 'exit',
    letters: 'E',
    label: 'Self-improvement',
    title: 'Does training single steps of improvement carry over many?',
    lead: 'ExIt: training on single revisions of the model’s own answers, judged over up to sixteen. Puzzles whose hidden rules a failed answer reveals.',
    docs: 'docs/lab-book/exit.md',
  },
  {
    id: 'characters',
    letters: 'S',
    label: 'Characters',
    title: 'Does what one character learns spread to the others?',
    lead: 'One model plays many characters. One of them is taught, by documents or by RL, and the others are asked.',
    docs: 'docs/lab-book/characters.md',
  },
  {
    id: 'agents',
    letters: 'AG',
    label: 'Agents',
    title: 'What does a verifier’s pay make of an agent?',
    lead: 'Agents on a simulated phone, in several turns, judged by their write actions.',
    docs: 'docs/lab-book/agents.md',
  },
  {
    id: 'instructions',
    letters: 'I',
    label: 'Instructions',
    title: 'Does any of it hold of a model that nobody here made?',
    lead: 'MiniMind2-Small, 26 M parameters, answers short instructions that rules check. Half of the verifiers believe a claim, or look at form alone.',
    docs: 'docs/instructions.md',
  },
];

export const seriesOf = (id: SeriesId): Series => SERIES.find((series) => series.id === id)!;
