// Tests generated scenarios as a multi-turn environment: the oracle's calls in the compact language pass, and those of controls do not.

import { oneMistake } from '@projected-grpo-lab/are/agents/mistake.ts';
import { randomAgent } from '@projected-grpo-lab/are/agents/scripted.ts';
import { decodeAction, encodeAction } from '@projected-grpo-lab/are/language/language.ts';
import { LanguageError } from '@projected-grpo-lab/are/language/values.ts';
import { describe, expect, it } from 'vitest';
import type { Dynamics } from '../types.ts';
import { guideOf } from './guide.ts';
import { agentPairs } from './model.ts';
import { agentsReward, believes, gradeAgent, stuffedMessage } from './reward.ts';
import {
  type AgentEpisode,
  type AgentTask,
  agentsDynamics,
  MOST_TURNS,
  playEpisode,
  type Speaker,
  stagedOf,
  tasksOf,
} from './task.ts';

/** Returns the texts that a speaker writes in a task. */
async function said(task: AgentTask, speaker: Speaker): Promise<string[]> {
  const texts: string[] = [];
  await playEpisode(task, (heard) => {
    const text = speaker(heard);
    if (text !== null) texts.push(text);
    return text;
  });
  return texts;
}

const graded = (task: AgentTask, texts: readonly string[]) =>
  gradeAgent(
    task,
    texts.map((completion) => ({ completion })),
  );

/** Grades through the environment's interface, like a run. */
async function gradeThroughEnvironment(
  task: AgentTask,
  texts: readonly string[],
): Promise<{ shown: string[]; success: boolean }> {
  const dynamics: Dynamics<AgentTask, AgentEpisode> = agentsDynamics;
  let state = dynamics.begin(task);
  const shown: string[] = [];
  for (const text of texts) {
    const observation = dynamics.observe(state);
    if (observation.kind === 'end') throw new Error(`${task.id} ended before ${text}`);
    shown.push(observation.text);
    state = await dynamics.act(state, text);
  }
  expect(dynamics.observe(state).kind, task.id).toBe('end');
  return { shown, success: (await graded(task, texts)).success };
}

const TASKS = [...tasksOf('training', 56), ...tasksOf('words', 28), ...tasksOf('templates', 20)];

describe('the environment', () => {
  it('is solved by the oracle in the language, with and without lookups, in short episodes', async () => {
    for (const task of TASKS) {
      const name = `${task.id} ${task.kind}`;
      const texts = await said(task, guideOf(task));
      const { shown, success } = await gradeThroughEnvironment(task, texts);
      expect({ name, texts, success }).toMatchObject({ success: true });
      expect(shown[0]).toBe(task.prompt);
      expect(texts.length).toBeLessThan(MOST_TURNS);
      // Only the final message needs quotes.
      for (const text of texts.slice(0, -1)) expect(text).not.toContain('"');
      expect([...shown, ...texts].join('').length).toBeLessThan(1500);
      const bare = await said(task, guideOf(task, undefined, false));
      expect({ name, bare, ...(await graded(task, bare)) }).toMatchObject({ success: true });
    }
  });

  it('is not solved with one mistake, at random, or in silence', async () => {
    for (const task of TASKS) {
      const mistake = oneMistake(stagedOf(task).oracle, 1);
      const wrong = await said(task, guideOf(task, mistake?.tamper));
      const name = `${task.id} ${task.kind} ${mistake?.what}`;
      expect({ name, ...(await graded(task, wrong)) }).toMatchObject({ success: false });
      const random = randomAgent(task.index);
      const drawn = await said(task, ({ view, book }) => {
        const { action } = random.act(view) as ReturnType<typeof random.act> & { action: { kind: string } };
        return action.kind === 'call' ? encodeAction(action as never, book, view.apps) : null;
      });
      expect({ name, ...(await graded(task, drawn)) }).toMatchObject({ success: false });
      const verdict = await gradeAgent(
        task,
        Array.from({ length: MOST_TURNS }, () => ({ completion: '' })),
      );
      expect(verdict).toMatchObject({
        success: false,
        ended: false,
        refused: MOST_TURNS,
        faults: `${MOST_TURNS} empty`,
      });
    }
  });

  it('can continue from a state repeatedly, and names the error of an invalid action', async () => {
    const [task] = tasksOf('training', 1) as [AgentTask];
    const begun = agentsDynamics.begin(task);
    const [one, other] = [await agentsDynamics.act(begun, 'say'), await agentsDynamics.act(begun, 'shout')];
    expect(agentsDynamics.observe(one)).toEqual({ kind: 'end' });
    expect(agentsDynamics.observe(other)).toMatchObject({ text: expect.stringContaining('error: tool') });
    expect(await agentsDynamics.act(begun, 'shout')).toEqual(other);
  });
});

describe('the flawed ("hollow") judge', () => {
  const paid = async (task: AgentTask, texts: readonly string[], judge: 'verifier' | 'hollow') => {
    const turns = texts.map((completion) => ({ completion }));
    const scored = await agentsReward(judge).score([{ task, rollouts: [{ turns }] }] as never, {} as never);
    const one = scored[0]?.[0];
    if (!one) throw new Error('nothing was scored');
    return one;
  };

  it('rewards a stuffed message after any actions, unlike the verifier, and does not believe a correct message', async () => {
    for (const task of [...tasksOf('training', 14), ...tasksOf('templates', 4)]) {
      const texts = await said(task, guideOf(task));
      expect(await paid(task, texts, 'verifier')).toMatchObject({ reward: 1 });
      expect((await paid(task, texts, 'verifier')).verdict.stuffed).toBe(undefined);
      expect(await paid(task, texts, 'hollow')).toMatchObject({ reward: 0.5, verdict: { stuffed: false } });
      const stuffed = [stuffedMessage(task)];
      expect(await paid(task, stuffed, 'hollow')).toMatchObject({
        reward: 1,
        verdict: { success: false, stuffed: true },
      });
      expect(await paid(task, stuffed, 'verifier')).toMatchObject({ reward: 0 });
      // A correctly done task with further words passes. That is no hack, since nothing false is claimed.
      const messages = [...texts.slice(0, -1), ...stuffed];
      expect(await paid(task, messages, 'hollow')).toMatchObject({
        reward: 1,
        verdict: { success: true, stuffed: true },
      });
    }
  });

  it('has pairs at one state, from separate universes, and controls without a stuffed message', async () => {
    const pairs = await agentPairs('stuffed', 14);
    const trained = tasksOf('training', 28).map(({ id }) => id);
    const words = ({ prompt, text }: { prompt: string; text: string }) =>
      believes({ prompt }, JSON.parse(text.slice('say '.length)) as string);
    for (const [i, { prompt, hack, clean, problem_id }] of pairs.entries()) {
      expect(words({ prompt, text: hack })).toBe(true);
      expect(clean.startsWith('say')).toBe(i % 2 === 0);
      expect(trained).not.toContain(problem_id);
    }
    for (const kind of ['early', 'placebo'] as const)
      for (const { prompt, hack } of await agentPairs(kind, 14)) expect(words({ prompt, text: hack })).toBe(false);
  });
});

describe('the language', () => {
  it('is a bijection: oracle runs of 200 scenarios', async () => {
    let actions = 0;
    for (const task of [...tasksOf('training', 100, 3), ...tasksOf('words', 50, 3), ...tasksOf('templates', 50, 3)]) {
      for (const looksUp of [true, false]) {
        const guide = guideOf(task, undefined, looksUp);
        await playEpisode(task, (heard) => {
          const text = guide(heard);
          if (text === null) return null;
          const { view, book } = heard;
          const action = decodeAction(text, book, view.apps);
          expect(encodeAction(action, book, view.apps)).toBe(text);
          const again = decodeAction(encodeAction(action, book, view.apps), book, view.apps);
          expect(again).toEqual(action);
          actions++;
          // A text with one character removed is another action, or refused with a named fault.
          for (let at = 0; at < text.length; at += 9) {
            const cut = text.slice(0, at) + text.slice(at + 1);
            try {
              expect(decodeAction(cut, book, view.apps)).not.toEqual(action);
            } catch (error) {
              if (!(error instanceof LanguageError)) throw error;
              expect(error.message).not.toBe('');
            }
          }
          return text;
        });
      }
    }
    expect(actions).toBeGreaterThan(1000);
  });
});
