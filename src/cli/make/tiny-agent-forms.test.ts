// The embedded model of composed forms as it is committed; what it does in held-out ones is measured again.

import { SPLITS } from '@projected-grpo-lab/are/generate/template.ts';
import { expect, it } from 'vitest';
import { composedTokenizerTexts } from '../../environments/agents/model.ts';
import { DATA_SEED } from '../../environments/agents/task.ts';
import { measureComposed, tableOf } from '../../experiments/environments/agents.ts';
import { openCommitted } from '../testing/committed-model.node.ts';

type Table = ReturnType<typeof tableOf>;

it('has the rates that its manifest records, in less than two megabytes', async () => {
  const { rates, bytes, policy, codec, isWhereRecorded } = await openCommitted<{ words: Table; templates: Table }>(
    'tiny-agent-forms',
    composedTokenizerTexts(),
  );
  expect(bytes).toBeLessThan(2e6);
  const drawn = { part: 'templates', count: 20, seed: DATA_SEED, temperature: 1 } as const;
  const again = tableOf(await measureComposed({ policy, codec }, drawn));
  policy.free();
  for (const split of SPLITS) expect(Math.abs(again[split].solve - rates.templates[split].solve)).toBeLessThan(0.15);
  if (isWhereRecorded) expect(again).toEqual(rates.templates);
}, 60_000);
