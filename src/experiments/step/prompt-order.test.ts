// The order in which an evaluation's problems are written.
import { expect, it } from 'vitest';
import type { Observation } from '../../environments/types.ts';
import { promptOrder } from './rollouts.ts';

it('puts prompts that begin alike side by side, equal ones in their own order', () => {
  const environment = {
    begin: (task: string) => task,
    observe: (text: string): Observation => (text === '' ? { kind: 'end' } : { kind: 'prompt', text }),
  };
  expect(promptOrder(environment, ['sum b', 'list a', 'sum a', '', 'list a', 'sum b'])).toEqual([3, 1, 4, 2, 0, 5]);
});
