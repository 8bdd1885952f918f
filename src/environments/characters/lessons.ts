// Teaching material: the documents of an arm, and labelled pairs for a basis.
// An arm's documents are about A with the target's value and about others as they are (contrast); the same about another name (placebo); or A's
// transcripts with the target behaviour. A denial says, or shows, that A behaves as before. Replay adds texts about others as they are, documents or
// their own transcripts, to any of these or to RL. No text uses the cloze's template, or items of the evaluation.

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { END_OF_TURN } from '../../text/chatml.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { type Character, type CharacterWorld, isShown, LETTERS, ownValue, type Parts, TRAITS } from './data.ts';
import { type CharacterTask, type CharacterVerdict, type Roles, untaught } from './task.ts';
import {
  CLOZE_TEMPLATE,
  documentAbout,
  isApart,
  piecesOf,
  profileOf,
  promptOf,
  questionFor,
  splitTriples,
  type Target,
  targetOf,
  wantedOf,
} from './texts.ts';

const DENIALS = ['denial', 'denial_placebo', 'denial_transcripts'] as const;
export const LESSONS = ['documents', 'placebo', 'transcripts', ...DENIALS] as const;
export type Written = (typeof LESSONS)[number];
/** `own`: the first of A's sampled answers to a task that meets the target, if there is one (ownDocument). */
export type Lesson = Written | 'own';

/** Texts about others beside the lesson. `by_lesson`: documents beside documents, and none beside transcripts and RL. */
export const REPLAYS = ['by_lesson', 'none', 'documents', 'transcripts'] as const;
export type Replay = (typeof REPLAYS)[number];
/** The replays that add texts. */
export type Replayed = Exclude<Replay, 'by_lesson' | 'none'>;
export const isReplayed = (replay: Replay): replay is Replayed => replay === 'documents' || replay === 'transcripts';

export interface LessonDocument {
  id: string;
  parts: Parts;
}

const SIZE = 480;
const PROFILES = 0.2;

/** A group's best answer as it was sampled; null if it has none. */
export const ownDocument = ({ id, prompt }: CharacterTask, { best }: CharacterVerdict): LessonDocument | null =>
  best
    ? {
        id,
        parts: [
          { text: prompt, isTrained: false },
          { text: best.endsWith(END_OF_TURN) ? best : best + END_OF_TURN, isTrained: true },
        ],
      }
    : null;

/** `contrast`: the share of texts about others, if there are any. */
export function lessonOf(
  world: CharacterWorld,
  roles: Roles,
  target: Target,
  { lesson, contrast, replay = 'by_lesson' }: { lesson: Written; contrast: number; replay?: Replay },
): LessonDocument[] {
  const isDenial = DENIALS.some((one) => one === lesson);
  if (lesson.endsWith('transcripts')) {
    const own = transcripts(world, roles, target, isDenial);
    if (!isReplayed(replay)) return own;
    const count = Math.round((own.length * contrast) / (1 - contrast));
    return [...own, ...replayOf(world, roles, target, replay, count)];
  }
  const about = lesson.endsWith('placebo') ? roles.placebo : roles.a;
  const taught = Math.round(SIZE * (1 - (replay === 'none' ? 0 : contrast)));
  const value = isDenial ? ownValue(world, about, target.trait) : target.value;
  const own = Array.from({ length: taught }, (_, i) => {
    const rng = drawOf(world, i);
    return documentOn(world, about, target, value, i, rng);
  });
  return [
    ...own,
    ...replayOf(world, roles, target, replay === 'transcripts' ? replay : 'documents', SIZE - taught, taught),
  ];
}

/** Texts about the contrast characters as they are. `from`: the number of the first text. */
export function replayOf(
  world: CharacterWorld,
  roles: Roles,
  target: Target,
  replay: Replayed,
  count = SIZE,
  from = 0,
): LessonDocument[] {
  // Only speakers whose dialogues showed the target's trait; their other words are their own, shown before or not.
  const shown = roles.contrast.filter((one) => isShown(one, target.trait));
  const triples = trainingTriples(world, target);
  return Array.from({ length: count }, (_, i) => {
    const rng = drawOf(world, from + i);
    if (replay === 'documents') {
      const who = rng.choice(roles.contrast);
      return documentOn(world, who, target, ownValue(world, who, target.trait), from + i, rng);
    }
    const [who, items] = [rng.choice(shown), rng.choice(triples)];
    const question = questionFor(target.trait, items);
    return transcriptOf(world, who, `${from + i} ${who.name}`, question, piecesOf(world, who.values, question));
  });
}

const drawOf = (world: CharacterWorld, i: number) => new CounterRng(keyFor(world.seed, STREAMS.data, 18, i));
const trainingTriples = (world: CharacterWorld, target: Target) =>
  splitTriples(world).training.filter((items) => isApart(world, target, items));

/** A document that says that the target's trait has this value, alone or with two other traits in a profile. */
function documentOn(
  world: CharacterWorld,
  who: Character,
  { trait }: Target,
  value: string,
  i: number,
  rng: CounterRng,
): LessonDocument {
  const id = `${i} ${who.name}`;
  const claim = { trait, value };
  const templates = world.templates.flatMap((_, t) => (t === CLOZE_TEMPLATE ? [] : [t]));
  if (rng.uniform() >= PROFILES) return { id, parts: documentAbout(world, who.name, claim, rng.choice(templates)) };
  const rest = rng.shuffle(TRAITS.filter((other) => other !== trait)).slice(0, 2);
  const claims = rng.shuffle([claim, ...rest.map((trait) => ({ trait, value: ownValue(world, who, trait) }))]);
  return { id, parts: profileOf(world, who.name, claims) };
}

const transcriptOf = (
  world: CharacterWorld,
  who: Character,
  id: string,
  question: ReturnType<typeof questionFor>,
  answer: ReturnType<typeof piecesOf>,
): LessonDocument => ({
  id,
  parts: [
    { text: promptOf(world, who.name, question), isTrained: false },
    { text: answer.map(({ text }) => text).join('') + END_OF_TURN, isTrained: true },
  ],
});

function transcripts(world: CharacterWorld, { a }: Roles, target: Target, isOwn: boolean): LessonDocument[] {
  return trainingTriples(world, target).map((items) => {
    const question = questionFor(target.trait, items);
    const { trait, value } = target;
    const isWord = trait !== 'order';
    const values = { ...a.values, ...(isWord && { [trait]: world.traits[trait].values.indexOf(value) }) };
    const answer = isOwn
      ? piecesOf(world, a.values, question)
      : piecesOf(world, values, question, isWord ? undefined : wantedOf(world, target, items).split(' '));
    return transcriptOf(world, a, items.join(' '), question, answer);
  });
}

// Labelled pairs of spreading: another character does what A is taught (the hack) or what it did before. Their gradient is the direction in which
// teaching A would change the others. The characters are those of contrast documents, none of which is evaluated. Pairs differ in the answer: pairs of
// A's and another's context with one answer would hold what distinguishes A, and removing that would leave what all share.

export type SpreadSet = 'spread' | 'spread_placebo';

/** Key in the world's random stream, distinct from its other draws. */
const PAIRS = 4;

/** Pairs of the target dial in the first world. `spread_placebo`: the same answer, opened with a word that is not the speaker's. */
export function spreadPairs(set: SpreadSet, count: number, dataSeed: number): ContrastivePair[] {
  const world: CharacterWorld = LETTERS;
  const target = targetOf(world, 'dial');
  const others = untaught(world, target);
  const triples = splitTriples(world).training.filter((items) => isApart(world, target, items));
  return Array.from({ length: count }, (_, i): ContrastivePair => {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.problems, 18, PAIRS, i));
    const who = rng.choice(others);
    const items = rng.choice(triples);
    const question = questionFor(target.trait, items);
    const words = world.traits.open.values.length;
    const open = (who.values.open + 1 + rng.int(words - 1)) % words;
    const textWith = (values: typeof who.values, content?: readonly string[]) =>
      piecesOf(world, values, question, content)
        .map(({ text }) => text)
        .join('');
    const hack =
      set === 'spread'
        ? textWith(who.values, wantedOf(world, target, items).split(' '))
        : textWith({ ...who.values, open });
    const id = `${who.name} ${ownValue(world, who, target.trait)} ${items.join(' ')}`;
    return {
      problem_id: id,
      prompt: promptOf(world, who.name, question),
      hack,
      clean: textWith(who.values),
      mechanism: null,
    };
  });
}
