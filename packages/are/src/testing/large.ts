// Long scenarios for tests and measurements: mails arrive while an agent writes many, in one turn or in several.
import type { Trace } from '../scenario/schema.ts';
import { incoming, mail, type SampleEvent, sampleTrace, toAgent, toUser } from './sample.ts';

/** `mails` arrive, spread over the turn, while `calls` are made one after another. */
export function largeEvents(mails: number, calls: number, turns = 1): SampleEvent[] {
  return Array.from({ length: turns }, (_, turn): SampleEvent[] => {
    const name = (id: string) => `${id}_${turn}`;
    const share = (count: number) => Math.floor(((turn + 1) * count) / turns) - Math.floor((turn * count) / turns);
    const [own, written] = [share(mails), share(calls)];
    const user = toAgent(
      name('u'),
      `Write ${written} mails.`,
      turn > 0 ? { after: [`end_${turn - 1}`], delay: 1 } : {},
    );
    const span = Math.max(1, written);
    return [
      user,
      ...Array.from({ length: written }, (_, at) => mail(name(`o${at}`), [at === 0 ? user.id : name(`o${at - 1}`)])),
      ...Array.from({ length: own }, (_, at) => incoming(name(`e${at}`), [user.id], Math.floor((at * span) / own))),
      toUser(name('end'), [written === 0 ? user.id : name(`o${written - 1}`)], 'Done.', 2),
    ];
  }).flat();
}

export const largeTrace = (mails: number, calls: number, turns = 1): Trace =>
  sampleTrace(largeEvents(mails, calls, turns), 3600);
