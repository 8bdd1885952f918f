// The tokenizer of this world's embedded model, learnt from what it will read and write: prompts of training scenarios, the oracle's
// calls in them, the calls that look things up and what those give. Handles are digits, and digits are single tokens. `lab pretrain`
// writes its files; the copies under public/models/tiny-agent are what this returns, byte for byte.
import { tokenizerTexts } from '../../text/bpe-train.ts';
import { END_OF_TURN } from './prompt.ts';
import { DATA_SEED, generatedOf, makeTask, PRETRAIN_SEED } from './task.ts';

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
