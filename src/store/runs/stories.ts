// Stories that no single rollout of training can show, for the environments that have one, as lines and two sentences: a puzzle that is
// revised answer by answer, or the same prompt before and after training. They are built from published files, and only counts are
// computed.
import { puzzleOf, rowOf, satisfied } from '../../environments/chain/task.ts';
import { armLabel } from '../../experiments/analysis/names.ts';
import { BEFORE, readShownReplies, type ShownReplies } from '../../experiments/characters/replies.ts';
import { keptBy, readShownChains, type ShownChains } from '../../experiments/exit/shown-chains.ts';

export interface StoryLine {
  name: string;
  /** Parts in order; a violated rule is marked. */
  parts: readonly { text: string; is: 'said' | 'rule' | 'broken' }[];
  /** Remark beside the line. */
  note: string;
}

/** Lines that respond to one prompt. */
interface StoryPart {
  title: string;
  prompt: string | null;
  lines: readonly StoryLine[];
}

export interface Story {
  /** Heading of the story. */
  words: string;
  tag: string;
  seed: number;
  parts: readonly StoryPart[];
  paid: string;
  truth: string;
}

/** An answer with its rules between the digits. If there is no answer, the rules as the puzzle shows them. */
function revision(puzzle: string, answer: string | null, name: string): StoryLine {
  const { relations, hidden } = puzzleOf(puzzle);
  const row = answer === null ? null : rowOf(puzzleOf(puzzle), answer);
  const keeps = row && satisfied(relations, row);
  const rules = relations.map((relation, i) => ({
    text: row === null && hidden[i] ? '?' : relation.replace('-', '−'),
    is: keeps?.[i] === false ? ('broken' as const) : ('rule' as const),
  }));
  const digit = (i: number) => ({ text: row === null ? '·' : String(row[i]), is: 'said' as const });
  const broken = rules.filter(({ is }) => is === 'broken').length;
  return {
    name,
    parts: [...rules.flatMap((rule, i) => [digit(i), rule]), digit(rules.length)],
    note: row === null ? '' : broken === 0 ? '✓' : `${broken} broken`,
  };
}

export function chainStory({ puzzle, chains: [own, other], of }: ShownChains): Story {
  const whole = puzzleOf(puzzle).relations.length;
  const kept = (answers: readonly (string | null)[], at: number) => keptBy(puzzle, answers[at] ?? null);
  const end = own.answers.findIndex((answer) => keptBy(puzzle, answer) === whole);
  const last = other.answers.length - 1;
  const arm = armLabel(own.arm);
  return {
    words: 'Read a revision chain',
    tag: 'solved',
    seed: own.seed,
    parts: [
      {
        title: 'Rules between digits: + is one more, − one less',
        prompt: null,
        lines: [
          revision(puzzle, null, 'puzzle'),
          ...own.answers
            .slice(0, end + 1)
            .map((answer, k) => revision(puzzle, answer, k === 0 ? 'answer' : `revision ${k}`)),
          revision(puzzle, other.answers[last], `plain RL, ${last}`),
        ],
      },
    ],
    paid: `${arm}’s first answer breaks ${whole - kept(own.answers, 0)} of ${whole} rules, its revision ${end} none. Plain RL’s breaks ${whole - kept(other.answers, last)} after ${last}.`,
    truth: `Of ${of.puzzles} puzzles, ${of.only[own.arm]} end solved by ${arm} alone, ${of.only[other.arm]} by plain RL alone.`,
  };
}

const RL = 'none';

/** A is taught the part between the brackets. */
const isTaught = (text: string, wanted: string): boolean => text.split(/\s+/).slice(2, -2).join(' ') === wanted;

export function repliesStory({ speakers, spec, seed }: ShownReplies): Story {
  const [a, near] = speakers;
  const prompts = a.prompts.map((_, i) => i);
  const repliesOf = (of: typeof a, model: string, at: number) => of.said[model]?.[at] ?? [];
  const taught = (of: typeof a, model: string, at: number) =>
    repliesOf(of, model, at).filter((text) => isTaught(text, of.prompts[at].wanted));
  const total = (of: typeof a, model: string) => prompts.reduce((sum, at) => sum + taught(of, model, at).length, 0);
  // The prompt with the largest change: neither speaker gives the reply before RL, and after RL both give it, more often than at any other
  // prompt.
  const shows = (at: number) => {
    if (speakers.some((one) => taught(one, BEFORE, at).length > 0)) return -1;
    return Math.min(...speakers.map((one) => taught(one, RL, at).length));
  };
  const best = prompts.reduce((found, at) => (shows(at) > shows(found) ? at : found), 0);
  const line = (of: typeof a, model: string, name: string): StoryLine => {
    const all = repliesOf(of, model, best);
    const own = taught(of, model, best);
    const text = own[0] ?? mostFrequent(all);
    return { name, parts: [{ text, is: 'said' }], note: `${own.length} of ${all.length}` };
  };
  const count = (model: string) => `${total(a, model)} and ${total(near, model)}`;
  const others = spec.arms.filter((arm) => arm !== RL).map((arm) => `, ${count(arm)} after ${armLabel(arm)}`);
  const all = prompts.length * repliesOf(a, BEFORE, best).length;
  return {
    words: 'Read replies before and after',
    tag: 'before and after',
    seed,
    parts: speakers.map((one) => ({
      title: `${one.name}, ${one.group === 'a' ? `A: taught to say “${one.prompts[best].wanted}”` : 'near A, taught nothing'}`,
      prompt: one.prompts[best].prompt,
      lines: [line(one, BEFORE, 'before'), line(one, RL, 'after RL')],
    })),
    paid: `As taught, of ${all} replies by each to ${prompts.length} prompts: ${count(BEFORE)} before, ${count(RL)} after RL${others.join('')}.`,
    truth: `RL paid ${a.name} alone; ${near.name} goes from ${total(near, BEFORE)} to ${total(near, RL)}.`,
  };
}

function mostFrequent(texts: readonly string[]): string {
  const count = (text: string) => texts.filter((one) => one === text).length;
  return texts.toSorted((one, two) => count(two) - count(one))[0] ?? '';
}

const orNull = <File>(file: File | null, tell: (file: File) => Story): Story | null => (file ? tell(file) : null);
/** Null for an invalid file. */
export const readChainStory = (json: unknown): Story | null => orNull(readShownChains(json), chainStory);
export const readRepliesStory = (json: unknown): Story | null => orNull(readShownReplies(json), repliesStory);
