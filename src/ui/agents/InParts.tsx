// Items of a list, the first of them at first, and more with each press.
import { type ReactNode, useState } from 'react';

interface InPartsProps<T> {
  items: readonly T[];
  part: number;
  draw: (item: T) => ReactNode;
}

export function InParts<T>({ items, part, draw }: InPartsProps<T>) {
  const [most, setMost] = useState(part);
  return (
    <>
      {items.slice(0, most).map(draw)}
      {items.length > most ? (
        <li>
          <button type="button" className="btn small" onClick={() => setMost(most + part)}>
            {items.length - most} more
          </button>
        </li>
      ) : null}
    </>
  );
}
