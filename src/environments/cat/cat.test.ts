// Tests the estimators against cases computed by hand, including ties, empty answers and groups without any answer.

import { describe, expect, it } from 'vitest';
import type { HandledModel, ModelHandles } from '../types.ts';
import { agrees, estimatorOf } from './estimators.ts';
import { majorityOf, numberOf } from './selection.ts';
import { type Attempt, type AttemptGroup, ESTIMATORS, type EstimatorId } from './types.ts';

/** Attempts have the form `working=value`; their value follows the last sign. */
const answerOf = (text: string): string | null => /=(-?\d+)$/.exec(text)?.[1] ?? null;
const attempt = (text: string, ...logprobs: number[]): Attempt => ({ text, value: answerOf(text), logprobs });

function group(id: string, attempts: readonly Attempt[], truth: string | null = null): AttemptGroup {
  return {
    id,
    attempts,
    prompts: {
      synthesis: (read, withQuestion) =>
        `${withQuestion ? `Q ${id} ` : ''}SYN ${read.map(({ text }) => text).join(' ')}`,
      choice: (read) => ({ prompt: `CHOOSE ${id}`, options: read.map(({ text }) => text) }),
      numbered: (read) => ({
        prompt: `WHICH ${read.map(({ text }) => text).join(' ')}`,
        chosen: (text) => numberOf(/\d+/.exec(text)?.[0], read),
      }),
      prediction: (others) => `OTHERS ${others.map(({ text }) => text).join(' ')}`,
    },
    answerOf,
    truth: () => truth,
  };
}

/** Characters are tokens, and 0 is the end. `write` answers a prompt; `likes` gives each token's log-probability in a completion. */
function model(
  write: (prompt: string) => string,
  likes: (prompt: string, completion: string) => number,
  room?: number,
) {
  const prompts: string[] = [];
  const temperatures: number[] = [];
  const decode = (ids: readonly number[]) =>
    ids
      .filter((id) => id > 0)
      .map((id) => String.fromCharCode(id))
      .join('');
  const encode = (text: string) => [...text].map((char) => char.charCodeAt(0));
  const handled: HandledModel = {
    id: 'stand-in',
    codec: {
      vocabSize: 256,
      encode,
      encodeChat: encode,
      encodePrompt: encode,
      decode,
      endTokens: [0],
      answerEnd: 0,
      padToken: 0,
    },
    endTokens: [0],
    ...(room === undefined ? {} : { room }),
    async generateTokens(request) {
      temperatures.push(request.temperature);
      return request.sequences.map(({ prompt }) => {
        const text = decode(request.prompts[prompt]);
        prompts.push(text);
        const tokens = [...encode(write(text)), 0];
        return { tokens, logprobs: new Float32Array(tokens.length), ended: true };
      });
    },
    generate: async () => [],
    logprobs: async (sequences) =>
      sequences.map(({ prompt, completion }) => {
        prompts.push(decode(prompt));
        return new Float32Array(completion.length).fill(likes(decode(prompt), decode(completion)));
      }),
  };
  const handles: ModelHandles = { get: (role) => (role === 'anchor' ? handled : undefined) };
  return { handles, prompts, temperatures };
}
const nobody: ModelHandles = { get: () => undefined };
const estimate = (id: EstimatorId, groups: readonly AttemptGroup[], models = nobody) =>
  estimatorOf(id, { maxNew: 8 }).estimate(groups, models);

describe('votes', () => {
  it('take the most frequent answer; attempts without an answer do not vote', async () => {
    const [reference] = await estimate('majority', [
      group('a', [attempt('x=3'), attempt('none'), attempt('y=5'), attempt('none'), attempt('z=5'), attempt('none')]),
    ]);
    expect(reference).toMatchObject({ value: '5', text: 'y=5', chosen: 2, cost: { calls: 0, read: 0, written: 0 } });
  });

  it('draw evenly among tied answers, keyed by the group and not by the order of groups', async () => {
    const tied = Array.from({ length: 300 }, (_, i) =>
      group(
        `tie ${i}`,
        ['=1', '=2', '=3', '=3', '=2', '=9'].map((t) => attempt(t)),
      ),
    );
    const references = await estimate('majority', tied);
    const counts = new Map<string, number>();
    for (const { value } of references) counts.set(value!, (counts.get(value!) ?? 0) + 1);
    expect([...counts.keys()].sort()).toEqual(['2', '3']);
    expect(counts.get('2')! / 300).toBeGreaterThan(0.4);
    expect(counts.get('2')! / 300).toBeLessThan(0.6);
    expect(await estimate('majority', [...tied].reverse())).toEqual([...references].reverse());
  });

  it('give no reference without answers, and nothing agrees with that', async () => {
    for (const id of ['majority', 'min_perplexity', 'random', 'self_bon', 'mutual'] as const) {
      const [reference] = await estimate(
        id,
        [group('a', [attempt('?'), attempt('')])],
        model(
          () => '',
          () => 0,
        ).handles,
      );
      expect(reference.value, id).toBeNull();
      expect(reference.chosen, id).toBeNull();
    }
    expect(majorityOf(group('b', []))).toBeNull();
    expect([agrees(null, null), agrees('1', null), agrees(null, '1'), agrees('1', '1')]).toEqual([
      false,
      false,
      false,
      true,
    ]);
  });
});

describe('likelihood', () => {
  it('selects the least mean surprise among attempts with an answer, not the shortest or the likeliest sum', async () => {
    // Mean log-probabilities: −0.5, −0.4, −0.1 (without an answer), −1.
    const attempts = [attempt('=1', -0.5), attempt('=2', -0.2, -0.6), attempt('x', -0.1), attempt('=4', -1, -1)];
    expect(await estimate('min_perplexity', [group('a', attempts)])).toMatchObject([{ value: '2', chosen: 1 }]);
    const unknown = [{ text: '=1', value: '1' }, attempt('=2', -9)];
    expect(await estimate('min_perplexity', [group('a', unknown)])).toMatchObject([{ value: '2' }]);
  });

  it('asks the anchor which attempt it would choose, and which attempt the others predict', async () => {
    const likes = (prompt: string, completion: string) => {
      if (prompt.startsWith('CHOOSE')) return completion.startsWith('b') ? -0.1 : -1;
      return completion.startsWith('c') && prompt.includes('a=1') && !prompt.includes('c=3') ? -0.2 : -2;
    };
    const { handles, prompts } = model(() => '', likes);
    const asked = [
      group(
        'a',
        ['a=1', 'b=2', 'c=3'].map((t) => attempt(t)),
      ),
    ];
    // Three options of 3 characters and an end, after a prompt of 8.
    expect(await estimate('self_bon', asked, handles)).toMatchObject([
      { value: '2', chosen: 1, cost: { calls: 3, read: 36, written: 0 } },
    ]);
    expect(await estimate('mutual', asked, handles)).toMatchObject([{ value: '3', chosen: 2 }]);
    expect(prompts.slice(3).every((prompt) => prompt.length === 'OTHERS a=1 b=2'.length)).toBe(true);
    // A single answer is chosen without a model.
    const single = await estimate('self_bon', [group('b', [attempt('?'), attempt('=7')])], handles);
    expect(single).toMatchObject([{ value: '7', chosen: 1, cost: { calls: 0 } }]);
    expect(prompts).toHaveLength(6);
  });

  it('chooses the attempt that the anchor names as the best, and none if it names none', async () => {
    const sentences = ['2', 'none', '3', '0'];
    const { handles, prompts, temperatures } = model(
      () => sentences[prompts.length - 1],
      () => -1,
    );
    const asked = sentences.map((_, i) =>
      group(
        `${i}`,
        ['a=1', 'b=2'].map((t) => attempt(t)),
      ),
    );
    const chosen = await estimate('self_choice', asked, handles);
    expect(chosen).toMatchObject([
      { value: '2', text: 'b=2', chosen: 1, cost: { calls: 1, read: 13, written: 2 } },
      ...[1, 2, 3].map(() => ({ value: null, chosen: null })),
    ]);
    expect(prompts).toEqual(sentences.map(() => 'WHICH a=1 b=2'));
    expect(temperatures).toEqual([0]);
  });

  it('asks for the best among as many attempts as fit', async () => {
    const attempts = ['a=1', 'b=2', 'c=3'].map((t) => attempt(t));
    const asked = async (room: number) => {
      const { handles, prompts } = model(
        () => '3',
        () => -1,
        room,
      );
      return { found: (await estimate('self_choice', [group('a', attempts)], handles))[0], prompts };
    };
    // The prompt with three attempts has 17 characters; an answer needs room for a synthesis and a number.
    const all = await asked(17 + 8 + 4);
    expect(all).toMatchObject({ found: { value: '3', chosen: 2, read: 3 }, prompts: ['WHICH a=1 b=2 c=3'] });
    const fewer = await asked(16 + 8 + 4);
    expect(fewer).toMatchObject({ found: { value: null, chosen: null, read: 2 }, prompts: ['WHICH a=1 b=2'] });
  });

  it('reports a missing model', async () => {
    const asked = [group('a', [attempt('=1'), attempt('=2')])];
    for (const id of ['self_bon', 'self_choice', 'mutual', 'synthesis'] as const)
      await expect(estimate(id, asked), id).rejects.toThrow(/no model has the role of the anchor/);
  });
});

describe('synthesis', () => {
  const asked = [group('one', [attempt('a=1'), attempt('b=2')]), group('two', [attempt('c=3')])];

  it('is written greedily from the attempts only, for all groups in one call, and its value is parsed', async () => {
    const { handles, prompts, temperatures } = model(
      (prompt) => (prompt.includes('a=1') ? 'new=9' : 'nothing'),
      () => 0,
    );
    const references = await estimate('synthesis', asked, handles);
    expect(prompts).toEqual(['SYN a=1 b=2', 'SYN c=3']);
    expect(temperatures).toEqual([0]);
    expect(references).toMatchObject([
      { value: '9', text: 'new=9', chosen: null, read: 2, cost: { calls: 1, read: 11, written: 6 } },
      { value: null, text: 'nothing', read: 1 },
    ]);
  });

  it('shows the question only as synthesis_question', async () => {
    const { handles, prompts } = model(
      () => '=1',
      () => 0,
    );
    await estimate('synthesis_question', asked, handles);
    expect(prompts).toEqual(['Q one SYN a=1 b=2', 'Q two SYN c=3']);
  });

  it('reads as many attempts as fit, and reports their number', async () => {
    // 8 tokens for the answer leave 9 of 17; `SYN a=1` has 7.
    const { handles, prompts } = model(
      () => '=1',
      () => 0,
      17,
    );
    expect(await estimate('synthesis', asked, handles)).toMatchObject([{ read: 1 }, { read: 1 }]);
    expect(prompts).toEqual(['SYN a=1', 'SYN c=3']);
  });

  it('asks the host’s synthesiser if there is one', async () => {
    const [anchor, other] = [
      model(
        () => '=1',
        () => 0,
      ),
      model(
        () => '=2',
        () => 0,
      ),
    ];
    const both: ModelHandles = {
      get: (role) => (role === 'synthesiser' ? other.handles.get('anchor') : anchor.handles.get(role)),
    };
    expect(await estimate('synthesis', asked, both)).toMatchObject([{ value: '2' }, { value: '2' }]);
    expect(anchor.prompts).toEqual([]);
  });
});

describe('bounds and nulls', () => {
  it('give the truth (oracle), the first attempt (one), or each answer equally often (random)', async () => {
    const attempts = ['=1', '=1', '=1', '=1', '=2'].map((t) => attempt(t));
    expect(await estimate('oracle', [group('a', attempts, '7')])).toMatchObject([{ value: '7', chosen: null }]);
    expect(await estimate('one', [group('a', attempts), group('b', [attempt('?'), attempt('=2')])])).toMatchObject([
      { value: '1', chosen: 0 },
      { value: null, chosen: 0 },
    ]);
    const drawn = await estimate(
      'random',
      Array.from({ length: 300 }, (_, i) => group(`r ${i}`, attempts)),
    );
    const twos = drawn.filter(({ value }) => value === '2').length;
    expect(twos).toBeGreaterThan(120);
    expect(twos).toBeLessThan(180);
  });

  it('read the truth only in the oracle', async () => {
    const { handles } = model(
      () => '=1',
      () => -1,
    );
    const secret = (asks: { count: number }) => ({
      ...group('a', [attempt('=1', -1), attempt('=2', -2)]),
      truth: () => {
        asks.count++;
        return '2';
      },
    });
    for (const id of ESTIMATORS) {
      const asks = { count: 0 };
      await estimate(id, [secret(asks)], handles);
      expect(asks.count, id).toBe(id === 'oracle' ? 1 : 0);
    }
  });
});
