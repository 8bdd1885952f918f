// The corpus that makes the embedded model of this world: transcripts of training scenarios, as the environment would have answered them.
// About half do all rightly; in the others one turn goes wrong, so that there is something to learn. Only what the model says is
// trained on. A sample is a pure function of (data seed, index).
import { CounterRng, keyFor, STREAMS } from '../../rng/index.ts';
import { guideOf } from './guide.ts';
import { playEpisode, type Speaker } from './play.ts';
import { shownAfter } from './prompt.ts';
import { DATA_SEED, makeTask, PRETRAIN_SEED } from './task.ts';

/** `early`: says that all is done before it is. `slip`: one argument is another text that was shown. `malformed`: an action that is
 *  none; half of these say it properly then. */
export const SHARES = { right: 0.55, early: 0.15, slip: 0.2, malformed: 0.1 } as const;
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
const WRONG_WITHIN = 4;

export async function pretrainSample(index: number, dataSeed = DATA_SEED): Promise<PretrainSample> {
  const rng = new CounterRng(keyFor(dataSeed, STREAMS.pretrain, 4, index));
  const task = makeTask('training', index, PRETRAIN_SEED + dataSeed);
  const does = drawn(rng);
  const speaker = erring(guideOf(task), does, rng);
  const turns: { prompt: string; completion: string }[] = [];
  await playEpisode(task, (heard) => {
    const completion = speaker(heard);
    if (completion === null) return null;
    turns.push({ prompt: turns.length === 0 ? task.prompt : shownAfter(heard.shown, true), completion });
    return completion;
  });
  const [first, ...further] = turns as [(typeof turns)[0], ...typeof turns];
  return { prompt: task.prompt, completion: first.completion, further, kind: task.kind, does };
}

function drawn(rng: CounterRng): Does {
  let u = rng.uniform();
  for (const [does, share] of Object.entries(SHARES) as [Does, number][]) {
    if (u < share) return does;
    u -= share;
  }
  return 'right';
}

function erring(guide: Speaker, does: Does, rng: CounterRng): Speaker {
  let left = does === 'right' ? -1 : rng.int(WRONG_WITHIN);
  let again: string | null = null;
  return (heard) => {
    if (again !== null) {
      const text = rng.uniform() < 0.5 ? again : DONE;
      again = null;
      return text;
    }
    const text = guide(heard);
    if (text === null || left-- !== 0) return text;
    if (does === 'early') return DONE;
    if (does === 'malformed') {
      again = text;
      return rng.choice([text.slice(0, text.lastIndexOf(' ')), text.replace('.', ' '), text.replaceAll('$', '')]);
    }
    return text.replace(/\$\d+/, () => `$${1 + rng.int(heard.book.size)}`);
  };
}
