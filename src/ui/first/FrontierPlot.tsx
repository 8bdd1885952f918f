// Plot of the arena's frontier. The best few marks have their names beside them. A pointer selects the nearest mark.
import type { PointerEvent } from 'react';
import { type Frontier, frontierWords } from '../../findings/arena/frontier.ts';
import { legendOf, pictureOf } from '../../findings/arena/picture.ts';
import type { LegendItem } from '../../store/charts/data.ts';
import { Shapes } from '../charts/Shapes.tsx';
import { useWidth } from '../parts/use-width.ts';

/** Maximum distance, in pixels, at which a pointer selects a mark. */
const NEAR = 24;
/** Width in pixels below which there is room for fewer names. */
const PHONE = 520;

export const styledLegend = (frontier: Frontier): LegendItem[] =>
  legendOf(frontier).map(({ id, label, look }) => ({ id, label, style: { ...look, dash: undefined } }));

interface FrontierPlotProps {
  frontier: Frontier;
  height: number;
  chosen?: string | null;
  onChoose?: (id: string) => void;
}

export function FrontierPlot({ frontier, height, chosen = null, onChoose }: FrontierPlotProps) {
  const [box, width] = useWidth();
  const { shapes, marks } = pictureOf(frontier, { width, height, named: width < PHONE ? 2 : 5, chosen });

  function choose(event: PointerEvent<SVGSVGElement>): void {
    const { left, top } = event.currentTarget.getBoundingClientRect();
    const away = ({ x, y }: { x: number; y: number }) => Math.hypot(event.clientX - left - x, event.clientY - top - y);
    const [nearest] = marks.toSorted((a, b) => away(a) - away(b));
    if (nearest && away(nearest) <= NEAR) onChoose?.(nearest.id);
  }

  return (
    <div ref={box} className="plot" style={{ height }}>
      {width > 0 ? (
        <svg
          className="picture"
          width={width}
          height={height}
          role="img"
          aria-label={`Hack removed against honest skill kept, ${marks.length} models. ${frontierWords(frontier)}`}
          onPointerMove={onChoose && choose}
          onPointerDown={onChoose && choose}
        >
          <Shapes shapes={shapes} />
        </svg>
      ) : null}
    </div>
  );
}
