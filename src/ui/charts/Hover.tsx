// The box at a chart's cursor: the position, and the action of a click or Enter. The values at the cursor are in the gutter.

interface HoverProps {
  active: boolean;
  x: number | null;
  /** The name of a position on the axis: `Step 12`, `34k rollout tokens`. */
  where: (x: number) => string;
  /** Action of a click or Enter at this position; null if the cursor only follows another chart's. */
  hint: () => string | null;
}

export function Hover({ active, x, where, hint }: HoverProps) {
  const opens = active ? hint() : null;
  if (x === null || opens === null) return null;
  return (
    <div className="hover">
      <strong>{where(x)}</strong>
      {opens ? <small>{opens}</small> : null}
    </div>
  );
}
