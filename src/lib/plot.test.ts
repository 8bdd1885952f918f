import { expect, it } from 'vitest';
import { frameOf, placeOf, plotAxis } from './plot.ts';

const axis = plotAxis('share', { low: -0.5, high: 1, ticks: [-0.5, 0, 0.5, 1] }, (at) => `${100 * at}%`);

it('has its ends at the frame, larger values higher, and tick labels with a minus sign', () => {
  const size = { width: 300, height: 200 };
  const place = placeOf(size, { x: axis, y: axis });
  expect([place.x(-0.5), place.x(1)]).toEqual([place.left, place.right]);
  expect([place.y(-0.5), place.y(1)]).toEqual([place.bottom, place.top]);
  const shapes = frameOf({ x: axis, y: axis }, size, place);
  expect(shapes.flatMap((shape) => ('text' in shape ? [shape.text] : []))).toEqual([
    ...['−50%', '0%', '50%', '100%', '−50%', '0%', '50%', '100%'],
    ...['share', 'share'],
  ]);
  expect(shapes.filter((shape) => 'd' in shape)).toHaveLength(4);
});

it('keeps the inset free at both ends, and has vertical grid lines without a y axis', () => {
  const size = { width: 300, height: 200 };
  const place = placeOf(size, { x: { ...axis, inset: 10 } });
  expect([place.x(-0.5), place.x(1), place.y(7)]).toEqual([place.left + 10, place.right - 10, 7]);
  const lines = frameOf({ x: axis }, size, place).flatMap((shape) => ('d' in shape ? [shape.d] : []));
  expect(lines[0]).toBe(`M${place.left + 10} ${place.top}V${place.bottom}`);
});
