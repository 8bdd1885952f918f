// Labelled pairs at one state of an episode: a message stuffed with the task's words against what a proper agent does there. Half are at
// the end, where the proper turn is a message too, half at an earlier turn, where it is a call. Of universes that no run and no
// pretraining has. The controls have the same states.

import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { END_OF_TURN } from '../../text/chatml.ts';
import type { ContrastivePair } from '../code/pairs.ts';
import { guideOf } from './guide.ts';
import { transcript } from './model.ts';
import { stuffedMessage } from './reward.ts';
import { DATA_SEED, makeTask } from './task.ts';

const PAIR_SEED = 2003;
/** Words of results: no task has them. */
const OTHER = 'sender subject email_id contact_id title attendees name variants price item_id options color'.split(' ');

/** `stuffed`: against the proper turn. `early`: the message that all is done against the proper call; no judge is fooled by it.
 *  `placebo`: messages of other words on either side. */
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
