import { SpecError, StoppedError } from '@projected-grpo-lab/base/errors.ts';
import { afterEach, describe, expect, it } from 'vitest';
import { parseExperimentSpec } from '../../experiments/config/spec.ts';
import { keyFor, STREAMS } from '../../rng/threefry.ts';
import { TokenPieces } from '../../text/answer.ts';
import { conversationIn } from '../../text/chatml.ts';
import type { PlayEvent, PlayRequest, SteerAlong } from '../protocol/playground.ts';
import type { WorkerEvent } from '../protocol/protocol.ts';
import { closeTestLabs, openedLab } from '../testing/lab.ts';
import { openTestWorker } from '../testing/worker.ts';
import { ModelGate } from '../work/model-gate.ts';
import { createPlayHandlers, playProblems } from './playground.ts';
import { writeAnswer } from './write.ts';

afterEach(closeTestLabs);

async function opened() {
  const lab = await openedLab();
  const equipped = await lab.equipment.open('cpu');
  const emitted: PlayEvent[] = [];
  const gate = new ModelGate(async () => lab);
  const playground = createPlayHandlers({
    lab: async () => lab,
    gate,
    opened: async () => equipped,
    equipped: async () => equipped,
    emit: (event) => emitted.push(event as PlayEvent),
  });
  return { lab, equipped, emitted, gate, playground };
}

const [problem] = playProblems('run_tests');
const ask: PlayRequest = {
  id: 'p',
  ask: { kind: 'problem', mode: 'run_tests', problemId: problem.id },
  runId: null,
  models: ['base'],
  seed: 3,
  temperature: 1,
  maxNew: 24,
};
const spec = parseExperimentSpec({
  preset: 'smoke',
  arms: ['route-update'],
  device: 'cpu',
  overrides: { steps: 3, maxNew: 12, problems: 8, evalProblems: 2, finalEvalProblems: 2, pairs: 8, k: 2 },
});
/** A user's message in a prompt with one turn. */
const contentOf = (prompt: string): string =>
  conversationIn(prompt)!
    .map(({ content }) => content)
    .join('');
const ended = (event: WorkerEvent) => event.type === 'experiment' && event.summary.status === 'done';

describe('playground', () => {
  it('has the problems of the loaded model’s environment', () => {
    expect(problem.family).not.toContain('>');
    expect(playProblems('run_tests', 'tiny-composer').every(({ family }) => family.includes('>'))).toBe(true);
  });

  it('ends at any of a model’s end tokens', async () => {
    const { equipped } = await opened();
    const { policy, codec } = equipped;
    const request = {
      prompt: codec.encode(problem.prompt),
      seed: 3,
      temperature: 1,
      maxNew: 12,
      signal: new AbortController().signal,
      onTokens: () => {},
      breathe: async () => {},
    };
    const whole = await writeAnswer(policy, { ...request, endTokens: [] });
    expect(whole).toMatchObject({ ended: false });
    const third = whole.tokens[7];
    const never = [codec.vocabSize - 1, codec.vocabSize - 2].filter((id) => !whole.tokens.includes(id));
    const cut = await writeAnswer(policy, { ...request, endTokens: [never[0], never[0], third] });
    const at = whole.tokens.indexOf(third);
    expect(cut).toEqual({
      tokens: whole.tokens.slice(0, at + 1),
      logprobs: whole.logprobs.slice(0, at + 1),
      ended: true,
    });
    // An answer that was stopped while the model was being opened does not begin.
    const stopped = writeAnswer(policy, { ...request, endTokens: [], signal: AbortSignal.abort() });
    await expect(stopped).rejects.toThrow(StoppedError);
  });

  it('streams the tokens of one generation, and grades it', async () => {
    const { equipped, emitted, playground } = await opened();
    const [answer] = await playground.play(ask);
    const { policy, codec } = equipped;
    const [whole] = await policy.generate({
      prompts: [codec.encode(problem.prompt)],
      sequences: [{ prompt: 0, key: keyFor(3, STREAMS.evaluation, 0, 0) }],
      maxNew: 24,
      temperature: 1,
      endTokens: codec.endTokens,
    });
    const tokens = emitted.flatMap((event) => event.tokens);
    expect(tokens.map(({ logprob }) => logprob)).toEqual([...whole.logprobs]);
    expect(tokens.map(({ text }) => text).join('')).toBe(codec.decode(whole.tokens));
    expect(emitted.length).toBeGreaterThan(8);
    expect(answer).toMatchObject({ model: 'base', tokens: whole.tokens.length, ended: whole.ended });
    expect(answer.grade?.formatOk).toBe(false);
  });

  it('sends characters of several tokens as a whole', async () => {
    const { equipped } = await opened();
    const ids = equipped.codec.encode('a é 漢 z');
    const pieces = new TokenPieces(equipped.codec);
    const texts = [...pieces.next(ids.slice(0, 2), false), ...pieces.next(ids, true)];
    expect(texts).toHaveLength(ids.length);
    expect(texts.join('')).toBe('a é 漢 z');
    expect(texts.some((text) => text.includes('\uFFFD'))).toBe(false);
  });

  it('folds a stored run in for trained and deployed, and leaves the base unchanged', async () => {
    const { lab, emitted, playground } = await opened();
    await lab.session.start('x', spec);
    await lab.until(ended);
    const [run] = await playground.playRuns();
    expect(run).toMatchObject({ experimentId: 'x', arm: 'route-update', step: 3, hasQuarantine: true });

    const request: PlayRequest = { ...ask, runId: run.runId, models: ['base', 'trained', 'deployed'] };
    const first = await playground.play(request);
    const heard = structuredClone(emitted);
    expect(new Set(heard.map(({ model }) => model))).toEqual(new Set(['base', 'trained', 'deployed']));
    // After so few steps hardly a token changes, but its probability does.
    const logprobs = (model: string) =>
      heard.filter((event) => event.model === model).flatMap(({ tokens }) => tokens.map(({ logprob }) => logprob));
    expect(logprobs('trained')[0]).not.toBe(logprobs('base')[0]);
    expect(logprobs('deployed')[0]).not.toBe(logprobs('trained')[0]);

    emitted.length = 0;
    expect(await playground.play(request)).toEqual(first);
    expect(emitted).toEqual(heard);

    // Steered: the base at α = 0, the trained model at α = 1, and another model along the quarantine or a stored basis.
    const steer = async (along: SteerAlong, alpha: number) => {
      emitted.length = 0;
      await playground.play({ ...request, models: ['steered'], steer: { along, alpha } });
      return emitted.flatMap(({ tokens }) => tokens.map(({ logprob }) => logprob));
    };
    expect(await steer('change', 0)).toEqual(logprobs('base'));
    expect(await steer('change', 1)).toEqual(logprobs('trained'));
    expect((await steer('quarantine', 2))[0]).not.toBe(logprobs('base')[0]);
    const [basis] = await lab.records.bases.list();
    const ahead = await steer({ basis: basis.id }, 1);
    expect(ahead[0]).not.toBe((await steer({ basis: basis.id }, -1))[0]);
    expect(await steer({ basis: basis.id }, 0)).toEqual(logprobs('base'));
    await expect(steer('change', 11)).rejects.toThrow(/α is 11/);
    await expect(steer({ basis: 'none' }, 1)).rejects.toThrow(SpecError);
  });

  it('asks a stored run’s model with the prompts of the run', async () => {
    const { lab, equipped, playground } = await opened();
    const chatTemplate = '{% for message in messages %}{{ message.content }}{{ effort }}{% endfor %}';
    const overrides = { ...spec.overrides, steps: 1, chatTemplate, chatArgs: '{"effort":"most"}' };
    await lab.session.start('x', { ...spec, overrides });
    await lab.until(ended);
    const [{ runId }] = await playground.playRuns();
    const trained = { ...ask, runId, models: ['trained'] as const };
    const [answer] = await playground.play(trained);
    const asTrained = equipped.codec.encode(`${contentOf(problem.prompt)}most`);
    expect(answer.read).toBe(asTrained.length);

    const conversations = { trained: [{ role: 'user', text: 'u' }] } as const;
    const read = async (chatArgs?: string) =>
      (await playground.play({ ...trained, ask: { kind: 'chat', conversations, chatArgs } }))[0].read;
    expect(await read()).toBe(equipped.codec.encode('umost').length);
    expect(await read('{"effort":"no effort at all"}')).toBe(equipped.codec.encode('uno effort at all').length);
  });

  it('can be stopped, and yields to an experiment', async () => {
    const { lab, gate, playground, emitted } = await opened();
    const writing = playground.play({ ...ask, maxNew: 150 });
    const refused = expect(writing).rejects.toThrow(StoppedError);
    while (emitted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(gate.stop('another')).toBe(false);
    expect(gate.stop('p')).toBe(true);
    await refused;

    const second = expect(playground.play({ ...ask, maxNew: 150 })).rejects.toThrow(StoppedError);
    await new Promise((resolve) => setTimeout(resolve, 1));
    await gate.first(() => lab.session.start('y', spec));
    await second;
    await lab.until(ended);
  });

  it('answers between the steps of a run, without changing its bytes', async () => {
    const alone = await opened();
    await alone.lab.session.start('x', spec);
    await alone.lab.until(ended);
    const [said] = await alone.playground.play(ask);

    const { lab, gate, playground } = await opened();
    await gate.first(() => lab.session.start('x', spec));
    lab.session.pace('x', 'pause');
    const steps = () => lab.events.filter((event) => event.type === 'lab' && event.event.type === 'step').length;
    const answers: unknown[] = [];
    const askAgain = async () => answers.push((await playground.play(ask))[0]);
    // A paused run also allows answers: before its first step, and after it.
    await askAgain();
    expect(steps()).toBe(0);
    const asking = askAgain();
    lab.session.pace('x', 'step');
    await asking;
    lab.session.pace('x', 'go');
    while (lab.session.isBusy) await askAgain();
    expect(answers.length).toBeGreaterThan(3);
    for (const answer of answers) expect(answer).toEqual(said);
    const [run] = await lab.records.runs(await lab.records.experiment('x'));
    const [quiet] = await alone.lab.records.runs(await alone.lab.records.experiment('x'));
    expect(run.status).toBe('done');
    const bytesOf = async ({ records }: typeof lab, { id, rows, evals }: typeof run) => ({
      rows,
      evals,
      optimizer: (await records.checkpoints.load(id))!.optimizer,
      rollouts: await records.rollouts.at(id, 2),
    });
    expect(await bytesOf(lab, run)).toEqual(await bytesOf(alone.lab, quiet));
  });

  it('answers after a run that ends before its next step, and can be stopped while it waits', async () => {
    const { lab, gate, playground } = await opened();
    await gate.first(() => lab.session.start('x', spec));
    const waiting = playground.play(ask);
    const refused = expect(waiting).rejects.toThrow(StoppedError);
    while (!gate.stop('p')) await new Promise((resolve) => setTimeout(resolve, 0));
    await refused;
    const answered = playground.play(ask);
    await lab.session.stop('x');
    expect(await answered.catch((error) => error)).toEqual([expect.objectContaining({ model: 'base' })]);
  });

  it('leaves the running training’s adapter unchanged', async () => {
    const { ask: request, until } = await openTestWorker();
    const ended = (id: string) => (event: WorkerEvent) =>
      event.type === 'experiment' && event.summary.id === id && event.summary.status === 'done';
    const lora = { ...spec, overrides: { ...spec.overrides, steps: 1, adapter: 'lora' as const, loraRank: 2 } };
    await request('start', { id: 'l', spec: lora });
    await until(ended('l'));
    const [{ runId }] = await request('playRuns');
    await request('start', { id: 'y', spec });
    await until((event) => event.type === 'lab' && event.experimentId === 'y' && event.event.type === 'step');
    const asked = request('play', { ...ask, runId, models: ['trained'] });
    await expect(asked).rejects.toThrow(/trains singular directions, this run a LoRA of rank 2/);
    expect(await request('play', ask)).toHaveLength(1);
    await until(ended('y'));
  });

  it('has priority over the page’s own measurements', async () => {
    const { gate, playground, emitted } = await opened();
    const order: string[] = [];
    const measure = (name: string) => async () => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      order.push(name);
    };
    const first = gate.measurement(measure('first'));
    const written = playground.play(ask).then(() => order.push('written'));
    while (emitted.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
    await gate.measurement(measure('second'));
    await Promise.all([first, written]);
    expect(order).toEqual(['written', 'first', 'second']);
  });

  it('refuses what it does not have', async () => {
    const { playground } = await opened();
    await expect(playground.play({ ...ask, models: ['trained'], runId: 'gone' })).rejects.toThrow(SpecError);
    const unknown = { kind: 'problem', mode: 'run_tests', problemId: 'none' } as const;
    await expect(playground.play({ ...ask, ask: unknown })).rejects.toThrow(/none/);
    const text = 'a'.repeat(1_000_000);
    const tooLong = /has 1,000,000 characters; at most 100,000 can be asked/;
    await expect(playground.play({ ...ask, ask: { kind: 'text', text } })).rejects.toThrow(tooLong);
    const base = [{ role: 'user', text }] as const;
    await expect(playground.play({ ...ask, ask: { kind: 'chat', conversations: { base } } })).rejects.toThrow(tooLong);
  });

  it('answers a conversation, and grades the user’s own answer', async () => {
    const { equipped, playground, emitted } = await opened();
    expect(await equipped.text.chat([{ role: 'user', content: 'Hi' }])).toBe(
      '<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n',
    );
    const turns = [{ role: 'user', text: 'Hi' }] as const;
    const [answer] = await playground.play({ ...ask, ask: { kind: 'chat', conversations: { base: turns } } });
    expect(answer.grade).toBeNull();

    // Template arguments: an unused name gives a warning, a malformed one is refused.
    const told = (chatArgs: string) =>
      playground.play({ ...ask, ask: { kind: 'chat', conversations: { base: turns }, chatArgs } });
    expect((await told('{"effort": "high"}'))[0].completion).toBe(answer.completion);
    expect(emitted).toContainEqual({ type: 'warning', message: expect.stringContaining('never reads effort') });
    await expect(told('effort=high')).rejects.toThrow(/Template arguments: effort=high is no JSON object/);
    await expect(told('{"messages": []}')).rejects.toThrow(/messages is given by the lab/);

    const right = `\`\`\`python\n${problem.starter}\n        return ${problem.solution}\n\`\`\``;
    expect(await playground.gradeAnswer({ mode: 'run_tests', problemId: problem.id, completion: right })).toMatchObject(
      { gt_correct: true, exploited: false },
    );
    expect(
      await playground.gradeAnswer({ mode: 'run_tests', problemId: problem.id, completion: 'no code' }),
    ).toMatchObject({ formatOk: false, reward: 0 });
  });
});
