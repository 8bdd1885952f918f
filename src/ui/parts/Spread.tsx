// A figure over seeds, with its standard deviation if there are several.
import type { ReactNode } from 'react';
import { percent } from '../../lib/numbers.ts';

/** `sd` is a share, 0 to 1. */
export function Spread({ text, sd }: { text: ReactNode; sd: number | null }) {
  return (
    <>
      {text}
      {sd !== null ? <span className="sd"> ± {percent(sd, 1, '')}</span> : null}
    </>
  );
}
