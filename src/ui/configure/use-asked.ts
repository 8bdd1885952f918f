// What was asked of the experiment at work (stop, pause): true until another is at work, or none. It is state beside the button and
// not the button's key, because a button that is put in anew loses the keyboard's focus, and the next Enter goes nowhere.
import { useState } from 'react';
import { useLab } from '../lab-context.ts';

export function useAsked(): [boolean, (asked: boolean) => void] {
  const busy = useLab((state) => state.busy);
  const liveId = useLab((state) => state.live?.id);
  const [asked, setAsked] = useState<{ of: string | undefined } | null>(null);
  if (asked && !busy) setAsked(null);
  // Asked before the experiment had its name: it is the one that is named now.
  else if (asked && asked.of === undefined && liveId !== undefined) setAsked({ of: liveId });
  else if (asked && asked.of !== liveId) setAsked(null);
  return [asked !== null, (wish) => setAsked(wish ? { of: liveId } : null)];
}
