// A name and its value in a list of facts: a figure, or the children.
import type { ReactNode } from 'react';

export function Fact({ name, value, children }: { name: string; value?: string; children?: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      {value === undefined ? <dd>{children}</dd> : <dd className="num">{value}</dd>}
    </div>
  );
}

/** A fact as a row of a table of facts. */
export function FactRow({ name, className, children }: { name: string; className?: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd className={className}>{children}</dd>
    </>
  );
}
