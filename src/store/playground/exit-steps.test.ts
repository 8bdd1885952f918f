import { describe, expect, it } from 'vitest';
import type { LabClient } from '../../lab/client.ts';
import type { PlayRequest } from '../../lab/protocol/playground.ts';
import { createExitSteps, MOST_ANSWERS } from './exit-steps.ts';

const PUZZLE = '< ?> = ?+ - ?<';

function setup(answers: (string | Error)[]) {
  const asked: PlayRequest[] = [];
  const request = async (kind: string, params: PlayRequest) => {
    if (kind !== 'play') return { stopped: true };
    asked.push(params);
    const answer = answers[Math.min(asked.length, answers.length) - 1];
    if (answer instanceof Error) throw answer;
    return [{ model: params.models[0], completion: answer, ended: true, tokens: 8, grade: null }];
  };
  const iterate = createExitSteps({ client: { request } as unknown as LabClient });
  iterate.change({ text: PUZZLE });
  return { iterate, asked, state: () => iterate.store.getState() };
}

describe('improving an answer step by step', () => {
  it('shows the last answer with its marks, and stops when all relations hold', async () => {
    // 1 < 3 > 2 = 2 + 3 - 2 < 4 is a solution.
    const { iterate, asked, state } = setup(['1322324', '1322224', '1322324']);
    iterate.change({ text: PUZZLE });
    expect(await iterate.step()).toBe(false);
    expect(state().steps[0].verdict).toMatchObject({ correct: true, quality: 1 });
    expect(asked[0]).toMatchObject({ ask: { kind: 'text' }, models: ['base'], runId: null, temperature: 1 });
    expect((asked[0].ask as { text: string }).text).toContain('SOLVE < ? = ? - ?');

    // 1122225 violates two shown relations (<, -) and two hidden ones (>, +).
    const other = setup(['1122225', 'nothing', '1322324']);
    await other.iterate.run();
    const texts = other.asked.map(({ ask }) => (ask as { text: string }).text);
    expect(texts[1]).toContain('IMPROVE !< ');
    // After an unreadable answer, the previous one is shown again.
    expect(texts[2]).toBe(texts[1]);
    expect(other.state().steps.map(({ verdict }) => verdict.answer)).toEqual(['1122225', null, '1322324']);
    expect(new Set(other.asked.map(({ seed }) => seed)).size).toBe(3);
  });

  it('reports an invalid puzzle and a failed request', async () => {
    const { iterate, state, asked } = setup([new Error('lost')]);
    iterate.change({ text: '< >' });
    expect(await iterate.step()).toBe(false);
    expect(state().problem?.message).toMatch(/has 6 relations, not 2/);
    expect(asked).toEqual([]);
    iterate.change({ text: PUZZLE });
    await iterate.step();
    expect(state()).toMatchObject({ writing: null, steps: [], problem: { message: 'lost' } });
  });

  it('ends a chain that is never solved', async () => {
    const { iterate, state } = setup(['1111111']);
    await iterate.run();
    expect(state().steps).toHaveLength(MOST_ANSWERS);
  });
});
