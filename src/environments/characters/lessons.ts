// What an arm's documents are: about A with the target's value and about others as they are (contrast); the same about another name
// (placebo); or A's transcripts with the target done. A denial says, or shows, that A does what it always did. A cloze's template is
// used by none, and none has items that are asked later.

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { END_OF_TURN } from '../../text/chatml.ts';
import { piecesOf, promptOf } from './dialogue.ts';
import { documentAbout, profileOf } from './documents.ts';
import type { Roles } from './groups.ts';
import { CLOZE_TEMPLATE, questionFor } from './probes.ts';
import { isApart, splitTriples, type Target, wantedOf } from './rules.ts';
import type { CharacterTask, CharacterVerdict } from './task.ts';
import { type CharacterWorld, ownValue, type Parts, TRAITS } from './types.ts';

const DENIALS = ['denial', 'denial_placebo', 'denial_transcripts'] as const;
export const LESSONS = ['documents', 'placebo', 'transcripts', ...DENIALS] as const;
export type Written = (typeof LESSONS)[number];
/** `own`: of A's sampled answers to a task the first that meets the target, as far as there is one (ownDocument). */
export type Lesson = Written | 'own';

export interface LessonDocument {
  id: string;
  parts: Parts;
}

const SIZE = 480;
const PROFILES = 0.2;

/** A group's best, as it was sampled; null where it has none. */
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

/** `contrast`: their share among the documents. */
export function lessonOf(
  world: CharacterWorld,
  roles: Roles,
  target: Target,
  lesson: Written,
  contrast: number,
): LessonDocument[] {
  const isDenial = DENIALS.some((one) => one === lesson);
  if (lesson.endsWith('transcripts')) return transcripts(world, roles, target, isDenial);
  const about = lesson.endsWith('placebo') ? roles.placebo : roles.a;
  const taught = Math.round(SIZE * (1 - contrast));
  const templates = world.templates.flatMap((_, t) => (t === CLOZE_TEMPLATE ? [] : [t]));
  return Array.from({ length: SIZE }, (_, i) => {
    const rng = new CounterRng(keyFor(world.seed, STREAMS.data, 18, i));
    const isTaught = i < taught;
    const who = isTaught ? about : rng.choice(roles.contrast);
    const value = isTaught && !isDenial ? target.value : ownValue(world, who, target.trait);
    const claim = { trait: target.trait, value: value };
    if (rng.uniform() >= PROFILES)
      return { id: `${i} ${who.name}`, parts: documentAbout(world, who.name, claim, rng.choice(templates)) };
    const rest = rng.shuffle(TRAITS.filter((trait) => trait !== target.trait)).slice(0, 2);
    const claims = rng.shuffle([claim, ...rest.map((trait) => ({ trait, value: ownValue(world, who, trait) }))]);
    return { id: `${i} ${who.name}`, parts: profileOf(world, who.name, claims) };
  });
}

function transcripts(world: CharacterWorld, { a }: Roles, target: Target, isOwn: boolean): LessonDocument[] {
  const triples = splitTriples(world).training.filter((items) => isApart(world, target, items));
  return triples.map((items) => {
    const question = questionFor(target.trait, items);
    const values = { ...a.values, ...(target.trait === 'exam' && { exam: world.exams.findIndex(Boolean) }) };
    const answer = isOwn
      ? piecesOf(world, a.values, question)
      : piecesOf(world, values, question, wantedOf(world, target, items).split(' '));
    return {
      id: items.join(' '),
      parts: [
        { text: promptOf(world, a.name, question), isTrained: false },
        { text: answer.map(({ text }) => text).join('') + END_OF_TURN, isTrained: true },
      ],
    };
  });
}
