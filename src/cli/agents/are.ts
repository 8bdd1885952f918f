// `are …`: the commands of agent environments (packages/are) with the lab's models, and `composed`, which evaluates a model on composed
// forms.
import { ABOUT, partsFor } from '@projected-grpo-lab/are/cli/are.ts';
import { group } from '../command.ts';
import { HOST } from './host.ts';

export const are = group(ABOUT, {
  ...partsFor(HOST),
  composed: [
    '',
    'asks a model composed forms, and says what it passes by split',
    async () => (await import('./composed.ts')).areComposed,
  ],
});
