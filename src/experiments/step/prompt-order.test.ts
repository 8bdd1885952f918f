// Tests the order in which an evaluation generates its answers.
import { expect, it } from 'vitest';
import type { Observation } from '../../environments/types.ts';
import { promptOrder } from './rollouts.ts';

it('sorts prompts so that common prefixes are adjacent, and keeps the order of equal ones', () => {
  const environment = {
    begin: (task: string) => task,
    observe: (text: string): Observation => (text === '' ? { kind: 'end' } : { kind: 'prompt', text }),
  };
  expect(promptOrder(environment, ['sum b', 'list a', 'sum a', '', 'list a', 'sum b'])).toEqual([3, 1, 4, 2, 0, 5]);
});
