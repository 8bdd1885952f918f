// Drawing of one step's split: the gradient as an arrow, the hack axis V as a vertical line, the part along V and the remainder, and the
// adapter that receives each part. The arrow's angle is computed from the logged overlap.
import type { CSSProperties } from 'react';
import { percent, significant } from '../../lib/numbers.ts';
import type { MethodSplit } from '../../store/runs/method.ts';

interface SplitPictureProps {
  split: MethodSplit;
  /** Maximum norm of either adapter in the run, which is the length of a full bar. */
  most: number;
  isPlaying: boolean;
  /** The vector that is split: the gradient, or the optimizer's step. */
  vector?: 'g' | 'Δ';
}

/** Length of the gradient's arrow, in units of the drawing. */
const LENGTH = 168;
const ORIGIN = { x: 34, y: 204 };
const BOX = { x: 292, width: 214, height: 74 };
const DEPLOYED_Y = 152;
const TAKEN_Y = 34;

const TAKEN: Record<MethodSplit['does'], { title: string; about: string }> = {
  routed: { title: 'Quarantine', about: 'Deleted at deployment.' },
  erased: { title: 'Dropped', about: 'No adapter gets it.' },
  measured: { title: 'Nothing taken out', about: 'The overlap is only measured.' },
};

export function SplitPicture({ split, most, isPlaying, vector = 'g' }: SplitPictureProps) {
  const { of, does, share, chance, left, deployed, quarantine } = split;
  const rest = Math.sqrt(Math.max(0, 1 - share * share));
  const tip = { x: ORIGIN.x + LENGTH * rest, y: ORIGIN.y - LENGTH * share };
  const angle = (Math.asin(Math.min(1, share)) * 180) / Math.PI;
  const taken = TAKEN[does];
  return (
    <svg
      className={`split-picture ${does}${isPlaying ? ' playing' : ''}`}
      viewBox="0 0 510 244"
      role="img"
      aria-label={`${percent(share, 0)} of the ${vector === 'g' ? 'gradient' : 'update'}’s norm lies along V`}
    >
      <defs>
        <marker
          id="split-head"
          viewBox="0 0 10 10"
          refX="8"
          refY="5"
          markerWidth="5.5"
          markerHeight="5.5"
          orient="auto"
        >
          <path d="M0 0 10 5 0 10z" fill="context-stroke" />
        </marker>
      </defs>
      <path className="axis" d={`M${ORIGIN.x} ${ORIGIN.y}V22`} />
      <path className="axis" d={`M${ORIGIN.x} ${ORIGIN.y}H${ORIGIN.x + LENGTH + 26}`} />
      <text className="axis-name hackward" x={ORIGIN.x + 6} y={20}>
        V, hack-ward
      </text>
      <text className="axis-name" x={ORIGIN.x} y={ORIGIN.y + 18}>
        all other directions
      </text>
      {chance === null ? null : (
        <g>
          <path className="chance" d={`M${ORIGIN.x - 4} ${ORIGIN.y - LENGTH * chance}h${LENGTH + 26}`} />
          <text className="small" x={ORIGIN.x + LENGTH + 24} y={ORIGIN.y - LENGTH * chance - 4} textAnchor="end">
            chance {percent(chance, 0)}
          </text>
        </g>
      )}

      <path
        className="flow hackward"
        d={`M${tip.x} ${tip.y}C${tip.x + 60} ${tip.y} 236 ${TAKEN_Y + 37} ${BOX.x} ${TAKEN_Y + 37}`}
      />
      <path
        className="flow kept"
        d={`M${ORIGIN.x + LENGTH * rest} ${ORIGIN.y}C${ORIGIN.x + LENGTH * rest + 40} ${ORIGIN.y} 250 ${DEPLOYED_Y + 37} ${BOX.x} ${DEPLOYED_Y + 37}`}
      />

      <path
        className="part hackward"
        d={`M${ORIGIN.x} ${ORIGIN.y}v${-LENGTH}`}
        style={{ transform: `scaleY(${share})`, transformOrigin: `${ORIGIN.x}px ${ORIGIN.y}px` }}
      />
      <path
        className="part kept"
        d={`M${ORIGIN.x} ${ORIGIN.y}h${LENGTH}`}
        style={{ transform: `scaleX(${rest})`, transformOrigin: `${ORIGIN.x}px ${ORIGIN.y}px` }}
      />
      <path
        className="gradient-arrow"
        d={`M${ORIGIN.x} ${ORIGIN.y}h${LENGTH}`}
        markerEnd="url(#split-head)"
        style={{ transform: `rotate(${-angle}deg)`, transformOrigin: `${ORIGIN.x}px ${ORIGIN.y}px` }}
      />
      <text className="figure-name" x={Math.min(tip.x + 6, 196)} y={tip.y - 8}>
        {vector}
      </text>
      <text className="figure-share hackward" x={ORIGIN.x + 8} y={42}>
        {percent(share, 0)}
      </text>

      <Box
        y={TAKEN_Y}
        className={does === 'measured' ? 'taken nothing' : 'taken'}
        title={taken.title}
        about={taken.about}
      >
        {does === 'routed' ? (
          <Bar y={TAKEN_Y} share={quarantine / most} text={`‖δS_hack‖ ${significant(quarantine)}`} />
        ) : null}
      </Box>
      <Box
        y={DEPLOYED_Y}
        className="deployed"
        title="Deployed adapter"
        about={left === null ? '' : `Its ${of === 'update' ? 'step' : 'gradient'} has ${percent(left, 0)} along V.`}
      >
        <Bar y={DEPLOYED_Y} share={deployed / most} text={`‖δS‖ ${significant(deployed)}`} />
      </Box>
    </svg>
  );
}

interface BoxProps {
  y: number;
  className: string;
  title: string;
  about: string;
  children: React.ReactNode;
}

function Box({ y, className, title, about, children }: BoxProps) {
  return (
    <g className={`split-box ${className}`}>
      <rect x={BOX.x} y={y} width={BOX.width} height={BOX.height} rx="8" />
      <text className="box-title" x={BOX.x + 12} y={y + 21}>
        {title}
      </text>
      <text className="small" x={BOX.x + 12} y={y + 38}>
        {about}
      </text>
      {children}
    </g>
  );
}

/** An adapter's norm, on the same scale as the other adapter's. */
function Bar({ y, share, text }: { y: number; share: number; text: string }) {
  const width = 92;
  const scale: CSSProperties = {
    transform: `scaleX(${Math.min(1, share || 0)})`,
    transformOrigin: `${BOX.x + 12}px 0`,
  };
  return (
    <>
      <rect className="bar-ground" x={BOX.x + 12} y={y + 51} width={width} height="9" rx="2" />
      <rect className="bar-fill" x={BOX.x + 12} y={y + 51} width={width} height="9" rx="2" style={scale} />
      <text className="small num" x={BOX.x + 18 + width} y={y + 60}>
        {text}
      </text>
    </>
  );
}
