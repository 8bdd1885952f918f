import { describe, expect, it } from 'vitest';
import { KIND_IDS } from '../experiments/records/kind.ts';
import { KIND_COMMANDS } from './commands.ts';

describe('the commands of the kinds', () => {
  it('are one each, under the kind’s own name', async () => {
    expect(Object.keys(KIND_COMMANDS).sort()).toEqual([...KIND_IDS].sort());
    for (const kind of KIND_IDS) expect((await KIND_COMMANDS[kind].load()).usage.name).toBe(kind);
  });
});
