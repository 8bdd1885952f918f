// A story carried out: step by step, right or with one step wrong, into the lines of a working and its answer.
import { type Done, stepOf } from './steps.ts';
import type { Template } from './types.ts';

/** Numbers of a story stay below; models of this size know no larger ones. */
export const LARGEST = 60;

/** How one step is carried out: in its own way, or another. */
export type CarryOut = (value: number, param: number, place: number) => Done | null;

/** Null where a number leaves 1 … 60 (a part may be smaller), or is broken before the end. */
export function carryOut(template: Template, params: readonly number[], how: CarryOut): Done | null {
  const lines: string[] = [];
  let value = params[0];
  for (let place = 0; place < template.steps.length; place++) {
    const done = how(value, params[place + 1], place);
    if (!done) return null;
    const isLast = place === template.steps.length - 1;
    if (done.value <= 0 || done.value > LARGEST || !(isLast || Number.isInteger(done.value))) return null;
    lines.push(...done.lines);
    value = done.value;
  }
  return { lines, value };
}

export const rightWorking = (template: Template, params: readonly number[]): Done | null =>
  carryOut(template, params, (value, param, place) => stepOf(template.steps[place]).right(value, param));

/** With the template's misconception; null also where it has none. */
export function misconceivedWorking(template: Template, params: readonly number[]): Done | null {
  if (template.kind === 'plain') return null;
  return carryOut(template, params, (value, param, place) => {
    const { right, wrong } = stepOf(template.steps[place]);
    return (wrong ?? right)(value, param);
  });
}
