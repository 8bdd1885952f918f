import { expect, it } from 'vitest';
import { type Marker, markerOf } from './marker.ts';

const MARKERS: Marker[] = ['circle', 'square', 'triangle', 'diamond', 'cross', 'star'];

it('every marker is a distinct path, and an outline if it is hollow and has an inside', () => {
  const paths = MARKERS.map((marker) => markerOf({ marker, color: 'red' }, 20, 10, 4));
  expect(new Set(paths.map((shape) => 'd' in shape && shape.d)).size).toBe(MARKERS.length);
  for (const shape of paths) expect('d' in shape && shape.d).not.toMatch(/NaN|undefined/);
  expect(markerOf({ marker: 'square', color: 'red', hollow: true }, 0, 0, 4)).toMatchObject({ stroke: 'red' });
  expect(markerOf({ marker: 'square', color: 'red' }, 0, 0, 4)).toMatchObject({ fill: 'red' });
  expect(markerOf({ marker: 'cross', color: 'red', hollow: true }, 0, 0, 4)).not.toHaveProperty('fill');
});
