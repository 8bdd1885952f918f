// Pretraining texts of the agents' embedded models, and pairs for a basis: transcripts of the guide (guide.ts) with the environment's replies.
// The corpus of tiny-agent has transcripts of training scenarios. Less than half are entirely correct; in the others one turn is wrong, so that there is
// something to learn, and some stuff the message to the user with words of the task, so that a policy can find what a hollow judge rewards. Only the
// model's own turns are trained. A sample depends only on (data seed, index).

import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { END_OF_TURN, promptAfter } from '../../text/chatml.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { drawnBy } from '../drawn.ts';
import {
  PRETRAIN_DEFAULTS,
  type Pretraining,
  type PretrainingTurn,
  TINY_CODER,
  type TokenizerTexts,
  type Trained,
  type Transcript,
} from '../pretraining.ts';
import { composedGuideOf, guideOf } from './guide.ts';
import { stuffedMessage } from './reward.ts';
import {
  type AgentTask,
  DATA_SEED,
  generatedOf,
  MOST_TURNS,
  makeTask,
  PRETRAIN_SEED,
  playEpisode,
  type Speaker,
} from './task.ts';

/** `early`: says that all is done before it is. `stuffed`: repeats words of the task to the user. `slip`: replaces one argument by another text that was
 *  shown. `malformed`: writes an invalid action; half of these then write it correctly. */
export const SHARES = { right: 0.34, early: 0.12, stuffed: 0.14, slip: 0.3, malformed: 0.1 } as const;
export type Does = keyof typeof SHARES;

export interface PretrainSample extends Transcript {
  further: PretrainingTurn[];
  kind: string;
  does: Does;
}

const DONE = 'say "It is done."';
/** The wrong turn is among so many first ones; a shorter transcript stays correct. */
const WRONG_WITHIN = 2;

export async function pretrainSample(index: number, dataSeed = DATA_SEED): Promise<PretrainSample> {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 4, index));
  const does = drawnBy(SHARES, 'right', rng);
  const task = makeTask('training', index, PRETRAIN_SEED + dataSeed);
  const [first, ...further] = await transcript(task, withMistakes(guideOf(task), task, does, rng));
  return { prompt: task.prompt, completion: first!.completion, further, kind: task.kind, does };
}

/** A speaker's turns in a task, with what it was shown before each. */
export async function transcript(task: AgentTask, speaker: Speaker): Promise<PretrainingTurn[]> {
  const turns: PretrainingTurn[] = [];
  await playEpisode(task, (heard) => {
    const completion = speaker(heard);
    if (completion === null) return null;
    turns.push({ prompt: turns.length === 0 ? task.prompt : promptAfter(heard.shown, true), completion });
    return completion;
  });
  return turns;
}

function withMistakes(guide: Speaker, task: AgentTask, does: Does, rng: CounterRng): Speaker {
  let left = does === 'right' ? -1 : rng.int(WRONG_WITHIN);
  let again: string | null = null;
  return (heard) => {
    if (again !== null) {
      const text = rng.uniform() < 0.5 ? again : DONE;
      again = null;
      return text;
    }
    const text = guide(heard);
    // After a slip the guide no longer knows the state, so it must not spell out ids.
    if (text?.includes('"') && !text.startsWith('say')) return DONE;
    if (text === null || (does === 'stuffed' ? left-- > 0 && !text.startsWith('say') : left-- !== 0)) return text;
    if (does === 'early') return DONE;
    if (does === 'stuffed') return stuffedMessage(task);
    if (does === 'malformed') {
      again = text;
      return rng.choice([text.slice(0, text.lastIndexOf(' ')), text.replace('.', ' '), text.replaceAll('$', '')]);
    }
    return text.replace(/\$\d+/, () => `$${1 + rng.int(heard.book.size)}`);
  };
}

// The tokenizer of this environment's embedded model, learnt from texts like those that it will read and write: prompts of training scenarios, the
// oracle's calls, lookups and their results. Handles are digits, and digits are single tokens. `lab pretrain` writes its files; the copies under
// public/models/tiny-agent equal this output byte for byte.

const CORPUS_TASKS = 560;
const VOCABULARY = 420;

const LOOKUPS = [
  'Contacts.search_contacts $1\n contact_id $2 email $3',
  'Calendar.search_events $1\n event_id $2 title $1 attendees $3, $4',
  'Emails.search_emails $1\n sender $2 subject $1 email_id $3',
  'Shopping.search_product $1\n name $1 variants price 9.5 item_id $2 options color',
  'Shopping.list_orders\n order_id $2 order_items',
  'RentAFlat.search_apartments location=$1\n name $2 price 900.5 apartment_id $3',
  'say "It is done."',
  'error: empty length tool argument handle value canonical ValueError KeyError TypeError Exception ok none',
];

export function tokenizerFileTexts(dataSeed = DATA_SEED): TokenizerTexts {
  const corpus = function* () {
    for (let index = 0; index < CORPUS_TASKS; index++) {
      const task = makeTask('training', index, PRETRAIN_SEED + dataSeed);
      yield `${task.prompt}${LOOKUPS[index % LOOKUPS.length]}${END_OF_TURN}`;
      for (const { event_type, action } of generatedOf(task).trace.events) {
        if (event_type !== 'AGENT' || !action || action.app === 'AgentUserInterface') continue;
        const named = (action.args ?? []).map(({ name }) => `${name}=$1`).join(' ');
        yield `${action.app}.${action.function} $1 $2 ${named}${END_OF_TURN}`;
      }
    }
  };
  return tokenizerTexts(corpus(), VOCABULARY);
}

// The corpus and tokenizer of the model for composed forms: the guide's transcripts of training forms, with all splits equally frequent. All are correct,
// since this model serves for correct behaviour; tiny-agent serves for learning.

/** Range of form numbers, which alternate over the forms of a split; it exceeds the number of forms. */
const NUMBERS = 2 ** 20;

export function composedTrainingTask(index: number, dataSeed = DATA_SEED): AgentTask {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 6, index));
  return makeTask('training', rng.int(NUMBERS), PRETRAIN_SEED + dataSeed, SPLITS[index % SPLITS.length]);
}

export async function composedSample(index: number, dataSeed = DATA_SEED): Promise<Omit<PretrainSample, 'does'>> {
  const task = composedTrainingTask(index, dataSeed);
  const [first, ...further] = await transcript(task, composedGuideOf(task));
  return { prompt: task.prompt, completion: first!.completion, further, kind: task.kind };
}

const COMPOSED_TASKS = 600;
const COMPOSED_VOCABULARY = 640;

/** Texts of the second dialect as calls return and use them. */
const SHOWN = [
  'Contacts.search_contacts $1\nname $1 phone $2 email $3 city $4 job $5 contact_id $6\nContacts.get_contacts',
  'Calendar.search_events $1\ntitle $1 begins $2 $3 attendees $4, $5 event_id $6',
  'Emails.search_emails $1\nsender $2 subject $1 email_id $3',
  'Emails.get_email_by_index 0\nsender $2 subject $3 email_id $4 content Yes, gladly.',
  'Shopping.search_product $1\nname $1 variants options color white price $2 item_id $3\noptions color green price',
  'Shopping.list_orders\norder_id $2 order_items options color blue price $1 item_id $3',
  'RentAFlat.search_apartments $1\nname $2 price $3 location $1 zip $4 apartment_id $5',
  'Cabs.order_ride $1 $2 $3 $4~$5\nfrom $1 to $2 price $6',
  'SystemApp.wait_for_notification 240\nok\nSystemApp: Wait for notification timeout reached after 240 seconds',
  'ok\nEmailClientV2: New email received from $1\nEmailClientV2: New email received\nCalendar: Calendar event deleted by $1',
  'ok\nMessagingAppV2: New message received in conversation $1: $2\nChats.read_conversation $2\ncontent Does $3 at $4 suit you?',
  'ok\nShopping: Order cancelled with $1 $2\nCabApp: Ride cancelled\nCalendar: New calendar event added by $1',
  'say "It is done."\nsay "I have read it."\nsay "It is $1."\nsay "It is $1 and $2."\nnone\nok',
  'error: empty length tool argument handle value canonical ValueError KeyError TypeError Exception ok none',
];

export function composedTokenizerTexts(dataSeed = DATA_SEED): TokenizerTexts {
  const corpus = function* () {
    for (let index = 0; index < COMPOSED_TASKS; index++) {
      const task = composedTrainingTask(index, dataSeed);
      yield `${task.prompt}${SHOWN[index % SHOWN.length]}${END_OF_TURN}`;
      for (const { event_type, action } of generatedOf(task).trace.events) {
        if (event_type !== 'AGENT' || !action) continue;
        if (action.app === 'AgentUserInterface')
          yield `say "${String(action.args?.[0]?.value).replace(/\p{Lu}\p{L}+ \p{Lu}\p{L}+|[\d:.-]{5,}/gu, '$1')}"${END_OF_TURN}`;
        else yield `${action.app}.${action.function} $1 $2${END_OF_TURN}`;
      }
    }
  };
  return tokenizerTexts(corpus(), COMPOSED_VOCABULARY);
}

// Labelled pairs at one state of an episode: a message stuffed with the task's words against the correct turn. Half are at the end, where the correct turn
// is also a message, half at an earlier turn, where it is a call. Their universes are separate from runs and pretraining. Controls have the same scenarios.

const PAIR_SEED = 2003;
/** Words that occur in results and not in tasks. */
const OTHER = 'sender subject email_id contact_id title attendees name variants price item_id options color'.split(' ');

/** `stuffed`: against the correct turn. `early`: the message that all is done against the correct call; it fools no judge. `placebo`: messages of other
 *  words on both sides. */
export type PairKind = 'stuffed' | 'early' | 'placebo';

export async function agentPairs(kind: PairKind, count: number, dataSeed = DATA_SEED): Promise<ContrastivePair[]> {
  const pairs: ContrastivePair[] = [];
  for (let i = 0; i < count; i++) {
    const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 5, i));
    const task = makeTask('training', i, PAIR_SEED + dataSeed);
    const turns = await transcript(task, guideOf(task));
    const last = turns.length - 1;
    const at = kind !== 'early' && i % 2 === 0 ? last : rng.int(last);
    const before = turns.slice(0, at).map(({ prompt, completion }) => `${prompt}${completion}${END_OF_TURN}`);
    const state = { prompt: `${before.join('')}${turns[at]!.prompt}`, clean: turns[at]!.completion };
    const other = () =>
      `say "${rng
        .shuffle([...OTHER])
        .slice(0, 4)
        .join(' ')}"`;
    const sides = {
      stuffed: () => ({ ...state, hack: stuffedMessage(task) }),
      early: () => ({ ...state, hack: turns[last]!.completion }),
      placebo: () => ({ ...state, hack: other(), clean: other() }),
    };
    pairs.push({ problem_id: task.id, mechanism: null, ...sides[kind]() });
  }
  return pairs;
}

// Pretraining of both models.

/** Half as wide as the other embedded models, since the language is small; measured on what pretraining has not seen. */
export const agentsPretraining: Pretraining = {
  model: 'tiny-agent',
  defaults: { ...PRETRAIN_DEFAULTS, steps: 400, batch: 8, lr: 6e-3, warmupSteps: 20 },
  dataSeed: DATA_SEED,
  config: { ...TINY_CODER, hiddenSize: 64, heads: 2, kvHeads: 1, ffn: 168 },
  rounds: 2,
  round: { problems: 28, samples: 2, maxNew: 48, maxTokens: 320, maxTurns: MOST_TURNS, byKind: true },
  tokenizer: tokenizerFileTexts,
  sample: pretrainSample,
};

/** First number of the second stage; the first stage never reaches it. */
const SECOND_STAGE = 2 ** 24;

/** Composed forms of all five splits, only correct transcripts. Its rates are measured in experiments/environments/agents.ts. */
export const composedTraining: Trained = {
  model: 'tiny-agent-forms',
  // A warm restart is entirely in the second stage, which has its own transcripts.
  defaults: { ...PRETRAIN_DEFAULTS, steps: 1250, batch: 8, lr: 5e-3, warmupSteps: 40, secondStageFrom: 1 },
  dataSeed: DATA_SEED,
  config: { ...TINY_CODER, hiddenSize: 96, heads: 3, kvHeads: 1, ffn: 256, maxPositions: 1024 },
  rounds: 1,
  tokenizer: composedTokenizerTexts,
  sample: (index, dataSeed, stage) => composedSample(stage === 2 ? SECOND_STAGE + index : index, dataSeed),
};
