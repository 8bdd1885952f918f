// The corpus of the model that does composed forms, and its tokenizer: the guide's transcripts of forms for training, each split as often
// as the others. All are right: what this model is for is to be right, and what a policy could gain is another model's (model.ts).

import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { END_OF_TURN } from '../../text/chatml.ts';
import { composedGuideOf } from './composed-guide.ts';
import { type PretrainSample, transcript } from './model.ts';
import { DATA_SEED, generatedOf, makeTask, PRETRAIN_SEED } from './task.ts';
import type { AgentTask } from './types.ts';

/** Forms take turns by number; this many numbers are more than there are forms of any split. */
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

const CORPUS_TASKS = 600;
const VOCABULARY = 640;

/** What calls give and what looks things up, in the words that the second dialect has for them. */
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

export function composedTokenizerTexts(
  dataSeed = DATA_SEED,
): Record<'tokenizer.json' | 'tokenizer_config.json', string> {
  const corpus = function* () {
    for (let index = 0; index < CORPUS_TASKS; index++) {
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
  return tokenizerTexts(corpus(), VOCABULARY);
}
