import { describe, expect, it } from 'vitest';
import { endNames, gutterFor, nameHeight, placeLabels } from './direct-labels.ts';

const SIZE = 11.5;
const room = { fontSize: SIZE, top: 0, bottom: 110 };
const ends = (x: number, ...ys: number[]) =>
  ys.map((y, i) => ({ id: `${x} ${i}`, text: 'vanilla', color: 'red', x, y }));

describe('names beside lines', () => {
  it('stand at their lines where these are apart, without leaders', () => {
    const found = placeLabels(ends(200, 20, 60, 40), [], room);
    expect(found.map(({ at }) => at)).toEqual([20, 60, 40]);
    expect(found.every(({ left, isApart }) => left === 208 && !isApart)).toBe(true);
  });

  it('leave each other the whole height of their type: 15.1 px at 11.5, as a browser draws it', () => {
    expect(nameHeight(SIZE)).toBeGreaterThanOrEqual(15.1);
    const [first, second] = placeLabels(ends(200, 50, 50), [], room);
    expect(second.at - first.at).toBeGreaterThanOrEqual(15.1);
    // The one that was moved has a leader, and both begin beyond it.
    expect([first, second].map(({ isApart }) => isApart)).toEqual([false, true]);
    expect(first.left).toBe(second.left);
    expect(first.left).toBeGreaterThan(210);
  });

  it('never lie on one another, and stay in the chart', () => {
    for (const ys of [
      [50, 50, 50],
      [109, 108, 107],
      [0, 2, 1],
      [105, 105, 12],
    ]) {
      const found = placeLabels(ends(200, ...ys), [], room)
        .map(({ at }) => at)
        .sort((a, b) => a - b);
      for (let i = 1; i < found.length; i++)
        expect(found[i] - found[i - 1]).toBeGreaterThanOrEqual(nameHeight(SIZE) - 1e-9);
      expect(found[0]).toBeGreaterThanOrEqual(nameHeight(SIZE) / 2);
      expect(found.at(-1)).toBeLessThanOrEqual(110 - nameHeight(SIZE) / 2);
    }
  });

  it('stand at an unfinished line’s own end, above or below a line that goes on there', () => {
    const through = { id: 'whole', points: [[0, 48] as const, [200, 52] as const] };
    const whole = { id: 'whole', text: 'vanilla', color: 'red', x: 200, y: 52 };
    const [last, own] = placeLabels([...ends(80, 50), whole], [through], room);
    expect(last).toMatchObject({ id: 'whole', left: 208, at: 52 });
    expect(own.left).toBeLessThan(110);
    expect(Math.abs(own.at - 50)).toBeGreaterThanOrEqual(nameHeight(SIZE) / 2);
    expect(own.isApart).toBe(true);
    // Where no line goes on, it is beside its end.
    const line = { id: '80 0', points: [[0, 10] as const, [80, 50] as const] };
    const [high, low] = placeLabels(ends(80, 50, 90), [line], room);
    expect([high, low]).toMatchObject([
      { left: 88, at: 50, isApart: false },
      { left: 88, at: 90, isApart: false },
    ]);
  });
});

it('are within the plot where they have no gutter: above or below every line, or left out', () => {
  const line = (id: string, ...ys: number[]) => ({ id, points: ys.map((y, i) => [40 * i, y] as const) });
  const lines = [line('200 0', 20, 60, 30, 50, 40, 45), line('200 1', 70, 80, 72, 60, 66, 48)];
  const found = placeLabels(ends(200, 45, 48), lines, { ...room, right: 200 });
  expect(found.every(({ left, isWithin }) => left === 200 && isWithin)).toBe(true);
  // Over the last 50 px the lines lie between 40 and 66.
  for (const { at } of found) expect(at < 40 - 7 || at > 66 + 7).toBe(true);
  expect(Math.abs(found[0].at - found[1].at)).toBeGreaterThanOrEqual(nameHeight(SIZE));
  const full = Array.from({ length: 12 }, (_, i) => line(String(i), 10 * i, 10 * i, 10 * i, 10 * i, 10 * i, 10 * i));
  expect(placeLabels(ends(200, 45, 48), full, { ...room, right: 200 })).toEqual([]);
});

it('stand at an unfinished line’s end where there is no gutter, too', () => {
  const [early, late] = [...ends(60, 50), ...ends(190, 80)];
  const found = placeLabels([early, late], [], { ...room, right: 200 });
  expect(found.find(({ id }) => id === early.id)).toMatchObject({ left: 68, at: 50, isWithin: false, isApart: false });
  expect(found.find(({ id }) => id === late.id)).toMatchObject({ left: 200, isWithin: true });
});

it('are one word for the only deployed model', () => {
  const of = (...labels: string[]) =>
    endNames(labels.map((label) => ({ label, isDeployed: label.endsWith(', deployed') })));
  expect(of('vanilla', 'route (update), deployed')).toEqual(['vanilla', 'deployed']);
  expect(of('a, deployed', 'b, deployed')).toEqual(['a, deployed', 'b, deployed']);
});

describe('the gutter', () => {
  it('has room for the longest name and its leader, where that leaves the chart most of its width', () => {
    expect(gutterFor(['vanilla', 'routed'], SIZE, 500)).toBe(20 + Math.ceil(0.52 * SIZE * 7));
    expect(gutterFor(['vanilla', 'routed'], SIZE, 150)).toBe(0);
    expect(gutterFor(['vanilla'], SIZE, 500)).toBe(0);
    expect(gutterFor(Array.from('1234567'), SIZE, 500)).toBe(0);
  });
});
