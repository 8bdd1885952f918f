// An episode as a pure function of what was said in it: a scenario is played from its beginning with a speaker's words as the agent's
// actions. Where the speaker has nothing more to say, what it would be shown next; else, or asked to, the verdict.

import { type AgentRun, runAgent } from '@projected-grpo-lab/are/agents/run.ts';
import type { Agent, AgentView } from '@projected-grpo-lab/are/agents/types.ts';
import { APP_CLASSES } from '@projected-grpo-lab/are/apps/registry.ts';
import { Book } from '@projected-grpo-lab/are/language/book.ts';
import { LanguageError, type LanguageFault } from '@projected-grpo-lab/are/language/error.ts';
import { decodeAction } from '@projected-grpo-lab/are/language/language.ts';
import { shownView } from '@projected-grpo-lab/are/language/observation.ts';
import { settled } from '@projected-grpo-lab/are/pending.ts';
import { wordsEngine } from '@projected-grpo-lab/are/verifier/engines.ts';
import { beginJudgedRun } from '@projected-grpo-lab/are/verifier/judged-run.ts';
import { promptAfter } from '../../text/chatml.ts';
import type { Dynamics, Observation } from '../types.ts';
import { dialectOf, mostTurnsOf, stagedOf } from './task.ts';
import type { AgentTask, AgentVerdict } from './types.ts';

export interface Heard {
  readonly view: AgentView;
  readonly book: Book;
  /** What it is shown; the user's words at first. */
  readonly shown: string;
}

/** What is said next; null: nothing more. */
export type Speaker = (heard: Heard) => string | null;

export interface PlayedEpisode {
  /** What is shown next; null where the episode is over. */
  readonly next: string | null;
  /** The message to the user; empty where there was none. */
  readonly message: string;
  readonly verdict: AgentVerdict;
}

/** Thrown through the run: nothing more is said. */
class Silence extends Error {}

export async function playEpisode(task: AgentTask, speaker: Speaker): Promise<PlayedEpisode> {
  const { trace, oracle } = stagedOf(task);
  // Published runs of templates keep the judge that they had; composed forms have the usual one.
  const engine = task.split ? undefined : wordsEngine;
  const { environment, verifier } = beginJudgedRun(trace, { classes: APP_CLASSES, oracle, ...(engine && { engine }) });
  const book = new Book(dialectOf(task));
  const most = mostTurnsOf(task);
  const refused = new Map<LanguageFault, number>();
  let [turns, answered, failed] = [0, 0, 0];
  let next: string | null = null;
  let message = '';
  const agent: Agent = {
    name: 'in the language',
    act(view) {
      let shown = shownView(view, book);
      for (;;) {
        next = turns < most ? shown : null;
        const text = next === null ? null : speaker({ view, book, shown });
        if (text === null) throw new Silence();
        turns++;
        try {
          return { action: { kind: 'call', ...decodeAction(text.trim(), book, view.apps) } };
        } catch (error) {
          if (!(error instanceof LanguageError)) throw error;
          refused.set(error.fault, (refused.get(error.fault) ?? 0) + 1);
          shown = `error: ${error.fault}`;
        }
      }
    },
  };
  let run: AgentRun | null = null;
  try {
    run = await runAgent(environment, agent, {
      turns: verifier.turnCount,
      onStep: ({ tool, args, outcome }) => {
        if ('value' in outcome) answered++;
        else failed++;
        if ('value' in outcome && tool === 'send_message_to_user') message = String(args.content);
      },
    });
    next = null;
  } catch (error) {
    if (!(error instanceof Silence)) throw error;
  }
  const { success, failure, exception } = await settled(() => verifier.judgeEnd(environment.log.list()));
  const why = success ? null : (failure?.kind ?? exception?.kind ?? 'unknown');
  const ended = run?.end === 'turns done';
  const faults = [...refused].map(([fault, count]) => `${count} ${fault}`).join(', ');
  const count = [...refused.values()].reduce((sum, one) => sum + one, 0);
  return {
    next,
    message: message,
    verdict: { success, failure: why, turns, answered, failed, refused: count, faults, ended },
  };
}

/** Says these, one after another. */
export function saying(texts: readonly string[]): Speaker {
  let at = 0;
  return () => texts[at++] ?? null;
}

// Generated scenarios as an Environment of several turns: the model writes one action of the compact language a turn, is shown what came
// of it, and ends by writing to the user. A state is all that was said; each act plays the scenario again from its beginning (about
// two milliseconds), so that a state can be gone on from as often as one likes.

export interface AgentEpisode {
  readonly task: AgentTask;
  readonly said: readonly string[];
  /** What is shown next; null where the episode is over. */
  readonly next: string | null;
}

export const agentsDynamics: Dynamics<AgentTask, AgentEpisode> = {
  id: 'agents',
  begin: (task) => ({ task, said: [], next: task.prompt }),
  observe: ({ next }): Observation => (next === null ? { kind: 'end' } : { kind: 'prompt', text: next }),
  async act({ task, said }, completion, ended = true) {
    const all = [...said, completion];
    const { next } = await playEpisode(task, saying(all));
    return { task, said: all, next: next === null ? null : promptAfter(next, ended) };
  },
};
