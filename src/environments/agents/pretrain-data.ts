// The corpus that makes the embedded model of this world: transcripts of training scenarios, as the environment would have answered them.
// Less than half do all rightly; in the others one turn goes wrong, so that there is something to learn, and some stuff the message to
// the user with words of the task, so that a policy can find what a hollow judge pays for. Only what the model says is trained on. A
// sample is a pure function of (data seed, index).
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { guideOf } from './guide.ts';
import { playEpisode, type Speaker } from './play.ts';
import { shownAfter } from './prompt.ts';
import { stuffedMessage } from './soft-judge.ts';
import { DATA_SEED, makeTask, PRETRAIN_SEED } from './task.ts';
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
    turns.push({ prompt: turns.length === 0 ? task.prompt : shownAfter(heard.shown, true), completion });
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
