// Tests a run of an agent with a model on the page: its text, its cost, an edit that does not query the model, and its link, which needs no
// model.

import { generateScenario } from '@projected-grpo-lab/are/generate/generate.ts';
import { describe, expect, it } from 'vitest';
import type { ModelAgentName } from '../../lab/protocol/agents.ts';
import { memoryAgents } from '../../lab/testing/agents.ts';
import { packJson, unpackJson } from '../../share/pack.ts';
import { createAre as createAreWith } from './are.ts';
import { type Asker, createAsker, type ModelQuestion } from './asker.ts';
import { budgetLines } from './budget.ts';
import { playLink } from './testing/play-link.ts';

const createAre = () => createAreWith(memoryAgents());

/** Gives the answers in turn, then repeats the last one. */
function scripted(...texts: string[]) {
  const asked: ModelQuestion[] = [];
  const asker: Asker = {
    ready: async (agent) => `${agent} model`,
    release() {},
    chooseOnnx() {},
    row: () => Promise.reject(new Error('nobody fetches')),
    async write(one) {
      asked.push(one);
      const text = texts[Math.min(asked.length, texts.length) - 1];
      one.onText(text.slice(0, 3));
      one.onText(text);
      return { text, inputTokens: 10, outputTokens: 5 };
    },
  };
  return { asker, asked };
}

const SAY = 'say "It is done."';

async function run(asker: Asker | null, agent: ModelAgentName) {
  const are = createAre();
  are.askOf(asker);
  are.setForm({ agent, isSmall: true, temperature: 1 });
  await are.generate();
  await are.run();
  return are;
}
const calls = (are: ReturnType<typeof createAre>) =>
  are.store.getState().entries.flatMap((entry) => (entry.kind === 'call' && entry.actor === 'agent' ? [entry] : []));

describe('an agent with a model', () => {
  it('writes the compact language, is shown texts that were not actions, and is not queried for edited calls', async () => {
    const { asker, asked } = scripted('nothing', 'Emails.list_emails', SAY);
    const are = await run(asker, 'tiny-agent');
    const { played, written, problem } = are.store.getState();
    expect(problem).toBeNull();
    expect(calls(are).map(({ tool }) => tool)).toEqual(['list_emails', 'send_message_to_user']);
    expect([...written]).toEqual([
      [0, 'Emails.list_emails'],
      [1, SAY],
    ]);
    expect(played?.model).toMatchObject({
      name: 'tiny-agent model',
      gaveUp: null,
      spent: { calls: 3, inputTokens: 30, outputTokens: 15, formatErrors: 1 },
    });
    expect(asked[1].ask).toContain('nothing<|im_end|>\n<|im_start|>user\nerror: ');
    expect(new Set(asked.map(({ seed }) => seed)).size).toBe(3);

    const [first] = calls(are);
    await are.amend({ at: 0, app: 'Emails', tool: 'list_emails', args: '{"limit": 1}', thought: '' });
    expect(asked).toHaveLength(4);
    expect(asked[3].ask).toMatch(/list_emails .*1<\|im_end\|>/);
    expect(calls(are)[0].args).not.toEqual(first.args);

    // The link contains the agent's acts, so it plays without a model. The model is queried only after an edit.
    const hash = await are.link();
    const other = createAre();
    await playLink(other, `#${hash}`);
    expect(other.store.getState().problem).toBeNull();
    expect(other.store.getState().form.isSmall).toBe(true);
    expect(calls(other).map(({ tool, args, time }) => [tool, args, time])).toEqual(
      calls(are).map(({ tool, args, time }) => [tool, args, time]),
    );
    expect(other.store.getState().played?.model).toMatchObject({ spent: { calls: 0 } });
    await other.amend({ at: 0, app: 'Emails', tool: 'list_emails', args: '{}', thought: '' });
    expect(other.store.getState().problem?.message).toBe('An agent with a model needs the lab.');
  });

  it('writes the second dialect for composed forms, and its link records which forms were used', async () => {
    const { asker, asked } = scripted('Contacts.get_contacts', SAY);
    const are = createAre();
    are.askOf(asker);
    are.setForm({ agent: 'tiny-agent-forms', part: 'composed held out', split: 'search', isSmall: true });
    await are.generate();
    await are.run();
    const { scenario, problem } = are.store.getState();
    expect([problem, scenario?.source]).toEqual([null, expect.stringMatching(/^form search\//)]);
    expect(asked[1].ask).toMatch(/name \$\d+ phone \$\d+ email \$\d+ city \$\d+ job \$\d+ contact_id \$\d+/);
    const other = createAre();
    await playLink(other, `#${await are.link()}`);
    expect(other.store.getState().form).toMatchObject({ part: 'composed held out', isSmall: true, split: 'search' });
    expect(other.store.getState().scenario?.id).toBe(scenario?.id);
  });

  it('alternates thoughts and acts with the loaded model, and its conversation contains the edit as its own act', async () => {
    const answer = (action: string, input: object) =>
      `Thought: next.\nAction:\n{"action": "${action}", "action_input": ${JSON.stringify(input)}}`;
    const say = answer('AgentUserInterface__send_message_to_user', { content: 'Done.' });
    const { asker, asked } = scripted(answer('Emails__list_emails', {}), say);
    const are = await run(asker, 'react');
    expect(calls(are).map(({ tool, thought }) => [tool, thought])).toEqual([
      ['list_emails', 'next.'],
      ['send_message_to_user', 'next.'],
    ]);
    await are.amend({ at: 0, app: 'Contacts', tool: 'get_contacts', args: '{}', thought: 'Rather who.' });
    expect(asked).toHaveLength(3);
    const turns = asked[2].ask as readonly { role: string; content: string }[];
    expect(turns.find(({ role }) => role === 'assistant')?.content).toContain('Contacts__get_contacts');
    expect(calls(are).map(({ tool }) => tool)).toEqual(['get_contacts', 'send_message_to_user']);
  });

  it('uses the server that the user names, and a link neither sets nor reveals an address', async () => {
    const requests: [string, Record<string, unknown>][] = [];
    const content = 'Thought: x\nAction:\n{"action": "Emails__list_emails", "action_input": {}}';
    const done = content
      .replace('Emails__list_emails', 'AgentUserInterface__send_message_to_user')
      .replace('{}}', '{"content": "Done."}}');
    const client = {
      subscribe: () => () => {},
      async request(kind: string, params: Record<string, unknown>) {
        requests.push([kind, params]);
        return { answer: { text: requests.length < 2 ? content : done, inputTokens: 4, outputTokens: 2, seconds: 0 } };
      },
    };
    const asker = createAsker({
      context: { client, store: { setState: () => {} } } as unknown as Parameters<typeof createAsker>[0]['context'],
      follow: async () => {},
      loadEmbedded: async () => true,
    });
    const are = await run(asker, 'react-endpoint');
    expect(are.store.getState().problem).toMatchObject({ message: 'No server is named.' });
    are.setForm({ server: { base: ' http://secret.test/v1 ', model: 'm', key: 'hidden-key' } });
    await are.run();
    expect(calls(are).map(({ tool }) => tool)).toEqual(['list_emails', 'send_message_to_user']);
    expect(are.store.getState().played?.model).toMatchObject({ name: 'm', spent: { calls: 2, inputTokens: 8 } });
    expect(requests.map(([kind]) => kind)).toEqual(['askServer', 'askServer']);
    expect(requests[0][1]).toMatchObject({ base: 'http://secret.test/v1', model: 'm', key: 'hidden-key' });
    const hash = `#${await are.link()}`;
    expect(await unpackJson(hash.replace('#are1.', ''))).toMatchObject({ a: 'react-endpoint' });
    expect(JSON.stringify(await unpackJson(hash.replace('#are1.', ''))) + (await are.exported())).not.toMatch(
      /secret|hidden/,
    );

    // Opening the link does not query a named server. Only after the user's own edit does the run continue with it.
    const other = createAre();
    other.askOf(asker);
    other.setForm({ server: { base: 'http://other.test/v1', model: 'n', key: '' } });
    await playLink(other, hash);
    expect(calls(other)).toHaveLength(2);
    const acts = await packJson({ ...((await unpackJson(hash.replace('#are1.', ''))) as object), k: undefined });
    await playLink(other, `#are1.${acts}`);
    expect(other.store.getState().problem?.message).toBe('No server is named.');
    expect(requests).toHaveLength(2);
    await playLink(other, hash);
    await other.amend({ at: 0, app: 'Emails', tool: 'list_emails', args: '{}', thought: '' });
    expect(requests[2][1]).toMatchObject({ base: 'http://other.test/v1', key: null });
  });

  it('queries an ONNX file in the worker, which opens the chosen files once', async () => {
    const requests: string[] = [];
    const say =
      'Thought: x\nAction:\n{"action": "AgentUserInterface__send_message_to_user", "action_input": {"content": "Done."}}';
    const client = {
      subscribe: () => () => {},
      async request(kind: string, params: Record<string, unknown>) {
        requests.push(kind);
        if (kind === 'openOnnx') return { name: (params.files as { name: string }[])[0].name, positions: 9 };
        return kind === 'askOnnx' ? { answer: { text: say, inputTokens: 4, outputTokens: 2 } } : null;
      },
    };
    const asker = createAsker({
      context: { client, store: { setState: () => {} } } as unknown as Parameters<typeof createAsker>[0]['context'],
      follow: async () => {},
      loadEmbedded: async () => true,
    });
    const are = await run(asker, 'react-onnx');
    expect(are.store.getState().problem?.message).toBe('No ONNX model is chosen.');
    are.chooseOnnx([new File(['x'], 'model.onnx')]);
    await are.run();
    await are.run();
    expect(are.store.getState().played?.model).toMatchObject({
      name: 'model.onnx',
      spent: { calls: 1, inputTokens: 4 },
    });
    expect(requests).toEqual(['openOnnx', 'askOnnx', 'askOnnx']);
    asker.release();
    expect(requests.at(-1)).toBe('closeOnnx');
  });

  it('records its cost, and a curve counts failed runs too', async () => {
    const { asker } = scripted(SAY);
    const are = await run(asker, 'tiny-agent');
    are.setForm({ agent: 'oracle' });
    await are.runSeries(3);
    const { costs, form, left } = are.store.getState();
    expect([form.index, left]).toEqual([3, 0]);
    expect(costs.map(({ agent, success, tokens }) => [agent, success, tokens])).toEqual([
      ['tiny-agent', false, 15],
      ...Array(3).fill(['oracle', true, null]),
    ]);
    const [tiny, oracle] = budgetLines(costs, 'calls');
    expect([tiny.n, tiny.points.at(-1)?.y, oracle.n, oracle.points.at(-1)?.y]).toEqual([1, 0, 3, 1]);
    expect(oracle.points[1].y).toBe(0);
    expect(budgetLines(costs, 'tokens').map(({ id }) => id)).toEqual(['tiny-agent']);
  });

  it('plays small universes, which differ from the usual ones', async () => {
    const are = createAre();
    are.setForm({ isSmall: true });
    await are.generate();
    const small = JSON.stringify(await are.trace()).length;
    expect(small).toBeLessThan(
      JSON.stringify(generateScenario({ split: 'execution', seed: 1, index: 0 }).trace).length,
    );
  });
});
