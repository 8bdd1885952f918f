// Splits a call that would hold the GPU for too long. Other commands, such as drawing the screen, run between the parts, and no part reaches a
// driver's watchdog (2 s on Windows). A part is a range of the call's workgroups and gets its start as parameters, so each workgroup computes the
// same bits as in the whole call.
import { type Dispatch, MAX_GROUPS } from './shader.ts';

/** A range of a dispatch's workgroups, and its rough floating-point operations. */
interface Part {
  readonly x: number;
  readonly y: number;
  readonly firstX: number;
  readonly firstY: number;
  readonly cost: number;
}

/** `cost`: of the whole dispatch. `costsTo`: of its first g workgroups, if they differ. No part costs more than `most`, except a whole dispatch that cannot be split and a single
 *  workgroup. */
export function partsOf(dispatch: Dispatch, cost: number, most: number, costsTo?: Float64Array): Part[] {
  const { x, y, isPlane, isWhole } = dispatch;
  if (isWhole || cost <= most) return [{ x, y, firstX: 0, firstY: 0, cost }];
  if (isPlane) return planeParts(x, y, cost, most);
  const groups = costsTo ? costsTo.length - 1 : x * y;
  const upTo = (group: number) => (costsTo ? costsTo[group] : (cost * group) / groups);
  const parts: Part[] = [];
  for (let from = 0; from < groups; ) {
    let to = from + 1;
    if (costsTo) while (to < groups && to - from < MAX_GROUPS && upTo(to + 1) - upTo(from) <= most) to++;
    else to = Math.min(groups, from + Math.min(MAX_GROUPS, Math.max(1, Math.floor((most * groups) / cost))));
    parts.push({ x: to - from, y: 1, firstX: from, firstY: 0, cost: upTo(to) - upTo(from) });
    from = to;
  }
  return parts;
}

/** Splits a plane of tiles by rows, and a row too where one costs more than `most`. */
function planeParts(x: number, y: number, cost: number, most: number): Part[] {
  const ofTile = cost / (x * y);
  const height = Math.max(1, Math.floor(most / (ofTile * x)));
  const width = height > 1 ? x : Math.max(1, Math.min(x, Math.floor(most / ofTile)));
  const parts: Part[] = [];
  for (let firstY = 0; firstY < y; firstY += height)
    for (let firstX = 0; firstX < x; firstX += width) {
      const [w, h] = [Math.min(width, x - firstX), Math.min(height, y - firstY)];
      parts.push({ x: w, y: h, firstX, firstY, cost: ofTile * w * h });
    }
  return parts;
}
