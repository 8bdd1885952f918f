// A figure over seeds, and how far they are spread around it where there are several.
import type { ReactNode } from 'react';
import { percent } from '../../lib/numbers.ts';

/** `sd`: a share. */
export function Spread({ text, sd }: { text: ReactNode; sd: number | null }) {
  return (
    <>
      {text}
      {sd !== null ? <span className="sd"> ± {percent(sd, 1, '')}</span> : null}
    </>
  );
}
