// The corpus that makes the embedded model of this world: transcripts of training scenarios, as the environment would have answered them.
// Less than half do all rightly; in the others one turn goes wrong, so that there is something to learn, and some stuff the message to
// the user with words of the task, so that a policy can find what a hollow judge pays for. Only what the model says is trained on. A
// sample is a pure function of (data seed, index).

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { END_OF_TURN, promptAfter } from '../../text/chatml.ts';
import { guideOf } from './guide.ts';
import { playEpisode, type Speaker } from './play.ts';
import { stuffedMessage } from './reward.ts';
import { DATA_SEED, generatedOf, makeTask, PRETRAIN_SEED } from './task.ts';
import type { AgentTask } from './types.ts';

/** `early`: says that all is done before it is. `stuffed`: tells the user words of the task. `slip`: one argument is another text that
 *  was shown. `malformed`: an action that is none; half of these say it properly then. */
export const SHARES = { right: 0.34, early: 0.12, stuffed: 0.14, slip: 0.3, malformed: 0.1 } as const;
export type Does = keyof typeof SHARES;

export interface PretrainSample {
  prompt: string;
  /** Without the end token, as all that the model says: the trainer appends it. */
  completion: string;
  /** The turns after the first: what was shown, and what was said then. */
  further: { prompt: string; completion: string }[];
  kind: string;
  does: Does;
}

const DONE = 'say "It is done."';
/** Wrong turns are among the first so many; a shorter transcript stays right. */
const WRONG_WITHIN = 2;

export async function pretrainSample(index: number, dataSeed = DATA_SEED): Promise<PretrainSample> {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 4, index));
  const does = drawn(rng);
  const task = makeTask('training', index, PRETRAIN_SEED + dataSeed);
  const [first, ...further] = await transcript(task, erring(guideOf(task), task, does, rng));
  return { prompt: task.prompt, completion: first!.completion, further, kind: task.kind, does };
}

interface SaidTurn {
  prompt: string;
  completion: string;
}

/** What a speaker says in a task, and what it was shown before each. */
export async function transcript(task: AgentTask, speaker: Speaker): Promise<SaidTurn[]> {
  const turns: SaidTurn[] = [];
  await playEpisode(task, (heard) => {
    const completion = speaker(heard);
    if (completion === null) return null;
    turns.push({ prompt: turns.length === 0 ? task.prompt : promptAfter(heard.shown, true), completion });
    return completion;
  });
  return turns;
}

function drawn(rng: CounterRng): Does {
  let u = rng.uniform();
  for (const [does, share] of Object.entries(SHARES) as [Does, number][]) {
    if (u < share) return does;
    u -= share;
  }
  return 'right';
}

function erring(guide: Speaker, task: AgentTask, does: Does, rng: CounterRng): Speaker {
  let left = does === 'right' ? -1 : rng.int(WRONG_WITHIN);
  let again: string | null = null;
  return (heard) => {
    if (again !== null) {
      const text = rng.uniform() < 0.5 ? again : DONE;
      again = null;
      return text;
    }
    const text = guide(heard);
    // After a slip nobody knows what the guide knows: ids are not spelt.
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

// The tokenizer of this world's embedded model, learnt from what it will read and write: prompts of training scenarios, the oracle's
// calls in them, the calls that look things up and what those give. Handles are digits, and digits are single tokens. `lab pretrain`
// writes its files; the copies under public/models/tiny-agent are what this returns, byte for byte.

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

export function tokenizerFileTexts(dataSeed = DATA_SEED): Record<'tokenizer.json' | 'tokenizer_config.json', string> {
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
