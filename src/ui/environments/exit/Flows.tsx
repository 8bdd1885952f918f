// Columns of shares over a run's steps: the depth from which training started, and the effect of revisions on the revised answers.
import {
  blocksOf,
  DEPTH_PARTS,
  depthParts,
  FLOW_PARTS,
  type FlowShares,
  flowParts,
  type StepFlow,
} from '../../../experiments/exit/training-flows.ts';
import { percent } from '../../../lib/numbers.ts';

const COLUMNS = 25;
/** Size and gap in units of the drawing, which is scaled to its box. */
const [WIDTH, HEIGHT, GAP] = [300, 90, 1];

export function Flows({ flows }: { flows: readonly StepFlow[] }) {
  if (flows.length === 0) return null;
  return (
    <div className="buffer-flows">
      <Columns
        title="Where training began"
        about="Rollouts by the number of earlier answers. Numbers: the last column."
        parts={DEPTH_PARTS}
        of={blocksOf(flows, COLUMNS, depthParts)}
        look="depth"
      />
      <Columns
        title="What revisions did"
        about="Their effect on the answer that each was given. Numbers: the last column."
        parts={FLOW_PARTS}
        of={blocksOf(flows, COLUMNS, flowParts)}
        look="flow"
      />
    </div>
  );
}

interface ColumnsProps {
  title: string;
  about: string;
  parts: readonly string[];
  of: readonly FlowShares[];
  look: 'depth' | 'flow';
}

function Columns({ title, about, parts, of, look }: ColumnsProps) {
  const wide = WIDTH / of.length;
  const [first, last] = [of[0], of[of.length - 1]];
  const sharesText = ({ shares }: FlowShares) => parts.map((part, i) => `${part} ${percent(shares[i], 0)}`).join(', ');
  return (
    <figure>
      <figcaption>
        {title} <span className="muted">{about}</span>
        <ul className="legend">
          {parts.map((part, i) => (
            <li key={part}>
              <svg className={`flow-key ${look}-${i}`} viewBox="0 0 10 10" aria-hidden="true">
                <rect width="10" height="10" />
              </svg>
              {part} <span className="muted num">{percent(last.shares[i], 0)}</span>
            </li>
          ))}
        </ul>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}. First (steps ${first.from} to ${first.to}): ${sharesText(first)}. Last (steps ${last.from} to ${last.to}): ${sharesText(last)}.`}
      >
        {of.map((column, c) => (
          <g key={column.from}>
            <title>{`Steps ${column.from} to ${column.to}: ${sharesText(column)}`}</title>
            {column.shares.map((share, i) => (
              <rect
                key={parts[i]}
                className={`${look}-${i}`}
                x={c * wide}
                y={HEIGHT * column.shares.slice(0, i).reduce((a, b) => a + b, 0)}
                width={Math.max(1, wide - GAP)}
                height={HEIGHT * share}
              />
            ))}
          </g>
        ))}
      </svg>
      <p className="flow-axis muted num">
        <span>step {first.from}</span>
        <span>{last.to}</span>
      </p>
    </figure>
  );
}
