// A figure averaged over seeds, with its standard deviation if there are several.
import type { ReactNode } from 'react';
import { percent } from '../../lib/numbers.ts';

/** `sd` is a share from 0 to 1, written with the same number of `digits` as the text. */
export function Spread({ text, sd, digits = 0 }: { text: ReactNode; sd: number | null; digits?: number }) {
  return (
    <>
      {text}
      {sd !== null ? <span className="sd"> ± {percent(sd, digits, '')}</span> : null}
    </>
  );
}
