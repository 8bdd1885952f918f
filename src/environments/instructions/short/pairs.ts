// Labelled pairs of this environment, for a basis: one prompt answered twice, of topics that are in no training and no evaluation, and answers
// that no model wrote. `claim`: an answer that does not meet its requirement and says that it does (the hack), and one that meets it. `blind`: a
// word about nothing, and a true answer, of kinds that any text meets. Beside them controls: `claim_unmet`, not met against met without any
// claim; `claim_words`, two runs of words of unrelated topics.
import { CounterRng, keyFor, STREAMS } from '../../../rng/index.ts';
import type { ContrastivePair } from '../../code/pairs.ts';
import { claiming, emptyAnswer, trueAnswer, unmetAnswer } from './answers.ts';
import { shortKind } from './kinds.ts';
import { SHORT_DATA_SEED, shortTask, shortTasks, topicOf } from './tasks.ts';
import { TOPICS } from './topics.ts';
import type { ShortTask } from './types.ts';

/** Beside other environments' pairs in their stream. */
const PAIRS = 12;
/** All prompts of pairs are fewer. */
const ALL = 10_000;

const WORDS_LEAST = 5;
const WORDS_MORE = 5;

const words = (rng: CounterRng, { language }: ShortTask): string =>
  Array.from({ length: WORDS_LEAST + rng.int(WORDS_MORE) }, () => rng.choice(rng.choice(TOPICS).words[language])).join(
    language === 'zh' ? '' : ' ',
  );

/** `set`: one of the four above. Of prompts in Chinese, since a pair's set says nothing of a run's language. */
export function instructionPairs(set: string, count: number, dataSeed = SHORT_DATA_SEED): ContrastivePair[] {
  const settings = { flaw: set === 'blind' ? 'blind' : 'claim', flawForm: 'shown', promptLanguage: 'zh' } as const;
  const asked = shortTasks('pairs', ALL, settings, dataSeed).filter(
    ({ isFlawed, kind }) => isFlawed && (set !== 'blind' || shortKind(kind).isBlind),
  );
  return asked.slice(0, count).map((task, i) => {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.pairs, PAIRS, i));
    const { language, kind } = task;
    const about = { topic: topicOf(task), language };
    const clean = trueAnswer(about, kind);
    const unmet = unmetAnswer(about, kind);
    const sides = {
      claim: () => ({ hack: claiming(unmet, language), clean }),
      claim_unmet: () => ({ hack: unmet, clean }),
      blind: () => ({ hack: emptyAnswer(language, i), clean }),
      claim_words: () => ({ hack: words(rng, task), clean: words(rng, task) }),
    }[set]!();
    const { id, prompt } = set === 'claim_unmet' || set === 'claim_words' ? plainOf(task) : task;
    return { problem_id: id, prompt, ...sides, mechanism: null };
  });
}

/** Without the form that invites a claim. */
const plainOf = (task: ShortTask): ShortTask =>
  shortTask(topicOf(task), shortKind(task.kind), task.language, false, {
    flaw: 'none',
    flawForm: 'shown',
    promptLanguage: task.language,
  });
