import { expect, it } from 'vitest';
import { ARM_NAMES, VANILLA_ARMS } from '../config/arms.ts';
import { nameOf } from './names.ts';
import { isVanillaEquivalent } from './vanilla.ts';

it('calls one model that trains like vanilla "vanilla"', () => {
  expect(nameOf('route-update', 'total', ['route-update', 'erase'])).toBe('vanilla');
  expect(nameOf('route-update', 'total', ['none', 'route-update'])).toBe('route (update), in training');
  expect(nameOf('none', 'total', ['none', 'route-update'])).toBe('vanilla');
  // This arm's gradient differs from vanilla's.
  expect(nameOf('route', 'total', ['route'])).toBe('route, in training');
  for (const arm of ARM_NAMES)
    expect(isVanillaEquivalent(arm, [arm])).toBe(VANILLA_ARMS.some((vanilla) => vanilla === arm));
});

it('gives every model of every arm of one experiment a different name', () => {
  const names = ARM_NAMES.flatMap((arm) => [nameOf(arm, 'total', ARM_NAMES), nameOf(arm, 'deployed', ARM_NAMES)]);
  expect(new Set(names).size).toBe(names.length);
  expect(nameOf('', 'base', [])).toBe('base (untrained)');
  expect(nameOf('later-arm', 'total', [])).toBe('later-arm');
  const routed = ['route-update', 'route', 'random_V_matched-route', 'no_teacher-route', 'later-arm'];
  expect(routed.map((arm) => nameOf(arm, 'deployed', ARM_NAMES))).toEqual([
    'routed, quarantine removed',
    'routed (gradient), quarantine removed',
    'routed, random V matched, quarantine removed',
    'routed, no teacher, quarantine removed',
    'later-arm, deployed',
  ]);
});
