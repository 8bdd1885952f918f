// A long list that draws its first items, and more with each press of More.
import { type ReactNode, useState } from 'react';
import { Button } from '../parts/Button.tsx';

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
          <Button label={`${items.length - most} more`} onClick={() => setMost(most + part)} />
        </li>
      ) : null}
    </>
  );
}
