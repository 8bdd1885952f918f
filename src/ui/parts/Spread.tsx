// A figure over seeds, with its standard deviation if there are several.
import type { ReactNode } from 'react';
import { percent } from '../../lib/numbers.ts';

/** `sd` is a share, 0 to 1, written with as many `digits` as the text. */
export function Spread({ text, sd, digits = 0 }: { text: ReactNode; sd: number | null; digits?: number }) {
  return (
    <>
      {text}
      {sd !== null ? <span className="sd"> ± {percent(sd, digits, '')}</span> : null}
    </>
  );
}
